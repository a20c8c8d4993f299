// The columns of a sheet as equations along z, without a transform, as cpu/line.c solves them: in
// f64, by sums of numbers >= 0. Each row is multiplied by its width, so that a row and the next one
// have one link. T threads have a column. Each eliminates its rows but the last one, which is its
// separator, and adds up what the separator before its rows gets of them. What is left of the
// separators is halved by parallel cyclic reduction, log2 T times. Then each thread knows u beside
// its rows. A row is read once and written once, and has one division. With BESIDE the differences
// of u from row to row over their distance are written too, elsewhere: made of u in f64, they have
// digits that those of a rounded u have lost.
#ifndef PSG_KERNELS_LINE_CUH
#define PSG_KERNELS_LINE_CUH

#include "cpu/symbol.h"
#include "kernels/kspace_args.cuh"
#include "kernels/launch.cuh"

namespace psg_cuda {

/// What is kept of a row, and u, are of this type.
template <class Real, bool BESIDE> using line_kept = std::conditional_t<BESIDE, double, Real>;
/// Rows of a thread, at most: as many as its registers hold.
template <class Kept> constexpr uint32_t line_rows = 128 / sizeof(Kept);
/// Threads of a block, at most.
constexpr uint32_t line_threads = 512;
static_assert(line_rows<double> * line_threads == PSG_LINE_GPU_MOST, "");

/// See psg_cuda_line.
struct line_tables {
    const double *link, *width; // [n + 1]: between row k - 1 and row k; [n]
    const double *side;         // [2]: of the first row and of the last one
    const double *length;       // the sum of width
    const double *last;         // what makes the derivative beyond the last row of u there
    const double *open;         // [2]: the width of the cells beyond an open end; else 0
    // Of columns without s: what each end takes of the sum of f over length; by what the first u
    // and the last one count in the level of u; 1 where the mean of f is dropped, and u's is the
    // level.
    const double *take, *level, *drop; // [2], [2], [1]
    uint32_t n, log2_threads;          // T of a column; n >= 2 T, or T = 1
    bool null;
    double norm;
    kspace_place beside[2]; // by band: where derivatives go; BESIDE alone
};

/// Threads of a column of n points.
template <class Kept> uint32_t line_log2_threads(uint32_t n) {
    uint32_t log2 = 0;
    while (((size_t)line_rows<Kept> << log2) < n)
        log2++;
    return log2;
}

/// Columns of a block, a power of two.
inline uint32_t line_log2_columns(uint32_t log2_threads) {
    const uint32_t most = 8; // 256 threads: one block loads while another one computes
    return log2_threads < 3 ? 5 : log2_threads < most ? most - log2_threads : 0;
}

template <class Kept> line_tables line_tables_of(const psg_cuda_line &line, uint32_t n) {
    const double *t = line.tables_d;
    const double *ends = t + 2 * n + 1, *open = ends + 4;
    return {t,
            t + n + 1,
            ends,
            ends + 2,
            ends + 3,
            open,
            open + 2,
            open + 4,
            open + 6,
            n,
            line_log2_threads<Kept>(n),
            line.null,
            line.norm,
            {}};
}

/// Of the two parts of a complex number, each for itself.
template <class T> struct line_pair { T x, y; };
template <class T> PSG_HD line_pair<T> operator+(line_pair<T> a, line_pair<T> b) {
    return {a.x + b.x, a.y + b.y};
}
template <class T> PSG_HD line_pair<T> operator+(line_pair<T> a, T b) {
    return {a.x + b, a.y + b};
}
template <class T> PSG_HD line_pair<T> operator-(line_pair<T> a, line_pair<T> b) {
    return {a.x - b.x, a.y - b.y};
}
template <class T> PSG_HD line_pair<T> operator*(line_pair<T> a, line_pair<T> b) {
    return {a.x * b.x, a.y * b.y};
}
template <class T> PSG_HD line_pair<T> operator*(T a, line_pair<T> b) {
    return {a * b.x, a * b.y};
}
/// 1 / a, a > 0 and neither very small nor very large, to the last digit or the one before it.
PSG_HD double line_inverse(double a) {
#if defined(__CUDA_ARCH__)
    double x; // 20 bits are right; then three times as many
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(x) : "d"(a));
    const double e = fma(-a, x, 1.0);
    return fma(x, fma(e, e, e), x);
#else
    return 1 / a;
#endif
}
PSG_HD line_pair<double> line_inverse(line_pair<double> a) {
    return {line_inverse(a.x), line_inverse(a.y)};
}
/// psg_symbol_open() times h; 0: the end is not open.
PSG_HD double line_open(double s, double h) {
    const double q = s * h * h, more = q / 2 + sqrt(q) * sqrt(1 + q / 4);
    return h > 0 ? more / (1 + more) / h : 0;
}
PSG_HD line_pair<double> line_open(line_pair<double> s, double h) {
    return {line_open(s.x, h), line_open(s.y, h)};
}
/// In either precision: both parts from one number, or each from its own. Where both parts have one
/// number, it is that of the real part.
template <class To> PSG_HD void line_set(To &to, double from) {
    to = (To)from;
}
template <class To> PSG_HD void line_set(line_pair<To> &to, double from) {
    to = {(To)from, (To)from};
}
template <class To, class From> PSG_HD void line_set(To &to, line_pair<From> from) {
    to = (To)from.x;
}
template <class To, class From> PSG_HD void line_set(line_pair<To> &to, line_pair<From> from) {
    to = {(To)from.x, (To)from.y};
}

