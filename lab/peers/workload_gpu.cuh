// What the peers of workloads on the first GPU share.
#ifndef PSG_BENCH_PROGRAMS_WORKLOAD_GPU_CUH
#define PSG_BENCH_PROGRAMS_WORKLOAD_GPU_CUH

#include "lab/peers/gpu.cuh"
#include "lab/peers/workload.h"

/// A way whose memory on the GPU is a State, made from the input in main memory.
template <class State> peer_way way_of(const char *about, void (*bring)(peer *p) = nullptr) {
    return {about,
            [](peer *p) { p->own = new State(p); },
            bring,
            [](peer *p) { static_cast<State *>(p->own)->run(p); },
            [](peer *p) { static_cast<State *>(p->own)->fetch(p); },
            [](peer *p) { delete static_cast<State *>(p->own); },
            nullptr,
            nullptr};
}

/// For way_of(), where a run needs its input anew.
template <class State> void bring_to(peer *p) {
    static_cast<State *>(p->own)->bring(p);
}

inline double *doubles(const bench_buffer &buffer) {
    return static_cast<double *>(buffer.p);
}

inline void to_gpu(void *to, const void *from, size_t bytes) {
    BENCH_CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
    BENCH_CUDA(cudaDeviceSynchronize());
}

inline void from_gpu(void *to, const void *from, size_t bytes) {
    BENCH_CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
}

/// The end of a run.
inline void finish() {
    BENCH_CUDA(cudaGetLastError());
    BENCH_CUDA(cudaDeviceSynchronize());
}

/// Main memory that the GPU reads by itself, while this exists.
struct locked {
    void *p;
    locked(void *array, size_t bytes) : p(array) {
        BENCH_CUDA(cudaHostRegister(p, bytes, cudaHostRegisterDefault));
    }
    locked(const locked &) = delete;
    locked &operator=(const locked &) = delete;
    ~locked() {
        cudaHostUnregister(p);
    }
};

constexpr int threads = 128;

inline unsigned blocks_for(size_t count, size_t of_block, size_t most) {
    return (unsigned)std::min((count + of_block - 1) / of_block, most);
}

#endif
