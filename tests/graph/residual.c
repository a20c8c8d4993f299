/* With the symbol fd2, the 7-point stencil applied to u gives f back: no reference solve is needed. */
#include "tests/check.h"
#include "tests/harness.h"

#include <stdlib.h>

static const oracle_grid grids[] = {
    {{12, 10, 14}, {1.0, 0.8, 1.3}}, {{45, 32, 27}, {2.0, 1.0, 1.0}},
    {{23, 19, 29}, {1.0, 1.0, 1.0}}, {{1, 16, 9}, {1.0, 1.0, 1.0}},
    {{17, 1, 8}, {1.0, 1.0, 1.0}},   {{64, 6, 2}, {1.0, 1.0, 1.0}},
    {{2, 3, 1}, {1.0, 1.0, 1.0}},
};

static void one_grid(const oracle_grid *grid, psg_options *options, double lambda,
                     const char *variant) {
    psg_grid g = harness_grid(grid);
    psg_plan *plan = NULL;
    options->symbol = PSG_SYMBOL_FD2;
    options->lambda = lambda;
    if (CHECK_STATUS(psg_plan_create(&plan, &g, options), PSG_OK)) {
        size_t points = oracle_points(grid);
        double *f = oracle_array(points), *u = oracle_array(points), *r = oracle_array(points);
        oracle_random(points + 1, points, f);
        oracle_remove_mean(f, points);
        harness_round(options->precision, points, f);
        CHECK_STATUS(harness_solve(plan, options->precision, points, f, u), PSG_OK);
        oracle_residual(grid, lambda, u, f, r);
        for (size_t p = 0; p < points; ++p) {
            r[p] += f[p]; /* so that it stands beside f */
        }
        CHECK_CLOSE(r, f, grid->n[0], grid->n[1], grid->n[2],
                    harness_tolerance(options->precision, 1e-11, 2e-3),
                    "stencil of u beside f, %s, lambda %g, %s",
                    harness_precision_name(options->precision), lambda, variant);
        free(f);
        free(u);
        free(r);
    }
    psg_plan_destroy(plan);
}

int main(void) {
    for (size_t g = 0; g < sizeof grids / sizeof *grids; ++g) {
        for (int run = 0; run < 4 * HARNESS_VARIANTS; ++run) {
            const harness_variant *variant = &harness_variants[run / 4];
            psg_options options = harness_options(run % 2 ? PSG_F32 : PSG_F64);
            harness_set_variant(&options, variant);
            options.segment_planes = 4;
            options.sheets = 3;
            one_grid(&grids[g], &options, run / 2 % 2 ? 2.5 : 0, variant->name);
        }
    }
    return check_result();
}
