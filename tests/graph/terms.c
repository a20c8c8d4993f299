/* lambda, the factor and the rule for the mean are a solve's: whatever a plan was made with, u is bit by bit that of a plan
 * made with the terms of the solve, also of solves in flight at once; terms that a plan cannot have, no solve can. */
#include "graph/psg_observe.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const oracle_grid box = {{9, 10, 12}, {1.0, 2.0, 0.5}};

typedef struct terms {
    double lambda, factor;
    psg_mean mean;
} terms;

/** One after the other, so that each differs from the one before; lambda 0 comes back. */
static const terms all[] = {
    {0, 1, PSG_MEAN_DROP},     {2, 1, PSG_MEAN_DROP},   {0, 1, PSG_MEAN_DROP},
    {0, -0.25, PSG_MEAN_DROP}, {7.5, 3, PSG_MEAN_DROP}, {1e3, -12.5, PSG_MEAN_ERROR},
};
enum { TERMS = sizeof all / sizeof all[0], ROUNDS = 5 };

typedef struct fixture {
    const harness_variant *variant;
    psg_precision precision;
    size_t bytes;
    void *f, *u, *other, *want[TERMS];
    double mean;
} fixture;

static psg_plan *plan_of(const fixture *x, const terms *t, unsigned in_flight) {
    const psg_grid grid = harness_grid(&box);
    psg_options options = harness_options(x->precision);
    psg_plan *plan = NULL;
    harness_set_variant(&options, x->variant);
    options.lambda = t->lambda;
    options.factor = t->factor;
    options.mean = t->mean;
    options.segment_planes = 5;
    options.sheets = 3;
    options.in_flight = in_flight;
    CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK);
    return plan;
}

static psg_status submit(psg_plan *plan, void *f, void *u, const terms *t) {
    const psg_array from = {.data = f, .device = PSG_HOST}, to = {.data = u, .device = PSG_HOST};
    psg_solve_args args;
    CHECK_STATUS(psg_solve_args_init(&args, plan), PSG_OK);
    args.lambda = t->lambda;
    args.factor = t->factor;
    args.mean = t->mean;
    return psg_submit_arrays(plan, 1, &from, &to, &args);
}

static void check_u(const fixture *x, size_t t, const void *u, const char *what) {
    CHECK(memcmp(u, x->want[t], x->bytes) == 0,
          "%s, %s, %s: u of lambda %g, factor %g is another than a plan's with them",
          harness_precision_name(x->precision), x->variant->name, what, all[t].lambda,
          all[t].factor);
}

static double mean_of(const psg_plan *plan) {
    psg_statistics s;
    CHECK_STATUS(psg_plan_statistics(plan, &s), PSG_OK);
    return s.mean;
}

/** Each of its own plan; they differ from each other. */
static void make_wanted(fixture *x) {
    for (size_t t = 0; t < TERMS; ++t) {
        psg_plan *plan = plan_of(x, &all[t], 1);
        CHECK_STATUS(psg_solve(plan, x->f, x->want[t]), PSG_OK);
        x->mean = all[t].lambda > 0 ? x->mean : mean_of(plan);
        psg_plan_destroy(plan);
        for (size_t o = 0; o < t; ++o) {
            const int same = all[o].lambda == all[t].lambda && all[o].factor == all[t].factor;
            CHECK((memcmp(x->want[o], x->want[t], x->bytes) == 0) == same, "u of %zu and %zu", o,
                  t);
        }
    }
}

static void one_by_one(const fixture *x) {
    psg_plan *plan = plan_of(x, &all[0], 1);
    for (size_t m = 0; m < (size_t)ROUNDS * TERMS; ++m) {
        const size_t t = m < 2 * (size_t)TERMS ? m % TERMS : m / ROUNDS % TERMS;
        CHECK_STATUS(submit(plan, x->f, x->u, &all[t]), PSG_OK);
        CHECK_STATUS(psg_wait(plan), PSG_OK);
        check_u(x, t, x->u, "one by one");
        CHECK(mean_of(plan) == (all[t].lambda > 0 ? 0 : x->mean), "lambda %g: the mean is %g",
              all[t].lambda, mean_of(plan));
    }
    CHECK_STATUS(psg_solve(plan, x->f, x->u), PSG_OK);
    check_u(x, 0, x->u, "the plan's own again");
    psg_plan_destroy(plan);
}

