// The fused z kernel for lengths known at compile time, on columns in registers (columns.cuh). SIDES kernels have a real-to-real
// transform along z (r2r_fused.cuh), or two modes in each number of a row.
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
            a.mode0[c.sheet] = v[u * RL];
        PSG_UNROLL
        for (int j = 0; j < RL; j++)
            v[u * RL + j] =
                symbol_factor(c.exy, a.ez[k + j * (S::N / RL)], a.lambda, a.scale) * v[u * RL + j];
    }
    S::template inverse<S::LAST>(v, q, a.twiddles);
}

/// The factors of a mode of a SIDES kernel, for the real part and for the imaginary part.
/// @param PAIRS  they may differ
template <bool PAIRS, class Real>
PSG_HD complex_t<Real> kspace_factors(const kspace_args<Real> &a,
                                      const kspace_column<Real, true> &c, int mode) {
    const Real ez = a.ez[mode], first = symbol_factor(c.exy, ez, a.lambda, a.scale);
    return {first, PAIRS ? symbol_factor(c.other, ez, a.lambda, a.scale) : first};
}

/// Frequencies k and N - k of a SIDES kernel, of kind `two` or `half`, as the modes multiplied by their factors leave them.
///
/// Of kind `two` C[k] = x + y and C[N-k] = i (x - y), with x = w F[k] and y = conj(w) F[N-k]. Let d and e be the factors of the
/// two. If they are the same for the real and the imaginary parts, F[k] becomes conj(w) ((d + e) x + (d - e) y). Else let s and t
/// be half the sum and half the difference of d for the real part and d for the imaginary part, so that d makes s v + t conj(v)
/// of v; and S and T those of e. Then F[k] becomes conj(w) ((s + S) x + (s - S) y + (t - T) conj(x) + (t + T) conj(y)), and
/// F[N-k] becomes w times the same with x and y exchanged. Of kind `half` w = 1 / sqrt(2) and e = d.
template <int N, bool TWO, bool PAIRS, class Real>
PSG_HD void kspace_pair(int k, complex_t<Real> &low, complex_t<Real> &high,
                        const kspace_args<Real> &a, const kspace_column<Real, true> &c) {
    using Complex = complex_t<Real>;
    const Real half = Real(0.5);
    const auto conjugate = [](Complex z) { return Complex{z.x, -z.y}; };
    const Complex w = TWO ? a.z.factors[k] : Complex{1, 0};
    const Complex x = TWO ? w * low : low, y = TWO ? mul_conj(high, w) : high;
    const Complex d = kspace_factors<PAIRS>(a, c, r2r_mode<N>(a.z, k));
    const Complex e = TWO ? kspace_factors<PAIRS>(a, c, r2r_mode<N>(a.z, k == 0 ? 0 : N - k)) : d;
    if (k == 0 && c.first && a.mode0)
        a.mode0[c.sheet] = TWO ? x + y : x;
    const Real s = PAIRS ? half * (d.x + d.y) : d.x, S = PAIRS ? half * (e.x + e.y) : e.x;
    const Real sum = TWO ? s + S : s, dif = s - S; // half: dif = 0
    low = sum * x;
    high = sum * y;
    if constexpr (TWO) {
        low = low + dif * y;
        high = high + dif * x;
    }
    if constexpr (PAIRS) {
        const Real t = half * (d.x - d.y), T = half * (e.x - e.y);
        const Real minus = t - T, plus = TWO ? t + T : t;
        low = low + plus * conjugate(y);
        high = high + plus * conjugate(x);
        if constexpr (TWO) {
            low = low + minus * conjugate(x);
            high = high + minus * conjugate(y);
        }
    }
    low = TWO ? mul_conj(low, w) : low;
    high = TWO ? w * high : high;
}

