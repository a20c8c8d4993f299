// The product of a sparse matrix and a vector: lanes of a warp have a row, its numbers in turn, and
// a block has a leaf. That is the order of the sums, see workloads/cg.h. The compiler fuses no
// product with a sum here, as cores do not.
#include "workloads/cg.h"

#include <cstdint>

namespace {

constexpr int lanes = CG_LANES, leaf = BASE_PCG_LANES; // numbers at once, and rows
static_assert(leaf == 32 && leaf % lanes == 0, "a warp has some rows, and the sum of a leaf");

/// The first of `width` lanes gets the sum of their values, in halves.
__device__ double add_halves(double value, int width) {
    for (int half = width / 2; half > 0; half /= 2)
        value += __shfl_down_sync(~0u, value, half, width);
    return value;
}

__global__ void __launch_bounds__(lanes *leaf) apply_kernel(const cg_rows r) {
    __shared__ const double *p[CG_BLOCKS];
    __shared__ double product[leaf];
    const unsigned thread = threadIdx.y * lanes + threadIdx.x;
    const size_t row = blockIdx.x * size_t(leaf) + threadIdx.y;
    if (thread < CG_BLOCKS)
        p[thread] = r.p[thread];
    __syncthreads();
    const size_t end = r.start[row + 1] - r.start[0];
    double sum = 0;
    for (size_t i = r.start[row] - r.start[0] + threadIdx.x; i < end; i += lanes)
        sum += r.value[i] * p[r.column[i] >> CG_BITS][r.column[i] & CG_MASK];
    sum = add_halves(sum, lanes);
    if (threadIdx.x == 0) {
        r.q[row] = sum;
        product[threadIdx.y] = p[r.block][row] * sum;
    }
    __syncthreads();
    if (thread >= leaf)
        return;
    sum = add_halves(product[thread], leaf);
    if (thread == 0)
        r.part[blockIdx.x] = sum;
}

} // namespace

cudaError_t cg_cuda_apply(const cg_rows *rows, cudaStream_t stream) {
    if (rows->leaves == 0 || rows->leaves > INT32_MAX || rows->block >= CG_BLOCKS)
        return cudaErrorInvalidValue;
    apply_kernel<<<(unsigned)rows->leaves, dim3(lanes, leaf), 0, stream>>>(*rows);
    return cudaGetLastError();
}
