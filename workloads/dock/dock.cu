// Rigid docking. The compiler fuses no product with a sum here, as cores do not: cells at the rim
// of an atom are the same ones. The potential has the same bits, too, and so have the energies that
// decide. A pose is one number while the best are looked for: the larger it is, the better is its
// score, and then the lower its cell.
#include "kernels/complex.cuh"
#include "kernels/fft.h"
#include "workloads/dock/cells.h"
#include <new>

using namespace psg_cuda;

struct dock_cuda {
    size_t n;
    cudaStream_t stream;
    psg_cuda_fft *xy[2], *z;   // xy: forward and inverse
    void *work, *spectrum;     // of the FFTs; of a grid
    void *dense;               // cells, where a grid begins between two complex numbers
    unsigned long long *block; // [blocks][DOCK_KEPT]: the best of each block of threads
};

namespace {

constexpr int threads = 256, blocks = 512, best = DOCK_KEPT;
using number = complex_t<float>;

size_t cells_of(const dock_cuda *d) {
    return d->n * d->n * d->n;
}

size_t modes_of(const dock_cuda *d) {
    return d->n * d->n * (d->n / 2 + 1);
}

/// A block for each atom.
__global__ void __launch_bounds__(threads)
    mobile_kernel(const dock_grid grid, const dock_turn turn, const dock_atom *atom, float *cells) {
    const dock_atom a = dock_turned(&turn, atom[blockIdx.x]);
    size_t range[3][2], length[3];
    for (int d = 0; d < 3; d++) {
        dock_range(&grid, a.at[d], range[d]);
        length[d] = range[d][1] > range[d][0] ? range[d][1] - range[d][0] : 0;
    }
    for (size_t m = threadIdx.x; m < length[0] * length[1] * length[2]; m += threads) {
        const size_t i = range[0][0] + m % length[0];
        const size_t j = range[1][0] + m / length[0] % length[1];
        const size_t k = range[2][0] + m / length[0] / length[1];
        if (dock_covers(dock_middle(&grid, i) - a.at[0], dock_middle(&grid, j) - a.at[1],
                        dock_middle(&grid, k) - a.at[2]))
            cells[(k * grid.n + j) * grid.n + i] = 1;
    }
}

/// A cell that becomes core is as little 0 as before, so it does not matter when others see it.
__global__ void __launch_bounds__(threads) core_kernel(const dock_grid grid, float *cells) {
    const size_t count = grid.n * grid.n * grid.n;
    for (size_t m = blockIdx.x * (size_t)threads + threadIdx.x; m < count;
         m += gridDim.x * (size_t)threads)
        if (cells[m] != 0 && !dock_at_surface(&grid, cells, m))
            cells[m] = DOCK_CORE;
}

/// A thread for each of the eight cells of an atom.
__global__ void __launch_bounds__(threads)
    charges_kernel(const dock_grid grid, const dock_turn turn, const dock_atom *atom, size_t atoms,
                   float *charges) {
    const long none[3] = {0, 0, 0};
    const size_t m = blockIdx.x * (size_t)threads + threadIdx.x;
    if (m < 8 * atoms) {
        const dock_atom turned = dock_turned(&turn, atom[m / 8]);
        size_t cell = 0;
        const double share = dock_share(&grid, &turned, (int)(m % 8), none, &cell);
        atomicAdd(&charges[cell], (float)share);
    }
}

__global__ void __launch_bounds__(threads)
    potential_kernel(const dock_grid grid, const dock_atom *atom, size_t atoms, const float *cells,
                     float *potential) {
    const size_t n = grid.n;
    for (size_t m = blockIdx.x * (size_t)threads + threadIdx.x; m < n * n * n;
         m += gridDim.x * (size_t)threads) {
        double sum = 0;
        for (size_t a = 0; a < atoms && cells[m] != DOCK_CORE; a++) {
            const double x = dock_middle(&grid, m % n) - atom[a].at[0];
            const double y = dock_middle(&grid, m / n % n) - atom[a].at[1];
            const double z = dock_middle(&grid, m / n / n) - atom[a].at[2];
            if (atom[a].charge != 0)
                sum += atom[a].charge * dock_potential(x * x + y * y + z * z);
        }
        potential[m] = (float)sum;
    }
}

__global__ void __launch_bounds__(threads) clear_kernel(dock_candidate *list, size_t count) {
    for (size_t m = blockIdx.x * (size_t)threads + threadIdx.x; m < count;
         m += gridDim.x * (size_t)threads)
        list[m] = dock_no_pose();
}

/// m = s times the conjugate of m
__global__ void __launch_bounds__(threads)
    product_kernel(const number *s, number *m, size_t count) {
    for (size_t i = blockIdx.x * (size_t)threads + threadIdx.x; i < count;
         i += gridDim.x * (size_t)threads)
        m[i] = mul_conj(s[i], m[i]);
}

/// The largest of three and one more, the largest first.
__device__ void insert(unsigned long long list[best], unsigned long long key) {
    for (int m = 0; m < best; m++)
        if (key > list[m]) {
            const unsigned long long next = list[m];
            list[m] = key;
            key = next;
        }
}

/// The best of all lists of a block are left in the first thread's.
__device__ void gather(unsigned long long list[best]) {
    __shared__ unsigned long long all[threads][best];
    for (int m = 0; m < best; m++)
        all[threadIdx.x][m] = list[m];
    for (unsigned half = threads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            for (int m = 0; m < best; m++)
                insert(list, all[threadIdx.x + half][m]);
            for (int m = 0; m < best; m++)
                all[threadIdx.x][m] = list[m];
        }
    }
}

