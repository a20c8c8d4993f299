/* What the gradient in f32 takes from a field leaves as little divergence as f32 has digits, on any
 * number of points: differences of u in f32 lose four times more with each doubling. So the
 * gradient with the symbol fd2 is that of the modes, for any sides and values on them; on GPUs
 * where x and y are periodic. It is compared with differences of u in f64. */
#include "tests/check.h"
#include "tests/harness.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static size_t points_of(const psg_grid *grid) {
    return grid->axis[0].n * grid->axis[1].n * grid->axis[2].n;
}

/* A smooth field: waves of some modes along each axis, which fit no side. */
static void smooth(const psg_grid *grid, size_t seed, double *v) {
    const size_t *n[3] = {&grid->axis[0].n, &grid->axis[1].n, &grid->axis[2].n};
    double amplitude[64];
    oracle_random(seed, 64, amplitude);
    for (size_t p = 0; p < points_of(grid); ++p) {
        const double turn[3] = {6.283185307179586 * (double)(p % *n[0]) / (double)*n[0],
                                6.283185307179586 * (double)(p / *n[0] % *n[1]) / (double)*n[1],
                                6.283185307179586 * ((double)(p / *n[0] / *n[1]) + 0.5) /
                                    (double)*n[2]};
        v[p] = 0;
        for (int m = 0; m < 64; ++m) {
            v[p] += amplitude[m] * cos((m % 4) * turn[0] + m) * cos((m / 4 % 4) * turn[1] + 2 * m) *
                    cos((m / 16) * turn[2] + 3 * m);
        }
    }
}

static bool on_gpus(void) {
    return harness_options(PSG_F32).gpus > 0;
}

/** A plan of one precision, and what it makes of f. */
typedef struct answer {
    psg_precision precision;
    double *u, *g[3];
} answer;

/** @param[in] side  values on upper sides: as many points as any side has; NULL: all are 0 */
static psg_status solve(const psg_grid *grid, const psg_options *given, const double *side,
                        const double *f, answer *a) {
    psg_options options = *given;
    options.precision = a->precision;
    DESTROYED psg_plan *plan = harness_plan(grid, &options);
    const size_t points = points_of(grid);
    FREED void *from = harness_array(a->precision, points),
               *to = harness_array(a->precision, points);
    FREED void *x = harness_array(a->precision, points), *y = harness_array(a->precision, points);
    FREED void *z = harness_array(a->precision, points);
    FREED void *on_side = harness_array(a->precision, points);
    void *const made[3] = {x, y, z};
    psg_array in = harness_view(from), out = harness_view(to), values = harness_view(on_side);
    psg_array component[3];
    psg_solve_args args = harness_args(plan);
    harness_store(a->precision, points, f, from);
    for (int d = 0; d < 3; ++d) {
        component[d] = harness_view(made[d]);
        args.gradient[d] = &component[d];
    }
    for (int d = 0; d < 3 && side != NULL; ++d) {
        const bool wall = grid->axis[d].bc[0] != PSG_BC_PERIODIC;
        args.value[d][0] = wall ? 0.5 : 0;
        args.side[d][1] = wall ? &values : NULL;
    }
    harness_store(a->precision, side != NULL ? points : 0, side, on_side);
    const psg_status status = psg_solve_arrays(plan, 1, &in, &out, &args);
    harness_load(a->precision, points, to, a->u);
    for (int d = 0; d < 3; ++d) {
        harness_load(a->precision, points, made[d], a->g[d]);
    }
    return status;
}

static answer answer_of(psg_precision precision, size_t points) {
    return (answer){precision,
                    oracle_array(points),
                    {oracle_array(points), oracle_array(points), oracle_array(points)}};
}

static void free_answer(answer *a) {
    free(a->u);
    for (int d = 0; d < 3; ++d) {
        free(a->g[d]);
    }
}

/** The gradient in f32 is that in f64, to the digits of f32. */
static void compare(const psg_grid *grid, const psg_options *options, bool values, bool walls,
                    double tolerance, const char *words) {
    const size_t points = points_of(grid);
    FREED double *f = oracle_array(points), *on_side = oracle_array(points);
    AT_END(free_answer) answer want = answer_of(PSG_F64, points), got = answer_of(PSG_F32, points);
    smooth(grid, 1, f);
    harness_round(PSG_F32, points, f);
    oracle_random(2, points, on_side);
    harness_round(PSG_F32, points, on_side);
    CHECK_STATUS(solve(grid, options, values ? on_side : NULL, f, &want), PSG_OK);
    CHECK_STATUS(solve(grid, options, values ? on_side : NULL, f, &got), PSG_OK);
    double most = 0; /* walls: terms of all components, and of values on sides over the spacing */
    for (int d = 0; d < 3 && walls; ++d) {
        const psg_axis *axis = &grid->axis[d];
        const bool given = values && axis->bc[0] != PSG_BC_PERIODIC;
        most = fmax(most, oracle_max(want.g[d], points));
        most = fmax(most, given ? 0.5 : 0);
        most = fmax(most, given ? oracle_max(want.u, points) * (double)axis->n / axis->length : 0);
    }
    for (int d = 0; d < 3; ++d) {
        double off = 0, largest = most;
        for (size_t p = 0; p < points; ++p) {
            off = check_worse(off, fabs(want.g[d][p] - got.g[d][p]));
            largest = fmax(largest, fabs(want.g[d][p]));
        }
        CHECK(off <= tolerance * largest, "%s: component %d is off by %g of %g", words, d, off,
              largest);
    }
}