/// The modes of a SIDES kernel multiplied by their factors: v[e] is F[k] before and after it, k = place_frequency(q, e).
/// r2r_put() has put all of F, or it is done in registers.
template <class S, bool PAIRS>
PSG_HD void kspace_sides(typename S::Complex *v, int q, int col, const typename S::Complex *buf,
                         const kspace_args<typename S::Real> &a,
                         const kspace_column<typename S::Real, true> &c) {
    using Complex = typename S::Complex;
    using Real = typename S::Real;
    constexpr int N = S::N;
    r2r_switch(a.z.kind, [&](auto tag) {
        constexpr bool TWO = tag.kind == r2r_kind::two;
        if constexpr (tag.kind != r2r_kind::four && S::MIRRORED) {
            r2r_pairs<S>(v, q, [&](int k, Complex &low, Complex &high) {
                kspace_pair<S::N, TWO, PAIRS>(k, low, high, a, c);
            });
        } else {
            PSG_UNROLL
            for (int e = 0; e < S::E; e++) {
                const int k = S::place_frequency(q, e);
                if constexpr (tag.kind == r2r_kind::four) {
                    const Complex t = a.z.factors[N + k / 2], mode = t * v[e];
                    const Real exy = PAIRS && k % 2 == 1 ? c.other : c.exy;
                    const Real low = symbol_factor(exy, a.ez[k / 2 * 2], a.lambda, a.scale);
                    const Real high =
                        symbol_factor(exy, a.ez[N - 1 - k / 2 * 2], a.lambda, a.scale);
                    if (k == 0 && c.first && a.mode0)
                        a.mode0[c.sheet] = v[e];
                    v[e] = mul_conj(Complex{low * mode.x, high * mode.y}, t);
                } else {
                    Complex mirror = buf[(k == 0 ? 0 : N - k) * S::COLUMNS + col];
                    kspace_pair<N, TWO, PAIRS>(k, v[e], mirror, a, c);
                }
            }
        }
    });
}

/// Calls move(e, number) for the numbers of a column that a thread owns in pass 0: number e is in plane
/// place<0>(q, e). Looks up several planes before it moves the first, as loads that follow a move
/// would wait for it.
template <class S, bool SIDES, class Move>
PSG_HD void kspace_each(int q, const kspace_args<typename S::Real> &a,
                        const kspace_column<typename S::Real, SIDES> &c, const kspace_place &in,
                        Move move) {
    constexpr int GROUP = S::E % 8 == 0 ? 8 : S::E % 5 == 0 ? 5 : 1;
    const auto z = [&](int e) {
        return SIDES ? r2r_point<S>(a.z, q, e) : S::template place<0>(q, e);
    };
    if (in.planes) {
        PSG_UNROLL
        for (int first = 0; first < S::E; first += GROUP) {
            int64_t plane[GROUP];
            PSG_UNROLL
            for (int i = 0; i < GROUP; i++)
                plane[i] = in.planes[z(first + i)];
            PSG_UNROLL
            for (int i = 0; i < GROUP; i++)
                move(first + i, c.base(a) + (plane[i] + c.index));
        }
    } else if (SIDES) {
        typename S::Complex *from = c.base(a) + (in.first + c.index);
        PSG_UNROLL
        for (int e = 0; e < S::E; e++)
            move(e, from + (size_t)z(e) * in.pitch);
    } else {
        typename S::Complex *from = c.base(a) + (in.first + c.index) + (size_t)q * in.pitch;
        PSG_UNROLL
        for (int e = 0; e < S::E; e++)
            move(e, from + (size_t)S::template place<0>(0, e) * in.pitch);
    }
}

/// Between registers and the planes, as pass 0 owns the points: v[e] is plane place<0>(q, e).
template <class S, bool SIDES = false>
PSG_HD void kspace_load(typename S::Complex *v, int q, const kspace_args<typename S::Real> &a,
                        const kspace_column<typename S::Real, SIDES> &c) {
    using Complex = typename S::Complex;
    if (c.valid) {
        kspace_each<S, SIDES>(q, a, c, a.band[c.band].from,
                              [&](int e, const Complex *from) { v[e] = load_neighbours(from); });
    } else {
        PSG_UNROLL
        for (int e = 0; e < S::E; e++)
            v[e] = Complex{0, 0};
    }
}

template <class S, bool SIDES = false>
PSG_HD void kspace_store(const typename S::Complex *v, int q,
                         const kspace_args<typename S::Real> &a,
                         const kspace_column<typename S::Real, SIDES> &c) {
    if (!c.valid)
        return;
    report_nonfinite(v[0], c.nonfinite(a)); // the inverse has put it into all points of the column
    kspace_each<S, SIDES>(q, a, c, a.band[c.band].to,
                          [&](int e, typename S::Complex *to) { *to = v[e]; });
}

