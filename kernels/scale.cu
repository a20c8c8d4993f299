// Normalising: 16 bytes an access where both fields are dense and aligned to them, else a real an
// access.
#include "kernels/complex.cuh"
#include "kernels/scale.h"

using namespace psg_cuda;

namespace {

constexpr int threads = 256;
constexpr int elements = 4; // accesses of each thread

template <class Real, int N> struct alignas(N * sizeof(Real)) pack_t { Real r[N]; };

/// Packs 0 .. packs-1; and the rest, `tail` numbers, by the first threads.
template <class Real, int N>
__global__ void __launch_bounds__(threads)
    scale_kernel(const Real *in, Real *out, size_t packs, uint32_t tail, Real factor,
                 int *nonfinite) {
    const pack_t<Real, N> *from = reinterpret_cast<const pack_t<Real, N> *>(in);
    pack_t<Real, N> *to = reinterpret_cast<pack_t<Real, N> *>(out);
    const size_t first = (size_t)blockIdx.x * (threads * elements) + threadIdx.x;
    pack_t<Real, N> v[elements];
    PSG_UNROLL
    for (int e = 0; e < elements; e++)
        if (first + e * threads < packs)
            v[e] = from[first + e * threads];
    bool finite = true;
    PSG_UNROLL
    for (int e = 0; e < elements; e++) {
        if (first + e * threads < packs) {
            PSG_UNROLL
            for (int i = 0; i < N; i++) {
                v[e].r[i] *= factor;
                finite = finite && is_finite(v[e].r[i]);
            }
            to[first + e * threads] = v[e];
        }
    }
    if (first < tail) {
        const Real last = factor * in[packs * N + first];
        finite = finite && is_finite(last);
        out[packs * N + first] = last;
    }
    if (nonfinite && !finite)
        *nonfinite = 1; // by many threads at once: all write the same
}

/// Of a field with pitches: a block has threads * elements points of a plane, in the order of
/// memory.
template <class Real> struct rows_args {
    const Real *in;
    Real *out;
    size_t in_row, in_plane, out_row, out_plane; // pitches
    uint32_t nx, points, blocks;                 // of a plane
    Real factor;
    int *nonfinite;
};

template <class Real>
__global__ void __launch_bounds__(threads) scale_rows_kernel(const rows_args<Real> a) {
    const size_t plane = blockIdx.x / a.blocks;
    const uint32_t first = blockIdx.x % a.blocks * (threads * elements) + threadIdx.x;
    const Real *in = a.in + plane * a.in_plane;
    Real *out = a.out + plane * a.out_plane;
    Real v[elements];
    PSG_UNROLL
    for (int e = 0; e < elements; e++) {
        const uint32_t i = first + e * threads;
        if (i < a.points)
            v[e] = in[i / a.nx * a.in_row + i % a.nx];
    }
    bool finite = true;
    PSG_UNROLL
    for (int e = 0; e < elements; e++) {
        const uint32_t i = first + e * threads;
        if (i < a.points) {
            v[e] *= a.factor;
            finite = finite && is_finite(v[e]);
            out[i / a.nx * a.out_row + i % a.nx] = v[e];
        }
    }
    if (a.nonfinite && !finite)
        *a.nonfinite = 1; // by many threads at once: all write the same
}

template <class Real>
cudaError_t launch_rows(const psg_cuda_field *in, const psg_cuda_field *out, const size_t n[3],
                        double factor, int *nonfinite_d, cudaStream_t stream) {
    const size_t points = n[0] * n[1], blocks = div_up(points, threads * elements);
    if (points > INT32_MAX || n[2] > INT32_MAX / blocks)
        return cudaErrorInvalidValue;
    const rows_args<Real> a = {static_cast<const Real *>(in->base_d),
                               static_cast<Real *>(out->base_d),
                               in->row_pitch,
                               in->plane_pitch,
                               out->row_pitch,
                               out->plane_pitch,
                               (uint32_t)n[0],
                               (uint32_t)points,
                               (uint32_t)blocks,
                               (Real)factor,
                               nonfinite_d};
    scale_rows_kernel<Real><<<(unsigned)(n[2] * blocks), threads, 0, stream>>>(a);
    return cudaGetLastError();
}

template <class Real>
cudaError_t launch(const void *in_d, void *out_d, size_t n, double factor, int *nonfinite_d,
                   cudaStream_t stream) {
    constexpr int wide = 16 / sizeof(Real);
    const Real *in = static_cast<const Real *>(in_d);
    Real *out = static_cast<Real *>(out_d);
    const bool aligned = (uintptr_t)in_d % 16 == 0 && (uintptr_t)out_d % 16 == 0;
    const size_t packs = aligned ? n / wide : n;
    const size_t blocks = packs ? div_up(packs, threads * elements) : 1;
    if (blocks > INT32_MAX)
        return cudaErrorInvalidValue;
    if (aligned)
        scale_kernel<Real, wide><<<(unsigned)blocks, threads, 0, stream>>>(
            in, out, packs, (uint32_t)(n % wide), (Real)factor, nonfinite_d);
    else
        scale_kernel<Real, 1><<<(unsigned)blocks, threads, 0, stream>>>(in, out, packs, 0,
                                                                        (Real)factor, nonfinite_d);
    return cudaGetLastError();
}

template <class Real>
cudaError_t launch_any(const psg_cuda_field *in, const psg_cuda_field *out, const size_t n[3],
                       double factor, int *nonfinite_d, cudaStream_t stream) {
    if (psg_cuda_field_is_dense(in, n[0], n[1]) && psg_cuda_field_is_dense(out, n[0], n[1]))
        return launch<Real>(in->base_d, out->base_d, n[0] * n[1] * n[2], factor, nonfinite_d,
                            stream);
    return launch_rows<Real>(in, out, n, factor, nonfinite_d, stream);
}

bool field_valid(psg_cuda_precision precision, const psg_cuda_field *field, const size_t n[3]) {
    return field && field->base_d &&
           (uintptr_t)field->base_d % (complex_bytes(precision) / 2) == 0 &&
           field->row_pitch >= n[0] && field->plane_pitch >= n[1] * field->row_pitch;
}

} // namespace

cudaError_t psg_cuda_scale(psg_cuda_precision precision, const psg_cuda_field *in,
                           const psg_cuda_field *out, const size_t n[3], double factor,
                           int *nonfinite_d, cudaStream_t stream) {
    if (!precision_valid(precision) || !n)
        return cudaErrorInvalidValue;
    if (n[0] == 0 || n[1] == 0 || n[2] == 0)
        return cudaSuccess;
    if (!field_valid(precision, in, n) || !field_valid(precision, out, n))
        return cudaErrorInvalidValue;
    return precision == PSG_CUDA_F64 ? launch_any<double>(in, out, n, factor, nonfinite_d, stream)
                                     : launch_any<float>(in, out, n, factor, nonfinite_d, stream);
}
