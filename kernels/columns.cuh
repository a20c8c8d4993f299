// Transforms of columns of a length known at compile time: a block holds COLUMNS columns in
// registers, ELEMENTS points a thread; shared memory only exchanges them between passes. Threads
// are numbered with the column fastest, so that a warp moves COLUMNS contiguous numbers at once,
// and the exchange buffer is [ROWS][COLUMNS]. ALONG columns that are contiguous themselves threads
// are numbered with the point fastest, and the buffer is [COLUMNS][ROWS].
//
// The forward transform decimates in frequency without reordering: pass p of radix R_p works on
// blocks of span_p = n / (R_0 .. R_{p-1}) points, with butterflies over points `stride_p` =
// span_p / R_p apart, and multiplies by exp(-2 pi i j m / span_p) (j the output's digit, m < stride
// the place in the block). Afterwards place  k_0 stride_0 + k_1 stride_1 + ..  holds the frequency
// k_0 + R_0 k_1 + R_0 R_1 k_2 + ..; the inverse runs the same passes backwards from there. A
// butterfly writes where it has read, so one barrier between two passes is enough.
#ifndef PSG_KERNELS_COLUMNS_CUH
#define PSG_KERNELS_COLUMNS_CUH

#include "kernels/radix.cuh"
#include <type_traits>

namespace psg_cuda {

/// A thread of MIRRORED columns: its number q among those of a column, and its second butterfly in
/// the last pass, 2 THREADS - q (THREADS for q = 0), or 2 THREADS - 1 - q.
struct column_member {
    int q, second;
    PSG_HD operator int() const {
        return q;
    }
};

/// A length LENGTH = R0 R1 R2 (R2 = 1: two passes); ELEMENTS is a multiple of the first and the
/// last radix. ALONG: see above.
/// Thread q of the THREADS that share a column owns, in pass p, the butterflies q + u THREADS. In
/// the last pass they are numbered such that butterfly b begins with frequency b: thread q then has
/// the frequencies q + u THREADS + j N / R, so that neighbours have neighbouring ones. In a middle
/// pass some threads may have a butterfly less than others.
/// PAIRED columns are MIRRORED, or FOLDED if they are ALONG. MIRRORED ones have two butterflies a
/// thread in the last pass, and the frequencies k and N - k in the same thread, or k and N - 1 - k.
/// FOLDED ones have two in the first pass, and the points n and N - 1 - n in the same thread.
template <class Real_, int LENGTH, int ELEMENTS, int COLUMNS_, int R0, int R1, int R2 = 1,
          bool ALONG = false, bool PAIRED = false>
struct column_shape {
    using Real = Real_;
    using Complex = complex_t<Real>;
    static constexpr int N = LENGTH, E = ELEMENTS, COLUMNS = COLUMNS_, T = N / E;
    static constexpr int BLOCK = T * COLUMNS;
    static constexpr int PASSES = R2 > 1 ? 3 : 2, LAST = PASSES - 1;
    static PSG_HD constexpr int radix(int p) {
        return p == 0 ? R0 : p == 1 ? R1 : R2;
    }
    static PSG_HD constexpr int stride(int p) {
        return p == 0 ? N / R0 : p == 1 ? N / (R0 * R1) : N / (R0 * R1 * R2);
    }
    /// Butterflies of pass p that a thread has, at most; has(): is number u of thread q there?
    static PSG_HD constexpr int rounds(int p) {
        return (N / radix(p) + T - 1) / T;
    }
    static PSG_HD constexpr bool even(int p) {
        return N / radix(p) % T == 0;
    }
    template <int P> static PSG_HD bool has(int q, int u) {
        return even(P) || q + u * T < N / radix(P);
    }
    /// Numbers that a thread holds, at most.
    static constexpr int ROOM = E > rounds(1) * R1 ? E : rounds(1) * R1;
    static constexpr int RL = radix(LAST);
    static constexpr bool MIRRORED = PAIRED && !ALONG, FOLDED = PAIRED && ALONG;
    static_assert((!MIRRORED || E == 2 * RL) && (!FOLDED || (E == 2 * R0 && R0 % 2 == 0)), "");
    using Member = std::conditional_t<MIRRORED, column_member, int>;
    static constexpr int SPAN = N / R0;           // of a block after the first pass
    static constexpr bool PADDED = SPAN % 2 == 0; // one row in SPAN + 1 keeps banks apart
    static constexpr int ROWS = PADDED ? N + R0 : N;
    /// The threads of a column are in one warp.
    static constexpr bool IN_WARP = ALONG && 32 % T == 0 && BLOCK % 32 == 0;
    static_assert(R0 * R1 * R2 == N && N % E == 0 && E % R0 == 0 && E % RL == 0, "");

