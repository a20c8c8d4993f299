// The fused z kernel for lengths known at compile time. A block holds COLUMNS columns in registers,
// ELEMENTS points a thread; shared memory only exchanges them between passes. Threads are numbered
// with the column fastest, so that a warp reads COLUMNS contiguous numbers of each of its planes.
#ifndef PSG_KERNELS_KSPACE_FIXED_CUH
#define PSG_KERNELS_KSPACE_FIXED_CUH

#include "kernels/kspace_args.cuh"

namespace psg_cuda {

/// A length LENGTH = R0 R1 R2 (R2 = 1: two passes); ELEMENTS is a multiple of each radix.
/// Thread q of the THREADS that share a column owns, in pass p, the butterflies q + u THREADS.
template <class Real_, int LENGTH, int ELEMENTS, int COLUMNS_, int R0, int R1, int R2 = 1>
struct kspace_shape {
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
    static constexpr int RL = radix(LAST);
    static constexpr bool PADDED = RL % 2 == 0; // one row in RL + 1 keeps banks apart
    static constexpr int ROWS = PADDED ? N + N / RL : N;
    static_assert(R0 * R1 * R2 == N && E % R0 == 0 && E % R1 == 0 && E % R2 == 0 && N % E == 0, "");

    /// Place in the column of a butterfly's first point, and of element e of thread q.
    template <int P> static PSG_HD int first(int q, int u) {
        constexpr int R = radix(P), S = stride(P);
        const int g = q + u * T; // < S in pass 0
        return P == 0 ? g : g / S * (R * S) + g % S;
    }
    /// Place of that butterfly in its block: which twiddles it takes.
    template <int P> static PSG_HD int twiddle(int q, int u) {
        return P == 0 ? q + u * T : (q + u * T) % stride(P);
    }
    template <int P> static PSG_HD int place(int q, int e) {
        return first<P>(q, e / radix(P)) + e % radix(P) * stride(P);
    }
    /// Row of shared memory of that butterfly, and rows from one of its points to the next: all
    /// strides but the last are multiples of RL.
    template <int P> static PSG_HD int row(int q, int u) {
        const int f = first<P>(q, u);
        return PADDED ? f + f / RL : f;
    }
    template <int P> static PSG_HD constexpr int row_step() {
        return PADDED ? stride(P) + stride(P) / RL : stride(P);
    }
    /// Frequency that place g * RL holds after the forward transform.
    static PSG_HD int frequency(int g) {
        return PASSES == 2 ? g : g / R1 + R0 * (g % R1);
    }
    static PSG_HD constexpr int twiddles(int p) { // index of the first twiddle of pass p
        return p == 0 ? 0 : N - stride(p - 1);
    }

    template <int P> static PSG_HD void forward(Complex *v, int q, const Complex *table) {
        constexpr int R = radix(P), S = stride(P);
        PSG_UNROLL
        for (int u = 0; u < E / R; u++) {
            dft<R, -1>(v + u * R);
            if (P < LAST) {
                const Complex *w = table + twiddles(P) + twiddle<P>(q, u);
                PSG_UNROLL
                for (int j = 1; j < R; j++)
                    v[u * R + j] = v[u * R + j] * w[(j - 1) * S];
            }
        }
    }
    template <int P> static PSG_HD void inverse(Complex *v, int q, const Complex *table) {
        constexpr int R = radix(P), S = stride(P);
        PSG_UNROLL
        for (int u = 0; u < E / R; u++) {
            if (P < LAST) {
                const Complex *w = table + twiddles(P) + twiddle<P>(q, u);
                PSG_UNROLL
                for (int j = 1; j < R; j++)
                    v[u * R + j] = mul_conj(v[u * R + j], w[(j - 1) * S]);
            }
            dft<R, 1>(v + u * R);
        }
    }
    /// Last forward pass, division, first inverse pass.
    static PSG_HD void turn(Complex *v, int q, const kspace_args<Real> &a,
                            const kspace_column<Real> &c) {
        PSG_UNROLL
        for (int u = 0; u < E / RL; u++) {
            const int k = frequency(q + u * T);
            dft<RL, -1>(v + u * RL);
            if (k == 0 && c.index == 0 && a.mode0)
                *a.mode0 = v[u * RL];
            PSG_UNROLL
            for (int j = 0; j < RL; j++)
                v[u * RL + j] =
                    symbol_factor(c.exy, a.ez[k + j * (N / RL)], a.lambda, a.scale) * v[u * RL + j];
            dft<RL, 1>(v + u * RL);
        }
    }

