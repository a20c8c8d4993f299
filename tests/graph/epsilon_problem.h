/** @file epsilon_problem.h  A solve with epsilon, and its oracles: sums over faces, and regions of
 * the fluid found by spreading the least number. They share nothing with the library. */
#ifndef PSG_TESTS_GRAPH_EPSILON_PROBLEM_H
#define PSG_TESTS_GRAPH_EPSILON_PROBLEM_H

#include "graph/psg_observe.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

typedef struct medium {
    size_t n[3];
    double length[3];
    double lambda, factor;
    const char *sides;
    size_t points;
    double *f, *eps, *u;
    double *faces[3]; /**< in place of eps, by axis; NULL: eps is known at points */
    double value[6];  /**< on the sides, lower and upper, by axis */
    double *side[6];  /**< in place of a value; NULL: the value is the same all over the side */
    double *z;        /**< [n[2] + 1]: the faces of a stretched z; NULL: it has one spacing */
} medium;

static inline medium make(size_t nx, size_t ny, size_t nz, double lx, double ly, double lz) {
    medium p = {.n = {nx, ny, nz},
                .length = {lx, ly, lz},
                .factor = 1,
                .sides = "PP",
                .points = nx * ny * nz};
    double **const fields[3] = {&p.f, &p.eps, &p.u};
    for (int m = 0; m < 3; ++m) {
        *fields[m] = calloc(p.points, sizeof(double));
    }
    return p;
}

static inline void destroy(const medium *p) {
    free(p->f);
    free(p->eps);
    free(p->u);
    free(p->z);
    for (int d = 0; d < 3; ++d) {
        free(p->faces[d]);
        free(p->side[2 * d]);
        free(p->side[2 * d + 1]);
    }
}

/** f around a mean, eps from 1 to `contrast`. */
static inline void fill_random(const medium *p, double mean, double contrast) {
    srand(7);
    for (size_t m = 0; m < p->points; ++m) {
        p->f[m] = mean + 2.0 * rand() / RAND_MAX - 1;
        p->eps[m] = exp(log(contrast) * rand() / RAND_MAX);
    }
}

/** eps of faces, from 1 to `contrast`, and a share of them closed. */
static inline void fill_faces(medium *p, double contrast, double closed) {
    for (int d = 0; d < 3; ++d) {
        p->faces[d] = calloc(p->points, sizeof(double));
        for (size_t m = 0; m < p->points; ++m) {
            const bool open = rand() >= RAND_MAX * closed;
            p->faces[d][m] = open ? exp(log(contrast) * rand() / RAND_MAX) : 0;
        }
    }
}

/** Widths of z from 1 to `ratio`, at random. */
static inline void stretch(medium *p, double ratio) {
    const size_t n = p->n[2];
    p->z = calloc(n + 1, sizeof(double));
    for (size_t k = 0; k < n; ++k) {
        p->z[k + 1] = p->z[k] + exp(log(ratio) * rand() / RAND_MAX);
    }
    for (size_t k = 0; k <= n; ++k) {
        p->z[k] *= p->length[2] / p->z[n];
    }
    p->length[2] = p->z[n] - p->z[0];
}

/** The length of a point's cell along an axis. */
static inline double width_of(const medium *p, size_t m, int d, bool nodes) {
    const size_t k = m / p->n[0] / p->n[1];
    return d == 2 && p->z != NULL ? p->z[k + 1] - p->z[k]
                                  : p->length[d] / (double)(p->n[d] + (nodes ? 1 : 0));
}

/** What a point counts in means and norms. */
static inline double counts(const medium *p, size_t m) {
    return p->z != NULL ? width_of(p, m, 2, false) : 1;
}

static inline double mean_of(const medium *p, const double *values) {
    double sum = 0, all = 0;
    for (size_t m = 0; m < p->points; ++m) {
        sum += values[m] * counts(p, m);
        all += counts(p, m);
    }
    return sum / all;
}

