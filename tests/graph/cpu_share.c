/* CPU cores beside GPUs: whatever each takes, u is that of the cores alone, and both do what the
 * share says. */
#include "graph/psg_observe.h"
#include "graph/psg_starpu.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <stdlib.h>

#define NX 45
#define NY 34
#define NZ 37
#define POINTS ((size_t)NX * NY * NZ)

static const oracle_grid box = {{NX, NY, NZ}, {1.0, 1.2, 0.9}};

/* Kernels differ with the length of z: 37 has none of its own, 64 has. */
static const oracle_grid long_box = {{10, 9, 64}, {1.0, 1.2, 0.9}};

typedef struct cut {
    size_t segment_planes, sheets;
} cut;
static const cut cuts[] = {{0, 0}, {5, 7}, {1, 34}};

/** No worker has a share, and the policy says who has a task. */
#define PLACED (-2.0)
static const double shares[] = {0, 0.1, 0.5, 0.9, 1, PLACED, PSG_CPU_SHARE_AUTO};

/** Two solves, so that copies of the first are there in the second. */
static void solve(const oracle_grid *grid, const psg_options *options, const double *f, double *u,
                  psg_statistics *s) {
    const psg_grid g = harness_grid(grid);
    DESTROYED psg_plan *plan = harness_plan(&g, options);
    for (int times = 0; times < 2; ++times) {
        CHECK_STATUS(harness_solve(plan, options->precision, oracle_points(grid), f, u), PSG_OK);
    }
    CHECK_STATUS(psg_plan_statistics(plan, s), PSG_OK);
}

static void check_share(const psg_statistics *s, double share, const oracle_grid *grid, int gpus) {
    if (share >= 0) {
        const size_t planes = (size_t)(share * (double)grid->n[2] + 0.5);
        const size_t rows = (size_t)(share * (double)grid->n[1] + 0.5);
        CHECK(s->cpu_planes == planes && s->cpu_rows == rows,
              "share %g: %zu planes and %zu rows on cores", share, s->cpu_planes, s->cpu_rows);
        CHECK((s->workers == (size_t)gpus) == (share <= 0), "share %g: %zu workers", share,
              s->workers);
    }
    CHECK(!(share > 0 || share == PLACED) || s->exchange == PSG_EXCHANGE_MANAGED, "exchange %d",
          (int)s->exchange);
}

static void compare(const oracle_grid *grid, psg_precision precision,
                    const harness_variant *variant, const cut *how, psg_symbol symbol) {
    const size_t points = oracle_points(grid);
    double *f = oracle_array(3 * points), *cores = f + points, *both = cores + points;
    psg_options options = harness_options(precision);
    const int gpus = options.gpus;
    psg_statistics s;
    harness_set_variant(&options, variant);
    options.symbol = symbol;
    options.segment_planes = how->segment_planes;
    options.sheets = how->sheets;
    oracle_random(7, points, f);
    harness_round(precision, points, f);
    options.gpus = 0;
    solve(grid, &options, f, cores, &s);
    CHECK(s.cpu_planes == grid->n[2] && s.cpu_rows == grid->n[1], "%zu planes and %zu rows",
          s.cpu_planes, s.cpu_rows);
    options.gpus = gpus;
    for (size_t c = 0; c < sizeof shares / sizeof *shares; ++c) {
        options.cpu_share = shares[c] == PLACED ? PSG_CPU_SHARE_AUTO : shares[c];
        options.placement = shares[c] == PLACED ? PSG_PLACEMENT_FREE : PSG_PLACEMENT_PINNED;
        solve(grid, &options, f, both, &s);
        check_share(&s, shares[c], grid, gpus);
        CHECK_CLOSE(both, cores, grid->n[0], grid->n[1], grid->n[2],
                    harness_tolerance(precision, 1e-13, 1e-4),
                    "%s %s, share %g, %zu planes, %zu sheets", harness_precision_name(precision),
                    variant->name, shares[c], how->segment_planes, how->sheets);
    }
    free(f);
}

/** Several in flight, with the data in slabs, and a mean that has to be found. */
static void resident(void) {
    double *f = oracle_array(3 * POINTS), *u = f + POINTS, *got = u + POINTS;
    psg_options options = harness_with(PSG_F64, "cpu_share=0.4 segment_planes=4");
    const psg_grid grid = harness_grid(&box);
    oracle_random(8, POINTS, f);
    for (size_t p = 0; p < POINTS; ++p) {
        f[p] += 3;
    }
    oracle_solve(&box, ORACLE_SPECTRAL, 0, f, u);
    DESTROYED psg_plan *plan = harness_plan(&grid, &options);
    CHECK_STATUS(psg_slabs_put(plan, f), PSG_OK);
    for (int times = 0; times < 3; ++times) {
        CHECK_STATUS(psg_submit_slabs(plan), PSG_OK);
    }
    for (int times = 0; times < 3; ++times) {
        CHECK_STATUS(psg_wait(plan), PSG_OK);
    }
    CHECK_STATUS(psg_slabs_get(plan, got), PSG_OK);
    CHECK_CLOSE(got, u, NX, NY, NZ, 1e-12, "slabs");
    const psg_statistics s = harness_statistics(plan);
    CHECK_NEAR(s.mean, oracle_mean(f, POINTS), 1e-13, "mean");
    f[POINTS / 2] = NAN; /* in a core's plane or a GPU's */
    CHECK_STATUS(psg_solve(plan, f, got), PSG_ERR_DATA);
    f[POINTS / 2] = 3;
    f[POINTS - 1] = INFINITY;
    CHECK_STATUS(psg_solve(plan, f, got), PSG_ERR_DATA);
    f[POINTS - 1] = 3;
    CHECK_STATUS(psg_solve(plan, f, got), PSG_OK);
    free(f);
}

int main(void) {
    /* StarPU starts once, with both kinds of worker, and stays as long as this plan. */
    const psg_options options = harness_options(PSG_F64);
    const psg_grid grid = harness_grid(&box);
    DESTROYED psg_plan *keeper = harness_plan(&grid, &options);
    for (int v = 0; v < HARNESS_VARIANTS; ++v) {
        for (size_t c = 0; c < sizeof cuts / sizeof *cuts; ++c) {
            compare(&box, PSG_F64, &harness_variants[v], &cuts[c], PSG_SYMBOL_SPECTRAL);
        }
        compare(&box, PSG_F32, &harness_variants[v], &cuts[1], PSG_SYMBOL_SPECTRAL);
        compare(&long_box, PSG_F64, &harness_variants[v], &cuts[1], PSG_SYMBOL_FD2);
    }
    resident();
    return check_result();
}
