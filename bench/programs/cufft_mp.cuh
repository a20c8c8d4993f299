// The peer on processes with a GPU each: NVIDIA's cuFFTMp, in place, with the same division. Its library has cuFFT's own
// names, and psg runs on cuFFT: so it is loaded at run time, and its functions are looked up in it alone. It needs
// libnvshmem_host.so.3 where the loader finds it.
#ifndef PSG_BENCH_PROGRAMS_CUFFT_MP_CUH
#define PSG_BENCH_PROGRAMS_CUFFT_MP_CUH

#include "bench/programs/cufft_peer.cuh"

#include <dlfcn.h>

/// What is used of it. The types are cuFFT's; its header says that an MPI communicator is of kind 0.
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
        if (library == nullptr) {
            return dlerror();
        }
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
template <class real> struct bench_cufft_mp {
    const bench_cufft_mp_library &mp;
    size_t n[3], rank, ranks;
    int device;
    cufftHandle forward = 0, inverse = 0;
    cudaLibXtDesc *data = nullptr;

    bench_cufft_mp(const bench_cufft_mp_library &library, const size_t extent[3], void *comm,
                   int own, int all, int gpu)
        : mp(library), rank((size_t)own), ranks((size_t)all), device(gpu) {
        size_t work = 0;
        memcpy(n, extent, sizeof n);
        BENCH_CUDA(cudaSetDevice(device));
        for (cufftHandle *plan : {&forward, &inverse}) {
            bench_stage("cuFFTMp's plan");
            BENCH_CUFFT(mp.create(plan));
            BENCH_CUFFT(mp.attach(*plan, 0, comm));
            BENCH_CUFFT(mp.plan(*plan, (int)n[2], (int)n[1], (int)n[0],
                                plan == &forward ? bench_cufft<real>::r2c : bench_cufft<real>::c2r,
                                &work));
        }
        BENCH_CUFFT(mp.allocate(forward, &data, CUFFT_XT_FORMAT_INPLACE));
    }
    ~bench_cufft_mp() {
        (void)mp.release(data);
        (void)mp.destroy(forward);
        (void)mp.destroy(inverse);
    }
    size_t first_of(size_t process, size_t extent) const {
        return process * (extent / ranks) + std::min(process, extent % ranks);
    }
    bench_field<real> u() const {
        const size_t z0 = first_of(rank, n[2]);
        return {{device, static_cast<real *>(data->descriptor->data[0]), z0,
                 first_of(rank + 1, n[2]) - z0, 2 * (n[0] / 2 + 1)}};
    }
    void load() {
        bench_fill(u(), n);
        BENCH_CUDA(cudaDeviceSynchronize());
    }
    void solve() {
        const size_t y0 = first_of(rank, n[1]);
        BENCH_CUFFT(mp.execute(forward, data, data, CUFFT_FORWARD));
        BENCH_CUDA(cudaSetDevice(device));
        bench_launch_divide<real>(data->descriptor->data[0], n, y0, first_of(rank + 1, n[1]) - y0);
        BENCH_CUFFT(mp.execute(inverse, data, data, CUFFT_INVERSE));
        BENCH_CUDA(cudaDeviceSynchronize());
    }
};

#endif
