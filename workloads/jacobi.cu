// A sweep of a tile by Jacobi's method. A thread goes down a piece of a column, so that it has the
// points above and below already; those to the left and right are its neighbours' in the warp.
#include "kernels/complex.cuh"
#include "workloads/jacobi.h"

using namespace psg_cuda;

namespace {

constexpr int width = 32, height = 8;     // threads of a block: a warp has a piece of a row
constexpr unsigned piece = 16, ahead = 4; // points of a thread, and loads at once
constexpr unsigned all = ~0u;

template <class Real> struct sweep_args {
    const Real *u, *north, *south, *west, *east;
    Real *next, *to_north, *to_south, *to_west, *to_east;
    unsigned columns, rows;
    int part;
};

template <class Real>
__device__ void put_edges(const sweep_args<Real> &a, unsigned i, unsigned j, Real mean) {
    if (i == 0)
        a.to_north[j] = mean;
    if (i + 1 == a.rows)
        a.to_south[j] = mean;
    if (j == 0 && a.to_west)
        a.to_west[i] = mean;
    if (j + 1 == a.columns && a.to_east)
        a.to_east[i] = mean;
}

template <class Real>
__global__ void __launch_bounds__(width *height) jacobi_kernel(const sweep_args<Real> a) {
    const unsigned first = (blockIdx.y * height + threadIdx.y) * piece;
    const unsigned end = first + piece < a.rows ? first + piece : a.rows;
    const unsigned j = blockIdx.x * width + threadIdx.x;
    const bool inside = j < a.columns; // the others help their warp
    if (first >= a.rows)
        return;
    const bool edges = first == 0 || end == a.rows || j == 0 || j + 1 == a.columns;
    const Real *at = a.u + first * (size_t)a.columns + j;
    Real *to = a.next + first * (size_t)a.columns + j;
    Real above = !inside ? 0 : first > 0 ? *(at - a.columns) : a.north[j];
    Real here = inside ? *at : 0;
    for (unsigned from = first; from < end; from += ahead) {
        Real below[ahead]; // as many loads at once
        const Real *next = at;
#pragma unroll
        for (unsigned m = 0; m < ahead; m++) {
            next += a.columns;
            below[m] = !inside || from + m >= end ? 0 : from + m + 1 < a.rows ? *next : a.south[j];
        }
#pragma unroll
        for (unsigned m = 0; m < ahead; m++) {
            const unsigned i = from + m;
            if (i >= end) // all of the warp
                break;
            Real west = __shfl_up_sync(all, here, 1), east = __shfl_down_sync(all, here, 1);
            if (threadIdx.x == 0)
                west = j > 0 ? *(at - 1) : a.west[i];
            if (j + 1 == a.columns)
                east = a.east[i];
            else if (threadIdx.x == width - 1 && inside)
                east = *(at + 1);
            const Real mean = (((above + below[m]) + west) + east) / 4;
            above = here;
            here = below[m];
            const bool rim = i == 0 || i + 1 == a.rows || j == 0 || j + 1 == a.columns;
            if (inside && (a.part == JACOBI_ALL || !rim))
                *to = mean;
            if (inside && edges && a.part == JACOBI_ALL)
                put_edges(a, i, j, mean);
            at += a.columns;
            to += a.columns;
        }
    }
}

// A thread has a point of the outermost rows and columns; two have a corner, with the same mean.
template <class Real>
__global__ void __launch_bounds__(width *height) jacobi_rim_kernel(const sweep_args<Real> a) {
    unsigned k = blockIdx.x * (unsigned)(width * height) + threadIdx.x;
    const unsigned lines = 2 * a.columns;
    if (k >= lines + 2 * a.rows)
        return;
    const bool row = k < lines;
    const unsigned length = row ? a.columns : a.rows;
    k -= row ? 0 : lines;
    const bool far = k >= length;
    k -= far ? length : 0;
    const unsigned i = row ? (far ? a.rows - 1 : 0) : k;
    const unsigned j = row ? k : (far ? a.columns - 1 : 0);
    const Real *at = a.u + i * (size_t)a.columns + j;
    const Real above = i > 0 ? *(at - a.columns) : a.north[j];
    const Real below = i + 1 < a.rows ? *(at + a.columns) : a.south[j];
    const Real west = j > 0 ? *(at - 1) : a.west[i];
    const Real east = j + 1 < a.columns ? *(at + 1) : a.east[i];
    const Real mean = (((above + below) + west) + east) / 4;
    a.next[i * (size_t)a.columns + j] = mean;
    put_edges(a, i, j, mean);
}

template <class Real> cudaError_t launch(const jacobi_sweep *s, cudaStream_t stream) {
    // What is beyond the inside is read, and not used: any memory of that length does.
    const auto beyond = [s](int side) {
        return static_cast<const Real *>(s->part == JACOBI_INSIDE ? s->u : s->beyond[side]);
    };
    const auto edge = [s](int side) { return static_cast<Real *>(s->edge[side]); };
    const sweep_args<Real> a = {static_cast<const Real *>(s->u),
                                beyond(JACOBI_NORTH),
                                beyond(JACOBI_SOUTH),
                                beyond(JACOBI_WEST),
                                beyond(JACOBI_EAST),
                                static_cast<Real *>(s->next),
                                edge(JACOBI_NORTH),
                                edge(JACOBI_SOUTH),
                                edge(JACOBI_WEST),
                                edge(JACOBI_EAST),
                                (unsigned)s->columns,
                                (unsigned)s->rows,
                                s->part};
    if (s->part == JACOBI_RIM) {
        const size_t points = 2 * (s->columns + s->rows);
        const unsigned blocks = (unsigned)div_up(points, (size_t)(width * height));
        jacobi_rim_kernel<Real><<<blocks, width * height, 0, stream>>>(a);
        return cudaGetLastError();
    }
    const dim3 grid((unsigned)div_up(s->columns, (size_t)width),
                    (unsigned)div_up(s->rows, (size_t)(height * piece)));
    jacobi_kernel<Real><<<grid, dim3(width, height), 0, stream>>>(a);
    return cudaGetLastError();
}

} // namespace

cudaError_t jacobi_cuda(psg_cuda_precision precision, const jacobi_sweep *sweep,
                        cudaStream_t stream) {
    if (!precision_valid(precision) || !sweep || sweep->columns == 0 || sweep->rows == 0 ||
        sweep->columns > INT32_MAX || sweep->rows > (size_t)UINT16_MAX * height * piece)
        return cudaErrorInvalidValue;
    return precision == PSG_CUDA_F64 ? launch<double>(sweep, stream) : launch<float>(sweep, stream);
}
