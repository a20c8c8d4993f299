/* u is the factor times what it is without one, in every graph, precision and equation, and the mean that
 * is dropped is that of f. */
#include "graph/psg_observe.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <stdlib.h>

static const oracle_grid grid = {{9, 10, 12}, {1.0, 2.0, 0.5}};

/** Gravity and electrostatics in Gaussian and in SI units, and what a test needs to see a sign. */
static const double factors[] = {1, -1, 4 * 3.14159265358979323846 * 6.6743e-11,
                                 -4 * 3.14159265358979323846, -1 / 8.8541878128e-12};

static void one_plan(const harness_variant *variant, psg_precision precision, double lambda,
                     double factor, const double *f, const double *want) {
    const size_t points = oracle_points(&grid);
    const psg_grid g = harness_grid(&grid);
    psg_options options = harness_options(precision);
    psg_statistics s = {0};
    psg_plan *plan = NULL;
    double *u = oracle_array(points), *scaled = oracle_array(points);
    for (size_t m = 0; m < points; ++m) {
        scaled[m] = factor * want[m];
    }
    harness_set_variant(&options, variant);
    options.lambda = lambda;
    options.factor = factor;
    options.segment_planes = 5;
    options.sheets = 3;
    if (CHECK_STATUS(psg_plan_create(&plan, &g, &options), PSG_OK)) {
        CHECK_STATUS(harness_solve(plan, precision, points, f, u), PSG_OK);
        CHECK_CLOSE(u, scaled, grid.n[0], grid.n[1], grid.n[2],
                    harness_tolerance(precision, 1e-12, 1e-4), "%s, %s, lambda %g, factor %g",
                    harness_precision_name(precision), variant->name, lambda, factor);
        CHECK_STATUS(psg_plan_statistics(plan, &s), PSG_OK);
        CHECK_NEAR(s.mean, lambda > 0 ? 0 : oracle_mean(f, points),
                   harness_tolerance(precision, 1e-13, 1e-5), "mean, factor %g", factor);
    }
    psg_plan_destroy(plan);
    free(u);
    free(scaled);
}

int main(void) {
    static const double lambdas[] = {0, 7.5};
    const psg_options first = harness_options(PSG_F64);
    psg_plan *anchor = harness_anchor(&first);
    const size_t points = oracle_points(&grid);
    double *f = oracle_array(points), *want = oracle_array(points);
    oracle_random(5, points, f);
    for (size_t m = 0; m < points; ++m) {
        f[m] += 0.25;
    }
    for (size_t l = 0; l < sizeof lambdas / sizeof *lambdas; ++l) {
        oracle_solve(&grid, ORACLE_SPECTRAL, lambdas[l], f, want);
        for (size_t x = 0; x < sizeof factors / sizeof *factors; ++x) {
            for (int run = 0; run < 2 * HARNESS_VARIANTS; ++run) {
                one_plan(&harness_variants[run / 2], run % 2 ? PSG_F32 : PSG_F64, lambdas[l],
                         factors[x], f, want);
            }
        }
    }
    psg_plan_destroy(anchor);
    free(f);
    free(want);
    return check_result();
}
