// Real-to-real transforms by a complex one: what is done before it and after it.
//
// Every kind of psg_cuda_r2r is linear, so it transforms the real and the imaginary parts of
// complex numbers alike, and
//
//   z[n] --before--> v[L] --DFT, exp(-2 pi i m k / L)--> F[L] --after--> Y[n]
//
// where every number after a step is a sum of two numbers before it: out[m] = a in[s] + b in[t].
// With w = exp(-i pi k / 2n):
//
//   R2HC     L = n      Y[k] = (F[k] + F[n-k]) / 2,  Y[n-k] = (F[k] - F[n-k]) / 2i,  k < n/2
//   REDFT10  L = n      v = z[0], z[2], .. z[3], z[1];  Y[k] = w F[k] + conj(w) F[n-k]
//                       (Makhoul 1980)
//   REDFT11  L = 2n     v[j] = z[j] exp(-i pi j / 2n), then zeros;
//                       Y[k] = c F[k] + conj(c) F[2n-1-k],  c = exp(-i pi (k + 1/2) / 2n)
//   REDFT00  L = 2n-2   v = z[0] .. z[n-1] .. z[1];  Y[k] = F[k]
//   RODFT00  L = 2n+2   v = 0, z[0] .. z[n-1], 0, -z[n-1] .. -z[0];  Y[k] = i F[k+1]
//
// HC2R and REDFT01 are the inverses of R2HC and REDFT10. RODFT10 is REDFT10 of (-1)^j z[j] with Y
// reversed, RODFT01 its inverse, and RODFT11 is (-1)^k REDFT11 of z reversed.
#ifndef PSG_KERNELS_R2R_TABLES_CUH
#define PSG_KERNELS_R2R_TABLES_CUH

#include "kernels/complex.cuh"
#include <cmath>
#include <vector>

