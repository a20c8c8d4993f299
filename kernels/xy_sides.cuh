// Real-to-real transforms along x in the kernels of xy_fixed.cuh, between any two barriers. A line
// of N reals is M = N / 2 complex numbers of xy_shape.cuh, and so is its row in the spectrum: each
// has two modes.
//
//   two   REDFT10: the places of r2r_fused.cuh for reals, so the line is v = x[0], x[2], .. x[3],
//         x[1]. With V its Fourier transform, made as in xy_shape.cuh, C[k] - i C[N-k] = 2 w V[k],
//         w = exp(-i pi k / 2N), k = 0 .. M; C[0] and C[M] are
//         one number. So with E and O as there, and r = exp(-2 pi i k / N), C[k] - i C[N-k] is 2 (w
//         E + w r O), and the number of
//         M - k is twice the conjugate of exp(i pi / 4) (w E - w r O)
//   four  REDFT11: z[n] = t[n] (x[2n] + i x[N-1-2n]) and C[2k] - i C[N-1-2k] = t[k] Z[k], t[n] =
//   sqrt(2) exp(-i pi (n/N + 1/8N))
//
// So the places n and M - 1 - n have the points 4n .. 4n+3 (`two`), or 2n, 2n+1, N-2-2n and N-1-2n
// (`four`). FOLDED lines, where a thread has both places, put points there in registers, the others
// through the exchange buffer. On the way back no line is FOLDED: neighbouring threads store
// neighbouring numbers there, and for `two` a warp would store half of each sector of memory at a
// time.
#ifndef PSG_KERNELS_XY_SIDES_CUH
#define PSG_KERNELS_XY_SIDES_CUH

#include "kernels/xy_shape.cuh"

