/* --verify must accept right solutions, and refuse wrong ones, where an axis has one, two or three points, however short it is: on
   every pair of sides, on nodes and in cells, for every symbol. */
#include "app/processes.h"
#include "app/verify.h"
#include "tests/check.h"
#include "tests/oracle/sides.h"

enum { MOST = 5 * 4 * 5 };
static const char letters[] = {
    [PSG_BC_PERIODIC] = 'P', [PSG_BC_DIRICHLET] = 'D', [PSG_BC_NEUMANN] = 'N'};
static const oracle_stencil stencils[] = {[PSG_SYMBOL_SPECTRAL] = ORACLE_LINE_SPECTRAL,
                                          [PSG_SYMBOL_FD2] = ORACLE_LINE_FD2,
                                          [PSG_SYMBOL_FD4] = ORACLE_LINE_FD4,
                                          [PSG_SYMBOL_FD6] = ORACLE_LINE_FD6,
                                          [PSG_SYMBOL_FD8] = ORACLE_LINE_FD8};

typedef struct problem {
    psg_grid grid;
    psg_symbol symbol;
    psg_precision precision;
    double lambda;
    size_t mode[3];
} problem;

static oracle_line line_of(const psg_axis *axis) {
    return (oracle_line){.n = axis->n,
                         .length = axis->length,
                         .side = {letters[axis->bc[0]], letters[axis->bc[1]]},
                         .nodes = axis->points == PSG_POINTS_NODES};
}

/* u is a mode, and f is what the operator makes of it. */
static bool make(const problem *p, double *f, double *u) {
    const psg_axis *axis = p->grid.axis;
    long double eigenvalue = -p->lambda;
    for (int a = 0; a < 3; a++) {
        const oracle_line line = line_of(&axis[a]);
        eigenvalue += oracle_line_eigenvalue(&line, stencils[p->symbol], p->mode[a]);
    }
    for (size_t m = 0; m < app_points(&p->grid); m++) {
        const size_t at[3] = {m % axis[0].n, m / axis[0].n % axis[1].n, m / axis[0].n / axis[1].n};
        u[m] = 1;
        for (int a = 0; a < 3; a++) {
            const oracle_line line = line_of(&axis[a]);
            u[m] *= oracle_line_mode(&line, p->mode[a], at[a]);
        }
        f[m] = (double)(eigenvalue * u[m]);
    }
    return eigenvalue != 0; /* else u is constant, and has to be 0 */
}

static bool holds(const problem *p, const double *f, const double *u, app_verification *v) {
    double stored[2][MOST];
    const app_equation equation = {.symbol = p->symbol, .lambda = p->lambda, .factor = 1};
    const size_t points = app_points(&p->grid);
    app_put_row(stored[0], p->precision, 0, points, f);
    app_put_row(stored[1], p->precision, 0, points, u);
    const int code = app_verify(&p->grid, p->precision, &equation,
                                (app_planes){0, p->grid.axis[2].n}, stored[0], stored[1], v);
    CHECK(code == APP_DONE, "app_verify returned %d", code);
    return v->ok;
}

static void try_problem(const problem *p, int thin) {
    const psg_axis *axis = &p->grid.axis[thin];
    double f[MOST], u[MOST];
    app_verification v;
    if (!make(p, f, u)) {
        return;
    }
    for (int wrong = 0; wrong < 2; wrong++) {
        u[app_points(&p->grid) / 2] += wrong ? 0.02 : 0;
        const bool held = holds(p, f, u, &v);
        CHECK(held == !wrong,
              "axis %d of %zu points and length %g, sides %c%c, %s, symbol %d, %s, lambda %g, mode "
              "%zu,%zu,%zu, wrong %d: residual %g, bound %g, mean %g, bound %g",
              thin, axis->n, axis->length, letters[axis->bc[0]], letters[axis->bc[1]],
              axis->points == PSG_POINTS_NODES ? "nodes" : "cells", (int)p->symbol,
              app_precision_name(p->precision), p->lambda, p->mode[0], p->mode[1], p->mode[2],
              wrong, v.residual, v.bound, v.mean_off, v.mean_bound);
    }
}

/* All symbols, precisions and lambdas, and modes of the thin axis. @param[in] other  the sides of the others: where these hold
 * no mean, the mean of a wrong u is wrong, too */
static void try_axis(const psg_axis *axis, int thin, psg_bc other) {
    problem p = {.mode = {1, 1, 1}};
    psg_grid_init(&p.grid, 5, 4, 5, 1, 1.5, 0.7);
    for (int a = 0; a < 3; a++) {
        p.grid.axis[a].bc[0] = p.grid.axis[a].bc[1] = other;
    }
    p.grid.axis[thin] = *axis;
    for (p.mode[thin] = 0; p.mode[thin] < axis->n; p.mode[thin]++) {
        for (int variant = 0; variant < 4 * PSG_SYMBOL_COUNT; variant++) {
            p.symbol = (psg_symbol)(variant / 4);
            p.precision = variant & 1 ? PSG_F32 : PSG_F64;
            p.lambda = variant & 2 ? 3 : 0;
            try_problem(&p, thin);
        }
    }
}

int main(int argc, char **argv) {
    if (app_ranks_start(argc, argv)) {
        return 1;
    }
    static const double lengths[] = {1, 1e-3, 1e-12};
    size_t axes = 0;
    for (int pair = 0; pair < PSG_BC_COUNT * PSG_BC_COUNT * PSG_POINTS_COUNT; pair++) {
        const int points = pair % PSG_POINTS_COUNT, sides = pair / PSG_POINTS_COUNT;
        for (size_t n = 1; n <= 3; n++) {
            for (size_t m = 0; m < sizeof lengths / sizeof *lengths; m++) {
                const psg_axis axis = {
                    .n = n,
                    .length = lengths[m],
                    .bc = {(psg_bc)(sides % PSG_BC_COUNT), (psg_bc)(sides / PSG_BC_COUNT)},
                    .points = (psg_points)points};
                /* an axis with one periodic side is none, and two nodes at least are on Neumann sides */
                const bool known = axis.bc[0] != PSG_BC_FREE && axis.bc[1] != PSG_BC_FREE &&
                                   psg_axis_points(&axis, NULL, NULL) == PSG_OK;
                for (int thin = 0; thin < 3 && known; thin++, axes++) {
                    try_axis(&axis, thin, PSG_BC_PERIODIC);
                    try_axis(&axis, thin, PSG_BC_DIRICHLET);
                }
            }
        }
    }
    CHECK(axes > 0, "no axis was tried");
    return app_ranks_finish(check_result());
}
