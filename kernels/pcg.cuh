// What a thread does to a row in the tasks of conjugate gradients, see cpu/pcg.h. Tests run the
// same source on a core.
//
// A thread makes a work, and `begin` sets it to a row. `read` has what stands at a number of the
// row. The work itself takes that, writes, and adds to sums. No task writes what it reads at
// another number. So a thread reads at some numbers before it works on the first: memory is busy
// only while much is on the way.
#ifndef PSG_KERNELS_PCG_CUH
#define PSG_KERNELS_PCG_CUH

#include "base/pcg_measure.h"
#include "kernels/complex.cuh"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace psg_cuda {

/// The numbers of a row of a field.
template <bool SINGLE> struct pcg_reals {
    using real = typename std::conditional<SINGLE, float, double>::type;
    real *row;

    PSG_HD void begin(const base_pcg_field &a, size_t j, size_t k) {
        row =
            a.first ? static_cast<real *>(a.first) + k * a.plane_pitch + j * a.row_pitch : nullptr;
    }
    PSG_HD double get(unsigned i) const {
        return row[i];
    }
    PSG_HD void put(unsigned i, double value) const {
        row[i] = (real)value;
    }
};

PSG_HD double pcg_get(const base_pcg_field &a, size_t i, size_t j, size_t k) {
    const size_t at = k * a.plane_pitch + j * a.row_pitch + i;
    return a.single ? static_cast<const float *>(a.first)[at]
                    : static_cast<const double *>(a.first)[at];
}

PSG_HD void pcg_put(const base_pcg_field &a, size_t i, size_t j, size_t k, double value) {
    const size_t at = k * a.plane_pitch + j * a.row_pitch + i;
    if (a.single)
        static_cast<float *>(a.first)[at] = (float)value;
    else
        static_cast<double *>(a.first)[at] = value;
}

/// The number of a row's first point among the segment's.
PSG_HD size_t pcg_first(const base_pcg_task &t, size_t j, size_t k) {
    return (k * t.n[1] + j) * t.n[0];
}

/// D of a row, or 1, which changes no bit.
struct pcg_scale {
    const double *row;

    PSG_HD void begin(const base_pcg_task &t, size_t first) {
        row = t.scale ? t.scale + first : nullptr;
    }
    PSG_HD double get(unsigned i) const {
        return row ? row[i] : 1;
    }
};

/// What the works have. What one tells, `sums` numbers for each of its `planes`, is joined as sums
/// of its stage are. @param AT_ONCE  numbers of a row that are read together
template <base_pcg_stage STAGE, int SUMS, int AT_ONCE, int PLANES = 1> struct pcg_work {
    static constexpr base_pcg_stage stage = STAGE;
    static constexpr int sums = SUMS, at_once = AT_ONCE, planes = PLANES;
};

/// A thread's numbers of the row that a work is set to: every BASE_PCG_LANES-th one.
template <class Work>
PSG_HD void pcg_do_row(const Work &work, unsigned lane, unsigned count, double sum[]) {
    constexpr unsigned step = BASE_PCG_LANES, more = (Work::at_once - 1) * step;
    unsigned i = lane;
    for (; i + more < count; i += more + step) {
        typename Work::values v[Work::at_once];
        PSG_UNROLL
        for (int m = 0; m < Work::at_once; m++)
            v[m] = work.read(i + m * step);
        PSG_UNROLL
        for (int m = 0; m < Work::at_once; m++)
            work(i + m * step, v[m], sum);
    }
    for (; i < count; i += step)
        work(i, work.read(i), sum);
}

/// A work of few tasks, which reads as it goes.
template <base_pcg_stage STAGE, int SUMS> struct pcg_single_work : pcg_work<STAGE, SUMS, 1> {
    struct values {};
    const base_pcg_task &t;
    size_t j, k, first;

    PSG_HD explicit pcg_single_work(const base_pcg_task &t_) : t(t_), j(0), k(0), first(0) {
    }
    PSG_HD void begin(size_t j_, size_t k_) {
        j = j_;
        k = k_;
        first = pcg_first(t, j, k);
    }
    PSG_HD values read(unsigned) const {
        return {};
    }
};

