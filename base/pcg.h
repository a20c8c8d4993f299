/** @file pcg.h  The arithmetic of preconditioned conjugate gradients for div(eps grad u) - lambda u
 *  = f that cores and GPUs have in common, so that both find the same. C and C++ (CUDA) at once.
 *
 * M is the Laplacian's stencil with the solve of a plan as its inverse, A the stencil with eps.
 * With r = f - A x a step is
 *
 *     z = 1/M r;  rz = r.z;  p = z + rz/rz_before p;  q = A p;  pq = p.q;  x += rz/pq p;  r -=
 *     rz/pq q;  rr = r.r
 *
 * Where p is needed only here, x gets it when the next p is made, as p is read then anyway, and at
 * the end. r is what M is given, if no D is between them and both are f64.
 *
 * r is what a recursion has, and rounding takes it away from f - A x. So x is started from once
 * more when r is small enough: r = f - A x is computed, and if it is too large there are more
 * steps.
 *
 * eps is known at points, and the harmonic mean of two counts between them; or it is known on
 * faces: number i of an axis is that of the face between points i and i+1, and at the lower end of
 * an axis that is not periodic number 0 counts once more.
 *
 * Where z is stretched, a plane of cells has a width of its own, over the mean one. The flux
 * between two planes is that of eps over the widths, or of eps on the face over the distance of
 * points, and A divides it by the width. A and M are symmetric for products whose points count as
 * much as their cells are wide. Tasks sum plane by plane, and multiply the sum by the width.
 *
 * Values on sides add to f, at the points beside a side, what they add where eps is 1 times eps of
 * that side, so that r begins with a copy of f, b.
 *
 * A point with eps = 0 is solid, and so is one whose faces all have 0, if lambda is 0.
 * A has 0 in its row and column, and r begins with 0 there, so that
 * r stays 0, and r.z, p.q and A p at other points do not see z and p there. A constant in a region
 * of the fluid that nothing fixes is not seen, either: it is taken off x at the end.
 *
 * Where sides are free, eps is one number e0 on the rim, the points beside them, and outside. What
 * flows through a free face is not a sum over neighbours, but M has it: M z is r times the factor
 * of f, and M p = M z + rz/rz_before M p_before. That flow is M p less what flows inside the box,
 * plus lambda/e0 p. A p is e0 times that flow plus the stencil with eps inside. The flow of x is
 * moved as x is.
 *
 * M may stand between two factors D, a number at each point: z = D 1/M D r. D is the root of what
 * flows through the faces of a point with eps = 1 over what flows with eps, for the same
 * differences of u, so that D A D has the diagonal of M (P. Concus, G. H. Golub, SIAM J. Numer.
 * Anal. 10, 1103 (1973), have 1/sqrt(eps) for it). With D the steps depend on how smooth eps is,
 * and without it on the contrast, the largest eps over the least: base_pcg_scales() compares the
 * two.
 *
 * Fields are scaled by a power of 2, which rounds nothing, so that the largest |f| is from 1/2 to
 * 1, and those of M may be f32. After the step that reaches the tolerance p, x and r change no
 * more, so that it does not matter how many steps were submitted.
 *
 * Workload cg has another A, and M = 1: its solution z is its source r. It looks for an eigenvalue
 * of A by inverse iteration: x becomes the next f.
 *
 * Sums have an order of their own, which no cut along z changes. A row of numbers is summed by
 * LANES lanes, number i by lane i % LANES, and the lanes are added in halves. ROWS lanes add the
 * sums of rows in the same way, and SUM_LANES what is left.
 */
#ifndef BASE_PCG_H
#define BASE_PCG_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __CUDACC__
#define BASE_PCG_FUNCTION __host__ __device__ static inline
#else
#define BASE_PCG_FUNCTION static inline
#endif

enum { BASE_PCG_LANES = 32, BASE_PCG_ROWS = 32, BASE_PCG_SUM_LANES = 1024, BASE_PCG_PIECES = 64 };

