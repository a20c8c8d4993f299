// The 2-D transforms of xy_fixed.cuh, run on the CPU thread by thread from the same source as on
// the GPU: a plane gives the answer of a naive transform, cut into parts, where the z kernel looks
// for it, and its inverse gives it back, or a derivative; rows of a field with pitches are read and written as those of a
// dense one, and nothing beside them; the sequence of items has each once, after those that it waits for; and planes have their places in
// the ring.
// Needs no device.
#include "kernels/xy_fixed.cuh"
#include "tests/kernels/emulate_threads.cuh"
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace psg_cuda;

static int failures = 0;

static void expect(bool right, const char *what, int n) {
    if (!right) {
        printf("FAIL %s, n = %d\n", what, n);
        failures++;
    }
}

template <class X> struct plane {
    using Real = typename X::Real;
    using Complex = typename X::Complex;
    using Lines = typename X::Lines;
    using Columns = typename X::Columns;
    std::vector<Real> field = std::vector<Real>((size_t)X::NX * X::NY);
    static constexpr size_t GUARD = 4 * X::LINE; // beside what a kernel may write
    std::vector<Complex> around = std::vector<Complex>(X::PLANE + 3 * GUARD, {(Real)3, (Real)4});
    Complex *ring = nullptr; // a plane of it, which begins on a cache line
    std::vector<Complex> spectrum = std::vector<Complex>(2 * X::PLANE); // ours is the second plane
    std::vector<Complex> buf = std::vector<Complex>(X::BUFFER + GUARD, {(Real)3, (Real)4});
    std::vector<Complex> roots = std::vector<Complex>(X::M / 2);
    std::vector<Complex> tx = twiddles<Lines>(), ty = twiddles<Columns>();
    std::vector<xy_part<Real>> part;
    std::vector<uint8_t> part_of = std::vector<uint8_t>(X::NY);

    plane() {
        ring = around.data() + GUARD;
        while (reinterpret_cast<uintptr_t>(ring) % 128 != 0)
            ring++;
        for (int k = 0; k < X::M / 2; k++)
            roots[k] = {(Real)cosl(2 * M_PIl * k / X::NX), (Real)-sinl(2 * M_PIl * k / X::NX)};
        const uint32_t cut[] = {0, 1, X::NY / 3, X::NY - 5, X::NY};
        for (int p = 0; p < 4; p++) {
            part.push_back(
                {spectrum.data() + (size_t)cut[p] * X::NXC, X::PLANE, cut[p], cut[p + 1] - cut[p]});
            std::fill(part_of.begin() + cut[p], part_of.begin() + cut[p + 1], (uint8_t)p);
        }
    }
    /// The number that the z kernel divides as mode kx of a row: tables of eigenvalues tell modes.
    Complex at(int kx, int row) const {
        const xy_part<Real> &p = part[part_of[row]];
        std::vector<Real> ex(X::NXC), ey(p.rows);
        for (int k = 0; k < X::NXC; k++)
            ex[k] = (Real)k;
        for (uint32_t r = 0; r < p.rows; r++)
            ey[r] = (Real)(r * X::NXC);
        kspace_args<Real> a = kspace_args<Real>();
        a.nxc = X::NXC;
        a.strip = X::WIDTH;
        a.ex = ex.data();
        a.band[0].columns = p.rows * a.nxc;
        a.band[0].rows = p.rows;
        a.band[0].ey = ey.data();
        for (uint32_t i = 0; i < a.band[0].columns; i++)
            if (kspace_column<Real>(a, i, 1, 0).exy == ex[kx] + ey[row - p.y0])
                return p.base[p.pitch + i];
        return {(Real)NAN, (Real)NAN};
    }
    Real *row(int y) {
        return field.data() + (size_t)y * X::NX;
    }
    std::vector<Complex *> strips(int strip) const {
        std::vector<Complex *> list;
        for (const xy_part<Real> &p : part)
            list.push_back(X::strip_in_part(p, 1, strip));
        return list;
    }
    /// Of rows that are in the threads of `lines`, from row y on.
    void forward_rows(threads<Lines> &lines, int y) {
        lines.forward(tx.data(), buf);
        lines.all([&](Complex *p, int q, int r, int) { X::put_upper(p, q, r, buf.data()); });
        lines.all([&](Complex *p, int q, int r, int) {
            X::put_spectrum(p, q, r, buf.data(), ring, y + r, roots.data());
        });
    }
    void forward() {
        threads<Lines> lines;
        threads<Columns> columns;
        for (int y = 0; y < X::NY; y += X::ROWS) {
            lines.all([&](Complex *p, int q, int r, int) { X::load_line(p, q, row(y + r)); });
            forward_rows(lines, y);
        }
        for (int s = 0; s < X::STRIPS; s++) {
            const std::vector<Complex *> to = strips(s);
            columns.all([&](Complex *p, int q, int c, int) { X::load_strip(p, q, c, ring, s); });
            columns.forward(ty.data(), buf);
            columns.all([&](Complex *p, int q, int c, int) {
                X::store_blocks(p, q, c, s, part_of.data(), to.data());
            });
            columns.all([&](Complex *, int, int, int t) { forget_strip(s, t); });
        }
    }
    /// @param ky  NULL: 1
    void inverse(const xy_derivative<Real> &by = {}, const Complex *ky = nullptr) {
        threads<Lines> lines;
        threads<Columns> columns;
        for (int s = 0; s < X::STRIPS; s++) {
            const std::vector<Complex *> from = strips(s);
            columns.all([&](Complex *p, int q, int c, int) {
                X::load_blocks(p, q, c, s, part_of.data(), from.data());
                if (ky)
                    X::multiply_rows(p, q, ky);
            });
            columns.inverse(ty.data(), buf);
            columns.all([&](Complex *p, int q, int c, int) { X::store_strip(p, q, c, ring, s); });
        }
        for (int y = 0; y < X::NY; y += X::ROWS) {
            lines.all([&](Complex *p, int q, int r, int) {
                X::take_spectrum(p, q, r, buf.data(), ring, y + r, roots.data(), by);
            });
            lines.all([&](Complex *p, int q, int r, int) { X::take_upper(p, q, r, buf.data()); });
            lines.inverse(tx.data(), buf);
            lines.all([&](Complex *p, int q, int r, int) { X::store_line(p, q, row(y + r)); });
            lines.all([&](Complex *, int, int, int t) { forget_rows(y, t); });
        }
    }
    /// As forward(), of a field of the first points of the first rows, which stand one after the
    /// other.
    void forward_padded(const Real *part_of_field, int points, int rows) {
        threads<Lines> lines;
        threads<Columns> columns;
        for (int y = 0; y < rows; y += X::ROWS) {
            lines.all([&](Complex *p, int q, int r, int) {
                X::load_part(p, q, part_of_field + (size_t)(y + r) * points,
                             y + r < rows ? points : 0);
            });
            forward_rows(lines, y);
        }
        for (int s = 0; s < X::STRIPS; s++) {
            const std::vector<Complex *> to = strips(s);
            columns.all([&](Complex *p, int q, int c, int) {
                X::load_upper_strip(p, q, c, ring, s, rows);
            });
            columns.forward(ty.data(), buf);
            columns.all([&](Complex *p, int q, int c, int) {
                X::store_blocks(p, q, c, s, part_of.data(), to.data());
            });
        }
    }
    void inverse_padded(Real *part_of_field, int points, int rows) {
        threads<Lines> lines;
        threads<Columns> columns;
        for (int s = 0; s < X::STRIPS; s++) {
            const std::vector<Complex *> from = strips(s);
            columns.all([&](Complex *p, int q, int c, int) {
                X::load_blocks(p, q, c, s, part_of.data(), from.data());
            });
            columns.inverse(ty.data(), buf);
            columns.all([&](Complex *p, int q, int c, int) {
                X::store_upper_strip(p, q, c, ring, s, rows);
            });
        }
        for (int y = 0; y < rows; y += X::ROWS) {
            lines.all([&](Complex *p, int q, int r, int) {
                X::take_spectrum(p, q, r, buf.data(), ring, y + r, roots.data());
            });
            lines.all([&](Complex *p, int q, int r, int) { X::take_upper(p, q, r, buf.data()); });
            lines.inverse(tx.data(), buf);
            lines.all([&](Complex *p, int q, int r, int) {
                X::store_part(p, q, part_of_field + (size_t)(y + r) * points,
                              y + r < rows ? points : 0);
            });
        }
    }
    void forget_strip(int strip, int thread) {
        if constexpr (!X::WHOLE)
            X::forget_strip(ring, strip, thread);
    }
    void forget_rows(int y, int thread) {
        if constexpr (!X::WHOLE)
            X::forget_rows(ring, y, thread);
    }
    /// Is a number of the ring one that is forgotten?
    bool forgotten(size_t i) const {
        return std::isnan(ring[i].x) && std::isnan(ring[i].y);
    }
    /// Nothing was written, or forgotten, beside a plane of the ring and the exchange buffer.
    bool alone() const {
        const Complex *const end = around.data() + around.size();
        const auto clean = [](const Complex *at, const Complex *to) {
            return std::all_of(at, to, [](Complex v) { return v.x == 3 && v.y == 4; });
        };
        return clean(around.data(), ring) && clean(ring + X::PLANE, end) &&
               clean(buf.data() + X::BUFFER, buf.data() + buf.size());
    }
};