/// What a thread tells the others of its column. Of a separator: -a X[t-1] + (a + c + s) X[t] -
/// c X[t+1] = f. Of the rows before one: what the separator before them gets of them, but for its
/// link with them. @tparam M  double: both parts have one matrix; line_pair<double>: each has its
/// own
template <class M> struct line_room {
    M a, c, s;
    line_pair<double> f;
};
/// The type for coefficients of the matrices.
template <class T, bool PAIRS> using line_matrix = std::conditional_t<PAIRS, line_pair<T>, T>;
template <class M> PSG_HD line_room<M> operator*(M by, const line_room<M> &of) {
    return {by * of.a, by * of.c, by * of.s, by * of.f};
}

/// Equations and sums are in f64. What is kept of a row, and the way up to u, have the precision of
/// the numbers, but with BESIDE.
template <class Real, bool PAIRS, bool BESIDE> struct line_thread {
    using M = line_matrix<double, PAIRS>;
    using Number = line_kept<Real, BESIDE>;
    using Kept = line_matrix<Number, PAIRS>;
    static constexpr int ROWS = line_rows<Number>;
    kspace_column<Real, true> column;
    uint32_t t;
    int first, skip; // rows are in the last places of v: its separator is in the last one
    const double *link, *width; // of the row in each place
    M s;
    bool alone[2]; // a part loses nothing, so that u has a constant that is not known
    line_pair<Number> v[ROWS];
    Kept r[ROWS];
    line_room<M> own;

    PSG_HD line_thread(const kspace_args<Real> &a, const line_tables &l, uint32_t tile,
                       uint32_t columns, uint32_t thread, uint32_t sheet)
        : column(a, tile, columns, thread % columns, sheet), t(thread / columns),
          first((int)((uint64_t)l.n * t >> l.log2_threads)),
          skip(ROWS + first - (int)((uint64_t)l.n * (t + 1) >> l.log2_threads)) {
        link = l.link + (first - skip);
        width = l.width + (first - skip);
        const double loss[2] = {(double)a.lambda - (double)column.exy,
                                (double)a.lambda - (double)column.other};
        for (int part = 0; part < 2; part++)
            alone[part] = l.null && column.valid && loss[part] == 0;
        line_set(s, line_pair<double>{column.valid ? loss[0] : 1, column.valid ? loss[1] : 1});
    }
    /// with(place in v) of all rows.
    template <class With> PSG_HD void rows(With with) const {
        PSG_UNROLL
        for (int e = 0; e < ROWS; e++)
            if (e >= skip)
                with(e);
    }
    /// with(place in v, number in memory) of all places. A place without a row has the first row
    /// again, and a thread without a column the first column.
    template <class With>
    PSG_HD void numbers(const kspace_args<Real> &a, const kspace_place &from, With with) const {
        const kspace_place place = from;
        complex_t<Real> *base = column.base(a) + (column.valid ? column.index : 0);
        if (place.planes) {
            PSG_UNROLL
            for (int e = 0; e < ROWS; e++)
                with(e, base + place.planes[e > skip ? first - skip + e : first]);
            return;
        }
        base += place.first + (int64_t)first * (int64_t)place.pitch;
        PSG_UNROLL
        for (int e = 0; e < ROWS; e++) {
            with(e, base);
            base += e >= skip ? place.pitch : 0;
        }
    }
    PSG_HD void load(const kspace_args<Real> &a) {
        complex_t<Real> f[ROWS];
        numbers(a, a.band[column.band].from,
                [&](int e, const complex_t<Real> *from) { f[e] = load_neighbours(from); });
        PSG_UNROLL
        for (int e = 0; e < ROWS; e++)
            v[e] = {f[e].x, f[e].y};
    }
    PSG_HD void store(const kspace_args<Real> &a) const {
        if (!column.valid)
            return;
        numbers(a, a.band[column.band].to, [&](int e, complex_t<Real> *to) {
            if (e >= skip)
                *to = {Real(-a.scale * v[e].x), Real(-a.scale * v[e].y)};
        });
        if (t == 0)
            report_nonfinite(complex_t<Real>{Real(v[ROWS - 1].x), Real(v[ROWS - 1].y)},
                             column.nonfinite(a));
    }
    /// @param next  u of the row after these
    PSG_HD void store_beside(const kspace_args<Real> &a, const line_tables &l,
                             line_pair<double> next) const {
        if (!column.valid)
            return;
        const bool ends = first - skip + ROWS == (int)l.n && link[ROWS] == 0;
        numbers(a, l.beside[column.band], [&](int e, complex_t<Real> *to) {
            line_pair<double> d;
            if (e + 1 < ROWS)
                d = link[e + 1] * (v[e + 1] - v[e]);
            else
                d = ends ? *l.last * v[e] : link[ROWS] * (next - v[e]);
            if (e >= skip)
                *to = {Real(-a.scale * d.x), Real(-a.scale * d.y)};
        });
    }
    /// Down the rows to the separator.
    /// @return what the separator before these rows gets of them: with the weights that the
    ///         eliminated rows have in their first one
    PSG_HD line_room<M> go_down(const line_tables &l, line_pair<double> less) {
        M z, weight;
        line_room<M> told;
        line_set(z, 1);
        line_set(weight, 1);
        line_set(own.a, link[skip]);
        line_set(own.s, t == 0 ? l.side[0] : 0);
        if (t == 0)
            own.s = own.s + line_open(s, l.open[0]);
        own.f = (t == 0 ? l.take[0] : 0) * less;
        const line_pair<double> all = *l.drop * less;
        line_set(told.a, 0);
        line_set(told.s, 0);
        told.f = {0, 0};
        rows([&](int e) {
            line_pair<double> f;
            line_set(f, v[e]);
            own.a = z * own.a;
            own.s = width[e] * s + z * own.s;
            own.f = width[e] * (f + all) + z * own.f;
            line_set(v[e], own.f);
            if (e + 1 < ROWS) {
                const M d = line_inverse(own.a + own.s + link[e + 1]), by = weight * d;
                told.s = told.s + by * own.s;
                told.f = told.f + by * own.f;
                z = link[e + 1] * d;
                weight = z * weight;
                line_set(r[e], d);
            }
        });
        if (is_last(l))
            own.f = own.f + l.take[1] * less;
        told.c = weight;
        return told;
    }
    /// Does this thread ask for the sum of its column?
    PSG_HD bool asks(const kspace_args<Real> &a) const {
        return alone[0] || alone[1] || (column.first && a.mode0);
    }
    /// Of v, by width.
    PSG_HD line_pair<double> sum() const {
        line_pair<double> sum = {0, 0}, f;
        rows([&](int e) {
            line_set(f, v[e]);
            sum = sum + width[e] * f;
        });
        return sum;
    }
    /// Has this thread the last row?
    PSG_HD bool is_last(const line_tables &l) const {
        return first - skip + ROWS == (int)l.n;
    }
    /// What u is to have less, times length.
    PSG_HD line_pair<double> level(const line_tables &l) const {
        line_pair<double> sum = *l.drop * this->sum(), u;
        rows([&](int e) {
            line_set(u, v[e]);
            sum = sum + (e == skip && t == 0 ? l.level[0] : 0) * u;
        });
        line_set(u, v[ROWS - 1]);
        return sum + (is_last(l) ? l.level[1] : 0) * u;
    }
    /// What is less than this by its mean. @return 0 for a part that is not alone
    PSG_HD line_pair<double> less(line_pair<double> mean) const {
        return {alone[0] ? -mean.x : 0, alone[1] ? -mean.y : 0};
    }
    /// The last row of a part that is alone loses something, so that there is one u: 0 there where
    /// f has no mean, and with an open end minus what take adds.
    /// @param after  what the thread after this one told
    PSG_HD void separate(const line_tables &l, const line_room<M> &after) {
        const double next = link[ROWS];
        M some;
        own.c = next * after.c;
        own.s = own.s + next * after.s;
        if (is_last(l)) {
            line_set(some, line_pair<double>{(double)alone[0], (double)alone[1]});
            own.s = own.s + 1 / *l.length * some + l.side[1];
            own.s = own.s + line_open(s, l.open[1]);
        }
        own.f = own.f + next * after.f;
    }
    /// Take the separators at some distance out, of rows divided by their diagonal.
    PSG_HD void reduce(const line_room<M> &lower, const line_room<M> &upper) {
        own.s = own.s + own.a * lower.s + own.c * upper.s;
        own.f = own.f + own.a * lower.f + own.c * upper.f;
        own.a = own.a * lower.a;
        own.c = own.c * upper.c;
    }
    /// @param before_, x  u of the separators before these rows and of them
    PSG_HD void go_up(line_pair<double> before_, line_pair<double> x) {
        line_pair<Number> before;
        Kept z, p;
        line_set(before, before_);
        line_set(v[ROWS - 1], x);
        line_set(z, 1);
        line_set(p, link[skip]);
        rows([&](int e) {
            if (e + 1 < ROWS) {
                p = z * p;
                z = (Number)link[e + 1] * r[e];
                v[e] = r[e] * (v[e] + p * before);
                r[e] = z;
            }
        });
        PSG_UNROLL
        for (int e = ROWS - 2; e >= 0; e--)
            v[e] = BESIDE && e < skip ? v[e + 1] : v[e] + r[e] * v[e + 1];
    }
};