/// The best of this block.
__device__ void leave(unsigned long long list[best], unsigned long long *block) {
    gather(list);
    if (threadIdx.x == 0)
        for (int m = 0; m < best; m++)
            block[blockIdx.x * best + m] = list[m];
}

/// Its upper half is 0 where no pose is.
__device__ unsigned long long key_of(int32_t score, uint32_t cell) {
    return (unsigned long long)((uint32_t)score ^ 0x80000000u) << 32 | (0xffffffffu - cell);
}

__device__ unsigned long long key_of(const float *sums, double scale, size_t cell) {
    return key_of(__double2int_rn((double)sums[cell] * scale), (uint32_t)cell);
}

__device__ dock_candidate pose_of(unsigned long long key, int32_t rotation) {
    const dock_candidate pose = {(int32_t)((uint32_t)(key >> 32) ^ 0x80000000u), rotation,
                                 (int32_t)(0xffffffffu - (uint32_t)key)};
    return key >> 32 != 0 ? pose : dock_no_pose();
}

/// Where energies count, of the poses whose energy is surely negative.
__global__ void __launch_bounds__(threads)
    best_kernel(const dock_grid grid, const float *sums, const dock_energies energies,
                unsigned long long *block) {
    const size_t cells = grid.n * grid.n * grid.n;
    const double scale = 1 / (double)cells;
    unsigned long long list[best] = {};
    for (size_t m = blockIdx.x * (size_t)threads + threadIdx.x; m < cells;
         m += gridDim.x * (size_t)threads)
        if (dock_sign(&grid, &energies, m) < 0)
            insert(list, key_of(sums, scale, m));
    leave(list, block);
}

/// Of those, and of the poses whose energy has to be added up: one thread does, so only poses that
/// would be among the best are.
__global__ void __launch_bounds__(threads)
    near_kernel(const dock_grid grid, const float *sums, const dock_energies energies,
                const dock_candidate *sure, unsigned long long *block) {
    const size_t cells = grid.n * grid.n * grid.n;
    const double scale = 1 / (double)cells;
    const unsigned long long last = key_of(sure[best - 1].score, (uint32_t)sure[best - 1].cell);
    unsigned long long list[best] = {};
    for (int m = 0; m < best && blockIdx.x == 0 && threadIdx.x == 0; m++)
        list[m] = key_of(sure[m].score, (uint32_t)sure[m].cell);
    for (size_t m = blockIdx.x * (size_t)threads + threadIdx.x; m < cells;
         m += gridDim.x * (size_t)threads) {
        const unsigned long long key = key_of(sums, scale, m);
        if (key > last && key > list[best - 1] && dock_sign(&grid, &energies, m) == 0 &&
            dock_negative(&grid, &energies, m))
            insert(list, key);
    }
    leave(list, block);
}

