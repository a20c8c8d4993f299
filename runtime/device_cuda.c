/* GPUs by CUDA. */
#include "codelets/cuda.h"
#include "runtime/device.h"

#include <starpu.h>

#include <cuda_runtime_api.h>
#include <math.h>
#include <pthread.h>
#include <starpu_cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int psg_device_count(char *words, size_t size) {
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

/* From a thread of its own: the caller's current device is not ours to change, and CUDA would
 * begin on it when it is set back. */
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

bool psg_device_open(int device, char *words, size_t size) {
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

size_t psg_device_free_bytes(int device) {
    const look l = look_at(device);
    return l.error == cudaSuccess ? l.free_bytes : SIZE_MAX;
}

void psg_device_model(int device, char *name, size_t size) {
    struct cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    (void)cudaGetLastError();
    (void)snprintf(name, size, "%s", error == cudaSuccess ? properties.name : "");
}

const char *psg_device_version(void) {
    enum { MAJOR = CUDART_VERSION / 1000, MINOR = CUDART_VERSION % 1000 / 10 };
    static const char version[] = {'0' + MAJOR / 10, '0' + MAJOR % 10, '.', '0' + MINOR, '\0'};
    return version;
}

bool psg_device_peers(void) {
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

/* Not by starpu_malloc() and starpu_memory_pin(), which abort where CUDA says no. */
void *psg_device_host_alloc(size_t bytes) {
    void *memory = NULL;
    if (cudaHostAlloc(&memory, bytes, cudaHostAllocPortable) != cudaSuccess) {
        (void)cudaGetLastError();
        return NULL;
    }
    return memory;
}

void psg_device_host_free(void *memory) {
    (void)cudaFreeHost(memory);
}

/* By its first and its last byte: CUDA copies no array that is page-locked in part. */
static bool is_pinned(const char *memory, size_t bytes) {
    struct cudaPointerAttributes first;
    struct cudaPointerAttributes last;
    return cudaPointerGetAttributes(&first, memory) == cudaSuccess &&
           cudaPointerGetAttributes(&last, memory + bytes - 1) == cudaSuccess &&
           first.type == last.type;
}

bool psg_device_pin(void *memory, size_t bytes, bool *already) {
    const cudaError_t error = cudaHostRegister(memory, bytes, cudaHostRegisterPortable);
    *already = error == cudaErrorHostMemoryAlreadyRegistered && is_pinned(memory, bytes);
    (void)cudaGetLastError();
    return error == cudaSuccess;
}

void psg_device_unpin(void *memory) {
    (void)cudaHostUnregister(memory);
    (void)cudaGetLastError();
}

bool psg_device_returns(const psg_context *c) {
    int id[STARPU_NMAXWORKERS];
    const unsigned count =
        starpu_worker_get_ids_by_type(STARPU_CUDA_WORKER, id, STARPU_NMAXWORKERS);
    bool can = c->strip == 0 || 2 * c->bundles <= PSG_CUDA_XY_PARTS;
    for (unsigned w = 0; w < count && can; w++) {
        can = psg_cuda_kspace_suits(psg_cuda_precision_of(c), c->n[2],
                                    starpu_worker_get_devid(id[w]));
    }
    return can;
}

/* Where there is such a transform it is the faster one, on one GPU too. */
size_t psg_device_strip(const psg_context *c) {
    const psg_cuda_precision precision = psg_cuda_precision_of(c);
    int id[STARPU_NMAXWORKERS];
    const unsigned count =
        starpu_worker_get_ids_by_type(STARPU_CUDA_WORKER, id, STARPU_NMAXWORKERS);
    bool suits = c->bundles <= PSG_CUDA_XY_PARTS;
    for (unsigned w = 0; w < count && suits; w++) {
        const int device = starpu_worker_get_devid(id[w]);
        suits = psg_cuda_xy_suits(precision, c->n[0], c->n[1], device) &&
                psg_cuda_kspace_suits(precision, c->n[2], device);
    }
    return suits ? psg_cuda_xy_strip(precision, c->n[0], c->n[1]) : 0;
}

/* Where a stream is being captured: what was launched last, NULL if that is not one thing. And let what comes next
 * follow that. */
static cudaGraphNode_t captured_last(cudaStream_t stream) {
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const cudaGraphNode_t *last = NULL;
    size_t count = 0;
#if CUDART_VERSION >= 13000
    const cudaError_t error =
        cudaStreamGetCaptureInfo(stream, &status, NULL, NULL, &last, NULL, &count);
#else
    const cudaError_t error =
        cudaStreamGetCaptureInfo_v2(stream, &status, NULL, NULL, &last, &count);
#endif
    return error == cudaSuccess && count == 1 ? last[0] : NULL;
}

static cudaError_t capture_after(cudaStream_t stream, cudaGraphNode_t last) {
#if CUDART_VERSION >= 13000
    return cudaStreamUpdateCaptureDependencies(stream, &last, NULL, 1,
                                               cudaStreamSetCaptureDependencies);
#else
    return cudaStreamUpdateCaptureDependencies(stream, &last, 1, cudaStreamSetCaptureDependencies);
#endif
}

/* In a graph beside the step, and not between it and the next one, which would wait some 2 us longer. */
static cudaError_t record_beside(cudaEvent_t mark, cudaStream_t stream) {
    const cudaGraphNode_t last = captured_last(stream);
    const cudaError_t error = cudaEventRecordWithFlags(mark, stream, cudaEventRecordExternal);
    return error == cudaSuccess && last != NULL ? capture_after(stream, last) : error;
}

void psg_device_mark(psg_run *run, size_t slot, size_t step) {
    const psg_context *c = run->context;
    const psg_cuda_worker *w = psg_cuda_worker_self(c);
    const cudaEvent_t mark = w->marks[slot * c->chained + step];
    const cudaStream_t stream = starpu_cuda_get_local_stream();
    const cudaError_t error = w->records
                                  ? record_beside(mark, stream)
                                  : cudaEventRecordWithFlags(mark, stream, cudaEventRecordDefault);
    (void)psg_cuda_check(run, (int)error, "cudaEventRecord");
}

/* An event beside the chain may be some microseconds late, and later than the next one. */
bool psg_device_moments(const psg_run *run, size_t slot, size_t steps, double end, double *moment) {
    const psg_context *c = run->context;
    const cudaEvent_t *mark = &psg_cuda_worker_self(c)->marks[slot * c->chained];
    moment[steps - 1] = end;
    for (size_t s = steps - 1; s-- > 0;) {
        float milliseconds = 0;
        if (cudaEventElapsedTime(&milliseconds, mark[s], mark[steps - 1]) != cudaSuccess) {
            (void)cudaGetLastError();
            return false;
        }
        moment[s] = fmin(end - 1e3 * (double)milliseconds, moment[s + 1]);
    }
    return true;
}

typedef struct preparation {
    psg_context *context;
    psg_cuda_worker **workers;
    int *code; /* by worker, as kernels/ and CUDA give them */
} preparation;

/* StarPU does this too, but not where its environment says no, and not loudly where it fails.
 * @return a code of CUDA's */
static int open_peers(void) {
    const int self = starpu_worker_get_devid(starpu_worker_get_id_check());
    int id[STARPU_NMAXWORKERS];
    const unsigned count =
        starpu_worker_get_ids_by_type(STARPU_CUDA_WORKER, id, STARPU_NMAXWORKERS);
    int code = cudaSuccess;
    for (unsigned w = 0; w < count && code == cudaSuccess; w++) {
        const int other = starpu_worker_get_devid(id[w]);
        code = other != self ? (int)cudaDeviceEnablePeerAccess(other, 0) : cudaSuccess;
        code = code == cudaErrorPeerAccessAlreadyEnabled ? cudaSuccess : code;
    }
    (void)cudaGetLastError();
    return code;
}

static void start_worker(void *argument) {
    const preparation *p = argument;
    const int id = starpu_worker_get_id_check();
    psg_cuda_copies_open(starpu_worker_get_devid(id));
    p->code[id] = p->context->direct != NULL ? open_peers() : cudaSuccess;
    if (p->code[id] == cudaSuccess) {
        p->code[id] = psg_cuda_worker_create(&p->workers[id], p->context);
    }
}

static void stop_worker(void *argument) {
    const preparation *p = argument;
    const int id = starpu_worker_get_id_check();
    psg_cuda_worker_destroy(p->workers[id], p->context);
    psg_cuda_copies_close(starpu_worker_get_devid(id));
}

psg_fault psg_device_start(psg_context *context, size_t workers, char *words, size_t size) {
    preparation p = {.context = context};
    p.workers = calloc(workers, sizeof(psg_cuda_worker *));
    p.code = calloc(workers, sizeof *p.code);
    if (p.workers == NULL || p.code == NULL) {
        free(p.workers);
        free(p.code);
        (void)snprintf(words, size, "no memory");
        return PSG_FAULT_MEMORY;
    }
    context->cuda = p.workers;
    starpu_execute_on_each_worker(start_worker, &p, STARPU_CUDA);
    psg_fault fault = PSG_FAULT_NONE;
    for (size_t w = 0; w < workers && fault == PSG_FAULT_NONE; w++) {
        fault = psg_cuda_fault(p.code[w]);
        if (fault != PSG_FAULT_NONE) {
            (void)snprintf(words, size, "GPU %d: %s", starpu_worker_get_devid((int)w),
                           psg_cuda_error_string(p.code[w]));
        }
    }
    free(p.code);
    if (fault != PSG_FAULT_NONE) {
        psg_device_stop(context);
    }
    return fault;
}

void psg_device_stop(psg_context *context) {
    if (context->cuda != NULL) {
        preparation p = {.context = context, .workers = context->cuda};
        starpu_execute_on_each_worker(stop_worker, &p, STARPU_CUDA);
        free(context->cuda);
        context->cuda = NULL;
    }
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

void psg_device_memory_rate(double *rate, double *cache_bytes) {
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