struct pcg_measure : pcg_single_work<BASE_PCG_MEASURED, BASE_PCG_MEASURES> {
    using pcg_single_work::pcg_single_work;
    PSG_HD void operator()(unsigned i, const values &, double measure[]) const {
        const size_t at[3] = {i, j, k};
        double value[BASE_PCG_MEASURES], f = pcg_get(t.f, i, j, k);
        if (t.b)
            f = t.b[first + i] = base_pcg_with_sides(&t, at, f);
        base_pcg_measure_at(&t, at, f, value);
        for (int m = 0; m < BASE_PCG_MEASURES; m++)
            measure[m] = base_pcg_join(m, measure[m], value[m]);
    }
};

struct pcg_start : pcg_single_work<BASE_PCG_STARTED, BASE_PCG_STARTS> {
    double mean, rest, scale;
    PSG_HD explicit pcg_start(const base_pcg_task &t) : pcg_single_work(t) {
        const long begins = t.terms.begins;
        const bool dropped = t.terms.drops && begins != BASE_PCG_FROM_R;
        mean = dropped ? t.scalars[BASE_PCG_F_MEAN] : 0;
        rest = dropped ? t.scalars[BASE_PCG_B_MEAN] : 0;
        scale = begins == BASE_PCG_FROM_R ? 1 : t.scalars[BASE_PCG_SCALE];
    }
    PSG_HD void operator()(unsigned i, const values &, double sum[]) const {
        const size_t at = first + i, place[3] = {i, j, k};
        const double b = (pcg_get(t.f, i, j, k) - mean) * scale - rest;
        const double r = b - (t.terms.begins == BASE_PCG_FROM_X ? t.q[at] : 0);
        if (t.terms.begins == BASE_PCG_ANEW) {
            t.x[at] =
                t.terms.guess ? pcg_get(t.u, i, j, k) / base_pcg_back(&t.terms, t.scalars) : 0;
            if (t.scale)
                t.scale[at] = base_pcg_scale_at(&t, place);
            if (t.outside)
                t.outside[BASE_PCG_FLOW_X * (t.n[0] * t.n[1] * t.n[2]) + at] = 0;
        } else
            t.x[at] -= base_pcg_off_x(&t.terms, t.scalars);
        t.r[at] = r;
        if (t.source.first)
            pcg_put(t.source, i, j, k, t.scale ? t.scale[at] * r : r);
        sum[BASE_PCG_RR_START] += r * r;
        sum[BASE_PCG_FF] += b * b;
        sum[BASE_PCG_R] += r;
        sum[BASE_PCG_X] += t.x[at];
    }
};

struct pcg_end : pcg_single_work<BASE_PCG_UPDATED, 1> {
    double back, mean;
    PSG_HD explicit pcg_end(const base_pcg_task &t)
        : pcg_single_work(t), back(base_pcg_back(&t.terms, t.scalars)),
          mean(t.scalars[BASE_PCG_X_MEAN]) {
    }
    PSG_HD void operator()(unsigned i, const values &, double[]) const {
        const double u = (t.x[first + i] - mean) * back;
        pcg_put(t.u, i, j, k, u);
        if (!base_pcg_fits(t.u.single, u))
            *t.overflow = 1; // by many threads at once: all write the same
    }
};

/// @param SINGLE  M's numbers are f32
template <bool SINGLE> struct pcg_dot : pcg_work<BASE_PCG_SOLVED, 1, 4> {
    struct values {
        double r, z, scale;
    };
    const base_pcg_task &t;
    const double *r;
    pcg_reals<SINGLE> z;
    pcg_scale scale;

    PSG_HD explicit pcg_dot(const base_pcg_task &t_) : t(t_) {
    }
    PSG_HD void begin(size_t j, size_t k) {
        r = t.r + pcg_first(t, j, k);
        z.begin(t.solution, j, k);
        scale.begin(t, pcg_first(t, j, k));
    }
    PSG_HD values read(unsigned i) const {
        return {r[i], z.get(i), scale.get(i)};
    }
    PSG_HD void operator()(unsigned, const values &v, double sum[]) const {
        sum[0] += v.r * (v.scale * v.z);
    }
};

/// What moves x by alpha p, if the task has x.
struct pcg_mover {
    double alpha, *x;

