/* psg_solve_many() gives what psg_solve() gives for each right-hand side, for any count, batch,
 * policy and sides, in place too. A right-hand side that is no good is named, and the others are
 * solved. */
#include "graph/psg_observe.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 9, BATCH = 4, KINDS = 64 };

typedef struct problem {
    psg_grid grid;
    psg_precision precision;
    size_t points, bytes;
    char *f, *u, *want; /* [MOST] right-hand sides */
} problem;

static void problem_init(problem *p, const size_t n[3], const char *sides,
                         psg_precision precision) {
    psg_grid_init(&p->grid, n[0], n[1], n[2], 1, 2, 1.5);
    harness_sides(&p->grid, sides);
    p->precision = precision;
    p->points = n[0] * n[1] * n[2];
    p->bytes = p->points * harness_element_bytes(precision);
    p->f = harness_array(precision, MOST * p->points);
    p->u = harness_array(precision, MOST * p->points);
    p->want = harness_array(precision, MOST * p->points);
    FREED double *f = oracle_array(MOST * p->points);
    oracle_random(7, MOST * p->points, f);
    for (size_t m = 0; m < MOST * p->points; ++m) {
        f[m] += (double)(m / p->points); /* a mean of its own each */
    }
    harness_store(precision, MOST * p->points, f, p->f);
}

static void problem_free(problem *p) {
    free(p->f);
    free(p->u);
    free(p->want);
}

static psg_plan *plan_of(const problem *p, const psg_options *options) {
    psg_plan *plan = NULL;
    CHECK_STATUS(psg_plan_create(&plan, &p->grid, options), PSG_OK);
    return plan;
}

static void check_side(const problem *p, size_t m, const char *what) {
    const size_t *n[3] = {&p->grid.axis[0].n, &p->grid.axis[1].n, &p->grid.axis[2].n};
    const void *got = p->u + m * p->bytes, *want = p->want + m * p->bytes;
    if (p->precision == PSG_F64) {
        CHECK_CLOSE((const double *)got, (const double *)want, *n[0], *n[1], *n[2], 1e-14,
                    "%s, right-hand side %zu", what, m);
    } else {
        CHECK_CLOSE((const float *)got, (const float *)want, *n[0], *n[1], *n[2], 1e-6,
                    "%s, right-hand side %zu", what, m);
    }
}

/** Tasks `whole` of the latest solve. */
static size_t whole_tasks(const psg_plan *plan) {
    psg_kind_tasks list[KINDS];
    size_t count = 0, found = 0;
    CHECK_STATUS(psg_work_tasks(psg_plan_work(plan), list, KINDS, &count), PSG_OK);
    for (size_t m = 0; m < count && m < KINDS; ++m) {
        found += strcmp(psg_stage_name(list[m].stage), "whole") == 0
                     ? (size_t)(list[m].tasks[0] + list[m].tasks[1])
                     : 0;
    }
    return found;
}

/** By any plan: what psg_solve() makes of all right-hand sides. */
static void solve_each(psg_plan *plan, const problem *p, size_t count) {
    for (size_t m = 0; m < count; ++m) {
        CHECK_STATUS(psg_solve(plan, p->f + m * p->bytes, p->want + m * p->bytes), PSG_OK);
    }
}