    /// What a thread of the block works on: its number among those of a column, and the column.
    /// @param reflected  MIRRORED columns have k and N - 1 - k in a thread, in place of k and N - k
    static PSG_HD Member member(int thread, bool reflected = false) {
        const int q = ALONG ? thread % T : thread / COLUMNS;
        if constexpr (MIRRORED)
            return {q, reflected ? 2 * T - 1 - q : q == 0 ? T : 2 * T - q};
        else
            return q;
    }
    static PSG_HD int column(int thread) {
        return ALONG ? thread / T : thread % COLUMNS;
    }
    /// Place of a row of a column in the exchange buffer.
    static PSG_HD int at(int row, int col) {
        return ALONG ? col * ROWS + row : row * COLUMNS + col;
    }

    /// Which butterfly of pass P is number u of thread q; the frequency of its first output, in the
    /// last pass.
    template <int P> static PSG_HD int butterfly(Member q, int u) {
        const int folded = P == 0 && FOLDED && u == 1 ? 2 * T - 1 - q : q + u * T;
        const int b = P == LAST ? frequency(q, u) : folded;
        return P == 2 ? b % R0 * R1 + b / R0 : b;
    }
    static PSG_HD int frequency(Member q, int u) {
        if constexpr (MIRRORED)
            return u == 0 ? q.q : q.second;
        else
            return q + u * T;
    }
    /// Place in the column of a butterfly's first point, and of element e of thread q.
    template <int P> static PSG_HD int first(Member q, int u) {
        constexpr int R = radix(P), S = stride(P);
        const int g = butterfly<P>(q, u); // < S in pass 0
        return P == 0 ? g : g / S * (R * S) + g % S;
    }
    template <int P> static PSG_HD int place(Member q, int e) {
        return first<P>(q, e / radix(P)) + e % radix(P) * stride(P);
    }
    /// Frequency of element e of thread q after the last pass.
    static PSG_HD int place_frequency(Member q, int e) {
        return frequency(q, e / RL) + e % RL * (N / RL);
    }
    /// Place of a butterfly in its block: which twiddles it takes.
    template <int P> static PSG_HD int twiddle(Member q, int u) {
        return P == 0 ? butterfly<0>(q, u) : (q + u * T) % stride(P);
    }
    /// Row of shared memory of that butterfly, and rows from one of its points to the next.
    template <int P> static PSG_HD int row(Member q, int u) {
        const int f = first<P>(q, u);
        return PADDED ? f + f / SPAN : f;
    }
    template <int P> static PSG_HD constexpr int row_step() {
        return P == 0 && PADDED ? stride(P) + 1 : stride(P);
    }
    static PSG_HD constexpr int twiddles(int p) { // index of the first twiddle of pass p
        return p == 0 ? 0 : N - stride(p - 1);
    }

