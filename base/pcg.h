/** @file pcg.h  The arithmetic of preconditioned conjugate gradients for div(eps grad u) - lambda u
 *  = f that cores and GPUs have in common, so that both find the same. C and C++ (CUDA) at once.
 *
 * M is the Laplacian's stencil with the solve of a plan as its inverse, A the stencil with eps.
 * With r = f - A x a step is
 *
 *     z = 1/M r;  rz = r.z;  p = z + rz/rz_before p;  q = A p;  pq = p.q;  x += rz/pq p;  r -=
 *     rz/pq q;  rr = r.r
 *
 * Fields are scaled so that the largest |f| is 1, and those of M may be f32. After the step that
 * reaches the tolerance p, x and r change no more, so that it does not matter how many steps were
 * submitted.
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
    BASE_PCG_SUM = 0, /**< of f; or of products */
    BASE_PCG_LARGEST, /**< |f| */
    BASE_PCG_LEAST,   /**< eps; 0: some eps is not good */
    BASE_PCG_MOST,    /**< eps */
    BASE_PCG_MEASURES
};

/** The scalars. They stand where the tasks run, and no task waits for the host. */
enum {
    BASE_PCG_F_SUM = 0,
    BASE_PCG_F_MEAN, /**< that is dropped */
    BASE_PCG_SCALE,  /**< of f */
    BASE_PCG_EPS_LEAST,
    BASE_PCG_EPS_MOST,
    BASE_PCG_R_MEAN, /**< of the first r: rounding of F_MEAN. A and M make 0 of it, and the first
                          update drops it */
    BASE_PCG_FIRST,  /**< r.r before the first step, without that mean */
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
    BASE_PCG_STARTED,      /**< the first r.r, and where the mean of f is dropped the sum of r */
    BASE_PCG_SOLVED,       /**< r.z */
    BASE_PCG_APPLIED,      /**< p.q */
    BASE_PCG_UPDATED,      /**< r.r */
    BASE_PCG_PROJECTED,    /**< f.x */
    BASE_PCG_NORMED        /**< x.x: of the next f, which is scaled to the norm 1 */
} base_pcg_stage;

/** The constants of a solve. */
typedef struct base_pcg_terms {
    double weight[3]; /**< 1/h^2 by axis */
    double lambda;
    double factor;    /**< of f */
    double tolerance; /**< |r| / |f|, 2-norms */
    double points;    /**< of the grid */
    long drops;       /**< the mean of f is dropped */
    /** Where an axis is not periodic the points beyond its ends have the eps of the last ones, and
     *  u of these times such a number: 1 at a Neumann side, -1 at a Dirichlet side half a cell off,
     *  and 0 where the next point would be on it. */
    double beyond[3][2];
    bool ends[3]; /**< it is not */
} base_pcg_terms;

/** Reals of either precision, whose rows and planes may be apart. */
typedef struct base_pcg_field {
    void *first;
    size_t row_pitch, plane_pitch; /**< elements */
    bool single;                   /**< f32 */
} base_pcg_field;

BASE_PCG_FUNCTION int base_pcg_measures(base_pcg_stage stage, const base_pcg_terms *t) {
    return stage == BASE_PCG_MEASURED              ? BASE_PCG_MEASURES
           : stage == BASE_PCG_STARTED && t->drops ? 2
                                                   : 1;
}

/** What a task is about: a segment of `n[2]` planes. Fields without a pitch are dense. */
typedef struct base_pcg_task {
    size_t n[3];
    base_pcg_terms terms;
    bool end[2];           /**< the segment is at an end of a z that is not periodic */
    double *scalars;       /**< [BASE_PCG_SCALARS] */
    double *part;          /**< [BASE_PCG_MEASURES][planes][base_pcg_blocks()]: its sums */
    double *eps;           /**< [planes + 2][ny][nx]: with the planes below and above */
    double *x, *r, *p, *q; /**< [planes][ny][nx] */
    double *low, *high;    /**< [ny][nx]: the first and the last plane of p */
    double *below, *above; /**< [ny][nx]: the planes of p below and above */
    base_pcg_field f, u;
    /** eps as it was given, of this segment, the one below and the one above */
    base_pcg_field given[3];
    size_t given_planes;             /**< of the one below */
    base_pcg_field source, solution; /**< of M: scaled r, and z */
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
    return measure == BASE_PCG_SUM     ? a + b
           : measure == BASE_PCG_LEAST ? (b < a ? b : a)
           : b > a                     ? b
                                       : a;
}

