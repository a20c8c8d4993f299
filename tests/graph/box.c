/* The box is a solve's: u and its gradient are bit by bit those of a plan made with that box,
 * whatever the sides are, also where the lengths differ by factors of a thousand, and where they
 * come back. A box that a plan cannot have no solve can, with the same words. A box other than that
 * of a solve in flight is refused, and so are different boxes of different processes; nothing is
 * lost. */
#include "tests/check.h"
#include "tests/mpi/ranks.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static MPI_Comm world;
static const oracle_grid grid = {{6, 9, 10}, {1.0, 2.0, 0.5}};

static const double boxes[][3] = {
    {1.0, 2.0, 0.5}, {1.25, 2.0, 0.5}, {1.0, 1.5, 0.75}, {3e3, 2.5e3, 1e3}, {1e-5, 3e-5, 2e-5}};
enum { BOXES = sizeof boxes / sizeof *boxes, SOLVES = 4 };

/** What a box gets into: eigenvalues, wavenumbers, distances to walls, tables of Green's
 * functions, coefficients of a stencil. */
typedef struct equation {
    const char *sides;
    psg_symbol symbol;
    double lambda;   /* times the square of the box' length along x */
    double value[6]; /* on the sides */
    int gradient, epsilon;
} equation;

static const equation equations[] = {
    {.sides = "PP", .gradient = 1},
    {.sides = "PP", .symbol = PSG_SYMBOL_FD4, .lambda = 2},
    {.sides = "DN,PP,DDn", .symbol = PSG_SYMBOL_FD2, .value = {1, 2, 0, 0, 3, -1}, .gradient = 1},
    {.sides = "NN,DD,ND"},
    {.sides = "PP,PP,FF"},
    {.sides = "DD,PP,FF", .symbol = PSG_SYMBOL_FD2, .lambda = 2},
    {.sides = "FF"},
    {.sides = "FF,PP,PP", .lambda = 2},
    {.sides = "PP", .symbol = PSG_SYMBOL_FD2, .epsilon = 1},
};
enum { EQUATIONS = sizeof equations / sizeof *equations, COMPONENTS = 4 };

typedef struct fixture {
    const equation *e;
    psg_precision precision;
    part mine; /* the u of each is of the latest solve */
    share epsilon, ahead;
    double *got, *want[BOXES][COMPONENTS]; /* u and its gradient of the whole grid */
} fixture;

static psg_plan *plan_of(const fixture *x, const double length[3]) {
    psg_grid g = harness_grid(&grid);
    psg_options options = ranks_options(x->precision, &world);
    psg_plan *plan = NULL;
    for (int d = 0; d < 3; ++d) {
        g.axis[d].length = length[d];
    }
    harness_sides(&g, x->e->sides);
    options.symbol = x->e->symbol;
    CHECK_STATUS(psg_plan_create(&plan, &g, &options), PSG_OK);
    return plan;
}

/** @param[in] length  NULL: the plan's */
static psg_solve_args args_of(const fixture *x, const psg_plan *plan, const double *length,
                              psg_array arrays[COMPONENTS]) {
    psg_solve_args args = harness_args(plan);
    if (length != NULL) {
        memcpy(args.box, length, sizeof args.box);
    }
    args.lambda = x->e->lambda / (args.box[0] * args.box[0]);
    memcpy(args.value, x->e->value, sizeof args.value);
    for (int d = 0; d < 3 && x->e->gradient; ++d) {
        arrays[d] = harness_view(x->mine.g[d].u);
        args.gradient[d] = &arrays[d];
    }
    arrays[3] = harness_view(x->epsilon.f);
    args.epsilon = x->e->epsilon ? &arrays[3] : NULL;
    return args;
}

static psg_status submit(const fixture *x, psg_plan *plan, const double *length, const share *to) {
    psg_array arrays[COMPONENTS];
    const psg_array f = harness_view(x->mine.u.f), u = harness_view(to->u);
    const psg_solve_args args = args_of(x, plan, length, arrays);
    return psg_submit_arrays(plan, 1, &f, &u, &args);
}

