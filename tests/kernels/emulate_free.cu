// The fused z kernel of a z with a free end, run on the CPU thread by thread from the same source
// as on the GPU, gives the answer of a core's kspace: both ends free, or a wall at one; any length,
// either symbol, with screening and without, one mode in a number or two; and so do those with a
// table of factors, for a free z and for a periodic one. Needs no device.
#include "kernels/kspace.h"
#include "kernels/kspace_fixed.cuh"
#include "tests/kernels/emulate_threads.cuh"
#include "tests/kernels/free_problem.cuh"

using namespace psg_cuda;

/// With the arguments of a kernel but for the places.
template <class Real> struct problem : free_problem<Real> {
    using Complex = complex_t<Real>;
    std::vector<Complex> twiddles, factors;
    std::vector<uint32_t> order;
    kspace_args<Real> args{};

    problem(const equation &e, uint32_t n, uint32_t nxc, uint32_t rows, const kspace_list &list)
        : free_problem<Real>(e, n, nxc, rows), twiddles(n), factors(kspace_free_factors<Real>(n)),
          order(n) {
        kspace_twiddles(list, twiddles.data());
        kspace_order(list, order.data());
        args.twiddles = twiddles.data();
        args.order = order.data();
        args.ex = this->ex.data();
        args.ez = this->ez.data();
        args.waves = e.derives ? this->waves.data() : nullptr;
        args.pairs = e.pairs;
        args.z = r2r_make_step(PSG_CUDA_FREE, (int)n, (const Complex *)factors.data());
        args.mode0 = &this->mode0;
        args.lambda = (Real)e.lambda;
        args.scale = (Real)this->scale();
        args.nxc = nxc;
        args.strip = nxc;
        args.list = list;
        args.free = kspace_free_of<Real>(e.free, n, this->scale());
        args.table = table_of<Real>(this->table(this->values.data()));
    }
    /// Logarithm of the columns of a tile for each of the sheet.
    uint32_t virtual_log2() const {
        return this->e.periodic ? 0 : 1;
    }
};

/// The threads of a block, one after the other in each step.
template <class Column> struct block {
    uint32_t threads;
    Column *column;

    template <class Step> PSG_HD void operator()(Step step) const {
        for (uint32_t t = 0; t < threads; t++)
            step(t, column[t]);
    }
};

/// All tiles of a sheet, by the kernel for any length.
template <class Column, class Real>
static void generic(const kspace_args<Real> &a, uint32_t threads, uint32_t sheet) {
    const size_t numbers = (size_t)a.list.rows << a.log2_columns;
    const complex_t<Real> nan = {Real(NAN), Real(NAN)};
    for (uint32_t tile = 0; tile < a.tiles; tile++) {
        std::vector<complex_t<Real>> buf(
            numbers + sizeof(kspace_free_room<Real>) / sizeof(complex_t<Real>), nan);
        std::vector<Column> c;
        for (uint32_t t = 0; t < threads; t++)
            c.emplace_back(a, tile, 1u << a.log2_columns, t & ((1u << a.log2_columns) - 1), sheet);
        if constexpr (Column::FREE) {
            kspace_free_tile<Column>(a, tile, sheet, threads, buf.data(),
                                     block<Column>{threads, c.data()});
        } else {
            const auto all = [&](auto step) {
                for (uint32_t t = 0; t < threads; t++)
                    step(t, c[t]);
            };
            const uint32_t last = a.list.passes - 1;
            for (uint32_t p = 0; p < last; p++)
                all([&](uint32_t t, Column &col) {
                    kspace_pass_any<KSPACE_FORWARD>(a, p, t, threads, col, buf.data());
                });
            all([&](uint32_t t, Column &col) {
                kspace_pass_any<KSPACE_TURN>(a, last, t, threads, col, buf.data());
            });
            for (uint32_t p = last; p-- > 0;)
                all([&](uint32_t t, Column &col) {
                    kspace_pass_any<KSPACE_INVERSE>(a, p, t, threads, col, buf.data());
                });
        }
    }
}

/// What the neighbour gives, see kspace_halve().
template <class Complex> struct neighbour {
    const Complex *v;
    bool odd;

    PSG_HD Complex operator()(int e, Complex) const {
        return v[odd ? e : e + 1];
    }
};

