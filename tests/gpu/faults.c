#include "tests/gpu/faults.h"

#include <cuda_runtime_api.h>
#include <cufft.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PUBLIC __attribute__((visibility("default")))

/* ---------------------------------------------------------------------------------- what fails */

typedef struct fault {
    char call[64];
    int code;
    long first, last;
} fault;

enum { FAULTS_MAX = 8, CALLS_MAX = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fault faults[FAULTS_MAX];
static int fault_count;
static long failed;
static struct {
    const char *name; /* a literal */
    long calls;
} counters[CALLS_MAX];

/* What cudaGetLastError() has to say to this thread. */
static _Thread_local cudaError_t last_error;

static long *counter(const char *name) {
    int m = 0;
    while (m < CALLS_MAX - 1 && counters[m].name && strcmp(counters[m].name, name) != 0) {
        m++;
    }
    counters[m].name = counters[m].name ? counters[m].name : name;
    return &counters[m].calls;
}

static const char *const known[] = {"devices",
                                    "free",
                                    "launch",
                                    "cudaDeviceCanAccessPeer",
                                    "cudaDeviceEnablePeerAccess",
                                    "cudaDeviceGetAttribute",
                                    "cudaEventRecordWithFlags",
                                    "cudaFree",
                                    "cudaFuncSetAttribute",
                                    "cudaGetDevice",
                                    "cudaGetDeviceCount",
                                    "cudaGraphInstantiateWithFlags",
                                    "cudaGraphLaunch",
                                    "cudaHostAlloc",
                                    "cudaHostRegister",
                                    "cudaIpcGetMemHandle",
                                    "cudaIpcOpenMemHandle",
                                    "cudaMalloc",
                                    "cudaMemGetInfo",
                                    "cudaMemcpy",
                                    "cudaMemset",
                                    "cudaStreamBeginCapture",
                                    "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
                                    "cudaSetDevice",
                                    "cufftCreate",
                                    "cufftExecC2C",
                                    "cufftExecC2R",
                                    "cufftExecD2Z",
                                    "cufftExecR2C",
                                    "cufftExecZ2D",
                                    "cufftExecZ2Z",
                                    "cufftMakePlanMany64",
                                    "cufftSetAutoAllocation",
                                    "cufftSetStream",
                                    "cufftSetWorkArea"};

PUBLIC int faults_add(const char *call, int code, long first, long last) {
    bool there = false;
    for (size_t m = 0; m < sizeof known / sizeof *known; m++) {
        there = there || strcmp(known[m], call) == 0;
    }
    pthread_mutex_lock(&lock);
    there = there && fault_count < FAULTS_MAX;
    if (there) {
        fault *f = &faults[fault_count++];
        const long before = *counter(call);
        snprintf(f->call, sizeof f->call, "%s", call);
        f->code = code;
        f->first = before + first;
        f->last = last > 0 ? before + last : 0;
    }
    pthread_mutex_unlock(&lock);
    return there ? 0 : -1;
}

PUBLIC void faults_clear(void) {
    pthread_mutex_lock(&lock);
    fault_count = 0;
    failed = 0;
    for (int m = 0; m < CALLS_MAX; m++) {
        counters[m].calls = 0;
    }
    pthread_mutex_unlock(&lock);
}

PUBLIC long faults_calls(const char *call) {
    pthread_mutex_lock(&lock);
    const long calls = *counter(call);
    pthread_mutex_unlock(&lock);
    return calls;
}

PUBLIC long faults_failed(void) {
    pthread_mutex_lock(&lock);
    const long count = failed;
    pthread_mutex_unlock(&lock);
    return count;
}

static bool from_psg(void *caller) {
    Dl_info info;
    if (!dladdr(caller, &info) || !info.dli_fname) {
        return false;
    }
    const char *slash = strrchr(info.dli_fname, '/');
    return strncmp(slash ? slash + 1 : info.dli_fname, "libpsg.so", 9) == 0;
}

/* Does this call fail? */
static bool fails(const char *call, void *caller, int *code) {
    bool does = false;
    if (!from_psg(caller)) {
        return false;
    }
    pthread_mutex_lock(&lock);
    const long now = ++*counter(call);
    for (int m = 0; m < fault_count && !does; m++) {
        const fault *f = &faults[m];
        does = strcmp(f->call, call) == 0 && now >= f->first && (f->last == 0 || now <= f->last);
        *code = does ? f->code : *code;
    }
    failed += does;
    pthread_mutex_unlock(&lock);
    return does;
}

/* The function behind the one of this name here. */
static void *next(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) {
        fprintf(stderr, "faults: there is no %s\n", name);
        abort();
    }
    return function;
}