/// What a thread sees of the thread before.
template <class S> struct left_of {
    const typename S::Complex *v;
    int thread;
    PSG_HD typename S::Real operator()(int e) const {
        return thread % 32 > 0 ? (v - S::ROOM)[e].y : (typename S::Real)NAN;
    }
};

/// The rows of a plane that stand `pitch` reals apart, from place `before` on: each thread loads what it loads of a
/// dense plane, and stores the points and nothing else.
template <class X> static void rows(const plane<X> &p, size_t before, size_t pitch) {
    using Real = typename X::Real;
    using Complex = typename X::Complex;
    using Lines = typename X::Lines;
    const size_t words = (before + X::NY * pitch) * sizeof(Real) / sizeof(Complex) + 2;
    std::vector<Complex> nothing(words, {(Real)NAN, (Real)NAN}), from = nothing, to = nothing;
    const auto row = [&](std::vector<Complex> &field, int y) {
        return reinterpret_cast<Real *>(field.data()) + before + y * pitch;
    };
    for (int y = 0; y < X::NY; y++)
        memcpy(row(from, y), &p.field[(size_t)y * X::NX], X::NX * sizeof(Real));
    threads<Lines> dense, pitched;
    bool same = true;
    for (int y = 0; y < X::NY; y += X::ROWS) {
        dense.all([&](Complex *v, int q, int r, int) {
            X::load_line(v, q, p.field.data() + (size_t)(y + r) * X::NX);
        });
        pitched.all([&](Complex *v, int q, int r, int) { X::load_row(v, q, row(from, y + r)); });
        same =
            same && memcmp(dense.v.data(), pitched.v.data(), dense.v.size() * sizeof(Complex)) == 0;
        dense.all([&](Complex *v, int q, int r, int thread) {
            X::store_row(v, q, thread, row(to, y + r), left_of<Lines>{v, thread});
        });
    }
    expect(same, "rows with a pitch that are loaded", X::NX);
    expect(memcmp(from.data(), to.data(), words * sizeof(Complex)) == 0,
           "rows with a pitch that are stored", X::NX);
}

