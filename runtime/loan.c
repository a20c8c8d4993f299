/* Loans: of main memory here, of GPUs' by loan_gpu.h. Main memory is a file without a folder, which another process opens by
 * the number that it has in the lender's process. */
#include "runtime/loan.h"

#include "base/memory.h"
#include "runtime/loan_gpu.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, NAME = 32 };

/* What stands in the page before the memory, for its owner and for those who take it. */
typedef struct head {
    size_t bytes; /* with this page */
    int file;     /* the owner's */
    bool locked;  /* by the owner */
    char name[NAME];
} head;

/* In a psg_loan. The name is random. In another namespace the same process and file numbers may mean something else, so the
 * taker compares names. */
typedef struct offered {
    pid_t process;
    int file;
    uint64_t bytes;
    char name[NAME];
} offered;

_Static_assert(sizeof(offered) <= sizeof(psg_loan) && sizeof(psg_loan) == PSG_LOAN_GPU_BYTES,
               "an offer has room for either kind");

static head *head_of(void *memory) {
    return (head *)(void *)((char *)memory - PAGE);
}

/* ------------------------------------------------------------------------------- main memory */

static head *map(int file, size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) {
        return NULL;
    }
    /* as base_allocate(), where the system gives files large pages (shmem_enabled) */
    (void)madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
}

/* The system ends a process that makes a file larger than its limit (ulimit -f). With a limit nothing is lent, so that the
 * trial with little memory tells. */
static bool files_are_limited(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

/* The system ends a process that writes to memory which it has not got, so all of it is taken here. It is taken piece by piece,
 * because other processes of the node take theirs at the same time, and because a signal ends a call. */
static bool fill(int file, size_t bytes) {
    const size_t most = (size_t)64 << 20;
    size_t done = 0;
    while (done < bytes) {
        const size_t piece = bytes - done < most ? bytes - done : most;
        if (base_memory_available() < 2 * (double)piece) {
            return false;
        }
        const int code = posix_fallocate(file, (off_t)done, (off_t)piece);
        if (code != 0 && code != EINTR) {
            return false;
        }
        done += code == 0 ? piece : 0;
    }
    return true;
}

static head *create(size_t bytes) {
    uint64_t number = 0;
    char name[NAME] = ""; /* all of it goes to other processes */
    if (files_are_limited() || (double)bytes > base_memory_available() ||
        getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) {
        return NULL;
    }
    (void)snprintf(name, sizeof name, "psg-%016" PRIx64, number);
    const int file = memfd_create(name, MFD_CLOEXEC);
    head *h = file >= 0 && fill(file, bytes) ? map(file, bytes) : NULL;
    if (h == NULL) {
        if (file >= 0) {
            (void)close(file);
        }
        return NULL;
    }
    *h = (head){.bytes = bytes, .file = file};
    memcpy(h->name, name, sizeof name);
    return h;
}

static void destroy(head *h) {
    (void)close(h->file);
    (void)munmap(h, h->bytes);
}

static void *main_allocate(int device, size_t bytes) {
    char words[192];
    head *h = bytes < SIZE_MAX / 2 ? create(PAGE + (bytes + PAGE - 1) / PAGE * PAGE) : NULL;
    if (h == NULL) {
        return NULL;
    }
    h->locked = device >= 0 && psg_loan_gpu_lock(device, h, h->bytes, words, sizeof words);
    if (device >= 0 && !h->locked) {
        destroy(h);
        return NULL;
    }
    return (char *)h + PAGE;
}

static void main_free(int device, void *memory) {
    head *h = head_of(memory);
    if (h->locked) {
        psg_loan_gpu_unlock(device, h);
    }
    destroy(h);
}

static bool main_offer(void *memory, psg_loan *loan) {
    const head *h = head_of(memory);
    offered o;
    memset(&o, 0, sizeof o);
    o.process = getpid();
    o.file = h->file;
    o.bytes = h->bytes;
    memcpy(o.name, h->name, sizeof o.name);
    memset(loan, 0, sizeof *loan);
    memcpy(loan, &o, sizeof o);
    return true;
}

/* @return -1: the lender has no such file, or it may not be seen from here */
static int open_offered(const offered *o) {
    char path[64];
    char target[64] = "";
    char wanted[64];
    (void)snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)o->process, o->file);
    (void)snprintf(wanted, sizeof wanted, "/memfd:%s", o->name);
    const bool same = readlink(path, target, sizeof target - 1) > 0 &&
                      strncmp(target, wanted, strlen(wanted)) == 0;
    const int file = same ? open(path, O_RDWR | O_CLOEXEC) : -1;
    struct stat about;
    if (file >= 0 && (fstat(file, &about) != 0 || (uint64_t)about.st_size != o->bytes)) {
        (void)close(file);
        return -1;
    }
    return file;
}

static void *main_take(int device, const psg_loan *loan, char *words, size_t size) {
    offered o;
    memcpy(&o, loan, sizeof o);
    o.name[NAME - 1] = '\0';
    const int file = open_offered(&o);
    if (file < 0) {
        (void)snprintf(words, size,
                       "the memory is not there in /proc/%ld/fd: the processes are in different "
                       "containers, or of different users",
                       (long)o.process);
        return NULL;
    }
    head *h = map(file, o.bytes);
    (void)close(file);
    if (h == NULL) {
        (void)snprintf(words, size, "%" PRIu64 " bytes could not be mapped", o.bytes);
        return NULL;
    }
    if (device >= 0 && !psg_loan_gpu_lock(device, h, h->bytes, words, size)) {
        (void)munmap(h, o.bytes);
        return NULL;
    }
    return (char *)h + PAGE;
}

static void main_return(int device, void *taken) {
    head *h = head_of(taken);
    if (device >= 0) {
        psg_loan_gpu_unlock(device, h);
    }
    (void)munmap(h, h->bytes);
}

/* ------------------------------------------------------------------------------- of either kind */

void *psg_loan_allocate(psg_loan_kind kind, int device, size_t bytes) {
    return kind == PSG_LOAN_GPUS ? psg_loan_gpu_allocate(device, bytes)
                                 : main_allocate(device, bytes);
}

void psg_loan_free(psg_loan_kind kind, int device, void *memory) {
    (kind == PSG_LOAN_GPUS ? psg_loan_gpu_free : main_free)(device, memory);
}

bool psg_loan_offer(psg_loan_kind kind, int device, void *memory, psg_loan *loan, char *words,
                    size_t size) {
    return kind == PSG_LOAN_GPUS ? psg_loan_gpu_offer(device, memory, loan->bytes, words, size)
                                 : main_offer(memory, loan);
}

void *psg_loan_take(psg_loan_kind kind, int device, const psg_loan *loan, char *words,
                    size_t size) {
    return kind == PSG_LOAN_GPUS ? psg_loan_gpu_take(device, loan->bytes, words, size)
                                 : main_take(device, loan, words, size);
}

void psg_loan_return(psg_loan_kind kind, int device, void *taken) {
    (kind == PSG_LOAN_GPUS ? psg_loan_gpu_return : main_return)(device, taken);
}

bool psg_loan_put(int device, void *to, uint64_t number, char *words, size_t size) {
    if (device >= 0) {
        return psg_loan_gpu_put(device, to, number, words, size);
    }
    memcpy(to, &number, sizeof number);
    return true;
}

bool psg_loan_get(int device, const void *from, uint64_t *number, char *words, size_t size) {
    if (device >= 0) {
        return psg_loan_gpu_get(device, from, number, words, size);
    }
    memcpy(number, from, sizeof *number);
    return true;
}
