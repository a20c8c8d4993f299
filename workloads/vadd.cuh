// The sum of two vectors, the same on the device and on the host.
#ifndef WORKLOADS_VADD_CUH
#define WORKLOADS_VADD_CUH

#include "kernels/complex.cuh"

namespace psg_cuda {

constexpr int vadd_threads = 256;
constexpr int vadd_elements = 4; // accesses of each thread to each vector

template <class Real, int N> struct alignas(N * sizeof(Real)) vadd_pack { Real r[N]; };

/// What a thread does: packs 0 .. packs-1 of N numbers; and the rest, `tail` numbers fewer than N,
/// by the first threads of all.
template <class Real, int N>
PSG_HD void vadd_part(const Real *a, const Real *b, Real *c, size_t packs, uint32_t tail,
                      uint32_t block, uint32_t thread) {
    using Pack = vadd_pack<Real, N>;
    const size_t first = (size_t)block * (vadd_threads * vadd_elements) + thread;
    Pack v[vadd_elements], w[vadd_elements];
    PSG_UNROLL
    for (int e = 0; e < vadd_elements; e++)
        if (first + e * vadd_threads < packs) {
            v[e] = reinterpret_cast<const Pack *>(a)[first + e * vadd_threads];
            w[e] = reinterpret_cast<const Pack *>(b)[first + e * vadd_threads];
        }
    PSG_UNROLL
    for (int e = 0; e < vadd_elements; e++)
        if (first + e * vadd_threads < packs) {
            PSG_UNROLL
            for (int i = 0; i < N; i++)
                v[e].r[i] += w[e].r[i];
            reinterpret_cast<Pack *>(c)[first + e * vadd_threads] = v[e];
        }
    if (first < tail)
        c[packs * N + first] = a[packs * N + first] + b[packs * N + first];
}

} // namespace psg_cuda
#endif
