// The peers on GPUs of one process: on one what a careful user writes with cuFFT by hand (D2Z, a division kernel, Z2D, out
// of place); on several cuFFT's own multi-GPU transform (cufftXt, in place) with the same division.
#ifndef PSG_BENCH_PROGRAMS_CUFFT_PEER_CUH
#define PSG_BENCH_PROGRAMS_CUFFT_PEER_CUH

#include "bench/programs/gpu_field.cuh"

#include <cufftXt.h>

/// spectrum[(k * rows + j) * nxc + i] of modes (i, y0 + j, k), box of 2 pi.
template <class real>
__global__ void bench_divide_modes(real *spectrum, size_t nxc, size_t ny, size_t nz, size_t y0,
                                   size_t rows, real scale) {
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    const size_t j = blockIdx.y * (size_t)blockDim.y + threadIdx.y;
    if (i >= nxc || j >= rows) {
        return;
    }
    for (size_t k = blockIdx.z; k < nz; k += gridDim.z) {
        const size_t m = y0 + j;
        const real ky = (real)(2 * m > ny ? ny - m : m);
        const real kz = (real)(2 * k > nz ? nz - k : k);
        const real square = (real)i * (real)i + ky * ky + kz * kz;
        const real factor = square > 0 ? -scale / square : 0;
        real *mode = spectrum + 2 * ((k * rows + j) * nxc + i);
        mode[0] *= factor;
        mode[1] *= factor;
    }
}

template <class real>
void bench_launch_divide(void *spectrum, const size_t n[3], size_t y0, size_t rows) {
    const size_t nxc = n[0] / 2 + 1;
    const dim3 block(32, 8);
    const dim3 grid((unsigned)((nxc + 31) / 32), (unsigned)((rows + 7) / 8),
                    (unsigned)std::min<size_t>(n[2], 64));
    bench_divide_modes<real>
        <<<grid, block>>>((real *)spectrum, nxc, n[1], n[2], y0, rows,
                          (real)(1 / ((double)n[0] * (double)n[1] * (double)n[2])));
    BENCH_CUDA(cudaGetLastError());
}

/// cuFFT, on one GPU or several.
template <class real> struct bench_cufft {
    size_t n[3];
    int gpus;
    cufftHandle forward, inverse;
    real *f_d = nullptr, *u_d = nullptr;
    void *spectrum_d = nullptr;
    cudaLibXtDesc *data = nullptr;

    static constexpr bool f64 = sizeof(real) == 8;
    static constexpr cufftType r2c = f64 ? CUFFT_D2Z : CUFFT_R2C;
    static constexpr cufftType c2r = f64 ? CUFFT_Z2D : CUFFT_C2R;

    bench_cufft(const size_t extent[3], int count) : gpus(count) {
        memcpy(n, extent, sizeof n);
        std::vector<int> ids(gpus);
        for (int g = 0; g < gpus; g++)
            ids[g] = g;
        std::vector<size_t> work(gpus);
        BENCH_CUFFT(cufftCreate(&forward));
        BENCH_CUFFT(cufftCreate(&inverse));
        if (gpus > 1) {
            BENCH_CUFFT(cufftXtSetGPUs(forward, gpus, ids.data()));
            BENCH_CUFFT(cufftXtSetGPUs(inverse, gpus, ids.data()));
        }
        bench_stage("cuFFT's forward plan");
        BENCH_CUFFT(cufftMakePlan3d(forward, (int)n[2], (int)n[1], (int)n[0], r2c, work.data()));
        bench_stage("cuFFT's inverse plan");
        BENCH_CUFFT(cufftMakePlan3d(inverse, (int)n[2], (int)n[1], (int)n[0], c2r, work.data()));
        bench_stage("cuFFT's memory");
        const size_t bytes = n[0] * n[1] * n[2] * sizeof(real);
        if (gpus > 1) {
            BENCH_CUFFT(cufftXtMalloc(forward, &data, CUFFT_XT_FORMAT_INPLACE));
        } else {
            BENCH_CUDA(cudaMalloc(&f_d, bytes));
            BENCH_CUDA(cudaMalloc(&u_d, bytes));
            BENCH_CUDA(cudaMalloc(&spectrum_d, bytes / n[0] * 2 * (n[0] / 2 + 1)));
        }
        bench_fill(f(), n);
        bench_synchronize(gpus);
    }
    ~bench_cufft() {
        cufftDestroy(forward);
        cufftDestroy(inverse);
        if (data != nullptr)
            cufftXtFree(data);
        cudaFree(f_d);
        cudaFree(u_d);
        cudaFree(spectrum_d);
    }
    bench_field<real> f() const {
        return gpus > 1 ? in_place() : bench_field<real>{{0, f_d, 0, n[2], n[0]}};
    }
    bench_field<real> u() const {
        return gpus > 1 ? in_place() : bench_field<real>{{0, u_d, 0, n[2], n[0]}};
    }
    bench_field<real> in_place() const {
        const size_t pitch = 2 * (n[0] / 2 + 1);
        bench_field<real> field;
        for (int g = 0; g < gpus; g++) {
            const size_t z0 = first_of(g, n[2]), planes = first_of(g + 1, n[2]) - z0;
            const cudaXtDesc &memory = *data->descriptor;
            bench_must(planes * n[1] * pitch * sizeof(real) <= memory.size[g],
                       "cufftXt has %zu bytes on GPU %d, too few for %zu planes", memory.size[g], g,
                       planes);
            field.push_back(
                {memory.GPUs[g], static_cast<real *>(memory.data[g]), z0, planes, pitch});
        }
        return field;
    }
    /* Where the share of GPU g begins, as cufftXt divides an axis. */
    size_t first_of(int g, size_t extent) const {
        const size_t all = (size_t)gpus, m = (size_t)g;
        return m * (extent / all) + std::min(m, extent % all);
    }
    void load() { /* in place, a solve eats its input */
        if (gpus > 1) {
            bench_fill(f(), n);
            bench_synchronize(gpus);
        }
    }
    void solve() {
        if (gpus == 1) {
            BENCH_CUFFT(cufftXtExec(forward, f_d, spectrum_d, CUFFT_FORWARD));
            bench_launch_divide<real>(spectrum_d, n, 0, n[1]);
            BENCH_CUFFT(cufftXtExec(inverse, spectrum_d, u_d, CUFFT_INVERSE));
        } else {
            BENCH_CUFFT(cufftXtExecDescriptor(forward, data, data, CUFFT_FORWARD));
            for (int g = 0; g < gpus; g++) { /* shuffled: the modes are spread along y */
                const size_t y0 = first_of(g, n[1]);
                BENCH_CUDA(cudaSetDevice(data->descriptor->GPUs[g]));
                bench_launch_divide<real>(data->descriptor->data[g], n, y0,
                                          first_of(g + 1, n[1]) - y0);
            }
            BENCH_CUFFT(cufftXtExecDescriptor(inverse, data, data, CUFFT_INVERSE));
        }
        bench_synchronize(gpus);
    }
};

#endif