static void solve_count(psg_plan *plan, problem *p, size_t count, const char *what) {
    psg_statistics s;
    double means[MOST + 1], mean = 0;
    size_t found = 0;
    for (size_t m = 0; m < count; ++m) {
        CHECK_STATUS(psg_solve(plan, p->f + m * p->bytes, p->want + m * p->bytes), PSG_OK);
        CHECK_STATUS(psg_plan_means(plan, &means[m], 1, &found), PSG_OK);
        CHECK_STATUS(psg_plan_statistics(plan, &s), PSG_OK);
        mean = s.mean;
        CHECK(found == 1 && means[m] == mean, "%zu means, %g and %g", found, means[m], mean);
    }
    memset(p->u, 0xff, MOST * p->bytes);
    CHECK_STATUS(psg_solve_many(plan, count, p->f, p->u), PSG_OK);
    for (size_t m = 0; m < count; ++m) {
        check_side(p, m, what);
    }
    size_t end = count * p->bytes;
    while (end < MOST * p->bytes && (unsigned char)p->u[end] == 0xff) {
        ++end;
    }
    CHECK(end == MOST * p->bytes, "%s: byte %zu was written, of %zu", what, end, count * p->bytes);
    CHECK_STATUS(psg_plan_statistics(plan, &s), PSG_OK);
    CHECK_NEAR(s.mean, mean, harness_tolerance(p->precision, 1e-13, 1e-5) * (1 + fabs(mean)),
               "%s, mean of %zu", what, count);
    double got[MOST + 1];
    got[count] = 55;
    CHECK_STATUS(psg_plan_means(plan, got, count, &found), PSG_OK);
    CHECK(found == count && got[count] == 55, "%s: %zu means of %zu", what, found, count);
    for (size_t m = 0; m < count; ++m) {
        CHECK_NEAR(got[m], means[m],
                   harness_tolerance(p->precision, 1e-13, 1e-5) * (1 + fabs(means[m])),
                   "%s, mean of right-hand side %zu", what, m);
    }
    memcpy(p->u, p->f, count * p->bytes);
    CHECK_STATUS(psg_solve_many(plan, count, p->u, p->u), PSG_OK);
    for (size_t m = 0; m < count; ++m) {
        check_side(p, m, "in place");
    }
}

static void counts(problem *p, const psg_options *options, int pieces, const char *what) {
    static const size_t all[] = {1, 2, 3, BATCH, BATCH + 1, MOST, 2};
    DESTROYED psg_plan *plan = plan_of(p, options);
    for (size_t m = 0; plan != NULL && m < sizeof all / sizeof *all; ++m) {
        char words[96];
        (void)snprintf(words, sizeof words, "%s, count %zu", what, all[m]);
        solve_count(plan, p, all[m], words);
        CHECK_STATUS(psg_solve_many(plan, all[m], p->f, p->u), PSG_OK);
        const size_t whole = whole_tasks(plan);
        CHECK(all[m] % 2 == 1 || (whole > 0) == (pieces && all[m] > 1), "%s: %zu tasks whole",
              words, whole);
    }
}

static void shapes(void) {
    static const struct {
        size_t n[3];
        const char *sides;
        int on_gpus; /* the length along z has a kernel there */
    } all[] = {{{12, 11, 13}, "PP", 1}, {{16, 8, 10}, "PP", 1},      {{7, 5, 17}, "PP", 0},
               {{1, 6, 4}, "PP", 1},    {{10, 9, 8}, "DD,PP,NN", 0}, {{64, 64, 64}, "PP", 1},
               {{12, 10, 8}, "NN", 0}};
    for (size_t m = 0; m < sizeof all / sizeof *all; ++m) {
        for (int precision = PSG_F64; precision <= PSG_F32; ++precision) {
            problem p;
            problem_init(&p, all[m].n, all[m].sides, (psg_precision)precision);
            psg_options options = harness_options(p.precision);
            const int pieces = all[m].on_gpus || options.gpus == 0;
            const char *name = harness_precision_name(p.precision);
            counts(&p, &options, pieces, name);
            if (all[m].n[0] < 64) {
                options.batch = BATCH;
                counts(&p, &options, pieces, name);
                options.batch = 1;
                counts(&p, &options, 0, name);
            }
            problem_free(&p);
        }
    }
}