/** What a task tells of its part: of the measures of f and eps all of these, else sums. */
enum {
    BASE_PCG_SUM = 0,   /**< of f; or of products */
    BASE_PCG_LARGEST,   /**< |f| */
    BASE_PCG_LEAST,     /**< eps above 0; 0: some eps is not good */
    BASE_PCG_MOST,      /**< eps */
    BASE_PCG_FLUID,     /**< points with eps above 0; on faces those whose faces all are open */
    BASE_PCG_TOTAL,     /**< of eps */
    BASE_PCG_ROUGH,     /**< of the squared gradient of sqrt(eps) */
    BASE_PCG_RIM_LEAST, /**< eps on the rim */
    BASE_PCG_RIM_MOST,
    BASE_PCG_MEASURES
};

/** What a task tells of its part when steps begin: sums. f is scaled, and without its mean. */
enum { BASE_PCG_RR_START = 0, BASE_PCG_FF, BASE_PCG_R, BASE_PCG_X, BASE_PCG_STARTS };

/** The scalars. They stand where the tasks run, and no task waits for the host. */
enum {
    BASE_PCG_F_SUM = 0,
    BASE_PCG_F_MEAN, /**< that is dropped */
    BASE_PCG_F_LARGEST,
    BASE_PCG_SCALE, /**< of f */
    BASE_PCG_EPS_LEAST,
    BASE_PCG_EPS_MOST,
    BASE_PCG_FLUID_POINTS,
    BASE_PCG_EPS_TOTAL,
    BASE_PCG_EPS_ROUGH,
    BASE_PCG_EPS_RIM_LEAST,
    BASE_PCG_EPS_RIM_MOST,
    BASE_PCG_R_MEAN, /**< of the first r: rounding of F_MEAN. A and M make 0 of it, and the first
                          update drops it */
    BASE_PCG_B_MEAN, /**< those so far: of scaled f without F_MEAN */
    BASE_PCG_X_MEAN, /**< that is dropped at the end */
    BASE_PCG_FIRST,  /**< f.f, scaled and without these means */
    BASE_PCG_RR,
    BASE_PCG_RZ,
    BASE_PCG_ALPHA, /**< rz/pq */
    BASE_PCG_BETA,  /**< rz/rz_before */
    BASE_PCG_STEPS,
    BASE_PCG_DONE,       /**< 1: the tolerance is reached, or r is not finite */
    BASE_PCG_EIGENVALUE, /**< 1 / f.x, of a scaled f */
    BASE_PCG_SCALARS
};

/** Which sum the scalars take next. */
typedef enum base_pcg_stage {
    BASE_PCG_MEASURED = 0, /**< all BASE_PCG_MEASURES of f and eps */
    BASE_PCG_STARTED,      /**< all BASE_PCG_STARTS; without base_pcg_terms.points r.r alone */
    BASE_PCG_SOLVED,       /**< r.z */
    BASE_PCG_APPLIED,      /**< p.q */
    BASE_PCG_UPDATED,      /**< r.r */
    BASE_PCG_PROJECTED,    /**< f.x */
    BASE_PCG_NORMED        /**< x.x: of the next f, which is scaled to the norm 1 */
} base_pcg_stage;

/** Where steps begin. */
enum {
    BASE_PCG_ANEW = 0, /**< x = 0 or a guess, r = f */
    BASE_PCG_FROM_X,   /**< r = f - A x */
    BASE_PCG_FROM_R    /**< with the same x, and r in place of f */
};

/** The constants of a solve. */
typedef struct base_pcg_terms {
    double weight[3]; /**< 1/h^2 by axis */
    double width;     /**< the mean width of the planes of a stretched z */
    double lambda;
    double factor;    /**< of f */
    double tolerance; /**< |r| / |f|, 2-norms */
    double points;    /**< of the grid */
    double middle;    /**< between the least and the largest eps; lambda of M is lambda / middle */
    long scaled;      /**< with D */
    long drops;       /**< the mean of f is dropped */
    long begins;      /**< BASE_PCG_ANEW ... */
    long guess;       /**< BASE_PCG_ANEW: u has the first x */
    long faces;       /**< eps is known on faces */
    long shares;      /**< M's f is r */
    /** Where an axis is not periodic the points beyond its ends have the eps of the last ones, and
     *  u of these times such a number: 1 at a Neumann side, -1 at a Dirichlet side half a cell off,
     *  and 0 where the next point would be on it. */
    double beyond[3][2];
    bool ends[3];    /**< it is not */
    bool free[3][2]; /**< the side is free: nothing flows there but what `outside` has */
    long outside;    /**< some side is free, and `middle` is eps outside */
} base_pcg_terms;

