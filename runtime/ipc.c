/* Memory that processes share. Main memory is a file without a folder, which another process opens
 * by the number that it has in the owner's process. Memory of GPUs is CUDA's to share. */
#include "runtime/ipc.h"

#include "base/memory.h"

#if PSG_WITH_CUDA
#include <cuda_runtime_api.h>
#endif

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---------------------------------------------------------------------------------- by CUDA */

/* What is asked of a device. */
typedef enum call { ALLOCATE, FREE, EXPORT, IMPORT, CLOSE, PUT, GET, LOCK, UNLOCK } call;

typedef struct wish {
    int device;
    call call;
    void *memory;
    size_t bytes;
    psg_ipc_handle handle;
    uint64_t number;
    int error; /* cudaError_t */
} wish;

#if PSG_WITH_CUDA
_Static_assert(sizeof(cudaIpcMemHandle_t) == sizeof(psg_ipc_handle), "a handle is CUDA's");

/* CUDA exports the first address of an allocation, and no memory of a pool of StarPU's. Several
 * small allocations may share a block of 2 MiB, which would be exported as a whole. */
static cudaError_t allocate(wish *w) {
    const size_t block = (size_t)2 << 20;
    return cudaMalloc(&w->memory, (w->bytes + block - 1) / block * block);
}

/* A copy from main memory need not go through the mapping, so the number goes by way of this
 * device's own memory. A copy within GPUs is waited for. */
static cudaError_t put(const wish *w) {
    void *own = NULL;
    cudaError_t error = cudaMalloc(&own, sizeof w->number);
    if (error == cudaSuccess) {
        error = cudaMemcpy(own, &w->number, sizeof w->number, cudaMemcpyHostToDevice);
    }
    if (error == cudaSuccess) {
        error = cudaMemcpy(w->memory, own, sizeof w->number, cudaMemcpyDefault);
    }
    if (error == cudaSuccess) {
        error = cudaDeviceSynchronize();
    }
    (void)cudaFree(own);
    return error;
}

/* Kernels are given the host's address, so the device's has to be the same. */
static cudaError_t page_lock(const wish *w) {
    void *there = NULL;
    cudaError_t error =
        cudaHostRegister(w->memory, w->bytes, cudaHostRegisterPortable | cudaHostRegisterMapped);
    if (error != cudaSuccess) {
        return error;
    }
    error = cudaHostGetDevicePointer(&there, w->memory, 0);
    error = error == cudaSuccess && there != w->memory ? cudaErrorNotSupported : error;
    if (error != cudaSuccess) {
        (void)cudaHostUnregister(w->memory);
    }
    return error;
}

static cudaError_t call_cuda(wish *w) {
    cudaIpcMemHandle_t handle;
    cudaError_t error = cudaSuccess;
    memcpy(&handle, &w->handle, sizeof handle);
    switch (w->call) {
    case ALLOCATE:
        return allocate(w);
    case FREE:
        return cudaFree(w->memory);
    case EXPORT:
        error = cudaIpcGetMemHandle(&handle, w->memory);
        memcpy(&w->handle, &handle, sizeof handle);
        return error;
    case IMPORT:
        return cudaIpcOpenMemHandle(&w->memory, handle, cudaIpcMemLazyEnablePeerAccess);
    case CLOSE:
        return cudaIpcCloseMemHandle(w->memory);
    case PUT:
        return put(w);
    case GET:
        return cudaMemcpy(&w->number, w->memory, sizeof w->number, cudaMemcpyDefault);
    case LOCK:
        return page_lock(w);
    case UNLOCK:
        return cudaHostUnregister(w->memory);
    }
    return cudaErrorUnknown;
}

static void *fulfil(void *argument) {
    wish *w = argument;
    const cudaError_t error = cudaSetDevice(w->device);
    w->error = (int)(error == cudaSuccess ? call_cuda(w) : error);
    return NULL;
}

/* A thread of its own calls CUDA, because the caller's current device is not the library's to
 * change. All threads of a process have the same context on a device. So StarPU's workers reach
 * what this thread reaches. */
static bool ask(wish *w, char *words, size_t size) {
    static const char *const names[] = {
        [ALLOCATE] = "cudaMalloc",         [FREE] = "cudaFree",
        [EXPORT] = "cudaIpcGetMemHandle",  [IMPORT] = "cudaIpcOpenMemHandle",
        [CLOSE] = "cudaIpcCloseMemHandle", [PUT] = "a copy to another process' memory",
        [GET] = "a copy to main memory",   [LOCK] = "cudaHostRegister",
        [UNLOCK] = "cudaHostUnregister",
    };
    pthread_t thread;
    w->error = cudaErrorUnknown;
    if (pthread_create(&thread, NULL, fulfil, w) == 0) {
        (void)pthread_join(thread, NULL);
    }
    if (w->error != cudaSuccess && words != NULL) {
        (void)snprintf(words, size, "GPU %d, %s: %s", w->device, names[w->call],
                       cudaGetErrorString((cudaError_t)w->error));
    }
    return w->error == cudaSuccess;
}
#else
static bool ask(wish *w, char *words, size_t size) {
    (void)size;
    (void)words;
    return w->error != 0; /* there is no device to ask */
}
#endif

/* Page-lock main memory, whole pages, so that kernels of the device reach it by its address; and
 * let it go again. */