/// One mode of the plane by the definition.
template <class X> static complex_t<double> mode(const plane<X> &p, int kx, int ky) {
    long double re = 0, im = 0; // a million numbers
    for (int y = 0; y < X::NY; y++)
        for (int x = 0; x < X::NX; x++) {
            const double turn =
                (double)((long)kx * x % X::NX) / X::NX + (double)((long)ky * y % X::NY) / X::NY;
            const double f = p.field[(size_t)y * X::NX + x];
            re += f * cos(2 * M_PI * turn);
            im -= f * sin(2 * M_PI * turn);
        }
    return {(double)re, (double)im};
}

/// The multiplier of mode k of n of a difference to the next point, which is real at n / 2.
static std::complex<double> difference(int k, int n) {
    return 2 * k == n ? -2.0 : std::polar(1.0, 2 * M_PI * k / n) - 1.0;
}

/// Each mode of the differences to the next point is that of the plane times its multiplier.
template <class X> static void derivatives(plane<X> &p, const plane<X> &f, double tolerance) {
    using Real = typename X::Real;
    std::vector<complex_t<Real>> kx(X::NXC), ky(X::NY);
    const auto rounded = [](std::complex<double> by) {
        return complex_t<Real>{(Real)by.real(), (Real)by.imag()};
    };
    for (int k = 0; k <= X::M; k++) // in the order of the numbers of a row
        kx[k <= X::M / 2 - 1 ? k : X::mirrored(X::M - k)] = rounded(difference(k, X::NX));
    for (int k = 0; k < X::NY; k++)
        ky[k] = rounded(difference(k, X::NY));
    const complex_t<Real> scale = {(Real)1 / ((Real)X::NX * X::NY), 0};
    const xy_derivative<Real> along[2] = {{true, scale, kx.data()}, {true, scale, nullptr}};
    const int modes[][2] = {{1, 2}, {X::M / 2, X::NY - 1}, {X::M - 1, X::NY / 3}, {X::M, 1},
                            {0, 3}, {0, X::NY / 2}};
    for (int d = 0; d < 2; d++) {
        p.inverse(along[d], d == 1 ? ky.data() : nullptr);
        for (const auto &m : modes) {
            const std::complex<double> by =
                d == 1 ? difference(m[1], X::NY) : difference(m[0], X::NX);
            const complex_t<double> have = mode(p, m[0], m[1]), of_f = mode(f, m[0], m[1]);
            expect(std::abs(std::complex<double>(have.x, have.y) -
                            by * std::complex<double>(of_f.x, of_f.y)) < tolerance,
                   d == 0 ? "a mode of the derivative along x" : "a mode of that along y", X::NX);
        }
    }
}

