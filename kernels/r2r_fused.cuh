// Real-to-real transforms inside the kernels that make a complex transform of the same length.
//
// Along y and z a complex number is two real ones, of two columns x and x', which each have a
// transform of their own. With F the complex transform of what stands in the places 0 .. N-1:
//
//   two    REDFT10: place p holds point 2p, and from the middle on point 2(N-p) - 1  (Makhoul 1980)
//          C[k] = w F[k] + conj(w) F[N-k],  w = exp(-i pi k / 2N)
//   half   R2HC: place p holds point p
//          C[k] = (F[k] + F[N-k]) / 2,  C[N-k] = (F[k] - F[N-k]) / 2i
//   four   REDFT11: for m < N/2 place m holds a (c x[2m] + s x[N-1-2m]),
//          and place m + N/2 holds i a (c x[N-1-2m] - s x[2m]),
//          a = exp(-i pi m / N), c = cos(pi / 4N), s = sin(pi / 4N)
//          C[k] = w F[k] + conj(w) F[N-1-k],  C[N-1-k] = i (w F[k] - conj(w) F[N-1-k]),
//          w = exp(-i pi k / 2N) for even k and
//          exp(-i pi (k+1) / 2N) for odd k. Of one real column F[N-1-k] is the conjugate of F[k].
//
// A sine transform is the cosine transform of other points: RODFT10 of (-1)^j x[j], and its modes
// are in the reverse order; RODFT11 of the points in the reverse order, and its modes have the sign
// (-1)^k, which nobody needs to undo.
//
// Along x a line of N reals is N/2 complex numbers, as xy_shape.cuh has them; see xy_sides.cuh.
#ifndef PSG_KERNELS_R2R_FUSED_CUH
#define PSG_KERNELS_R2R_FUSED_CUH

#include "kernels/complex.cuh"
#include <cmath>
#include <vector>

