// The real-to-real transforms of xy_sides.cuh, r2r_fused.cuh and kspace_fixed.cuh, run on the CPU thread by thread from the same
// source as on the GPU: the modes of a plane are those of the definition, its inverse gives it back; and a column is solved
// as by the definition. Needs no device.
#define PSG_XY_OF_SIDES
#include "kernels/kspace_entry.cuh"
#include "kernels/kspace_fixed.cuh"
#include "kernels/xy_fixed.cuh"
#include "tests/kernels/emulate_threads.cuh"
#include "tests/kernels/r2r_defined.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace psg_cuda;

static int failures = 0;

static void expect(bool right, const char *what, int n, psg_cuda_r2r one, psg_cuda_r2r two) {
    if (!right) {
        printf("FAIL %s, n = %d, kinds %d and %d\n", what, n, (int)one, (int)two);
        failures++;
    }
}

static double uniform() {
    return 2.0 * rand() / RAND_MAX - 1;
}

static psg_cuda_r2r inverse_of(psg_cuda_r2r kind) {
    return kind == PSG_CUDA_R2HC      ? PSG_CUDA_HC2R
           : kind == PSG_CUDA_REDFT10 ? PSG_CUDA_REDFT01
           : kind == PSG_CUDA_RODFT10 ? PSG_CUDA_RODFT01
                                      : kind; // type IV is its own inverse
}

static long double norm_of(psg_cuda_r2r kind, size_t n) {
    return (long double)n * (kind == PSG_CUDA_DFT || kind == PSG_CUDA_R2HC ? 1 : 2);
}

