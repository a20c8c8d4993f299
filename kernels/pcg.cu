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

/// The neighbours of a point: places in its row, rows and planes, which at the end of an axis are
/// its own, and by what p there is multiplied.
struct around {
    size_t x[2], y[2];
    bool end[3][2];

    __device__ around(const base_pcg_task &t, size_t i, size_t j, size_t k)
        : end{{i == 0 && t.terms.ends[0], i + 1 == t.n[0] && t.terms.ends[0]},
              {j == 0 && t.terms.ends[1], j + 1 == t.n[1] && t.terms.ends[1]},
              {k == 0 && t.end[0], k + 1 == t.n[2] && t.end[1]}} {
        x[0] = end[0][0] ? i : i > 0 ? i - 1 : t.n[0] - 1;
        x[1] = end[0][1] ? i : i + 1 < t.n[0] ? i + 1 : 0;
        y[0] = end[1][0] ? j : j > 0 ? j - 1 : t.n[1] - 1;
        y[1] = end[1][1] ? j : j + 1 < t.n[1] ? j + 1 : 0;
    }
    __device__ double by(const base_pcg_task &t, int d, int side) const {
        return end[d][side] ? t.terms.beyond[d][side] : 1;
    }
};

/// What stands at the six neighbours of a point.
struct six {
    double at[3][2];

    __device__ six(const base_pcg_task &t, const around &next, size_t i, size_t j, const double *a,
                   double below, double above) {
        const double *row = a - i, *plane = row - j * t.n[0];
        for (int m = 0; m < 2; m++) {
            at[0][m] = row[next.x[m]];
            at[1][m] = plane[next.y[m] * t.n[0] + i];
        }
        at[2][0] = below;
        at[2][1] = above;
    }
};

__device__ six eps_around(const base_pcg_task &t, const around &next, size_t i, size_t j,
                          size_t at) {
    const size_t plane = t.n[0] * t.n[1];
    const double *e = t.eps + plane + at;
    return six(t, next, i, j, e, *(e - plane), e[plane]);
}

/// D
__device__ double scale_at(const base_pcg_task &t, size_t i, size_t j, size_t k, size_t at) {
    const around next(t, i, j, k);
    const six eps = eps_around(t, next, i, j, at);
    base_pcg_faces sum = {0, 0};
    for (int m = 0; m < 6; m++)
        base_pcg_add_face(&sum, t.eps[t.n[0] * t.n[1] + at], eps.at[m / 2][m % 2],
                          t.terms.weight[m / 2] *
                              base_pcg_passes(&t.terms, m / 2, m % 2, next.end[m / 2][m % 2]));
    return base_pcg_scale(&sum, &t.terms);
}

/// D r, or r
__device__ double scaled(const base_pcg_task &t, double r, size_t at) {
    return t.scale ? t.scale[at] * r : r;
}

__global__ void __launch_bounds__(lanes *rows) start_kernel(const base_pcg_task t, int sums) {
    const size_t blocks = base_pcg_blocks(t.n[1]);
    const size_t k = blockIdx.x / blocks, j = blockIdx.x % blocks * rows + threadIdx.y;
    const long begins = t.terms.begins;
    const bool dropped = t.terms.drops && begins != BASE_PCG_FROM_R;
    const double mean = dropped ? t.scalars[BASE_PCG_F_MEAN] : 0;
    const double rest = dropped ? t.scalars[BASE_PCG_B_MEAN] : 0;
    const double scale = begins == BASE_PCG_FROM_R ? 1 : t.scalars[BASE_PCG_SCALE];
    double sum[BASE_PCG_STARTS] = {};
    if (j < t.n[1])
        for (size_t i = threadIdx.x; i < t.n[0]; i += lanes) {
            const size_t at = (k * t.n[1] + j) * t.n[0] + i;
            const double b = (get(t.f, i, j, k) - mean) * scale - rest;
            const double r = b - (begins == BASE_PCG_FROM_X ? t.q[at] : 0);
            if (begins == BASE_PCG_ANEW) {
                t.x[at] =
                    t.terms.guess ? get(t.u, i, j, k) / base_pcg_back(&t.terms, t.scalars) : 0;
                if (t.scale)
                    t.scale[at] = scale_at(t, i, j, k, at);
            } else
                t.x[at] -= base_pcg_off_x(&t.terms, t.scalars);
            t.r[at] = r;
            put(t.source, i, j, k, scaled(t, r, at));
            sum[BASE_PCG_RR_START] += r * r;
            sum[BASE_PCG_FF] += b * b;
            sum[BASE_PCG_R] += r;
            sum[BASE_PCG_X] += t.x[at];
        }
    for (int m = 0; m < sums; m++)
        keep(BASE_PCG_SUM, sum[m], t.part + (size_t)m * t.n[2] * blocks + blockIdx.x);
}