/** Reals of either precision, whose rows and planes may be apart. */
typedef struct base_pcg_field {
    void *first;
    size_t row_pitch, plane_pitch; /**< elements */
    bool single;                   /**< f32 */
} base_pcg_field;

/** What values on sides add to the points beside them where eps is 1, by axis and side: x
 *  [planes][ny], y [planes][nx], z [ny][nx]. NULL: nothing. */
typedef struct base_pcg_sides {
    const void *added[3][2];
    bool single; /**< f32 */
} base_pcg_sides;

/** The widths of a stretched z. */
typedef struct base_pcg_widths {
    const double *of; /**< by plane of the segment; NULL: all are 1 */
    double beside[2]; /**< of the planes below and above the segment */
} base_pcg_widths;

BASE_PCG_FUNCTION int base_pcg_measures(base_pcg_stage stage, const base_pcg_terms *t) {
    return stage == BASE_PCG_MEASURED                   ? BASE_PCG_MEASURES
           : stage == BASE_PCG_STARTED && t->points > 0 ? BASE_PCG_STARTS
                                                        : 1;
}

/** What base_pcg_task.outside has: M p, and the flows of p and x through free faces where eps is 1.
 */
enum { BASE_PCG_MP = 0, BASE_PCG_FLOW_P, BASE_PCG_FLOW_X, BASE_PCG_OUTSIDES };

/** What a task is about: a segment of `n[2]` planes. Fields without a pitch are dense. */
typedef struct base_pcg_task {
    size_t n[3];
    base_pcg_terms terms;
    bool end[2];     /**< the segment is at an end of a z that is not periodic */
    double *scalars; /**< [BASE_PCG_SCALARS]; NULL: solution -> p, and there is no D */
    double *part;    /**< [BASE_PCG_MEASURES][planes][base_pcg_blocks()]: its sums */
    /** [planes + 2][ny][nx]: with the planes below and above; on faces by axis, else [1] is NULL */
    double *eps[3];
    double *x, *r, *p, *q; /**< [planes][ny][nx] */
    /** [BASE_PCG_OUTSIDES][planes][ny][nx], on the rim alone. NULL: no side is free */
    double *outside;
    double *b; /**< [planes][ny][nx]: f and what the sides add; NULL: they have 0 */
    base_pcg_sides sides;
    base_pcg_widths widths;
    double *scale;         /**< [planes][ny][nx]: D; NULL: 1 */
    double *low, *high;    /**< [ny][nx]: the first and the last plane of p */
    double *below, *above; /**< [ny][nx]: the planes of p below and above */
    base_pcg_field f, u;
    base_pcg_field source, solution; /**< of M: scaled r, where r is not used itself; and z */
    int *overflow; /**< becomes 1 if a number of u is out of the range of its precision */
} base_pcg_task;

/** Sums of some segments, which are numbers `start` and following of all sums. */
typedef struct base_pcg_pieces {
    base_pcg_stage stage;
    int measures; /**< base_pcg_measures() */
    size_t start;
    size_t count;
    const double *part[BASE_PCG_PIECES]; /**< [count]: each base_pcg_task.part */
    size_t numbers[BASE_PCG_PIECES];     /**< [count]: in each, of one measure */
} base_pcg_pieces;

/** Sums of a plane of ny rows. */
BASE_PCG_FUNCTION size_t base_pcg_blocks(size_t ny) {
    return (ny + BASE_PCG_ROWS - 1) / BASE_PCG_ROWS;
}

/** Which measure number m of a stage is. */
BASE_PCG_FUNCTION int base_pcg_measure(base_pcg_stage stage, int m) {
    return stage == BASE_PCG_MEASURED ? m : BASE_PCG_SUM;
}

/** What stands for `count` numbers of a measure, or of a sum. */
BASE_PCG_FUNCTION double base_pcg_join(int measure, double a, double b) {
    const bool most =
        measure == BASE_PCG_LARGEST || measure == BASE_PCG_MOST || measure == BASE_PCG_RIM_MOST;
    return measure == BASE_PCG_LEAST || measure == BASE_PCG_RIM_LEAST ? (b < a ? b : a)
           : most                                                     ? (b > a ? b : a)
                                                                      : a + b;
}

BASE_PCG_FUNCTION double base_pcg_nothing(int measure) {
    return measure == BASE_PCG_LEAST || measure == BASE_PCG_RIM_LEAST ? DBL_MAX : 0;
}