/// All tiles of a sheet, by a kernel for one length. Every second one is fetched ahead.
template <class S, class Column>
static void fixed(const kspace_args<typename S::Real> &a, uint32_t sheet) {
    using Complex = typename S::Complex;
    using Real = typename S::Real;
    for (uint32_t tile = 0; tile < a.tiles; tile++) {
        std::vector<Complex> buf(S::ROWS * S::COLUMNS, {Real(NAN), Real(NAN)});
        kspace_free_room<Real> room;
        memset(&room, 0xff, sizeof room);
        const bool wall = a.free.wall != 0;
        std::vector<Column> c;
        threads<S> block;
        for (int t = 0; t < S::BLOCK; t++)
            c.emplace_back(a, tile, (uint32_t)S::COLUMNS, (uint32_t)S::column(t), sheet);
        block.all([&](Complex *v, int q, int col, int t) {
            if (tile % 2 == 1) {
                kspace_fetch<S>(buf.data(), q, col, a, c[t]);
                S::template from_shared<0>(v, q, col, buf.data());
            } else {
                kspace_load<S>(v, q, a, c[t]);
            }
            if (q == 0)
                c[t].begin(a, (uint32_t)col, room);
            if (wall)
                kspace_leave_moment<S>(v, q, col, buf.data(), a, c[t]);
        });
        if (wall)
            block.all([&](Complex *, int q, int col, int t) {
                kspace_take_moment<S>(q, col, buf.data(), a, c[t], room);
            });
        block.all([&](Complex *v, int q, int, int t) {
            kspace_twist<S, false>(v, q, a, c[t]);
            S::template forward<0>(v, q, a.twiddles);
        });
        block.template exchange<0, 1>(buf);
        if constexpr (S::PASSES == 3) {
            block.all(
                [&](Complex *v, int q, int, int) { S::template forward<1>(v, q, a.twiddles); });
            block.template exchange<1, 2>(buf);
        }
        block.all([&](Complex *v, int q, int col, int t) {
            c[t].part = room.part[col];
            kspace_turn<S>(v, q, a, c[t]);
        });
        if constexpr (S::PASSES == 3) {
            block.template exchange<2, 1>(buf);
            block.all(
                [&](Complex *v, int q, int, int) { S::template inverse<1>(v, q, a.twiddles); });
        }
        block.template exchange<1, 0>(buf);
        block.all([&](Complex *v, int q, int, int t) {
            S::template inverse<0>(v, q, a.twiddles);
            kspace_twist<S, true>(v, q, a, c[t]);
        });
        const std::vector<Complex> before = block.v;
        block.all([&](Complex *v, int q, int col, int t) {
            kspace_halve<S>(v, c[t],
                            neighbour<Complex>{&before[(size_t)(t ^ 1) * S::ROOM], c[t ^ 1].odd});
            if (wall)
                kspace_tell_first<S>(v, q, col, a, c[t], room);
        });
        block.all([&](Complex *v, int q, int col, int t) {
            if (wall)
                kspace_add_image<S>(v, q, col, a, c[t], room);
            kspace_store_half<S>(v, q, a, c[t]);
        });
    }
}

/// Rows of the sheet in bands of their own, in tiles of so many columns.
template <class Real>
static void set_band(kspace_args<Real> *a, int band, const kspace_place &from,
                     const kspace_place &to, const Real *ey, uint32_t row0, uint32_t rows,
                     uint32_t width) {
    a->band[band] = {from, to, ey + row0, rows * a->nxc, rows, row0};
    const uint32_t tiles = (rows * a->nxc + width - 1) / width;
    a->tiles = band == 0 ? tiles : a->tiles + tiles;
    a->turns = band == 0 ? 0 : (uint32_t)((((uint64_t)tiles << 32) + a->tiles - 1) / a->tiles);
}