static bool lock(int device, void *memory, size_t bytes, char *words, size_t size) {
    wish w = {.device = device, .call = LOCK, .memory = memory, .bytes = bytes};
    return ask(&w, words, size);
}

static void unlock(int device, void *memory) {
    wish w = {.device = device, .call = UNLOCK, .memory = memory};
    (void)ask(&w, NULL, 0);
}

/* ------------------------------------------------------------------------------- main memory */

enum { PAGE = 4096, NAME = 32 };

/* What stands in the page before the memory, for its owner and for those who import it. */
typedef struct head {
    size_t bytes; /* with this page */
    int file;     /* the owner's */
    bool locked;  /* by the owner */
    char name[NAME];
} head;

/* In a psg_ipc_handle. The name is random. In another namespace the same process and file numbers
 * may mean something else, so the importer compares names. */
typedef struct exported {
    pid_t process;
    int file;
    uint64_t bytes;
    char name[NAME];
} exported;

_Static_assert(sizeof(exported) <= sizeof(psg_ipc_handle), "a handle has room for it");

static head *head_of(void *memory) {
    return (head *)(void *)((char *)memory - PAGE);
}

static head *map(int file, size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) {
        return NULL;
    }
    /* as base_allocate(), where the system gives files large pages (shmem_enabled) */
    (void)madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
}

/* The system ends a process that makes a file larger than its limit (ulimit -f). With a limit
 * nothing is allocated, so that the trial with little memory tells. */
static bool files_are_limited(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

/* The system ends a process that writes to memory which it has not got, so all of it is taken here.
 * It is taken piece by piece, because other processes of the node take theirs at the same time, and
 * because a signal ends a call. */
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
    h->locked = device >= 0 && lock(device, h, h->bytes, words, sizeof words);
    if (device >= 0 && !h->locked) {
        destroy(h);
        return NULL;
    }
    return (char *)h + PAGE;
}

static void main_free(int device, void *memory) {
    head *h = head_of(memory);
    if (h->locked) {
        unlock(device, h);
    }
    destroy(h);
}

static void main_export(void *memory, psg_ipc_handle *handle) {
    const head *h = head_of(memory);
    exported o;
    memset(&o, 0, sizeof o);
    o.process = getpid();
    o.file = h->file;
    o.bytes = h->bytes;
    memcpy(o.name, h->name, sizeof o.name);
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &o, sizeof o);
}

/* @return -1: the owner has no such file, or it may not be seen from here */
static int open_exported(const exported *o) {
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

static void *main_import(int device, const psg_ipc_handle *handle, char *words, size_t size) {
    exported o;
    memcpy(&o, handle, sizeof o);
    o.name[NAME - 1] = '\0';
    const int file = open_exported(&o);
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
    if (device >= 0 && !lock(device, h, h->bytes, words, size)) {
        (void)munmap(h, o.bytes);
        return NULL;
    }
    return (char *)h + PAGE;
}

static void main_close(int device, void *imported) {
    head *h = head_of(imported);
    if (device >= 0) {
        unlock(device, h);
    }
    (void)munmap(h, h->bytes);
}

/* ------------------------------------------------------------------------------- of either kind */

void *psg_ipc_allocate(psg_ipc_kind kind, int device, size_t bytes) {
    wish w = {.device = device, .call = ALLOCATE, .bytes = bytes};
    if (kind == PSG_IPC_MAIN) {
        return main_allocate(device, bytes);
    }
    return ask(&w, NULL, 0) ? w.memory : NULL;
}

void psg_ipc_free(psg_ipc_kind kind, int device, void *memory) {
    wish w = {.device = device, .call = FREE, .memory = memory};
    if (kind == PSG_IPC_MAIN) {
        main_free(device, memory);
    } else {
        (void)ask(&w, NULL, 0);
    }
}

bool psg_ipc_export(psg_ipc_kind kind, int device, void *memory, psg_ipc_handle *handle,
                    char *words, size_t size) {
    wish w = {.device = device, .call = EXPORT, .memory = memory};
    if (kind == PSG_IPC_MAIN) {
        main_export(memory, handle);
        return true;
    }
    const bool good = ask(&w, words, size);
    *handle = w.handle;
    return good;
}

void *psg_ipc_import(psg_ipc_kind kind, int device, const psg_ipc_handle *handle, char *words,
                     size_t size) {
    wish w = {.device = device, .call = IMPORT, .handle = *handle};
    if (kind == PSG_IPC_MAIN) {
        return main_import(device, handle, words, size);
    }
    return ask(&w, words, size) ? w.memory : NULL;
}

void psg_ipc_close(psg_ipc_kind kind, int device, void *imported) {
    wish w = {.device = device, .call = CLOSE, .memory = imported};
    if (kind == PSG_IPC_MAIN) {
        main_close(device, imported);
    } else {
        (void)ask(&w, NULL, 0);
    }
}

bool psg_ipc_put(int device, void *to, uint64_t number, char *words, size_t size) {
    wish w = {.device = device, .call = PUT, .memory = to, .number = number};
    if (device >= 0) {
        return ask(&w, words, size);
    }
    memcpy(to, &number, sizeof number);
    return true;
}

bool psg_ipc_get(int device, const void *from, uint64_t *number, char *words, size_t size) {
    wish w = {.device = device, .call = GET, .memory = (void *)(uintptr_t)from};
    if (device < 0) {
        memcpy(number, from, sizeof *number);
        return true;
    }
    const bool good = ask(&w, words, size);
    *number = w.number;
    return good;
}
