/* Planes and columns of sizes with a kernel of their own and without, with all kinds of sides: one
 * GPU and all of them give the u that the cores give, with two solves in flight, whichever way
 * blocks go and the grid is cut. With exchange direct StarPU copies nothing from GPU to GPU. */
#include "graph/psg_machine.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <stdlib.h>

/* After these lengths along z with a kernel and without; one row, one plane; rows of which kspace returns
 * some on 2 GPUs, and on 8. */
static const oracle_grid grids[] = {
    {{256, 256, 12}, {1.0, 1.5, 0.1}},  {{512, 512, 5}, {2.0, 1.0, 0.1}},
    {{1024, 1024, 4}, {1.0, 1.0, 0.1}}, {{33, 30, 32}, {1.0, 1.1, 0.9}},
    {{16, 15, 37}, {1.0, 1.0, 2.0}},    {{8, 64, 60}, {3.0, 1.0, 1.0}},
    {{9, 1, 12}, {1.0, 1.0, 1.0}},      {{10, 11, 1}, {1.0, 2.0, 1.0}},
    {{6, 500, 21}, {1.0, 2.0, 1.0}},
};
enum { STRIPS = 3 }; /* whose planes have a kernel */

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
} cuts[] = {{0, 0}, {1, 5}, {1000, 1}, {2, 3}, {5, 7}, {3, 30}, {1, 2}};

/** Two solves in flight, twice. @param[out] u  two of them */
static void solve(const psg_grid *grid, const psg_options *options, const void *f, char *u,
                  size_t bytes) {
    DESTROYED psg_plan *plan = harness_plan(grid, options);
    const psg_statistics before = harness_statistics(plan);
    for (int round = 0; round < 2; ++round) {
        CHECK_STATUS(psg_submit(plan, f, u), PSG_OK);
        CHECK_STATUS(psg_submit(plan, f, u + bytes), PSG_OK);
        CHECK_STATUS(psg_wait(plan), PSG_OK);
        CHECK_STATUS(psg_wait(plan), PSG_OK);
    }
    const psg_statistics s = harness_statistics(plan);
    const int periodic = grid->axis[1].bc[0] == PSG_BC_PERIODIC;
    if (periodic && s.workers > 1 && s.exchange == PSG_EXCHANGE_DIRECT) {
        const uint64_t copied = s.link[PSG_LINK_D2D].bytes - before.link[PSG_LINK_D2D].bytes;
        const int returns = grid->axis[1].n == 500 && options->sheets == 0;
        CHECK(copied == 0, "%llu bytes copied between GPUs", (unsigned long long)copied);
        CHECK(!returns || (s.returned_rows > 0 && (s.fetched_rows > 0) == (s.workers == 2)),
              "%zu rows returned and %zu fetched on %zu GPUs", s.returned_rows, s.fetched_rows,
              s.workers);
    }
}

/** What is asked of all GPUs: direct, if they are several that reach each other's memory. */
static psg_exchange of_all = PSG_EXCHANGE_AUTO;

static psg_exchange direct_or_auto(void) {
    psg_route routes[1024];
    size_t count = 0, several = 0;
    const psg_options options = harness_with(PSG_F64, "gpus=all");
    CHECK_STATUS(psg_machine_routes(&options, routes, sizeof routes / sizeof *routes, &count),
                 PSG_OK);
    for (size_t r = 0; r < count && r < sizeof routes / sizeof *routes; ++r) {
        if (routes[r].from >= 0 && routes[r].to >= 0) {
            several++;
            if (!routes[r].peer) {
                return PSG_EXCHANGE_AUTO;
            }
        }
    }
    return several > 0 ? PSG_EXCHANGE_DIRECT : PSG_EXCHANGE_AUTO;
}

static size_t points_of(const psg_grid *grid) {
    return grid->axis[0].n * grid->axis[1].n * grid->axis[2].n;
}

/* @param[in] runs  of two for each cut */
static void by_gpus(const psg_grid *grid, psg_precision precision, int gpus, size_t runs,
                    double tolerance, const void *f, const double *want) {
    const size_t points = points_of(grid), bytes = points * harness_element_bytes(precision);
    const psg_axis *axis = grid->axis;
    FREED char *u = harness_array(precision, 2 * points);
    FREED double *got = oracle_array(points);
    for (size_t run = 0; run < runs; ++run) {
        psg_options options = harness_options(precision);
        const struct cut *cut = &cuts[run / 2];
        options.gpus = gpus;
        options.exchange = run % 2 ? PSG_EXCHANGE_MANAGED : gpus < 0 ? of_all : PSG_EXCHANGE_AUTO;
        options.segment_planes = cut->segment_planes;
        options.sheets = cut->sheets;
        solve(grid, &options, f, u, bytes);
        for (int m = 0; m < 2; ++m) {
            harness_load(precision, points, u + (m ? bytes : 0), got);
            CHECK_CLOSE(got, want, axis[0].n, axis[1].n, axis[2].n, tolerance,
                        "%s, sides %d%d,%d%d,%d%d, %d GPUs, cut %zu x %zu%s, solve %d",
                        harness_precision_name(precision), axis[0].bc[0], axis[0].bc[1],
                        axis[1].bc[0], axis[1].bc[1], axis[2].bc[0], axis[2].bc[1], gpus,
                        cut->segment_planes, cut->sheets, run % 2 ? ", managed" : "", m);
        }
    }
}

/** @param[in] more  times the tolerance of the sizes with kernels of their own */
static void one_grid(const psg_grid *grid, psg_precision precision, size_t runs, double more) {
    const double tolerance = more * harness_tolerance(precision, 1e-13, 1e-5);
    const size_t points = points_of(grid);
    FREED double *values = oracle_array(points);
    FREED void *f = harness_array(precision, points), *u = harness_array(precision, points);
    psg_options options = harness_with(precision, "gpus=0");
    oracle_random(points, points, values);
    harness_store(precision, points, values, f);
    psg_plan *plan = harness_plan(grid, &options);
    CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
    psg_plan_destroy(plan);
    harness_load(precision, points, u, values);
    by_gpus(grid, precision, 1, runs, tolerance, f, values);
    by_gpus(grid, precision, -1, runs, tolerance, f, values);
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
            one_grid(&grid, (c + g) % 3 == 0 ? PSG_F32 : PSG_F64, g == 0 && c % 10 ? 1 : 4, 1);
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
            one_grid(&grid, precision, 1, 1);
        }
    }
}

int main(void) {
    psg_options options = harness_with(PSG_F64, "gpus=1");
    psg_plan *plan = NULL;
    const psg_grid small = harness_grid(&grids[0]);
    if (psg_plan_create(&plan, &small, &options) == PSG_ERR_NODEV) {
        printf("skipped: %s\n", psg_last_error());
        return CHECK_SKIP;
    }
    psg_plan_destroy(plan);
    of_all = direct_or_auto();
    for (size_t g = 0; g < sizeof grids / sizeof *grids; ++g) {
        const psg_grid grid = harness_grid(&grids[g]);
        one_grid(&grid, PSG_F64, 2 * sizeof cuts / sizeof *cuts, g < STRIPS ? 1 : 10);
        one_grid(&grid, PSG_F32, 2 * sizeof cuts / sizeof *cuts, g < STRIPS ? 1 : 10);
    }
    all_sides();
    all_lengths(PSG_F64, lengths_f64, sizeof lengths_f64 / sizeof *lengths_f64);
    all_lengths(PSG_F32, lengths_f32, sizeof lengths_f32 / sizeof *lengths_f32);
    return check_result();
}
