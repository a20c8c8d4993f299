/* A random right-hand side gives the same u as a naive discrete Fourier transform in long double, on
 * sizes odd, prime and 1, with lambda = 0 and lambda > 0, for both symbols. */
#include "tests/check.h"
#include "tests/harness.h"

#include <stdlib.h>

static const oracle_grid grids[] = {
    {{9, 10, 11}, {1.0, 2.0, 0.5}},  {{16, 15, 14}, {1.0, 1.0, 1.0}}, {{7, 5, 3}, {2.0, 1.0, 3.0}},
    {{1, 13, 12}, {1.0, 1.0, 2.0}},  {{13, 1, 6}, {1.0, 1.0, 1.0}},   {{8, 17, 1}, {3.0, 1.0, 1.0}},
    {{1, 1, 31}, {1.0, 1.0, 1.0}},   {{1, 1, 1}, {1.0, 1.0, 1.0}},    {{2, 1, 2}, {1.0, 1.0, 1.0}},
    {{32, 27, 25}, {1.0, 1.1, 0.9}}, {{3, 2, 37}, {1.0, 1.0, 4.0}},
};

static void one_grid(const oracle_grid *grid, oracle_symbol symbol, double lambda) {
    size_t points = oracle_points(grid);
    psg_grid g = harness_grid(grid);
    double *f = oracle_array(points), *u = oracle_array(points), *want = oracle_array(points);
    oracle_random(17 * points, points, f);
    oracle_solve(grid, symbol, lambda, f, want);
    for (int run = 0; run < 2 * HARNESS_VARIANTS; ++run) {
        psg_options options = harness_options(run % 2 ? PSG_F32 : PSG_F64);
        psg_plan *plan = NULL;
        harness_set_variant(&options, &harness_variants[run / 2]);
        options.symbol = symbol == ORACLE_FD2 ? PSG_SYMBOL_FD2 : PSG_SYMBOL_SPECTRAL;
        options.lambda = lambda;
        options.segment_planes = 1 + grid->n[2] / 3;
        options.sheets = 1 + grid->n[1] / 4;
        if (CHECK_STATUS(psg_plan_create(&plan, &g, &options), PSG_OK)) {
            CHECK_STATUS(harness_solve(plan, options.precision, points, f, u), PSG_OK);
            CHECK_CLOSE(u, want, grid->n[0], grid->n[1], grid->n[2],
                        harness_tolerance(options.precision, 1e-12, 1e-4),
                        "%s, symbol %d, lambda %g, %s", harness_precision_name(options.precision),
                        symbol, lambda, harness_variants[run / 2].name);
        }
        psg_plan_destroy(plan);
    }
    free(f);
    free(u);
    free(want);
}

int main(void) {
    static const double lambdas[] = {0, 1e-3, 40};
    const psg_options first = harness_options(PSG_F64);
    psg_plan *anchor = harness_anchor(&first);
    for (size_t g = 0; g < sizeof grids / sizeof *grids; ++g) {
        for (int run = 0; run < 6; ++run) {
            one_grid(&grids[g], run % 2 ? ORACLE_FD2 : ORACLE_SPECTRAL, lambdas[run / 2]);
        }
    }
    psg_plan_destroy(anchor);
    return check_result();
}