/// One tile. all(step): step(thread) by all threads of the block, which then wait for each other.
/// @param room  two for each thread: what is read in a step, and what is written
template <class Real, bool PAIRS, bool BESIDE, class All>
PSG_HD void line_tile(const kspace_args<Real> &a, const line_tables &l, uint32_t width,
                      line_room<line_matrix<double, PAIRS>> *room, All all) {
    using Thread = line_thread<Real, PAIRS, BESIDE>;
    using M = line_matrix<double, PAIRS>;
    const uint32_t threads = 1u << l.log2_threads;
    const auto at = [&](const Thread &me, uint32_t half, uint32_t t) -> line_room<M> & {
        return room[half * threads * width + t % threads * width + me.column.index % width];
    };
    const auto mean = [&](const Thread &me, uint32_t half) {
        line_pair<double> sum = {0, 0};
        for (uint32_t t = 0; t < threads; t++)
            sum = sum + at(me, half, t).f;
        return 1 / *l.length * sum;
    };
    all([&](Thread &me) {
        me.load(a);
        if (me.asks(a))
            at(me, 1, me.t).f = me.sum();
    });
    all([&](Thread &me) {
        line_pair<double> f = {0, 0};
        if (me.asks(a)) {
            f = mean(me, 1);
            if (me.column.first && me.t == 0 && a.mode0)
                a.mode0[me.column.sheet] = {Real(l.norm * f.x), Real(l.norm * f.y)};
        }
        at(me, 0, me.t) = me.go_down(l, me.less(f));
    });
    uint32_t half = 0;
    for (uint32_t m = 1; m <= threads; m *= 2, half = 1 - half)
        all([&](Thread &me) {
            if (m == 1)
                me.separate(l, at(me, half, me.t + 1));
            else
                me.reduce(at(me, half, me.t + threads - m / 2), at(me, half, me.t + m / 2));
            const M sum = m < threads ? me.own.a + me.own.c + me.own.s : me.own.s;
            at(me, 1 - half, me.t) = line_inverse(sum) * me.own;
        });
    all([&](Thread &me) {
        me.go_up(at(me, half, me.t + threads - 1).f, at(me, half, me.t).f);
        if (me.alone[0] || me.alone[1])
            at(me, 1 - half, me.t).f = me.level(l);
        if constexpr (BESIDE) { // u of the first of these rows, which all places before it have
            at(me, 1 - half, me.t).a = me.v[0].x;
            at(me, 1 - half, me.t).c = me.v[0].y;
        }
    });
    all([&](Thread &me) {
        if constexpr (BESIDE) {
            const line_room<M> &after = at(me, 1 - half, me.t + 1);
            me.store_beside(a, l, {after.a, after.c});
        }
        if (me.alone[0] || me.alone[1]) {
            line_pair<typename Thread::Number> less;
            line_set(less, me.less(mean(me, 1 - half)));
            me.rows([&](int e) { me.v[e] = me.v[e] + less; });
        }
        me.store(a);
    });
}

#if defined(__CUDACC__)

/// One tile a block. Grid: x tiles, y sheets; block: T threads for each of 2^log2_columns columns;
/// shared memory: two line_rooms for each thread.
template <class Real, bool PAIRS, bool BESIDE>
__global__ void __launch_bounds__(line_threads, 1)
    kspace_line(const __grid_constant__ kspace_args<Real> a,
                const __grid_constant__ line_tables l) {
    extern __shared__ __align__(16) unsigned char line_shared[];
    const uint32_t width = 1u << a.log2_columns;
    line_thread<Real, PAIRS, BESIDE> me(a, l, blockIdx.x, width, threadIdx.x, blockIdx.y);
    wait_for_the_one_before();
    line_tile<Real, PAIRS, BESIDE>(
        a, l, width, reinterpret_cast<line_room<line_matrix<double, PAIRS>> *>(line_shared),
        [&](auto step) {
            step(me);
            __syncthreads();
        });
}

#endif

} // namespace psg_cuda
#endif
