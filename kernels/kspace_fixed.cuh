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
        if (k == 0 && c.first && a.mode0)
            *a.mode0 = v[u * RL];
        PSG_UNROLL
        for (int j = 0; j < RL; j++)
            v[u * RL + j] =
                symbol_factor(c.exy, a.ez[k + j * (S::N / RL)], a.lambda, a.scale) * v[u * RL + j];
    }
    S::template inverse<S::LAST>(v, q, a.twiddles);
}

/// Calls move(e, number) for the numbers of a column that a thread owns in pass 0: number e is in plane
/// place<0>(q, e). Looks up several planes before it moves the first, as loads that follow a move
/// would wait for it.
template <class S, class Move>
PSG_HD void kspace_each(int q, const kspace_args<typename S::Real> &a,
                        const kspace_column<typename S::Real> &c, const kspace_place &in,
                        Move move) {
    constexpr int GROUP = S::E % 8 == 0 ? 8 : S::E % 5 == 0 ? 5 : 1;
    if (in.planes) {
        PSG_UNROLL
        for (int first = 0; first < S::E; first += GROUP) {
            int64_t plane[GROUP];
            PSG_UNROLL
            for (int i = 0; i < GROUP; i++)
                plane[i] = in.planes[S::template place<0>(q, first + i)];
            PSG_UNROLL
            for (int i = 0; i < GROUP; i++)
                move(first + i, a.base + (plane[i] + c.index));
        }
    } else {
        typename S::Complex *from = a.base + (in.first + c.index) + (size_t)q * in.pitch;
        PSG_UNROLL
        for (int e = 0; e < S::E; e++)
            move(e, from + (size_t)S::template place<0>(0, e) * in.pitch);
    }
}

/// Between registers and the planes, as pass 0 owns the points: v[e] is plane place<0>(q, e).
template <class S>
PSG_HD void kspace_load(typename S::Complex *v, int q, const kspace_args<typename S::Real> &a,
                        const kspace_column<typename S::Real> &c) {
    using Complex = typename S::Complex;
    if (c.valid) {
        kspace_each<S>(q, a, c, a.band[c.band].from,
                       [&](int e, const Complex *from) { v[e] = load_neighbours(from); });
    } else {
        PSG_UNROLL
        for (int e = 0; e < S::E; e++)
            v[e] = Complex{0, 0};
    }
}

template <class S>
PSG_HD void kspace_store(const typename S::Complex *v, int q,
                         const kspace_args<typename S::Real> &a,
                         const kspace_column<typename S::Real> &c) {
    if (!c.valid)
        return;
    report_nonfinite(v[0], a.nonfinite); // the inverse has put it into all points of the column
    kspace_each<S>(q, a, c, a.band[c.band].to, [&](int e, typename S::Complex *to) { *to = v[e]; });
}

/// As kspace_load(), but to the exchange buffer, where only this thread reads them.
template <class S>
PSG_HD void kspace_fetch(typename S::Complex *buf, int q, int col,
                         const kspace_args<typename S::Real> &a,
                         const kspace_column<typename S::Real> &c) {
    using Complex = typename S::Complex;
    constexpr int R0 = S::radix(0);
    const auto place = [&](int e) {
        return buf + S::at(S::template row<0>(q, e / R0) + e % R0 * S::template row_step<0>(), col);
    };
    if (c.valid) {
        kspace_each<S>(q, a, c, a.band[c.band].from,
                       [&](int e, const Complex *from) { fetch(place(e), from); });
    } else {
        PSG_UNROLL
        for (int e = 0; e < S::E; e++)
            *place(e) = Complex{0, 0};
    }
}

#if defined(__CUDACC__)

/// Grid: any if AHEAD: while a tile is transformed back and stored, the block's next one is on its
/// way to shared memory; else tiles. Block: S::BLOCK; shared memory: S::shared_bytes.
template <class S, int BLOCKS, bool AHEAD>
__global__ void __launch_bounds__(S::BLOCK, BLOCKS)
    kspace_fixed(const __grid_constant__ kspace_args<typename S::Real> a) {
    using Complex = typename S::Complex;
    using Column = kspace_column<typename S::Real>;
    extern __shared__ __align__(16) unsigned char kspace_shared[];
    Complex *buf = reinterpret_cast<Complex *>(kspace_shared);
    const int col = S::column((int)threadIdx.x), q = S::member((int)threadIdx.x);
    if (AHEAD && blockIdx.x < a.tiles)
        kspace_fetch<S>(buf, q, col, a, Column(a, blockIdx.x, S::COLUMNS, col));
    for (uint32_t tile = blockIdx.x; tile < a.tiles; tile += gridDim.x) {
        const Column c(a, tile, S::COLUMNS, col);
        Complex v[S::ROOM];
        if (AHEAD) {
            fetched();
            S::template from_shared<0>(v, q, col, buf);
        } else {
            kspace_load<S>(v, q, a, c);
        }
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
        const uint32_t next = tile + gridDim.x;
        if (AHEAD && next < a.tiles) {
            __syncthreads();
            kspace_fetch<S>(buf, q, col, a, Column(a, next, S::COLUMNS, col));
        }
        S::template inverse<0>(v, q, a.twiddles);
        kspace_store<S>(v, q, a, c);
        if (!AHEAD)
            return;
    }
}

#endif

} // namespace psg_cuda
#endif
