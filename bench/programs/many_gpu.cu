// cuFFT by hand for several right-hand sides on a GPU, beside psg_solve_many().
#include "bench/programs/gpu.cuh"
#include "bench/programs/many.h"

#include <cufftXt.h>

#include <algorithm>

struct bench_many_cufft {
    size_t n[3], count;
    bool f64, together;
    const char *f;
    char *u;
    void *spectrum_d = nullptr;
    cufftHandle forward, inverse;
};

namespace {

/// spectrum [count][nz][ny][nxc], box of 2 pi.
template <class real>
__global__ void divide_all(real *spectrum, size_t nxc, size_t ny, size_t nz, size_t count,
                           real scale) {
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    const size_t j = blockIdx.y * (size_t)blockDim.y + threadIdx.y;
    if (i >= nxc || j >= ny)
        return;
    for (size_t plane = blockIdx.z; plane < nz * count; plane += gridDim.z) {
        const size_t k = plane % nz;
        const real ky = (real)(2 * j > ny ? ny - j : j), kz = (real)(2 * k > nz ? nz - k : k);
        const real square = (real)i * (real)i + ky * ky + kz * kz;
        const real factor = square > 0 ? -scale / square : 0;
        real *mode = spectrum + 2 * ((plane * ny + j) * nxc + i);
        mode[0] *= factor;
        mode[1] *= factor;
    }
}

template <class real> void launch(const bench_many_cufft &c, size_t count) {
    const size_t nxc = c.n[0] / 2 + 1;
    const dim3 block(32, 8);
    const dim3 grid((unsigned)((nxc + 31) / 32), (unsigned)((c.n[1] + 7) / 8),
                    (unsigned)std::min<size_t>(c.n[2] * count, 1024));
    divide_all<real>
        <<<grid, block>>>((real *)c.spectrum_d, nxc, c.n[1], c.n[2], count,
                          (real)(1 / ((double)c.n[0] * (double)c.n[1] * (double)c.n[2])));
    BENCH_CUDA(cudaGetLastError());
}

void solve(const bench_many_cufft &c, size_t first, size_t count) {
    const size_t bytes = c.n[0] * c.n[1] * c.n[2] * (c.f64 ? 8 : 4);
    BENCH_CUFFT(cufftXtExec(c.forward, (void *)(c.f + first * bytes), c.spectrum_d, CUFFT_FORWARD));
    if (c.f64)
        launch<double>(c, count);
    else
        launch<float>(c, count);
    BENCH_CUFFT(cufftXtExec(c.inverse, c.spectrum_d, c.u + first * bytes, CUFFT_INVERSE));
}

} // namespace

void bench_many_start(void) {
    (void)bench_gpus();
}

void *bench_many_allocate(size_t bytes) {
    void *memory = nullptr;
    BENCH_CUDA(cudaMalloc(&memory, bytes));
    return memory;
}

void bench_many_free(void *memory) {
    BENCH_CUDA(cudaFree(memory));
}

void bench_many_copy(void *to, const void *from, size_t bytes) {
    BENCH_CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
}

bench_many_cufft *bench_many_cufft_create(bool f64, const size_t n[3], size_t count, bool together,
                                          const void *f, void *u) {
    bench_many_cufft *c = new bench_many_cufft;
    int extent[3];
    for (int d = 0; d < 3; d++) {
        c->n[d] = n[d];
        extent[d] = (int)n[2 - d];
    }
    c->count = count;
    c->f64 = f64;
    c->together = together;
    c->f = static_cast<const char *>(f);
    c->u = static_cast<char *>(u);
    const size_t room = together ? count : 1;
    BENCH_CUDA(cudaMalloc(&c->spectrum_d, room * (n[0] / 2 + 1) * n[1] * n[2] * (f64 ? 16 : 8)));
    BENCH_CUFFT(cufftPlanMany(&c->forward, 3, extent, nullptr, 1, 0, nullptr, 1, 0,
                              f64 ? CUFFT_D2Z : CUFFT_R2C, (int)room));
    BENCH_CUFFT(cufftPlanMany(&c->inverse, 3, extent, nullptr, 1, 0, nullptr, 1, 0,
                              f64 ? CUFFT_Z2D : CUFFT_C2R, (int)room));
    return c;
}

void bench_many_cufft_destroy(bench_many_cufft *c) {
    cufftDestroy(c->forward);
    cufftDestroy(c->inverse);
    cudaFree(c->spectrum_d);
    delete c;
}

double bench_many_cufft_run(void *what, unsigned calls) {
    const bench_many_cufft &c = *static_cast<bench_many_cufft *>(what);
    const double start = bench_now();
    for (unsigned call = 0; call < calls; call++) {
        for (size_t m = 0; m < c.count; m += c.together ? c.count : 1)
            solve(c, m, c.together ? c.count : 1);
        BENCH_CUDA(cudaDeviceSynchronize());
    }
    return bench_now() - start;
}
