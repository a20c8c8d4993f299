// What the peers on GPUs share: checks, memory that frees itself, random numbers.
#ifndef PSG_BENCH_PROGRAMS_GPU_CUH
#define PSG_BENCH_PROGRAMS_GPU_CUH

#include "lab/peers/turns.h"

#include <cuda_runtime.h>
#include <cufft.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#define BENCH_CUDA(call)                                                                           \
    do {                                                                                           \
        const cudaError_t bench_error = (call);                                                    \
        bench_must(bench_error == cudaSuccess, "%s:%d: %s", __FILE__, __LINE__,                    \
                   cudaGetErrorString(bench_error));                                               \
    } while (0)
/// Of a library whose code for success is 0.
#define BENCH_LIBRARY(name, call)                                                                  \
    do {                                                                                           \
        const int bench_error = (int)(call);                                                       \
        bench_must(bench_error == 0, "%s:%d: " name " error %d", __FILE__, __LINE__, bench_error); \
    } while (0)
#define BENCH_CUFFT(call) BENCH_LIBRARY("cuFFT", call)

/// The number of GPUs; ends the program, as one with nothing to measure, where there is none.
inline int bench_gpus() {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    bench_must_or(BENCH_NOT_HERE, error == cudaSuccess && count > 0, "no GPU: %s",
                  error == cudaSuccess ? "none" : cudaGetErrorString(error));
    return count;
}

/// The name of the first one.
inline std::string bench_gpu_model() {
    cudaDeviceProp device;
    BENCH_CUDA(cudaGetDeviceProperties(&device, 0));
    return device.name;
}

/// Wait for the first ones, the last of them first: the first is the current one then.
inline void bench_synchronize(int gpus) {
    for (int g = gpus - 1; g >= 0; g--) {
        BENCH_CUDA(cudaSetDevice(g));
        BENCH_CUDA(cudaDeviceSynchronize());
    }
}

/// Bytes that a case may take on so many GPUs together: settings->memory, or a share of what is
/// free on the first one.
inline double bench_gpu_memory(const bench_settings *settings, double gpus) {
    size_t available = 0, all = 0;
    BENCH_CUDA(cudaMemGetInfo(&available, &all));
    return settings->memory > 0 ? bench_memory(settings) : gpus * (double)available;
}

/// Device memory that frees itself.
struct bench_buffer {
    void *p = nullptr;
    explicit bench_buffer(size_t bytes) {
        BENCH_CUDA(cudaMalloc(&p, bytes ? bytes : 1));
    }
    bench_buffer(const bench_buffer &) = delete;
    bench_buffer &operator=(const bench_buffer &) = delete;
    ~bench_buffer() {
        cudaFree(p);
    }
};

/// A number of [-1, 1) that depends on i alone.
__device__ inline double bench_random(size_t i) {
    uint64_t h = (i + 1) * 0x9E3779B97F4A7C15ull;
    h = (h ^ (h >> 31)) * 0xBF58476D1CE4E5B9ull;
    return (double)(h >> 11) / 4503599627370496.0 - 1.0;
}

#endif