/// Planes with gaps, in any order, of two bands: the second goes to another place. run(args,
/// sheet): a kernel, whose tiles have 2^log2_columns columns.
template <class Real, class Run>
static void apart(problem<Real> &p, uint32_t log2_columns, Run run) {
    using Complex = complex_t<Real>;
    const uint32_t second = p.rows / 3, first = p.rows - second;
    const size_t pitch = p.columns + 3, other = second * p.nxc + 1, split = first * p.nxc;
    std::vector<Complex> here(p.n * pitch, {Real(-7), Real(-7)}), there(p.n * other + 1);
    std::vector<int64_t> at[3];
    for (uint32_t z = 0; z < p.n; z++) {
        const uint32_t place = (z * 7 + 3) % p.n; // each once, or 7 divides n and some twice
        const size_t plane = (p.n % 7 ? place : p.n - 1 - z) * pitch;
        memcpy(&here[plane], &p.f[(size_t)z * p.columns], p.columns * sizeof(Complex));
        at[0].push_back((int64_t)plane);
        at[1].push_back((int64_t)(plane + split));
        at[2].push_back(there.data() + (p.n - 1 - z) * other - here.data());
    }
    const std::vector<Complex> before = here;
    const kspace_place place[3] = {
        {at[0].data(), 0, 0}, {at[1].data(), 0, 0}, {at[2].data(), 0, 0}};
    const uint32_t width = 1u << (log2_columns - p.virtual_log2());
    kspace_args<Real> a = p.args;
    a.log2_columns = log2_columns;
    a.base = here.data();
    set_band(&a, 0, place[0], place[0], (const Real *)p.ey.data(), 0, first, width);
    if (second > 0)
        set_band(&a, 1, place[1], place[2], (const Real *)p.ey.data(), first, second, width);
    run(a, 0);
    p.check("planes apart", [&](uint32_t z, uint32_t c) {
        return c < split ? here[at[0][z] + c] : there[(p.n - 1 - z) * other + c - split];
    });
    for (uint32_t z = 0; z < p.n; z++) {
        const Complex *now = &here[at[0][z]], *then = &before[at[0][z]];
        if (memcmp(now + split, then + split, (p.columns - split + 3) * sizeof(Complex))) {
            printf("FAIL n = %u, plane %u: what goes elsewhere was written\n", p.n, z);
            failures++;
        }
    }
}

/// Sheets whose planes follow one another: a NaN in the second one stays there.
template <class Real, class Run>
static void several(problem<Real> &p, uint32_t log2_columns, Run run) {
    using Complex = complex_t<Real>;
    enum { SHEETS = 3 };
    const size_t pitch = p.columns + 2, sheet = p.n * pitch;
    std::vector<Complex> all(SHEETS * sheet), mode0(SHEETS);
    int nonfinite[SHEETS] = {0};
    for (size_t z = 0; z < SHEETS * p.n; z++)
        memcpy(&all[z * pitch], &p.f[z % p.n * p.columns], p.columns * sizeof(Complex));
    all[sheet + p.n / 2 * pitch].y = Real(NAN);
    kspace_args<Real> a = p.args;
    a.log2_columns = log2_columns;
    a.base = all.data();
    a.sheet_pitch = sheet;
    a.mode0 = mode0.data();
    a.nonfinite = nonfinite;
    const kspace_place place = {nullptr, 0, pitch};
    set_band(&a, 0, place, place, (const Real *)p.ey.data(), 0, p.rows,
             1u << (log2_columns - p.virtual_log2()));
    for (uint32_t s = 0; s < SHEETS; s++) {
        run(a, s);
        p.mode0 = mode0[s];
        if (s != 1)
            p.check("several sheets",
                    [&](uint32_t z, uint32_t c) { return all[s * sheet + z * pitch + c]; });
        if (nonfinite[s] != (s == 1)) {
            printf("FAIL n = %u: the flag of sheet %u is %d\n", p.n, s, nonfinite[s]);
            failures++;
        }
    }
}

static const int walls[][2] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}};

template <class Column, class Real>
static void both_ways(problem<Real> &p, const kspace_tile_shape &shape) {
    const auto run = [&](const kspace_args<Real> &args, uint32_t sheet) {
        generic<Column>(args, shape.threads, sheet);
    };
    apart(p, shape.log2_columns, run);
    several(p, shape.log2_columns, run);
}

