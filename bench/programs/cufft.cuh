// cuFFT's solves: on one GPU what a careful user writes by hand (D2Z, a division kernel, Z2D, out of
// place); on several of a process cuFFT's own multi-GPU transform (cufftXt, in place) with the same
// division; on processes with a GPU each cuFFTMp, in place, with the same division.
#ifndef PSG_BENCH_PROGRAMS_CUFFT_CUH
#define PSG_BENCH_PROGRAMS_CUFFT_CUH

#include "bench/programs/gpu_door.cuh"

#include <cufftXt.h>
#include <dlfcn.h>

/// spectrum[(plane * rows + j) * nxc + i] of modes (i, y0 + j, plane % nz), box of 2 pi.
template <class real>
__global__ void bench_divide_modes(real *spectrum, size_t nxc, size_t ny, size_t nz, size_t planes,
                                   size_t y0, size_t rows, real scale) {
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    const size_t j = blockIdx.y * (size_t)blockDim.y + threadIdx.y;
    if (i >= nxc || j >= rows)
        return;
    for (size_t plane = blockIdx.z; plane < planes; plane += gridDim.z) {
        const size_t m = y0 + j, k = plane % nz;
        const real ky = (real)(2 * m > ny ? ny - m : m);
        const real kz = (real)(2 * k > nz ? nz - k : k);
        const real square = (real)i * (real)i + ky * ky + kz * kz;
        const real factor = square > 0 ? -scale / square : 0;
        real *mode = spectrum + 2 * ((plane * rows + j) * nxc + i);
        mode[0] *= factor;
        mode[1] *= factor;
    }
}

/// @param[in] count   right-hand sides, one after the other
/// @param[in] blocks  at most, along the planes
template <class real>
void bench_launch_divide(void *spectrum, const size_t n[3], size_t y0, size_t rows,
                         size_t count = 1, size_t blocks = 64) {
    const size_t nxc = n[0] / 2 + 1, planes = n[2] * count;
    const dim3 block(32, 8);
    const dim3 grid((unsigned)((nxc + 31) / 32), (unsigned)((rows + 7) / 8),
                    (unsigned)std::min(planes, blocks));
    bench_divide_modes<real>
        <<<grid, block>>>((real *)spectrum, nxc, n[1], n[2], planes, y0, rows,
                          (real)(1 / ((double)n[0] * (double)n[1] * (double)n[2])));
    BENCH_CUDA(cudaGetLastError());
}

/// Where the share of a GPU begins, as cuFFT divides an axis.
inline size_t bench_cufft_first(size_t gpu, size_t gpus, size_t extent) {
    return gpu * (extent / gpus) + std::min(gpu, extent % gpus);
}

template <class real> struct bench_cufft_types {
    static constexpr cufftType r2c = sizeof(real) == 8 ? CUFFT_D2Z : CUFFT_R2C;
    static constexpr cufftType c2r = sizeof(real) == 8 ? CUFFT_Z2D : CUFFT_C2R;
};

