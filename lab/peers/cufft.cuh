// cuFFT's solves: on one GPU what a careful user writes by hand (D2Z, a division kernel, Z2D, out
// of place); on several of a process cuFFT's own multi-GPU transform (cufftXt, in place) with the
// same division; on processes with a GPU each cuFFTMp, in place, with the same division.
#ifndef PSG_BENCH_PROGRAMS_CUFFT_CUH
#define PSG_BENCH_PROGRAMS_CUFFT_CUH

#include "lab/peers/gpu_door.cuh"

#include <cufftXt.h>
#include <dlfcn.h>
#include <memory>

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

template <class real> struct bench_cufft_types {
    static constexpr cufftType r2c = sizeof(real) == 8 ? CUFFT_D2Z : CUFFT_R2C;
    static constexpr cufftType c2r = sizeof(real) == 8 ? CUFFT_Z2D : CUFFT_C2R;
};

/// By hand on the first GPU: right-hand sides one after the other, or several by one plan.
template <class real> struct bench_cufft : bench_door<real> {
    size_t n[3], points, count, together;
    real *f, *u;
    std::unique_ptr<bench_buffer> own_f, own_u, spectrum;
    cufftHandle forward, inverse;

    /// Of one f of random numbers, which is made here.
    explicit bench_cufft(const size_t extent[3])
        : bench_cufft("cufft", extent, 1, 1, nullptr, nullptr) {
        own_f.reset(new bench_buffer(points * sizeof(real)));
        own_u.reset(new bench_buffer(points * sizeof(real)));
        f = static_cast<real *>(own_f->p);
        u = static_cast<real *>(own_u->p);
        bench_fill(bench_field<real>{{0, f, 0, n[2], n[0]}}, n);
        bench_synchronize(1);
    }
    bench_cufft(const char *name, const size_t extent[3], size_t sides, size_t at_once, real *all_f,
                real *all_u)
        : bench_door<real>(name), points(extent[0] * extent[1] * extent[2]), count(sides),
          together(at_once), f(all_f), u(all_u) {
        int length[3] = {(int)extent[2], (int)extent[1], (int)extent[0]};
        memcpy(n, extent, sizeof n);
        bench_stage("%s: plans", name);
        BENCH_CUFFT(cufftPlanMany(&forward, 3, length, nullptr, 1, 0, nullptr, 1, 0,
                                  bench_cufft_types<real>::r2c, (int)together));
        BENCH_CUFFT(cufftPlanMany(&inverse, 3, length, nullptr, 1, 0, nullptr, 1, 0,
                                  bench_cufft_types<real>::c2r, (int)together));
        spectrum.reset(
            new bench_buffer(together * points / n[0] * 2 * (n[0] / 2 + 1) * sizeof(real)));
    }
    ~bench_cufft() override {
        cufftDestroy(forward);
        cufftDestroy(inverse);
    }
    void solve() override {
        for (size_t m = 0; m < count; m += together) {
            BENCH_CUFFT(cufftXtExec(forward, f + m * points, spectrum->p, CUFFT_FORWARD));
            bench_launch_divide<real>(spectrum->p, n, 0, n[1], together, count > 1 ? 1024 : 64);
            BENCH_CUFFT(cufftXtExec(inverse, spectrum->p, u + m * points, CUFFT_INVERSE));
        }
        bench_synchronize(1);
    }
    void look(const std::function<void(const bench_field<real> &)> &at) override {
        at({{0, u, 0, n[2], n[0]}});
    }
};

/// cuFFT's functions, or those of cuFFTMp. The latter's library has the same names, and psg runs on
/// cuFFT: so it is loaded at run time, and its functions are looked up in it alone. It needs
/// libnvshmem_host.so.3 where the loader finds it. The types are cuFFT's.
struct bench_cufft_library {
    cufftResult (*create)(cufftHandle *) = cufftCreate;
    cufftResult (*plan)(cufftHandle, int nz, int ny, int nx, cufftType,
                        size_t *work) = cufftMakePlan3d;
    cufftResult (*allocate)(cufftHandle, cudaLibXtDesc **, cufftXtSubFormat) = cufftXtMalloc;
    cufftResult (*execute)(cufftHandle, cudaLibXtDesc *, cudaLibXtDesc *,
                           int direction) = cufftXtExecDescriptor;
    cufftResult (*release)(cudaLibXtDesc *) = cufftXtFree;
    cufftResult (*destroy)(cufftHandle) = cufftDestroy;
    /// nullptr: cuFFT. Its header says that an MPI communicator is of kind 0.
    cufftResult (*attach)(cufftHandle, int kind, void *comm) = nullptr;