/** Tasks of StarPU's, of any policy, and plans that solve one after the other. */
static void policies(void) {
    static const size_t n[3] = {12, 11, 13};
    static const char *const policy[] = {"eager", "lws", "prio"};
    problem p;
    problem_init(&p, n, "PP", PSG_F64);
    for (size_t m = 0; m < sizeof policy / sizeof *policy; ++m) {
        psg_options options = harness_with(PSG_F64, "batch=2 segment_planes=4");
        options.policy = policy[m];
        counts(&p, &options, 1, policy[m]);
    }
    psg_options options = harness_with(PSG_F64, "graph=staged in_flight=3");
    counts(&p, &options, 0, "staged");
    options = harness_options(PSG_F64);
    options.lambda = 2;
    options.factor = -3;
    options.symbol = PSG_SYMBOL_FD2;
    counts(&p, &options, 1, "other terms");
    problem_free(&p);
}

/** Ghost layers around each plane, and in f another number of them than in u. */
static void strides(void) {
    enum { COUNT = 5, NX = 12, NY = 11, NZ = 13, F_ROW = NX + 3, U_ROW = NX + 1 };
    static const size_t n[3] = {NX, NY, NZ};
    const size_t f_plane = (size_t)F_ROW * (NY + 2), u_plane = (size_t)U_ROW * (NY + 1);
    problem p;
    problem_init(&p, n, "PP", PSG_F64);
    const psg_options options = harness_options(PSG_F64);
    psg_plan *plan = plan_of(&p, &options);
    FREED double *f = oracle_array(COUNT * NZ * f_plane), *u = oracle_array(COUNT * NZ * u_plane);
    psg_array from = harness_view(f), to = harness_view(u);
    from.stride[0] = to.stride[0] = 1;
    from.stride[1] = F_ROW;
    from.stride[2] = (ptrdiff_t)f_plane;
    to.stride[1] = U_ROW;
    to.stride[2] = (ptrdiff_t)u_plane;
    for (size_t m = 0; m < COUNT * p.points; ++m) {
        f[m / (NX * NY) * f_plane + m / NX % NY * F_ROW + m % NX] =
            check_element(p.f, sizeof(double), m);
    }
    for (size_t m = 0; m < COUNT * NZ * u_plane; ++m) {
        u[m] = 77;
    }
    if (plan != NULL) {
        solve_each(plan, &p, COUNT);
        CHECK_STATUS(psg_solve_many_arrays(plan, COUNT, &from, &to, NULL), PSG_OK);
        size_t beside = 0;
        for (size_t m = 0; m < COUNT * NZ * u_plane; ++m) {
            const size_t plane = m / u_plane, j = m % u_plane / U_ROW, i = m % U_ROW;
            if (i < NX && j < NY) {
                ((double *)(void *)p.u)[(plane * NY + j) * NX + i] = u[m];
            } else {
                beside += u[m] != 77;
            }
        }
        for (size_t m = 0; m < COUNT; ++m) {
            check_side(&p, m, "strides");
        }
        CHECK(beside == 0, "%zu elements beside u were written", beside);
        CHECK_STATUS(psg_solve_many_arrays(plan, COUNT, NULL, &to, NULL), PSG_ERR_ARG);
        CHECK_STATUS(psg_solve_many_arrays(plan, COUNT, &from, NULL, NULL), PSG_ERR_ARG);
        to.stride[2] = 5;
        CHECK_STATUS(psg_solve_many_arrays(plan, COUNT, &from, &to, NULL), PSG_ERR_ARG);
        from.stride[2] = -5;
        CHECK_STATUS(psg_solve_many_arrays(plan, COUNT, &from, &to, NULL), PSG_ERR_ARG);
        psg_plan_destroy(plan);
    }
    problem_free(&p);
}

static void check_others(const problem *p, size_t count, size_t bad, const char *what) {
    for (size_t m = 0; m < count; ++m) {
        if (m != bad) {
            check_side(p, m, what);
        }
    }
}

enum { GIVEN = 7 };

/** Of right-hand side m, or of all where m is GIVEN: along x below each has values of its own,
 *  whose points lie apart, above all have the same; along y one number; along z each has dense
 *  ones. */
