// The fused z kernels, run on the CPU thread by thread from the same source as on the GPU, give the
// answer of a naive transform, for every length that is supported ("all": takes a minute) or a choice
// of them; and their exchanges through shared memory have no bank conflicts. Needs no device.
#include "kernels/kspace.h"
#include "kernels/kspace_fixed.cuh"
#include "kernels/kspace_tables.cuh"
#include "kernels/segments.cuh"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <vector>

using namespace psg_cuda;

static int failures = 0;
static double worst_f64 = 0, worst_f32 = 0; // errors relative to max|answer|

static double uniform() {
    return 2.0 * rand() / RAND_MAX - 1.0;
}

/// A sheet of some columns, its spectrum in uneven segments with gaps, and the answer.
template <class Real> struct problem {
    using Complex = complex_t<Real>;
    using extended = complex_t<long double>;
    uint32_t n, columns, nxc, rows;
    std::vector<Real> ex, ey, ez;
    std::vector<std::vector<Complex>> segment;
    std::vector<Complex *> planes;
    std::vector<int64_t> offsets[3]; // of each band, and of where the second goes
    std::vector<Complex> elsewhere;  // [n][columns of the second, and a gap], from the last plane
    uint32_t first_columns;          // of the first
    std::vector<complex_t<double>> answer; // [n][columns]
    complex_t<double> mean;
    Complex mode0;
    kspace_args<Real> args;

    problem(uint32_t n_, uint32_t nxc_, uint32_t rows_, const kspace_list &list,
            std::vector<Complex> *twiddles, std::vector<uint32_t> *order)
        : n(n_), columns(nxc_ * rows_), nxc(nxc_), rows(rows_), ex(nxc_), ey(rows_), ez(n_),
          planes(n_), answer((size_t)n_ * columns), mean{0, 0}, mode0{Real(NAN), Real(NAN)},
          args() {
        for (auto *table : {&ex, &ey, &ez})
            for (size_t i = 0; i < table->size(); i++)
                (*table)[i] = i == 0 ? Real(0) : Real(-1.5 - uniform());
        for (uint32_t z = 0; z < n;) { // segments of 1, 3, 5, .. planes
            const uint32_t count = std::min(n - z, (uint32_t)(2 * segment.size() + 1));
            const size_t pitch = columns + segment.size();
            segment.emplace_back(count * pitch, Complex{Real(NAN), Real(NAN)});
            for (uint32_t i = 0; i < count; i++, z++) {
                planes[z] = segment.back().data() + i * pitch;
                for (uint32_t c = 0; c < columns; c++)
                    planes[z][c] = {Real(uniform()), Real(uniform())};
            }
        }
        solve();
        twiddles->assign(n, Complex{Real(NAN), Real(NAN)});
        kspace_twiddles(list, twiddles->data());
        order->assign(n / list.pass[list.passes - 1].radix, 0);
        kspace_order(list, order->data());
        for (Complex *plane : planes)
            offsets[0].push_back(((intptr_t)plane - (intptr_t)planes[0]) /
                                 (intptr_t)sizeof(Complex));
        args.base = planes[0];
        args.twiddles = twiddles->data();
        args.order = order->data();
        args.ex = ex.data();
        args.ez = ez.data();
        args.mode0 = &mode0;
        args.scale = Real(1.0 / n);
        args.nxc = nxc;
        args.strip = nxc;
        args.list = list;
    }

    /// Cut it into tiles of so many columns; the last `second` rows are a band of their own, which
    /// goes to another place.
    void cut(uint32_t width, uint32_t second) {
        const uint32_t first = rows - second, tiles = (second * nxc + width - 1) / width;
        const size_t pitch = second * nxc + 1;
        first_columns = first * nxc;
        elsewhere.assign(n * pitch, Complex{Real(NAN), Real(NAN)});
        offsets[1].clear();
        offsets[2].clear();
        for (uint32_t z = 0; z < n; z++) {
            const Complex *to = &elsewhere[(n - 1 - z) * pitch];
            offsets[1].push_back(offsets[0][z] + first_columns);
            offsets[2].push_back(((intptr_t)to - (intptr_t)planes[0]) / (intptr_t)sizeof(Complex));
        }
        const kspace_place at[3] = {
            {offsets[0].data(), 0, 0}, {offsets[1].data(), 0, 0}, {offsets[2].data(), 0, 0}};
        args.band[0] = {at[0], at[0], ey.data(), first_columns, first};
        args.band[1] = {at[1], at[2], ey.data() + first, second * nxc, second};
        args.tiles = (first * nxc + width - 1) / width + tiles;
        args.turns = (uint32_t)((((uint64_t)tiles << 32) + args.tiles - 1) / args.tiles);
    }

    /// The answer by the definition, in extended precision: its sums are long.
    void solve() {
        std::vector<extended> root(n), f(n), g(n);
        for (uint32_t t = 0; t < n; t++)
            root[t] = {cosl(2 * M_PIl * t / n), -sinl(2 * M_PIl * t / n)};
        for (uint32_t c = 0; c < columns; c++) {
            for (uint32_t z = 0; z < n; z++)
                f[z] = {planes[z][c].x, planes[z][c].y};
            for (uint32_t k = 0; k < n; k++) {
                extended sum = {0, 0};
                for (uint32_t z = 0, t = 0; z < n; z++, t = t + k < n ? t + k : t + k - n)
                    sum = sum + f[z] * root[t];
                if (c == 0 && k == 0)
                    mean = {(double)sum.x, (double)sum.y};
                const long double d = (long double)ex[c % nxc] + ey[c / nxc] + ez[k];
                g[k] = (d == 0 ? 0.0L : 1.0L / n / d) * sum;
            }
            for (uint32_t z = 0; z < n; z++) {
                extended sum = {0, 0};
                for (uint32_t k = 0, t = 0; k < n; k++, t = t + z < n ? t + z : t + z - n)
                    sum = sum + mul_conj(g[k], root[t]);
                answer[(size_t)z * columns + c] = {(double)sum.x, (double)sum.y};
            }
        }
    }

    /// Take what went to the other place for the results. @param before  what it was made from, which
    /// is as it was
    void collect(const std::vector<std::vector<Complex>> &before, const char *what) {
        const size_t count = columns - first_columns;
        uint32_t z = 0;
        bool same = true;
        for (size_t s = 0; s < segment.size(); s++)
            for (size_t k = 0; k < 2 * s + 1 && z < n; k++, z++) {
                Complex *const from = planes[z] + first_columns;
                same = same && !memcmp(from, &before[s][(size_t)(from - segment[s].data())],
                                       count * sizeof(Complex));
                memcpy(from, &elsewhere[(n - 1 - z) * (count + 1)], count * sizeof(Complex));
            }
        if (!same) {
            printf("FAIL %s, n = %u: what goes elsewhere was written\n", what, n);
            failures++;
        }
    }

    void check(const char *what) {
        double most = 0, worst = 0;
        uint32_t at_z = 0, at_c = 0;
        for (uint32_t z = 0; z < n; z++)
            for (uint32_t c = 0; c < columns; c++) {
                const complex_t<double> want = answer[(size_t)z * columns + c];
                most = std::max(most, std::max(fabs(want.x), fabs(want.y)));
                const double e = fabs(planes[z][c].x - want.x) + fabs(planes[z][c].y - want.y);
                if (!(e <= worst) && !std::isnan(worst)) {
                    worst = e;
                    at_z = z;
                    at_c = c;
                }
            }
        const double unit = sizeof(Real) == 8 ? 4e-16 : 2e-7;
        const double bound = unit * (3 + log2((double)n)) * most;
        const double off = fabs(mode0.x - mean.x) + fabs(mode0.y - mean.y);
        double *record = sizeof(Real) == 8 ? &worst_f64 : &worst_f32;
        *record = std::max(*record, worst / most);
        if (!(worst <= bound) || !(off <= unit * 8 * n)) {
            printf(
                "FAIL %s, n = %u: error %.2e of %.2e at plane %u, column %u; mode 0 off by %.2e\n",
                what, n, worst, most, at_z, at_c, off);
            failures++;
        }
    }
};