    /// Between registers and the exchange buffer [ROWS][COLUMNS], as pass P owns the points.
    template <int P> static PSG_HD void to_shared(const Complex *v, int q, int col, Complex *buf) {
        PSG_UNROLL
        for (int e = 0; e < E; e++)
            buf[(row<P>(q, e / radix(P)) + e % radix(P) * row_step<P>()) * COLUMNS + col] = v[e];
    }
    template <int P>
    static PSG_HD void from_shared(Complex *v, int q, int col, const Complex *buf) {
        PSG_UNROLL
        for (int e = 0; e < E; e++)
            v[e] = buf[(row<P>(q, e / radix(P)) + e % radix(P) * row_step<P>()) * COLUMNS + col];
    }
    /// The same for the real parts (PART = 0) or the imaginary parts alone.
    template <int P, int PART>
    static PSG_HD void part_to_shared(const Complex *v, int q, int col, Real *buf) {
        PSG_UNROLL
        for (int e = 0; e < E; e++)
            buf[(row<P>(q, e / radix(P)) + e % radix(P) * row_step<P>()) * COLUMNS + col] =
                PART ? v[e].y : v[e].x;
    }
    template <int P, int PART>
    static PSG_HD void part_from_shared(Complex *v, int q, int col, const Real *buf) {
        PSG_UNROLL
        for (int e = 0; e < E; e++) {
            const Real r =
                buf[(row<P>(q, e / radix(P)) + e % radix(P) * row_step<P>()) * COLUMNS + col];
            if (PART)
                v[e].y = r;
            else
                v[e].x = r;
        }
    }