__attribute__((constructor)) static void read_environment(void) {
    const char *text = getenv("PSG_FAULTS");
    char call[64];
    int code = 0, length = 0;
    long first = 0, last = 0;
    while (text && *text) {
        if (sscanf(text, "%63[^:]:%d:%ld:%ld%n", call, &code, &first, &last, &length) != 4 ||
            faults_add(call, code, first, last) != 0) {
            fprintf(stderr, "faults: PSG_FAULTS has a wrong entry: %s\n", text);
            abort();
        }
        text += length;
        text += *text == ';';
    }
}

/* A test of a program wants to know whether anything failed in it. */
__attribute__((destructor)) static void tell(void) {
    const char *path = getenv("PSG_FAULTS_REPORT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%ld\n", failed);
        fclose(file);
    }
}

/* ---------------------------------------------------------------------------------- functions */

#define WRAP_AS(type, counted, name, parameters, arguments, on_failure)                            \
    PUBLIC type name parameters;                                                                   \
    PUBLIC type name parameters {                                                                  \
        static type(*real) parameters;                                                             \
        int code = 0;                                                                              \
        if (fails(counted, __builtin_return_address(0), &code)) {                                  \
            code = code == FAULTS_PRETEND ? 0 : code;                                              \
            on_failure;                                                                            \
            return (type)code;                                                                     \
        }                                                                                          \
        if (!real) {                                                                               \
            *(void **)(&real) = next(#name);                                                       \
        }                                                                                          \
        return real arguments;                                                                     \
    }
#define WRAP(name, parameters, arguments)                                                          \
    WRAP_AS(cudaError_t, #name, name, parameters, arguments, last_error = (cudaError_t)code)
#define WRAP_FFT(name, parameters, arguments)                                                      \
    WRAP_AS(cufftResult, #name, name, parameters, arguments, (void)0)

WRAP(cudaDeviceCanAccessPeer, (int *can, int device, int peer), (can, device, peer))
WRAP(cudaDeviceEnablePeerAccess, (int peer, unsigned flags), (peer, flags))
WRAP(cudaDeviceGetAttribute, (int *value, enum cudaDeviceAttr attribute, int device),
     (value, attribute, device))
WRAP(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned flags),
     (event, stream, flags))
WRAP(cudaFree, (void *memory), (memory))
WRAP(cudaFuncSetAttribute, (const void *function, enum cudaFuncAttribute attribute, int value),
     (function, attribute, value))
WRAP(cudaGetDevice, (int *device), (device))
WRAP(cudaGraphInstantiateWithFlags,
     (cudaGraphExec_t * exec, cudaGraph_t graph, unsigned long long flags), (exec, graph, flags))
WRAP(cudaGraphLaunch, (cudaGraphExec_t exec, cudaStream_t stream), (exec, stream))
WRAP(cudaHostAlloc, (void **memory, size_t bytes, unsigned flags), (memory, bytes, flags))
WRAP(cudaHostRegister, (void *memory, size_t bytes, unsigned flags), (memory, bytes, flags))
WRAP(cudaIpcGetMemHandle, (cudaIpcMemHandle_t * handle, void *memory), (handle, memory))
WRAP(cudaIpcOpenMemHandle, (void **memory, cudaIpcMemHandle_t handle, unsigned flags),
     (memory, handle, flags))
WRAP(cudaMalloc, (void **memory, size_t bytes), (memory, bytes))
WRAP(cudaMemcpy, (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind),
     (to, from, bytes, kind))
WRAP(cudaMemset, (void *memory, int value, size_t bytes), (memory, value, bytes))
WRAP(cudaStreamBeginCapture, (cudaStream_t stream, enum cudaStreamCaptureMode mode), (stream, mode))
WRAP(cudaOccupancyMaxActiveBlocksPerMultiprocessor,
     (int *blocks, const void *function, int threads, size_t shared),
     (blocks, function, threads, shared))
WRAP(cudaSetDevice, (int device), (device))
WRAP_AS(cudaError_t, "launch", cudaLaunchKernel,
        (const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
         cudaStream_t stream),
        (function, grid, block, arguments, shared, stream), last_error = (cudaError_t)code)
WRAP_AS(cudaError_t, "launch", cudaLaunchKernelExC,
        (const cudaLaunchConfig_t *config, const void *function, void **arguments),
        (config, function, arguments), last_error = (cudaError_t)code)
/* What the compiler makes of <<<>>> since CUDA 13. */
WRAP_AS(cudaError_t, "launch", __cudaLaunchKernel,
        (cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
         cudaStream_t stream),
        (kernel, grid, block, arguments, shared, stream), last_error = (cudaError_t)code)

WRAP_FFT(cufftCreate, (cufftHandle * handle), (handle))
WRAP_FFT(cufftSetAutoAllocation, (cufftHandle handle, int automatic), (handle, automatic))
WRAP_FFT(cufftSetStream, (cufftHandle handle, cudaStream_t stream), (handle, stream))
WRAP_FFT(cufftSetWorkArea, (cufftHandle handle, void *memory), (handle, memory))
WRAP_FFT(cufftMakePlanMany64,
         (cufftHandle handle, int rank, long long *n, long long *in, long long in_stride,
          long long in_distance, long long *out, long long out_stride, long long out_distance,
          cufftType type, long long batch, size_t *bytes),
         (handle, rank, n, in, in_stride, in_distance, out, out_stride, out_distance, type, batch,
          bytes))
WRAP_FFT(cufftExecD2Z, (cufftHandle handle, cufftDoubleReal *in, cufftDoubleComplex *out),
         (handle, in, out))
WRAP_FFT(cufftExecZ2D, (cufftHandle handle, cufftDoubleComplex *in, cufftDoubleReal *out),
         (handle, in, out))
WRAP_FFT(cufftExecZ2Z,
         (cufftHandle handle, cufftDoubleComplex *in, cufftDoubleComplex *out, int direction),
         (handle, in, out, direction))
WRAP_FFT(cufftExecR2C, (cufftHandle handle, cufftReal *in, cufftComplex *out), (handle, in, out))
WRAP_FFT(cufftExecC2R, (cufftHandle handle, cufftComplex *in, cufftReal *out), (handle, in, out))
WRAP_FFT(cufftExecC2C, (cufftHandle handle, cufftComplex *in, cufftComplex *out, int direction),
         (handle, in, out, direction))

PUBLIC cudaError_t cudaGetDeviceCount(int *count) {
    static cudaError_t (*real)(int *);
    int value = 0;
    void *caller = __builtin_return_address(0);
    if (fails("cudaGetDeviceCount", caller, &value)) {
        last_error = (cudaError_t)value;
        return last_error;
    }
    if (fails("devices", caller, &value)) {
        *count = value;
        return cudaSuccess;
    }
    if (!real) {
        *(void **)(&real) = next("cudaGetDeviceCount");
    }
    return real(count);
}

PUBLIC cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *bytes) {
    static cudaError_t (*real)(size_t *, size_t *);
    int value = 0;
    void *caller = __builtin_return_address(0);
    if (fails("cudaMemGetInfo", caller, &value)) {
        last_error = (cudaError_t)value;
        return last_error;
    }
    if (fails("free", caller, &value)) {
        *free_bytes = (size_t)value << 20;
        *bytes = (size_t)100 << 30;
        return cudaSuccess;
    }
    if (!real) {
        *(void **)(&real) = next("cudaMemGetInfo");
    }
    return real(free_bytes, bytes);
}

static cudaError_t error_of_thread(bool forget, const char *name) {
    cudaError_t (*real)(void);
    const cudaError_t mine = last_error;
    *(void **)(&real) = next(name);
    const cudaError_t theirs = real();
    last_error = forget ? cudaSuccess : last_error;
    return mine != cudaSuccess ? mine : theirs;
}

PUBLIC cudaError_t cudaGetLastError(void) {
    return error_of_thread(true, "cudaGetLastError");
}

PUBLIC cudaError_t cudaPeekAtLastError(void) {
    return error_of_thread(false, "cudaPeekAtLastError");
}