static inline psg_grid grid_of(const medium *p) {
    psg_grid grid =
        harness_box(p->n[0], p->n[1], p->n[2], p->length[0], p->length[1], p->length[2]);
    harness_sides(&grid, p->sides);
    for (int d = 0; d < 3; ++d) { /* a small letter: points on nodes */
        if (grid.axis[d].points == PSG_POINTS_CELLS && strchr(p->sides, 'd') != NULL) {
            grid.axis[d].bc[0] = grid.axis[d].bc[1] = PSG_BC_DIRICHLET;
            grid.axis[d].points = PSG_POINTS_NODES;
        }
    }
    grid.axis[2].faces = p->z;
    return grid;
}

/** Does no side and no lambda fix the constant? */
static inline bool is_singular(const medium *p) {
    return p->lambda == 0 && strpbrk(p->sides, "DdF") == NULL;
}

/** The point beyond a face of point m. @return p->points: a side that u does not pass */
static inline size_t beyond(const medium *p, size_t m, int face) {
    const psg_grid grid = grid_of(p);
    const size_t at[3] = {m % p->n[0], m / p->n[0] % p->n[1], m / p->n[0] / p->n[1]};
    const size_t stride[3] = {1, p->n[0], p->n[0] * p->n[1]};
    const int d = face / 2;
    if (grid.axis[d].bc[face % 2] != PSG_BC_PERIODIC && at[d] == (face % 2 ? p->n[d] - 1 : 0)) {
        return p->points;
    }
    const size_t next = (at[d] + (face % 2 ? 1 : p->n[d] - 1)) % p->n[d];
    return m - at[d] * stride[d] + next * stride[d];
}

/** Is the point beside a free side? */
static inline bool on_rim(const medium *p, size_t m) {
    const psg_grid grid = grid_of(p);
    bool any = false;
    for (int face = 0; face < 6 && strchr(p->sides, 'F') != NULL; ++face) {
        any = any ||
              (grid.axis[face / 2].bc[face % 2] == PSG_BC_FREE && beyond(p, m, face) == p->points);
    }
    return any;
}

/** eps of the points beside free sides is that outside. */
static inline void surround(const medium *p, double outside) {
    for (size_t m = 0; m < p->points; ++m) {
        p->eps[m] = on_rim(p, m) ? outside : p->eps[m];
    }
}

/** eps of a face of a point that has faces. */
static inline double face_of(const medium *p, size_t m, int face) {
    const size_t other = face % 2 == 0 ? beyond(p, m, face) : m;
    return p->faces[face / 2][other < p->points ? other : m];
}

/** Are the face and what is beyond it open for u? */
static inline bool is_open(const medium *p, size_t m, int face) {
    const psg_grid grid = grid_of(p);
    const size_t other = beyond(p, m, face);
    const bool fluid = p->faces[0] != NULL
                           ? face_of(p, m, face) > 0
                           : p->eps[m] > 0 && (other == p->points || p->eps[other] > 0);
    const psg_bc bc = grid.axis[face / 2].bc[face % 2];
    return fluid && other != m &&
           (other < p->points || bc == PSG_BC_DIRICHLET || bc == PSG_BC_FREE);
}

static inline bool is_fluid(const medium *p, size_t m) {
    bool open = p->faces[0] != NULL ? p->lambda != 0 : p->eps[m] > 0;
    for (int face = 0; face < 6 && p->faces[0] != NULL && !open; ++face) {
        open = is_open(p, m, face);
    }
    return open;
}

/** div(eps grad u) at a point: through each face goes the difference of u over the resistance of
 * two half cells, and through a Dirichlet side u over that of half a cell, or of a whole one. */