/// A plane of one part, and its way through the phases of the kernels.
/// @tparam Back  the shape on the way back
template <class X, class Back> struct plane {
    using Real = typename X::Real;
    using Complex = typename X::Complex;
    using Lines = typename X::Lines;
    using Columns = typename X::Columns;
    using Sided = xy_sided<X>;
    using SidedBack = xy_sided<Back>;
    psg_cuda_r2r kind[2];
    int nxc;
    std::vector<Real> field = std::vector<Real>((size_t)X::NX * X::NY), shifted;
    std::vector<Complex> numbers = std::vector<Complex>(X::PLANE + X::LINE);
    Complex *const ring; // aligned to a cache line
    std::vector<Complex> spectrum = std::vector<Complex>(X::PLANE);
    std::vector<Complex> buf = std::vector<Complex>(X::BUFFER);
    std::vector<Complex> roots, y_factors;
    std::vector<Complex> tx = twiddles<Lines>(), ty = twiddles<Columns>();
    std::vector<uint8_t> part_of = std::vector<uint8_t>(X::NY);
    xy_x_step<Real> x;
    r2r_step<Real> y;

    plane(psg_cuda_r2r kind_x, psg_cuda_r2r kind_y)
        : kind{kind_x, kind_y}, nxc(X::M + (kind_x == PSG_CUDA_DFT)),
          ring(reinterpret_cast<Complex *>(reinterpret_cast<uintptr_t>(numbers.data() + X::LINE) /
                                           128 * 128)) {
        roots = xy_factors<Real>(r2r_kind_of(kind_x), X::M);
        y_factors = r2r_factors<Real>(r2r_kind_of(kind_y), X::NY);
        x = xy_make_step(kind_x, X::NX, (const Complex *)roots.data());
        y = r2r_make_step(kind_y, X::NY, (const Complex *)y_factors.data());
    }
    Complex *strip_in_part(int strip) {
        const xy_part<Real> part = {spectrum.data(), 0, 0, (uint32_t)X::NY};
        return X::strip_in_part(part, 0, strip, nxc);
    }
    void forward() {
        threads<Lines> lines;
        threads<Columns> columns(y.reflected());
        shifted.assign(1, 0);
        shifted.insert(shifted.end(), field.begin(), field.end());
        for (int row0 = 0; row0 < X::NY; row0 += X::ROWS) {
            // Every second item reads a field that is aligned to a real alone.
            const bool apart = row0 / X::ROWS % 2 != 0;
            const Real *const points = apart ? shifted.data() + 1 : field.data();
            const auto row = [&](int r) {
                return points + (size_t)(row0 + X::row_of(r, y)) * X::NX;
            };
            if (x.kind == r2r_kind::none) {
                lines.all([&](Complex *v, auto q, int r, int) { X::load_row(v, q, row(r)); });
            } else if constexpr (Lines::FOLDED) {
                lines.all([&](Complex *v, auto q, int r, int) {
                    if (x.kind == r2r_kind::two) {
                        Sided::load_quads(v, q, row(r), x);
                    } else {
                        X::load_row(v, q, row(r));
                        Sided::fold(v, x);
                    }
                    Sided::begin(v, q, roots.data(), x);
                });
            } else {
                lines.all([&](Complex *v, auto q, int r, int) {
                    X::load_row(v, q, row(r));
                    Sided::put_points(v, q, r, buf.data(), x);
                });
                lines.all([&](Complex *v, auto q, int r, int) {
                    Sided::take_line(v, q, r, buf.data());
                    Sided::begin(v, q, roots.data(), x);
                });
            }
            lines.forward(tx.data(), buf);
            lines.all([&](Complex *v, auto q, int r, int) { X::put_upper(v, q, r, buf.data()); });
            lines.all([&](Complex *v, auto q, int r, int) {
                const int place = y.place(X::NY, row0 + X::row_of(r, y));
                if (x.kind != r2r_kind::none)
                    Sided::put_modes(v, q, r, buf.data(), ring, place, roots.data(), x);
                else
                    X::put_spectrum(v, q, r, buf.data(), ring, place, roots.data());
            });
        }
        for (int s = 0; s < X::strips(nxc); s++) {
            Complex *const to[1] = {strip_in_part(s)};
            columns.all([&](Complex *v, auto q, int c, int) {
                X::load_strip(v, q, c, ring, s, nxc);
                r2r_begin<Columns>(v, q, y);
            });
            columns.forward(ty.data(), buf);
            if (y.kind != r2r_kind::none) {
                if (!Columns::MIRRORED)
                    columns.all([&](Complex *v, auto q, int c, int) {
                        r2r_put<Columns>(v, q, c, buf.data());
                    });
                columns.all([&](Complex *v, auto q, int c, int) {
                    r2r_modes<Columns>(v, q, c, buf.data(), y);
                });
            }
            columns.all([&](Complex *v, auto q, int c, int) {
                X::store_blocks(v, q, c, s, part_of.data(), to, nxc, y);
            });
            if (!X::WHOLE)
                columns.all([&](Complex *, auto, int, int t) { X::forget_strip(ring, s, t, nxc); });
        }
    }
    void inverse() {
        threads<typename Back::Lines> lines;
        threads<Columns> columns(y.reflected());
        for (int s = 0; s < X::strips(nxc); s++) {
            Complex *const from[1] = {strip_in_part(s)};
            columns.all([&](Complex *v, auto q, int c, int) {
                X::load_blocks(v, q, c, s, part_of.data(), from, nxc, y);
            });
            if (y.kind != r2r_kind::none) {
                if (!Columns::MIRRORED)
                    columns.all([&](Complex *v, auto q, int c, int) {
                        r2r_put<Columns>(v, q, c, buf.data());
                    });
                columns.all([&](Complex *v, auto q, int c, int) {
                    r2r_frequencies<Columns>(v, q, c, buf.data(), y);
                });
            }
            columns.inverse(ty.data(), buf);
            columns.all([&](Complex *v, auto q, int c, int) {
                r2r_end<Columns>(v, q, y);
                X::store_strip(v, q, c, ring, s, nxc);
            });
        }
        for (int row0 = 0; row0 < X::NY; row0 += X::ROWS) {
            lines.all([&](Complex *v, auto q, int r, int) {
                const int place = y.place(X::NY, row0 + X::row_of(r, y));
                if (x.kind != r2r_kind::none)
                    SidedBack::take_modes(v, q, r, buf.data(), ring, place, roots.data(), x);
                else
                    Back::take_spectrum(v, q, r, buf.data(), ring, place, roots.data());
            });
            lines.all(
                [&](Complex *v, auto q, int r, int) { Back::take_upper(v, q, r, buf.data()); });
            lines.inverse(tx.data(), buf);
            if (x.kind != r2r_kind::none) {
                lines.all([&](Complex *v, auto q, int r, int) {
                    SidedBack::end(v, q, roots.data(), x);
                    SidedBack::put_line(v, q, r, buf.data());
                });
                lines.all([&](Complex *v, auto q, int r, int) {
                    SidedBack::take_points(v, q, r, buf.data(), x);
                });
            }
            lines.all([&](Complex *v, auto q, int r, int) {
                memcpy_row(v, q, field.data() + (size_t)(row0 + X::row_of(r, y)) * X::NX);
            });
            if (!X::WHOLE) {
                lines.all(
                    [&](Complex *, int, int, int t) { X::forget_rows(ring, row0, t, nxc, y); });
                forget_most(row0);
            }
        }
    }
    /// Rows that have been read are forgotten, but for lines of the cache that they share with other rows. These are at most one at
    /// each end of the rows in a half of the places.
    void forget_most(int row0) const {
        for (int s = 0; s < nxc / X::WIDTH; s++) {
            int left = 0;
            for (int r = row0; r < row0 + X::ROWS; r++)
                for (int m = 0; m < X::WIDTH; m++)
                    left +=
                        !std::isnan(ring[X::in_strips(s * X::WIDTH + m, y.place(X::NY, r), nxc)].x);
            expect(left < 4 * X::LINE, "rows that are forgotten", X::NX, kind[0], kind[1]);
        }
    }
    static void memcpy_row(const Complex *v, int q, Real *line) {
        for (int e = 0; e < Lines::E; e++)
            memcpy(line + 2 * Back::Lines::template place<0>(q, e), &v[e], sizeof v[e]);
    }
    /// Number i of a row of the spectrum.
    Complex at(int i, int row) {
        const int strip = i / X::WIDTH;
        return strip_in_part(strip)[row * X::width(strip, nxc) + i % X::WIDTH];
    }
    /// Number i of a row by the definition, for each row: the real parts and the imaginary parts.
    void along_x(int i, std::vector<long double> column[2]) const {
        const bool periodic = kind[0] == PSG_CUDA_DFT;
        size_t number[2] = {0, 0};
        const int kx = i < X::M / 2 ? i : X::M - (i - X::M / 2); // of a periodic row
        if (!periodic)
            xy_modes(kind[0], X::M, (size_t)i, number);
        std::vector<long double> line(X::NX), turn[2] = {line, line};
        for (int t = 0; t < X::NX && periodic; t++) {
            const long double angle = 2 * M_PIl * (long double)((long)kx * t % X::NX) / X::NX;
            turn[0][t] = cosl(angle);
            turn[1][t] = -sinl(angle);
        }
        for (int part = 0; part < 2; part++) {
            column[part].assign(X::NY, 0);
            for (int row = 0; row < X::NY; row++) {
                for (int t = 0; t < X::NX; t++)
                    line[t] = field[(size_t)row * X::NX + t];
                for (int t = 0; t < X::NX && periodic; t++)
                    column[part][row] += line[t] * turn[part][t];
                if (!periodic)
                    column[part][row] = defined(kind[0], line, number[part]);
            }
        }
    }
};

