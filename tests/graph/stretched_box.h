/** @file stretched_box.h  Boxes with a stretched z: where the faces are, what u has to be, and a
 *  solve. */
#ifndef PSG_TESTS_STRETCHED_BOX_H
#define PSG_TESTS_STRETCHED_BOX_H

#include "tests/check.h"
#include "tests/mpi/ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/** A grid whose faces along all axes the test knows; `stretched`: the plan has those along z. */
typedef struct box {
    oracle_grid grid;
    psg_grid g;
    size_t points;
    double *face[3];
    double value[3][2], lambda, factor;
    int stretched;
    char words[200];
} box;

/** GPUs have the fused graph alone, and projections by differences of u. */
static inline int on_gpus(void) {
    return harness_options(PSG_F64).gpus > 0;
}

/** Widths from 1 to about `ratio`, smooth or not. */
static inline void make_widths(size_t n, double ratio, int smooth, double length, double *face) {
    double *random = oracle_array(n);
    oracle_random(n, n, random);
    face[0] = -0.25 * length;
    for (size_t k = 0; k < n; ++k) {
        const double s = sin(pi * ((double)k + 0.5) / (double)n);
        face[k + 1] = face[k] + pow(ratio, smooth ? s * s : 0.5 + 0.5 * random[k]);
    }
    const double scale = length / (face[n] - face[0]);
    for (size_t k = 0; k <= n; ++k) {
        face[k] *= scale;
    }
    free(random);
}

static inline box make_box(const size_t n[3], const char *sides, double ratio, int smooth) {
    box b = {.grid = {{n[0], n[1], n[2]}, {1.5, 2.0, 0.75}}, .factor = 1, .stretched = 1};
    b.points = oracle_points(&b.grid);
    b.g = harness_grid(&b.grid);
    harness_sides(&b.g, sides);
    for (int d = 0; d < 3; ++d) {
        b.face[d] = oracle_array(n[d] + 1);
        for (int side = 0; side < 2; ++side) {
            b.g.axis[d].robin[side] = b.g.axis[d].bc[side] == PSG_BC_ROBIN ? 0.7 + 3 * side : 0;
        }
        make_widths(n[d], d == 2 ? ratio : 1, smooth, b.grid.length[d], b.face[d]);
        for (int side = 0; side < 2; ++side) {
            const psg_bc bc = b.g.axis[d].bc[side];
            b.value[d][side] = bc == PSG_BC_PERIODIC || bc == PSG_BC_FREE ? 0 : 0.5 + d - side;
        }
    }
    b.g.axis[2].length = b.face[2][n[2]] - b.face[2][0];
    snprintf(b.words, sizeof b.words, "%zux%zux%zu, %s, %g:1", n[0], n[1], n[2], sides, ratio);
    return b;
}

static inline void free_box(box *b) {
    for (int d = 0; d < 3; ++d) {
        free(b->face[d]);
    }
}

/** @param[in] plan_options  of one process, or of all */
static inline psg_plan *plan_of(const box *b, const psg_options *options) {
    psg_grid g = b->g;
    double *copy = oracle_array(b->grid.n[2] + 1); /* the plan has its own */
    memcpy(copy, b->face[2], (b->grid.n[2] + 1) * sizeof *copy);
    g.axis[2].faces = b->stretched ? copy : NULL;
    psg_plan *plan = harness_plan(&g, options);
    memset(copy, 0, (b->grid.n[2] + 1) * sizeof *copy);
    free(copy);
    return plan;
}

static inline double width(const box *b, int d, size_t m) {
    return b->face[d][m + 1] - b->face[d][m];
}

/** The derivative of u through a face of point p. */
static inline long double flux(const box *b, const double *u, size_t p, int d, int upper) {
    const size_t *n = b->grid.n;
    const size_t step[3] = {1, n[0], n[0] * n[1]};
    const size_t m = p / step[d] % n[d];
    const psg_bc bc = b->g.axis[d].bc[upper];
    const int end = upper ? m + 1 == n[d] : m == 0;
    const size_t other = !end ? (upper ? m + 1 : m - 1) : upper ? 0 : n[d] - 1;
    const long double sign = upper ? 1 : -1;
    if (end && bc == PSG_BC_NEUMANN) {
        return b->value[d][upper];
    }
    if (end && bc == PSG_BC_DIRICHLET) {
        return sign * (b->value[d][upper] - u[p]) / (width(b, d, m) / 2);
    }
    if (end && bc == PSG_BC_ROBIN) { /* with the u of the side that both differences agree on */
        const long double k = b->g.axis[d].robin[upper], half = width(b, d, m) / 2;
        const long double at_side = (u[p] + sign * half * b->value[d][upper]) / (1 + k * half);
        return b->value[d][upper] - sign * k * at_side;
    }
    const long double apart = ((long double)width(b, d, m) + width(b, d, other)) / 2;
    return sign * (u[p - m * step[d] + other * step[d]] - u[p]) / apart;
}

