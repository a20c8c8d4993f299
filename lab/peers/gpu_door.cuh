// Ways to solve on GPUs, and their fields, written and compared where they are: by way of main
// memory that would take far longer than the solves that are measured.
#ifndef PSG_BENCH_PROGRAMS_GPU_DOOR_CUH
#define PSG_BENCH_PROGRAMS_GPU_DOOR_CUH

#include "graph/psg_starpu.h"
#include "lab/peers/gpu.cuh"
#include "lab/peers/peer.h"

#include <starpu.h>

#include <functional>

/// Planes z0 .. z0+planes-1 of a field, in the memory of one GPU: rows of nx numbers, `pitch`
/// apart.
template <class Real> struct bench_piece {
    int device;
    Real *data;
    size_t z0, planes, pitch;
};

template <class Real> using bench_field = std::vector<bench_piece<Real>>;

/// A way to solve: what is put there before each solve, outside its time, the solve, and its u. All
/// ways on GPUs have f written anew, which a solve in place needs: what the GPU's cache has not yet
/// written to memory takes time from the solve that follows.
template <class Real> struct bench_door {
    const char *name;

    explicit bench_door(const char *called) : name(called) {
    }
    virtual ~bench_door() = default;
    virtual void load() {
    }
    virtual void solve() = 0;
    virtual bool solves() const {
        return true;
    }
    /// Give u to a function, where the door solves.
    virtual void look(const std::function<void(const bench_field<Real> &)> &at) = 0;

    bench_job job() {
        return {name,
                this,
                [](void *what) { static_cast<bench_door *>(what)->load(); },
                [](void *what) { static_cast<bench_door *>(what)->solve(); },
                nullptr,
                {},
                0};
    }
};

/// A sum of three modes of a box of 2 pi, with wave numbers at both ends of the spectrum: u, and
/// its Laplacian. A mode of wave number |k| has the amplitude 1 / |k| in u, and |k| in the
/// Laplacian. The first mode is a long wave, and the largest in u: rounding the Laplacian's short
/// waves makes errors in long waves, which a solve enlarges, and beside this mode they are small.
struct bench_modes {
    size_t n[3];

    __host__ __device__ size_t wave(int mode, int axis) const {
        const size_t most = (n[axis] - 1) / 2, few = 1 + (size_t)axis;
        const size_t low = few < most ? few : most;
        return (mode == 1 && axis == 0) || (mode == 2 && axis > 0) ? most - low : low;
    }
    __host__ __device__ double length(int mode) const {
        double square = 0;
        for (int axis = 0; axis < 3; axis++)
            square += (double)(wave(mode, axis) * wave(mode, axis));
        return sqrt(square);
    }
    __device__ double at(size_t row, size_t i, bool laplacian) const {
        const size_t place[3] = {i, row % n[1], row / n[1]};
        double sum = 0;
        for (int mode = 0; mode < 3; mode++) {
            double turns = 0;
            for (int axis = 0; axis < 3; axis++)
                turns += (double)(wave(mode, axis) * place[axis] % n[axis]) / (double)n[axis];
            sum += (laplacian ? -length(mode) : 1 / length(mode)) * cospi(2 * turns);
        }
        return sum;
    }
    /// At the origin.
    double largest() const {
        return 1 / length(0) + 1 / length(1) + 1 / length(2);
    }
};

/// f: the Laplacian of the modes, if it is to be known, else random numbers.
template <class Real>
__global__ void bench_fill_rows(Real *rows, size_t pitch, bench_modes modes, bool known,
                                size_t first, size_t count) {
    const size_t nx = modes.n[0];
    for (size_t row = blockIdx.x; row < count; row += gridDim.x)
        for (size_t i = threadIdx.x; i < nx; i += blockDim.x)
            rows[row * pitch + i] = (Real)(known ? modes.at(first + row, i, true)
                                                 : bench_random((first + row) * nx + i));
}

/// largest: bits of the largest |a - b|, and of the largest |b|; b is that of the modes if it is
/// nullptr. As whole numbers, the bits of numbers that are not negative are in their order, and NaN
/// is the largest.
template <class Real>
__global__ void bench_compare_rows(const Real *a, size_t a_pitch, const Real *b, size_t b_pitch,
                                   bench_modes modes, size_t first, size_t count,
                                   unsigned long long *largest) {
    unsigned long long most[2] = {0, 0};
    for (size_t row = blockIdx.x; row < count; row += gridDim.x) {
        for (size_t i = threadIdx.x; i < modes.n[0]; i += blockDim.x) {
            const double x = a[row * a_pitch + i];
            const double y =
                b == nullptr ? modes.at(first + row, i, false) : (double)b[row * b_pitch + i];
            most[0] = max(most[0], (unsigned long long)__double_as_longlong(fabs(x - y)));
            most[1] = max(most[1], (unsigned long long)__double_as_longlong(fabs(y)));
        }
    }
    atomicMax(&largest[0], most[0]);
    atomicMax(&largest[1], most[1]);
}

/// Numbers that depend on a point's place in the grid alone. Is done when the GPUs are.
template <class Real>
void bench_fill(const bench_field<Real> &field, const size_t n[3], bool known = false) {
    for (const bench_piece<Real> &p : field) {
        BENCH_CUDA(cudaSetDevice(p.device));
        if (p.planes > 0) {
            bench_fill_rows<<<4096, 256>>>(p.data, p.pitch, bench_modes{{n[0], n[1], n[2]}}, known,
                                           p.z0 * n[1], p.planes * n[1]);
            BENCH_CUDA(cudaGetLastError());
        }
    }
}

