/* lambda, the factor and the rule for the mean of a solve are those of all processes: u is bit by bit that of a plan made
 * with them, and where one process has another value, or a bad one, all refuse with words and nothing is started. */
#include "tests/check.h"
#include "tests/mpi/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static MPI_Comm world;
static const oracle_grid box = {{5, 7, 12}, {1.0, 1.0, 2.0}};

typedef struct terms {
    double lambda, factor;
    psg_mean mean;
} terms;

static const terms all[] = {{0, 1, PSG_MEAN_DROP},
                            {2, -3, PSG_MEAN_ERROR},
                            {0, 1, PSG_MEAN_DROP},
                            {50, 0.5, PSG_MEAN_DROP}};
enum { TERMS = sizeof all / sizeof all[0] };

static psg_plan *plan_of(const terms *t, psg_exchange exchange, const harness_variant *variant) {
    const psg_grid grid = harness_grid(&box);
    psg_options options = ranks_options(PSG_F64, &world);
    psg_plan *plan = NULL;
    harness_set_variant(&options, variant);
    options.exchange = exchange;
    options.lambda = t->lambda;
    options.factor = t->factor;
    options.mean = t->mean;
    ranks_at("psg_plan_create, lambda %g", t->lambda);
    CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK);
    return plan;
}

static psg_status submit(psg_plan *plan, const share *s, const terms *t) {
    const psg_array f = {.data = s->f, .device = PSG_HOST}, u = {.data = s->u, .device = PSG_HOST};
    psg_solve_args args;
    CHECK_STATUS(psg_solve_args_init(&args, plan), PSG_OK);
    args.lambda = t->lambda;
    args.factor = t->factor;
    args.mean = t->mean;
    return psg_submit_arrays(plan, 1, &f, &u, &args);
}

static void good(psg_plan *plan, share *s, const double *f, double *want[TERMS], double *got) {
    const size_t bytes = oracle_points(&box) * sizeof *got;
    for (size_t m = 0; m < 2 * (size_t)TERMS; ++m) {
        const size_t t = m % TERMS;
        ranks_at("lambda %g", all[t].lambda);
        share_take(s, f);
        CHECK_STATUS(submit(plan, s, &all[t]), PSG_OK);
        CHECK_STATUS(psg_wait(plan), PSG_OK);
        share_gather(s, world, got);
        CHECK(memcmp(got, want[t], bytes) == 0, "lambda %g: another u than of a plan's",
              all[t].lambda);
    }
}

/** @param[in] who   the process that has other terms @param[in] name  in the words of all */
static void odd(psg_plan *plan, const share *s, int who, const terms *other, const char *name) {
    char process[32];
    const terms *mine = ranks_rank(world) == who ? other : &all[1];
    ranks_at("process %d has another %s", who, name);
    CHECK_STATUS(submit(plan, s, mine), PSG_ERR_ARG);
    CHECK(strstr(psg_last_error(), name) != NULL, "'%s' has no %s", psg_last_error(), name);
    snprintf(process, sizeof process, "process %d: ", who > 0 ? who : 1);
    CHECK(strstr(psg_last_error(), process) != NULL, "'%s' has no %s", psg_last_error(), process);
    CHECK_STATUS(psg_wait(plan), PSG_ERR_STATE);
}

static void differ(psg_plan *plan, const share *s, int ranks) {
    const terms lambda = {2.5, -3, PSG_MEAN_ERROR}, factor = {2, 3, PSG_MEAN_ERROR},
                mean = {2, -3, PSG_MEAN_DROP};
    for (int who = 0; ranks > 1 && who < ranks; ++who) {
        odd(plan, s, who, &lambda, "lambda");
        odd(plan, s, who, &factor, "factor");
        odd(plan, s, who, &mean, "mean");
    }
    for (int who = 0; who < ranks; ++who) { /* and one that is bad in itself */
        const terms bad = {NAN, -3, PSG_MEAN_ERROR};
        ranks_at("process %d has no lambda", who);
        CHECK_STATUS(submit(plan, s, ranks_rank(world) == who ? &bad : &all[1]), PSG_ERR_ARG);
        CHECK(strstr(psg_last_error(), "lambda = nan") != NULL, "'%s'", psg_last_error());
        CHECK_STATUS(psg_wait(plan), PSG_ERR_STATE);
    }
}

static void one_case(psg_exchange exchange, const harness_variant *variant, const double *f) {
    share s = share_make(world, PSG_F64, &box, 0);
    double *want[TERMS], *got = oracle_array(oracle_points(&box));
    for (size_t t = 0; t < TERMS; ++t) {
        psg_plan *plan = plan_of(&all[t], exchange, variant);
        want[t] = oracle_array(oracle_points(&box));
        share_take(&s, f);
        CHECK_STATUS(psg_solve(plan, s.f, s.u), PSG_OK);
        share_gather(&s, world, want[t]);
        psg_plan_destroy(plan);
    }
    psg_plan *plan = plan_of(&all[0], exchange, variant);
    good(plan, &s, f, want, got);
    differ(plan, &s, ranks_size(world));
    good(plan, &s, f, want, got);
    psg_plan_destroy(plan);
    for (size_t t = 0; t < TERMS; ++t) {
        free(want[t]);
    }
    free(got);
    share_free(&s);
}

int main(int argc, char **argv) {
    ranks_start(&argc, &argv);
    world = MPI_COMM_WORLD;
    double *f = oracle_array(oracle_points(&box));
    oracle_random(3, oracle_points(&box), f);
    size_t n = 0;
    for (int x = 0; x < RANKS_EXCHANGES; ++x) {
        for (int v = 0; v < HARNESS_VARIANTS; ++v) {
            if (ranks_takes(n++)) {
                one_case(ranks_exchanges[x], &harness_variants[v], f);
            }
        }
    }
    free(f);
    return ranks_finish(check_result());
}