__global__ void __launch_bounds__(threads)
    best_of_blocks_kernel(const unsigned long long *block, int32_t rotation, dock_candidate *to) {
    unsigned long long list[best] = {};
    for (int m = threadIdx.x; m < blocks * best; m += threads)
        insert(list, block[m]);
    gather(list);
    if (threadIdx.x == 0)
        for (int m = 0; m < best; m++)
            to[m] = pose_of(list[m], rotation);
}

__global__ void merge_kernel(const dock_candidate *poses, size_t count, dock_candidate *list,
                             size_t most) {
    for (size_t m = 0; m < count; m++) {
        const dock_candidate pose = poses[m];
        dock_insert(list, most, &pose);
    }
}

/// Plans of all steps, with one work area.
int make_plans(dock_cuda *d) {
    const size_t n = d->n;
    const psg_cuda_r2r periodic[2] = {PSG_CUDA_DFT, PSG_CUDA_DFT};
    int code = psg_cuda_fft_create_xy(&d->xy[0], PSG_CUDA_F32, PSG_CUDA_FORWARD, periodic, n, n, n);
    if (code == 0)
        code = psg_cuda_fft_create_xy(&d->xy[1], PSG_CUDA_F32, PSG_CUDA_INVERSE, periodic, n, n, n);
    if (code == 0)
        code = psg_cuda_fft_create_z(&d->z, PSG_CUDA_F32, PSG_CUDA_Z_STRIDED, PSG_CUDA_DFT,
                                     n * (n / 2 + 1), n);
    psg_cuda_fft *const all[3] = {d->xy[0], d->xy[1], d->z};
    size_t bytes = 1;
    for (int m = 0; m < 3 && code == 0; m++)
        bytes = psg_cuda_fft_work_bytes(all[m]) > bytes ? psg_cuda_fft_work_bytes(all[m]) : bytes;
    if (code == 0)
        code = cudaMalloc(&d->work, bytes);
    for (int m = 0; m < 3 && code == 0; m++) {
        code = psg_cuda_fft_set_work_area(all[m], d->work);
        if (code == 0)
            code = psg_cuda_fft_set_stream(all[m], d->stream);
    }
    return code;
}

/// cells -> spectrum
int transform(dock_cuda *d, float *cells, void *spectrum) {
    const psg_cuda_field field = psg_cuda_dense_field(cells, d->n, d->n);
    const int code = psg_cuda_fft_run_xy(d->xy[0], &field, spectrum, d->dense);
    return code == 0 ? psg_cuda_fft_run_z(d->z, PSG_CUDA_FORWARD, spectrum) : code;
}

} // namespace

int dock_cuda_create(dock_cuda **dock, size_t n, cudaStream_t stream) {
    *dock = nullptr;
    dock_cuda *d = new (std::nothrow) dock_cuda{};
    if (d == nullptr)
        return cudaErrorMemoryAllocation;
    d->n = n;
    d->stream = stream;
    int code = make_plans(d);
    if (code == 0)
        code = cudaMalloc(&d->spectrum, modes_of(d) * sizeof(number));
    if (code == 0 && n % 2 != 0)
        code = cudaMalloc(&d->dense, cells_of(d) * sizeof(float));
    if (code == 0)
        code = cudaMalloc((void **)&d->block, blocks * best * sizeof *d->block);
    if (code == 0)
        *dock = d;
    else
        dock_cuda_destroy(d);
    return code;
}

void dock_cuda_destroy(dock_cuda *d) {
    if (d != nullptr) {
        psg_cuda_fft_destroy(d->xy[0]);
        psg_cuda_fft_destroy(d->xy[1]);
        psg_cuda_fft_destroy(d->z);
        (void)cudaFree(d->work);
        (void)cudaFree(d->spectrum);
        (void)cudaFree(d->dense);
        (void)cudaFree(d->block);
    }
    delete d;
}