    PSG_HD explicit pcg_mover(const base_pcg_task &t)
        : alpha(t.x ? t.scalars[BASE_PCG_ALPHA] : 0), x(nullptr) {
    }
    PSG_HD void begin(const base_pcg_task &t, size_t first) {
        x = t.x ? t.x + first : nullptr;
    }
    PSG_HD double get(unsigned i) const {
        return x ? x[i] : 0;
    }
    /// @return x
    PSG_HD double move(unsigned i, double old, double p) const {
        const double next = alpha != 0 ? old + alpha * p : old; // p may be none yet
        if (alpha != 0)
            x[i] = next;
        return next;
    }
};

template <bool SINGLE> struct pcg_direction : pcg_work<BASE_PCG_SOLVED, 1, 4> {
    struct values {
        double z, scale, p, x;
    };
    const base_pcg_task &t;
    bool solved;
    size_t j, k;
    double beta, *p, *low, *high; // of other planes than the first and the last these are NULL
    pcg_reals<SINGLE> z;
    pcg_scale scale;
    pcg_mover mover;

    PSG_HD explicit pcg_direction(const base_pcg_task &t_)
        : t(t_), solved(t_.solution.first), j(0), k(0),
          beta(solved && t_.scalars ? t_.scalars[BASE_PCG_BETA] : 0), mover(t_) {
    }
    PSG_HD void begin(size_t j_, size_t k_) {
        j = j_;
        k = k_;
        p = t.p + pcg_first(t, j, k);
        mover.begin(t, pcg_first(t, j, k));
        low = k == 0 ? t.low + j * t.n[0] : nullptr;
        high = k + 1 == t.n[2] ? t.high + j * t.n[0] : nullptr;
        z.begin(t.solution, j, k);
        scale.begin(t, pcg_first(t, j, k));
    }
    PSG_HD values read(unsigned i) const {
        const bool moves = beta != 0 || mover.alpha != 0;
        return {solved ? z.get(i) : 0, scale.get(i), moves ? p[i] : 0, mover.get(i)};
    }
    PSG_HD void operator()(unsigned i, const values &v, double[]) const {
        const double x = mover.move(i, v.x, v.p), z_here = solved ? v.scale * v.z : x;
        const double next = beta != 0 ? z_here + beta * v.p : z_here;
        const size_t at[3] = {i, j, k};
        if (t.outside && mover.alpha != 0 && base_pcg_on_rim(&t, at))
            base_pcg_move_flow(&t, pcg_first(t, j, k) + i);
        p[i] = next;
        if (low)
            low[i] = next;
        if (high)
            high[i] = next;
    }
};

template <bool SINGLE> struct pcg_update : pcg_work<BASE_PCG_UPDATED, 1, 4> {
    struct values {
        double p, q, x, r, scale;
    };
    const base_pcg_task &t;
    double alpha, mean;
    const double *p, *q;
    double *r;
    pcg_reals<SINGLE> source;
    pcg_scale scale;
    pcg_mover mover;

    PSG_HD explicit pcg_update(const base_pcg_task &t_)
        : t(t_), alpha(t_.scalars[BASE_PCG_ALPHA]), mean(t_.scalars[BASE_PCG_R_MEAN]), mover(t_) {
    }
    PSG_HD void begin(size_t j, size_t k) {
        const size_t first = pcg_first(t, j, k);
        p = t.p + first;
        q = t.q + first;
        r = t.r + first;
        mover.begin(t, first);
        source.begin(t.source, j, k);
        scale.begin(t, first);
    }
    PSG_HD values read(unsigned i) const {
        return {mover.x ? p[i] : 0, q[i], mover.get(i), r[i], scale.get(i)};
    }
    PSG_HD void operator()(unsigned i, const values &v, double sum[]) const {
        const double next = v.r - alpha * v.q - mean;
        mover.move(i, v.x, v.p);
        r[i] = next;
        if (source.row)
            source.put(i, v.scale * next);
        sum[0] += next * next;
    }
};

/// The upper half of a number's bits, twice: without its sign.
PSG_HD unsigned pcg_size(double value) {
#if defined(__CUDA_ARCH__)
    return 2 * (unsigned)__double2hiint(value);
#else
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return 2 * (unsigned)(bits >> 32);
#endif
}

