// The sum of two vectors, the same on the device and on the host.
#ifndef WORKLOADS_VADD_CUH
#define WORKLOADS_VADD_CUH

#include "kernels/complex.cuh"

namespace psg_cuda {

constexpr int vadd_threads = 256;
constexpr int vadd_elements = 4; // of each thread

/// What a thread does: all loads are on their way before the first store, as c may be a or b.
template <class Real>
PSG_HD void vadd_part(const Real *a, const Real *b, Real *c, size_t count, uint32_t block,
                      uint32_t thread) {
    const size_t first = (size_t)block * (vadd_threads * vadd_elements) + thread;
    Real sum[vadd_elements];
    PSG_UNROLL
    for (int e = 0; e < vadd_elements; e++)
        if (first + e * vadd_threads < count)
            sum[e] = a[first + e * vadd_threads] + b[first + e * vadd_threads];
    PSG_UNROLL
    for (int e = 0; e < vadd_elements; e++)
        if (first + e * vadd_threads < count)
            c[first + e * vadd_threads] = sum[e];
}

} // namespace psg_cuda
#endif