/// Wavefronts that a warp needs at the most to access `bytes` each at these element indices.
static int conflicts(const std::vector<uint32_t> &index, size_t bytes) {
    const size_t lanes = 128 / bytes;
    size_t worst = 0;
    for (size_t first = 0; first < index.size(); first += lanes) {
        std::set<uint32_t> bank[32];
        for (size_t i = first; i < std::min(first + lanes, index.size()); i++)
            bank[index[i] % lanes].insert(index[i]);
        for (size_t b = 0; b < lanes; b++)
            worst = std::max(worst, bank[b].size());
    }
    return (int)worst;
}

/// Bank conflicts of pass P's accesses, and that rows and places are what the list says.
template <class S, int P> static int shape_pass(const kspace_list &list, size_t bytes) {
    int worst = 0;
    for (int e = 0; e < S::rounds(P) * S::radix(P); e++)
        for (int warp = 0; warp < S::BLOCK; warp += 32) {
            std::vector<uint32_t> index;
            for (int t = warp; t < std::min(warp + 32, S::BLOCK); t++) {
                const int q = S::member(t), R = S::radix(P);
                if (!S::template has<P>(q, e / R))
                    continue;
                const int row = S::template row<P>(q, e / R) + e % R * S::template row_step<P>();
                const int place = S::template place<P>(q, e);
                const int want = S::PADDED ? place + place / S::SPAN : place;
                const int g = S::template butterfly<P>(q, e / R);
                const kspace_butterfly b(list, list.pass[P], (uint32_t)g);
                if (row != want || row >= S::ROWS || (int)(b.place + e % R * b.stride) != place ||
                    (P < S::LAST &&
                     (int)b.twiddle != S::twiddles(P) + S::template twiddle<P>(q, e / R))) {
                    printf("FAIL n = %d: index of pass %d, thread %d, element %d\n", S::N, P, q, e);
                    failures++;
                    return 0;
                }
                index.push_back((uint32_t)S::at(row, S::column(t)));
            }
            worst = std::max(worst, conflicts(index, bytes));
        }
    return worst;
}

