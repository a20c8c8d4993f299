// Steps of conjugate gradients. A warp has a row of a segment, its lanes the numbers in turn, and a
// block ROWS rows: that is the order of the sums, see base/pcg.h. The compiler fuses no product
// with a sum here, as cores do not.
#include "kernels/pcg.cuh"
#include "kernels/pcg.h"

#include <cstdint>

namespace {

constexpr int lanes = BASE_PCG_LANES, rows = BASE_PCG_ROWS, sum_lanes = BASE_PCG_SUM_LANES;
static_assert(lanes == 32, "a warp has a row");

/// What stands for all numbers of a block.
__device__ void keep(int measure, double value, double *to) {
    __shared__ double of_row[rows];
    for (int half = lanes / 2; half > 0; half /= 2)
        value = base_pcg_join(measure, value, __shfl_down_sync(~0u, value, half));
    __syncthreads(); // what stood there before has been read
    if (threadIdx.x == 0)
        of_row[threadIdx.y] = value;
    __syncthreads();
    if (threadIdx.y > 0)
        return;
    value = threadIdx.x < blockDim.y ? of_row[threadIdx.x] : base_pcg_nothing(measure);
    for (int half = rows / 2; half > 0; half /= 2)
        value = base_pcg_join(measure, value, __shfl_down_sync(~0u, value, half));
    if (threadIdx.x == 0)
        *to = value;
}

/// Do the work at each point, and join what it tells.
template <class Work>
__global__ void __launch_bounds__(lanes *rows) each_kernel(const base_pcg_task t) {
    const size_t blocks = base_pcg_blocks(t.n[1]);
    const size_t k = blockIdx.x / blocks, j = blockIdx.x % blocks * rows + threadIdx.y;
    const Work work(t);
    double sum[Work::sums];
    PSG_UNROLL
    for (int m = 0; m < Work::sums; m++)
        sum[m] = base_pcg_nothing(base_pcg_measure(Work::stage, m));
    if (j < t.n[1])
        for (size_t i = threadIdx.x; i < t.n[0]; i += lanes)
            work(t, psg_cuda::pcg_point(t, i, j, k), sum);
    if (!t.part)
        return;
    PSG_UNROLL
    for (int m = 0; m < Work::sums; m++)
        if (m < base_pcg_measures(Work::stage, &t.terms))
            keep(base_pcg_measure(Work::stage, m), sum[m],
                 t.part + (size_t)m * t.n[2] * blocks + blockIdx.x);
}

__global__ void __launch_bounds__(sum_lanes)
    join_kernel(const base_pcg_pieces pieces, double *of_lane) {
    for (int m = 0; m < pieces.measures; m++, of_lane += sum_lanes) {
        const int measure = base_pcg_measure(pieces.stage, m);
        double value = pieces.start == 0 ? base_pcg_nothing(measure) : of_lane[threadIdx.x];
        size_t number = pieces.start;
        for (size_t s = 0; s < pieces.count; s++) {
            const double *part = pieces.part[s] + (size_t)m * pieces.numbers[s];
            const size_t first = (threadIdx.x + sum_lanes - number % sum_lanes) % sum_lanes;
            for (size_t i = first; i < pieces.numbers[s]; i += sum_lanes)
                value = base_pcg_join(measure, value, part[i]);
            number += pieces.numbers[s];
        }
        of_lane[threadIdx.x] = value;
    }
}

__global__ void __launch_bounds__(sum_lanes)
    next_kernel(base_pcg_stage stage, const double *of_lane, const base_pcg_terms terms,
                double *scalars, double *report) {
    __shared__ double value[sum_lanes];
    double sum[BASE_PCG_MEASURES];
    for (int m = 0; m < base_pcg_measures(stage, &terms); m++, of_lane += sum_lanes) {
        const int measure = base_pcg_measure(stage, m);
        value[threadIdx.x] = of_lane[threadIdx.x];
        __syncthreads();
        for (int half = sum_lanes / 2; half > 0; half /= 2) {
            if (threadIdx.x < half)
                value[threadIdx.x] =
                    base_pcg_join(measure, value[threadIdx.x], value[threadIdx.x + half]);
            __syncthreads();
        }
        sum[m] = value[0];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        base_pcg_next(stage, sum, &terms, scalars);
        for (int m = 0; report && m < BASE_PCG_SCALARS; m++)
            report[m] = scalars[m];
    }
}

/// Blocks for a segment; 0: too many, or none.
unsigned grid_of(const base_pcg_task *t) {
    const size_t blocks = base_pcg_blocks(t->n[1]), planes = t->n[2];
    const bool good = t->n[0] > 0 && t->n[1] > 0 && planes > 0 && planes <= INT32_MAX / blocks;
    return good ? (unsigned)(planes * blocks) : 0;
}

template <class Work> cudaError_t launch(const base_pcg_task *t, cudaStream_t stream) {
    const unsigned grid = grid_of(t);
    if (grid == 0)
        return cudaErrorInvalidValue;
    const unsigned used = t->n[1] < rows ? (unsigned)t->n[1] : rows; // rows of a block
    each_kernel<Work><<<grid, dim3(lanes, used), 0, stream>>>(*t);
    return cudaGetLastError();
}

} // namespace