/// Quotients -> over, with the bits that `/` has. What a quotient by the reciprocal leaves of
/// `over` is exact if `over` is from 2^-460 to 2^500, so that the sum of both is rounded once
/// (P. Markstein, IBM J. Res. Dev. 34, 111 (1990)). BASE_PCG_EPS_LOWEST keeps `under` from 2^-499
/// to 2^501. The compiler's division has a branch for each quotient: one waits for the other.
PSG_HD void pcg_divide(base_pcg_quotient flow[3]) {
    const unsigned exponent = 1u << 21, least = (1023 - 460) * exponent;
    double quotient[3];
    bool all = true;
    PSG_UNROLL
    for (int d = 0; d < 3; d++) {
        const double under = flow[d].under, by = reciprocal(under), first = flow[d].over * by;
        quotient[d] = fma(fma(-under, first, flow[d].over), by, first);
        all = all && pcg_size(flow[d].over) - least < 960 * exponent;
    }
    PSG_UNROLL
    for (int d = 0; d < 3; d++)
        if (all)
            flow[d].over = quotient[d];
        else if (flow[d].over != 0)
            flow[d].over /= flow[d].under;
}

/// The planes of a large segment that a thread has at once.
constexpr int pcg_planes = 4;

/// A row in `PLANES` planes: what is read of p and eps in one of them serves the next one, too.
/// @param FACES  eps is known there @param STRETCHED  planes have widths
/// @param OUTSIDE  sides are free
template <bool FACES, int PLANES, bool STRETCHED, bool OUTSIDE = false>
struct pcg_apply : pcg_work<BASE_PCG_APPLIED, 1, 1, PLANES> {
    /// A column with the numbers below and above, and beside it. eps of faces is that of the faces
    /// below and above: e[PLANES + 1] has none then.
    struct values {
        double p_below, p[PLANES], p_above, px[PLANES][2], py[PLANES][2];
        double e[PLANES + 2], ex[PLANES][2], ey[PLANES][2];
    };
    const base_pcg_task &t;
    size_t plane, j, k;
    unsigned count, x_end[2]; // x_end: what is beside the ends of a row
    const double *p, *p_below, *p_above, *ex, *ey, *ez;
    double *q;
    ptrdiff_t y[2];
    double by_x[2], by_y[2], by_z[2];
    bool end_x, end_y; // something of by_x, by_y is not 1
    // Of a stretched z what eps is multiplied by, of the planes below and above, too, and of faces.
    double by_plane[STRETCHED ? PLANES + 2 : 1], by_face[STRETCHED && FACES ? PLANES + 1 : 1];