int dock_cuda_mobile(dock_cuda *d, const dock_grid *grid, const dock_turn *turn,
                     const dock_atom *atom_d, size_t atoms, float *cells_d) {
    if (grid->n != d->n || atoms == 0 || atoms > INT32_MAX)
        return cudaErrorInvalidValue;
    const int code = cudaMemsetAsync(cells_d, 0, cells_of(d) * sizeof *cells_d, d->stream);
    if (code != 0)
        return code;
    mobile_kernel<<<(unsigned)atoms, threads, 0, d->stream>>>(*grid, *turn, atom_d, cells_d);
    return cudaGetLastError();
}

int dock_cuda_charges(dock_cuda *d, const dock_grid *grid, const dock_turn *turn,
                      const dock_atom *atom_d, size_t atoms, float *charges_d) {
    if (grid->n != d->n || atoms == 0 || atoms > INT32_MAX)
        return cudaErrorInvalidValue;
    const int code = cudaMemsetAsync(charges_d, 0, cells_of(d) * sizeof *charges_d, d->stream);
    if (code != 0)
        return code;
    charges_kernel<<<(unsigned)((8 * atoms - 1) / threads + 1), threads, 0, d->stream>>>(
        *grid, *turn, atom_d, atoms, charges_d);
    return cudaGetLastError();
}

int dock_cuda_static(dock_cuda *d, const dock_grid *grid, const dock_atom *atom_d, size_t atoms,
                     void *spectrum_d, dock_candidate *list_d, size_t count) {
    const dock_turn none = {{1, 1, 1}, {0, 0, 0}};
    float *cells = static_cast<float *>(d->spectrum); // which are fewer bytes than it
    const int code = dock_cuda_mobile(d, grid, &none, atom_d, atoms, cells);
    if (code != 0)
        return code;
    core_kernel<<<blocks, threads, 0, d->stream>>>(*grid, cells);
    clear_kernel<<<blocks, threads, 0, d->stream>>>(list_d, count);
    const int launched = cudaGetLastError();
    return launched == 0 ? transform(d, cells, spectrum_d) : launched;
}

int dock_cuda_potential(dock_cuda *d, const dock_grid *grid, const dock_atom *atom_d, size_t atoms,
                        float *potential_d, void *spectrum_d) {
    potential_kernel<<<blocks, threads, 0, d->stream>>>(
        *grid, atom_d, atoms, static_cast<const float *>(d->spectrum), potential_d);
    const int launched = cudaGetLastError();
    return launched == 0 ? transform(d, potential_d, spectrum_d) : launched;
}

int dock_cuda_correlate(dock_cuda *d, const void *fixed_d, float *cells_d) {
    int code = transform(d, cells_d, d->spectrum);
    if (code != 0)
        return code;
    product_kernel<<<blocks, threads, 0, d->stream>>>(
        static_cast<const number *>(fixed_d), static_cast<number *>(d->spectrum), modes_of(d));
    code = cudaGetLastError();
    if (code == 0)
        code = psg_cuda_fft_run_z(d->z, PSG_CUDA_INVERSE, d->spectrum);
    const psg_cuda_field field = psg_cuda_dense_field(cells_d, d->n, d->n);
    return code == 0 ? psg_cuda_fft_run_xy(d->xy[1], &field, d->spectrum, d->dense) : code;
}

int dock_cuda_best(dock_cuda *d, const dock_grid *grid, const float *sums_d,
                   const dock_energies *energies_d, int32_t rotation, dock_candidate *best_d) {
    best_kernel<<<blocks, threads, 0, d->stream>>>(*grid, sums_d, *energies_d, d->block);
    best_of_blocks_kernel<<<1, threads, 0, d->stream>>>(d->block, rotation, best_d);
    if (energies_d->sums != nullptr) {
        near_kernel<<<blocks, threads, 0, d->stream>>>(*grid, sums_d, *energies_d, best_d,
                                                       d->block);
        best_of_blocks_kernel<<<1, threads, 0, d->stream>>>(d->block, rotation, best_d);
    }
    return cudaGetLastError();
}

int dock_cuda_merge(dock_cuda *d, const dock_candidate *poses_d, size_t poses,
                    dock_candidate *list_d, size_t count) {
    merge_kernel<<<1, 1, 0, d->stream>>>(poses_d, poses, list_d, count);
    return cudaGetLastError();
}