static void sides(void) {
    static const char *const pairs[] = {"PP", "NN", "DD", "DN", "ND", "NNn", "DDn", "DNn", "NDn"};
    for (size_t c = 0; c < sizeof pairs / sizeof *pairs; ++c) {
        for (size_t m = 0; m < 4; ++m) {
            char words[100], on_sides[20];
            psg_grid grid = harness_box(12, 9, 16 + 3 * m, 1, 1.5, 2);
            psg_options options = harness_with(PSG_F32, m % 2 == 0 ? "symbol=fd2 mean=drop"
                                                                   : "symbol=fd2 lambda=2.5");
            options.segment_planes = m < 2 ? 0 : 5;
            options.sheets = m < 2 ? 0 : 2;
            snprintf(on_sides, sizeof on_sides, "PP,PP,%s", pairs[c]);
            harness_sides(&grid, on_sides);
            snprintf(words, sizeof words, "z %s, lambda %g, %zu planes in a segment", pairs[c],
                     options.lambda, options.segment_planes);
            compare(&grid, &options, m == 1 || m == 2, false, 2e-6, words);
        }
    }
}

/** All pairs along x and y, with those of z in turn, on few points and on lengths with large prime
 * factors. */
static void walls(void) {
    static const char *const pairs[] = {"PP", "NN", "DD", "DN", "ND", "NNn", "DDn", "DNn", "NDn"};
    static const size_t n[] = {1, 2, 3, 7, 16, 33, 38, 53};
    enum { PAIRS = sizeof pairs / sizeof *pairs, SIZES = sizeof n / sizeof *n };
    for (size_t c = 0; c < 3 * PAIRS * PAIRS && !on_gpus(); ++c) {
        const size_t x = c % PAIRS, y = c / PAIRS % PAIRS, m = (c + c / PAIRS) % SIZES;
        char words[100], on_sides[20];
        psg_grid grid = harness_box(n[m] + (n[m] == 1 && x == 5), n[(m + 5 * c) % SIZES] + (y == 5),
                                    n[(c + x) % 6] + 1, 1, 1.5, 2);
        psg_options options = harness_with(PSG_F32, c % 3 == 0 ? "symbol=fd2 mean=drop lambda=0"
                                                               : "symbol=fd2 lambda=2.5");
        options.executor = c % 7 == 0 ? PSG_EXECUTOR_TASKS : options.executor;
        options.segment_planes = c % 4 == 0 ? 5 : 0;
        options.sheets = c % 5;
        snprintf(on_sides, sizeof on_sides, "%s,%s,%s", pairs[x], pairs[y], pairs[c % PAIRS]);
        harness_sides(&grid, on_sides);
        snprintf(words, sizeof words, "%zux%zux%zu %s, lambda %g, values %d", grid.axis[0].n,
                 grid.axis[1].n, grid.axis[2].n, on_sides, options.lambda, c % 2 == 0);
        compare(&grid, &options, c % 2 == 0, true, 2e-6, words);
    }
}

/** The error does not grow with the number of points. */
static void sizes(void) {
    for (size_t n = 16; n <= 64; n *= 2) {
        static const char *const boxes[] = {"PP,PP,PP", "PP,PP,NN", "NN,NN,NN",
                                            "NN,PP,ND", "PP,DD,PP", "ND,DN,DD"};
        for (size_t m = 0; m <= sizeof boxes / sizeof *boxes; ++m) {
            char words[100];
            psg_grid grid = harness_box(n, n, n, 1, 1, 1);
            const bool spectral = m == sizeof boxes / sizeof *boxes;
            const psg_options options =
                harness_with(PSG_F32, spectral ? "symbol=spectral" : "symbol=fd2");
            if (m > 1 && on_gpus()) {
                continue; /* differences of u; and by spectral u's modes in f32 times i k */
            }
            harness_sides(&grid, spectral ? "PP,PP,PP" : boxes[m]);
            snprintf(words, sizeof words, "%zu^3, %s", n, spectral ? "spectral" : boxes[m]);
            compare(&grid, &options, false, false, 5e-7, words);
        }
    }
}

int main(void) {
    const psg_options first = harness_options(PSG_F32);
    DESTROYED psg_plan *anchor = harness_anchor(&first);
    sides();
    walls();
    sizes();
    return check_result();
}