static inline double divergence(const medium *p, size_t m) {
    const psg_grid grid = grid_of(p);
    double sum = 0;
    for (int face = 0; face < 6; ++face) {
        const int d = face / 2;
        const psg_axis *axis = &grid.axis[d];
        const bool nodes = axis->points == PSG_POINTS_NODES;
        const double h = width_of(p, m, d, nodes);
        const size_t other = beyond(p, m, face);
        if (other == p->points) {
            const double eps = p->faces[0] != NULL ? face_of(p, m, face) : p->eps[m];
            sum -= axis->bc[face % 2] == PSG_BC_DIRICHLET ? p->u[m] * eps / (nodes ? h : h / 2) / h
                                                          : 0;
            continue;
        }
        const double next = width_of(p, other, d, nodes);
        if (p->faces[0] != NULL) {
            sum += face_of(p, m, face) * (p->u[other] - p->u[m]) / (h / 2 + next / 2) / h;
            continue;
        }
        sum += (p->u[other] - p->u[m]) / (h / 2 / p->eps[m] + next / 2 / p->eps[other]) / h;
    }
    return sum;
}

/** The place of point m on a side: x has [nz][ny], y [nz][nx], z [ny][nx]. */
static inline size_t place_on(const medium *p, size_t m, int face) {
    const size_t at[3] = {m % p->n[0], m / p->n[0] % p->n[1], m / p->n[0] / p->n[1]};
    return face < 2   ? at[2] * p->n[1] + at[1]
           : face < 4 ? at[2] * p->n[0] + at[0]
                      : at[1] * p->n[0] + at[0];
}

/** Values on the walls, from -1 to 1: numbers, or one for each point. */
static inline void fill_sides(medium *p, bool arrays) {
    const psg_grid grid = grid_of(p);
    for (int face = 0; face < 6; ++face) {
        const psg_bc bc = grid.axis[face / 2].bc[face % 2];
        const bool wall = bc != PSG_BC_PERIODIC && bc != PSG_BC_FREE;
        p->value[face] = wall ? 2.0 * rand() / RAND_MAX - 1 : 0;
        if (arrays && p->value[face] != 0) {
            const size_t count = p->points / p->n[face / 2];
            p->side[face] = calloc(count, sizeof(double));
            for (size_t m = 0; m < count; ++m) {
                p->side[face][m] = 2.0 * rand() / RAND_MAX - 1;
            }
        }
    }
}

/** What the values add to div(eps grad u) at a point: the flux of u = value on a Dirichlet side
 *  and of 0 at the point, and the flux of the derivative on a Neumann side. */
static inline double inflow(const medium *p, size_t m) {
    const psg_grid grid = grid_of(p);
    double sum = 0;
    for (int face = 0; face < 6; ++face) {
        const int d = face / 2;
        const psg_axis *axis = &grid.axis[d];
        const bool nodes = axis->points == PSG_POINTS_NODES;
        const double h = width_of(p, m, d, nodes);
        if (beyond(p, m, face) < p->points) {
            continue;
        }
        const double eps = p->faces[0] != NULL ? face_of(p, m, face) : p->eps[m];
        const double value =
            p->side[face] != NULL ? p->side[face][place_on(p, m, face)] : p->value[face];
        sum += axis->bc[face % 2] == PSG_BC_DIRICHLET ? eps * value / (nodes ? h : h / 2) / h
                                                      : eps * value * (face % 2 ? 1 : -1) / h;
    }
    return sum;
}

/** f less what the sides add, which is all that u of a box with 0 on its sides sees. */
static inline double *whole_f(const medium *p) {
    double *f = malloc(p->points * sizeof *f);
    for (size_t m = 0; m < p->points; ++m) {
        f[m] = p->f[m] - inflow(p, m) / p->factor;
    }
    return f;
}

/** The mean of values over the fluid that is joined with each point; 0 where a Dirichlet side or
 * lambda fixes u. Each point takes the least number of its neighbours until none changes. */
