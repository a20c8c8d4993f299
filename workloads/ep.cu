// EP: a thread draws 64 pairs, and a block of them adds up what its threads found, in an order that
// is always the same. Then one block adds up what all blocks found.
#include "kernels/sum.cuh"
#include "workloads/ep.h"
#include "workloads/random.h"

namespace {

constexpr int threads = 128;
constexpr unsigned pairs_log2 = 6;              // of a thread
constexpr unsigned block_log2 = pairs_log2 + 7; // of a block
constexpr unsigned least_log2 = 16, most_log2 = 40;
constexpr int sums = 2, rings = EP_NUMBERS - sums;

static_assert(1 << (block_log2 - pairs_log2) == threads,
              "a block has as many pairs as its threads draw");

/// Pairs by ring of a thread, a byte each: it has at most 64 of them.
struct ring_counts {
    unsigned long long low, high; // rings 0 to 7; 8 and 9

    __device__ void add(int ring) {
        low += ring < 8 ? 1ull << (8 * ring) : 0;
        high += ring < 8 ? 0 : 1ull << (8 * (ring - 8));
    }
    __device__ int of(int ring) const {
        return (int)((ring < 8 ? low >> (8 * ring) : high >> (8 * (ring - 8))) & 255);
    }
};

/// scratch [blocks][EP_NUMBERS]
__global__ void __launch_bounds__(threads) pairs_kernel(uint64_t first, double *scratch) {
    const uint64_t thread = (uint64_t)blockIdx.x * threads + threadIdx.x;
    uint64_t x = random_after(RANDOM_SEED, 2 * (first + (thread << pairs_log2)));
    double sum[sums] = {0, 0}, normals[2];
    ring_counts count = {0, 0};
    for (int pair = 0; pair < 1 << pairs_log2; pair++) {
        const int ring = random_normals(&x, normals);
        if (ring >= 0) {
            count.add(ring < rings ? ring : rings - 1);
            sum[0] += normals[0];
            sum[1] += normals[1];
        }
    }
    for (int m = 0; m < EP_NUMBERS; m++) {
        const double all = block_sum<threads>(m < sums ? sum[m] : count.of(m - sums));
        if (threadIdx.x == 0)
            scratch[(size_t)blockIdx.x * EP_NUMBERS + m] = all;
    }
}

/// Block m adds up number m.
__global__ void __launch_bounds__(threads)
    blocks_kernel(const double *scratch, size_t blocks, double *numbers) {
    double sum = 0;
    for (size_t b = threadIdx.x; b < blocks; b += threads)
        sum += scratch[b * EP_NUMBERS + blockIdx.x];
    sum = block_sum<threads>(sum);
    if (threadIdx.x == 0)
        numbers[blockIdx.x] = sum;
}

__global__ void add_kernel(double *sum, const double *numbers) {
    sum[threadIdx.x] += numbers[threadIdx.x];
}

} // namespace

size_t ep_cuda_scratch(unsigned count_log2) {
    return ((size_t)1 << (count_log2 - block_log2)) * EP_NUMBERS;
}

cudaError_t ep_cuda(uint64_t first, unsigned count_log2, double *numbers_d, double *scratch_d,
                    cudaStream_t stream) {
    if (count_log2 < least_log2 || count_log2 > most_log2)
        return cudaErrorInvalidValue;
    const size_t blocks = (size_t)1 << (count_log2 - block_log2);
    pairs_kernel<<<(unsigned)blocks, threads, 0, stream>>>(first, scratch_d);
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess)
        return error;
    blocks_kernel<<<EP_NUMBERS, threads, 0, stream>>>(scratch_d, blocks, numbers_d);
    return cudaGetLastError();
}

cudaError_t ep_cuda_add(double *sum_d, const double *numbers_d, cudaStream_t stream) {
    add_kernel<<<1, EP_NUMBERS, 0, stream>>>(sum_d, numbers_d);
    return cudaGetLastError();
}