/// A plane of random numbers forward and back.
/// @param modes  are they compared with the definition?
template <class X, class Back>
static void planes(psg_cuda_r2r kind_x, psg_cuda_r2r kind_y, bool modes) {
    using Real = typename X::Real;
    if (!r2r_fuses(kind_y, X::Columns::radix(0)))
        return;
    plane<X, Back> p(kind_x, kind_y);
    for (Real &f : p.field)
        f = (Real)uniform();
    const std::vector<Real> f = p.field;
    const double unit = sizeof(Real) == 8 ? 1e-15 : 5e-7, size = sqrt((double)X::NX * X::NY);
    p.forward();
    const int numbers[] = {0, 1, X::M / 2 - 1, X::M / 2, X::M / 2 + 1, X::M - 1};
    const int rows[] = {0, 1, X::NY / 2, X::NY / 2 + 1, X::NY - 1, 7, 12};
    for (int i = 0; i < 6 && modes; i++) {
        std::vector<long double> column[2];
        p.along_x(numbers[i], column);
        for (int j = 0; j < 7; j++) {
            const auto have = p.at(numbers[i], rows[j]);
            const double want[2] = {(double)defined(kind_y, column[0], (size_t)rows[j]),
                                    (double)defined(kind_y, column[1], (size_t)rows[j])};
            // Some modes have another sign, see r2r_fused.cuh: a factor does not care.
            const double off =
                std::max(fabs(fabs(have.x) - fabs(want[0])), fabs(fabs(have.y) - fabs(want[1])));
            expect(off < 100 * unit * size, "a mode", X::NX, kind_x, kind_y);
        }
    }
    p.inverse();
    const double norm = (double)(norm_of(kind_x, X::NX) * norm_of(kind_y, X::NY));
    double worst = 0;
    for (size_t i = 0; i < f.size(); i++) {
        const double off = fabs((double)p.field[i] / norm - f[i]);
        if (!(off <= worst) && !std::isnan(worst))
            worst = off;
    }
    expect(worst < 10 * unit, "the plane that comes back", X::NX, kind_x, kind_y);
}