/** 0, or eps whose cubes, and products of four of them, are normal numbers in f64. */
#define BASE_PCG_EPS_LOWEST 1e-75
#define BASE_PCG_EPS_HIGHEST 1e75
BASE_PCG_FUNCTION bool base_pcg_good(double eps) {
    return eps == 0 || (eps >= BASE_PCG_EPS_LOWEST && eps <= BASE_PCG_EPS_HIGHEST);
}

/** What eps at a point is as BASE_PCG_LEAST. */
BASE_PCG_FUNCTION double base_pcg_least(double eps) {
    return !base_pcg_good(eps) ? 0 : eps > 0 ? eps : base_pcg_nothing(BASE_PCG_LEAST);
}

/** @param[in] all  [n]: the widths of all planes @param[in] first  of the `planes` of a segment
 *  @param[in] end  base_pcg_task.end: beyond it the last plane counts once more */
static inline base_pcg_widths base_pcg_widths_of(const double *all, size_t n, size_t first,
                                                 size_t planes, const bool end[2]) {
    const size_t last = first + planes - 1;
    const base_pcg_widths widths = {
        all + first,
        {all[end[0] ? first : (first + n - 1) % n], all[end[1] ? last : (last + 1) % n]}};
    return widths;
}

/** The width of a plane of a stretched z. @param[in] k  as planes of eps are numbered: 0 is the one
 *  below the segment */
BASE_PCG_FUNCTION double base_pcg_width(const base_pcg_task *t, size_t k) {
    return k == 0             ? t->widths.beside[0]
           : k == t->n[2] + 1 ? t->widths.beside[1]
                              : t->widths.of[k - 1];
}

/** 1 over the width of such a plane over the mean one. */
BASE_PCG_FUNCTION double base_pcg_by_plane(const base_pcg_task *t, size_t k) {
    return t->widths.of != NULL ? t->terms.width / base_pcg_width(t, k) : 1;
}

/** 1 over the distance of the points of such a plane and the next one over the mean width. */
BASE_PCG_FUNCTION double base_pcg_by_face(const base_pcg_task *t, size_t k) {
    return t->widths.of != NULL
               ? 2 * t->terms.width / (base_pcg_width(t, k) + base_pcg_width(t, k + 1))
               : 1;
}

/** What a plane of the segment counts in a sum; 1 in what is no sum over cells. */
BASE_PCG_FUNCTION double base_pcg_counts(const base_pcg_task *t, int measure, size_t k) {
    const bool cells =
        measure == BASE_PCG_SUM || measure == BASE_PCG_TOTAL || measure == BASE_PCG_ROUGH;
    return t->widths.of != NULL && cells ? t->widths.of[k] / t->terms.width : 1;
}

/** What a start takes off x, which a guess may have: its mean, which A x does not see. */
BASE_PCG_FUNCTION double base_pcg_off_x(const base_pcg_terms *t, const double *scalars) {
    return t->drops && t->begins == BASE_PCG_FROM_X ? scalars[BASE_PCG_X_MEAN] : 0;
}

/** What u is times x. */
BASE_PCG_FUNCTION double base_pcg_back(const base_pcg_terms *t, const double *scalars) {
    return t->factor / scalars[BASE_PCG_SCALE];
}

/** Has the precision of u this number? */
BASE_PCG_FUNCTION bool base_pcg_fits(bool single, double u) {
    return fabs(u) <= (single ? (double)FLT_MAX : DBL_MAX);
}

/** over / under, of which nothing is divided yet. */
typedef struct base_pcg_quotient {
    double over, under;
} base_pcg_quotient;

/** What flows towards a point from its two neighbours on an axis, times h. eps between two points
 *  is the harmonic mean 2 e0 e1 / (e0 + e1), which the flux through a face between two materials
 *  has. Both means have one division. Nothing flows where one of the two is 0.
 *  @param[in] e0, e1  eps at the neighbours, e at the point @param[in] d0, d1  u at a neighbour
 *  less u at the point */
BASE_PCG_FUNCTION base_pcg_quotient base_pcg_flux_parts(double e, double e0, double e1, double d0,
                                                        double d1) {
    const double above = e > 0 ? e : 1; /* no 0/0 between two solid points */
    const double sum0 = above + e0;
    const double sum1 = above + e1;
    const base_pcg_quotient flux = {2 * e * (e0 * d0 * sum1 + e1 * d1 * sum0), sum0 * sum1};
    return flux;
}

