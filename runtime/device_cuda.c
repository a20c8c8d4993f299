/* GPUs by CUDA. */
#include "runtime/device.h"

#include "runtime/copies_cuda.h"

#include <starpu.h>

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <starpu_cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int count_devices(char *words, size_t size) {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    (void)cudaGetLastError();
    const bool plain = error == cudaSuccess || error == cudaErrorNoDevice;
    (void)snprintf(words, size, "%s", plain ? "" : cudaGetErrorString(error));
    return error == cudaSuccess ? count : 0;
}

/* What a device says of itself. */
typedef struct look {
    int device;
    cudaError_t error;
    size_t free_bytes;
    size_t bytes;
} look;

static void *look_from_here(void *argument) {
    look *l = argument;
    l->error = cudaSetDevice(l->device);
    if (l->error == cudaSuccess) {
        l->error = cudaFree(NULL); /* older CUDA has not begun yet */
    }
    if (l->error == cudaSuccess) {
        l->error = cudaMemGetInfo(&l->free_bytes, &l->bytes);
    }
    return NULL;
}

/* A thread of its own looks. The caller's current device is not ours to change, and CUDA would
 * begin on that device when it is set back. */
static look look_at(int device) {
    look l = {.device = device, .error = cudaErrorUnknown};
    pthread_t thread;
    if (pthread_create(&thread, NULL, look_from_here, &l) == 0) {
        (void)pthread_join(thread, NULL);
    }
    return l;
}

/* StarPU copies half as many bytes to measure the links of a machine it does not know, and takes
 * some for streams; it aborts where there is no memory for them. */
static const size_t free_bytes_min = (size_t)64 << 20;

static bool open_device(int device, char *words, size_t size) {
    const look l = look_at(device);
    if (l.error != cudaSuccess) {
        (void)snprintf(words, size, "%s", cudaGetErrorString(l.error));
        return false;
    }
    if (l.free_bytes < free_bytes_min) {
        (void)snprintf(words, size, "%zu of its %zu MB of memory are free", l.free_bytes >> 20,
                       l.bytes >> 20);
        return false;
    }
    return true;
}

static int current_device(int device) {
    int now = -1;
    if (cudaGetDevice(&now) != cudaSuccess) {
        (void)cudaGetLastError();
        return -1;
    }
    if (device >= 0 && device != now) {
        (void)cudaSetDevice(device);
    }
    return now;
}

static size_t free_bytes(int device) {
    const look l = look_at(device);
    return l.error == cudaSuccess ? l.free_bytes : SIZE_MAX;
}

/* The calling thread may be capturing a stream, which calls that other streams wait for would
 * spoil.
 * @return for the thread's next exchange */
static enum cudaStreamCaptureMode let_capture(void) {
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    (void)cudaThreadExchangeStreamCaptureMode(&mode);
    return mode;
}

typedef CUresult (*ask_function)(unsigned, CUpointer_attribute *, void **, CUdeviceptr);
typedef struct process_state {
    pthread_once_t looked_up;
    ask_function ask; /* NULL: CUDA's driver has none */
} process_state;

static process_state process = {.looked_up = PTHREAD_ONCE_INIT};

/* The driver's function, which the runtime has loaded and this library is not linked to: it tells
 * all at once. */
static void look_up_driver(void) {
    enum cudaDriverEntryPointQueryResult how;
    void *found = NULL;
    if (cudaGetDriverEntryPointByVersion("cuPointerGetAttributes", &found, 7000, cudaEnableDefault,
                                         &how) == cudaSuccess) {
        memcpy(&process.ask, &found, sizeof process.ask); /* ISO C has no cast to a function */
    }
    (void)cudaGetLastError();
}

/* What CUDA does not know of is left 0. An array may have several ranges of virtual memory, so only
 * the ends of those are told that cudaMalloc() made: other processes can share them. */
