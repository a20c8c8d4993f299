/* u does not depend on how the work is cut and shared out: segments, sheets, workers, variant, layout
 * and solves in flight give what one worker, one segment and one sheet give. */
#include "tests/check.h"
#include "tests/harness.h"

#include <stdlib.h>

static const oracle_grid grids[] = {
    {{13, 11, 17}, {1.0, 1.0, 2.0}}, {{16, 12, 10}, {1.0, 1.0, 1.0}}, {{5, 1, 19}, {1.0, 1.0, 1.0}},
    {{4, 9, 1}, {1.0, 1.0, 1.0}},    {{1, 7, 8}, {1.0, 1.0, 1.0}},
};

/** Right-hand side and what the reference configuration made of it, rounded to the precision. */
typedef struct reference {
    const oracle_grid *grid;
    size_t points;
    double *f, *u, *got;
} reference;

static psg_options configuration(psg_precision precision, int cpus) {
    psg_options options = harness_options(precision);
    options.cpus = cpus;
    options.policy = "lws";
    return options;
}

static int make_reference(reference *r, const oracle_grid *grid, psg_precision precision) {
    psg_grid g = harness_grid(grid);
    psg_options options = configuration(precision, 1);
    psg_plan *plan = NULL;
    r->grid = grid;
    r->points = oracle_points(grid);
    r->f = oracle_array(r->points);
    r->u = oracle_array(r->points);
    r->got = oracle_array(r->points);
    options.segment_planes = grid->n[2];
    options.sheets = 1;
    options.in_flight = 1;
    oracle_random(grid->n[0], r->points, r->f);
    int held = CHECK_STATUS(psg_plan_create(&plan, &g, &options), PSG_OK) &&
               CHECK_STATUS(harness_solve(plan, precision, r->points, r->f, r->u), PSG_OK);
    psg_plan_destroy(plan);
    if (held) {
        oracle_solve(grid, ORACLE_SPECTRAL, 0, r->f, r->got);
        held = CHECK_CLOSE(r->u, r->got, grid->n[0], grid->n[1], grid->n[2],
                           harness_tolerance(precision, 1e-12, 1e-4), "the reference itself");
    }
    return held;
}

static void free_reference(reference *r) {
    free(r->f);
    free(r->u);
    free(r->got);
}

static void one_configuration(reference *r, const psg_options *options, const char *variant) {
    psg_grid g = harness_grid(r->grid);
    psg_plan *plan = NULL;
    if (CHECK_STATUS(psg_plan_create(&plan, &g, options), PSG_OK)) {
        for (int repeat = 0; repeat < 2; ++repeat) {
            CHECK_STATUS(harness_solve(plan, options->precision, r->points, r->f, r->got), PSG_OK);
            CHECK_CLOSE(
                r->got, r->u, r->grid->n[0], r->grid->n[1], r->grid->n[2],
                harness_tolerance(options->precision, 1e-14, 2e-6),
                "%s, %d workers, %zu planes a segment, %zu sheets, %u in flight, %s, solve %d",
                harness_precision_name(options->precision), options->cpus, options->segment_planes,
                options->sheets, options->in_flight, variant, repeat);
        }
    }
    psg_plan_destroy(plan);
}

static void all_cuts(reference *r, psg_precision precision, int cpus) {
    static const size_t planes[] = {0, 1, 2, 3, 5, 8, 1000}, sheets[] = {0, 1, 2, 3, 7, 1000};
    enum { NPLANES = sizeof planes / sizeof *planes, NSHEETS = sizeof sheets / sizeof *sheets };
    for (size_t run = 0; run < (size_t)NPLANES * NSHEETS * HARNESS_VARIANTS; ++run) {
        const harness_variant *variant = &harness_variants[run % HARNESS_VARIANTS];
        psg_options options = configuration(precision, cpus);
        harness_set_variant(&options, variant);
        options.segment_planes = planes[run / HARNESS_VARIANTS % NPLANES];
        options.sheets = sheets[run / HARNESS_VARIANTS / NPLANES];
        options.in_flight = 1 + (unsigned)(run % 4);
        one_configuration(r, &options, variant->name);
    }
}

int main(void) {
    for (size_t run = 0; run < 2 * sizeof grids / sizeof *grids; ++run) {
        psg_precision precision = run % 2 ? PSG_F32 : PSG_F64;
        reference r;
        if (make_reference(&r, &grids[run / 2], precision)) {
            const int on_gpus = configuration(precision, 1).gpus > 0; /* which take all tasks */
            for (int cpus = 1; cpus <= (on_gpus ? 1 : 3); ++cpus) {
                const psg_options options = configuration(precision, cpus);
                psg_plan *anchor = harness_anchor(&options);
                all_cuts(&r, precision, cpus);
                psg_plan_destroy(anchor);
            }
        }
        free_reference(&r);
    }
    return check_result();
}
