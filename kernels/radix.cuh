// Discrete Fourier transforms of 2 .. 32 points in registers:
//     v[k] = sum over n of v[n] exp(SIGN 2 pi i n k / R),   both in natural order, unscaled.
// All loops unroll and all indices are compile-time numbers after inlining, so that v stays in
// registers. Sources: the odd primes by the symmetric form (sums and differences of v[n] and
// v[R-n]); coprime products by the prime-factor map of Good and Thomas, which needs no twiddles;
// the others by Cooley and Tukey's step.
#ifndef PSG_KERNELS_RADIX_CUH
#define PSG_KERNELS_RADIX_CUH

#include "kernels/complex.cuh"

namespace psg_cuda {

/// cos(2 pi t / R) and sin(2 pi t / R) for odd R and the t that are needed.
PSG_HD constexpr double odd_cos(int r, int t) {
    return r == 3    ? -0.5
           : r == 5  ? (t == 1 ? 0.3090169943749474241 : -0.8090169943749474241)
           : r == 7  ? (t == 1   ? 0.62348980185873353053
                        : t == 2 ? -0.22252093395631440429
                                 : -0.90096886790241912624)
           : r == 9  ? (t == 1   ? 0.7660444431189780352
                        : t == 2 ? 0.17364817766693034885
                                 : -0.93969262078590838405) // t = 4
           : r == 11 ? (t == 1   ? 0.84125353283118116886
                        : t == 2 ? 0.41541501300188642553
                        : t == 3 ? -0.14231483827328514044
                        : t == 4 ? -0.65486073394528506406
                                 : -0.95949297361449738989)
                     : (t == 1   ? 0.8854560256532098959
                        : t == 2 ? 0.56806474673115580251
                        : t == 3 ? 0.12053668025532305335
                        : t == 4 ? -0.35460488704253562597
                        : t == 5 ? -0.74851074817110109863
                                 : -0.97094181742605202716);
}

PSG_HD constexpr double odd_sin(int r, int t) {
    return r == 3    ? 0.86602540378443864676
           : r == 5  ? (t == 1 ? 0.95105651629515357212 : 0.58778525229247312917)
           : r == 7  ? (t == 1   ? 0.78183148246802980871
                        : t == 2 ? 0.97492791218182360702
                                 : 0.43388373911755812048)
           : r == 9  ? (t == 1   ? 0.64278760968653932632
                        : t == 2 ? 0.98480775301220805937
                                 : 0.34202014332566873304) // t = 4
           : r == 11 ? (t == 1   ? 0.54064081745559758211
                        : t == 2 ? 0.90963199535451837141
                        : t == 3 ? 0.98982144188093273238
                        : t == 4 ? 0.75574957435425828377
                                 : 0.28173255684142969771)
                     : (t == 1   ? 0.46472317204376854566
                        : t == 2 ? 0.82298386589365639458
                        : t == 3 ? 0.9927088740980539928
                        : t == 4 ? 0.93501624268541482344
                        : t == 5 ? 0.66312265824079520238
                                 : 0.23931566428755776715);
}

/// cos(2 pi t / 32) for any t >= 0.
PSG_HD constexpr double cos32(int t) {
    const int u = t % 32 > 16 ? 32 - t % 32 : t % 32;
    const int w = u > 8 ? 16 - u : u;
    const double c = w == 0   ? 1.0
                     : w == 1 ? 0.98078528040323044913
                     : w == 2 ? 0.92387953251128675613
                     : w == 3 ? 0.83146961230254523708
                     : w == 4 ? 0.7071067811865475244
                     : w == 5 ? 0.55557023301960222474
                     : w == 6 ? 0.38268343236508977173
                     : w == 7 ? 0.19509032201612826785
                              : 0.0;
    return u > 8 ? -c : c;
}

/// a exp(SIGN 2 pi i t / R), t a compile-time number after unrolling; R divides 32, or R = 9.
template <int R, int SIGN, class Real> PSG_HD complex_t<Real> mul_root(complex_t<Real> a, int t) {
    if (t == 0)
        return a;
    if (R % 2 == 1) {
        const Real c = Real(odd_cos(R, t)), s = Real(SIGN * odd_sin(R, t));
        return a * complex_t<Real>{c, s};
    }
    if (4 * t == R)
        return mul_i<SIGN>(a);
    const int u = t * (32 / R);
    const Real c = Real(cos32(u)), s = Real(SIGN * cos32(u + 24)); // sin x = cos(x - pi/2)
    if (u % 8 == 4) { // an odd multiple of pi/4: |c| = |s|
        const Real h = Real(0.7071067811865475244);
        const complex_t<Real> b = c * s > 0 ? complex_t<Real>{a.x - a.y, a.x + a.y}
                                            : complex_t<Real>{a.x + a.y, a.y - a.x};
        return (c > 0 ? h : -h) * b;
    }
    return a * complex_t<Real>{c, s};
}

template <int R, int SIGN, class Real> PSG_HD void dft(complex_t<Real> *v);

/// Odd prime R.
template <int R, int SIGN, class Real> PSG_HD void dft_odd(complex_t<Real> *v) {
    constexpr int H = R / 2;
    complex_t<Real> sum[H], dif[H];
    complex_t<Real> zero = v[0];
    PSG_UNROLL
    for (int n = 1; n <= H; n++) {
        sum[n - 1] = v[n] + v[R - n];
        dif[n - 1] = v[n] - v[R - n];
        zero = zero + sum[n - 1];
    }
    PSG_UNROLL
    for (int k = 1; k <= H; k++) {
        complex_t<Real> even = v[0], odd = {Real(0), Real(0)};
        PSG_UNROLL
        for (int n = 1; n <= H; n++) {
            const int t = n * k % R, u = t > H ? R - t : t;
            const Real c = Real(odd_cos(R, u));
            const Real s = Real(t > H ? -odd_sin(R, u) : odd_sin(R, u));
            even.x += c * sum[n - 1].x;
            even.y += c * sum[n - 1].y;
            odd.x = n == 1 ? s * dif[0].x : odd.x + s * dif[n - 1].x;
            odd.y = n == 1 ? s * dif[0].y : odd.y + s * dif[n - 1].y;
        }
        odd = mul_i<SIGN>(odd);
        v[k] = even + odd;
        v[R - k] = even - odd;
    }
    v[0] = zero;
}

/// R = A B by Cooley and Tukey: n = n1 B + n2, k = k1 + A k2.
template <int A, int B, int SIGN, class Real> PSG_HD void dft_product(complex_t<Real> *v) {
    complex_t<Real> x[A * B];
    PSG_UNROLL
    for (int n2 = 0; n2 < B; n2++) {
        complex_t<Real> t[A];
        PSG_UNROLL
        for (int n1 = 0; n1 < A; n1++)
            t[n1] = v[n1 * B + n2];
        dft<A, SIGN>(t);
        PSG_UNROLL
        for (int k1 = 0; k1 < A; k1++)
            x[k1 * B + n2] = mul_root<A * B, SIGN>(t[k1], k1 * n2);
    }
    PSG_UNROLL
    for (int k1 = 0; k1 < A; k1++) {
        dft<B, SIGN>(x + k1 * B);
        PSG_UNROLL
        for (int k2 = 0; k2 < B; k2++)
            v[k1 + A * k2] = x[k1 * B + k2];
    }
}

/// The inverse of a modulo m.
PSG_HD constexpr int inverse_mod(int a, int m) {
    int x = 1;
    while (a * x % m != 1 % m)
        x++;
    return x;
}

/// R = A B with A and B coprime, by Good and Thomas: n = n1 B + n2 A and
/// k = k1 B (1/B mod A) + k2 A (1/A mod B), all modulo R: two-dimensional without twiddles.
template <int A, int B, int SIGN, class Real> PSG_HD void dft_coprime(complex_t<Real> *v) {
    constexpr int R = A * B, KB = B * inverse_mod(B % A, A), KA = A * inverse_mod(A % B, B);
    complex_t<Real> x[R];
    PSG_UNROLL
    for (int n2 = 0; n2 < B; n2++) {
        complex_t<Real> t[A];
        PSG_UNROLL
        for (int n1 = 0; n1 < A; n1++)
            t[n1] = v[(n1 * B + n2 * A) % R];
        dft<A, SIGN>(t);
        PSG_UNROLL
        for (int k1 = 0; k1 < A; k1++)
            x[k1 * B + n2] = t[k1];
    }
    PSG_UNROLL
    for (int k1 = 0; k1 < A; k1++) {
        dft<B, SIGN>(x + k1 * B);
        PSG_UNROLL
        for (int k2 = 0; k2 < B; k2++)
            v[(k1 * KB + k2 * KA) % R] = x[k1 * B + k2];
    }
}

template <int R, int SIGN, class Real> PSG_HD void dft(complex_t<Real> *v) {
    if constexpr (R == 2) {
        const complex_t<Real> a = v[0];
        v[0] = a + v[1];
        v[1] = a - v[1];
    } else if constexpr (R == 4) {
        const complex_t<Real> a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3];
        const complex_t<Real> d = mul_i<SIGN>(v[1] - v[3]);
        v[0] = a + c;
        v[1] = b + d;
        v[2] = a - c;
        v[3] = b - d;
    } else if constexpr (R == 3 || R == 5 || R == 7 || R == 11 || R == 13) {
        dft_odd<R, SIGN>(v);
    } else if constexpr (R == 6 || R == 10 || R == 14 || R == 18) {
        dft_coprime<2, R / 2, SIGN>(v);
    } else if constexpr (R == 12 || R == 15 || R == 24 || R == 30) {
        dft_coprime<3, R / 3, SIGN>(v);
    } else if constexpr (R == 9) {
        dft_product<3, 3, SIGN>(v);
    } else if constexpr (R == 8) {
        dft_product<2, 4, SIGN>(v);
    } else if constexpr (R == 16) {
        dft_product<4, 4, SIGN>(v);
    } else if constexpr (R == 20) {
        dft_coprime<4, 5, SIGN>(v);
    } else if constexpr (R == 32) {
        dft_product<4, 8, SIGN>(v);
    } else {
        static_assert(R == 1, "no transform of this many points");
    }
}

/// Multiply v[j], j = 1 .. R-1, by w^j, or by its conjugate; w^j is at table[(j - 1) * stride].
/// Those of 1, 2, 3 and 4, 8, .. are loaded, and the others are their products, which cost less.
template <int R, bool CONJUGATE, class Real>
PSG_HD void twist(complex_t<Real> *v, const complex_t<Real> *table, uint32_t stride) {
    constexpr int STEP = R > 5 ? 4 : R;
    complex_t<Real> small[STEP];
    PSG_UNROLL
    for (int j = 1; j < STEP; j++) {
        small[j] = table[(uint32_t)(j - 1) * stride];
        v[j] = CONJUGATE ? mul_conj(v[j], small[j]) : v[j] * small[j];
    }
    PSG_UNROLL
    for (int i = STEP; i < R; i += STEP) {
        const complex_t<Real> large = table[(uint32_t)(i - 1) * stride];
        PSG_UNROLL
        for (int j = 0; j < STEP && i + j < R; j++) {
            const complex_t<Real> both = j == 0 ? large : large * small[j];
            v[i + j] = CONJUGATE ? mul_conj(v[i + j], both) : v[i + j] * both;
        }
    }
}

} // namespace psg_cuda
#endif
