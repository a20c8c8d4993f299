/* The solve is linear; it commutes with every shift, reflection and renaming of the axes; on a box
 * s times as large u is s^2 times as large; and u sums to 0. */
#include "tests/check.h"
#include "tests/harness.h"

#include <math.h>
#include <stdlib.h>

#define TOLERANCE 1e-12

static const oracle_grid grids[] = {
    {{12, 9, 10}, {1.0, 1.5, 0.8}}, {{11, 7, 13}, {2.0, 1.0, 1.0}}, {{1, 6, 15}, {1.0, 1.0, 2.0}}};

/** What a property needs: a plan, and random f of which u is known. */
typedef struct setting {
    const oracle_grid *grid;
    const psg_options *options;
    psg_plan *plan;
    size_t points;
    double *f, *u; /* f and its solution */
    double *g, *v; /* room for another */
    double *want;
} setting;

static int solve(const setting *s, const double *f, double *u) {
    return CHECK_STATUS(psg_solve(s->plan, f, u), PSG_OK);
}

static void compare(const setting *s, const double *got, const char *what, size_t number) {
    CHECK_CLOSE(got, s->want, s->grid->n[0], s->grid->n[1], s->grid->n[2], TOLERANCE, "%s %zu",
                what, number);
}

static void linearity(const setting *s) {
    FREED double *sum = oracle_array(s->points), *w = oracle_array(s->points);
    oracle_random(99, s->points, s->g);
    solve(s, s->g, s->v);
    for (size_t p = 0; p < s->points; ++p) {
        sum[p] = 2.5 * s->f[p] - 7 * s->g[p];
        s->want[p] = 2.5 * s->u[p] - 7 * s->v[p];
    }
    solve(s, sum, w);
    compare(s, w, "linearity", 0);
}

static void shifts(const setting *s) {
    static const size_t shift[][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1},
                                      {5, 3, 7}, {2, 8, 4}, {6, 6, 9}};
    for (size_t n = 0; n < sizeof shift / sizeof *shift; ++n) {
        oracle_shift(s->grid, shift[n], s->f, s->g);
        oracle_shift(s->grid, shift[n], s->u, s->want);
        solve(s, s->g, s->v);
        compare(s, s->v, "shift", n);
    }
}

static void reflections(const setting *s) {
    for (unsigned axes = 1; axes < 8; ++axes) {
        oracle_reflect(s->grid, axes, s->f, s->g);
        oracle_reflect(s->grid, axes, s->u, s->want);
        solve(s, s->g, s->v);
        compare(s, s->v, "reflection of axes", axes);
    }
}

static void sum_is_zero(const setting *s) {
    double sum = oracle_mean(s->u, s->points) / oracle_max(s->u, s->points);
    CHECK_NEAR(sum, 0, TOLERANCE, "mean of u over its largest");
}

/** Solve s->g on another grid into s->v, and compare with s->want there. */
static void on_another_grid(const setting *s, const oracle_grid *grid, const char *what,
                            size_t number) {
    psg_grid g = harness_grid(grid);
    DESTROYED psg_plan *plan = harness_plan(&g, s->options);
    CHECK_STATUS(psg_solve(plan, s->g, s->v), PSG_OK);
    CHECK_CLOSE(s->v, s->want, grid->n[0], grid->n[1], grid->n[2], TOLERANCE, "%s %zu", what,
                number);
}

static void box_scaling(const setting *s) {
    static const double scale[] = {3.7, 1e-3, 1e6};
    for (size_t n = 0; n < sizeof scale / sizeof *scale; ++n) {
        oracle_grid grid = *s->grid;
        for (int a = 0; a < 3; ++a) {
            grid.length[a] *= scale[n];
        }
        for (size_t p = 0; p < s->points; ++p) {
            s->g[p] = s->f[p];
            s->want[p] = s->u[p] * scale[n] * scale[n];
        }
        on_another_grid(s, &grid, "box scaled, case", n);
    }
}

static void permutations(const setting *s) {
    static const int permutation[][3] = {{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (size_t n = 0; n < sizeof permutation / sizeof *permutation; ++n) {
        oracle_grid grid;
        oracle_permute(s->grid, permutation[n], s->f, &grid, s->g);
        oracle_permute(s->grid, permutation[n], s->u, &grid, s->want);
        on_another_grid(s, &grid, "axes renamed, case", n);
    }
}

static void all_properties(const oracle_grid *grid, const psg_options *options) {
    size_t points = oracle_points(grid);
    psg_grid g = harness_grid(grid);
    FREED double *room = oracle_array(5 * points);
    setting s = {grid,
                 options,
                 NULL,
                 points,
                 room,
                 room + points,
                 room + 2 * points,
                 room + 3 * points,
                 room + 4 * points};
    oracle_random(points, points, s.f);
    if (CHECK_STATUS(psg_plan_create(&s.plan, &g, options), PSG_OK) && solve(&s, s.f, s.u)) {
        sum_is_zero(&s);
        linearity(&s);
        shifts(&s);
        reflections(&s);
        box_scaling(&s);
        permutations(&s);
    }
    psg_plan_destroy(s.plan);
}

int main(void) {
    for (size_t g = 0; g < sizeof grids / sizeof *grids; ++g) {
        for (int run = 0; run < 2 * HARNESS_VARIANTS; ++run) {
            psg_options options = harness_options(PSG_F64);
            harness_set_variant(&options, &harness_variants[run / 2]);
            options.symbol = run % 2 ? PSG_SYMBOL_FD2 : PSG_SYMBOL_SPECTRAL;
            options.segment_planes = 4;
            options.sheets = 2;
            all_properties(&grids[g], &options);
        }
    }
    return check_result();
}