template <class X> static void shape() {
    using Real = typename X::Real;
    plane<X> p;
    for (Real &f : p.field)
        f = (Real)(2.0 * rand() / RAND_MAX - 1);
    const std::vector<Real> f = p.field;
    for (size_t before : {0, 1, 2})
        for (size_t more : {0, 1, 2, 3})
            rows(p, before, X::NX + more);
    const double unit = sizeof(Real) == 8 ? 1e-15 : 5e-7, size = sqrt((double)X::NX * X::NY);
    p.forward();
    const int modes[][2] = {{0, 0},
                            {1, 0},
                            {0, 1},
                            {X::M, 0},
                            {X::M, X::NY / 2},
                            {X::M - 1, 3},
                            {7, X::NY - 1},
                            {X::M / 2, X::NY / 3}};
    for (const auto &m : modes) {
        const complex_t<double> want = mode(p, m[0], m[1]);
        const auto have = p.at(m[0], m[1]);
        expect(hypot(have.x - want.x, have.y - want.y) < 40 * unit * size, "a mode", X::NX);
    }
    constexpr size_t narrow = (size_t)(X::NXC / X::WIDTH) * X::WIDTH * X::NY;
    bool all = p.alone();
    for (size_t i = 0; i < (size_t)X::NXC * X::NY && !X::WHOLE; i++)
        all = all && p.forgotten(i);
    expect(all, "what strips forget", X::NX);
    p.inverse();
    all = p.alone();
    for (size_t i = 0; i < (size_t)X::NXC * X::NY && !X::WHOLE; i++)
        all = all && p.forgotten(i) == (i < narrow);
    expect(all, "what rows forget", X::NX);
    double worst = 0;
    for (size_t i = 0; i < f.size(); i++) {
        const double off = fabs((double)p.field[i] / ((double)X::NX * X::NY) - f[i]);
        if (!(off <= worst) && !std::isnan(worst))
            worst = off;
    }
    expect(worst < 10 * unit, "the plane that comes back", X::NX);
    plane<X> before;
    before.field = f;
    derivatives(p, before, 400 * unit * size);
}

/// A field of some points of a plane, `shift` reals past an aligned address, is transformed as the
/// plane with zeros in the others, and nothing is written beside it.
template <class X> static void padded() {
    using Real = typename X::Real;
    static const int sizes[][2] = {{X::NX / 2, X::NY / 2},
                                   {X::NX / 2 - 3, X::NY / 2 - 1},
                                   {X::NX, X::NY / 2},
                                   {X::NX / 2, X::NY}};
    for (const auto &n : sizes)
        for (int shift = 0; shift < 2; shift++) {
            const size_t count = (size_t)n[0] * n[1], guard = 64;
            std::vector<Real> given(count + 2 * guard, (Real)NAN), back = given;
            plane<X> whole, part;
            for (int y = 0; y < X::NY; y++)
                for (int x = 0; x < X::NX; x++) {
                    const Real f = (Real)(2.0 * rand() / RAND_MAX - 1);
                    const bool there = x < n[0] && y < n[1];
                    whole.row(y)[x] = there ? f : (Real)0;
                    if (there)
                        given[guard + shift + (size_t)y * n[0] + x] = f;
                }
            whole.forward();
            part.forward_padded(given.data() + guard + shift, n[0], n[1]);
            bool same = part.alone();
            for (size_t i = 0; i < whole.spectrum.size(); i++)
                same = same && whole.spectrum[i].x == part.spectrum[i].x &&
                       whole.spectrum[i].y == part.spectrum[i].y;
            expect(same, "the spectrum of some points of a plane", X::NX);
            whole.inverse();
            part.inverse_padded(back.data() + guard + shift, n[0], n[1]);
            same = part.alone();
            for (int y = 0; y < n[1]; y++)
                for (int x = 0; x < n[0]; x++)
                    same = same && whole.row(y)[x] == back[guard + shift + (size_t)y * n[0] + x];
            for (size_t i = 0; i < guard + shift; i++)
                same = same && std::isnan(back[i]) &&
                       (i + shift >= guard || std::isnan(back[guard + shift + count + i]));
            expect(same, "some points of a plane that come back", X::NX);
        }
}

