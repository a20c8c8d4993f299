// Steps of conjugate gradients. A warp has a row of a segment at a time, its lanes the numbers in
// turn, and a block ROWS rows: that is the order of the sums, see base/pcg.h. The compiler fuses no
// product with a sum here, as cores do not.
#include "kernels/pcg.cuh"
#include "kernels/pcg.h"

#include <cstdint>

namespace {

constexpr int lanes = BASE_PCG_LANES, rows = BASE_PCG_ROWS, sum_lanes = BASE_PCG_SUM_LANES;
constexpr int warps = 8;           // of a block
constexpr size_t few_blocks = 132; // fewer leave processors of a large GPU idle
static_assert(lanes == 32 && rows == 32, "a warp has a row, and joins the rows of a block");

/// What stands for the lanes' numbers, in lane 0.
__device__ double join_lanes(int measure, double value) {
    for (int half = lanes / 2; half > 0; half /= 2)
        value = base_pcg_join(measure, value, __shfl_down_sync(~0u, value, half));
    return value;
}

/// Do the work in `groups` times its planes of a segment from plane `first` on, and join what it
/// tells. A block has some rows of a group.
template <class Work>
__global__ void __launch_bounds__(lanes *warps, Work::planes > 1 ? 2 : 3)
    each_kernel(const __grid_constant__ base_pcg_task t, unsigned first, unsigned groups) {
    constexpr int planes = Work::planes, numbers = Work::sums * planes;
    __shared__ double of_row[numbers][rows];
    const size_t blocks = base_pcg_blocks(t.n[1]);
    // Groups beside each other, which read the same planes, run at the same time.
    const size_t block = planes > 1 ? blockIdx.x / groups : blockIdx.x % blocks;
    const size_t k = first + planes * (planes > 1 ? blockIdx.x % groups : blockIdx.x / blocks);
    Work work(t);
    for (unsigned row = threadIdx.y; row < rows; row += blockDim.y) {
        const size_t j = block * rows + row;
        double sum[numbers];
        PSG_UNROLL
        for (int m = 0; m < numbers; m++)
            sum[m] = base_pcg_nothing(base_pcg_measure(Work::stage, m / planes));
        if (j < t.n[1]) {
            work.begin(j, k);
            psg_cuda::pcg_do_row(work, threadIdx.x, (unsigned)t.n[0], sum);
        }
        PSG_UNROLL
        for (int m = 0; m < numbers && t.part; m++) {
            if (j < t.n[1])
                sum[m] = join_lanes(base_pcg_measure(Work::stage, m / planes), sum[m]);
            if (threadIdx.x == 0)
                of_row[m][row] = sum[m];
        }
    }
    if (!t.part)
        return;
    __syncthreads();
    const unsigned used = base_pcg_measures(Work::stage, &t.terms) * planes;
    for (unsigned m = threadIdx.y; m < used; m += blockDim.y) {
        const int measure = base_pcg_measure(Work::stage, m / planes);
        const double value = join_lanes(measure, of_row[m][threadIdx.x]);
        const size_t plane = k + m % planes;
        if (threadIdx.x == 0)
            t.part[(m / planes * t.n[2] + plane) * blocks + block] =
                value * base_pcg_counts(&t, measure, plane);
    }
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

bool good(const base_pcg_task *t) {
    const size_t blocks = base_pcg_blocks(t->n[1]), planes = t->n[2];
    return t->n[0] > 0 && t->n[0] <= INT32_MAX && t->n[1] > 0 && planes > 0 &&
           planes <= INT32_MAX / blocks;
}

/// From plane `first` on in whole groups of planes. @return the first plane after them
template <class Work>
size_t launch_from(const base_pcg_task *t, size_t first, cudaStream_t stream) {
    const size_t groups = (t->n[2] - first) / Work::planes, blocks = base_pcg_blocks(t->n[1]);
    const unsigned used = t->n[1] < warps ? (unsigned)t->n[1] : warps;
    if (groups > 0)
        each_kernel<Work><<<(unsigned)(groups * blocks), dim3(lanes, used), 0, stream>>>(
            *t, (unsigned)first, (unsigned)groups);
    return first + groups * Work::planes;
}

template <class Work> cudaError_t launch(const base_pcg_task *t, cudaStream_t stream) {
    if (!good(t))
        return cudaErrorInvalidValue;
    launch_from<Work>(t, 0, stream);
    return cudaGetLastError();
}

template <template <bool> class Work>
cudaError_t launch_for(bool single, const base_pcg_task *t, cudaStream_t stream) {
    return single ? launch<Work<true>>(t, stream) : launch<Work<false>>(t, stream);
}

template <bool FACES, bool STRETCHED>
cudaError_t launch_apply(const base_pcg_task *t, cudaStream_t stream) {
    using psg_cuda::pcg_apply, psg_cuda::pcg_planes;
    if (!good(t))
        return cudaErrorInvalidValue;
    const bool small = t->n[2] / pcg_planes * base_pcg_blocks(t->n[1]) < few_blocks;
    const size_t end =
        small ? 0 : launch_from<pcg_apply<FACES, pcg_planes, STRETCHED>>(t, 0, stream);
    launch_from<pcg_apply<FACES, 1, STRETCHED>>(t, end, stream);
    return cudaGetLastError();
}

/// Sides are free.
template <bool STRETCHED>
cudaError_t launch_apply_outside(const base_pcg_task *t, cudaStream_t stream) {
    return launch<psg_cuda::pcg_apply<false, 1, STRETCHED, true>>(t, stream);
}

template <bool FACES> cudaError_t launch_apply_for(const base_pcg_task *t, cudaStream_t stream) {
    return t->widths.of ? launch_apply<FACES, true>(t, stream)
                        : launch_apply<FACES, false>(t, stream);
}

} // namespace

cudaError_t psg_cuda_pcg_measure(const base_pcg_task *t, cudaStream_t stream) {
    if (!good(t))
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
    return launch_for<psg_cuda::pcg_dot>(t->solution.single, t, stream);
}

cudaError_t psg_cuda_pcg_direction(const base_pcg_task *t, cudaStream_t stream) {
    return launch_for<psg_cuda::pcg_direction>(t->solution.single, t, stream);
}

cudaError_t psg_cuda_pcg_apply(const base_pcg_task *t, cudaStream_t stream) {
    return t->outside  ? t->widths.of ? launch_apply_outside<true>(t, stream)
                                      : launch_apply_outside<false>(t, stream)
            : t->eps[1] ? launch_apply_for<true>(t, stream)
                       : launch_apply_for<false>(t, stream);
}

cudaError_t psg_cuda_pcg_update(const base_pcg_task *t, cudaStream_t stream) {
    return launch_for<psg_cuda::pcg_update>(t->source.single, t, stream);
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