static inline void means_of(const medium *p, const double *values, double *mean) {
    size_t *least = malloc(p->points * sizeof *least);
    double *sum = calloc(3 * p->points, sizeof *sum);
    double *count = sum + p->points;
    double *fixed = count + p->points;
    for (size_t m = 0; m < p->points; ++m) {
        least[m] = m;
    }
    for (bool changes = true; changes;) {
        changes = false;
        for (size_t f = 0; f < 6 * p->points; ++f) {
            const size_t m = f / 6;
            const size_t other = beyond(p, m, (int)(f % 6));
            if (other < p->points && least[other] != least[m] && is_open(p, m, (int)(f % 6))) {
                const size_t less = least[other] < least[m] ? least[other] : least[m];
                least[m] = least[other] = less;
                changes = true;
            }
        }
    }
    for (size_t m = 0; m < p->points; ++m) {
        sum[least[m]] += values[m] * counts(p, m);
        count[least[m]] += counts(p, m);
        for (int face = 0; face < 6; ++face) {
            fixed[least[m]] += beyond(p, m, face) == p->points && is_open(p, m, face);
        }
    }
    for (size_t m = 0; m < p->points; ++m) {
        const size_t r = least[m];
        mean[m] = p->lambda != 0 || fixed[r] > 0 ? 0 : sum[r] / count[r];
    }
    free(least);
    free(sum);
}

/** The root of the sum of squares of what is left of f, over that of f. What flows through free
 * sides is no sum over faces, so that nothing is left at the points beside them. */
static inline double residual_of(const medium *p) {
    double *mean = malloc(p->points * sizeof *mean);
    double *given = whole_f(p);
    double left = 0;
    double all = 0;
    means_of(p, given, mean);
    for (size_t m = 0; m < p->points; ++m) {
        const double f = p->factor * (given[m] - mean[m]);
        const double r = f - (divergence(p, m) - p->lambda * p->u[m]);
        left += on_rim(p, m) ? 0 : is_fluid(p, m) ? r * r * counts(p, m) : p->u[m] != 0;
        all += is_fluid(p, m) ? f * f * counts(p, m) : 0;
    }
    free(mean);
    free(given);
    return left == 0 ? 0 : sqrt(left / all); /* nothing is left of f, as of a mean alone */
}

static inline psg_plan *plan_of(const medium *p, psg_options options) {
    psg_plan *plan = NULL;
    const psg_grid grid = grid_of(p);
    options.symbol = PSG_SYMBOL_FD2;
    CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK);
    return plan;
}

static inline psg_status solve(psg_plan *plan, psg_precision precision, const medium *p,
                               const psg_solve_args *with, bool in_place) {
    double *const dense[5] = {p->f, p->u, p->faces[0] != NULL ? p->faces[0] : p->eps, p->faces[1],
                              p->faces[2]};
    const int arrays = p->faces[0] != NULL ? 5 : 3;
    psg_array array[5];
    psg_array side[6];
    psg_solve_args args = *with;
    for (int m = 0; m < 6; ++m) {
        const size_t count = p->points / p->n[m / 2];
        args.value[m / 2][m % 2] = p->value[m];
        if (p->side[m] != NULL) {
            psg_array_init(&side[m], harness_array(precision, count));
            harness_store(precision, count, p->side[m], side[m].data);
            args.side[m / 2][m % 2] = &side[m];
        }
    }
    for (int a = 0; a < arrays; ++a) {
        psg_array_init(&array[a], harness_array(precision, p->points));
        harness_store(precision, p->points, dense[a], array[a].data);
    }
    void *const u = array[1].data;
    array[1].data = in_place ? array[0].data : u;
    args.epsilon = p->faces[0] == NULL ? &array[2] : NULL;
    for (int d = 0; d < 3 && p->faces[0] != NULL; ++d) {
        args.epsilon_faces[d] = &array[2 + d];
    }
    const psg_status status = psg_solve_arrays(plan, 1, &array[0], &array[1], &args);
    harness_load(precision, p->points, array[1].data, p->u);
    array[1].data = u;
    for (int a = 0; a < arrays; ++a) {
        free(array[a].data);
    }
    for (int m = 0; m < 6; ++m) {
        free(p->side[m] != NULL ? side[m].data : NULL);
    }
    return status;
}

static inline psg_solve_args args_of(const psg_plan *plan, const medium *p) {
    psg_solve_args args = harness_args(plan);
    args.lambda = p->lambda;
    args.factor = p->factor;
    return args;
}

#endif