cudaError_t psg_cuda_pcg_measure(const base_pcg_task *t, cudaStream_t stream) {
    if (grid_of(t) == 0)
        return cudaErrorInvalidValue;
    const size_t plane = t->n[0] * t->n[1], planes = t->n[2];
    const double *const from[] = {t->below, t->p, t->above};
    double *const to[] = {t->eps[0], t->eps[0] + plane, t->eps[0] + (planes + 1) * plane};
    for (int m = 0; m < 3 && !t->eps[1]; m++) {
        const size_t bytes = (m == 1 ? planes : 1) * plane * sizeof(double);
        const cudaError_t error =
            cudaMemcpyAsync(to[m], from[m], bytes, cudaMemcpyDeviceToDevice, stream);
        if (error != cudaSuccess)
            return error;
    }
    return t->part ? launch<psg_cuda::pcg_measure>(t, stream) : cudaSuccess;
}

cudaError_t psg_cuda_pcg_start(const base_pcg_task *t, cudaStream_t stream) {
    return launch<psg_cuda::pcg_start>(t, stream);
}

cudaError_t psg_cuda_pcg_dot(const base_pcg_task *t, cudaStream_t stream) {
    return launch<psg_cuda::pcg_dot>(t, stream);
}

cudaError_t psg_cuda_pcg_direction(const base_pcg_task *t, cudaStream_t stream) {
    return launch<psg_cuda::pcg_direction>(t, stream);
}

cudaError_t psg_cuda_pcg_apply(const base_pcg_task *t, cudaStream_t stream) {
    return t->eps[1] ? launch<psg_cuda::pcg_apply<true>>(t, stream)
                     : launch<psg_cuda::pcg_apply<false>>(t, stream);
}

cudaError_t psg_cuda_pcg_update(const base_pcg_task *t, cudaStream_t stream) {
    return launch<psg_cuda::pcg_update>(t, stream);
}

cudaError_t psg_cuda_pcg_end(const base_pcg_task *t, cudaStream_t stream) {
    return launch<psg_cuda::pcg_end>(t, stream);
}

cudaError_t psg_cuda_pcg_join(const base_pcg_pieces *pieces, double *lanes_d, cudaStream_t stream) {
    join_kernel<<<1, sum_lanes, 0, stream>>>(*pieces, lanes_d);
    return cudaGetLastError();
}

cudaError_t psg_cuda_pcg_next(base_pcg_stage stage, double *lanes_d, const base_pcg_terms *terms,
                              double *scalars_d, double *report_d, cudaStream_t stream) {
    next_kernel<<<1, sum_lanes, 0, stream>>>(stage, lanes_d, *terms, scalars_d, report_d);
    return cudaGetLastError();
}