static psg_solve_args given_terms(const problem *p, const psg_plan *plan, char *values, size_t m,
                                  psg_array side[4]) {
    const size_t *n[3] = {&p->grid.axis[0].n, &p->grid.axis[1].n, &p->grid.axis[2].n};
    const size_t plane = *n[1] * *n[2], bytes = p->bytes / p->points;
    const size_t step[4] = {1, 0, *n[0] * *n[1], 2 * *n[0] * *n[1]};
    const size_t first[4] = {0, GIVEN * plane, 2 * p->points, 4 * p->points};
    psg_solve_args args = harness_args(plan);
    args.lambda = 3;
    args.factor = -2;
    args.box[1] = 2.5;
    args.value[1][0] = 0.25;
    for (size_t s = 0; s < 4; ++s) {
        side[s] = harness_view(values + (first[s] + (m < GIVEN ? m * step[s] : 0)) * bytes);
        args.side[s / 2 * 2][s % 2] = &side[s];
        args.side_step[s / 2 * 2][s % 2] = (ptrdiff_t)step[s];
    }
    side[0].stride[1] = GIVEN;
    side[0].stride[2] = GIVEN * (ptrdiff_t)*n[1];
    return args;
}

static void with_terms(const char *sides, psg_precision precision, size_t batch) {
    static const size_t n[3] = {6, 5, 7};
    problem p;
    problem_init(&p, n, sides, precision);
    psg_options options = harness_options(precision);
    options.symbol = PSG_SYMBOL_FD2;
    options.batch = batch;
    DESTROYED psg_plan *plan = plan_of(&p, &options);
    const size_t bytes = p.bytes / p.points;
    FREED double *random = oracle_array(MOST * p.points);
    FREED char *values = harness_array(precision, MOST * p.points);
    const psg_array f = harness_view(p.f), u = harness_view(p.u);
    psg_array side[4];
    oracle_random(11, MOST * p.points, random);
    harness_store(precision, MOST * p.points, random, values);
    for (size_t m = 0; m < GIVEN && plan != NULL; ++m) {
        const psg_array from = harness_view(p.f + m * p.bytes),
                        to = harness_view(p.want + m * p.bytes);
        const psg_solve_args args = given_terms(&p, plan, values, m, side);
        CHECK_STATUS(psg_solve_arrays(plan, 1, &from, &to, &args), PSG_OK);
    }
    psg_solve_args args = given_terms(&p, plan, values, GIVEN, side);
    CHECK_STATUS(psg_solve_many_arrays(plan, GIVEN, &f, &u, &args), PSG_OK);
    for (size_t m = 0; m < GIVEN; ++m) {
        check_side(&p, m, "with terms of a solve");
    }
    harness_store(precision, 1, (double[]){NAN}, values + (3 + GIVEN * 2) * bytes);
    memset(p.u, 0, GIVEN * p.bytes);
    CHECK_SAYS(psg_solve_many_arrays(plan, GIVEN, &f, &u, &args), PSG_ERR_DATA,
               "right-hand side 3: the value nan on side x0 at point (2, 0)");
    check_others(&p, GIVEN, 3, "a NaN on a side elsewhere");
    args.side[0][0] = NULL;
    args.mean = PSG_MEAN_ERROR; /* lambda is not 0 */
    CHECK_STATUS(psg_solve_many_arrays(plan, GIVEN, &f, &u, &args), PSG_OK);
    args.gradient[2] = &u;
    CHECK_SAYS(psg_solve_many_arrays(plan, GIVEN, &f, &u, &args), PSG_ERR_UNSUPPORTED,
               "have neither a gradient nor epsilon");
    args.gradient[2] = NULL;
    args.box[1] = -1;
    CHECK_SAYS(psg_solve_many_arrays(plan, GIVEN, &f, &u, &args), PSG_ERR_ARG,
               "the box is -1 long along y");
    args.struct_size = 7;
    CHECK_SAYS(psg_solve_many_arrays(plan, GIVEN, &f, &u, &args), PSG_ERR_ARG, "struct_size");
    problem_free(&p);
}