BASE_PCG_FUNCTION double base_pcg_flux(double e, double e0, double e1, double d0, double d1) {
    const base_pcg_quotient flux = base_pcg_flux_parts(e, e0, e1, d0, d1);
    return flux.over / flux.under;
}

/** Is place `at` along axis d the last one before a side of the box? No side is where an axis is
 *  periodic. */
BASE_PCG_FUNCTION bool base_pcg_ends(const base_pcg_task *t, int d, int side, size_t at) {
    return at == (side == 0 ? 0 : t->n[d] - 1) && (d == 2 ? t->end[side] : t->terms.ends[d]);
}

/** The neighbours of a point along an axis. */
typedef struct base_pcg_beside {
    ptrdiff_t at[2]; /**< places from the point on: 0 at a side. Not for z, whose neighbours are in
                          the planes below and above */
    double by[2];    /**< what u there is multiplied by */
} base_pcg_beside;

/** @param[in] at  the point's place along axis d */
BASE_PCG_FUNCTION base_pcg_beside base_pcg_beside_of(const base_pcg_task *t, int d, size_t at) {
    base_pcg_beside to;
    for (int side = 0; side < 2; side++) {
        const ptrdiff_t step = side == 0 ? -1 : 1;
        const bool last = at == (side == 0 ? 0 : t->n[d] - 1);
        const bool end = base_pcg_ends(t, d, side, at);
        to.at[side] = end ? 0 : last ? -step * ((ptrdiff_t)t->n[d] - 1) : step;
        to.by[side] = end ? t->terms.beyond[d][side] : 1;
    }
    return to;
}

/** Is place `at` along axis d beside a free side? */
BASE_PCG_FUNCTION bool base_pcg_at_free(const base_pcg_task *t, int d, size_t at) {
    return (t->terms.free[d][0] && base_pcg_ends(t, d, 0, at)) ||
           (t->terms.free[d][1] && base_pcg_ends(t, d, 1, at));
}

BASE_PCG_FUNCTION bool base_pcg_on_rim(const base_pcg_task *t, const size_t at[3]) {
    return base_pcg_at_free(t, 0, at[0]) || base_pcg_at_free(t, 1, at[1]) ||
           base_pcg_at_free(t, 2, at[2]);
}

/** The same with eps of the two faces. */
BASE_PCG_FUNCTION double base_pcg_face_flux(double e0, double e1, double d0, double d1) {
    return e0 * d0 + e1 * d1;
}

/** The steps in `eps` from a point to the next one on an axis, below or above. */
BASE_PCG_FUNCTION ptrdiff_t base_pcg_step(const base_pcg_task *t, const size_t at[3], int d,
                                          int side) {
    const ptrdiff_t row = (ptrdiff_t)t->n[0];
    const ptrdiff_t stride = d == 0 ? 1 : d == 1 ? row : row * (ptrdiff_t)t->n[1];
    const bool last = d < 2 && at[d] == (side == 0 ? 0 : t->n[d] - 1);
    return last ? base_pcg_beside_of(t, d, at[d]).at[side] * stride
                : (side == 0 ? -stride : stride);
}

/** Where eps of a point is, or of the face above it along axis d. */
BASE_PCG_FUNCTION const double *base_pcg_eps(const base_pcg_task *t, const size_t at[3], int d) {
    return t->eps[d] + ((at[2] + 1) * t->n[1] + at[1]) * t->n[0] + at[0];
}

/** eps of a face of a point. */
BASE_PCG_FUNCTION double base_pcg_face(const base_pcg_task *t, const size_t at[3], int d,
                                       int side) {
    const bool faces = t->eps[1] != NULL;
    const double *e = base_pcg_eps(t, at, faces ? d : 0);
    const double beyond = faces && side == 1 ? *e : e[base_pcg_step(t, at, d, side)];
    double width[2] = {1, 1}; /* here and beyond */
    if (d == 2 && t->widths.of != NULL) {
        width[0] = t->widths.of[at[2]];
        width[1] = base_pcg_width(t, at[2] + (size_t)(2 * side));
    }
    return faces ? beyond
           : *e > 0 && beyond > 0
               ? (width[0] + width[1]) * *e * beyond / (width[1] * *e + width[0] * beyond)
               : 0;
}