static const psg_cuda_r2r sides[] = {PSG_CUDA_REDFT10, PSG_CUDA_RODFT10, PSG_CUDA_REDFT11,
                                     PSG_CUDA_RODFT11};

/// All pairs of kinds if the plane is small, else one of them.
template <class X, class Back> static void shape() {
    const bool small = X::NY <= 128;
    const int one = X::NY / 4 % 4;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++)
            if (small || (i == one && j == 3 - one))
                planes<X, Back>(sides[i], sides[j], small);
        if (small || (i == one && X::M % 3 == 0))
            planes<X, Back>(sides[i], PSG_CUDA_R2HC, small);
        if (small || (i == one && X::M % 3 != 0))
            planes<X, Back>(PSG_CUDA_DFT, sides[i], small);
    }
}

/// The first and the last column beside the definition.
/// @param before, after  [N][COLUMNS]
template <class S>
static void compare(psg_cuda_r2r kind, const kspace_args<typename S::Real> &a,
                    const std::vector<typename S::Complex> &before,
                    const std::vector<typename S::Complex> &after) {
    using Real = typename S::Real;
    using Complex = typename S::Complex;
    constexpr int N = S::N, C = S::COLUMNS;
    const double unit = sizeof(Real) == 8 ? 1e-15 : 5e-7;
    double worst = 0, most = 0;
    for (int c = 0; c < C; c += C - 1)
        for (int part = 0; part < 2; part++) {
            std::vector<long double> f(N), modes(N);
            for (int z = 0; z < N; z++)
                f[z] = part == 0 ? before[(size_t)z * C + c].x : before[(size_t)z * C + c].y;
            for (int k = 0; k < N; k++)
                modes[k] = defined(kind, f, (size_t)k) /
                           ((long double)a.ex[a.pairs ? 2 * c + part : c] + a.ez[k]);
            if (c == 0 && (kind == PSG_CUDA_REDFT10 || kind == PSG_CUDA_R2HC)) {
                const double sum = (double)defined(kind, f, 0);
                expect(fabs(sum - (part == 0 ? a.mode0->x : a.mode0->y)) < 20 * unit * N, "mode 0",
                       N, kind, kind);
            }
            for (int z = 0; z < N; z += std::max(1, N / 37)) {
                const double want = (double)defined(inverse_of(kind), modes, (size_t)z);
                const Complex v = after[(size_t)z * C + c];
                const double off = fabs(want - (part == 0 ? v.x : v.y));
                most = std::max(most, fabs(want));
                if (!(off <= worst) && !std::isnan(worst))
                    worst = off;
            }
        }
    expect(worst < 30 * unit * most, a.pairs ? "a column, in pairs" : "a column", N, kind, kind);
}