namespace psg_cuda {

enum class r2r_kind : uint32_t { none, half, two, four };

/// The transform along y or z.
template <class Real> struct r2r_step {
    r2r_kind kind = r2r_kind::none;
    bool odd = false;                         // a sine transform
    const complex_t<Real> *factors = nullptr; // see r2r_factors()
    Real cosine = 1, sine = 0;                // c and s of kind `four`

    /// As r2r_form has it.
    PSG_HD bool reflected() const {
        return kind == r2r_kind::four;
    }
    /// Are the even points in one half of the places and the odd ones in the other?
    PSG_HD bool halves() const {
        return kind == r2r_kind::two || kind == r2r_kind::four;
    }
    /// Are the points in the reverse order?
    PSG_HD bool reverse() const {
        return kind == r2r_kind::four && odd;
    }
    /// The place of a point, of n.
    PSG_HD int place(int n, int point) const {
        const int p = reverse() ? n - 1 - point : point;
        return !halves() ? point : p % 2 == 0 ? p / 2 : n - 1 - p / 2;
    }
    /// The point of place p of the first (h = 0) or the second half of the places is from(n, h) +
    /// step(h) p.
    PSG_HD int from(int n, int h) const {
        return !halves() ? 0 : h == 0 ? (reverse() ? n - 1 : 0) : reverse() ? -n : 2 * n - 1;
    }
    PSG_HD int step(int h) const {
        return !halves() ? 1 : (h == 1) != reverse() ? -2 : 2;
    }
};

/// What of a kind is known at compile time. TWISTED: with factors w. REFLECTED: the frequencies k
/// and N - 1 - k are a pair, and not k and N - k.
template <bool TWISTED_, bool REFLECTED_> struct r2r_form {
    static constexpr bool TWISTED = TWISTED_, REFLECTED = REFLECTED_;
    static PSG_HD int mirror(int n, int k) {
        return REFLECTED ? n - 1 - k : k == 0 ? 0 : n - k;
    }
    /// Is a frequency its own mirror, and also the mode that it becomes?
    static PSG_HD bool alone(int n, int k) {
        return !REFLECTED && (k == 0 || (!TWISTED && 2 * k == n));
    }
};

/// Calls f(r2r_form) for a kind that is not `none`, so that a kind costs one branch, and not one
/// for each number.
template <class F> PSG_HD void r2r_switch(r2r_kind kind, F f) {
    if (kind == r2r_kind::two)
        f(r2r_form<true, false>());
    else if (kind == r2r_kind::four)
        f(r2r_form<true, true>());
    else
        f(r2r_form<false, false>());
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
    return kind == PSG_CUDA_DFT || kind == PSG_CUDA_FREE || r2r_kind_of(kind) == r2r_kind::half ||
           r2r_kind_of(kind) == r2r_kind::two ||
           (r2r_kind_of(kind) == r2r_kind::four && radix % 2 == 0);
}

/// scale exp(-i pi turns)
template <class Real> complex_t<Real> r2r_root(long double turns, long double scale = 1) {
    const long double pi = 3.141592653589793238462643383279502884L;
    return {(Real)(scale * std::cos(pi * turns)), (Real)(-scale * std::sin(pi * turns))};
}

/// The factors w [n] of a transform along y or z. Of kind `four` a is w[2m].
template <class Real> std::vector<complex_t<Real>> r2r_factors(r2r_kind kind, size_t n) {
    std::vector<complex_t<Real>> f;
    for (size_t k = 0; k < n && (kind == r2r_kind::two || kind == r2r_kind::four); k++)
        f.push_back(r2r_root<Real>((long double)(kind == r2r_kind::two ? k : (k + 1) / 2 * 2) /
                                   (2 * (long double)n)));
    return f;
}

/// @param n  the length along y or z
template <class Real>
r2r_step<Real> r2r_make_step(psg_cuda_r2r kind, int n, const complex_t<Real> *factors) {
    r2r_step<Real> step;
    step.kind = r2r_kind_of(kind);
    step.odd = r2r_is_sine(kind);
    step.factors = factors;
    if (step.kind == r2r_kind::four) {
        const complex_t<Real> turn = r2r_root<Real>(1 / (4 * (long double)n));
        step.cosine = turn.x;
        step.sine = -turn.y;
    }
    return step;
}

/// In which half of the places element e of a thread is in pass 0. The radix is even, so half of
/// each butterfly is in each half.
template <class S> PSG_HD constexpr int r2r_half(int e) {
    static_assert(S::radix(0) % 2 == 0, "");
    return e % S::radix(0) >= S::radix(0) / 2;
}

/// The point of element e of thread q in pass 0.
template <class S>
PSG_HD int r2r_point(const r2r_step<typename S::Real> &step, typename S::Member q, int e) {
    const int half = r2r_half<S>(e);
    return step.from(S::N, half) + step.step(half) * S::template place<0>(q, e);
}

/// The mode that the kernel has as C[k].
template <int N, class Real> PSG_HD int r2r_mode(const r2r_step<Real> &step, int k) {
    return step.kind == r2r_kind::two && step.odd ? N - 1 - k : k;
}

/// Points, in their places as pass 0 owns them, to what is transformed.
template <class S>
PSG_HD void r2r_begin(typename S::Complex *v, typename S::Member q,
                      const r2r_step<typename S::Real> &step) {
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
            const Complex a = step.factors[2 * S::template place<0>(q, e)];
            const Complex x = v[e], y = v[e + HALF];
            v[e] = a * (step.cosine * x + step.sine * y);
            v[e + HALF] = a * mul_i<1>(step.cosine * y - step.sine * x);
        }
    }
}

/// Back.
template <class S>
PSG_HD void r2r_end(typename S::Complex *v, typename S::Member q,
                    const r2r_step<typename S::Real> &step) {
    using Complex = typename S::Complex;
    constexpr int R = S::radix(0), HALF = R / 2;
    if (step.kind == r2r_kind::two) {
        r2r_begin<S>(v, q, step);
    } else if (R % 2 == 0 && step.kind == r2r_kind::four) {
        PSG_UNROLL
        for (int e = 0; e < S::E; e++) {
            if (e % R >= HALF)
                continue;
            const Complex a = step.factors[2 * S::template place<0>(q, e)];
            const Complex x = mul_conj(v[e], a), y = mul_i<-1>(mul_conj(v[e + HALF], a));
            v[e] = step.cosine * x - step.sine * y;
            v[e + HALF] = step.sine * x + step.cosine * y;
        }
    }
}

