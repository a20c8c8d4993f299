// The columns of a sheet as equations along z, without a transform, as cpu/line.c solves them: in
// f64, by sums of numbers >= 0. T threads have a column. Each eliminates its rows but the last one,
// which is its separator. What is left of the separators is halved by parallel cyclic reduction,
// log2 T times. Then each thread knows u beside its rows, and eliminates them once more. A row is
// read once and written once.
#ifndef PSG_KERNELS_LINE_CUH
#define PSG_KERNELS_LINE_CUH

#include "kernels/kspace_args.cuh"
#include "kernels/launch.cuh"

namespace psg_cuda {

/// Rows of a thread, at most.
constexpr uint32_t line_rows = 16;
/// Threads of a block, at most.
constexpr uint32_t line_threads = 512;

/// psg_cpu_line on the device. [n] each.
struct line_tables {
    const double *before, *after, *side, *width, *step;
    const double *sums;       // of width, and of 1 / step
    uint32_t n, log2_threads; // T of a column; n >= 2 T, or T = 1
    bool wraps, null;
};

/// Threads of a column of n points.
inline uint32_t line_log2_threads(uint32_t n) {
    uint32_t log2 = 0;
    while (((size_t)line_rows << log2) < n)
        log2++;
    return log2;
}

/// Columns of a block, a power of two.
inline uint32_t line_log2_columns(uint32_t log2_threads) {
    const uint32_t most = 8; // 256 threads
    return log2_threads < 3 ? 5 : log2_threads < most ? most - log2_threads : 0;
}

inline line_tables line_tables_of(const psg_cuda_line &line, uint32_t n) {
    const double *t = line.tables_d;
    return {t,          t + n,     t + 2 * n, t + 3 * n,
            t + 4 * n,  t + 5 * n, n,         line_log2_threads(n),
            line.wraps, line.null};
}

/// Of the two parts of a complex number, each for itself.
struct line_pair {
    double x, y;
};
PSG_HD line_pair operator+(line_pair a, line_pair b) {
    return {a.x + b.x, a.y + b.y};
}
PSG_HD line_pair operator+(line_pair a, double b) {
    return {a.x + b, a.y + b};
}
PSG_HD line_pair operator*(line_pair a, line_pair b) {
    return {a.x * b.x, a.y * b.y};
}
PSG_HD line_pair operator*(double a, line_pair b) {
    return {a * b.x, a * b.y};
}
PSG_HD double line_inverse(double a) {
    return 1 / a;
}
PSG_HD line_pair line_inverse(line_pair a) {
    return {1 / a.x, 1 / a.y};
}
/// What is the same for both parts.
PSG_HD void line_set(double &a, double b) {
    a = b;
}
PSG_HD void line_set(line_pair &a, double b) {
    a = {b, b};
}

/// What a thread tells the others of its column. Of a separator: -a X[t-1] + (a + c + s) X[t] -
/// c X[t+1] = f. @tparam M  double: both parts have one matrix; line_pair: each has its own
template <class M> struct line_room {
    M a, c, s;
    line_pair f;
};

template <class Real, class M> struct line_thread {
    kspace_column<Real, true> column;
    uint32_t t, threads, first, count;
    M s;
    bool alone[2]; // a part loses nothing
    line_pair v[line_rows];
    M r[line_rows];
    M left, lost; // of u in the last row before the separator: what X[t-1] and nothing give
    line_pair y;  // and the right-hand side
    line_room<M> next;

    PSG_HD line_thread(const kspace_args<Real> &a, const line_tables &l, uint32_t tile,
                       uint32_t width, uint32_t thread, uint32_t sheet)
        : column(a, tile, width, thread % width, sheet), t(thread / width),
          threads(1u << l.log2_threads), first((uint32_t)((uint64_t)l.n * t >> l.log2_threads)),
          count((uint32_t)((uint64_t)l.n * (t + 1) >> l.log2_threads) - first) {
        const double loss[2] = {(double)a.lambda - (double)column.exy,
                                (double)a.lambda - (double)column.other};
        for (int part = 0; part < 2; part++)
            alone[part] = l.null && column.valid && loss[part] == 0;
        set_loss(s, alone[0] || !column.valid ? 1 : loss[0],
                 alone[1] || !column.valid ? 1 : loss[1]);
    }
    PSG_HD static void set_loss(double &s, double real, double) {
        s = real;
    }
    PSG_HD static void set_loss(line_pair &s, double real, double imaginary) {
        s = {real, imaginary};
    }
    PSG_HD complex_t<Real> *number(const kspace_args<Real> &a, const kspace_place &place,
                                   uint32_t z) const {
        return column.base(a) + column.index +
               (place.planes ? place.planes[z] : place.first + (int64_t)(z * place.pitch));
    }
    PSG_HD void load(const kspace_args<Real> &a) {
        PSG_UNROLL
        for (uint32_t e = 0; e < line_rows; e++) {
            v[e] = {0, 0};
            if (e < count && column.valid) {
                const complex_t<Real> f =
                    load_neighbours(number(a, a.band[column.band].from, first + e));
                v[e] = {(double)f.x, (double)f.y};
            }
        }
    }
    PSG_HD void store(const kspace_args<Real> &a) const {
        const double scale = -(double)a.scale;
        PSG_UNROLL
        for (uint32_t e = 0; e < line_rows; e++)
            if (e < count && column.valid)
                *number(a, a.band[column.band].to, first + e) = {(Real)(scale * v[e].x),
                                                                 (Real)(scale * v[e].y)};
        if (column.valid && t == 0)
            report_nonfinite(complex_t<Real>{(Real)(scale * v[0].x), (Real)(scale * v[0].y)},
                             column.nonfinite(a));
    }
    /// Down the rows before the separator. @param keep  for go_up(), else for the separator
    PSG_HD void go_down(const line_tables &l, line_pair before_all, bool keep) {
        M p, q, d = M();
        line_pair sum = {0, 0};
        line_set(left, 0);
        line_set(lost, 0);
        y = {0, 0};
        PSG_UNROLL
        for (uint32_t e = 0; e < line_rows; e++)
            if (e + 1 < count) {
                const double before = l.before[first + e];
                if (e == 0) {
                    line_set(p, before);
                    q = s + l.side[first];
                    sum = v[0] + before * before_all;
                } else {
                    const M z = before * d;
                    p = z * p;
                    q = s + l.side[first + e] + z * q;
                    sum = v[e] + z * sum;
                }
                d = line_inverse(p + q + l.after[first + e]);
                if (keep) {
                    v[e] = sum;
                    r[e] = d;
                } else if (e + 2 == count) {
                    left = p * d;
                    lost = q * d;
                    y = d * sum;
                }
            }
    }
    /// The mirror: what the separator before these rows gets of them.
    PSG_HD line_room<M> mirror(const line_tables &l) const {
        M w, q, d = M();
        line_pair sum = {0, 0};
        line_room<M> told;
        line_set(told.a, 0);
        line_set(told.c, 0);
        line_set(told.s, 0);
        told.f = {0, 0};
        PSG_UNROLL
        for (uint32_t m = line_rows; m > 0; m--) {
            const uint32_t e = m - 1;
            if (e + 1 < count) {
                const double after = l.after[first + e];
                if (e + 2 == count) {
                    line_set(w, after);
                    q = s + l.side[first + e];
                    sum = v[e];
                } else {
                    const M z = after * d;
                    w = z * w;
                    q = s + l.side[first + e] + z * q;
                    sum = v[e] + z * sum;
                }
                d = line_inverse(w + q + l.before[first + e]);
                if (e == 0)
                    told = {told.a, w * d, q * d, d * sum};
            }
        }
        return told;
    }
    PSG_HD line_pair last() const {
        line_pair found = v[0];
        PSG_UNROLL
        for (uint32_t e = 1; e < line_rows; e++)
            if (e + 1 == count)
                found = v[e];
        return found;
    }
    /// @param after  what the thread after this one told
    PSG_HD line_room<M> separator(const line_tables &l, const line_room<M> &after) const {
        const uint32_t k = first + count - 1;
        const double a = l.before[k], c = l.after[k];
        return {a * left, c * after.c, s + l.side[k] + a * lost + c * after.s,
                last() + a * y + c * after.f};
    }
    /// Take the separators at this distance out. @param lower, upper  NULL: there is none
    PSG_HD static line_room<M> reduce(const line_room<M> &own, const line_room<M> *lower,
                                      const line_room<M> *upper) {
        line_room<M> to = own;
        line_set(to.a, 0);
        line_set(to.c, 0);
        if (lower) {
            const M by = own.a * line_inverse(lower->a + lower->c + lower->s);
            to = {by * lower->a, to.c, to.s + by * lower->s, to.f + by * lower->f};
        }
        if (upper) {
            const M by = own.c * line_inverse(upper->a + upper->c + upper->s);
            to = {to.a, by * upper->c, to.s + by * upper->s, to.f + by * upper->f};
        }
        return to;
    }
    PSG_HD void go_up(const line_tables &l, line_pair x) {
        line_pair u = x;
        PSG_UNROLL
        for (uint32_t m = line_rows; m > 0; m--) {
            const uint32_t e = m - 1;
            if (e < count) {
                if (e + 1 < count)
                    u = r[e] * (v[e] + l.after[first + e] * u);
                v[e] = u;
            }
        }
    }
};

/// One part of a column, in sums over its rows and threads.
struct line_sum {
    double before, all; // of the threads before this one, and of all
};

/// One tile. all(step): step(thread) by all threads of the block, which then wait for each other.
template <class Real, class M, class All>
PSG_HD void line_tile(const kspace_args<Real> &a, const line_tables &l, uint32_t width,
                      line_room<M> *room, All all) {
    using Thread = line_thread<Real, M>;
    const uint32_t threads = 1u << l.log2_threads;
    const auto at = [&](const Thread &me, uint32_t t) -> line_room<M> & {
        return room[t * width + me.column.index % width];
    };
    all([&](Thread &me) {
        me.load(a);
        line_pair sum = {0, 0};
        PSG_UNROLL
        for (uint32_t e = 0; e < line_rows; e++)
            if (e < me.count)
                sum = sum + l.width[me.first + e] * me.v[e];
        me.next.f = sum;
        at(me, me.t).f = sum;
    });
    all([&](Thread &me) {
        if (me.column.first && me.t == 0 && a.mode0) {
            line_pair sum = {0, 0};
            for (uint32_t t = 0; t < threads; t++)
                sum = sum + at(me, t).f;
            a.mode0[me.column.sheet] = {(Real)(sum.x / l.sums[0]), (Real)(sum.y / l.sums[0])};
        }
        me.go_down(l, {0, 0}, false);
    });
    all([&](Thread &me) { at(me, me.t) = me.mirror(l); });
    all([&](Thread &me) {
        line_room<M> none = at(me, me.t);
        line_set(none.c, 0);
        line_set(none.s, 0);
        none.f = {0, 0};
        const bool end = me.t + 1 == threads && !l.wraps;
        me.next = me.separator(l, end ? none : at(me, (me.t + 1) % threads));
    });
    for (uint32_t m = 1; m < threads; m *= 2) {
        all([&](Thread &me) { at(me, me.t) = me.next; });
        all([&](Thread &me) {
            const bool lower = l.wraps || me.t >= m, upper = l.wraps || me.t + m < threads;
            me.next = Thread::reduce(me.next, lower ? &at(me, (me.t - m) % threads) : nullptr,
                                     upper ? &at(me, (me.t + m) % threads) : nullptr);
        });
    }
    all([&](Thread &me) {
        me.next.f = line_inverse(me.next.s) * me.next.f;
        at(me, me.t).f = me.next.f;
    });
    all([&](Thread &me) {
        const bool lower = l.wraps || me.t > 0;
        const line_pair left = lower ? at(me, (me.t - 1) % threads).f : line_pair{0, 0};
        me.go_down(l, left, true);
        me.go_up(l, me.next.f);
    });
}

/// A step of line_alone() for a row. @return what it adds to the sums of the step
PSG_HD double line_scan(int step, double width, double distance, double mean, double &v,
                        double &sum) {
    if (step == 0) { // f less its mean
        v -= mean;
        return width * v;
    }
    if (step == 1) { // the derivative beyond each point
        sum -= width * v;
        v = sum;
        return v * distance;
    }
    if (step == 2) { // rises add up to 0 where z wraps
        v -= mean;
        return v * distance;
    }
    const double rise = v * distance; // u
    v = sum;
    sum += rise;
    return width * v;
}

/// The parts of the first column that lose nothing, after line_tile(): f less its mean is summed up
/// to the derivative, and that to u.
template <class Real, class M, class All>
PSG_HD void line_alone(const kspace_args<Real> &a, const line_tables &l, uint32_t width,
                       line_room<M> *room, All all) {
    using Thread = line_thread<Real, M>;
    const uint32_t threads = 1u << l.log2_threads;
    for (int part = 0; part < 2; part++) {
        const auto at = [&](const Thread &me, uint32_t t) -> double & {
            return room[t * width + me.column.index % width].f.x;
        };
        const auto of = [part](line_pair &v) -> double & { return part ? v.y : v.x; };
        const auto is = [part](const Thread &me) { return me.alone[part]; };
        const auto sums = [&](const Thread &me) {
            line_sum sum = {0, 0};
            for (uint32_t t = 0; t < threads; t++) {
                sum.before += t < me.t ? at(me, t) : 0;
                sum.all += at(me, t);
            }
            return sum;
        };
        // each step takes the sums of the one before, and leaves its own
        all([&](Thread &me) {
            double sum = 0;
            PSG_UNROLL
            for (uint32_t e = 0; e < line_rows; e++)
                if (is(me) && e < me.count) {
                    const complex_t<Real> f =
                        *me.number(a, a.band[me.column.band].from, me.first + e);
                    of(me.v[e]) = part ? (double)f.y : (double)f.x;
                    sum += l.width[me.first + e] * of(me.v[e]);
                }
            if (is(me))
                at(me, me.t) = sum;
        });
        for (int step = 0; step < 4; step++) {
            all([&](Thread &me) {
                if (is(me)) {
                    const line_sum before = sums(me);
                    double sum = step == 1   ? -before.before
                                 : step == 3 ? before.before
                                             : 0,
                           part_ = 0;
                    const double mean = step == 0              ? before.all / l.sums[0]
                                        : step == 2 && l.wraps ? before.all / l.sums[1]
                                                               : 0;
                    PSG_UNROLL
                    for (uint32_t e = 0; e < line_rows; e++)
                        if (e < me.count) {
                            double &v = of(me.v[e]);
                            const double width_ = l.width[me.first + e];
                            const double step_ = 1 / l.step[me.first + e];
                            part_ += line_scan(step, width_, step_, mean, v, sum);
                        }
                    me.y.x = part_;
                }
            });
            all([&](Thread &me) {
                if (is(me))
                    at(me, me.t) = me.y.x;
            });
        }
        all([&](Thread &me) {
            if (is(me)) {
                const double mean = sums(me).all / l.sums[0];
                PSG_UNROLL
                for (uint32_t e = 0; e < line_rows; e++)
                    of(me.v[e]) -= mean;
            }
        });
    }
}

#if defined(__CUDACC__)

/// One tile a block. Grid: x tiles, y sheets; block: T threads for each of 2^log2_columns columns;
/// shared memory: a line_room for each thread.
template <class Real, class M>
__global__ void __launch_bounds__(line_threads, 1)
    kspace_line(const __grid_constant__ kspace_args<Real> a,
                const __grid_constant__ line_tables l) {
    extern __shared__ __align__(16) unsigned char line_shared[];
    line_room<M> *room = reinterpret_cast<line_room<M> *>(line_shared);
    const uint32_t width = 1u << a.log2_columns;
    line_thread<Real, M> me(a, l, blockIdx.x, width, threadIdx.x, blockIdx.y);
    const auto all = [&](auto step) {
        step(me);
        __syncthreads();
    };
    wait_for_the_one_before();
    line_tile<Real, M>(a, l, width, room, all);
    if (l.null && __syncthreads_or(me.alone[0] || me.alone[1]))
        line_alone<Real, M>(a, l, width, room, all);
    me.store(a);
}

#endif

} // namespace psg_cuda
#endif