namespace psg_cuda {

/// The factors along x for m complex numbers: two w r [m/2], w [m/2]; four t [m]; else the roots of
/// xy_shape.cuh [m/2]. Kernels have the first m/2 in shared memory, where there is no room for the
/// others: less of it would be left to the first-level cache.
template <class Real> std::vector<complex_t<Real>> xy_factors(r2r_kind kind, size_t m) {
    const long double n = 2 * (long double)m;
    std::vector<complex_t<Real>> f;
    for (size_t k = 0; k < m / 2 && kind != r2r_kind::four; k++)
        f.push_back(r2r_root<Real>((kind == r2r_kind::two ? 2.5L : 2) * (long double)k / n));
    for (size_t k = 0; k < m / 2 && kind == r2r_kind::two; k++)
        f.push_back(r2r_root<Real>((long double)k / (2 * n)));
    for (size_t k = 0; k < m && kind == r2r_kind::four; k++)
        f.push_back(r2r_root<Real>(((long double)k + 0.125L) / n, std::sqrt(2.0L)));
    return f;
}

/// The two modes in number i of a row of m numbers, by the order of the eigenvalues along x.
inline void xy_modes(psg_cuda_r2r kind, size_t m, size_t i, size_t modes[2]) {
    const size_t n = 2 * m, k = i <= m / 2 ? i : m - (i - m / 2);
    if (r2r_kind_of(kind) == r2r_kind::four) {
        modes[0] = 2 * i;
        modes[1] = n - 1 - 2 * i;
        return;
    }
    modes[0] = k;
    modes[1] = k == 0 ? m : n - k;
    for (int part = 0; part < 2 && r2r_is_sine(kind); part++)
        modes[part] = n - 1 - modes[part];
}

/// @param nx  points along x
template <class Real>
xy_x_step<Real> xy_make_step(psg_cuda_r2r kind, int nx, const complex_t<Real> *factors) {
    xy_x_step<Real> step;
    step.kind = r2r_kind_of(kind);
    step.odd = r2r_is_sine(kind);
    step.factors = factors;
    const bool two = step.kind == r2r_kind::two;
    step.from[0] = two ? 0 : step.odd;
    step.step[0] = two ? 1 : 2;
    step.from[1] = two ? nx - 1 : nx - 2 + !step.odd;
    step.step[1] = -step.step[0];
    return step;
}

template <class X> struct xy_sided {
    using Real = typename X::Real;
    using Complex = complex_t<Real>;
    using Lines = typename X::Lines;
    using Step = xy_x_step<Real>;
    static constexpr int M = X::M, PITCH = X::PITCH, PAIRS = X::PAIRS, AT_ONCE = X::AT_ONCE;

    /// The sign of the points 2n + 1.
    static PSG_HD Real sign(const Step &x) {
        return x.kind == r2r_kind::two && x.odd ? Real(-1) : Real(1);
    }
    /// Points 2n and 2n + 1, n = place<0>(q, e), from registers to their places in [ROWS][N] reals.
    static PSG_HD void put_points(const Complex *v, int q, int row, Complex *buf, const Step &x) {
        Real *line = reinterpret_cast<Real *>(buf + row * PITCH);
        PSG_UNROLL
        for (int e = 0; e < Lines::E; e++) {
            const int n = Lines::template place<0>(q, e);
            line[x.from[0] + x.step[0] * n] = v[e].x;
            line[x.from[1] + x.step[1] * n] = sign(x) * v[e].y;
        }
    }
    static PSG_HD void take_points(Complex *v, int q, int row, const Complex *buf, const Step &x) {
        const Real *line = reinterpret_cast<const Real *>(buf + row * PITCH);
        PSG_UNROLL
        for (int e = 0; e < Lines::E; e++) {
            const int n = Lines::template place<0>(q, e);
            v[e] = {line[x.from[0] + x.step[0] * n], sign(x) * line[x.from[1] + x.step[1] * n]};
        }
    }
    /// Places of a line, from the buffer to registers and back.
    static PSG_HD void take_line(Complex *v, int q, int row, const Complex *buf) {
        PSG_UNROLL
        for (int e = 0; e < Lines::E; e++)
            v[e] = buf[row * PITCH + Lines::template place<0>(q, e)];
    }
    static PSG_HD void put_line(const Complex *v, int q, int row, Complex *buf) {
        PSG_UNROLL
        for (int e = 0; e < Lines::E; e++)
            buf[row * PITCH + Lines::template place<0>(q, e)] = v[e];
    }
    /// Of an even radix one half of each butterfly is in the lower half of the places.
    static PSG_HD Complex turn(int q, int e, const Complex *roots, const Step &x) {
        constexpr int R = Lines::radix(0);
        const bool lower = R % 2 == 0 && e % R < R / 2;
        const int place = Lines::template place<0>(q, e);
        return lower ? roots[place] : x.factors[place];
    }
    /// What stands in its places to what is transformed, and back.
    /// @param roots  the first M/2 of xy_factors(), all of which are x.factors
    static PSG_HD void begin(Complex *v, int q, const Complex *roots, const Step &x) {
        if (x.kind != r2r_kind::four)
            return;
        PSG_UNROLL
        for (int e = 0; e < Lines::E; e++)
            v[e] = v[e] * turn(q, e, roots, x);
    }
    static PSG_HD void end(Complex *v, int q, const Complex *roots, const Step &x) {
        if (x.kind != r2r_kind::four)
            return;
        PSG_UNROLL
        for (int e = 0; e < Lines::E; e++)
            v[e] = mul_conj(v[e], turn(q, e, roots, x));
    }

    // FOLDED lines: v[e] and v[E-1-e] are in the places n and M - 1 - n.

    /// Points 2n and 2n + 1 in the place n to what stands in the places, of kind `four`.
    static PSG_HD void fold(Complex *v, const Step &x) {
        PSG_UNROLL
        for (int e = 0; e < Lines::E / 2; e++) {
            const Complex a = v[e], b = v[Lines::E - 1 - e];
            v[e] = x.odd ? Complex{b.y, a.x} : Complex{a.x, b.y};
            v[Lines::E - 1 - e] = x.odd ? Complex{a.y, b.x} : Complex{b.x, a.y};
        }
    }
    /// Which v[e] is in the place n < M / 2 of the points 4n .. 4n+3, number j of those of a
    /// thread.
    static PSG_HD constexpr int lower(int j) {
        constexpr int HALF = Lines::radix(0) / 2;
        return j < HALF ? j : j + HALF;
    }
    /// Points from memory to what stands in the places, of kind `two`.
    static PSG_HD void load_quads(Complex *v, int q, const Real *line, const Step &x) {
        const bool apart = X::shifted(line);
        PSG_UNROLL
        for (int j = 0; j < Lines::E / 2; j++) {
            const int e = lower(j);
            const Real *from = line + 4 * Lines::template place<0>(q, e);
            Complex a, b;
            if (apart) {
                a = {load_streaming_real(from), load_streaming_real(from + 1)};
                b = {load_streaming_real(from + 2), load_streaming_real(from + 3)};
            } else {
                a = load_streaming(reinterpret_cast<const Complex *>(from));
                b = load_streaming(reinterpret_cast<const Complex *>(from + 2));
            }
            v[e] = {a.x, b.x};
            v[Lines::E - 1 - e] = sign(x) * Complex{b.y, a.y};
        }
    }
    /// exp(i pi / 4) a
    static PSG_HD Complex eighth(Complex a) {
        const Real h = Real(0.7071067811865475244);
        return {h * (a.x - a.y), h * (a.x + a.y)};
    }
    static PSG_HD Complex conjugate(Complex a) {
        return {a.x, -a.y};
    }
    /// 2 w of k = M / 2.
    static PSG_HD Complex middle() {
        return {Real(1.8477590650225735123), Real(-0.76536686473017954346)};
    }
    /// Z, after put_upper(), to the rows of modes in the ring.
    static PSG_HD void put_modes(const Complex *v, int q, int row, const Complex *buf,
                                 Complex *plane, int place, const Complex *roots, const Step &x) {
        q = computed_late(q), row = computed_late(row);
        PSG_UNROLL
        for (int i = 0; i < PAIRS; i++) {
            const int k = q + Lines::T * i;
            const Complex a = v[X::element(i)], upper = v[X::element(PAIRS + i)];
            Complex first, second;
            if (x.kind == r2r_kind::four) {
                first = roots[k] * a;
                second = x.factors[M / 2 + k] * upper;
            } else {
                const Complex b = k == 0 ? a : buf[row * PITCH + M - k];
                const Complex even = x.factors[M / 2 + k] * Complex{a.x + b.x, a.y - b.y};
                const Complex odd = roots[k] * Complex{a.y + b.y, b.x - a.x};
                first = even + odd;
                second = conjugate(eighth(even - odd));
                if (k == 0) {
                    first.y = Real(0.7071067811865475244) * (even.x - odd.x);
                    second = middle() * conjugate(upper);
                }
            }
            plane[X::in_ring(q, i, 0, place, M)] = first;
            plane[X::in_ring(q, i, 1, place, M)] = second;
            if (i % 2 == 1)
                loads_begun(); // as in put_spectrum()
        }
    }
    /// The rows of modes in the ring to the numbers of the inverse, those from M / 2 on for
    /// take_upper().
    static PSG_HD void take_modes(Complex *v, int q, int row, Complex *buf, const Complex *plane,
                                  int place, const Complex *roots, const Step &x) {
        q = computed_late(q), row = computed_late(row);
        Complex *const line = buf + row * PITCH;
        PSG_UNROLL
        for (int begin = 0; begin < PAIRS; begin += AT_ONCE) {
            Complex first[AT_ONCE], second[AT_ONCE];
            PSG_UNROLL
            for (int i = 0; i < AT_ONCE; i++) {
                first[i] = X::kept(plane + X::in_ring(q, begin + i, 0, place, M));
                second[i] = X::kept(plane + X::in_ring(q, begin + i, 1, place, M));
            }
            loads_begun();
            PSG_UNROLL
            for (int i = 0; i < AT_ONCE; i++) {
                const int k = q + Lines::T * (begin + i);
                if (x.kind == r2r_kind::four) {
                    v[X::element(begin + i)] = mul_conj(first[i], roots[k]);
                    line[M / 2 + k] = mul_conj(second[i], x.factors[M / 2 + k]);
                    continue;
                }
                const Complex turned = conjugate(eighth(second[i]));
                Complex a = mul_conj(first[i] + turned, x.factors[M / 2 + k]);
                Complex b = mul_conj(first[i] - turned, roots[k]);
                if (k == 0) {
                    const Real real = Real(1.4142135623730950488) * first[i].y;
                    a = {first[i].x + real, 0};
                    b = {first[i].x - real, 0};
                }
                v[X::element(begin + i)] = {a.x - b.y, a.y + b.x};
                line[k == 0 ? M / 2 : M - k] = k == 0 ? conjugate(mul_conj(second[i], middle()))
                                                      : Complex{a.x + b.y, b.x - a.y};
            }
        }
    }
};

} // namespace psg_cuda
#endif
