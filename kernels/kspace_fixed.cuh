// The fused z kernel for lengths known at compile time, on columns in registers (columns.cuh).
#ifndef PSG_KERNELS_KSPACE_FIXED_CUH
#define PSG_KERNELS_KSPACE_FIXED_CUH

#include "kernels/columns.cuh"
#include "kernels/kspace_args.cuh"

namespace psg_cuda {

/// Last forward pass, division, first inverse pass.
template <class S>
PSG_HD void kspace_turn(typename S::Complex *v, int q, const kspace_args<typename S::Real> &a,
                        const kspace_column<typename S::Real> &c) {
    constexpr int RL = S::RL;
    S::template forward<S::LAST>(v, q, a.twiddles);
    PSG_UNROLL
    for (int u = 0; u < S::E / RL; u++) {
        const int k = S::frequency(q, u);
        if (k == 0 && c.index == 0 && a.mode0)
            *a.mode0 = v[u * RL];
        PSG_UNROLL
        for (int j = 0; j < RL; j++)
            v[u * RL + j] =
                symbol_factor(c.exy, a.ez[k + j * (S::N / RL)], a.lambda, a.scale) * v[u * RL + j];
    }
    S::template inverse<S::LAST>(v, q, a.twiddles);
}

/// Between registers and the planes, as pass 0 owns the points: v[e] is plane place<0>(q, e).
template <class S>
PSG_HD void kspace_load(typename S::Complex *v, int q, const kspace_args<typename S::Real> &a,
                        const kspace_column<typename S::Real> &c) {
    using Complex = typename S::Complex;
    if (!c.valid) {
        PSG_UNROLL
        for (int e = 0; e < S::E; e++)
            v[e] = Complex{0, 0};
    } else if (a.planes) {
        PSG_UNROLL
        for (int e = 0; e < S::E; e++)
            v[e] = load_neighbours(a.base + a.planes[S::template place<0>(q, e)] + c.index);
    } else {
        const Complex *from = a.base + (size_t)q * a.pitch + c.index;
        PSG_UNROLL
        for (int e = 0; e < S::E; e++)
            v[e] = load_neighbours(from + (size_t)S::template place<0>(0, e) * a.pitch);
    }
}

template <class S>
PSG_HD void kspace_store(const typename S::Complex *v, int q,
                         const kspace_args<typename S::Real> &a,
                         const kspace_column<typename S::Real> &c) {
    using Complex = typename S::Complex;
    if (!c.valid)
        return;
    report_nonfinite(v[0], a.nonfinite); // the inverse has put it into all points of the column
    if (a.planes) {
        PSG_UNROLL
        for (int e = 0; e < S::E; e++)
            a.base[a.planes[S::template place<0>(q, e)] + c.index] = v[e];
    } else {
        Complex *to = a.base + (size_t)q * a.pitch + c.index;
        PSG_UNROLL
        for (int e = 0; e < S::E; e++)
            to[(size_t)S::template place<0>(0, e) * a.pitch] = v[e];
    }
}

#if defined(__CUDACC__)

/// One tile a block. Grid: tiles; block: S::BLOCK; shared memory: S::shared_bytes.
template <class S, int BLOCKS>
__global__ void __launch_bounds__(S::BLOCK, BLOCKS)
    kspace_fixed(const __grid_constant__ kspace_args<typename S::Real> a) {
    using Complex = typename S::Complex;
    extern __shared__ __align__(16) unsigned char kspace_shared[];
    Complex *buf = reinterpret_cast<Complex *>(kspace_shared);
    const int col = S::column((int)threadIdx.x), q = S::member((int)threadIdx.x);
    const kspace_column<typename S::Real> c(a, blockIdx.x * S::COLUMNS + col);
    Complex v[S::E];
    kspace_load<S>(v, q, a, c);
    S::template forward<0>(v, q, a.twiddles);
    exchange<S, 0, 1>(v, q, col, buf);
    if constexpr (S::PASSES == 3) {
        S::template forward<1>(v, q, a.twiddles);
        exchange<S, 1, 2>(v, q, col, buf);
    }
    kspace_turn<S>(v, q, a, c);
    if constexpr (S::PASSES == 3) {
        exchange<S, 2, 1>(v, q, col, buf);
        S::template inverse<1>(v, q, a.twiddles);
    }
    exchange<S, 1, 0>(v, q, col, buf);
    S::template inverse<0>(v, q, a.twiddles);
    kspace_store<S>(v, q, a, c);
}

#endif

} // namespace psg_cuda
#endif
