// cuFFT by hand for several right-hand sides on a GPU, beside psg_solve_many().
#include "bench/programs/cufft.cuh"
#include "bench/programs/gpus.h"

namespace {

struct cufft {
    const bench_sides *s;
    bool f64;
    size_t together; // right-hand sides by one plan of cuFFT's
    void *spectrum_d = nullptr;
    cufftHandle forward, inverse;

    cufft(const bench_sides *sides, size_t at_once)
        : s(sides), f64(sides->options.precision == PSG_F64), together(at_once) {
        int extent[3] = {(int)s->n[2], (int)s->n[1], (int)s->n[0]};
        const size_t bytes = (s->n[0] / 2 + 1) * s->n[1] * s->n[2] * (f64 ? 16 : 8);
        BENCH_CUDA(cudaMalloc(&spectrum_d, together * bytes));
        BENCH_CUFFT(cufftPlanMany(&forward, 3, extent, nullptr, 1, 0, nullptr, 1, 0,
                                  f64 ? CUFFT_D2Z : CUFFT_R2C, (int)together));
        BENCH_CUFFT(cufftPlanMany(&inverse, 3, extent, nullptr, 1, 0, nullptr, 1, 0,
                                  f64 ? CUFFT_Z2D : CUFFT_C2R, (int)together));
    }
    ~cufft() {
        cufftDestroy(forward);
        cufftDestroy(inverse);
        cudaFree(spectrum_d);
    }
    void solve() const {
        for (size_t m = 0; m < s->count; m += together) {
            BENCH_CUFFT(cufftXtExec(forward, s->f + m * s->bytes, spectrum_d, CUFFT_FORWARD));
            if (f64)
                bench_launch_divide<double>(spectrum_d, s->n, 0, s->n[1], together, 1024);
            else
                bench_launch_divide<float>(spectrum_d, s->n, 0, s->n[1], together, 1024);
            BENCH_CUFFT(cufftXtExec(inverse, spectrum_d, s->u + m * s->bytes, CUFFT_INVERSE));
        }
        BENCH_CUDA(cudaDeviceSynchronize());
    }
};

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

size_t peers(const bench_sides *s, bench_job *jobs, int create) {
    const auto run = [](void *what) { static_cast<const cufft *>(what)->solve(); };
    for (int j = 0; j < 2; j++) {
        if (create)
            jobs[j] = {j == 0 ? "cuFFT" : "cuFFT, all at once",
                       new cufft(s, j == 0 ? 1 : s->count),
                       nullptr,
                       run,
                       nullptr,
                       {},
                       0};
        else
            delete static_cast<cufft *>(jobs[j].what);
    }
    return 2;
}

} // namespace

extern const bench_device bench_device_gpu = {start, allocate, release, copy, peers};
