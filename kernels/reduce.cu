// Reductions in two launches: a fixed number of blocks, whatever the device, each with a fixed share
// of the numbers, then one block over their results, both as a tree. So the order of the sum is fixed.
#include "kernels/complex.cuh"
#include "kernels/reduce.h"

using namespace psg_cuda;

namespace {

constexpr int threads = 256;
constexpr int blocks = 1024;
constexpr int unroll = 8;

struct partial {
    unsigned long long bad;
    double max_abs, sum;
};

__device__ partial merge(const partial &a, const partial &b) {
    return {a.bad < b.bad ? a.bad : b.bad, a.max_abs > b.max_abs ? a.max_abs : b.max_abs,
            a.sum + b.sum};
}

/// The partials of a block, merged; thread 0 gets them, the others a part.
__device__ partial merge_block(partial mine) {
    __shared__ partial shared[threads];
    shared[threadIdx.x] = mine;
    for (int half = threads / 2; half > 0; half /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < half) {
            mine = merge(mine, shared[threadIdx.x + half]);
            shared[threadIdx.x] = mine;
        }
    }
    return mine;
}

template <class Real>
__global__ void __launch_bounds__(threads)
    reduce_numbers(const Real *data, size_t n, partial *partials) {
    partial mine = {n, 0.0, 0.0};
    const size_t step = (size_t)blocks * threads;
    for (size_t i = (size_t)blockIdx.x * threads + threadIdx.x; i < n; i += step * unroll) {
        Real v[unroll];
        PSG_UNROLL
        for (int e = 0; e < unroll; e++)
            v[e] = i + e * step < n ? data[i + e * step] : Real(0);
        PSG_UNROLL
        for (int e = 0; e < unroll; e++) {
            const Real size = v[e] < Real(0) ? -v[e] : v[e];
            if (!(size - size == Real(0))) // NaN, or infinity minus itself
                mine.bad = i + e * step < mine.bad ? i + e * step : mine.bad;
            else if ((double)size > mine.max_abs)
                mine.max_abs = (double)size;
            mine.sum += (double)v[e];
        }
    }
    mine = merge_block(mine);
    if (threadIdx.x == 0)
        partials[blockIdx.x] = mine;
}

__global__ void __launch_bounds__(threads)
    reduce_partials(const partial *partials, psg_cuda_summary *summary) {
    partial mine = partials[threadIdx.x];
    for (int b = threadIdx.x + threads; b < blocks; b += threads)
        mine = merge(mine, partials[b]);
    mine = merge_block(mine);
    if (threadIdx.x == 0)
        *summary = {mine.bad, mine.max_abs, mine.sum};
}

template <class Real>
cudaError_t launch(const void *data_d, size_t n, partial *partials, psg_cuda_summary *summary_d,
                   cudaStream_t stream) {
    reduce_numbers<Real>
        <<<blocks, threads, 0, stream>>>(static_cast<const Real *>(data_d), n, partials);
    const cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess)
        return e;
    reduce_partials<<<1, threads, 0, stream>>>(partials, summary_d);
    return cudaGetLastError();
}

} // namespace

size_t psg_cuda_reduce_scratch_bytes(void) {
    return blocks * sizeof(partial);
}

cudaError_t psg_cuda_reduce(psg_cuda_precision precision, const void *data_d, size_t n,
                            void *scratch_d, psg_cuda_summary *summary_d, cudaStream_t stream) {
    const size_t bytes = precision == PSG_CUDA_F64 ? sizeof(double) : sizeof(float);
    if ((precision != PSG_CUDA_F64 && precision != PSG_CUDA_F32) || (!data_d && n > 0) ||
        !scratch_d || !summary_d || (uintptr_t)data_d % bytes || (uintptr_t)scratch_d % 16)
        return cudaErrorInvalidValue;
    partial *partials = static_cast<partial *>(scratch_d);
    return precision == PSG_CUDA_F64 ? launch<double>(data_d, n, partials, summary_d, stream)
                                     : launch<float>(data_d, n, partials, summary_d, stream);
}
