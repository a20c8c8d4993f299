// The potential of a charged plate: a block takes points, a warp of it takes a line of charges, and
// a thread every 32nd charge. Then one block adds up what all blocks found.
#include "kernels/sum.cuh"
#include "workloads/blocks.h"

namespace {

constexpr int threads = 128;
constexpr int warps = threads / warp_threads;

/// Cells of a row: blocks_plate_columns() of the plate below the points, and of that with the
/// charges.
struct row_lengths {
    uint32_t over, of;
};

/// scratch [blocks]
__global__ void __launch_bounds__(threads)
    points_kernel(blocks_plates p, row_lengths row, double *scratch) {
    const uint32_t warp = threadIdx.x / warp_threads, lane = threadIdx.x % warp_threads;
    const uint32_t lines = (p.of + row.of - 1) / row.of * p.fine;
    const float step = 1 / (float)p.fine;
    const float corner = 0.5f * step - 0.5f;
    double sum = 0;
    for (uint32_t point = blockIdx.x; point < p.points; point += gridDim.x) {
        const uint32_t cell = point % p.over;
        const float x = corner - (float)(cell % row.over);
        const float y = corner - (float)(cell / row.over);
        const float z = p.apart + 0.5f * (float)(1 + point / p.over);
        for (uint32_t line = warp; line < lines; line += warps) {
            const uint32_t begin = line / p.fine * row.of; // the row's first cell
            const uint32_t charges = min(row.of, p.of - begin) * p.fine;
            const float dy = y + (float)(line / p.fine) + step * (float)(line % p.fine);
            const float rest = dy * dy + z * z;
            float part = 0;
            for (uint32_t m = lane; m < charges; m += warp_threads) {
                const float dx = x + step * (float)m;
                part += rsqrtf(dx * dx + rest);
            }
            sum += part;
        }
    }
    sum = block_sum<threads>(sum);
    if (threadIdx.x == 0)
        scratch[blockIdx.x] = sum;
}

__global__ void __launch_bounds__(threads)
    blocks_kernel(const double *scratch, uint32_t blocks, double parts, double *mean) {
    double sum = 0;
    for (uint32_t b = threadIdx.x; b < blocks; b += threads)
        sum += scratch[b];
    sum = block_sum<threads>(sum);
    if (threadIdx.x == 0)
        *mean = sum / parts;
}

__global__ void couple_kernel(double *pair, const double *first, const double *second) {
    *pair /= sqrt(*first * *second);
}

} // namespace

cudaError_t blocks_cuda_plates(const blocks_plates *plates, double *mean_d, double *scratch_d,
                               cudaStream_t stream) {
    const blocks_plates p = *plates;
    const uint64_t most = (uint64_t)1 << 31;
    if (p.points == 0 || p.over == 0 || p.of == 0 || p.fine == 0 || p.points > most ||
        p.over > most || (uint64_t)p.of * p.fine > most)
        return cudaErrorInvalidValue;
    const uint32_t blocks =
        p.points < BLOCKS_CUDA_SCRATCH ? p.points : (uint32_t)BLOCKS_CUDA_SCRATCH;
    const row_lengths row = {blocks_plate_columns(p.over), blocks_plate_columns(p.of)};
    points_kernel<<<blocks, threads, 0, stream>>>(p, row, scratch_d);
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess)
        return error;
    const double parts = (double)p.points * p.of * p.fine * p.fine;
    blocks_kernel<<<1, threads, 0, stream>>>(scratch_d, blocks, parts, mean_d);
    return cudaGetLastError();
}

cudaError_t blocks_cuda_couple(double *pair_d, const double *first_d, const double *second_d,
                               cudaStream_t stream) {
    couple_kernel<<<1, 1, 0, stream>>>(pair_d, first_d, second_d);
    return cudaGetLastError();
}