/** Two at once, in both orders. */
static void in_flight(const fixture *x) {
    psg_plan *plan = plan_of(x, &all[4], 2);
    for (size_t m = 0; m < 4 * (size_t)TERMS; ++m) {
        const size_t t[2] = {m % TERMS, (m * 5 + 1) % TERMS};
        CHECK_STATUS(submit(plan, x->f, x->u, &all[t[0]]), PSG_OK);
        CHECK_STATUS(submit(plan, x->f, x->other, &all[t[1]]), PSG_OK);
        CHECK_STATUS(psg_wait(plan), PSG_OK);
        CHECK_STATUS(psg_wait(plan), PSG_OK);
        check_u(x, t[0], x->u, "the first of two in flight");
        check_u(x, t[1], x->other, "the second of two in flight");
    }
    psg_plan_destroy(plan);
}

/** f has a mean: an error where the solve says so and lambda is 0, whatever the plan says. */
static void mean_rules(const fixture *x) {
    for (int strict = 0; strict < 2; ++strict) {
        const terms made = {0, 1, strict ? PSG_MEAN_ERROR : PSG_MEAN_DROP};
        const terms drop = {0, 1, PSG_MEAN_DROP}, error = {0, 1, PSG_MEAN_ERROR},
                    screened = {2, 1, PSG_MEAN_ERROR};
        psg_plan *plan = plan_of(x, &made, 2);
        CHECK_STATUS(submit(plan, x->f, x->u, &error), PSG_OK);
        CHECK_STATUS(submit(plan, x->f, x->other, &drop), PSG_OK);
        CHECK_STATUS(psg_wait(plan), PSG_ERR_MEAN);
        CHECK_STATUS(psg_wait(plan), PSG_OK);
        check_u(x, 0, x->other, "the mean is dropped");
        CHECK_STATUS(submit(plan, x->f, x->u, &screened), PSG_OK);
        CHECK_STATUS(psg_wait(plan), PSG_OK);
        check_u(x, 1, x->u, "the mean stays");
        CHECK_STATUS(psg_solve(plan, x->f, x->u), strict ? PSG_ERR_MEAN : PSG_OK);
        memcpy(x->u, x->f, x->bytes);
        CHECK_STATUS(submit(plan, x->u, x->u, &error), PSG_ERR_ARG);
        CHECK(strstr(psg_last_error(), "in place") != NULL, "'%s'", psg_last_error());
        CHECK(memcmp(x->u, x->f, x->bytes) == 0, "u was written");
        CHECK_STATUS(submit(plan, x->u, x->u, &screened), PSG_OK);
        CHECK_STATUS(psg_wait(plan), PSG_OK);
        check_u(x, 1, x->u, "in place");
        psg_plan_destroy(plan);
    }
}

/** A solve is refused with the status and words with which a plan is. */
static void refused(const fixture *x, psg_plan *plan, const terms *t) {
    const psg_grid grid = harness_grid(&box);
    psg_options options = harness_options(x->precision);
    psg_plan *none = NULL;
    char words[300];
    harness_set_variant(&options, x->variant);
    options.lambda = t->lambda;
    options.factor = t->factor;
    options.mean = t->mean;
    const psg_status status = psg_plan_create(&none, &grid, &options);
    snprintf(words, sizeof words, "%s", psg_last_error());
    CHECK(status != PSG_OK && none == NULL, "lambda %g, factor %g are fine", t->lambda, t->factor);
    psg_plan_destroy(none);
    memset(x->u, 0xff, x->bytes);
    CHECK_STATUS(submit(plan, x->f, x->u, t), status);
    CHECK(strcmp(psg_last_error(), words) == 0, "'%s' of a solve, '%s' of a plan", psg_last_error(),
          words);
    CHECK_STATUS(psg_wait(plan), PSG_ERR_STATE);
    for (size_t m = 0; m < x->bytes; ++m) {
        if (!CHECK(((const unsigned char *)x->u)[m] == 0xff, "u was written")) {
            break;
        }
    }
}

