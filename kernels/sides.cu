// f and what values on the sides add to it, in a pass of its own over f: such a solve is rare
// beside one without values.
#include "kernels/complex.cuh"
#include "kernels/sides.h"

using namespace psg_cuda;

namespace {

constexpr int threads = 256;
constexpr int elements = 4; // points of each thread

template <class Real> struct sides_args {
    const Real *f;
    Real *out;
    size_t row, plane; // pitches of f
    const Real *x[2], *y[2], *z[2];
    uint32_t nx, ny, planes, points, blocks; // the last two of a plane
};

template <class Real> __device__ Real get(const Real *table, bool here, size_t m) {
    return table && here ? table[m] : Real(0);
}

/// A block has threads * elements points of a plane.
template <class Real>
__global__ void __launch_bounds__(threads) sides_kernel(const sides_args<Real> a) {
    const size_t k = blockIdx.x / a.blocks;
    const uint32_t first = blockIdx.x % a.blocks * (threads * elements) + threadIdx.x;
    PSG_UNROLL
    for (int e = 0; e < elements; e++) {
        const uint32_t p = first + e * threads;
        if (p >= a.points)
            return;
        const uint32_t i = p % a.nx, j = p / a.nx;
        const size_t x = k * a.ny + j, y = k * a.nx + i;
        Real v = a.f[k * a.plane + j * a.row + i];
        v += get(a.x[0], i == 0, x) + get(a.x[1], i + 1 == a.nx, x);
        v += get(a.y[0], j == 0, y) + get(a.y[1], j + 1 == a.ny, y);
        v += get(a.z[0], k == 0, p) + get(a.z[1], k + 1 == a.planes, p);
        a.out[k * a.points + p] = v;
    }
}

template <class Real>
cudaError_t launch(const psg_cuda_field *f, void *out_d, const size_t n[3],
                   const psg_cuda_sides *sides, cudaStream_t stream) {
    const size_t points = n[0] * n[1], blocks = div_up(points, threads * elements);
    if (points > INT32_MAX || n[2] > INT32_MAX / blocks)
        return cudaErrorInvalidValue;
    const auto table = [](const void *t) { return static_cast<const Real *>(t); };
    const sides_args<Real> a = {static_cast<const Real *>(f->base_d),
                                static_cast<Real *>(out_d),
                                f->row_pitch,
                                f->plane_pitch,
                                {table(sides->x[0]), table(sides->x[1])},
                                {table(sides->y[0]), table(sides->y[1])},
                                {table(sides->z[0]), table(sides->z[1])},
                                (uint32_t)n[0],
                                (uint32_t)n[1],
                                (uint32_t)n[2],
                                (uint32_t)points,
                                (uint32_t)blocks};
    sides_kernel<Real><<<(unsigned)(n[2] * blocks), threads, 0, stream>>>(a);
    return cudaGetLastError();
}

} // namespace

cudaError_t psg_cuda_add_sides(psg_cuda_precision precision, const psg_cuda_field *f, void *out_d,
                               const size_t n[3], const psg_cuda_sides *sides,
                               cudaStream_t stream) {
    if (!precision_valid(precision) || !f || !f->base_d || !out_d || !n || !sides)
        return cudaErrorInvalidValue;
    if (n[0] == 0 || n[1] == 0 || n[2] == 0)
        return cudaSuccess;
    return precision == PSG_CUDA_F64 ? launch<double>(f, out_d, n, sides, stream)
                                     : launch<float>(f, out_d, n, sides, stream);
}