/// Each item once, what an item waits for before it; and none past the end, where blocks look too.
static void sequence(uint32_t firsts, uint32_t seconds, uint32_t planes, uint32_t lag) {
    std::vector<uint32_t> done[2] = {std::vector<uint32_t>(planes), std::vector<uint32_t>(planes)};
    const uint32_t slots = lag + 2;
    bool right = true;
    const uint32_t items = firsts + seconds, end = (planes + lag) * items;
    for (uint32_t t = 0; t < end + lag * items; t++) {
        const xy_item i = xy_item_at(t, firsts, seconds, planes, lag);
        right = right && (!i.there || (t < end && i.plane < planes));
        if (!i.there || i.plane >= planes)
            continue;
        uint32_t *mine = &done[i.first ? 0 : 1][i.plane];
        right = right && i.index == (*mine)++;
        if (!i.first)
            right = right && done[0][i.plane] == firsts;
        else if (i.plane >= slots)
            right = right && done[1][i.plane - slots] == seconds;
    }
    for (uint32_t k = 0; k < planes; k++)
        right = right && done[0][k] == firsts && done[1][k] == seconds;
    expect(right, "the sequence of items", (int)firsts);
}

/// Where planes stand in the ring.
static void places(uint32_t slots) {
    xy_args<float> a = xy_args<float>();
    a.slots = slots;
    a.slots_magic = divisor_magic(slots);
    bool right = true;
    for (uint32_t plane = 0; plane < UINT32_MAX / slots; plane += 1 + plane / 1000)
        right = right && xy_before(a, plane) == plane / slots && xy_slot(a, plane) == plane % slots;
    expect(right, "places in the ring", (int)slots);
}

int main() {
    srand(7);
    for (uint32_t slots : {2u, 3u, 8u, 21u, 1341u})
        places(slots);
#define SHAPE(KEEP, M, LE, ROWS, L0, L1, L2, NY, CE, WIDTH, C0, C1, C2, BLOCKS)                    \
    shape<xy_shape<xy_keep::KEEP, column_shape<Real, M, LE, ROWS, L0, L1, L2, true>,               \
                   column_shape<Real, NY, CE, WIDTH, C0, C1, C2>>>();
#undef PSG_XY
#define PSG_XY SHAPE
    {
        using Real = double;
#include "kernels/xy_f64.def"
    }
    {
        using Real = float;
#include "kernels/xy_f32.def"
    }
#undef PSG_XY
#define PSG_XY(KEEP, M, LE, ROWS, L0, L1, L2, NY, CE, WIDTH, C0, C1, C2, BLOCKS)                   \
    padded<xy_shape<xy_keep::KEEP, column_shape<Real, M, LE, ROWS, L0, L1, L2, true>,              \
                    column_shape<Real, NY, CE, WIDTH, C0, C1, C2>>>();
    {
        using Real = double;
#include "kernels/xy_padded_f64.def"
    }
    {
        using Real = float;
#include "kernels/xy_padded_f32.def"
    }
    for (uint32_t planes : {1u, 2u, 3u, 9u})
        for (uint32_t lag : {1u, 2u, 5u})
            sequence(128, 129, planes, lag), sequence(129, 128, planes, lag),
                sequence(8, 9, planes, lag);
    if (failures)
        printf("%d failures\n", failures);
    return failures ? 1 : 0;
}
