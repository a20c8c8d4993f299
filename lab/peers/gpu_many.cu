// cuFFT by hand for several right-hand sides on a GPU, beside psg_solve_many().
#include "lab/peers/cufft.cuh"
#include "lab/peers/gpus.h"

namespace {

void start() {
    (void)bench_gpus();
}

void *allocate(size_t bytes) {
    void *memory = nullptr;
    BENCH_CUDA(cudaMalloc(&memory, bytes));
    return memory;
}

void release(void *memory) {
    BENCH_CUDA(cudaFree(memory));
}

void copy(void *to, const void *from, size_t bytes) {
    BENCH_CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
}

template <class real> void make(const bench_sides *s, bench_job *jobs, int create) {
    for (int j = 0; j < 2; j++) {
        if (create)
            jobs[j] =
                (new bench_cufft<real>(j == 0 ? "cuFFT" : "cuFFT, all at once", s->n, s->count,
                                       j == 0 ? 1 : s->count, (real *)s->f, (real *)s->u))
                    ->job();
        else
            delete static_cast<bench_door<real> *>(jobs[j].what);
    }
}

size_t peers(const bench_sides *s, bench_job *jobs, int create) {
    if (s->options.precision == PSG_F64)
        make<double>(s, jobs, create);
    else
        make<float>(s, jobs, create);
    return 2;
}

} // namespace

extern const bench_device bench_device_gpu = {start, allocate, release, copy, peers};
