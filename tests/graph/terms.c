/* lambda, the factor and the rule for the mean are a solve's, of one process and over several:
 * whatever a plan was made with, u is bit by bit that of a plan made with the terms of the solve,
 * also of solves in flight at once. Terms that a plan cannot have, no solve can. Where one process
 * has other terms, or bad ones, all refuse with words and nothing is started. */
#include "graph/psg_observe.h"
#include "tests/check.h"
#include "tests/mpi/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static MPI_Comm world;
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
    psg_exchange exchange;
    psg_precision precision;
    share part, other;
    double *f, *got, *want[TERMS], mean; /* of the whole grid */
} fixture;

static psg_plan *plan_of(const fixture *x, const terms *t, unsigned in_flight) {
    const psg_grid grid = harness_grid(&box);
    psg_options options = ranks_options(x->precision, &world);
    psg_plan *plan = NULL;
    harness_set_variant(&options, x->variant);
    ranks_at("psg_plan_create, lambda %g", t->lambda);
    options.exchange = x->exchange;
    options.lambda = t->lambda;
    options.factor = t->factor;
    options.mean = t->mean;
    options.segment_planes = 5;
    options.sheets = 3;
    options.in_flight = in_flight;
    CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK);
    return plan;
}

/** @param[in] f  where the solve reads: s->f, or s->u for one in place */
static psg_status submit(psg_plan *plan, const share *s, void *f, const terms *t) {
    const psg_array from = {.data = f, .device = PSG_HOST}, to = {.data = s->u, .device = PSG_HOST};
    psg_solve_args args = harness_args(plan);
    args.lambda = t->lambda;
    args.factor = t->factor;
    args.mean = t->mean;
    return psg_submit_arrays(plan, 1, &from, &to, &args);
}

static void check_u(const fixture *x, size_t t, const share *s, const char *what) {
    share_gather(s, world, x->got);
    CHECK(memcmp(x->got, x->want[t], oracle_points(&box) * sizeof *x->got) == 0,
          "%s, %s, %s: u of lambda %g, factor %g is another than a plan's with them",
          harness_precision_name(x->precision), x->variant->name, what, all[t].lambda,
          all[t].factor);
}

static double mean_of(const psg_plan *plan) {
    const psg_statistics s = harness_statistics(plan);
    return s.mean;
}

/** Each of its own plan; they differ from each other. */
static void make_wanted(fixture *x) {
    const size_t bytes = oracle_points(&box) * sizeof *x->got;
    for (size_t t = 0; t < TERMS; ++t) {
        psg_plan *plan = plan_of(x, &all[t], 1);
        CHECK_STATUS(psg_solve(plan, x->part.f, x->part.u), PSG_OK);
        share_gather(&x->part, world, x->want[t]);
        x->mean = all[t].lambda > 0 ? x->mean : mean_of(plan);
        psg_plan_destroy(plan);
        for (size_t o = 0; o < t; ++o) {
            const int same = all[o].lambda == all[t].lambda && all[o].factor == all[t].factor;
            CHECK((memcmp(x->want[o], x->want[t], bytes) == 0) == same, "u of %zu and %zu", o, t);
        }
    }
}

static void one_by_one(const fixture *x, psg_plan *plan) {
    for (size_t m = 0; m < (size_t)ROUNDS * TERMS; ++m) {
        const size_t t = m < 2 * (size_t)TERMS ? m % TERMS : m / ROUNDS % TERMS;
        ranks_at("lambda %g", all[t].lambda);
        CHECK_STATUS(submit(plan, &x->part, x->part.f, &all[t]), PSG_OK);
        CHECK_STATUS(psg_wait(plan), PSG_OK);
        check_u(x, t, &x->part, "one by one");
        CHECK(mean_of(plan) == (all[t].lambda > 0 ? 0 : x->mean), "lambda %g: the mean is %g",
              all[t].lambda, mean_of(plan));
    }
    CHECK_STATUS(psg_solve(plan, x->part.f, x->part.u), PSG_OK);
    check_u(x, 0, &x->part, "the plan's own again");
}

/** Two at once, in both orders. */
static void in_flight(const fixture *x) {
    DESTROYED psg_plan *plan = plan_of(x, &all[4], 2);
    for (size_t m = 0; m < 4 * (size_t)TERMS; ++m) {
        const size_t t[2] = {m % TERMS, (m * 5 + 1) % TERMS};
        CHECK_STATUS(submit(plan, &x->part, x->part.f, &all[t[0]]), PSG_OK);
        CHECK_STATUS(submit(plan, &x->other, x->part.f, &all[t[1]]), PSG_OK);
        CHECK_STATUS(psg_wait(plan), PSG_OK);
        CHECK_STATUS(psg_wait(plan), PSG_OK);
        check_u(x, t[0], &x->part, "the first of two in flight");
        check_u(x, t[1], &x->other, "the second of two in flight");
    }
}