    /// cuFFTMp's. @return why it is not here; NULL: it is
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

/// On several GPUs, in place: those of this process, or one of each process. Each has planes of f
/// and u, and rows along y of the spectrum.
template <class real> struct bench_cufft_shared : bench_door<real> {
    const bench_cufft_library cufft;
    size_t n[3], first, all; // of the GPUs of this process, and how many there are
    std::vector<int> gpus;
    cufftHandle forward = 0, inverse = 0;
    cudaLibXtDesc *data = nullptr;

    bench_cufft_shared(const bench_cufft_library &library, const size_t extent[3],
                       const std::vector<int> &ids)
        : bench_door<real>(library.attach == nullptr ? "cufft_xt" : "cufft_mp"), cufft(library),
          first(library.attach == nullptr ? 0 : (size_t)bench_processes.rank),
          all(library.attach == nullptr ? ids.size() : (size_t)bench_processes.ranks), gpus(ids) {
        std::vector<size_t> work(gpus.size());
        memcpy(n, extent, sizeof n);
        BENCH_CUDA(cudaSetDevice(gpus[0]));
        for (cufftHandle *plan : {&forward, &inverse}) {
            bench_stage("%s: a plan", this->name);
            BENCH_CUFFT(cufft.create(plan));
            BENCH_CUFFT(cufft.attach == nullptr
                            ? cufftXtSetGPUs(*plan, (int)gpus.size(), gpus.data())
                            : cufft.attach(*plan, 0, const_cast<void *>(bench_processes.comm)));
            BENCH_CUFFT(cufft.plan(*plan, (int)n[2], (int)n[1], (int)n[0],
                                   plan == &forward ? bench_cufft_types<real>::r2c
                                                    : bench_cufft_types<real>::c2r,
                                   work.data()));
        }
        bench_stage("%s: memory", this->name);
        BENCH_CUFFT(cufft.allocate(forward, &data, CUFFT_XT_FORMAT_INPLACE));
    }
    ~bench_cufft_shared() override {
        (void)cufft.release(data);
        (void)cufft.destroy(forward);
        (void)cufft.destroy(inverse);
    }
    /* Where the share of a GPU of this process begins, as cuFFT divides an axis. */
    size_t first_of(size_t g, size_t extent) const {
        return (first + g) * (extent / all) + std::min(first + g, extent % all);
    }
    bench_field<real> part() const {
        const size_t pitch = 2 * (n[0] / 2 + 1);
        bench_field<real> field;
        for (size_t g = 0; g < gpus.size(); g++) {
            const size_t z0 = first_of(g, n[2]), planes = first_of(g + 1, n[2]) - z0;
            const cudaXtDesc &memory = *data->descriptor;
            bench_must(cufft.attach != nullptr ||
                           planes * n[1] * pitch * sizeof(real) <= memory.size[g],
                       "cufftXt has %zu bytes on GPU %zu, too few for %zu planes", memory.size[g],
                       g, planes);
            field.push_back({gpus[g], static_cast<real *>(memory.data[g]), z0, planes, pitch});
        }
        return field;
    }
    void synchronize() const { /* the first is the current one then */
        for (size_t g = gpus.size(); g-- > 0;) {
            BENCH_CUDA(cudaSetDevice(gpus[g]));
            BENCH_CUDA(cudaDeviceSynchronize());
        }
    }
    void load() override { /* a solve eats its input */
        bench_fill(part(), n);
        synchronize();
    }
    void solve() override {
        BENCH_CUFFT(cufft.execute(forward, data, data, CUFFT_FORWARD));
        for (size_t g = 0; g < gpus.size(); g++) { /* shuffled: the modes are spread along y */
            const size_t y0 = first_of(g, n[1]);
            BENCH_CUDA(cudaSetDevice(gpus[g]));
            bench_launch_divide<real>(data->descriptor->data[g], n, y0, first_of(g + 1, n[1]) - y0);
        }
        BENCH_CUFFT(cufft.execute(inverse, data, data, CUFFT_INVERSE));
        synchronize();
    }
    void look(const std::function<void(const bench_field<real> &)> &at) override {
        at(part());
    }
};

/// The peer of psg on these GPUs of this process, or, with cuFFTMp, one of each process.
template <class real>
bench_door<real> *bench_cufft_door(const bench_cufft_library &library, const size_t n[3],
                                   const std::vector<int> &gpus) {
    if (gpus.size() == 1 && library.attach == nullptr)
        return new bench_cufft<real>(n);
    return new bench_cufft_shared<real>(library, n, gpus);
}

#endif
