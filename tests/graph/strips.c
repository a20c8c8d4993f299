/* Planes and columns of the sizes that have a kernel of their own, with all kinds of sides: one GPU
 * and all of them give the u that the cores give, whichever way blocks go and the grid is cut. */
#include "tests/check.h"
#include "tests/harness.h"

#include <stdlib.h>

static const oracle_grid grids[] = {
    {{256, 256, 12}, {1.0, 1.5, 0.1}},
    {{512, 512, 5}, {2.0, 1.0, 0.1}},
    {{1024, 1024, 4}, {1.0, 1.0, 0.1}},
};

/* With sides other than periodic ones; columns of these lengths have kernels for them. */
static const oracle_grid sided[] = {
    {{64, 64, 64}, {1.0, 1.5, 0.7}},     {{128, 128, 128}, {1.0, 1.1, 0.9}},
    {{256, 256, 256}, {1.0, 1.1, 0.9}},  {{96, 96, 320}, {1.0, 1.1, 2.0}},
    {{512, 512, 64}, {2.0, 1.0, 0.1}},   {{64, 64, 512}, {0.1, 0.1, 1.0}},
    {{1024, 1024, 64}, {1.0, 1.0, 0.1}}, {{64, 64, 1024}, {0.1, 0.1, 1.0}},
    {{72, 72, 300}, {1.0, 1.1, 2.0}},
};
static const char *const pairs[] = {"PP", "NN", "DD", "DN", "ND"};
enum { PAIRS = sizeof pairs / sizeof *pairs, ALL = PAIRS * PAIRS * PAIRS };

/* The lengths of the tables. */
#define PSG_KSPACE(LENGTH, ...) LENGTH,
static const size_t lengths_f64[] = {
#include "kernels/kspace_sides_f64.def"
};
static const size_t lengths_f32[] = {
#include "kernels/kspace_sides_f32.def"
};

/* 0: the default. */
static const struct cut {
    size_t segment_planes, sheets;
} cuts[] = {{0, 0}, {1, 5}, {1000, 1}, {2, 3}};

static void solve(const psg_grid *grid, const psg_options *options, const void *f, void *u) {
    DESTROYED psg_plan *plan = harness_plan(grid, options);
    CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
    CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
}

static size_t points_of(const psg_grid *grid) {
    return grid->axis[0].n * grid->axis[1].n * grid->axis[2].n;
}

/* @param[in] runs  of two for each cut */
static void by_gpus(const psg_grid *grid, psg_precision precision, int gpus, size_t runs,
                    const void *f, const double *want) {
    const size_t points = points_of(grid);
    const psg_axis *axis = grid->axis;
    FREED void *u = harness_array(precision, points);
    FREED double *got = oracle_array(points);
    for (size_t run = 0; run < runs; ++run) {
        psg_options options = harness_options(precision);
        const struct cut *cut = &cuts[run / 2];
        options.gpus = gpus;
        options.exchange = run % 2 ? PSG_EXCHANGE_MANAGED : PSG_EXCHANGE_AUTO;
        options.segment_planes = cut->segment_planes;
        options.sheets = cut->sheets;
        solve(grid, &options, f, u);
        harness_load(precision, points, u, got);
        CHECK_CLOSE(
            got, want, axis[0].n, axis[1].n, axis[2].n, harness_tolerance(precision, 1e-13, 1e-5),
            "%s, sides %d%d,%d%d,%d%d, %d GPUs, cut %zu x %zu%s", harness_precision_name(precision),
            axis[0].bc[0], axis[0].bc[1], axis[1].bc[0], axis[1].bc[1], axis[2].bc[0],
            axis[2].bc[1], gpus, cut->segment_planes, cut->sheets, run % 2 ? ", managed" : "");
    }
}

static void one_grid(const psg_grid *grid, psg_precision precision, size_t runs) {
    const size_t points = points_of(grid);
    FREED double *values = oracle_array(points);
    FREED void *f = harness_array(precision, points), *u = harness_array(precision, points);
    psg_options options = harness_options(precision);
    options.gpus = 0;
    oracle_random(points, points, values);
    harness_store(precision, points, values, f);
    solve(grid, &options, f, u);
    harness_load(precision, points, u, values);
    by_gpus(grid, precision, 1, runs, f, values);
    by_gpus(grid, precision, -1, runs, f, values);
}

/* Every combination on the smallest grid, some on the larger ones. */
static void all_sides(void) {
    for (size_t g = 0; g < sizeof sided / sizeof *sided; ++g) {
        for (size_t c = 1; c < ALL; c += g == 0 ? 1 : 31) { /* 31: 1, 32, 63, 94 */
            psg_grid grid = harness_grid(&sided[g]);
            const size_t all = (c + g) % ALL;
            char sides[12];
            snprintf(sides, sizeof sides, "%s,%s,%s", pairs[all % PAIRS],
                     pairs[all / PAIRS % PAIRS], pairs[all / PAIRS / PAIRS]);
            harness_sides(&grid, sides);
            one_grid(&grid, (c + g) % 3 == 0 ? PSG_F32 : PSG_F64, g == 0 && c % 10 ? 1 : 4);
        }
    }
}

/* Every length with a kernel for sides along z, in grids whose planes have no kernel: cuFFT
 * transforms those. */
static void all_lengths(psg_precision precision, const size_t *length, size_t count) {
    for (size_t m = 0; m < count; ++m) {
        const oracle_grid slim = {{12, 10, length[m]}, {1.0, 0.8, 2.0}};
        for (size_t p = 1; p < PAIRS; ++p) {
            psg_grid grid = harness_grid(&slim);
            char sides[12];
            snprintf(sides, sizeof sides, "PP,PP,%s", pairs[p]);
            harness_sides(&grid, sides);
            one_grid(&grid, precision, 1);
        }
    }
}

int main(void) {
    psg_options options = harness_options(PSG_F64);
    psg_plan *plan = NULL;
    const psg_grid small = harness_grid(&grids[0]);
    options.gpus = 1;
    if (psg_plan_create(&plan, &small, &options) == PSG_ERR_NODEV) {
        printf("skipped: %s\n", psg_last_error());
        return CHECK_SKIP;
    }
    psg_plan_destroy(plan);
    for (size_t g = 0; g < sizeof grids / sizeof *grids; ++g) {
        const psg_grid grid = harness_grid(&grids[g]);
        one_grid(&grid, PSG_F64, 2 * sizeof cuts / sizeof *cuts);
        one_grid(&grid, PSG_F32, 2 * sizeof cuts / sizeof *cuts);
    }
    all_sides();
    all_lengths(PSG_F64, lengths_f64, sizeof lengths_f64 / sizeof *lengths_f64);
    all_lengths(PSG_F32, lengths_f32, sizeof lengths_f32 / sizeof *lengths_f32);
    return check_result();
}
