// The gradient of u in one pass: each point of u is read from memory once, and its neighbours'
// reads find it in a cache. The divergence of a flow is the same the other way.
#include "kernels/gradient.cuh"
#include "kernels/gradient.h"

using namespace psg_cuda;

namespace {

constexpr uint32_t block_points = gradient_threads * gradient_elements;

/// with(plane, point) of the points of a thread. A block has block_points points of a plane.
template <class Args, class With> __device__ void each_point(const Args &a, With with) {
    const uint32_t first = blockIdx.x % a.blocks * block_points + threadIdx.x;
    PSG_UNROLL
    for (int e = 0; e < gradient_elements; e++)
        if (first + e * gradient_threads < a.points)
            with(blockIdx.x / a.blocks, first + e * gradient_threads);
}

template <class Real>
__global__ void __launch_bounds__(gradient_threads) gradient_kernel(const gradient_args<Real> a) {
    each_point(a, [&](size_t k, uint32_t p) {
        if (!gradient_point(a, k, p))
            *a.overflow = 1; // by many threads at once: all write the same
    });
}

template <class Real>
__global__ void __launch_bounds__(gradient_threads) flow_kernel(const flow_args<Real> a) {
    each_point(a, [&](size_t k, uint32_t p) { flow_cell(a, k, p); });
}

/// @return blocks of a plane; 0: there are too many points
size_t blocks_of(const size_t n[3]) {
    const size_t points = n[0] * n[1], blocks = div_up(points, block_points);
    return points > INT32_MAX || n[2] > INT32_MAX / blocks ? 0 : blocks;
}

template <class Real>
cudaError_t launch(const psg_cuda_field *u, const psg_cuda_field *above, const size_t n[3],
                   const psg_cuda_difference along[3], const psg_cuda_field result[3],
                   int *overflow_d, cudaStream_t stream) {
    const size_t points = n[0] * n[1], blocks = blocks_of(n);
    if (blocks == 0)
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
                      along[d].centred != 0,
                      along[d].step_d,
                      along[d].taken,
                      along[d].made != 0};
    gradient_kernel<Real><<<(unsigned)(n[2] * blocks), gradient_threads, 0, stream>>>(a);
    return cudaGetLastError();
}

template <class Real>
cudaError_t launch(const psg_cuda_flow *flow, const size_t n[3], void *out_d, cudaStream_t stream) {
    const size_t blocks = blocks_of(n);
    if (blocks == 0)
        return cudaErrorInvalidValue;
    flow_args<Real> a = flow_args<Real>();
    for (int d = 0; d < 3; d++) {
        a.v[d] = static_cast<const Real *>(flow->v[d].base_d);
        a.row[d] = flow->v[d].row_pitch;
        a.plane[d] = flow->v[d].plane_pitch;
        a.by[d] = flow->by[d];
    }
    a.below = static_cast<const Real *>(flow->below_d);
    a.below_row = flow->below_row_pitch;
    a.width = flow->width_d;
    a.wraps[0] = flow->wraps[0];
    a.wraps[1] = flow->wraps[1];
    a.out = static_cast<Real *>(out_d);
    a.nx = (uint32_t)n[0];
    a.ny = (uint32_t)n[1];
    a.points = (uint32_t)(n[0] * n[1]);
    a.blocks = (uint32_t)blocks;
    flow_kernel<Real><<<(unsigned)(n[2] * blocks), gradient_threads, 0, stream>>>(a);
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

cudaError_t psg_cuda_divergence(psg_cuda_precision precision, const psg_cuda_flow *flow,
                                const size_t n[3], void *out_d, cudaStream_t stream) {
    if (!precision_valid(precision) || !flow || !flow->v[0].base_d || !flow->v[1].base_d ||
        !flow->v[2].base_d || !n || !out_d)
        return cudaErrorInvalidValue;
    if (n[0] == 0 || n[1] == 0 || n[2] == 0)
        return cudaSuccess;
    return precision == PSG_CUDA_F64 ? launch<double>(flow, n, out_d, stream)
                                     : launch<float>(flow, n, out_d, stream);
}