/** f has a mean: an error where the solve says so and lambda is 0, whatever the plan says. */
static void mean_rules(const fixture *x) {
    const size_t bytes = x->part.points * harness_element_bytes(x->precision);
    for (int strict = 0; strict < 2; ++strict) {
        const terms made = {0, 1, strict ? PSG_MEAN_ERROR : PSG_MEAN_DROP};
        const terms drop = {0, 1, PSG_MEAN_DROP}, error = {0, 1, PSG_MEAN_ERROR},
                    screened = {2, 1, PSG_MEAN_ERROR};
        DESTROYED psg_plan *plan = plan_of(x, &made, 2);
        CHECK_STATUS(submit(plan, &x->part, x->part.f, &error), PSG_OK);
        CHECK_STATUS(submit(plan, &x->other, x->part.f, &drop), PSG_OK);
        CHECK_STATUS(psg_wait(plan), PSG_ERR_MEAN);
        CHECK_STATUS(psg_wait(plan), PSG_OK);
        check_u(x, 0, &x->other, "the mean is dropped");
        CHECK_STATUS(submit(plan, &x->part, x->part.f, &screened), PSG_OK);
        CHECK_STATUS(psg_wait(plan), PSG_OK);
        check_u(x, 1, &x->part, "the mean stays");
        CHECK_STATUS(psg_solve(plan, x->part.f, x->part.u), strict ? PSG_ERR_MEAN : PSG_OK);
        memcpy(x->other.u, x->part.f, bytes);
        CHECK_SAYS(submit(plan, &x->other, x->other.u, &error), PSG_ERR_ARG, "in place");
        CHECK(memcmp(x->other.u, x->part.f, bytes) == 0, "u was written");
        CHECK_STATUS(submit(plan, &x->other, x->other.u, &screened), PSG_OK);
        CHECK_STATUS(psg_wait(plan), PSG_OK);
        check_u(x, 1, &x->other, "in place");
    }
}

/** A solve is refused with the status and words with which a plan is. */
static void refused(fixture *x, psg_plan *plan, const terms *t) {
    const psg_grid grid = harness_grid(&box);
    psg_options options = ranks_options(x->precision, &world);
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
    share_take(&x->part, x->f);
    CHECK_STATUS(submit(plan, &x->part, x->part.f, t), status);
    CHECK(strcmp(psg_last_error(), words) == 0, "'%s' of a solve, '%s' of a plan", psg_last_error(),
          words);
    CHECK_STATUS(psg_wait(plan), PSG_ERR_STATE);
    for (size_t m = 0; m < x->part.points * harness_element_bytes(x->precision); ++m) {
        if (!CHECK(((const unsigned char *)x->part.u)[m] == 0xff, "u was written")) {
            break;
        }
    }
}

static void bad_terms(fixture *x) {
    const double huge = x->precision == PSG_F32 ? 1e39 : INFINITY;
    const double tiny = x->precision == PSG_F32 ? -1e-37 : 1e-307;
    const terms bad[] = {
        {-1, 1, PSG_MEAN_DROP},       {NAN, 1, PSG_MEAN_DROP},      {-INFINITY, 1, PSG_MEAN_DROP},
        {INFINITY, 1, PSG_MEAN_DROP}, {huge, 1, PSG_MEAN_DROP},     {0, 0, PSG_MEAN_DROP},
        {0, NAN, PSG_MEAN_DROP},      {0, INFINITY, PSG_MEAN_DROP}, {0, tiny, PSG_MEAN_DROP},
        {0, 1, PSG_MEAN_COUNT},       {0, 1, (psg_mean)-1},
    };
    const psg_array from = {.data = x->part.f, .device = PSG_HOST},
                    to = {.data = x->part.u, .device = PSG_HOST};
    DESTROYED psg_plan *plan = plan_of(x, &all[1], 2);
    for (size_t m = 0; m < sizeof bad / sizeof *bad; ++m) {
        refused(x, plan, &bad[m]);
    }
    psg_solve_args args = harness_args(plan);
    args.struct_size = 7;
    CHECK_SAYS(psg_submit_arrays(plan, 1, &from, &to, &args), PSG_ERR_ARG, "struct_size");
    CHECK_STATUS(psg_solve_args_init(NULL, plan), PSG_ERR_ARG);
    CHECK_STATUS(psg_solve_args_init(&args, NULL), PSG_ERR_ARG);
    CHECK_STATUS(psg_solve_args_init(&args, plan), PSG_OK);
    CHECK(args.lambda == all[1].lambda && args.factor == all[1].factor &&
              args.mean == all[1].mean && args.struct_size == sizeof args,
          "the plan's terms are lambda %g, factor %g", args.lambda, args.factor);
    CHECK_STATUS(psg_solve_arrays(plan, 1, &from, &to, NULL), PSG_OK);
    check_u(x, 1, &x->part, "without terms, after bad ones");
}