/** More than a team has steps for one solve. */
static void a_hundred(void) {
    enum { SIDES = 100, N = 5, POINTS = N * N * N };
    FREED double *f = oracle_array((size_t)SIDES * POINTS),
                 *u = oracle_array((size_t)SIDES * POINTS);
    FREED double *want = oracle_array(POINTS);
    psg_options options = harness_options(PSG_F64);
    psg_plan *plan = NULL;
    psg_grid grid = harness_box(N, N, N, 1, 1, 1);
    oracle_random(3, (size_t)SIDES * POINTS, f);
    if (CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
        CHECK_STATUS(psg_solve_many(plan, SIDES, f, u), PSG_OK);
        for (size_t m = 0; m < SIDES; ++m) {
            CHECK_STATUS(psg_solve(plan, f + m * POINTS, want), PSG_OK);
            CHECK_CLOSE(u + m * POINTS, want, N, N, N, 1e-14, "right-hand side %zu of 100", m);
        }
        psg_plan_destroy(plan);
    }
}

static void poison(problem *p, size_t side, size_t at, double value) {
    if (p->precision == PSG_F64) {
        ((double *)(void *)p->f)[side * p->points + at] = value;
    } else {
        ((float *)(void *)p->f)[side * p->points + at] = (float)value;
    }
}

/** A NaN in one right-hand side: the words name it and the point. */
static void bad_data(psg_precision precision, size_t batch) {
    static const size_t n[3] = {12, 11, 13};
    for (size_t bad = 0; bad < BATCH + 1; ++bad) {
        problem p;
        problem_init(&p, n, "PP", precision);
        psg_options options = harness_options(precision);
        options.batch = batch;
        DESTROYED psg_plan *plan = plan_of(&p, &options);
        char name[32];
        size_t at[3] = {0};
        if (plan == NULL) {
            problem_free(&p);
            return;
        }
        solve_each(plan, &p, BATCH + 1);
        (void)snprintf(name, sizeof name, "right-hand side %zu: ", bad);
        poison(&p, bad, 5 + 12 * (2 + 11 * 7), NAN);
        CHECK_STATUS(psg_solve_many(plan, BATCH + 1, p.f, p.u), PSG_ERR_DATA);
        CHECK(strncmp(psg_last_error(), name, strlen(name)) == 0, "the words are '%s'",
              psg_last_error());
        CHECK(harness_coordinates(psg_last_error() + strlen(name), at) == 3 && at[0] == 5 &&
                  at[1] == 2 && at[2] == 7,
              "the words are '%s'", psg_last_error());
        check_others(&p, BATCH + 1, bad, "a NaN elsewhere");
        memcpy(p.u, p.f, MOST * p.bytes);
        CHECK_STATUS(psg_solve_many(plan, BATCH + 1, p.u, p.u), PSG_ERR_DATA);
        CHECK(strncmp(psg_last_error(), name, strlen(name)) == 0, "the words are '%s'",
              psg_last_error());
        check_others(&p, BATCH + 1, bad, "a NaN elsewhere, in place");
        poison(&p, bad, 5 + 12 * (2 + 11 * 7), 0.5);
        solve_count(plan, &p, BATCH + 1, "after a NaN");
        problem_free(&p);
    }
}

/** PSG_MEAN_ERROR is about each right-hand side. */
static void means(void) {
    static const size_t n[3] = {12, 11, 13};
    problem p;
    problem_init(&p, n, "PP", PSG_F64);
    psg_options options = harness_options(PSG_F64);
    psg_plan *plan = plan_of(&p, &options);
    if (plan != NULL) {
        solve_each(plan, &p, BATCH);
        psg_plan_destroy(plan);
    }
    double *f = (double *)(void *)p.f;
    for (size_t m = 0; m < BATCH; ++m) {
        double mean = 0;
        for (size_t k = 0; k < p.points; ++k) {
            mean += f[m * p.points + k] / (double)p.points;
        }
        for (size_t k = 0; k < p.points && m != 2; ++k) {
            f[m * p.points + k] -= mean;
        }
    }
    options.mean = PSG_MEAN_ERROR;
    plan = plan_of(&p, &options);
    if (plan != NULL) {
        CHECK_STATUS(psg_solve_many(plan, BATCH, p.f, p.u), PSG_ERR_MEAN);
        CHECK(strncmp(psg_last_error(), "right-hand side 2: ", 19) == 0, "the words are '%s'",
              psg_last_error());
        for (size_t m = 0; m < BATCH; ++m) {
            const double *u = (const double *)(const void *)p.u + m * p.points;
            CHECK_CLOSE(u, (const double *)(const void *)p.want + m * p.points, n[0], n[1], n[2],
                        1e-13, "without its mean, right-hand side %zu", m);
        }
        psg_plan_destroy(plan);
    }
    problem_free(&p);
}

