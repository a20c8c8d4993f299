/** @file pcg_measure.h  What is known of f and eps before the steps of base/pcg.h begin, and D. */
#ifndef BASE_PCG_MEASURE_H
#define BASE_PCG_MEASURE_H

#include "base/pcg.h"

/** (the difference of sqrt(eps) between two points)^2; 0 where one of the two is solid, or bad. */
BASE_PCG_FUNCTION double base_pcg_rough(double e0, double e1) {
    const double difference = e0 > 0 && e1 > 0 ? sqrt(e0) - sqrt(e1) : 0;
    return difference * difference;
}

/** f at a point with what the sides add to it. Where eps is no good they add nothing, so that it is
 *  eps that is refused. */
BASE_PCG_FUNCTION double base_pcg_with_sides(const base_pcg_task *t, const size_t at[3], double f) {
    const size_t *n = t->n;
    const size_t place[3] = {at[2] * n[1] + at[1], at[2] * n[0] + at[0], at[1] * n[0] + at[0]};
    for (int m = 0; m < 6; m++) {
        const int d = m / 2, side = m % 2;
        const void *added = t->sides.added[d][side];
        if (added != NULL && base_pcg_ends(t, d, side, at[d])) {
            const double eps = base_pcg_face(t, at, d, side);
            f += (base_pcg_good(eps) ? eps : 0) * (t->sides.single
                                                       ? ((const float *)added)[place[d]]
                                                       : ((const double *)added)[place[d]]);
        }
    }
    return f;
}

/** The measures of f and eps on the faces of a point. What no flux can pass is no face here: a
 *  Neumann side, and what a single point of a periodic axis has beside it. */
BASE_PCG_FUNCTION void base_pcg_measure_faces(const base_pcg_task *t, const size_t at[3], double f,
                                              double value[]) {
    bool open = t->terms.lambda != 0, all = true;
    int axes = 0;
    for (int m = 0; m < BASE_PCG_MEASURES; m++) {
        value[m] = base_pcg_nothing(m);
    }
    for (int d = 0; d < 3; d++) {
        const double by = d == 2 ? base_pcg_by_plane(t, at[2] + 1) : 1;
        const double weight = t->terms.weight[d] * (by * by);
        double eps[2];
        bool is[2];
        for (int side = 0; side < 2; side++) {
            eps[side] = base_pcg_face(t, at, d, side);
            is[side] = weight * base_pcg_passes(t, d, side, at[d]) > 0;
            open = open || (is[side] && eps[side] > 0);
            all = all && (!is[side] || eps[side] > 0);
        }
        const bool good = base_pcg_good(eps[1]);
        const bool alone = base_pcg_ends(t, d, 0, at[d]) && base_pcg_ends(t, d, 1, at[d]);
        const double counts = is[1] || !good ? eps[1] : is[0] && alone ? eps[0] : 0;
        axes += weight > 0;
        value[BASE_PCG_LEAST] =
            base_pcg_join(BASE_PCG_LEAST, value[BASE_PCG_LEAST], base_pcg_least(counts));
        value[BASE_PCG_MOST] =
            base_pcg_join(BASE_PCG_MOST, value[BASE_PCG_MOST], good ? counts : 0);
        value[BASE_PCG_TOTAL] += counts;
        value[BASE_PCG_ROUGH] += is[0] && is[1] ? weight * base_pcg_rough(eps[0], eps[1]) : 0;
    }
    value[BASE_PCG_TOTAL] /= axes > 0 ? axes : 1;
    value[BASE_PCG_FLUID] = all;
    value[BASE_PCG_SUM] = open ? f : 0;
    value[BASE_PCG_LARGEST] = fabs(value[BASE_PCG_SUM]);
}

/** The measures of f and eps at a point. */
BASE_PCG_FUNCTION void base_pcg_measure_at(const base_pcg_task *t, const size_t at[3], double f,
                                           double value[]) {
    if (t->eps[1] != NULL) {
        base_pcg_measure_faces(t, at, f, value);
        return;
    }
    const double *e = base_pcg_eps(t, at, 0);
    const double *w = t->terms.weight;
    value[BASE_PCG_SUM] = *e > 0 ? f : 0;
    value[BASE_PCG_LARGEST] = fabs(value[BASE_PCG_SUM]);
    value[BASE_PCG_LEAST] = base_pcg_least(*e);
    value[BASE_PCG_MOST] = base_pcg_good(*e) ? *e : 0;
    value[BASE_PCG_FLUID] = *e > 0;
    value[BASE_PCG_RIM_LEAST] = base_pcg_on_rim(t, at) ? *e : base_pcg_nothing(BASE_PCG_RIM_LEAST);
    value[BASE_PCG_RIM_MOST] = base_pcg_on_rim(t, at) ? *e : 0;
    value[BASE_PCG_TOTAL] = *e;
    value[BASE_PCG_ROUGH] =
        w[0] * base_pcg_rough(*e, e[base_pcg_step(t, at, 0, 1)]) +
        w[1] * base_pcg_rough(*e, e[base_pcg_step(t, at, 1, 1)]) +
        base_pcg_weight(t, at, 2, 1) * base_pcg_rough(*e, e[base_pcg_step(t, at, 2, 1)]);
}

/** A face's shares in two sums: what flows with eps, and what flows with eps = 1. */
BASE_PCG_FUNCTION void base_pcg_add_face(const base_pcg_task *t, const size_t at[3], int d,
                                         int side, double sum[2]) {
    const double face = base_pcg_face(t, at, d, side);
    const double weight = base_pcg_weight(t, at, d, side) * base_pcg_passes(t, d, side, at[d]);
    sum[0] += weight * face;
    sum[1] += face > 0 ? weight : 0;
}

/** D at a point, around 1; 1 at a point without faces. */
BASE_PCG_FUNCTION double base_pcg_scale_at(const base_pcg_task *t, const size_t at[3]) {
    double sum[2] = {0, 0};
    base_pcg_add_face(t, at, 0, 0, sum); /* a loop would take twice as long */
    base_pcg_add_face(t, at, 0, 1, sum);
    base_pcg_add_face(t, at, 1, 0, sum);
    base_pcg_add_face(t, at, 1, 1, sum);
    base_pcg_add_face(t, at, 2, 0, sum);
    base_pcg_add_face(t, at, 2, 1, sum);
    const double eps = sum[0] + t->terms.lambda;
    const double one = sum[1] + t->terms.lambda / t->terms.middle;
    return eps > 0 ? sqrt(t->terms.middle * one / eps) : 1;
}

/** Does D save steps? Without it the condition number is the contrast at the most. With it that
 *  grows with G (length / 2 pi)^2, where G is the mean of |grad sqrt(eps)|^2 over that of eps: M
 *  sees the waves of D beside the longest wave. Measured steps are near those of a condition number
 *  (1 + 6 G (length / 2 pi)^2)^2. G does not depend on the grid where eps is smooth, and grows with
 *  the number of points along an axis where eps jumps.
 *  @param[in] length  of the longest axis */
BASE_PCG_FUNCTION bool base_pcg_scales(const double *scalars, double length) {
    const double two_pi = 6.28318530717958647692;
    const double wave = length / two_pi;
    const double measured = 6;
    const double number =
        1 + measured * scalars[BASE_PCG_EPS_ROUGH] / scalars[BASE_PCG_EPS_TOTAL] * wave * wave;
    return number * number < scalars[BASE_PCG_EPS_MOST] / scalars[BASE_PCG_EPS_LEAST];
}

#endif