/// Columns of a SIDES kernel, of numbers that are two modes along x (`pairs`) or one.
template <class S> static void column(psg_cuda_r2r kind, bool pairs) {
    using Real = typename S::Real;
    using Complex = typename S::Complex;
    constexpr int N = S::N, C = S::COLUMNS;
    if (!r2r_fuses(kind, S::radix(0)))
        return;
    const auto factors = r2r_factors<Real>(r2r_kind_of(kind), N);
    const auto table = twiddles<S>();
    std::vector<Complex> planes((size_t)N * C), buf((size_t)S::ROWS * C);
    std::vector<Real> ex(2 * C), ey(1), ez(N);
    for (Complex &v : planes)
        v = {(Real)uniform(), (Real)uniform()};
    for (Real &e : ex)
        e = (Real)(-1.5 - uniform());
    for (int k = 0; k < N; k++)
        ez[k] = (Real)(-1.5 - uniform());
    if (kind == PSG_CUDA_R2HC) // the two numbers of a frequency have one eigenvalue
        for (int k = 1; k < N; k++)
            ez[k] = ez[std::min(k, N - k)];
    const std::vector<Complex> before = planes;
    Complex mode0 = {0, 0};
    kspace_args<Real> a = kspace_args<Real>();
    a.base = planes.data();
    a.band[0] = {{nullptr, 0, (size_t)C}, {nullptr, 0, (size_t)C}, ey.data(), (uint32_t)C, 1};
    a.twiddles = table.data();
    a.ex = ex.data();
    a.ez = ez.data();
    a.pairs = pairs;
    a.z = r2r_make_step(kind, N, factors.data());
    a.mode0 = &mode0;
    a.scale = 1;
    a.nxc = a.strip = (uint32_t)C;
    a.tiles = 1;
    const auto at = [&](int c) { return kspace_column<Real, true>(a, 0, C, (uint32_t)c); };
    threads<S> block(a.z.reflected());
    block.all([&](Complex *v, auto q, int c, int) {
        if (pairs) {
            kspace_fetch<S, true>(buf.data(), q, c, a, at(c));
            S::template from_shared<0>(v, q, c, buf.data());
        } else {
            kspace_load<S, true>(v, q, a, at(c));
        }
        r2r_begin<S>(v, q, a.z);
    });
    block.forward(table.data(), buf);
    if (!S::MIRRORED)
        block.all([&](Complex *v, auto q, int c, int) { r2r_put<S>(v, q, c, buf.data()); });
    block.all([&](Complex *v, auto q, int c, int) {
        pairs ? kspace_sides<S, true>(v, q, c, buf.data(), a, at(c))
              : kspace_sides<S, false>(v, q, c, buf.data(), a, at(c));
    });
    block.inverse(table.data(), buf);
    block.all([&](Complex *v, auto q, int c, int) {
        r2r_end<S>(v, q, a.z);
        kspace_store<S, true>(v, q, a, at(c));
    });
    compare<S>(kind, a, before, planes);
}

/// All kinds if the column is short, else some of them.
template <class S> static void columns() {
    for (int i = 0; i < 4; i++)
        for (bool pairs : {false, true})
            if (S::N <= 128 || (i + 2 * pairs + S::N / 64) % 4 == 0)
                column<S>(sides[i], pairs);
    if (S::N <= 320)
        column<S>(PSG_CUDA_R2HC, true);
}

int main() {
    srand(7);
#define SHAPE(KEEP, M, LE, ROWS, L0, L1, L2, NY, CE, WIDTH, C0, C1, C2, BLOCKS)                    \
    shape<PSG_XY_SHAPE(true, KEEP, M, LE, ROWS, L0, L1, L2, NY, CE, WIDTH, C0, C1, C2),            \
          PSG_XY_SHAPE(false, KEEP, M, LE, ROWS, L0, L1, L2, NY, CE, WIDTH, C0, C1, C2)>();
#define COLUMNS(N, E, C, R0, R1, R2, BLOCKS, AHEAD)                                                \
    columns<kspace_shape<Real, kspace_column<Real, true>, N, E, C, R0, R1, R2>>();
#undef PSG_XY
#define PSG_XY SHAPE
#undef PSG_KSPACE
#define PSG_KSPACE COLUMNS
    static constexpr xy_form FORM = xy_form::sides;
    {
        using Real = double;
#include "kernels/kspace_sides_f64.def"
#include "kernels/xy_f64.def"
    }
    {
        using Real = float;
#include "kernels/kspace_sides_f32.def"
#include "kernels/xy_f32.def"
    }
    if (failures)
        printf("%d failures\n", failures);
    return failures ? 1 : 0;
}
