/* Planes of the sizes that have a kernel of their own, which GPUs keep in strips: one GPU and all
 * of them give the u that the cores give, whichever way blocks go and the grid is cut. */
#include "tests/check.h"
#include "tests/harness.h"

#include <stdlib.h>

static const oracle_grid grids[] = {
    {{256, 256, 12}, {1.0, 1.5, 0.1}},
    {{512, 512, 5}, {2.0, 1.0, 0.1}},
    {{1024, 1024, 4}, {1.0, 1.0, 0.1}},
};

/* 0: the default. */
static const struct cut {
    size_t segment_planes, sheets;
} cuts[] = {{0, 0}, {1, 5}, {1000, 1}, {2, 3}};

static void solve(const oracle_grid *grid, const psg_options *options, const void *f, void *u) {
    const psg_grid g = harness_grid(grid);
    psg_plan *plan = NULL;
    if (CHECK_STATUS(psg_plan_create(&plan, &g, options), PSG_OK)) {
        CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
        CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
    }
    psg_plan_destroy(plan);
}

static void by_gpus(const oracle_grid *grid, psg_precision precision, int gpus, const void *f,
                    const double *want) {
    const size_t points = oracle_points(grid), *n = grid->n;
    void *u = harness_array(precision, points);
    double *got = oracle_array(points);
    for (size_t run = 0; run < 2 * sizeof cuts / sizeof *cuts; ++run) {
        psg_options options = harness_options(precision);
        const struct cut *cut = &cuts[run / 2];
        options.gpus = gpus;
        options.exchange = run % 2 ? PSG_EXCHANGE_MANAGED : PSG_EXCHANGE_AUTO;
        options.segment_planes = cut->segment_planes;
        options.sheets = cut->sheets;
        solve(grid, &options, f, u);
        harness_load(precision, points, u, got);
        CHECK_CLOSE(got, want, n[0], n[1], n[2], harness_tolerance(precision, 1e-13, 1e-5),
                    "%s, %d GPUs, cut %zu x %zu%s", harness_precision_name(precision), gpus,
                    cut->segment_planes, cut->sheets, run % 2 ? ", managed" : "");
    }
    free(u);
    free(got);
}

static void one_grid(const oracle_grid *grid, psg_precision precision) {
    const size_t points = oracle_points(grid);
    double *values = oracle_array(points);
    void *f = harness_array(precision, points), *u = harness_array(precision, points);
    psg_options options = harness_options(precision);
    options.gpus = 0;
    oracle_random(points, points, values);
    harness_store(precision, points, values, f);
    solve(grid, &options, f, u);
    harness_load(precision, points, u, values);
    by_gpus(grid, precision, 1, f, values);
    by_gpus(grid, precision, -1, f, values);
    free(values);
    free(f);
    free(u);
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
        one_grid(&grids[g], PSG_F64);
        one_grid(&grids[g], PSG_F32);
    }
    return check_result();
}
