/* The mean of f is dropped and reported exactly, or is an error where that was asked for and the plan
 * can be used again; with lambda > 0 it is not dropped. */
#include "graph/psg_observe.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <stdlib.h>
#include <string.h>

#define NX 10
#define NY 9
#define NZ 7
#define POINTS ((size_t)NX * NY * NZ)

static const oracle_grid box = {{NX, NY, NZ}, {1.0, 2.0, 1.5}};

/** Small integers that sum to 0, so that rounding has no part in their mean. */
static void integers(double *f) {
    double sum = 0;
    oracle_random(5, POINTS, f);
    for (size_t p = 0; p < POINTS; ++p) {
        f[p] = (double)(int)(8 * f[p]);
        sum += f[p];
    }
    f[POINTS / 2] -= sum;
}

static double reported_mean(const psg_plan *plan) {
    psg_statistics statistics;
    memset(&statistics, 0xff, sizeof statistics);
    CHECK_STATUS(psg_plan_statistics(plan, &statistics), PSG_OK);
    return statistics.mean;
}

static void dropped(psg_precision precision, const harness_variant *variant) {
    static const double mean[] = {0, 3, -1024, 0.375};
    double *f = oracle_array(POINTS), *u = oracle_array(POINTS), *want = oracle_array(POINTS);
    psg_grid grid = harness_grid(&box);
    psg_options options = harness_options(precision);
    psg_plan *plan = NULL;
    harness_set_variant(&options, variant);
    options.segment_planes = 2;
    integers(f);
    oracle_solve(&box, ORACLE_SPECTRAL, 0, f, want);
    if (CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
        CHECK_NEAR(reported_mean(plan), 0, 0, "before any solve");
        for (size_t m = 0; m < sizeof mean / sizeof *mean; ++m) {
            for (size_t p = 0; p < POINTS; ++p) {
                f[p] += mean[m];
            }
            CHECK_STATUS(harness_solve(plan, precision, POINTS, f, u), PSG_OK);
            CHECK_NEAR(reported_mean(plan), mean[m], harness_tolerance(precision, 1e-12, 1e-3),
                       "mean %g dropped, %s, %s", mean[m], harness_precision_name(precision),
                       variant->name);
            CHECK_CLOSE(u, want, NX, NY, NZ, harness_tolerance(precision, 1e-12, 1e-3),
                        "u without the mean %g, %s, %s", mean[m], harness_precision_name(precision),
                        variant->name);
            for (size_t p = 0; p < POINTS; ++p) {
                f[p] -= mean[m];
            }
        }
    }
    psg_plan_destroy(plan);
    free(f);
    free(u);
    free(want);
}

/** f with a mean of `share` of its largest value. */
static void with_mean(double share, double *f) {
    oracle_random(8, POINTS, f);
    oracle_remove_mean(f, POINTS);
    double largest = oracle_max(f, POINTS);
    for (size_t p = 0; p < POINTS; ++p) {
        f[p] += share * largest;
    }
}

static void refused(psg_precision precision, const harness_variant *variant) {
    /* tolerance of the plan, mean of f over its largest: error or not */
    static const struct {
        double tolerance, share;
        int error[2]; /* f64, f32 */
    } cases[] = {{0, 0, {0, 0}},      {0, 1e-12, {0, 0}},  {0, 1e-8, {1, 0}},  {0, 1e-3, {1, 1}},
                 {0, -0.2, {1, 1}},   {0.1, 0.05, {0, 0}}, {0.1, 0.2, {1, 1}}, {0.1, -0.05, {0, 0}},
                 {0.1, -0.2, {1, 1}}, {1e-7, 1e-6, {1, 1}}};
    double *f = oracle_array(POINTS), *u = oracle_array(POINTS), *want = oracle_array(POINTS);
    psg_grid grid = harness_grid(&box);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        psg_options options = harness_options(precision);
        psg_plan *plan = NULL;
        harness_set_variant(&options, variant);
        options.mean = PSG_MEAN_ERROR;
        options.mean_tolerance = cases[c].tolerance;
        options.segment_planes = 3;
        if (CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
            int error = cases[c].error[precision == PSG_F32];
            with_mean(cases[c].share, f);
            psg_status status = harness_solve(plan, precision, POINTS, f, u);
            CHECK(status == (error ? PSG_ERR_MEAN : PSG_OK),
                  "tolerance %g, mean %g of the largest, %s, %s: status %d (%s)",
                  cases[c].tolerance, cases[c].share, harness_precision_name(precision),
                  variant->name, status, psg_last_error());
            CHECK(!error || strstr(psg_last_error(), "mean"), "the words: %s", psg_last_error());
            with_mean(0, f);
            oracle_solve(&box, ORACLE_SPECTRAL, 0, f, want);
            CHECK_STATUS(harness_solve(plan, precision, POINTS, f, u), PSG_OK);
            CHECK_CLOSE(u, want, NX, NY, NZ, harness_tolerance(precision, 1e-12, 1e-4),
                        "the solve after a refused one, %s", variant->name);
        }
        psg_plan_destroy(plan);
    }
    free(f);
    free(u);
    free(want);
}

static void screened(const harness_variant *variant) {
    double *f = oracle_array(POINTS), *u = oracle_array(POINTS), *want = oracle_array(POINTS);
    psg_grid grid = harness_grid(&box);
    psg_options options = harness_options(PSG_F64);
    psg_plan *plan = NULL;
    harness_set_variant(&options, variant);
    options.mean = PSG_MEAN_ERROR;
    options.lambda = 0.25;
    with_mean(0.5, f);
    oracle_solve(&box, ORACLE_SPECTRAL, 0.25, f, want);
    if (CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
        CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
        CHECK_CLOSE(u, want, NX, NY, NZ, 1e-12, "lambda > 0 with a mean, %s", variant->name);
        CHECK_NEAR(reported_mean(plan), 0, 0, "nothing had to be dropped, %s", variant->name);
    }
    psg_plan_destroy(plan);
    free(f);
    free(u);
    free(want);
}

static void nothing_at_all(psg_mean mean) {
    double *f = oracle_array(POINTS), *u = oracle_array(POINTS), *zero = oracle_array(POINTS);
    psg_grid grid = harness_grid(&box);
    psg_options options = harness_options(PSG_F64);
    psg_plan *plan = NULL;
    options.mean = mean;
    memset(u, 0xff, POINTS * sizeof *u);
    if (CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
        CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
        CHECK_CLOSE(u, zero, NX, NY, NZ, 0, "f = 0");
    }
    psg_plan_destroy(plan);
    free(f);
    free(u);
    free(zero);
}

int main(void) {
    for (int variant = 0; variant < HARNESS_VARIANTS; ++variant) {
        dropped(PSG_F64, &harness_variants[variant]);
        dropped(PSG_F32, &harness_variants[variant]);
        refused(PSG_F64, &harness_variants[variant]);
        refused(PSG_F32, &harness_variants[variant]);
        screened(&harness_variants[variant]);
    }
    nothing_at_all(PSG_MEAN_DROP);
    nothing_at_all(PSG_MEAN_ERROR);
    return check_result();
}