static const share *component(const fixture *x, int m) {
    return m == 0 ? &x->mine.u : &x->mine.g[m - 1];
}

static int components(const fixture *x) {
    return x->e->gradient ? COMPONENTS : 1;
}

static void make_wanted(fixture *x) {
    for (int b = 0; b < BOXES; ++b) {
        DESTROYED psg_plan *plan = plan_of(x, boxes[b]);
        CHECK_STATUS(submit(x, plan, NULL, &x->mine.u), PSG_OK);
        CHECK_STATUS(psg_wait(plan), PSG_OK);
        for (int m = 0; m < components(x); ++m) {
            share_gather(component(x, m), world, x->want[b][m]);
        }
        for (int other = 0; other < b; ++other) {
            CHECK(memcmp(x->want[b][0], x->want[other][0], oracle_points(&grid) * sizeof(double)),
                  "%s: u of boxes %d and %d is the same", x->e->sides, b, other);
        }
    }
}

static void check_u(const fixture *x, int b, int m, const share *s) {
    share_gather(s, world, x->got);
    CHECK(memcmp(x->got, x->want[b][m], oracle_points(&grid) * sizeof *x->got) == 0,
          "%s, %s: component %d of box %d is another than that of a plan with this box",
          x->e->sides, harness_precision_name(x->precision), m, b);
}

static void one_solve(const fixture *x, psg_plan *plan, const double *length, int b) {
    ranks_at("%s, box %d", x->e->sides, b);
    CHECK_STATUS(submit(x, plan, length, &x->mine.u), PSG_OK);
    CHECK_STATUS(psg_wait(plan), PSG_OK);
    for (int m = 0; m < components(x); ++m) {
        check_u(x, b, m, component(x, m));
    }
}

/** Some with each box, as GPUs record what they are given at first. */
static void each_box(const fixture *x, psg_plan *plan) {
    for (int m = 0; m < SOLVES * (2 * BOXES + 1); ++m) {
        const int b = m / SOLVES % BOXES;
        one_solve(x, plan, boxes[b], b);
    }
    one_solve(x, plan, NULL, 1);
    one_solve(x, plan, boxes[3], 3);
    one_solve(x, plan, NULL, 1);
}

static void in_flight(const fixture *x, psg_plan *plan) {
    if (x->e->gradient || x->e->epsilon) {
        return;
    }
    CHECK_STATUS(submit(x, plan, boxes[2], &x->mine.u), PSG_OK);
    CHECK_SAYS(submit(x, plan, boxes[4], &x->ahead), PSG_ERR_STATE,
               "in flight, and this one has another box");
    CHECK_SAYS(submit(x, plan, NULL, &x->ahead), PSG_ERR_STATE, "another box");
    CHECK_STATUS(submit(x, plan, boxes[2], &x->ahead), PSG_OK);
    CHECK_STATUS(psg_wait(plan), PSG_OK);
    CHECK_STATUS(psg_wait(plan), PSG_OK);
    check_u(x, 2, 0, &x->mine.u);
    check_u(x, 2, 0, &x->ahead);
    one_solve(x, plan, boxes[4], 4);
}

