// Steps of conjugate gradients. A warp has a row of a segment, its lanes the numbers in turn, and a
// block ROWS rows: that is the order of the sums, see base/pcg.h. The compiler fuses no product
// with a sum here, as cores do not.
#include "kernels/pcg.h"

#include <cfloat>
#include <cstdint>

namespace {

constexpr int lanes = BASE_PCG_LANES, rows = BASE_PCG_ROWS, sum_lanes = BASE_PCG_SUM_LANES;
static_assert(lanes == 32, "a warp has a row");

__device__ double get(const base_pcg_field &a, size_t i, size_t j, size_t k) {
    const size_t at = k * a.plane_pitch + j * a.row_pitch + i;
    return a.single ? static_cast<const float *>(a.first)[at]
                    : static_cast<const double *>(a.first)[at];
}

__device__ void put(const base_pcg_field &a, size_t i, size_t j, size_t k, double value) {
    const size_t at = k * a.plane_pitch + j * a.row_pitch + i;
    if (a.single)
        static_cast<float *>(a.first)[at] = (float)value;
    else
        static_cast<double *>(a.first)[at] = value;
}

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

/// Do the work at each point; what it returns is summed.
template <class Work>
__global__ void __launch_bounds__(lanes *rows) each_kernel(const base_pcg_task t) {
    const size_t blocks = base_pcg_blocks(t.n[1]);
    const size_t k = blockIdx.x / blocks, j = blockIdx.x % blocks * rows + threadIdx.y;
    const Work work(t);
    double sum = 0;
    if (j < t.n[1])
        for (size_t i = threadIdx.x; i < t.n[0]; i += lanes)
            sum += work(t, i, j, k, (k * t.n[1] + j) * t.n[0] + i);
    if (t.part)
        keep(BASE_PCG_SUM, sum, t.part + blockIdx.x);
}

struct start_work {
    double mean, scale;
    __device__ explicit start_work(const base_pcg_task &t)
        : mean(t.scalars[BASE_PCG_F_MEAN]), scale(t.scalars[BASE_PCG_SCALE]) {
    }
    __device__ double operator()(const base_pcg_task &t, size_t i, size_t j, size_t k,
                                 size_t at) const {
        const double r = (get(t.f, i, j, k) - mean) * scale;
        t.r[at] = r;
        t.x[at] = t.p[at] = 0;
        put(t.source, i, j, k, r);
        return r * r;
    }
};

struct sum_work {
    __device__ explicit sum_work(const base_pcg_task &) {
    }
    __device__ double operator()(const base_pcg_task &t, size_t, size_t, size_t, size_t at) const {
        return t.r[at];
    }
};

struct dot_work {
    __device__ explicit dot_work(const base_pcg_task &) {
    }
    __device__ double operator()(const base_pcg_task &t, size_t i, size_t j, size_t k,
                                 size_t at) const {
        return t.r[at] * get(t.solution, i, j, k);
    }
};

struct direction_work {
    double beta;
    __device__ explicit direction_work(const base_pcg_task &t) : beta(t.scalars[BASE_PCG_BETA]) {
    }
    __device__ double operator()(const base_pcg_task &t, size_t i, size_t j, size_t k,
                                 size_t at) const {
        const double p = get(t.solution, i, j, k) + beta * t.p[at];
        t.p[at] = p;
        if (k == 0)
            t.low[j * t.n[0] + i] = p;
        if (k + 1 == t.n[2])
            t.high[j * t.n[0] + i] = p;
        return 0;
    }
};

struct apply_work {
    __device__ explicit apply_work(const base_pcg_task &) {
    }
    __device__ double operator()(const base_pcg_task &t, size_t i, size_t j, size_t k,
                                 size_t at) const {
        const size_t nx = t.n[0], ny = t.n[1], plane = nx * ny, in_plane = j * nx + i;
        const double *p = t.p + at, *e = t.eps + plane + at;
        const double here = *p;
        const size_t x0 = (i > 0 ? i - 1 : nx - 1), x1 = (i + 1 < nx ? i + 1 : 0);
        const size_t y0 = (j > 0 ? j - 1 : ny - 1), y1 = (j + 1 < ny ? j + 1 : 0);
        const double *row = p - i, *row_e = e - i, *flat = p - in_plane, *flat_e = e - in_plane;
        const double z0 = k > 0 ? *(p - plane) : t.below[in_plane];
        const double z1 = k + 1 < t.n[2] ? p[plane] : t.above[in_plane];
        const double q =
            t.terms.weight[0] *
                base_pcg_flux(*e, row_e[x0], row_e[x1], row[x0] - here, row[x1] - here) +
            t.terms.weight[1] * base_pcg_flux(*e, flat_e[y0 * nx + i], flat_e[y1 * nx + i],
                                              flat[y0 * nx + i] - here, flat[y1 * nx + i] - here) +
            t.terms.weight[2] * base_pcg_flux(*e, *(e - plane), e[plane], z0 - here, z1 - here) -
            t.terms.lambda * here;
        t.q[at] = q;
        return here * q;
    }
};

struct update_work {
    double alpha, mean;
    __device__ explicit update_work(const base_pcg_task &t)
        : alpha(t.scalars[BASE_PCG_ALPHA]), mean(t.scalars[BASE_PCG_R_MEAN]) {
    }
    __device__ double operator()(const base_pcg_task &t, size_t i, size_t j, size_t k,
                                 size_t at) const {
        const double r = t.r[at] - alpha * t.q[at] - mean;
        t.x[at] = t.x[at] + alpha * t.p[at];
        t.r[at] = r;
        put(t.source, i, j, k, r);
        return r * r;
    }
};

struct end_work {
    double back;
    __device__ explicit end_work(const base_pcg_task &t)
        : back(t.terms.factor / t.scalars[BASE_PCG_SCALE]) {
    }
    __device__ double operator()(const base_pcg_task &t, size_t i, size_t j, size_t k,
                                 size_t at) const {
        const double u = t.x[at] * back;
        put(t.u, i, j, k, u);
        if (!base_pcg_fits(t.u.single, u))
            *t.overflow = 1; // by many threads at once: all write the same
        return 0;
    }
};

/// A block has rows of a plane of eps: below the segment, in it, or above it.
__global__ void __launch_bounds__(lanes *rows) take_kernel(const base_pcg_task t) {
    const size_t blocks = base_pcg_blocks(t.n[1]);
    const size_t to = blockIdx.x / blocks, j = blockIdx.x % blocks * rows + threadIdx.y;
    const bool below = to == 0, above = to == t.n[2] + 1;
    const base_pcg_field &from = t.given[below ? 1 : above ? 2 : 0];
    const size_t k = below ? t.given_planes - 1 : above ? 0 : to - 1;
    if (j < t.n[1])
        for (size_t i = threadIdx.x; i < t.n[0]; i += lanes)
            t.eps[(to * t.n[1] + j) * t.n[0] + i] = get(from, i, j, k);
}

__global__ void __launch_bounds__(lanes *rows) measure_kernel(const base_pcg_task t) {
    const size_t blocks = base_pcg_blocks(t.n[1]);
    const size_t k = blockIdx.x / blocks, j = blockIdx.x % blocks * rows + threadIdx.y;
    double measure[BASE_PCG_MEASURES];
    for (int m = 0; m < BASE_PCG_MEASURES; m++)
        measure[m] = base_pcg_nothing(m);
    if (j < t.n[1])
        for (size_t i = threadIdx.x; i < t.n[0]; i += lanes) {
            const double f = get(t.f, i, j, k);
            const double eps = t.eps[((k + 1) * t.n[1] + j) * t.n[0] + i];
            const double good = base_pcg_good(eps) ? eps : 0;
            const double value[BASE_PCG_MEASURES] = {f, fabs(f), good, good};
            for (int m = 0; m < BASE_PCG_MEASURES; m++)
                measure[m] = base_pcg_join(m, measure[m], value[m]);
        }
    for (int m = 0; m < BASE_PCG_MEASURES; m++)
        keep(m, measure[m], t.part + (size_t)m * t.n[2] * blocks + blockIdx.x);
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

/// Blocks for so many planes more than the segment has; 0: too many, or none.
unsigned grid_of(const base_pcg_task *t, size_t more) {
    const size_t blocks = base_pcg_blocks(t->n[1]), planes = t->n[2] + more;
    const bool good = t->n[0] > 0 && t->n[1] > 0 && t->n[2] > 0 && planes <= INT32_MAX / blocks;
    return good ? (unsigned)(planes * blocks) : 0;
}

template <class Work> cudaError_t launch(const base_pcg_task *t, cudaStream_t stream) {
    const unsigned grid = grid_of(t, 0);
    if (grid == 0)
        return cudaErrorInvalidValue;
    const unsigned used = t->n[1] < rows ? (unsigned)t->n[1] : rows; // rows of a block
    each_kernel<Work><<<grid, dim3(lanes, used), 0, stream>>>(*t);
    return cudaGetLastError();
}

} // namespace

cudaError_t psg_cuda_pcg_measure(const base_pcg_task *t, cudaStream_t stream) {
    const unsigned grid = grid_of(t, 2);
    if (grid == 0)
        return cudaErrorInvalidValue;
    take_kernel<<<grid, dim3(lanes, rows), 0, stream>>>(*t);
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess)
        return error;
    measure_kernel<<<grid_of(t, 0), dim3(lanes, rows), 0, stream>>>(*t);
    return cudaGetLastError();
}

cudaError_t psg_cuda_pcg_start(const base_pcg_task *t, cudaStream_t stream) {
    const cudaError_t error = launch<start_work>(t, stream);
    if (error != cudaSuccess || !t->terms.drops)
        return error;
    base_pcg_task sums = *t;
    sums.part += t->n[2] * base_pcg_blocks(t->n[1]);
    return launch<sum_work>(&sums, stream);
}

cudaError_t psg_cuda_pcg_dot(const base_pcg_task *t, cudaStream_t stream) {
    return launch<dot_work>(t, stream);
}

cudaError_t psg_cuda_pcg_direction(const base_pcg_task *t, cudaStream_t stream) {
    return launch<direction_work>(t, stream);
}

cudaError_t psg_cuda_pcg_apply(const base_pcg_task *t, cudaStream_t stream) {
    return launch<apply_work>(t, stream);
}

cudaError_t psg_cuda_pcg_update(const base_pcg_task *t, cudaStream_t stream) {
    return launch<update_work>(t, stream);
}

cudaError_t psg_cuda_pcg_end(const base_pcg_task *t, cudaStream_t stream) {
    return launch<end_work>(t, stream);
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