/// A block of kspace_fixed: a loop over the threads between any two barriers.
template <class S> struct block {
    using Complex = typename S::Complex;
    std::vector<Complex> v, buf;

    template <class F> void all(F f) {
        for (int t = 0; t < S::BLOCK; t++)
            f(&v[(size_t)t * S::ROOM], S::member(t), S::column(t));
    }
    template <int FROM, int TO> void exchange() {
        using Real = typename S::Real;
        buf.assign(S::ROWS * S::COLUMNS, Complex{Real(NAN), Real(NAN)});
        all([&](Complex *p, int q, int c) { S::template to_shared<FROM>(p, q, c, buf.data()); });
        all([&](Complex *p, int q, int c) { S::template from_shared<TO>(p, q, c, buf.data()); });
    }
    void run(const kspace_args<typename S::Real> &a, uint32_t tile, bool ahead,
             uint32_t sheet = 0) {
        const auto column = [&](int c) {
            return kspace_column<typename S::Real>(a, tile, S::COLUMNS, (uint32_t)c, sheet);
        };
        v.assign((size_t)S::BLOCK * S::ROOM, Complex());
        buf.assign(S::ROWS * S::COLUMNS, Complex());
        all([&](Complex *p, int q, int c) {
            if (ahead) {
                kspace_fetch<S>(buf.data(), q, c, a, column(c));
                S::template from_shared<0>(p, q, c, buf.data());
            } else {
                kspace_load<S>(p, q, a, column(c));
            }
        });
        all([&](Complex *p, int q, int) { S::template forward<0>(p, q, a.twiddles); });
        exchange<0, 1>();
        if constexpr (S::PASSES == 3) {
            all([&](Complex *p, int q, int) { S::template forward<1>(p, q, a.twiddles); });
            exchange<1, 2>();
        }
        all([&](Complex *p, int q, int c) { kspace_turn<S>(p, q, a, column(c)); });
        if constexpr (S::PASSES == 3) {
            exchange<2, 1>();
            all([&](Complex *p, int q, int) { S::template inverse<1>(p, q, a.twiddles); });
        }
        exchange<1, 0>();
        all([&](Complex *p, int q, int) { S::template inverse<0>(p, q, a.twiddles); });
        all([&](Complex *p, int q, int c) { kspace_store<S>(p, q, a, column(c)); });
    }
};