static psg_device_memory ask(const void *pointer, int named) {
    enum { ASKED = 6 };
    unsigned type = 0;
    int device = -1;
    unsigned char managed[8] = {0}; /* CUDA writes truth values of C++ */
    unsigned char whole[8] = {0};
    CUdeviceptr begin = 0;
    size_t bytes = 0;
    CUpointer_attribute asked[ASKED] = {
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE,      CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
        CU_POINTER_ATTRIBUTE_IS_MANAGED,       CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
        CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    void *answers[ASKED] = {&type, &device, managed, whole, &begin, &bytes};
    (void)named; /* CUDA knows it */
    (void)pthread_once(&process.looked_up, look_up_driver);
    if (process.ask == NULL ||
        process.ask(ASKED, asked, answers, (CUdeviceptr)(uintptr_t)pointer) != CUDA_SUCCESS) {
        return (psg_device_memory){.device = -1};
    }
    const bool moves = managed[0] != 0;
    const bool there = type == CU_MEMORYTYPE_DEVICE && !moves;
    return (psg_device_memory){
        .device = there ? device : -1,
        .managed = moves,
        .end = there && whole[0] != 0 ? (const void *)(uintptr_t)(begin + bytes) : NULL};
}

static void model(int device, char *name, size_t size) {
    struct cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    (void)cudaGetLastError();
    (void)snprintf(name, size, "%s", error == cudaSuccess ? properties.name : "");
}

static const char *version(void) {
    enum { MAJOR = CUDART_VERSION / 1000, MINOR = CUDART_VERSION % 1000 / 10 };
    static const char version[] = {'0' + MAJOR / 10, '0' + MAJOR % 10, '.', '0' + MINOR, '\0'};
    return version;
}

static bool have_peers(void) {
    int id[STARPU_NMAXWORKERS];
    const unsigned count =
        starpu_worker_get_ids_by_type(STARPU_CUDA_WORKER, id, STARPU_NMAXWORKERS);
    bool all = true;
    for (unsigned a = 0; a < count; a++) {
        for (unsigned b = 0; b < count; b++) {
            const int from = starpu_worker_get_devid(id[a]);
            const int to = starpu_worker_get_devid(id[b]);
            int can = from == to;
            all = all && (can || (cudaDeviceCanAccessPeer(&can, from, to) == cudaSuccess && can));
        }
    }
    (void)cudaGetLastError();
    return all;
}

/* CUDA is called directly, because starpu_malloc() and starpu_memory_pin() abort where CUDA says
 * no. */
static void *host_alloc(size_t bytes) {
    void *memory = NULL;
    enum cudaStreamCaptureMode mode = let_capture();
    const cudaError_t error = cudaHostAlloc(&memory, bytes, cudaHostAllocPortable);
    (void)cudaGetLastError();
    (void)cudaThreadExchangeStreamCaptureMode(&mode);
    return error == cudaSuccess ? memory : NULL;
}

static void host_free(void *memory) {
    enum cudaStreamCaptureMode mode = let_capture();
    (void)cudaFreeHost(memory);
    (void)cudaThreadExchangeStreamCaptureMode(&mode);
}

static void *copy_to(int device, void *there, const void *memory, size_t bytes) {
    enum cudaStreamCaptureMode mode = let_capture();
    const int before = current_device(device);
    void *copy = there;
    cudaError_t error = there == NULL ? cudaMalloc(&copy, bytes) : cudaSuccess;
    if (error == cudaSuccess && memory != NULL) {
        error = cudaMemcpy(copy, memory, bytes, cudaMemcpyHostToDevice);
    }
    if (error != cudaSuccess) {
        (void)cudaGetLastError(); /* what was said is said */
        (void)(there == NULL ? cudaFree(copy) : cudaSuccess);
        copy = NULL;
    }
    (void)current_device(before);
    (void)cudaThreadExchangeStreamCaptureMode(&mode);
    return copy;
}

static void free_copy(int device, void *copy) {
    enum cudaStreamCaptureMode mode = let_capture();
    const int before = current_device(device);
    (void)cudaFree(copy);
    (void)current_device(before);
    (void)cudaThreadExchangeStreamCaptureMode(&mode);
}

/* The first and the last byte tell, because CUDA copies no array that is page-locked in part. */
static bool is_pinned(const char *memory, size_t bytes) {
    struct cudaPointerAttributes first;
    struct cudaPointerAttributes last;
    return cudaPointerGetAttributes(&first, memory) == cudaSuccess &&
           cudaPointerGetAttributes(&last, memory + bytes - 1) == cudaSuccess &&
           first.type == last.type;
}

static bool pin(void *memory, size_t bytes, bool *already) {
    const cudaError_t error = cudaHostRegister(memory, bytes, cudaHostRegisterPortable);
    *already = error == cudaErrorHostMemoryAlreadyRegistered && is_pinned(memory, bytes);
    (void)cudaGetLastError();
    return error == cudaSuccess;
}

static void unpin(void *memory) {
    (void)cudaHostUnregister(memory);
    (void)cudaGetLastError();
}

/* By StarPU's worker number. */
typedef struct copying {
    double rate[STARPU_NMAXWORKERS];
    double cache_bytes[STARPU_NMAXWORKERS];
} copying;

/* Milliseconds of a copy from one array to the other on the worker's GPU, the best of some. */
static float time_copies(void *arrays[2], size_t bytes, cudaEvent_t at[2]) {
    enum { ROUNDS = 10 };
    const cudaStream_t stream = starpu_cuda_get_local_stream();
    float best = 0;
    for (int m = 0; m < ROUNDS; m++) {
        float milliseconds = 0;
        if (cudaEventRecord(at[0], stream) != cudaSuccess ||
            cudaMemcpyAsync(arrays[0], arrays[1], bytes, cudaMemcpyDeviceToDevice, stream) !=
                cudaSuccess ||
            cudaEventRecord(at[1], stream) != cudaSuccess ||
            cudaEventSynchronize(at[1]) != cudaSuccess ||
            cudaEventElapsedTime(&milliseconds, at[0], at[1]) != cudaSuccess) {
            return 0;
        }
        best = m == 0 || milliseconds < best ? milliseconds : best;
    }
    return best;
}

static void copy_on_worker(void *argument) {
    copying *c = argument;
    const int self = starpu_worker_get_id_check();
    int cache = 0;
    if (cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, starpu_worker_get_devid(self)) !=
        cudaSuccess) {
        cache = 0;
    }
    const size_t bytes = 8 * (size_t)cache; /* of each array: a cache holds next to none of it */
    void *arrays[2] = {NULL, NULL};
    cudaEvent_t at[2] = {NULL, NULL};
    if (cache > 0 && cudaMalloc(&arrays[0], bytes) == cudaSuccess &&
        cudaMalloc(&arrays[1], bytes) == cudaSuccess && cudaEventCreate(&at[0]) == cudaSuccess &&
        cudaEventCreate(&at[1]) == cudaSuccess) {
        const float milliseconds = time_copies(arrays, bytes, at);
        c->rate[self] = milliseconds > 0 ? 2 * (double)bytes / (milliseconds * 1e-3) : 0;
        c->cache_bytes[self] = cache;
    }
    for (int m = 0; m < 2; m++) {
        (void)cudaFree(arrays[m]);
        if (at[m] != NULL) {
            (void)cudaEventDestroy(at[m]);
        }
    }
    (void)cudaGetLastError();
}

static void memory_rate(double *rate, double *cache_bytes) {
    copying c = {.rate = {0}};
    bool all = true;
    starpu_execute_on_each_worker(copy_on_worker, &c, STARPU_CUDA);
    *rate = *cache_bytes = 0;
    for (int w = 0; w < (int)starpu_worker_get_count(); w++) {
        if (starpu_worker_get_type(w) == STARPU_CUDA_WORKER) {
            all = all && c.rate[w] > 0;
            *rate += c.rate[w];
            *cache_bytes += c.cache_bytes[w];
        }
    }
    *rate = all ? *rate : 0;
}

const psg_device_table psg_cuda_devices = {
    .version = version,
    .count = count_devices,
    .open = open_device,
    .current = current_device,
    .free_bytes = free_bytes,
    .model = model,
    .ask = ask,
    .peers = have_peers,
    .host_alloc = host_alloc,
    .host_free = host_free,
    .copy_to = copy_to,
    .free_copy = free_copy,
    .pin = pin,
    .unpin = unpin,
    .blocks = psg_cuda_blocks,
    .times_copies = psg_cuda_times_copies,
    .read_copies = psg_cuda_read_copies,
    .set_clocks = psg_cuda_set_clocks,
    .memory_rate = memory_rate,
};