static void bad_input(void) {
    static const size_t n[3] = {12, 11, 13};
    size_t count = 0;
    problem p;
    problem_init(&p, n, "PP", PSG_F64);
    psg_options options = harness_options(PSG_F64);
    psg_plan *plan = plan_of(&p, &options);
    CHECK_SAYS(psg_solve_many(NULL, 2, p.f, p.u), PSG_ERR_ARG, "plan is NULL");
    CHECK_SAYS(psg_solve_many(plan, 0, p.f, p.u), PSG_ERR_ARG, "count is 0");
    CHECK_SAYS(psg_solve_many(plan, 2, NULL, p.u), PSG_ERR_ARG, "f is NULL");
    CHECK_SAYS(psg_solve_many(plan, 2, p.f, NULL), PSG_ERR_ARG, "u is NULL");
    CHECK_SAYS(psg_solve_many(plan, 2, p.f, p.f + p.bytes), PSG_ERR_ARG, "overlap");
    CHECK_SAYS(psg_solve_many(plan, 3, p.f + p.bytes, p.f), PSG_ERR_ARG, "overlap");
    CHECK_SAYS(psg_solve_many(plan, SIZE_MAX / 8, p.f, p.u), PSG_ERR_ARG,
               "more than can be addressed");
    CHECK_STATUS(psg_plan_means(plan, NULL, 1, &count), PSG_ERR_ARG);
    CHECK_STATUS(psg_plan_means(NULL, NULL, 0, &count), PSG_ERR_ARG);
    CHECK_STATUS(psg_plan_means(plan, NULL, 0, NULL), PSG_ERR_ARG);
    CHECK_SAYS(psg_solve_many(plan, 2, p.f + 1, p.u), PSG_ERR_ARG, "not aligned");
    CHECK_STATUS(psg_submit(plan, p.f, p.u), PSG_OK);
    CHECK_STATUS(psg_solve_many(plan, 2, p.f, p.u), PSG_ERR_STATE);
    CHECK_STATUS(psg_wait(plan), PSG_OK);
    solve_count(plan, &p, 3, "after what was refused");
    psg_plan_destroy(plan);
    CHECK_SAYS(psg_options_set(&options, "batch", "0"), PSG_ERR_ARG, "from 1");
    CHECK_STATUS(psg_options_set(&options, "batch", "many"), PSG_ERR_ARG);
    CHECK_STATUS(psg_options_set(&options, "batch", "3"), PSG_OK);
    CHECK(options.batch == 3, "batch is %zu", options.batch);
    CHECK_STATUS(psg_options_set(&options, "batch", "auto"), PSG_OK);
    CHECK(options.batch == 0, "batch is %zu", options.batch);
    problem_free(&p);
}

int main(void) {
    const psg_options options = harness_options(PSG_F64);
    shapes();
    policies();
    DESTROYED psg_plan *anchor = harness_anchor(&options);
    a_hundred();
    strides();
    for (size_t batch = 0; batch <= 2; ++batch) {
        bad_data(PSG_F64, batch);
    }
    bad_data(PSG_F32, 0);
    for (size_t batch = 0; batch <= 1; ++batch) {
        with_terms("DN,DD,ND", PSG_F64, batch);
        with_terms("NDn,DN,DDn", PSG_F32, batch);
    }
    means();
    bad_input();
    return check_result();
}
