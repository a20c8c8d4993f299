/* f and u need no more alignment than their type: u is right wherever in a cache line they start,
 * and nothing beside it is written. */
#include "tests/check.h"
#include "tests/harness.h"

#include <stdlib.h>

static const oracle_grid grids[] = {
    {{16, 8, 8}, {1.0, 1.0, 1.0}}, {{15, 9, 7}, {1.0, 1.0, 1.0}}, {{1, 8, 6}, {1.0, 1.0, 1.0}}};

#define ROOM 16
#define GUARD 12345.0

static void one_offset(const oracle_grid *grid, psg_plan *plan, psg_precision precision,
                       size_t f_at, size_t u_at, const double *f, const double *want) {
    size_t points = oracle_points(grid), bytes = harness_element_bytes(precision),
           total = points + ROOM;
    FREED char *f_base = harness_array(precision, total), *u_base = harness_array(precision, total);
    FREED double *got = oracle_array(total), *f_after = oracle_array(points);
    for (size_t p = 0; p < total; ++p) {
        got[p] = GUARD;
    }
    harness_store(precision, total, got, u_base);
    harness_store(precision, points, f, f_base + f_at * bytes);
    CHECK_STATUS(psg_solve(plan, f_base + f_at * bytes, u_base + u_at * bytes), PSG_OK);
    harness_load(precision, total, u_base, got);
    harness_load(precision, points, f_base + f_at * bytes, f_after);
    CHECK_CLOSE(got + u_at, want, grid->n[0], grid->n[1], grid->n[2],
                harness_tolerance(precision, 1e-12, 1e-4), "f at element %zu, u at %zu, %s", f_at,
                u_at, harness_precision_name(precision));
    CHECK_CLOSE(f_after, f, grid->n[0], grid->n[1], grid->n[2], 0, "f is left as it was");
    for (size_t p = 0; p < total; ++p) {
        if (p < u_at || p >= u_at + points) {
            CHECK(got[p] == GUARD, "element %zu of %zu beside u was written", p, total);
        }
    }
}

static void one_plan(const oracle_grid *grid, psg_precision precision,
                     const harness_variant *variant) {
    size_t points = oracle_points(grid);
    FREED double *f = oracle_array(points), *want = oracle_array(points);
    psg_grid g = harness_grid(grid);
    psg_options options = harness_options(precision);
    harness_set_variant(&options, variant);
    options.effort = PSG_EFFORT_MEASURE;
    options.segment_planes = 3;
    options.sheets = 2;
    oracle_random(1, points, f);
    harness_round(precision, points, f);
    oracle_solve(grid, ORACLE_SPECTRAL, 0, f, want);
    DESTROYED psg_plan *plan = harness_plan(&g, &options);
    for (size_t at = 0; at <= 8; ++at) {
        one_offset(grid, plan, precision, at, 0, f, want);
        one_offset(grid, plan, precision, 0, at, f, want);
        one_offset(grid, plan, precision, at, (3 * at + 1) % 9, f, want);
    }
}

int main(void) {
    for (size_t g = 0; g < sizeof grids / sizeof *grids; ++g) {
        for (int variant = 0; variant < HARNESS_VARIANTS; ++variant) {
            one_plan(&grids[g], PSG_F64, &harness_variants[variant]);
            one_plan(&grids[g], PSG_F32, &harness_variants[variant]);
        }
    }
    return check_result();
}