template <class S> static void fixed(int r0, int r1, int r2) {
    using Real = typename S::Real;
    static_assert((S::COLUMNS & (S::COLUMNS - 1)) == 0, "the plan keeps their logarithm");
    kspace_list list = kspace_list();
    list.n = S::N;
    list.passes = S::PASSES;
    list.pass[0].radix = (uint32_t)r0;
    list.pass[1].radix = (uint32_t)r1;
    list.pass[2].radix = (uint32_t)r2;
    kspace_list_finish(&list);
    const size_t bytes = 2 * sizeof(Real);
    int worst = std::max(shape_pass<S, 0>(list, bytes), shape_pass<S, 1>(list, bytes));
    if constexpr (S::PASSES == 3)
        worst = std::max(worst, shape_pass<S, 2>(list, bytes));
    std::vector<typename S::Complex> twiddles;
    std::vector<uint32_t> order;
    problem<Real> p(S::N, 3, (S::COLUMNS + 4) / 3, list, &twiddles, &order);
    p.cut(S::COLUMNS, p.rows / 3);
    const auto before = p.segment;
    block<S> b;
    for (uint32_t tile = 0; tile < p.args.tiles; tile++)
        b.run(p.args, tile, tile % 2 == 1);
    char what[80];
    snprintf(what, sizeof what, "%s %d = %d x %d x %d, %d columns, %d threads",
             sizeof(Real) == 8 ? "f64" : "f32", S::N, r0, r1, r2, S::COLUMNS, S::BLOCK);
    p.collect(before, what);
    p.check(what);
    if (worst != 1) {
        printf("FAIL %s: %d-way bank conflicts\n", what, worst);
        failures++;
    }
}

/// The affine addressing of bands of one segment, which the others do not take; the second goes to
/// another place, and its own stays as it is. run(args): all tiles, of `width` columns.
template <class Run>
static void affine(const kspace_list &list, uint32_t width, const char *what, Run run) {
    std::vector<complex_t<double>> twiddles, spectrum;
    std::vector<uint32_t> order;
    problem<double> p(list.n, 5, 3, list, &twiddles, &order);
    const size_t n = list.n, pitch = 17, elsewhere = n * pitch;
    spectrum.resize(elsewhere + n * 5);
    for (size_t z = 0; z < n; z++)
        memcpy(&spectrum[z * pitch], p.planes[z], p.columns * sizeof spectrum[0]);
    const std::vector<complex_t<double>> before = spectrum;
    p.cut(width, 1);
    kspace_args<double> a = p.args;
    a.base = spectrum.data() + 100;
    for (kspace_band<double> &band : a.band) {
        band.from = {nullptr, (&band == a.band ? 0 : 2 * 5) - 100, pitch};
        band.to = band.from;
    }
    a.band[1].to = {nullptr, (int64_t)elsewhere - 100, 5};
    run(a);
    for (size_t z = 0; z < n; z++) {
        if (memcmp(&spectrum[z * pitch + 2 * 5], &before[z * pitch + 2 * 5],
                   5 * sizeof before[0])) {
            printf("FAIL %s, plane %zu of what goes elsewhere was written\n", what, z);
            failures++;
        }
        memcpy(p.planes[z], &spectrum[z * pitch], 2 * 5 * sizeof spectrum[0]);
        memcpy(p.planes[z] + 2 * 5, &spectrum[elsewhere + z * 5], 5 * sizeof spectrum[0]);
    }
    p.check(what);
}