/// On GPUs of this process.
template <class real> struct bench_cufft : bench_door<real> {
    size_t n[3];
    int gpus;
    cufftHandle forward, inverse;
    real *f_d = nullptr, *u_d = nullptr;
    void *spectrum_d = nullptr;
    cudaLibXtDesc *data = nullptr;

    bench_cufft(const size_t extent[3], int count)
        : bench_door<real>(count > 1 ? "cufft_xt" : "cufft"), gpus(count) {
        memcpy(n, extent, sizeof n);
        std::vector<int> ids(gpus);
        for (int g = 0; g < gpus; g++)
            ids[g] = g;
        std::vector<size_t> work(gpus);
        for (cufftHandle *plan : {&forward, &inverse}) {
            BENCH_CUFFT(cufftCreate(plan));
            if (gpus > 1)
                BENCH_CUFFT(cufftXtSetGPUs(*plan, gpus, ids.data()));
        }
        for (cufftHandle *plan : {&forward, &inverse}) {
            bench_stage("cuFFT's %s plan", plan == &forward ? "forward" : "inverse");
            BENCH_CUFFT(cufftMakePlan3d(*plan, (int)n[2], (int)n[1], (int)n[0],
                                        plan == &forward ? bench_cufft_types<real>::r2c
                                                         : bench_cufft_types<real>::c2r,
                                        work.data()));
        }
        bench_stage("cuFFT's memory");
        const size_t bytes = n[0] * n[1] * n[2] * sizeof(real);
        if (gpus > 1) {
            BENCH_CUFFT(cufftXtMalloc(forward, &data, CUFFT_XT_FORMAT_INPLACE));
        } else {
            BENCH_CUDA(cudaMalloc(&f_d, bytes));
            BENCH_CUDA(cudaMalloc(&u_d, bytes));
            BENCH_CUDA(cudaMalloc(&spectrum_d, bytes / n[0] * 2 * (n[0] / 2 + 1)));
            bench_fill(bench_field<real>{{0, f_d, 0, n[2], n[0]}}, n);
        }
        bench_synchronize(gpus);
    }
    ~bench_cufft() override {
        cufftDestroy(forward);
        cufftDestroy(inverse);
        if (data != nullptr)
            cufftXtFree(data);
        cudaFree(f_d);
        cudaFree(u_d);
        cudaFree(spectrum_d);
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
    size_t first_of(int g, size_t extent) const {
        return bench_cufft_first((size_t)g, (size_t)gpus, extent);
    }
    void load() override { /* in place, a solve eats its input */
        if (gpus > 1) {
            bench_fill(in_place(), n);
            bench_synchronize(gpus);
        }
    }
    void solve() override {
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
    void look(const std::function<void(const bench_field<real> &)> &at) override {
        at(gpus > 1 ? in_place() : bench_field<real>{{0, u_d, 0, n[2], n[0]}});
    }
};

/// What is used of cuFFTMp. Its library has cuFFT's own names, and psg runs on cuFFT: so it is loaded
/// at run time, and its functions are looked up in it alone. It needs libnvshmem_host.so.3 where the
/// loader finds it. The types are cuFFT's; its header says that an MPI communicator is of kind 0.
struct bench_cufft_mp_library {
    cufftResult (*create)(cufftHandle *);
    cufftResult (*attach)(cufftHandle, int kind, void *comm);
    cufftResult (*plan)(cufftHandle, int nz, int ny, int nx, cufftType, size_t *work);
    cufftResult (*allocate)(cufftHandle, cudaLibXtDesc **, cufftXtSubFormat);
    cufftResult (*execute)(cufftHandle, cudaLibXtDesc *, cudaLibXtDesc *, int direction);
    cufftResult (*release)(cudaLibXtDesc *);
    cufftResult (*destroy)(cufftHandle);

    /// @return why it is not here; NULL: it is
    const char *open() {
        void *library = dlopen("libcufftMp.so.12", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
        if (library == nullptr)
            return dlerror();
        const bool found =
            find(library, "cufftCreate", create) && find(library, "cufftMpAttachComm", attach) &&
            find(library, "cufftMakePlan3d", plan) && find(library, "cufftXtMalloc", allocate) &&
            find(library, "cufftXtExecDescriptor", execute) &&
            find(library, "cufftXtFree", release) && find(library, "cufftDestroy", destroy);
        return found ? nullptr : "libcufftMp.so.12 lacks a function";
    }

  private:
    template <class Function>
    static bool find(void *library, const char *name, Function &function) {
        function = reinterpret_cast<Function>(dlsym(library, name));
        return function != nullptr;
    }
};

/// A process' part: planes of f and u, rows of y of the spectrum.
template <class real> struct bench_cufft_mp : bench_door<real> {
    const bench_cufft_mp_library &mp;
    size_t n[3];
    int device;
    cufftHandle forward = 0, inverse = 0;
    cudaLibXtDesc *data = nullptr;

    bench_cufft_mp(const bench_cufft_mp_library &library, const size_t extent[3], int gpu)
        : bench_door<real>("cufft_mp"), mp(library), device(gpu) {
        size_t work = 0;
        memcpy(n, extent, sizeof n);
        BENCH_CUDA(cudaSetDevice(device));
        for (cufftHandle *plan : {&forward, &inverse}) {
            bench_stage("cuFFTMp's plan");
            BENCH_CUFFT(mp.create(plan));
            BENCH_CUFFT(mp.attach(*plan, 0, const_cast<void *>(bench_processes.comm)));
            BENCH_CUFFT(mp.plan(*plan, (int)n[2], (int)n[1], (int)n[0],
                                plan == &forward ? bench_cufft_types<real>::r2c
                                                 : bench_cufft_types<real>::c2r,
                                &work));
        }
        BENCH_CUFFT(mp.allocate(forward, &data, CUFFT_XT_FORMAT_INPLACE));
    }
    ~bench_cufft_mp() override {
        (void)mp.release(data);
        (void)mp.destroy(forward);
        (void)mp.destroy(inverse);
    }
    size_t first_of(int process, size_t extent) const {
        return bench_cufft_first((size_t)process, (size_t)bench_processes.ranks, extent);
    }
    bench_field<real> part() const {
        const int rank = bench_processes.rank;
        const size_t z0 = first_of(rank, n[2]);
        return {{device, static_cast<real *>(data->descriptor->data[0]), z0,
                 first_of(rank + 1, n[2]) - z0, 2 * (n[0] / 2 + 1)}};
    }
    void load() override {
        bench_fill(part(), n);
        BENCH_CUDA(cudaDeviceSynchronize());
    }
    void solve() override {
        const int rank = bench_processes.rank;
        const size_t y0 = first_of(rank, n[1]);
        BENCH_CUFFT(mp.execute(forward, data, data, CUFFT_FORWARD));
        BENCH_CUDA(cudaSetDevice(device));
        bench_launch_divide<real>(data->descriptor->data[0], n, y0, first_of(rank + 1, n[1]) - y0);
        BENCH_CUFFT(mp.execute(inverse, data, data, CUFFT_INVERSE));
        BENCH_CUDA(cudaDeviceSynchronize());
    }
    void look(const std::function<void(const bench_field<real> &)> &at) override {
        at(part());
    }
};

#endif