    PSG_HD explicit pcg_apply(const base_pcg_task &t_)
        : t(t_), plane(t_.n[0] * t_.n[1]), j(0), k(0), count((unsigned)t_.n[0]) {
        for (int side = 0; side < 2; side++) {
            const size_t end = side == 0 ? 0 : count - 1;
            const base_pcg_beside x = base_pcg_beside_of(&t, 0, end);
            x_end[side] = (unsigned)((ptrdiff_t)end + x.at[side]);
            by_x[side] = x.by[side];
        }
        end_x = by_x[0] != 1 || by_x[1] != 1;
    }
    PSG_HD void begin(size_t j_, size_t k_) {
        j = j_;
        k = k_;
        const size_t first = pcg_first(t, j, k), row = j * t.n[0];
        p = t.p + first;
        p_below = k > 0 ? p - plane : t.below + row;
        p_above = k + PLANES < t.n[2] ? p + PLANES * plane : t.above + row;
        q = t.q + first;
        ex = t.eps[0] + plane + first;
        ey = FACES ? t.eps[1] + plane + first : ex;
        ez = FACES ? t.eps[2] + plane + first : ex;
        for (int side = 0; side < 2; side++) {
            const base_pcg_beside to = base_pcg_beside_of(&t, 1, j);
            y[side] = to.at[side] * (ptrdiff_t)t.n[0];
            by_y[side] = to.by[side];
            by_z[side] = base_pcg_beside_of(&t, 2, side == 0 ? k : k + PLANES - 1).by[side];
        }
        end_y = by_y[0] != 1 || by_y[1] != 1;
        PSG_UNROLL
        for (int m = 0; m < PLANES + 2 && STRETCHED; m++) {
            by_plane[m] = base_pcg_by_plane(&t, k + m);
            if (FACES && m <= PLANES)
                by_face[m] = base_pcg_by_face(&t, k + m);
        }
    }
    PSG_HD values read(unsigned i) const {
        const unsigned x[2] = {i > 0 ? i - 1 : x_end[0], i + 1 < count ? i + 1 : x_end[1]};
        values v;
        v.p_below = p_below[i];
        v.p_above = p_above[i];
        v.e[0] = (ez - plane)[i];
        v.e[PLANES + 1] = FACES ? 0 : (ez + PLANES * plane)[i];
        PSG_UNROLL
        for (int m = 0; m < PLANES; m++) {
            const double *u = p + m * plane;
            const double *const e[2] = {ex + m * plane, ey + m * plane};
            v.p[m] = u[i];
            v.e[m + 1] = (ez + m * plane)[i];
            PSG_UNROLL
            for (int side = 0; side < 2; side++) {
                const bool here = FACES && side == 1;
                v.px[m][side] = u[x[side]];
                v.py[m][side] = (u + y[side])[i];
                v.ex[m][side] = e[0][here ? i : x[side]];
                v.ey[m][side] = (here ? e[1] : e[1] + y[side])[i];
            }
        }
        return v;
    }
    /// What the tables of a stretched z say, else 1.
    PSG_HD static double by(const double *table, int m) {
        return STRETCHED ? table[m] : 1;
    }
    /// What flows along an axis, without its weight. @param e  at the point
    /// @param beside  eps beside it, or on its faces
    PSG_HD base_pcg_quotient flux(double e, const double beside[2], double d0, double d1) const {
        return FACES ? base_pcg_quotient{base_pcg_face_flux(beside[0], beside[1], d0, d1), 1}
                     : base_pcg_flux_parts(e, beside[0], beside[1], d0, d1);
    }
    PSG_HD void operator()(unsigned i, values v, double sum[]) const {
        if (end_y || (end_x && (i == 0 || i + 1 == count))) {
            PSG_UNROLL
            for (int side = 0; side < 2; side++) {
                const bool last = i == (side == 0 ? 0 : count - 1);
                PSG_UNROLL
                for (int m = 0; m < PLANES; m++) {
                    v.px[m][side] *= last ? by_x[side] : 1;
                    v.py[m][side] *= by_y[side];
                }
            }
        }
        v.p_below *= by_z[0];
        v.p_above *= by_z[1];
        PSG_UNROLL
        for (int m = 0; m < PLANES; m++) {
            const double here = v.p[m], e = v.e[m + 1];
            const double e_z = by(by_plane, m + 1) * e;
            const double ez[2] = {by(FACES ? by_face : by_plane, m) * v.e[m],
                                  FACES ? by(by_face, m + 1) * e
                                        : by(by_plane, m + 2) * v.e[m + 2]};
            const double below = m == 0 ? v.p_below : v.p[m - 1];
            const double above = m + 1 == PLANES ? v.p_above : v.p[m + 1];
            const double lambda = FACES || e > 0 ? t.terms.lambda : 0;
            base_pcg_quotient flow[3] = {flux(e, v.ex[m], v.px[m][0] - here, v.px[m][1] - here),
                                         flux(e, v.ey[m], v.py[m][0] - here, v.py[m][1] - here),
                                         flux(e_z, ez, below - here, above - here)};
            if (!FACES)
                pcg_divide(flow);
            const double w[3] = {t.terms.weight[0], t.terms.weight[1],
                                 t.terms.weight[2] * by(by_plane, m + 1)};
            double value =
                w[0] * flow[0].over + w[1] * flow[1].over + w[2] * flow[2].over - lambda * here;
            const size_t at[3] = {i, j, k + m};
            if (OUTSIDE && base_pcg_on_rim(&t, at))
                value += base_pcg_outside(&t, at);
            (q + m * plane)[i] = value;
            sum[m] += here * value;
        }
    }
};

} // namespace psg_cuda
#endif
