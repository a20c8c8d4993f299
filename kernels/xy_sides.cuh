// Real-to-real transforms along x in the kernels of xy_fixed.cuh, between any two barriers. A line of N reals is M = N / 2
// complex numbers of xy_shape.cuh, and so is its row in the spectrum: each has two modes.
//
//   two   REDFT10: the places of r2r_fused.cuh for reals, so the line is v = x[0], x[2], .. x[3], x[1]. With V its Fourier
//         transform, made as in xy_shape.cuh, C[k] - i C[N-k] = 2 w V[k], w = exp(-i pi k / 2N), k = 0 .. M; C[0] and C[M] are
//         one number.
//   four  REDFT11: z[n] = (x[2n] + i x[N-1-2n]) exp(-i pi (4n+1) / 4N) and C[2k] - i C[N-1-2k] = 2 exp(-i pi k / N) Z[k]
#ifndef PSG_KERNELS_XY_SIDES_CUH
#define PSG_KERNELS_XY_SIDES_CUH

#include "kernels/xy_shape.cuh"

namespace psg_cuda {

/// The factors along x for m complex numbers: two [m/2 + 1] 2 w; four [m] before the transform, [m] after it.
template <class Real> std::vector<complex_t<Real>> xy_factors(r2r_kind kind, size_t m) {
    const long double n = 2 * (long double)m;
    std::vector<complex_t<Real>> f;
    for (size_t k = 0; k < m && kind == r2r_kind::four; k++)
        f.push_back(r2r_root<Real>((4 * (long double)k + 1) / (4 * n)));
    for (size_t k = 0; kind == r2r_kind::four ? k < m : kind == r2r_kind::two && k <= m / 2; k++)
        f.push_back(Real(2) * r2r_root<Real>((long double)k / (kind == r2r_kind::two ? 2 * n : n)));
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

/// Along x `from` and `step` say the other way: the place of point 2n (h = 0) or 2n + 1 is from[h] + step[h] n.
/// @param nx  points along x
template <class Real>
r2r_step<Real> xy_make_step(psg_cuda_r2r kind, int nx, const complex_t<Real> *factors) {
    r2r_step<Real> step;
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
    using Step = r2r_step<Real>;
    static constexpr int M = X::M;
    static constexpr int PAIRS = M / 2 * X::ROWS / X::BLOCK; // of modes, of a thread

    /// The sign of the points 2n + 1.
    static PSG_HD Real sign(const Step &x) {
        return x.kind == r2r_kind::two && x.odd ? Real(-1) : Real(1);
    }
    /// Points 2n and 2n + 1, n = place<0>(q, e), from registers to their places in [ROWS][N] reals.
    static PSG_HD void put_points(const Complex *v, int q, int row, Complex *buf, const Step &x) {
        Real *line = reinterpret_cast<Real *>(buf + row * M);
        PSG_UNROLL
        for (int e = 0; e < Lines::E; e++) {
            const int n = Lines::template place<0>(q, e);
            line[x.from[0] + x.step[0] * n] = v[e].x;
            line[x.from[1] + x.step[1] * n] = sign(x) * v[e].y;
        }
    }
    static PSG_HD void take_points(Complex *v, int q, int row, const Complex *buf, const Step &x) {
        const Real *line = reinterpret_cast<const Real *>(buf + row * M);
        PSG_UNROLL
        for (int e = 0; e < Lines::E; e++) {
            const int n = Lines::template place<0>(q, e);
            v[e] = {line[x.from[0] + x.step[0] * n], sign(x) * line[x.from[1] + x.step[1] * n]};
        }
    }
    /// What is transformed, from the buffer to registers.
    static PSG_HD void take_line(Complex *v, int q, int row, const Complex *buf, const Step &x) {
        PSG_UNROLL
        for (int e = 0; e < Lines::E; e++)
            v[e] = buf[row * M + Lines::template place<0>(q, e)];
        if (x.kind != r2r_kind::four)
            return;
        PSG_UNROLL
        for (int e = 0; e < Lines::E; e++)
            v[e] = v[e] * x.factors[Lines::template place<0>(q, e)];
    }
    static PSG_HD void put_line(Complex *v, int q, int row, Complex *buf, const Step &x) {
        if (x.kind == r2r_kind::four) {
            PSG_UNROLL
            for (int e = 0; e < Lines::E; e++)
                v[e] = mul_conj(v[e], x.factors[Lines::template place<0>(q, e)]);
        }
        PSG_UNROLL
        for (int e = 0; e < Lines::E; e++)
            buf[row * M + Lines::template place<0>(q, e)] = v[e];
    }
    /// exp(-i pi / 4) a
    static PSG_HD Complex eighth(Complex a) {
        const Real h = Real(0.7071067811865475244);
        return {h * (a.x + a.y), h * (a.y - a.x)};
    }
    /// exp(i pi / 4) a
    static PSG_HD Complex eighth_back(Complex a) {
        const Real h = Real(0.7071067811865475244);
        return {h * (a.x - a.y), h * (a.x + a.y)};
    }
    /// Z in shared memory to the rows of modes in the ring.
    static PSG_HD void put_modes(Complex *plane, int y, int thread, const Complex *buf,
                                 const Complex *roots, const Step &x) {
        const Real half = Real(0.5), root2 = Real(1.4142135623730950488);
        const auto put = [&](int k, int row, Complex first, Complex second) {
            plane[X::in_strips(k, y + row, M)] = first;
            plane[X::in_strips(M / 2 + k, y + row, M)] = second;
        };
        if (x.kind == r2r_kind::four) {
            PSG_UNROLL_2
            for (int i = 0; i < PAIRS; i++) {
                int k, row;
                X::pair(i * X::BLOCK + thread, &k, &row);
                put(k, row, x.factors[M + k] * buf[row * M + k],
                    x.factors[M + M / 2 + k] * buf[row * M + M / 2 + k]);
            }
            return;
        }
        PSG_UNROLL_2
        for (int i = 0; i < PAIRS; i++) {
            int k, row;
            X::pair(i * X::BLOCK + thread, &k, &row);
            const Complex a = buf[row * M + k], b = buf[row * M + (k == 0 ? 0 : M - k)];
            const Complex even = {half * (a.x + b.x), half * (a.y - b.y)};
            const Complex odd = roots[k] * Complex{half * (a.y + b.y), half * (b.x - a.x)};
            const Complex mirror = {even.x - odd.x, odd.y - even.y}, w = x.factors[k];
            Complex first = w * (even + odd), second = mul_conj(eighth(mirror), w);
            if (k == 0) {
                const Complex middle = buf[row * M + M / 2];
                first.y = root2 * mirror.x;
                second = x.factors[M / 2] * Complex{middle.x, -middle.y};
            }
            put(k, row, first, second);
        }
    }
    /// The rows of modes in the ring to the numbers of the inverse in shared memory. Several are on their way at once.
    static PSG_HD void take_modes(const Complex *plane, int y, int thread, Complex *buf,
                                  const Complex *roots, const Step &x) {
        constexpr int AT_ONCE = PAIRS % 4 == 0 ? 4 : PAIRS % 3 == 0 ? 3 : PAIRS % 5 == 0 ? 5 : 1;
        const Real half = Real(0.5), root2 = Real(1.4142135623730950488);
        PSG_UNROLL_1
        for (int begin = 0; begin < PAIRS; begin += AT_ONCE) {
            Complex v[2 * AT_ONCE];
            PSG_UNROLL
            for (int i = 0; i < AT_ONCE; i++) {
                int k, row;
                X::pair((begin + i) * X::BLOCK + thread, &k, &row);
                v[2 * i] = X::kept(plane + X::in_strips(k, y + row, M));
                v[2 * i + 1] = X::kept(plane + X::in_strips(M / 2 + k, y + row, M));
            }
            PSG_UNROLL
            for (int i = 0; i < AT_ONCE; i++) {
                int k, row;
                X::pair((begin + i) * X::BLOCK + thread, &k, &row);
                const Complex first = v[2 * i], second = v[2 * i + 1];
                if (x.kind == r2r_kind::four) {
                    buf[row * M + k] = mul_conj(first, x.factors[M + k]);
                    buf[row * M + M / 2 + k] = mul_conj(second, x.factors[M + M / 2 + k]);
                    continue;
                }
                const Complex w = half * x.factors[k];
                Complex low = mul_conj(first, w), high = w * eighth_back(second);
                if (k == 0) {
                    const Complex middle = mul_conj(second, x.factors[M / 2]);
                    buf[row * M + M / 2] = {middle.x, -middle.y};
                    low = {first.x, 0};
                    high = {root2 * first.y, 0};
                }
                const Complex a = {low.x + high.x, low.y - high.y};
                const Complex b = mul_conj(Complex{low.x - high.x, low.y + high.y}, roots[k]);
                buf[row * M + k] = {a.x - b.y, a.y + b.x};
                if (k > 0)
                    buf[row * M + M - k] = {a.x + b.y, b.x - a.y};
            }
        }
    }
};

} // namespace psg_cuda
#endif