    /// Between registers and the planes, as pass 0 owns the points: v[e] is plane place<0>(q, e).
    static PSG_HD void load(Complex *v, int q, const kspace_args<Real> &a,
                            const kspace_column<Real> &c) {
        if (!c.valid) {
            PSG_UNROLL
            for (int e = 0; e < E; e++)
                v[e] = Complex{Real(0), Real(0)};
        } else if (a.planes) {
            PSG_UNROLL
            for (int e = 0; e < E; e++)
                v[e] = a.base[a.planes[place<0>(q, e)] + c.index];
        } else {
            const Complex *from = a.base + (size_t)q * a.pitch + c.index;
            PSG_UNROLL
            for (int e = 0; e < E; e++)
                v[e] = from[(size_t)place<0>(0, e) * a.pitch];
        }
    }
    static PSG_HD void store(const Complex *v, int q, const kspace_args<Real> &a,
                             const kspace_column<Real> &c) {
        if (!c.valid)
            return;
        report_nonfinite(v[0], a.nonfinite); // the inverse has put it into all points of the column
        if (a.planes) {
            PSG_UNROLL
            for (int e = 0; e < E; e++)
                a.base[a.planes[place<0>(q, e)] + c.index] = v[e];
        } else {
            Complex *to = a.base + (size_t)q * a.pitch + c.index;
            PSG_UNROLL
            for (int e = 0; e < E; e++)
                to[(size_t)place<0>(0, e) * a.pitch] = v[e];
        }
    }
};

#if defined(__CUDACC__)

/// All data from pass FROM's owners to pass TO's. Ends with every thread having read its points, but
/// without a barrier: the next exchange begins by writing where this one has read.
template <class S, bool SPLIT, int FROM, int TO>
__device__ __forceinline__ void exchange(typename S::Complex *v, int q, int col, void *buffer) {
    if constexpr (SPLIT) {
        typename S::Real *buf = static_cast<typename S::Real *>(buffer);
        S::template part_to_shared<FROM, 0>(v, q, col, buf);
        __syncthreads();
        S::template part_from_shared<TO, 0>(v, q, col, buf);
        __syncthreads(); // the imaginary parts overwrite what others still read
        S::template part_to_shared<FROM, 1>(v, q, col, buf);
        __syncthreads();
        S::template part_from_shared<TO, 1>(v, q, col, buf);
    } else {
        typename S::Complex *buf = static_cast<typename S::Complex *>(buffer);
        S::template to_shared<FROM>(v, q, col, buf);
        __syncthreads();
        S::template from_shared<TO>(v, q, col, buf);
    }
}

/// Transform, divide and transform back the points of one tile, in registers.
template <class S, bool SPLIT>
__device__ __forceinline__ void kspace_tile(typename S::Complex *v, int q, int col,
                                            const kspace_args<typename S::Real> &a,
                                            const kspace_column<typename S::Real> &c, void *buf) {
    S::template forward<0>(v, q, a.twiddles);
    exchange<S, SPLIT, 0, 1>(v, q, col, buf);
    if constexpr (S::PASSES == 3) {
        S::template forward<1>(v, q, a.twiddles);
        exchange<S, SPLIT, 1, 2>(v, q, col, buf);
    }
    S::turn(v, q, a, c);
    if constexpr (S::PASSES == 3) {
        exchange<S, SPLIT, 2, 1>(v, q, col, buf);
        S::template inverse<1>(v, q, a.twiddles);
    }
    exchange<S, SPLIT, 1, 0>(v, q, col, buf);
    S::template inverse<0>(v, q, a.twiddles);
}

/// One tile a block. Grid: tiles; block: S::BLOCK; shared memory: kspace_fixed_bytes().
template <class S, bool SPLIT, int BLOCKS>
__global__ void __launch_bounds__(S::BLOCK, BLOCKS)
    kspace_fixed(const __grid_constant__ kspace_args<typename S::Real> a) {
    extern __shared__ __align__(16) unsigned char kspace_shared[];
    const int col = threadIdx.x % S::COLUMNS, q = threadIdx.x / S::COLUMNS;
    const kspace_column<typename S::Real> c(a, blockIdx.x * S::COLUMNS + col);
    typename S::Complex v[S::E];
    S::load(v, q, a, c);
    kspace_tile<S, SPLIT>(v, q, col, a, c, kspace_shared);
    S::store(v, q, a, c);
}

/// Copy one complex number to shared memory without waiting for it.
template <class Complex>
__device__ __forceinline__ void copy_ahead(Complex *shared, const Complex *global) {
    const unsigned to = (unsigned)__cvta_generic_to_shared(shared);
    if constexpr (sizeof(Complex) == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(global) : "memory");
}

/// Start to copy tile `tile` into ahead [E][BLOCK]: each thread the points that it will use.
template <class S>
__device__ __forceinline__ void load_ahead(const kspace_args<typename S::Real> &a, uint32_t tile,
                                           typename S::Complex *ahead) {
    const int col = threadIdx.x % S::COLUMNS, q = threadIdx.x / S::COLUMNS;
    const uint32_t column = tile * S::COLUMNS + col;
    if (tile < a.tiles && column < a.columns) {
        PSG_UNROLL
        for (int e = 0; e < S::E; e++)
            copy_ahead(ahead + e * S::BLOCK + threadIdx.x,
                       kspace_plane(a, (uint32_t)S::template place<0>(q, e)) + column);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/// Every block works on many tiles and loads the next one while it works on one. Grid: any.
template <class S, bool SPLIT, int BLOCKS>
__global__ void __launch_bounds__(S::BLOCK, BLOCKS)
    kspace_fixed_ahead(const __grid_constant__ kspace_args<typename S::Real> a) {
    using Complex = typename S::Complex;
    extern __shared__ __align__(16) unsigned char kspace_shared[];
    Complex *ahead = reinterpret_cast<Complex *>(kspace_shared);
    void *buf = ahead + S::E * S::BLOCK;
    const int col = threadIdx.x % S::COLUMNS, q = threadIdx.x / S::COLUMNS;
    load_ahead<S>(a, blockIdx.x, ahead);
    for (uint32_t tile = blockIdx.x; tile < a.tiles; tile += gridDim.x) {
        const kspace_column<typename S::Real> c(a, tile * S::COLUMNS + col);
        Complex v[S::E];
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        PSG_UNROLL
        for (int e = 0; e < S::E; e++)
            v[e] = c.valid ? ahead[e * S::BLOCK + threadIdx.x]
                           : Complex{typename S::Real(0), typename S::Real(0)};
        load_ahead<S>(a, tile + gridDim.x, ahead); // own places only: no barrier
        kspace_tile<S, SPLIT>(v, q, col, a, c, buf);
        S::store(v, q, a, c);
    }
}

/// Shared memory of a block, in bytes.
template <class S, bool SPLIT, bool AHEAD> constexpr size_t kspace_fixed_bytes() {
    return (size_t)S::ROWS * S::COLUMNS * sizeof(typename S::Real) * (SPLIT ? 1 : 2) +
           (AHEAD ? (size_t)S::N * S::COLUMNS * sizeof(typename S::Complex) : 0);
}

#endif

} // namespace psg_cuda
#endif
