// Normalising: 16 bytes an access where both pointers are aligned to them.
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

} // namespace

cudaError_t psg_cuda_scale(psg_cuda_precision precision, const void *in_d, void *out_d, size_t n,
                           double factor, int *nonfinite_d, cudaStream_t stream) {
    if (n == 0)
        return cudaSuccess;
    const size_t bytes = precision == PSG_CUDA_F64 ? sizeof(double) : sizeof(float);
    if ((precision != PSG_CUDA_F64 && precision != PSG_CUDA_F32) || !in_d || !out_d ||
        (uintptr_t)in_d % bytes || (uintptr_t)out_d % bytes)
        return cudaErrorInvalidValue;
    return precision == PSG_CUDA_F64 ? launch<double>(in_d, out_d, n, factor, nonfinite_d, stream)
                                     : launch<float>(in_d, out_d, n, factor, nonfinite_d, stream);
}