/** The weight of what flows through a face of a point with eps and a difference of 1. */
BASE_PCG_FUNCTION double base_pcg_weight(const base_pcg_task *t, const size_t at[3], int d,
                                         int side) {
    const bool plain = d < 2 || t->widths.of == NULL;
    return t->terms.weight[d] *
           (plain ? 1
                  : base_pcg_by_plane(t, at[2] + 1) * base_pcg_by_face(t, at[2] + (size_t)side));
}

/** What flows to a point of p inside the box, where eps is 1. */
BASE_PCG_FUNCTION double base_pcg_plain_flow(const base_pcg_task *t, const size_t at[3]) {
    const size_t row = t->n[0], plane = row * t->n[1], here = at[1] * row + at[0];
    const double *p = t->p + at[2] * plane + here;
    double sum = 0;
    for (int m = 0; m < 6; m++) {
        const int d = m / 2, side = m % 2;
        const base_pcg_beside to = base_pcg_beside_of(t, d, at[d]);
        const bool last = at[2] == (side == 0 ? 0 : t->n[2] - 1);
        const double *z = last ? (side == 0 ? t->below : t->above) + here
                               : p + (side == 0 ? -(ptrdiff_t)plane : (ptrdiff_t)plane);
        const double beside = d == 2 ? *z : p[to.at[side] * (d == 0 ? 1 : (ptrdiff_t)row)];
        sum += base_pcg_weight(t, at, d, side) * (to.by[side] * beside - *p);
    }
    return sum;
}

/** What A p has at a point of the rim beside the stencil. Without scalars p is x. */
BASE_PCG_FUNCTION double base_pcg_outside(const base_pcg_task *t, const size_t at[3]) {
    const size_t points = t->n[0] * t->n[1] * t->n[2];
    const size_t i = (at[2] * t->n[1] + at[1]) * t->n[0] + at[0];
    double *mp = t->outside + BASE_PCG_MP * points + i;
    double *flow = t->outside + BASE_PCG_FLOW_P * points + i;
    if (t->scalars == NULL) {
        return t->terms.middle * t->outside[BASE_PCG_FLOW_X * points + i];
    }
    const double beta = t->scalars[BASE_PCG_BETA];
    const double mz = t->terms.factor * t->r[i];
    *mp = beta != 0 ? mz + beta * *mp : mz;
    *flow = *mp - base_pcg_plain_flow(t, at) + t->terms.lambda / t->terms.middle * t->p[i];
    return t->terms.middle * *flow;
}

/** The flow of x on the rim -> that of x + alpha p. */
BASE_PCG_FUNCTION void base_pcg_move_flow(const base_pcg_task *t, size_t i) {
    const size_t points = t->n[0] * t->n[1] * t->n[2];
    t->outside[BASE_PCG_FLOW_X * points + i] +=
        t->scalars[BASE_PCG_ALPHA] * t->outside[BASE_PCG_FLOW_P * points + i];
}

/** How much of a face's flux is the point's own, where the difference is 1: at the side of an axis
 *  less what u beyond it takes off. */
BASE_PCG_FUNCTION double base_pcg_passes(const base_pcg_task *t, int d, int side, size_t at) {
    return base_pcg_ends(t, d, side, at) ? 1 - t->terms.beyond[d][side] : 1;
}

/** The scalars of the first r. A constant f leaves its mean's rounding alone, and there is nothing
 * to solve. r = f - A x is as small as the recursion's r but for 1 %. */
BASE_PCG_FUNCTION void base_pcg_begin(const double *sum, const base_pcg_terms *t, double *s) {
    const double rounding = 1e-13;
    const double slack = 1.01;
    const bool anew = t->begins == BASE_PCG_ANEW;
    const double limit = anew ? t->tolerance : slack * t->tolerance;
    const double ff = sum[t->points > 0 ? BASE_PCG_FF : BASE_PCG_RR_START];
    const double mean = t->drops ? sum[BASE_PCG_R] / t->points : 0;
    const double first =
        t->begins == BASE_PCG_FROM_R ? s[BASE_PCG_FIRST] : ff - mean * mean * t->points;
    const double rr = sum[BASE_PCG_RR_START] - mean * mean * t->points;
    const bool some = first > rounding * ff || !anew;
    s[BASE_PCG_FIRST] = some ? first : 0;
    s[BASE_PCG_RR] = some && !(rr <= 0) ? rr : 0; /* NaN stays */
    s[BASE_PCG_R_MEAN] = some ? mean : 0;
    s[BASE_PCG_B_MEAN] += s[BASE_PCG_R_MEAN];
    s[BASE_PCG_X_MEAN] = t->drops ? sum[BASE_PCG_X] / t->points : 0;
    s[BASE_PCG_RZ] = s[BASE_PCG_ALPHA] = s[BASE_PCG_BETA] = 0;
    s[BASE_PCG_DONE] = some && rr > limit * limit * first ? 0 : 1;
}