BASE_PCG_FUNCTION double base_pcg_nothing(int measure) {
    return measure == BASE_PCG_LEAST ? DBL_MAX : 0;
}

/** eps whose cubes, and products of four of them, are normal numbers in f64. */
#define BASE_PCG_EPS_LOWEST 1e-75
#define BASE_PCG_EPS_HIGHEST 1e75
BASE_PCG_FUNCTION bool base_pcg_good(double eps) {
    return eps >= BASE_PCG_EPS_LOWEST && eps <= BASE_PCG_EPS_HIGHEST;
}

/** Has the precision of u this number? */
BASE_PCG_FUNCTION bool base_pcg_fits(bool single, double u) {
    return fabs(u) <= (single ? (double)FLT_MAX : DBL_MAX);
}

/** What flows towards a point from its two neighbours on an axis, times h. eps between two points
 *  is the harmonic mean 2 e0 e1 / (e0 + e1), which the flux through a face between two materials
 *  has; both means have one division here.
 *  @param[in] e0, e1  eps at the neighbours, e at the point @param[in] d0, d1  u at a neighbour
 *  less u at the point */
BASE_PCG_FUNCTION double base_pcg_flux(double e, double e0, double e1, double d0, double d1) {
    const double sum0 = e + e0;
    const double sum1 = e + e1;
    return 2 * e * (e0 * d0 * sum1 + e1 * d1 * sum0) / (sum0 * sum1);
}

/** The scalars of the first r. A constant f leaves its mean's rounding alone, and there is nothing
 * to solve. */
BASE_PCG_FUNCTION void base_pcg_begin(const double *sum, const base_pcg_terms *t, double *s) {
    const double rounding = 1e-13;
    const double mean = t->drops ? sum[1] / t->points : 0;
    const double rr = sum[0] - mean * mean * t->points;
    const bool more = rr > rounding * sum[0];
    s[BASE_PCG_FIRST] = s[BASE_PCG_RR] = more ? rr : 0;
    s[BASE_PCG_R_MEAN] = more ? mean : 0;
    s[BASE_PCG_RZ] = s[BASE_PCG_ALPHA] = s[BASE_PCG_BETA] = s[BASE_PCG_STEPS] = 0;
    s[BASE_PCG_DONE] = more ? 0 : 1;
}

/** The next scalars. @param[in] sum  [base_pcg_measures()] */
BASE_PCG_FUNCTION void base_pcg_next(base_pcg_stage stage, const double *sum,
                                     const base_pcg_terms *t, double *s) {
    const bool done = stage > BASE_PCG_STARTED && s[BASE_PCG_DONE] != 0;
    if (stage == BASE_PCG_MEASURED) {
        s[BASE_PCG_F_SUM] = sum[BASE_PCG_SUM];
        s[BASE_PCG_F_MEAN] = t->drops ? sum[BASE_PCG_SUM] / t->points : 0;
        s[BASE_PCG_SCALE] = sum[BASE_PCG_LARGEST] > 0 ? 1 / sum[BASE_PCG_LARGEST] : 1;
        s[BASE_PCG_EPS_LEAST] = sum[BASE_PCG_LEAST];
        s[BASE_PCG_EPS_MOST] = sum[BASE_PCG_MOST];
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
        s[BASE_PCG_DONE] = sum[0] > t->tolerance * t->tolerance * s[BASE_PCG_FIRST] ? 0 : 1;
    }
}

#endif