static inline long double volume(const box *b, size_t p) {
    const size_t *n = b->grid.n;
    return (long double)width(b, 0, p % n[0]) * width(b, 1, p / n[0] % n[1]) *
           width(b, 2, p / n[0] / n[1]);
}

static inline int singular(const box *b) {
    int all = b->lambda == 0;
    for (int m = 0; m < 6; ++m) {
        all = all && (b->g.axis[m / 2].bc[m % 2] == PSG_BC_PERIODIC ||
                      b->g.axis[m / 2].bc[m % 2] == PSG_BC_NEUMANN);
    }
    return all;
}

/** lap(u) - lambda u - factor f of each point, less its mean where that is dropped.
 *  @param[out] terms  the largest term of a sum @param[out] mean  of what is dropped */
static inline double residual(const box *b, const double *u, const double *f, double *terms,
                              double *mean) {
    const size_t *n = b->grid.n;
    FREED double *r = oracle_array(b->points);
    long double sum = 0, all = 0;
    double worst = 0;
    *terms = 0;
    for (size_t p = 0; p < b->points; ++p) {
        const size_t m[3] = {p % n[0], p / n[0] % n[1], p / n[0] / n[1]};
        long double lap = 0;
        for (int d = 0; d < 3; ++d) {
            const long double out = flux(b, u, p, d, 1), in = flux(b, u, p, d, 0);
            lap += (out - in) / width(b, d, m[d]);
            const double w = width(b, d, m[d]);
            *terms = fmax(*terms, (double)(fabsl(out) + fabsl(in)) / w + fabs(u[p]) / (w * w));
        }
        r[p] = (double)(lap - b->lambda * u[p] - b->factor * f[p]);
        sum += r[p] * volume(b, p);
        all += volume(b, p);
    }
    *mean = singular(b) ? (double)(sum / all) : 0;
    for (size_t p = 0; p < b->points; ++p) {
        worst = check_worse(worst, fabs(r[p] - *mean));
    }
    return worst;
}

static inline double mean_of(const box *b, const double *u) {
    long double sum = 0, all = 0;
    for (size_t p = 0; p < b->points; ++p) {
        sum += u[p] * volume(b, p);
        all += volume(b, p);
    }
    return (double)(sum / all);
}

typedef struct result {
    double *u, *g[3];
    double mean; /* of f */
} result;

/** @param[in] wanted  components of the gradient, bits @param[in] comm  MPI_COMM_NULL: this process
 *  alone */
static inline psg_status solve(const box *b, psg_options options, MPI_Comm comm, unsigned wanted,
                               const double *f, result *r) {
    const MPI_Comm of = comm == MPI_COMM_NULL ? MPI_COMM_SELF : comm;
    part p = part_make(of, options.precision, &b->grid);
    psg_array g[3];
    options.comm = comm == MPI_COMM_NULL ? NULL : options.comm;
    DESTROYED psg_plan *plan = plan_of(b, &options);
    psg_solve_args args = harness_args(plan);
    args.lambda = b->lambda;
    args.factor = b->factor;
    memcpy(args.value, b->value, sizeof args.value);
    share_take(&p.u, f);
    const psg_array in = harness_view(p.u.f), out = harness_view(p.u.u);
    for (int d = 0; d < 3; ++d) {
        g[d] = harness_view(p.g[d].u);
        args.gradient[d] = (wanted >> d & 1) != 0 ? &g[d] : NULL;
    }
    const psg_status status = psg_solve_arrays(plan, 1, &in, &out, &args);
    for (int d = -1; d < 3 && status == PSG_OK; ++d) {
        if (d < 0 || (wanted >> d & 1) != 0) {
            share_gather(d < 0 ? &p.u : &p.g[d], of, d < 0 ? r->u : r->g[d]);
        }
    }
    CHECK(status != PSG_OK || share_intact(&p.u), "%s: f was written", b->words);
    r->mean = status == PSG_OK ? harness_statistics(plan).mean : NAN;
    part_free(&p);
    return status;
}

static inline result make_result(size_t points) {
    return (result){oracle_array(points),
                    {oracle_array(points), oracle_array(points), oracle_array(points)},
                    0};
}

static inline void free_result(result *r) {
    free(r->u);
    for (int d = 0; d < 3; ++d) {
        free(r->g[d]);
    }
}

#endif
