// Real-to-real transforms inside the kernels that make a complex transform of the same length.
//
// Along y and z a complex number is two real ones, of two columns x and x', which each have a transform of their own. With F
// the complex transform of what stands in the places 0 .. N-1:
//
//   two    REDFT10: place p holds point 2p, and from the middle on point 2(N-p) - 1  (Makhoul 1980)
//          C[k] = w F[k] + conj(w) F[N-k],  w = exp(-i pi k / 2N)
//   half   R2HC: place p holds point p
//          C[k] = (F[k] + F[N-k]) / 2,  C[N-k] = (F[k] - F[N-k]) / 2i
//   four   REDFT11: for m < N/2, g[m] = (x[2m] + i x[N-1-2m]) a and h[m] = (x'[2m] + i x'[N-1-2m]) a, a = exp(-i pi (4m+1) / 4N);
//          place m holds g + h b and place m + N/2 holds g - h b, b = exp(2 pi i m / N). F[2m] is twice the transform of g, F[2m+1]
//          that of h: C[2m] + i C[N-1-2m] is conj(t F[2m]) of x and conj(t F[2m+1]) of x', t = exp(-i pi m / N)
//
// A sine transform is the cosine transform of other points: RODFT10 of (-1)^j x[j], and its modes are in the reverse order;
// RODFT11 of the points in the reverse order, and its modes have the sign (-1)^k, which nobody needs to undo.
//
// Along x a line of N reals is N/2 complex numbers, as xy_shape.cuh has them; see xy_sides.cuh.
#ifndef PSG_KERNELS_R2R_FUSED_CUH
#define PSG_KERNELS_R2R_FUSED_CUH

#include "kernels/complex.cuh"
#include <cmath>
#include <vector>