static void bad_terms(const fixture *x) {
    const double huge = x->precision == PSG_F32 ? 1e39 : INFINITY;
    const double tiny = x->precision == PSG_F32 ? -1e-37 : 1e-307;
    const terms bad[] = {
        {-1, 1, PSG_MEAN_DROP},       {NAN, 1, PSG_MEAN_DROP},      {-INFINITY, 1, PSG_MEAN_DROP},
        {INFINITY, 1, PSG_MEAN_DROP}, {huge, 1, PSG_MEAN_DROP},     {0, 0, PSG_MEAN_DROP},
        {0, NAN, PSG_MEAN_DROP},      {0, INFINITY, PSG_MEAN_DROP}, {0, tiny, PSG_MEAN_DROP},
        {0, 1, PSG_MEAN_COUNT},       {0, 1, (psg_mean)-1},
    };
    const psg_array from = {.data = x->f, .device = PSG_HOST},
                    to = {.data = x->u, .device = PSG_HOST};
    psg_plan *plan = plan_of(x, &all[1], 2);
    psg_solve_args args;
    for (size_t m = 0; m < sizeof bad / sizeof *bad; ++m) {
        refused(x, plan, &bad[m]);
    }
    CHECK_STATUS(psg_solve_args_init(&args, plan), PSG_OK);
    args.struct_size = 7;
    CHECK_STATUS(psg_submit_arrays(plan, 1, &from, &to, &args), PSG_ERR_ARG);
    CHECK(strstr(psg_last_error(), "struct_size") != NULL, "'%s'", psg_last_error());
    CHECK_STATUS(psg_solve_args_init(NULL, plan), PSG_ERR_ARG);
    CHECK_STATUS(psg_solve_args_init(&args, NULL), PSG_ERR_ARG);
    CHECK_STATUS(psg_solve_args_init(&args, plan), PSG_OK);
    CHECK(args.lambda == all[1].lambda && args.factor == all[1].factor &&
              args.mean == all[1].mean && args.struct_size == sizeof args,
          "the plan's terms are lambda %g, factor %g", args.lambda, args.factor);
    CHECK_STATUS(psg_solve_arrays(plan, 1, &from, &to, NULL), PSG_OK);
    check_u(x, 1, x->u, "without terms, after bad ones");
    psg_plan_destroy(plan);
}

static void one_case(const harness_variant *variant, psg_precision precision, const double *f) {
    const size_t points = oracle_points(&box), bytes = points * harness_element_bytes(precision);
    fixture x = {.variant = variant, .precision = precision, .bytes = bytes};
    x.f = harness_array(precision, points);
    x.u = harness_array(precision, points);
    x.other = harness_array(precision, points);
    for (size_t t = 0; t < TERMS; ++t) {
        x.want[t] = harness_array(precision, points);
    }
    harness_store(precision, points, f, x.f);
    make_wanted(&x);
    one_by_one(&x);
    in_flight(&x);
    mean_rules(&x);
    bad_terms(&x);
    for (size_t t = 0; t < TERMS; ++t) {
        free(x.want[t]);
    }
    free(x.f);
    free(x.u);
    free(x.other);
}

int main(void) {
    const psg_options first = harness_options(PSG_F64);
    psg_plan *anchor = harness_anchor(&first);
    const size_t points = oracle_points(&box);
    double *f = oracle_array(points);
    oracle_random(5, points, f);
    for (size_t m = 0; m < points; ++m) {
        f[m] += 0.25;
    }
    for (int run = 0; run < 2 * HARNESS_VARIANTS; ++run) {
        one_case(&harness_variants[run / 2], run % 2 ? PSG_F32 : PSG_F64, f);
    }
    psg_plan_destroy(anchor);
    free(f);
    return check_result();
}