/** A power of 2 that brings a number to 1/2 .. 1; 1 for 0. */
BASE_PCG_FUNCTION double base_pcg_power(double largest) {
    int exponent = 0;
    (void)frexp(largest, &exponent);
    return largest > 0 ? ldexp(1.0, -exponent) : 1;
}

/** The next scalars. @param[in] sum  [base_pcg_measures()] */
BASE_PCG_FUNCTION void base_pcg_next(base_pcg_stage stage, const double *sum,
                                     const base_pcg_terms *t, double *s) {
    const double again = .25; /* what rounding added once, it adds again */
    const double limit = t->begins == BASE_PCG_ANEW ? t->tolerance : again * t->tolerance;
    const bool done = stage > BASE_PCG_STARTED && s[BASE_PCG_DONE] != 0;
    if (stage == BASE_PCG_MEASURED) {
        s[BASE_PCG_F_SUM] = sum[BASE_PCG_SUM];
        s[BASE_PCG_B_MEAN] = s[BASE_PCG_STEPS] = 0;
        s[BASE_PCG_F_MEAN] = t->drops ? sum[BASE_PCG_SUM] / t->points : 0;
        s[BASE_PCG_F_LARGEST] = sum[BASE_PCG_LARGEST];
        s[BASE_PCG_SCALE] = base_pcg_power(sum[BASE_PCG_LARGEST]);
        s[BASE_PCG_EPS_LEAST] = sum[BASE_PCG_LEAST];
        s[BASE_PCG_EPS_MOST] = sum[BASE_PCG_MOST];
        s[BASE_PCG_FLUID_POINTS] = sum[BASE_PCG_FLUID];
        s[BASE_PCG_EPS_TOTAL] = sum[BASE_PCG_TOTAL];
        s[BASE_PCG_EPS_ROUGH] = sum[BASE_PCG_ROUGH];
        s[BASE_PCG_EPS_RIM_LEAST] = sum[BASE_PCG_RIM_LEAST];
        s[BASE_PCG_EPS_RIM_MOST] = sum[BASE_PCG_RIM_MOST];
        if (t->faces && t->lambda != 0 && sum[BASE_PCG_MOST] == 0 && sum[BASE_PCG_LEAST] > 0) {
            /* all faces are closed, and lambda alone is left */
            s[BASE_PCG_EPS_LEAST] = s[BASE_PCG_EPS_MOST] = s[BASE_PCG_EPS_TOTAL] = 1;
        }
    } else if (stage == BASE_PCG_STARTED) {
        base_pcg_begin(sum, t, s);
    } else if (stage == BASE_PCG_SOLVED) {
        s[BASE_PCG_BETA] = done || s[BASE_PCG_RZ] == 0 ? 0 : sum[0] / s[BASE_PCG_RZ];
        s[BASE_PCG_RZ] = sum[0];
    } else if (stage == BASE_PCG_APPLIED) {
        s[BASE_PCG_ALPHA] = done || sum[0] == 0 ? 0 : s[BASE_PCG_RZ] / sum[0];
    } else if (stage == BASE_PCG_PROJECTED) {
        s[BASE_PCG_EIGENVALUE] = 1 / (s[BASE_PCG_SCALE] * sum[0]);
    } else if (stage == BASE_PCG_NORMED) {
        s[BASE_PCG_SCALE] = 1 / sqrt(sum[0]);
    } else if (!done) {
        s[BASE_PCG_RR] = sum[0];
        s[BASE_PCG_R_MEAN] = 0;
        s[BASE_PCG_STEPS] += 1;
        s[BASE_PCG_DONE] = sum[0] > limit * limit * s[BASE_PCG_FIRST] ? 0 : 1;
    }
}

#endif