/// Calls both(k, F[k], F[mirror]) for all pairs of frequencies of MIRRORED columns, in registers as
/// the last pass owns them.
template <class S, class Form, class Both>
PSG_HD void r2r_pairs(typename S::Complex *v, typename S::Member q, Both both) {
    constexpr int R = S::RL, STEP = S::N / R;
    const auto across = [&] {
        PSG_UNROLL
        for (int j = 0; j < R; j++)
            both(q + j * STEP, v[j], v[2 * R - 1 - j]);
    };
    if constexpr (Form::REFLECTED) {
        across();
    } else if (q > 0) {
        across();
    } else {
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
}

/// Between registers, as the last pass owns them, and an exchange buffer [N][COLUMNS] in the order
/// of the frequencies. MIRRORED columns do not need it.
template <class S>
PSG_HD void r2r_put(const typename S::Complex *v, typename S::Member q, int col,
                    typename S::Complex *buf) {
    PSG_UNROLL
    for (int e = 0; e < S::E; e++)
        buf[S::place_frequency(q, e) * S::COLUMNS + col] = v[e];
}

/// Calls both(k, v[e], other) for all frequencies k, which are v[e]: MIRRORED columns once for each
/// pair, both numbers of which it may change; the others for each number, and `other` is a copy
/// from the buffer of r2r_put().
template <class S, class Form, class Both>
PSG_HD void r2r_each(typename S::Complex *v, typename S::Member q, int col,
                     const typename S::Complex *buf, Both both) {
    if constexpr (S::MIRRORED) {
        r2r_pairs<S, Form>(v, q, both);
    } else {
        PSG_UNROLL
        for (int e = 0; e < S::E; e++) {
            const int k = S::place_frequency(q, e);
            typename S::Complex other = buf[Form::mirror(S::N, k) * S::COLUMNS + col];
            both(k, v[e], other);
        }
    }
}

/// C[k] and its mirror from F[k] and its mirror. Without factors w is not read.
template <bool TWISTED, class Real>
PSG_HD void r2r_modes_pair(complex_t<Real> &low, complex_t<Real> &high, complex_t<Real> w) {
    const Real half = Real(0.5);
    const complex_t<Real> x = TWISTED ? w * low : half * low;
    const complex_t<Real> y = TWISTED ? mul_conj(high, w) : half * high;
    low = x + y;
    high = TWISTED ? mul_i<1>(x - y) : mul_i<-1>(x - y);
}

/// F[k] and its mirror from C[k] and its mirror, which has to be 0 for a k that is alone.
template <bool TWISTED, class Real>
PSG_HD void r2r_frequencies_pair(complex_t<Real> &low, complex_t<Real> &high, complex_t<Real> w) {
    const complex_t<Real> turned = mul_i<1>(high);
    const complex_t<Real> x = TWISTED ? low - turned : low + turned;
    const complex_t<Real> y = TWISTED ? low + turned : low - turned;
    low = TWISTED ? mul_conj(x, w) : x;
    high = TWISTED ? w * y : y;
}

/// C from F: v[e] is F[k] and becomes C[k], k = place_frequency(q, e); see r2r_each().
template <class S>
PSG_HD void r2r_modes(typename S::Complex *v, typename S::Member q, int col,
                      const typename S::Complex *buf, const r2r_step<typename S::Real> &step) {
    using Complex = typename S::Complex;
    r2r_switch(step.kind, [&](auto form) {
        using Form = decltype(form);
        constexpr bool TWISTED = Form::TWISTED;
        r2r_each<S, Form>(v, q, col, buf, [&](int k, Complex &low, Complex &high) {
            const bool upper = !TWISTED && 2 * k > S::N;
            Complex one = upper ? high : low, other = upper ? low : high;
            r2r_modes_pair<TWISTED>(one, other, TWISTED ? step.factors[k] : Complex{1, 0});
            low = upper ? other : one;
            high = upper ? one : other;
        });
    });
}

/// F from C: v[e] is C[k] and becomes F[k]; see r2r_each().
template <class S>
PSG_HD void r2r_frequencies(typename S::Complex *v, typename S::Member q, int col,
                            const typename S::Complex *buf,
                            const r2r_step<typename S::Real> &step) {
    using Complex = typename S::Complex;
    r2r_switch(step.kind, [&](auto form) {
        using Form = decltype(form);
        constexpr bool TWISTED = Form::TWISTED;
        r2r_each<S, Form>(v, q, col, buf, [&](int k, Complex &low, Complex &high) {
            const Complex own = low;
            const bool upper = !TWISTED && 2 * k > S::N;
            Complex one = upper ? high : low, other = upper ? low : high;
            r2r_frequencies_pair<TWISTED>(one, other, TWISTED ? step.factors[k] : Complex{1, 0});
            low = Form::alone(S::N, k) ? own : upper ? other : one;
            high = upper ? one : other;
        });
    });
}

} // namespace psg_cuda
#endif