/// As kspace_load(), but to the exchange buffer, where only this thread reads them.
template <class S, bool SIDES = false>
PSG_HD void kspace_fetch(typename S::Complex *buf, int q, int col,
                         const kspace_args<typename S::Real> &a,
                         const kspace_column<typename S::Real, SIDES> &c) {
    using Complex = typename S::Complex;
    constexpr int R0 = S::radix(0);
    const auto place = [&](int e) {
        return buf + S::at(S::template row<0>(q, e / R0) + e % R0 * S::template row_step<0>(), col);
    };
    if (c.valid) {
        kspace_each<S, SIDES>(q, a, c, a.band[c.band].from,
                              [&](int e, const Complex *from) { fetch(place(e), from); });
    } else {
        PSG_UNROLL
        for (int e = 0; e < S::E; e++)
            *place(e) = Complex{0, 0};
    }
}

#if defined(__CUDACC__)

/// Grid: x any if AHEAD: while a tile is transformed back and stored, the block's next one is on its
/// way to shared memory; else tiles; y: sheets. Block: S::BLOCK; shared memory: S::shared_bytes.
template <class S, int BLOCKS, bool AHEAD, bool SIDES>
__global__ void __launch_bounds__(S::BLOCK, BLOCKS)
    kspace_fixed(const __grid_constant__ kspace_args<typename S::Real> a) {
    using Complex = typename S::Complex;
    using Column = kspace_column<typename S::Real, SIDES>;
    extern __shared__ __align__(16) unsigned char kspace_shared[];
    Complex *buf = reinterpret_cast<Complex *>(kspace_shared);
    const int col = S::column((int)threadIdx.x), q = S::member((int)threadIdx.x);
    if (AHEAD && blockIdx.x < a.tiles)
        kspace_fetch<S, SIDES>(buf, q, col, a, Column(a, blockIdx.x, S::COLUMNS, col, blockIdx.y));
    for (uint32_t tile = blockIdx.x; tile < a.tiles; tile += gridDim.x) {
        const Column c(a, tile, S::COLUMNS, col, blockIdx.y);
        Complex v[S::ROOM];
        if (AHEAD) {
            fetched();
            S::template from_shared<0>(v, q, col, buf);
        } else {
            kspace_load<S, SIDES>(v, q, a, c);
        }
        if (SIDES)
            r2r_begin<S>(v, q, a.z);
        S::template forward<0>(v, q, a.twiddles);
        exchange<S, 0, 1>(v, q, col, buf);
        if constexpr (S::PASSES == 3) {
            S::template forward<1>(v, q, a.twiddles);
            exchange<S, 1, 2>(v, q, col, buf);
        }
        if constexpr (SIDES) {
            S::template forward<S::LAST>(v, q, a.twiddles);
            const bool mirrors = a.z.kind != r2r_kind::four && !r2r_in_registers<S>(a.z);
            if (mirrors) {
                __syncthreads();
                r2r_put<S>(v, q, col, buf);
                __syncthreads();
            }
            if (a.pairs)
                kspace_sides<S, true>(v, q, col, buf, a, c);
            else
                kspace_sides<S, false>(v, q, col, buf, a, c);
            if (mirrors)
                __syncthreads();
            S::template inverse<S::LAST>(v, q, a.twiddles);
        } else {
            kspace_turn<S>(v, q, a, c);
        }
        if constexpr (S::PASSES == 3) {
            exchange<S, 2, 1>(v, q, col, buf);
            S::template inverse<1>(v, q, a.twiddles);
        }
        exchange<S, 1, 0>(v, q, col, buf);
        const uint32_t next = tile + gridDim.x;
        if (AHEAD && next < a.tiles) {
            __syncthreads();
            kspace_fetch<S, SIDES>(buf, q, col, a, Column(a, next, S::COLUMNS, col, blockIdx.y));
        }
        S::template inverse<0>(v, q, a.twiddles);
        if (SIDES)
            r2r_end<S>(v, q, a.z);
        kspace_store<S, SIDES>(v, q, a, c);
        if (!AHEAD)
            return;
    }
}

#endif

} // namespace psg_cuda
#endif