/// Sheets whose planes follow one another: each has its own answer, mode 0 and flag, and a NaN in the second one stays
/// there. run(args, sheet): all tiles of a sheet, of `width` columns.
template <class Run>
static void several(const kspace_list &list, uint32_t width, const char *what, Run run) {
    enum { SHEETS = 3 };
    const size_t n = list.n, pitch = 17;
    std::vector<complex_t<double>> twiddles, spectrum(SHEETS * n * pitch), mode0(SHEETS);
    std::vector<uint32_t> order;
    std::vector<problem<double>> p;
    for (size_t s = 0; s < SHEETS; s++) {
        p.emplace_back(list.n, 5u, 3u, list, &twiddles, &order);
        p[s].ex = p[0].ex;
        p[s].ey = p[0].ey;
        p[s].ez = p[0].ez;
        p[s].solve();
        for (size_t z = 0; z < n; z++)
            memcpy(&spectrum[(s * n + z) * pitch], p[s].planes[z],
                   p[s].columns * sizeof spectrum[0]);
    }
    spectrum[(n + n / 2) * pitch + 2].y = NAN;
    p[0].cut(width, 0);
    kspace_args<double> a = p[0].args;
    int nonfinite[SHEETS] = {0};
    a.base = spectrum.data();
    a.band[0].from = a.band[0].to = {nullptr, 0, pitch};
    a.band[0].ey = p[0].ey.data();
    a.ex = p[0].ex.data();
    a.ez = p[0].ez.data();
    a.sheet_pitch = n * pitch;
    a.mode0 = mode0.data();
    a.nonfinite = nonfinite;
    for (uint32_t s = 0; s < SHEETS; s++)
        run(a, s);
    for (size_t s = 0; s < SHEETS; s++) {
        if (nonfinite[s] != (s == 1)) {
            printf("FAIL %s, n = %zu: the flag of sheet %zu is %d\n", what, n, s, nonfinite[s]);
            failures++;
        }
        for (size_t z = 0; z < n && s != 1; z++)
            memcpy(p[s].planes[z], &spectrum[(s * n + z) * pitch],
                   p[s].columns * sizeof spectrum[0]);
        p[s].mode0 = mode0[s];
        if (s != 1)
            p[s].check(what);
    }
}

static void fixed_affine() {
    using S = column_shape<double, 128, 16, 8, 16, 8, 1>;
    kspace_list list = kspace_list();
    list.n = 128;
    list.passes = 2;
    list.pass[0].radix = 16;
    list.pass[1].radix = 8;
    kspace_list_finish(&list);
    affine(list, S::COLUMNS, "fixed, one segment", [](const kspace_args<double> &a) {
        block<S> b;
        for (uint32_t tile = 0; tile < a.tiles; tile++)
            b.run(a, tile, tile % 2 == 1);
    });
    several(list, S::COLUMNS, "fixed, several sheets",
            [](const kspace_args<double> &a, uint32_t sheet) {
                block<S> b;
                for (uint32_t tile = 0; tile < a.tiles; tile++)
                    b.run(a, tile, tile % 2 == 1, sheet);
            });
}

/// The tiles of kspace_generic. @param first  those threads only that have the first column of a tile
template <class Real>
static void generic_tiles(const kspace_args<Real> &a, const kspace_tile_shape &tile, bool first,
                          uint32_t sheet = 0) {
    const uint32_t C = 1u << tile.log2_columns, last = a.list.passes - 1;
    const complex_t<Real> nan = {Real(NAN), Real(NAN)};
    std::vector<complex_t<Real>> buf;
    for (uint32_t number = 0; number < a.tiles; number++) {
        buf.assign((size_t)a.list.rows << tile.log2_columns, nan);
        const auto all = [&](auto f) {
            for (uint32_t t = 0; t < tile.threads; t++)
                if (!first || t % C == 0)
                    f(t, kspace_column<Real>(a, number, C, t % C, sheet));
        };
        using Column = const kspace_column<Real> &;
        for (uint32_t q = 0; q < last; q++)
            all([&](uint32_t t, Column c) {
                kspace_pass_any<KSPACE_FORWARD>(a, q, t, tile.threads, c, buf.data());
            });
        all([&](uint32_t t, Column c) {
            kspace_pass_any<KSPACE_TURN>(a, last, t, tile.threads, c, buf.data());
        });
        for (uint32_t q = last; q-- > 0;)
            all([&](uint32_t t, Column c) {
                kspace_pass_any<KSPACE_INVERSE>(a, q, t, tile.threads, c, buf.data());
            });
    }
}