    /// Multiply the outputs of a butterfly of pass P by its twiddles, or by their conjugates.
    template <int P, bool CONJUGATE>
    static PSG_HD void twist_pass(Complex *v, Member q, int u, const Complex *table) {
        twist<radix(P), CONJUGATE>(v, table + twiddles(P) + twiddle<P>(q, u), (uint32_t)stride(P));
    }
    template <int P> static PSG_HD void forward(Complex *v, Member q, const Complex *table) {
        PSG_UNROLL
        for (int u = 0; u < rounds(P); u++) {
            if (!has<P>(q, u))
                break;
            dft<radix(P), -1>(v + u * radix(P));
            if (P < LAST)
                twist_pass<P, false>(v + u * radix(P), q, u, table);
        }
    }
    template <int P> static PSG_HD void inverse(Complex *v, Member q, const Complex *table) {
        PSG_UNROLL
        for (int u = 0; u < rounds(P); u++) {
            if (!has<P>(q, u))
                break;
            if (P < LAST)
                twist_pass<P, true>(v + u * radix(P), q, u, table);
            dft<radix(P), 1>(v + u * radix(P));
        }
    }

    /// Between registers and the exchange buffer, as pass P owns the points.
    template <int P>
    static PSG_HD void to_shared(const Complex *v, Member q, int col, Complex *buf) {
        PSG_UNROLL
        for (int e = 0; e < rounds(P) * radix(P); e++)
            if (has<P>(q, e / radix(P)))
                buf[at(row<P>(q, e / radix(P)) + e % radix(P) * row_step<P>(), col)] = v[e];
    }
    template <int P>
    static PSG_HD void from_shared(Complex *v, Member q, int col, const Complex *buf) {
        PSG_UNROLL
        for (int e = 0; e < rounds(P) * radix(P); e++)
            if (has<P>(q, e / radix(P)))
                v[e] = buf[at(row<P>(q, e / radix(P)) + e % radix(P) * row_step<P>(), col)];
    }
    static constexpr size_t shared_bytes = (size_t)ROWS * COLUMNS * sizeof(Complex);
};

#if defined(__CUDACC__)

/// A barrier for the threads of each column: of the warp if it has whole columns, else of the
/// block. All threads of the block come here.
template <class S> __device__ __forceinline__ void meet() {
    if constexpr (S::IN_WARP)
        __syncwarp();
    else
        __syncthreads();
}

/// All data from pass FROM's owners to pass TO's. Ends with every thread having read its points,
/// but without a barrier: the next exchange begins by writing where this one has read.
template <class S, int FROM, int TO>
__device__ __forceinline__ void exchange(typename S::Complex *v, typename S::Member q, int col,
                                         typename S::Complex *buf) {
    S::template to_shared<FROM>(v, q, col, buf);
    meet<S>();
    S::template from_shared<TO>(v, q, col, buf);
}

/// All passes forward, from points as pass 0 owns them to frequencies as the last pass does; and
/// back. Before the next use of `buf` by another pattern there has to be a barrier. between(): done
/// by all threads on the way, when their registers are free.
template <class S, class Between>
__device__ __forceinline__ void columns_forward(typename S::Complex *v, typename S::Member q,
                                                int col, const typename S::Complex *table,
                                                typename S::Complex *buf, Between between) {
    S::template forward<0>(v, q, table);
    S::template to_shared<0>(v, q, col, buf);
    between();
    meet<S>();
    S::template from_shared<1>(v, q, col, buf);
    S::template forward<1>(v, q, table);
    if constexpr (S::PASSES == 3) {
        exchange<S, 1, 2>(v, q, col, buf);
        S::template forward<2>(v, q, table);
    }
}

template <class S, class Between>
__device__ __forceinline__ void columns_inverse(typename S::Complex *v, typename S::Member q,
                                                int col, const typename S::Complex *table,
                                                typename S::Complex *buf, Between between) {
    if constexpr (S::PASSES == 3) {
        S::template inverse<2>(v, q, table);
        exchange<S, 2, 1>(v, q, col, buf);
    }
    S::template inverse<1>(v, q, table);
    S::template to_shared<1>(v, q, col, buf);
    between();
    meet<S>();
    S::template from_shared<0>(v, q, col, buf);
    S::template inverse<0>(v, q, table);
}

#endif

} // namespace psg_cuda
#endif