/** The words of a plan, and behind them, between processes, those of which it is. */
static void bad_boxes(const fixture *x, psg_plan *plan) {
    static const double bad[] = {0, -1, NAN, INFINITY, DBL_MAX, DBL_TRUE_MIN};
    for (size_t m = 0; m < 3 * sizeof bad / sizeof *bad; ++m) {
        double length[3];
        psg_options options = ranks_options(x->precision, &world);
        psg_grid g = harness_grid(&grid);
        psg_plan *none = NULL;
        char words[400];
        memcpy(length, boxes[2], sizeof length);
        length[m % 3] = bad[m / 3];
        harness_sides(&g, x->e->sides);
        options.symbol = x->e->symbol;
        for (int d = 0; d < 3; ++d) {
            g.axis[d].length = length[d];
        }
        const psg_status status = psg_plan_create(&none, &g, &options);
        snprintf(words, sizeof words, "%s", psg_last_error());
        psg_plan_destroy(none);
        if (status == PSG_OK) {
            continue; /* an axis that is far longer than the others */
        }
        const psg_array f = harness_view(x->mine.u.f), u = harness_view(x->mine.u.u);
        psg_solve_args args = harness_args(plan);
        memcpy(args.box, length, sizeof args.box);
        CHECK_STATUS(psg_submit_arrays(plan, 1, &f, &u, &args), status);
        CHECK(strcmp(psg_last_error(), words) == 0, "'%s' of a solve, '%s' of a plan",
              psg_last_error(), words);
        CHECK_STATUS(psg_wait(plan), PSG_ERR_STATE);
        one_solve(x, plan, m % 2 ? boxes[2] : NULL, m % 2 ? 2 : 1);
    }
}

static void differ(const fixture *x, psg_plan *plan) {
    for (int who = 0; ranks_size(world) > 1 && who < ranks_size(world); ++who) {
        const int odd = ranks_rank(world) == who;
        const double other[3] = {boxes[1][0], 1.5, boxes[1][2]};
        CHECK_SAYS(submit(x, plan, odd ? other : boxes[1], &x->mine.u), PSG_ERR_ARG, "box[1]");
        CHECK_STATUS(psg_wait(plan), PSG_ERR_STATE);
        const double bad[3] = {1, -1, 1};
        CHECK_SAYS(submit(x, plan, odd ? bad : boxes[2], &x->mine.u), PSG_ERR_ARG,
                   "the box is -1 long along y");
        one_solve(x, plan, boxes[2], 2);
    }
}

static void one_case(const equation *e, psg_precision precision, const double *f,
                     const double *epsilon) {
    fixture x = {.e = e, .precision = precision, .mine = part_make(world, precision, &grid)};
    x.epsilon = share_make(world, precision, &grid, 0);
    x.ahead = share_make(world, precision, &grid, 0);
    x.got = oracle_array(oracle_points(&grid));
    for (int m = 0; m < BOXES * COMPONENTS; ++m) {
        x.want[m / COMPONENTS][m % COMPONENTS] = oracle_array(oracle_points(&grid));
    }
    share_take(&x.mine.u, f);
    share_take(&x.epsilon, epsilon);
    make_wanted(&x);
    DESTROYED psg_plan *plan = plan_of(&x, boxes[1]);
    each_box(&x, plan);
    in_flight(&x, plan);
    bad_boxes(&x, plan);
    differ(&x, plan);
    for (int m = 0; m < BOXES * COMPONENTS; ++m) {
        free(x.want[m / COMPONENTS][m % COMPONENTS]);
    }
    free(x.got);
    share_free(&x.ahead);
    share_free(&x.epsilon);
    part_free(&x.mine);
}

int main(int argc, char **argv) {
    ranks_start(&argc, &argv);
    world = MPI_COMM_WORLD;
    const psg_options first = ranks_options(PSG_F64, NULL);
    psg_plan *anchor = harness_anchor(&first);
    const size_t points = oracle_points(&grid);
    double *f = oracle_array(points), *epsilon = oracle_array(points);
    oracle_random(7, points, f);
    oracle_random(8, points, epsilon);
    for (size_t m = 0; m < points; ++m) {
        epsilon[m] = exp(epsilon[m]);
    }
    for (size_t run = 0; run < (size_t)2 * EQUATIONS; ++run) {
        const equation *e = &equations[run / 2];
        if (ranks_takes(run) && (!e->epsilon || ranks_size(world) == 1)) {
            one_case(e, run % 2 ? PSG_F32 : PSG_F64, f, epsilon);
        }
    }
    psg_plan_destroy(anchor);
    free(f);
    free(epsilon);
    return ranks_finish(check_result());
}
