/* Memory between processes, in place of runtime/ipc.c. The rules of ipc.h hold: no process imports its own memory, and
 * memory is freed when nobody has it any more. A process that breaks one ends. */
#include "runtime/ipc.h"
#include "tests/mpi/ipc.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD = 4096 };

/* Before the memory. */
typedef struct head {
    atomic_int takers;
    int file;
    size_t bytes;
} head;

static atomic_int failing[IPC_CALLS];

void ipc_fail(ipc_call call) {
    atomic_store(&failing[call], 1);
}

void ipc_fail_gpus(void) { /* there are none */
}

void ipc_mend(void) {
    for (int call = 0; call < IPC_CALLS; ++call) {
        atomic_store(&failing[call], 0);
    }
}

static void broken(const char *rule) {
    fprintf(stderr, "ipc: %s\n", rule);
    abort();
}

static head *head_of(void *memory) {
    return (head *)(void *)((char *)memory - HEAD);
}

void *psg_ipc_allocate(psg_ipc_kind kind, int device, size_t bytes) {
    (void)kind;
    (void)device;
    const int file = memfd_create("ipc", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)(HEAD + bytes)) != 0) {
        return NULL;
    }
    char *memory = mmap(NULL, HEAD + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) {
        return NULL;
    }
    head *h = (head *)(void *)memory;
    h->file = file;
    h->bytes = bytes;
    memset(memory + HEAD, 0xff, bytes); /* not a number */
    return memory + HEAD;
}

void psg_ipc_free(psg_ipc_kind kind, int device, void *memory) {
    head *h = head_of(memory);
    (void)kind;
    (void)device;
    if (atomic_load(&h->takers) != 0) {
        broken("memory is freed that another process has");
    }
    close(h->file);
    munmap(h, HEAD + h->bytes);
}

bool psg_ipc_export(psg_ipc_kind kind, int device, void *memory, psg_ipc_handle *handle,
                    char *words, size_t size) {
    (void)kind;
    const int from[2] = {getpid(), head_of(memory)->file};
    (void)device;
    memcpy(handle->bytes, from, sizeof from);
    snprintf(words, size, "%s", atomic_load(&failing[IPC_EXPORT]) ? "no offer was made" : "");
    return !atomic_load(&failing[IPC_EXPORT]);
}

void *psg_ipc_import(psg_ipc_kind kind, int device, const psg_ipc_handle *handle, char *words,
                     size_t size) {
    (void)kind;
    char path[64];
    int from[2];
    struct stat about;
    (void)device;
    memcpy(from, handle->bytes, sizeof from);
    if (from[0] == getpid()) {
        broken("a process imports its own memory");
    }
    if (atomic_load(&failing[IPC_IMPORT])) {
        snprintf(words, size, "no offer was taken");
        return NULL;
    }
    snprintf(path, sizeof path, "/proc/%d/fd/%d", from[0], from[1]);
    const int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0 || fstat(file, &about) != 0) {
        snprintf(words, size, "there is no %s", path);
        return NULL;
    }
    char *memory = mmap(NULL, (size_t)about.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED) {
        snprintf(words, size, "%s is not to be mapped", path);
        return NULL;
    }
    atomic_fetch_add(&((head *)(void *)memory)->takers, 1);
    return memory + HEAD;
}

void psg_ipc_close(psg_ipc_kind kind, int device, void *taken) {
    (void)kind;
    head *h = head_of(taken);
    (void)device;
    atomic_fetch_sub(&h->takers, 1);
    munmap(h, HEAD + h->bytes);
}

bool psg_ipc_put(int device, void *to, uint64_t number, char *words, size_t size) {
    (void)device;
    (void)words;
    (void)size;
    memcpy(to, &number, sizeof number);
    return true;
}

bool psg_ipc_get(int device, const void *from, uint64_t *number, char *words, size_t size) {
    (void)device;
    (void)words;
    (void)size;
    memcpy(number, from, sizeof *number);
    return true;
}