template <class Real> static void generic(uint32_t n) {
    const psg_cuda_precision precision = sizeof(Real) == 8 ? PSG_CUDA_F64 : PSG_CUDA_F32;
    kspace_list list;
    kspace_tile_shape tile;
    const bool factored = kspace_factor(n, &list);
    const bool can =
        factored && kspace_choose_tile(list, sizeof(complex_t<Real>), kspace_least_shared, &tile);
    uint32_t rest = n;
    for (uint32_t p : {2u, 3u, 5u, 7u, 11u, 13u})
        while (rest % p == 0)
            rest /= p;
    if (factored != (rest == 1) ||
        can != (psg_cuda_kspace_supported(precision, PSG_CUDA_DFT, n) > 0)) {
        printf("FAIL n = %u: factored %d, supported %d\n", n, factored,
               psg_cuda_kspace_supported(precision, PSG_CUDA_DFT, n));
        failures++;
    }
    if (!can)
        return;
    std::vector<complex_t<Real>> twiddles;
    std::vector<uint32_t> order;
    problem<Real> p(n, 1, n > 600 ? 1 : 3, list, &twiddles, &order);
    kspace_tile_shape few;
    const bool both = kspace_few_tile(list, sizeof(complex_t<Real>), &few);
    const auto before = p.segment;
    for (const kspace_tile_shape *shape : {&tile, both ? &few : nullptr}) {
        if (shape == nullptr)
            continue;
        p.segment = before;
        p.args.log2_columns = shape->log2_columns;
        p.cut(1u << shape->log2_columns, p.rows / 3);
        generic_tiles(p.args, *shape, n > 600); // the columns of other threads do not exist
        char what[48];
        snprintf(what, sizeof what, "generic %s, %u threads", sizeof(Real) == 8 ? "f64" : "f32",
                 shape->threads);
        p.collect(before, what);
        p.check(what);
    }
}

static void generic_affine(uint32_t n) {
    kspace_list list;
    kspace_tile_shape shape[2] = {};
    if (!kspace_factor(n, &list) ||
        !kspace_choose_tile(list, sizeof(complex_t<double>), kspace_least_shared, &shape[0]) ||
        kspace_few_tile(list, sizeof(complex_t<double>), &shape[1]) != (n < 200)) {
        printf("FAIL n = %u: no generic kernel\n", n);
        failures++;
        return;
    }
    for (const kspace_tile_shape &tile : shape) {
        if (&tile != shape && n >= 200)
            continue;
        affine(list, 1u << tile.log2_columns, "generic, one segment", [&](kspace_args<double> a) {
            a.log2_columns = tile.log2_columns;
            generic_tiles(a, tile, false);
        });
        several(list, 1u << tile.log2_columns, "generic, several sheets",
                [&](kspace_args<double> a, uint32_t sheet) {
                    a.log2_columns = tile.log2_columns;
                    generic_tiles(a, tile, false, sheet);
                });
    }
}

static void all_fixed() {
#undef PSG_KSPACE
#define PSG_KSPACE(N, E, C, R0, R1, R2, BLOCKS, AHEAD)                                             \
    fixed<column_shape<Real, N, E, C, R0, R1, R2>>(R0, R1, R2);
    {
        using Real = double;
#include "kernels/kspace_f64.def"
    }
    {
        using Real = float;
#include "kernels/kspace_f32.def"
    }
}

int main(int argc, char **argv) {
    const bool all = argc > 1 && strcmp(argv[1], "all") == 0;
    srand(5);
    all_fixed();
    fixed_affine();
    for (uint32_t n : {13u, 60u, 210u, 640u}) // one pass, two, three
        generic_affine(n);
    for (uint32_t n = 1; n <= (all ? 5400u : 200u); n++) {
        generic<double>(n);
        generic<float>(n);
    }
    for (uint32_t n : {210u, 243u, 250u, 256u, 343u, 500u, 512u, 625u, 720u, 729u, 768u, 1000u,
                       1001u, 1024u, 1536u, 2048u})
        generic<double>(n);
    printf("largest error of max|answer|: f64 %.2e, f32 %.2e\n", worst_f64, worst_f32);
    if (failures)
        printf("%d failures\n", failures);
    return failures ? 1 : 0;
}
