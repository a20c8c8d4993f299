// The gradient of u in one pass: each point of u is read from memory once, and its neighbours'
// reads find it in a cache.
#include "kernels/complex.cuh"
#include "kernels/gradient.h"

using namespace psg_cuda;

namespace {

constexpr int threads = 256;
constexpr int elements = 4; // points of each thread

template <class Real> struct axis_args {
    Real *out; // nullptr: not wanted
    size_t row, plane;
    Real scale, last, weight;
    const Real *added;
    bool wraps, centred;
};

template <class Real> struct gradient_args {
    const Real *u;
    size_t row, plane; // pitches of u
    const Real *above;
    size_t above_row;
    axis_args<Real> along[3];
    uint32_t nx, ny, planes, points, blocks; // the last two of a plane
    int *overflow;
};

/// @param at      the point of u, whose neighbour before is `pitch` numbers before it
/// @param next    nullptr: there is a side, whose values add number `m` of a table to f
/// @return is the number finite?
template <class Real>
__device__ bool put(const axis_args<Real> &d, size_t k, uint32_t j, uint32_t i, const Real *at,
                    size_t pitch, const Real *next, size_t m) {
    if (!d.out)
        return true;
    Real *const out = d.out + k * d.plane + j * d.row + i;
    const Real value = next        ? (*next - *at) * d.scale
                       : d.centred ? 2 * *out - (*at - *(at - pitch)) * d.scale
                                   : d.last * *at + (d.added ? d.weight * d.added[m] : Real(0));
    *out = value;
    return is_finite(value);
}

/// A block has threads * elements points of a plane.
template <class Real>
__global__ void __launch_bounds__(threads) gradient_kernel(const gradient_args<Real> a) {
    const size_t k = blockIdx.x / a.blocks;
    const uint32_t first = blockIdx.x % a.blocks * (threads * elements) + threadIdx.x;
    PSG_UNROLL
    for (int e = 0; e < elements; e++) {
        const uint32_t p = first + e * threads;
        if (p >= a.points)
            return;
        const uint32_t i = p % a.nx, j = p / a.nx;
        const Real *plane = a.u + k * a.plane, *at = plane + j * a.row + i;
        const Real *x = i + 1 < a.nx ? at + 1 : a.along[0].wraps ? at - i : nullptr;
        const Real *y = j + 1 < a.ny ? at + a.row : a.along[1].wraps ? plane + i : nullptr;
        const Real *z = k + 1 < a.planes ? at + a.plane
                        : a.above        ? a.above + j * a.above_row + i
                                         : nullptr;
        const bool fits[3] = {put(a.along[0], k, j, i, at, 1, x, k * a.ny + j),
                              put(a.along[1], k, j, i, at, a.row, y, k * a.nx + i),
                              put(a.along[2], k, j, i, at, a.plane, z, size_t(p))};
        if (!(fits[0] && fits[1] && fits[2]))
            *a.overflow = 1; // by many threads at once: all write the same
    }
}

template <class Real>
cudaError_t launch(const psg_cuda_field *u, const psg_cuda_field *above, const size_t n[3],
                   const psg_cuda_difference along[3], const psg_cuda_field result[3],
                   int *overflow_d, cudaStream_t stream) {
    const size_t points = n[0] * n[1], blocks = div_up(points, threads * elements);
    if (points > INT32_MAX || n[2] > INT32_MAX / blocks)
        return cudaErrorInvalidValue;
    gradient_args<Real> a = {static_cast<const Real *>(u->base_d),
                             u->row_pitch,
                             u->plane_pitch,
                             static_cast<const Real *>(above->base_d),
                             above->row_pitch,
                             {},
                             (uint32_t)n[0],
                             (uint32_t)n[1],
                             (uint32_t)n[2],
                             (uint32_t)points,
                             (uint32_t)blocks,
                             overflow_d};
    for (int d = 0; d < 3; d++)
        a.along[d] = {static_cast<Real *>(result[d].base_d),
                      result[d].row_pitch,
                      result[d].plane_pitch,
                      (Real)along[d].scale,
                      (Real)along[d].last,
                      (Real)along[d].weight,
                      static_cast<const Real *>(along[d].added),
                      along[d].wraps != 0,
                      along[d].centred != 0};
    gradient_kernel<Real><<<(unsigned)(n[2] * blocks), threads, 0, stream>>>(a);
    return cudaGetLastError();
}

} // namespace

cudaError_t psg_cuda_gradient(psg_cuda_precision precision, const psg_cuda_field *u,
                              const psg_cuda_field *above, const size_t n[3],
                              const psg_cuda_difference along[3], const psg_cuda_field result[3],
                              int *overflow_d, cudaStream_t stream) {
    if (!precision_valid(precision) || !u || !u->base_d || !above || !n || !along || !result ||
        !overflow_d)
        return cudaErrorInvalidValue;
    if (n[0] == 0 || n[1] == 0 || n[2] == 0)
        return cudaSuccess;
    return precision == PSG_CUDA_F64
               ? launch<double>(u, above, n, along, result, overflow_d, stream)
               : launch<float>(u, above, n, along, result, overflow_d, stream);
}