/// The largest difference of two fields at any point, over the largest number of the second; NaN if
/// either has one. Both have the same planes, all of the grid's or a process' part of them.
/// @param[in] b  nullptr: u of bench_modes
template <class Real>
double bench_difference(const bench_field<Real> &a, const bench_field<Real> *b, const size_t n[3]) {
    const bench_modes modes{{n[0], n[1], n[2]}};
    const bench_field<Real> &other = b != nullptr ? *b : a;
    unsigned long long most[2] = {0, 0};
    size_t compared = 0, planes = 0, pitch = 0;
    for (const bench_piece<Real> &q : other) {
        planes += q.planes;
        pitch = std::max(pitch, q.pitch);
    }
    for (const bench_piece<Real> &p : a) {
        BENCH_CUDA(cudaSetDevice(p.device));
        bench_buffer largest(sizeof most), plane(pitch * n[1] * sizeof(Real));
        BENCH_CUDA(cudaMemcpy(largest.p, most, sizeof most, cudaMemcpyHostToDevice));
        for (const bench_piece<Real> &q : other) {
            const size_t end = std::min(p.z0 + p.planes, q.z0 + q.planes);
            for (size_t z = std::max(p.z0, q.z0); z < end; z++, compared++) {
                if (b != nullptr)
                    BENCH_CUDA(cudaMemcpyPeer(plane.p, p.device,
                                              q.data + (z - q.z0) * n[1] * q.pitch, q.device,
                                              n[1] * q.pitch * sizeof(Real)));
                bench_compare_rows<<<256, 256>>>(
                    p.data + (z - p.z0) * n[1] * p.pitch, p.pitch,
                    b != nullptr ? static_cast<const Real *>(plane.p) : nullptr, q.pitch, modes,
                    z * n[1], n[1], static_cast<unsigned long long *>(largest.p));
                BENCH_CUDA(cudaGetLastError());
            }
        }
        BENCH_CUDA(cudaMemcpy(most, largest.p, sizeof most, cudaMemcpyDeviceToHost));
    }
    bench_must(compared == planes, "%zu of %zu planes could be compared", compared, planes);
    double off, whole;
    memcpy(&off, &most[0], sizeof off);
    memcpy(&whole, &most[1], sizeof whole);
    return off / (b != nullptr ? whole : modes.largest());
}

/// psg between the slabs of a plan whose tasks are all on the first GPUs. These have them in equal
/// runs, as psg deals them out, so that nothing moves when they are looked at. f is made there
/// once, and stays.
template <class Real> struct bench_resident : bench_door<Real> {
    psg_plan *plan;
    std::vector<starpu_data_handle_t> f, u;
    std::vector<size_t> z0;
    size_t n[3];
    int gpus;

    bench_resident(const char *called, psg_plan *its, const size_t extent[3], int count)
        : bench_door<Real>(called), plan(its), gpus(count) {
        size_t segments = 0;
        memcpy(n, extent, sizeof n);
        bench_must_psg(psg_plan_segments(plan, &segments, nullptr));
        f.resize(segments);
        u.resize(segments);
        z0.resize(segments + 1);
        bench_must_psg(psg_plan_slab_handles(plan, f.data(), u.data(), z0.data()));
        use(f, STARPU_W, [this](const bench_field<Real> &field) { bench_fill(field, n); });
    }
    void use(const std::vector<starpu_data_handle_t> &slabs, starpu_data_access_mode mode,
             const std::function<void(const bench_field<Real> &)> &work) const {
        bench_field<Real> field;
        std::vector<int> node;
        for (size_t s = 0; s < slabs.size(); s++) {
            const int device = (int)(s * (size_t)gpus / slabs.size());
            const int worker = starpu_worker_get_by_devid(STARPU_CUDA_WORKER, device);
            bench_must(worker >= 0, "StarPU does not have GPU %d", device);
            node.push_back((int)starpu_worker_get_memory_node((unsigned)worker));
            bench_must(starpu_data_acquire_on_node(slabs[s], node[s], mode) == 0,
                       "StarPU cannot have slab %zu on GPU %d", s, device);
            void *slab = starpu_data_get_interface_on_node(slabs[s], (unsigned)node[s]);
            bench_must(STARPU_BLOCK_GET_LDY(slab) == n[0] &&
                           STARPU_BLOCK_GET_LDZ(slab) == n[0] * n[1],
                       "StarPU has gaps in slab %zu", s);
            field.push_back({device, reinterpret_cast<Real *>(STARPU_BLOCK_GET_PTR(slab)), z0[s],
                             z0[s + 1] - z0[s], n[0]});
        }
        work(field);
        bench_synchronize(gpus);
        for (size_t s = 0; s < slabs.size(); s++)
            starpu_data_release_on_node(slabs[s], node[s]);
    }
    void solve() override {
        bench_must_psg(psg_submit_slabs(plan));
        bench_must_psg(psg_wait(plan));
    }
    void look(const std::function<void(const bench_field<Real> &)> &at) override {
        use(u, STARPU_R, at);
    }
};

#endif
