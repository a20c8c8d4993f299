/* Loans of GPUs' memory by CUDA's interprocess communication, and main memory that GPUs reach. */
#include "runtime/loan_gpu.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(cudaIpcMemHandle_t) == PSG_LOAN_GPU_BYTES, "an offer is CUDA's handle");

/* What is asked of a device. */
typedef struct wish {
    int device;
    cudaError_t (*call)(struct wish *wish);
    void *memory;
    size_t bytes;
    cudaIpcMemHandle_t handle;
    uint64_t number;
    cudaError_t error;
} wish;

static void *fulfil(void *argument) {
    wish *w = argument;
    w->error = cudaSetDevice(w->device);
    if (w->error == cudaSuccess) {
        w->error = w->call(w);
    }
    return NULL;
}

/* On a thread of its own, because the caller's current device is not the library's to change. All threads of a process
 * have the same context on a device, so StarPU's workers reach what this thread reaches. */
static bool ask(wish *w, const char *what, char *words, size_t size) {
    pthread_t thread;
    w->error = cudaErrorUnknown;
    if (pthread_create(&thread, NULL, fulfil, w) == 0) {
        (void)pthread_join(thread, NULL);
    }
    if (w->error != cudaSuccess && words != NULL) {
        (void)snprintf(words, size, "GPU %d, %s: %s", w->device, what,
                       cudaGetErrorString(w->error));
    }
    return w->error == cudaSuccess;
}

/* CUDA exports the first address of an allocation, and no memory of a pool of StarPU's. Several small allocations may
 * share a block of 2 MiB, which would be lent as a whole. */
static cudaError_t allocate(wish *w) {
    const size_t block = (size_t)2 << 20;
    return cudaMalloc(&w->memory, (w->bytes + block - 1) / block * block);
}

static cudaError_t release(wish *w) {
    return cudaFree(w->memory);
}

static cudaError_t offer(wish *w) {
    return cudaIpcGetMemHandle(&w->handle, w->memory);
}

static cudaError_t take(wish *w) {
    return cudaIpcOpenMemHandle(&w->memory, w->handle, cudaIpcMemLazyEnablePeerAccess);
}

static cudaError_t give_back(wish *w) {
    return cudaIpcCloseMemHandle(w->memory);
}

/* By way of this device's own memory: a copy from main memory need not go through the mapping. */
static cudaError_t put(wish *w) {
    void *own = NULL;
    cudaError_t error = cudaMalloc(&own, sizeof w->number);
    if (error == cudaSuccess) {
        error = cudaMemcpy(own, &w->number, sizeof w->number, cudaMemcpyHostToDevice);
    }
    if (error == cudaSuccess) {
        error = cudaMemcpy(w->memory, own, sizeof w->number, cudaMemcpyDefault);
    }
    if (error == cudaSuccess) { /* which does not wait for a copy within GPUs */
        error = cudaDeviceSynchronize();
    }
    (void)cudaFree(own);
    return error;
}

static cudaError_t get(wish *w) {
    return cudaMemcpy(&w->number, w->memory, sizeof w->number, cudaMemcpyDefault);
}

/* Kernels are given the host's address, so the device's has to be the same. */
static cudaError_t lock(wish *w) {
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

static cudaError_t unlock(wish *w) {
    return cudaHostUnregister(w->memory);
}

void *psg_loan_gpu_allocate(int device, size_t bytes) {
    wish w = {.device = device, .call = allocate, .bytes = bytes};
    return ask(&w, "cudaMalloc", NULL, 0) ? w.memory : NULL;
}

void psg_loan_gpu_free(int device, void *memory) {
    wish w = {.device = device, .call = release, .memory = memory};
    (void)ask(&w, "cudaFree", NULL, 0);
}

bool psg_loan_gpu_offer(int device, void *memory, unsigned char *offered, char *words,
                        size_t size) {
    wish w = {.device = device, .call = offer, .memory = memory};
    const bool good = ask(&w, "cudaIpcGetMemHandle", words, size);
    memcpy(offered, &w.handle, sizeof w.handle);
    return good;
}

void *psg_loan_gpu_take(int device, const unsigned char *offered, char *words, size_t size) {
    wish w = {.device = device, .call = take};
    memcpy(&w.handle, offered, sizeof w.handle);
    return ask(&w, "cudaIpcOpenMemHandle", words, size) ? w.memory : NULL;
}

void psg_loan_gpu_return(int device, void *taken) {
    wish w = {.device = device, .call = give_back, .memory = taken};
    (void)ask(&w, "cudaIpcCloseMemHandle", NULL, 0);
}

bool psg_loan_gpu_put(int device, void *to, uint64_t number, char *words, size_t size) {
    wish w = {.device = device, .call = put, .memory = to, .number = number};
    return ask(&w, "a copy to another process' memory", words, size);
}

bool psg_loan_gpu_get(int device, const void *from, uint64_t *number, char *words, size_t size) {
    wish w = {.device = device, .call = get, .memory = (void *)(uintptr_t)from};
    const bool good = ask(&w, "a copy to main memory", words, size);
    *number = w.number;
    return good;
}

bool psg_loan_gpu_lock(int device, void *memory, size_t bytes, char *words, size_t size) {
    wish w = {.device = device, .call = lock, .memory = memory, .bytes = bytes};
    return ask(&w, "cudaHostRegister", words, size);
}

void psg_loan_gpu_unlock(int device, void *memory) {
    wish w = {.device = device, .call = unlock, .memory = memory};
    (void)ask(&w, "cudaHostUnregister", NULL, 0);
}