struct dot_work {
    __device__ explicit dot_work(const base_pcg_task &) {
    }
    __device__ double operator()(const base_pcg_task &t, size_t i, size_t j, size_t k,
                                 size_t at) const {
        return t.r[at] * scaled(t, get(t.solution, i, j, k), at);
    }
};

struct direction_work {
    double beta;
    __device__ explicit direction_work(const base_pcg_task &t)
        : beta(t.scalars ? t.scalars[BASE_PCG_BETA] : 0) {
    }
    __device__ double operator()(const base_pcg_task &t, size_t i, size_t j, size_t k,
                                 size_t at) const {
        const double z = scaled(t, get(t.solution, i, j, k), at);
        const double p = beta != 0 ? z + beta * t.p[at] : z;
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
        const size_t plane = t.n[0] * t.n[1], in_plane = j * t.n[0] + i;
        const double *p = t.p + at, here = *p, e = t.eps[plane + at];
        const around next(t, i, j, k);
        const six eps = eps_around(t, next, i, j, at);
        const six u(t, next, i, j, p, k > 0 ? *(p - plane) : t.below[in_plane],
                    k + 1 < t.n[2] ? p[plane] : t.above[in_plane]);
        double flux[3];
        for (int d = 0; d < 3; d++)
            flux[d] = t.terms.weight[d] * base_pcg_flux(e, eps.at[d][0], eps.at[d][1],
                                                        next.by(t, d, 0) * u.at[d][0] - here,
                                                        next.by(t, d, 1) * u.at[d][1] - here);
        const double q = flux[0] + flux[1] + flux[2] - (e > 0 ? t.terms.lambda : 0) * here;
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
        put(t.source, i, j, k, scaled(t, r, at));
        return r * r;
    }
};

struct end_work {
    double back, mean;
    __device__ explicit end_work(const base_pcg_task &t)
        : back(base_pcg_back(&t.terms, t.scalars)), mean(t.scalars[BASE_PCG_X_MEAN]) {
    }
    __device__ double operator()(const base_pcg_task &t, size_t i, size_t j, size_t k,
                                 size_t at) const {
        const double u = (t.x[at] - mean) * back;
        put(t.u, i, j, k, u);
        if (!base_pcg_fits(t.u.single, u))
            *t.overflow = 1; // by many threads at once: all write the same
        return 0;
    }
};

__global__ void __launch_bounds__(lanes *rows) measure_kernel(const base_pcg_task t) {
    const size_t blocks = base_pcg_blocks(t.n[1]);
    const size_t k = blockIdx.x / blocks, j = blockIdx.x % blocks * rows + threadIdx.y;
    double measure[BASE_PCG_MEASURES];
    for (int m = 0; m < BASE_PCG_MEASURES; m++)
        measure[m] = base_pcg_nothing(m);
    if (j < t.n[1])
        for (size_t i = threadIdx.x; i < t.n[0]; i += lanes) {
            const size_t at = (k * t.n[1] + j) * t.n[0] + i;
            const around next(t, i, j, k);
            const six beside = eps_around(t, next, i, j, at);
            const double eps = t.eps[t.n[0] * t.n[1] + at], f = eps > 0 ? get(t.f, i, j, k) : 0;
            const double rough = t.terms.weight[0] * base_pcg_rough(eps, beside.at[0][1]) +
                                 t.terms.weight[1] * base_pcg_rough(eps, beside.at[1][1]) +
                                 t.terms.weight[2] * base_pcg_rough(eps, beside.at[2][1]);
            const double value[BASE_PCG_MEASURES] = {
                f,   fabs(f), base_pcg_least(eps), base_pcg_good(eps) ? eps : 0, eps > 0 ? 1. : 0.,
                eps, rough};
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
    const unsigned grid = grid_of(t);
    if (grid == 0)
        return cudaErrorInvalidValue;
    const size_t plane = t->n[0] * t->n[1], planes = t->n[2];
    const double *const from[] = {t->below, t->p, t->above};
    double *const to[] = {t->eps, t->eps + plane, t->eps + (planes + 1) * plane};
    for (int m = 0; m < 3; m++) {
        const size_t bytes = (m == 1 ? planes : 1) * plane * sizeof(double);
        const cudaError_t error =
            cudaMemcpyAsync(to[m], from[m], bytes, cudaMemcpyDeviceToDevice, stream);
        if (error != cudaSuccess)
            return error;
    }
    measure_kernel<<<grid, dim3(lanes, rows), 0, stream>>>(*t);
    return cudaGetLastError();
}

cudaError_t psg_cuda_pcg_start(const base_pcg_task *t, cudaStream_t stream) {
    const unsigned grid = grid_of(t);
    if (grid == 0)
        return cudaErrorInvalidValue;
    start_kernel<<<grid, dim3(lanes, rows), 0, stream>>>(
        *t, base_pcg_measures(BASE_PCG_STARTED, &t->terms));
    return cudaGetLastError();
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