template <class Real> static void length(uint32_t n) {
    const psg_cuda_precision precision = sizeof(Real) == 8 ? PSG_CUDA_F64 : PSG_CUDA_F32;
    const size_t bytes = sizeof(complex_t<Real>), room = kspace_free_room_bytes(bytes);
    kspace_list list;
    kspace_tile_shape tile, few;
    const bool can = kspace_factor(n, &list) &&
                     kspace_choose_tile(list, bytes, kspace_least_shared, &tile, room);
    if (can != (psg_cuda_kspace_supported(precision, PSG_CUDA_FREE_PAIRS, n) > 0)) {
        printf("FAIL n = %u: a kernel %d, supported %d\n", n, can, !can);
        failures++;
    }
    if (!can)
        return;
    const bool both = kspace_few_tile(list, bytes, &few, room);
    for (const auto &wall : walls)
        for (int m = 0; m < 8; m++) {
            const equation e = {
                {1.2 * n, m % 2 == 1, {wall[0], wall[1]}}, m & 2 ? 2.0 : 0.0, m >= 4};
            problem<Real> p(e, n, n > 600 ? 1 : 5, n > 600 ? 2 : 3, list);
            for (const kspace_tile_shape *shape : {&tile, both ? &few : &tile})
                both_ways<kspace_free_column<Real>>(p, *shape);
        }
    for (bool pairs : {false, true}) {
        const equation e = {{1.2 * n, false, {0, 0}}, 0, pairs, true};
        problem<Real> p(e, n, n > 600 ? 1 : 5, 3, list);
        for (const kspace_tile_shape *shape : {&tile, both ? &few : &tile})
            both_ways<kspace_free_table_column<Real>>(p, *shape);
    }
    for (bool table : {false, true}) {
        const equation e = {{1.2 * n, false, {0, 0}}, 2.0, false, table, false, true};
        problem<Real> p(e, n, n > 600 ? 1 : 5, 3, list);
        if (table)
            both_ways<kspace_free_table_column<Real>>(p, tile);
        else
            both_ways<kspace_free_column<Real>>(p, tile);
    }
}

/// A periodic z with a table.
template <class Real> static void periodic(uint32_t n) {
    kspace_list list;
    kspace_tile_shape tile;
    if (!kspace_factor(n, &list) ||
        !kspace_choose_tile(list, sizeof(complex_t<Real>), kspace_least_shared, &tile, 0))
        return;
    const equation e = {{1.2 * n, false, {0, 0}}, 0, false, true, true};
    problem<Real> p(e, n, 5, 4, list);
    both_ways<kspace_table_column<Real>>(p, tile);
}

/// A line of kspace_free_f64.def.
template <class S> static void line() {
    const uint32_t log2_columns = S::COLUMNS == 16 ? 4 : S::COLUMNS == 8 ? 3 : 2;
    kspace_list list = kspace_list();
    list.n = S::N;
    list.passes = S::PASSES;
    for (int p = 0; p < S::PASSES; p++)
        list.pass[p].radix = (uint32_t)S::radix(p);
    kspace_list_finish(&list);
    for (const auto &wall : walls)
        for (int m = 0; m < 4; m++) {
            const equation e = {
                {0.7 * S::N, m % 2 == 1, {wall[0], wall[1]}}, m & 2 ? 2.0 : 0.0, false};
            problem<typename S::Real> p(e, S::N, 5, 3, list);
            apart(p, log2_columns, fixed<S, kspace_free_column<typename S::Real, false>>);
            several(p, log2_columns, fixed<S, kspace_free_column<typename S::Real, false>>);
        }
    for (bool derives : {false, true}) {
        const equation e = {{0.7 * S::N, false, {0, 0}}, 0, false, true, false, derives};
        problem<typename S::Real> p(e, S::N, 5, 3, list);
        apart(p, log2_columns, fixed<S, kspace_free_table_column<typename S::Real, false>>);
        several(p, log2_columns, fixed<S, kspace_free_table_column<typename S::Real, false>>);
    }
    const equation e = {{0.7 * S::N, false, {0, 0}}, 0, false, false, false, true};
    problem<typename S::Real> p(e, S::N, 5, 3, list);
    apart(p, log2_columns, fixed<S, kspace_free_column<typename S::Real, false>>);
}

static void all_lines() {
#define PSG_KSPACE(N, E, C, R0, R1, R2, BLOCKS, AHEAD)                                             \
    line<column_shape<Real, N, E, C, R0, R1, R2>>();
    {
        using Real = double;
#include "kernels/kspace_free_f64.def"
    }
    {
        using Real = float;
#include "kernels/kspace_free_f32.def"
    }
}

int main(int argc, char **argv) {
    const bool all = argc > 1 && strcmp(argv[1], "all") == 0;
    srand(6);
    all_lines();
    for (uint32_t n = 1; n <= (all ? 200u : 40u); n++) {
        length<double>(n);
        length<float>(n);
        periodic<double>(n);
        periodic<float>(n);
    }
    for (uint32_t n : {64u, 100u, 121u, 210u, 250u, 720u, 1024u})
        length<double>(n);
    printf("largest error of the largest number of a column: f64 %.2e, f32 %.2e\n", worst_f64,
           worst_f32);
    if (failures)
        printf("%d failures\n", failures);
    return failures ? 1 : 0;
}