/** @param[in] who   the process that has other terms @param[in] name  in the words of all */
static void odd(psg_plan *plan, const share *s, int who, const terms *other, const char *name) {
    char process[32];
    const terms *mine = ranks_rank(world) == who ? other : &all[1];
    ranks_at("process %d has another %s", who, name);
    CHECK_STATUS(submit(plan, s, s->f, mine), PSG_ERR_ARG);
    CHECK(strstr(psg_last_error(), name) != NULL, "'%s' has no %s", psg_last_error(), name);
    snprintf(process, sizeof process, "process %d: ", who > 0 ? who : 1);
    CHECK(strstr(psg_last_error(), process) != NULL, "'%s' has no %s", psg_last_error(), process);
    CHECK_STATUS(psg_wait(plan), PSG_ERR_STATE);
}

static void differ(psg_plan *plan, const share *s, int ranks) {
    const terms lambda = {2.5, 1, PSG_MEAN_DROP}, factor = {2, 3, PSG_MEAN_DROP},
                mean = {2, 1, PSG_MEAN_ERROR};
    for (int who = 0; ranks > 1 && who < ranks; ++who) {
        odd(plan, s, who, &lambda, "lambda");
        odd(plan, s, who, &factor, "factor");
        odd(plan, s, who, &mean, "mean");
    }
    for (int who = 0; who < ranks; ++who) { /* and one that is bad in itself */
        const terms bad = {NAN, 1, PSG_MEAN_DROP};
        ranks_at("process %d has no lambda", who);
        CHECK_SAYS(submit(plan, s, s->f, ranks_rank(world) == who ? &bad : &all[1]), PSG_ERR_ARG,
                   "lambda = nan");
        CHECK_STATUS(psg_wait(plan), PSG_ERR_STATE);
    }
}

static void one_case(const harness_variant *variant, psg_exchange exchange, psg_precision precision,
                     double *f) {
    fixture x = {.variant = variant, .exchange = exchange, .precision = precision, .f = f};
    x.part = share_make(world, precision, &box, 0);
    x.other = share_make(world, precision, &box, 0);
    x.got = oracle_array(oracle_points(&box));
    share_take(&x.part, f);
    share_take(&x.other, f);
    for (size_t t = 0; t < TERMS; ++t) {
        x.want[t] = oracle_array(oracle_points(&box));
    }
    make_wanted(&x);
    in_flight(&x);
    mean_rules(&x);
    psg_plan *plan = plan_of(&x, &all[0], 1);
    one_by_one(&x, plan);
    differ(plan, &x.part, ranks_size(world));
    one_by_one(&x, plan);
    psg_plan_destroy(plan);
    if (ranks_size(world) == 1) { /* else the words name a process */
        bad_terms(&x);
    }
    for (size_t t = 0; t < TERMS; ++t) {
        free(x.want[t]);
    }
    free(x.got);
    share_free(&x.part);
    share_free(&x.other);
}

int main(int argc, char **argv) {
    ranks_start(&argc, &argv);
    world = MPI_COMM_WORLD;
    const psg_options first = ranks_options(PSG_F64, NULL);
    psg_plan *anchor = harness_anchor(&first);
    const size_t points = oracle_points(&box);
    double *f = oracle_array(points);
    oracle_random(5, points, f);
    for (size_t m = 0; m < points; ++m) {
        f[m] += 0.25;
    }
    for (size_t run = 0; run < (size_t)2 * HARNESS_VARIANTS * RANKS_EXCHANGES; ++run) {
        if (ranks_takes(run)) {
            one_case(&harness_variants[run / 2 % HARNESS_VARIANTS],
                     ranks_exchanges[run / 2 / HARNESS_VARIANTS], run % 2 ? PSG_F32 : PSG_F64, f);
        }
    }
    psg_plan_destroy(anchor);
    free(f);
    return ranks_finish(check_result());
}