namespace psg_cuda {

enum class r2r_kind : uint32_t { none, half, two, four };

/// The transform along an axis. Point `from[h] + step[h] p` is in place p of the first (h = 0) or the second half of the places.
template <class Real> struct r2r_step {
    r2r_kind kind = r2r_kind::none;
    bool odd = false;                         // a sine transform
    const complex_t<Real> *factors = nullptr; // see r2r_factors()
    int from[2] = {0, 0}, step[2] = {1, 1};
};

template <r2r_kind KIND> struct r2r_tag { static constexpr r2r_kind kind = KIND; };

/// Calls f(r2r_tag<kind>()), for a kind that is not `none`: so a kind costs one branch, and not one for each number.
template <class F> PSG_HD void r2r_switch(r2r_kind kind, F f) {
    if (kind == r2r_kind::two)
        f(r2r_tag<r2r_kind::two>());
    else if (kind == r2r_kind::four)
        f(r2r_tag<r2r_kind::four>());
    else
        f(r2r_tag<r2r_kind::half>());
}

inline r2r_kind r2r_kind_of(psg_cuda_r2r kind) {
    return kind == PSG_CUDA_R2HC                                  ? r2r_kind::half
           : kind == PSG_CUDA_REDFT10 || kind == PSG_CUDA_RODFT10 ? r2r_kind::two
           : kind == PSG_CUDA_REDFT11 || kind == PSG_CUDA_RODFT11 ? r2r_kind::four
                                                                  : r2r_kind::none;
}

inline bool r2r_is_sine(psg_cuda_r2r kind) {
    return kind == PSG_CUDA_RODFT10 || kind == PSG_CUDA_RODFT11;
}

/// Is there such a transform around a complex one whose first pass has this radix?
inline bool r2r_fuses(psg_cuda_r2r kind, uint32_t radix) {
    return kind == PSG_CUDA_DFT || r2r_kind_of(kind) == r2r_kind::half ||
           r2r_kind_of(kind) == r2r_kind::two ||
           (r2r_kind_of(kind) == r2r_kind::four && radix % 2 == 0);
}

/// exp(-i pi turns)
template <class Real> complex_t<Real> r2r_root(long double turns) {
    const long double pi = 3.141592653589793238462643383279502884L;
    return {(Real)std::cos(pi * turns), (Real)-std::sin(pi * turns)};
}

/// The factors of a transform along y or z: two [n] w; four [3][n/2] a, a b, t.
template <class Real> std::vector<complex_t<Real>> r2r_factors(r2r_kind kind, size_t n) {
    const long double length = (long double)n;
    std::vector<complex_t<Real>> f;
    for (size_t k = 0; k < n && kind == r2r_kind::two; k++)
        f.push_back(r2r_root<Real>((long double)k / (2 * length)));
    if (kind != r2r_kind::four)
        return f;
    const size_t half = n / 2;
    f.resize(3 * half);
    for (size_t m = 0; m < half; m++) {
        const long double a = (4 * (long double)m + 1) / (4 * length);
        f[m] = r2r_root<Real>(a);
        f[half + m] = r2r_root<Real>(a - 2 * (long double)m / length);
        f[2 * half + m] = r2r_root<Real>((long double)m / length);
    }
    return f;
}

/// @param n  the length along y or z
template <class Real>
r2r_step<Real> r2r_make_step(psg_cuda_r2r kind, int n, const complex_t<Real> *factors) {
    r2r_step<Real> step;
    step.kind = r2r_kind_of(kind);
    step.odd = r2r_is_sine(kind);
    step.factors = factors;
    if (step.kind == r2r_kind::two || step.kind == r2r_kind::four) {
        const bool reverse = step.kind == r2r_kind::four && step.odd;
        step.from[0] = reverse ? n - 1 : 0;
        step.from[1] = reverse ? -n : 2 * n - 1;
        step.step[0] = reverse ? -2 : 2;
        step.step[1] = -step.step[0];
    }
    return step;
}

/// The point of element e of thread q in pass 0. If the first radix is even, the halves of a butterfly are in the halves of the
/// places.
template <class S> PSG_HD int r2r_point(const r2r_step<typename S::Real> &step, int q, int e) {
    constexpr int R = S::radix(0);
    const int p = S::template place<0>(q, e);
    const int half = R % 2 == 0 ? e % R >= R / 2 : p >= (S::N + 1) / 2;
    return step.from[half] + step.step[half] * p;
}

/// The mode that the kernel has as C[k].
template <int N, class Real> PSG_HD int r2r_mode(const r2r_step<Real> &step, int k) {
    return step.kind == r2r_kind::two && step.odd ? N - 1 - k : k;
}

/// Points, in their places as pass 0 owns them, to what is transformed.
template <class S>
PSG_HD void r2r_begin(typename S::Complex *v, int q, const r2r_step<typename S::Real> &step) {
    using Complex = typename S::Complex;
    constexpr int N = S::N, R = S::radix(0), HALF = R / 2;
    if (step.kind == r2r_kind::two && step.odd) {
        PSG_UNROLL
        for (int e = 0; e < S::E; e++)
            if (R % 2 == 0 ? e % R >= HALF : S::template place<0>(q, e) >= (N + 1) / 2)
                v[e] = {-v[e].x, -v[e].y};
    } else if (R % 2 == 0 && step.kind == r2r_kind::four) {
        PSG_UNROLL
        for (int e = 0; e < S::E; e++) {
            if (e % R >= HALF)
                continue;
            const int m = S::template place<0>(q, e);
            const Complex x = v[e], y = v[e + HALF];
            const Complex g = Complex{x.x, y.x} * step.factors[m];
            const Complex h = Complex{x.y, y.y} * step.factors[N / 2 + m];
            v[e] = g + h;
            v[e + HALF] = g - h;
        }
    }
}

/// Back.
template <class S>
PSG_HD void r2r_end(typename S::Complex *v, int q, const r2r_step<typename S::Real> &step) {
    using Complex = typename S::Complex;
    constexpr int N = S::N, R = S::radix(0), HALF = R / 2;
    if (step.kind == r2r_kind::two) {
        r2r_begin<S>(v, q, step);
    } else if (R % 2 == 0 && step.kind == r2r_kind::four) {
        PSG_UNROLL
        for (int e = 0; e < S::E; e++) {
            if (e % R >= HALF)
                continue;
            const int m = S::template place<0>(q, e);
            const Complex g = mul_conj(v[e] + v[e + HALF], step.factors[m]);
            const Complex h = mul_conj(v[e] - v[e + HALF], step.factors[N / 2 + m]);
            v[e] = {g.x, h.x};
            v[e + HALF] = {g.y, h.y};
        }
    }
}

/// Calls both(k, F[k], F[N-k]) for all pairs of frequencies of MIRRORED columns, in registers as the last pass owns them.
template <class S, class Both> PSG_HD void r2r_pairs(typename S::Complex *v, int q, Both both) {
    constexpr int R = S::RL, STEP = S::N / R;
    if (q > 0) {
        PSG_UNROLL
        for (int j = 0; j < R; j++)
            both(q + j * STEP, v[j], v[2 * R - 1 - j]);
        return;
    }
    PSG_UNROLL
    for (int j = 0; j <= R / 2; j++) {
        typename S::Complex same = v[j]; // k = 0 and k = N / 2 have themselves
        both(j * STEP, v[j], 2 * j % R == 0 ? same : v[(R - j) % R]);
    }
    PSG_UNROLL
    for (int j = 0; j < (R + 1) / 2; j++) {
        typename S::Complex same = v[R + j];
        both(S::T + j * STEP, v[R + j], 2 * j + 1 == R ? same : v[2 * R - 1 - j]);
    }
}

/// Is a step done in registers, by r2r_pairs()? Else all numbers go through an exchange buffer.
template <class S> PSG_HD bool r2r_in_registers(const r2r_step<typename S::Real> &step) {
    return S::MIRRORED && step.kind != r2r_kind::four;
}

/// Between registers, as the last pass owns them, and an exchange buffer [N][COLUMNS] in the order of the frequencies.
template <class S>
PSG_HD void r2r_put(const typename S::Complex *v, int q, int col, typename S::Complex *buf) {
    PSG_UNROLL
    for (int e = 0; e < S::E; e++)
        buf[S::place_frequency(q, e) * S::COLUMNS + col] = v[e];
}

/// C[k] and C[N-k] from F[k] and F[N-k], of kind `two` or `half`.
template <bool TWO, class Real>
PSG_HD void r2r_modes_pair(complex_t<Real> &low, complex_t<Real> &high, complex_t<Real> w) {
    const Real half = Real(0.5);
    const complex_t<Real> x = TWO ? w * low : half * low;
    const complex_t<Real> y = TWO ? mul_conj(high, w) : half * high;
    low = x + y;
    high = TWO ? mul_i<1>(x - y) : mul_i<-1>(x - y);
}

/// F[k] and F[N-k] from C[k] and C[N-k], of kind `two` or `half`; not for k = 0 and k = N / 2.
template <bool TWO, class Real>
PSG_HD void r2r_frequencies_pair(complex_t<Real> &low, complex_t<Real> &high, complex_t<Real> w) {
    const complex_t<Real> turned = mul_i<1>(high);
    const complex_t<Real> x = TWO ? low - turned : low + turned;
    const complex_t<Real> y = TWO ? low + turned : low - turned;
    low = TWO ? mul_conj(x, w) : x;
    high = TWO ? w * y : y;
}

/// C from F: v[e] is F[k] and becomes C[k], k = place_frequency(q, e); r2r_put() has put all of F, or it is done in registers.
template <class S>
PSG_HD void r2r_modes(typename S::Complex *v, int q, int col, const typename S::Complex *buf,
                      const r2r_step<typename S::Real> &step) {
    using Complex = typename S::Complex;
    constexpr int N = S::N;
    const auto f = [&](int k) { return buf[k * S::COLUMNS + col]; };
    r2r_switch(step.kind, [&](auto tag) {
        constexpr bool TWO = tag.kind == r2r_kind::two;
        if constexpr (tag.kind != r2r_kind::four && S::MIRRORED) {
            r2r_pairs<S>(v, q, [&](int k, Complex &low, Complex &high) {
                const bool upper = !TWO && 2 * k > S::N;
                Complex one = upper ? high : low, other = upper ? low : high;
                r2r_modes_pair<TWO>(one, other, TWO ? step.factors[k] : Complex{1, 0});
                low = upper ? other : one;
                high = upper ? one : other;
            });
        } else {
            PSG_UNROLL
            for (int e = 0; e < S::E; e++) {
                const int k = S::place_frequency(q, e), mirror = k == 0 ? 0 : N - k;
                if constexpr (tag.kind == r2r_kind::four) {
                    const int m = k % 2 == 0 ? k / 2 : (N - 1 - k) / 2;
                    const Complex t = step.factors[N + m], a = t * f(2 * m), b = t * f(2 * m + 1);
                    v[e] = k % 2 == 0 ? Complex{a.x, b.x} : Complex{-a.y, -b.y};
                } else {
                    const bool upper = !TWO && 2 * k > N;
                    Complex low = upper ? f(mirror) : v[e], high = upper ? v[e] : f(mirror);
                    r2r_modes_pair<TWO>(low, high, TWO ? step.factors[k] : Complex{1, 0});
                    v[e] = upper ? high : low;
                }
            }
        }
    });
}

/// F from C: v[e] is C[k] and becomes F[k]; r2r_put() has put all of C, or it is done in registers.
template <class S>
PSG_HD void r2r_frequencies(typename S::Complex *v, int q, int col, const typename S::Complex *buf,
                            const r2r_step<typename S::Real> &step) {
    using Complex = typename S::Complex;
    constexpr int N = S::N;
    const auto c = [&](int k) { return buf[k * S::COLUMNS + col]; };
    r2r_switch(step.kind, [&](auto tag) {
        constexpr bool TWO = tag.kind == r2r_kind::two;
        const auto alone = [](int k) { return k == 0 || (!TWO && 2 * k == S::N); };
        if constexpr (tag.kind != r2r_kind::four && S::MIRRORED) {
            r2r_pairs<S>(v, q, [&](int k, Complex &low, Complex &high) {
                const Complex own = low;
                const bool upper = !TWO && 2 * k > S::N;
                Complex one = upper ? high : low, other = upper ? low : high;
                r2r_frequencies_pair<TWO>(one, other, TWO ? step.factors[k] : Complex{1, 0});
                low = alone(k) ? own : upper ? other : one;
                high = upper ? one : other;
            });
        } else {
            PSG_UNROLL
            for (int e = 0; e < S::E; e++) {
                const int k = S::place_frequency(q, e), mirror = k == 0 ? 0 : N - k;
                if constexpr (tag.kind == r2r_kind::four) {
                    const int m = k / 2;
                    const Complex a = c(2 * m), b = c(N - 1 - 2 * m);
                    v[e] = mul_conj(k % 2 == 0 ? Complex{a.x, -b.x} : Complex{a.y, -b.y},
                                    step.factors[N + m]);
                } else {
                    const bool upper = !TWO && 2 * k > N;
                    Complex low = upper ? c(mirror) : v[e], high = upper ? v[e] : c(mirror);
                    r2r_frequencies_pair<TWO>(low, high, TWO ? step.factors[k] : Complex{1, 0});
                    v[e] = alone(k) ? v[e] : upper ? high : low;
                }
            }
        }
    });
}

} // namespace psg_cuda
#endif