namespace psg_cuda {

/// out = a in[s] + b in[t].
template <class Real> struct r2r_term {
    complex_t<Real> a, b;
    uint32_t s, t;
};

template <class Real> using r2r_terms = std::vector<r2r_term<Real>>;

namespace r2r {

/// exp(-i pi p / q).
inline complex_t<double> root(double p, double q) {
    const double angle = M_PI * p / q;
    return {std::cos(angle), -std::sin(angle)};
}

inline complex_t<double> conjugate(complex_t<double> a) {
    return {a.x, -a.y};
}

template <class Real>
r2r_term<Real> term(complex_t<double> a, size_t s, complex_t<double> b = {0, 0}, size_t t = 0) {
    return {{(Real)a.x, (Real)a.y}, {(Real)b.x, (Real)b.y}, (uint32_t)s, (uint32_t)t};
}

inline bool is_odd(psg_cuda_r2r kind) {
    return kind == PSG_CUDA_RODFT00 || kind == PSG_CUDA_RODFT10 || kind == PSG_CUDA_RODFT01 ||
           kind == PSG_CUDA_RODFT11;
}

/// Where number m of the permuted line of REDFT10 comes from.
inline size_t permuted(size_t m, size_t n) {
    return 2 * m < n ? 2 * m : 2 * n - 1 - 2 * m;
}

} // namespace r2r

/// Points of the complex transform.
inline size_t r2r_length(psg_cuda_r2r kind, size_t n) {
    switch (kind) {
    case PSG_CUDA_REDFT00:
        return 2 * n - 2;
    case PSG_CUDA_RODFT00:
        return 2 * n + 2;
    case PSG_CUDA_REDFT11:
    case PSG_CUDA_RODFT11:
        return 2 * n;
    default:
        return n;
    }
}

/// The kind that gives z again, times n, 2n, or 2 (n - 1) or 2 (n + 1) of the kinds 00.
inline psg_cuda_r2r r2r_inverse(psg_cuda_r2r kind) {
    switch (kind) {
    case PSG_CUDA_R2HC:
        return PSG_CUDA_HC2R;
    case PSG_CUDA_HC2R:
        return PSG_CUDA_R2HC;
    case PSG_CUDA_REDFT10:
        return PSG_CUDA_REDFT01;
    case PSG_CUDA_REDFT01:
        return PSG_CUDA_REDFT10;
    case PSG_CUDA_RODFT10:
        return PSG_CUDA_RODFT01;
    case PSG_CUDA_RODFT01:
        return PSG_CUDA_RODFT10;
    default:
        return kind;
    }
}

/// Of each of the L points of the complex transform.
template <class Real> r2r_terms<Real> r2r_before(psg_cuda_r2r kind, size_t n) {
    using namespace r2r;
    const size_t length = r2r_length(kind, n);
    const complex_t<double> one = {1, 0}, minus = {-1, 0}, none = {0, 0};
    r2r_terms<Real> v(length);
    for (size_t m = 0; m < length; m++) {
        const size_t mirror = m == 0 ? 0 : n - m; // of the kinds with L = n
        switch (kind) {
        case PSG_CUDA_HC2R: // the frequencies m and n - m, in the order of the inverse transform
            v[m] = 2 * m == 0 || 2 * m == n ? term<Real>(one, m)
                   : 2 * m < n              ? term<Real>(one, m, {0, -1}, mirror)
                                            : term<Real>(one, mirror, {0, 1}, m);
            break;
        case PSG_CUDA_REDFT10:
        case PSG_CUDA_RODFT10: {
            const size_t from = permuted(m, n);
            v[m] = term<Real>(is_odd(kind) && from % 2 == 1 ? minus : one, from);
            break;
        }
        case PSG_CUDA_REDFT01:
        case PSG_CUDA_RODFT01: {
            const complex_t<double> w = root((double)m, 2.0 * (double)n);
            const size_t s = is_odd(kind) ? n - 1 - m : m;
            const size_t t = m == 0 ? s : is_odd(kind) ? m - 1 : n - m;
            v[m] = term<Real>(w, s, m == 0 ? none : complex_t<double>{-w.y, w.x}, t);
            break;
        }
        case PSG_CUDA_REDFT11:
        case PSG_CUDA_RODFT11:
            v[m] = m < n
                       ? term<Real>(root((double)m, 2.0 * (double)n), is_odd(kind) ? n - 1 - m : m)
                       : term<Real>(none, 0);
            break;
        case PSG_CUDA_REDFT00:
            v[m] = term<Real>(one, m < n ? m : length - m);
            break;
        case PSG_CUDA_RODFT00:
            v[m] = m % (n + 1) == 0 ? term<Real>(none, 0)
                   : m <= n         ? term<Real>(one, m - 1)
                                    : term<Real>(minus, length - 1 - m);
            break;
        default:
            v[m] = term<Real>(one, m);
        }
    }
    return v;
}

/// Of each of the n results.
template <class Real> r2r_terms<Real> r2r_after(psg_cuda_r2r kind, size_t n) {
    using namespace r2r;
    const complex_t<double> one = {1, 0}, minus = {-1, 0}, half = {0.5, 0};
    r2r_terms<Real> v(n);
    for (size_t m = 0; m < n; m++) {
        const size_t mirror = m == 0 ? 0 : n - m;
        switch (kind) {
        case PSG_CUDA_R2HC:
            v[m] = 2 * m <= n ? term<Real>(half, m, half, mirror)
                              : term<Real>({0, -0.5}, mirror, {0, 0.5}, m);
            break;
        case PSG_CUDA_REDFT10:
        case PSG_CUDA_RODFT10: {
            const size_t k = is_odd(kind) ? n - 1 - m : m;
            const complex_t<double> w = root((double)k, 2.0 * (double)n);
            v[m] = term<Real>(w, k, conjugate(w), k == 0 ? 0 : n - k);
            break;
        }
        case PSG_CUDA_REDFT01:
        case PSG_CUDA_RODFT01: // point m of z is where REDFT10 takes it from
            v[m] = term<Real>(is_odd(kind) && m % 2 == 1 ? minus : one,
                              m % 2 == 0 ? m / 2 : n - 1 - m / 2);
            break;
        case PSG_CUDA_REDFT11:
        case PSG_CUDA_RODFT11: {
            const double sign = is_odd(kind) && m % 2 == 1 ? -1 : 1;
            const complex_t<double> c = sign * root((double)m + 0.5, 2.0 * (double)n);
            v[m] = term<Real>(c, m, conjugate(c), 2 * n - 1 - m);
            break;
        }
        case PSG_CUDA_RODFT00:
            v[m] = term<Real>({0, 1}, m + 1);
            break;
        default:
            v[m] = term<Real>(one, m);
        }
    }
    return v;
}

} // namespace psg_cuda
#endif
