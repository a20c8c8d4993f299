/* u does not depend on the number of processes: whatever the exchange, the cuts, the variant and the workers,
 * it is what one process alone gives, and what the oracle says. */
#include "tests/check.h"
#include "tests/mpi/ranks.h"

#include <stdlib.h>
#include <string.h>

static const oracle_grid grids[] = {
    {{12, 11, 13}, {1.0, 1.1, 2.0}}, {{8, 9, 10}, {1.0, 1.0, 1.0}}, {{5, 7, 3}, {2.0, 1.0, 1.0}},
    {{1, 6, 9}, {1.0, 1.0, 1.5}},    {{16, 3, 5}, {1.0, 1.0, 1.0}}, {{6, 1, 1}, {1.0, 1.0, 1.0}},
};
#define GRIDS (sizeof grids / sizeof *grids)

static const struct {
    size_t segment_planes, sheets;
} cuts[] = {{0, 0}, {1, 1000}, {2, 3}, {1000, 1}, {3, 8}};
#define CUTS (sizeof cuts / sizeof *cuts)

static const double lambdas[] = {0, 3.5};

/** A right-hand side, what one process made of it, and what the oracle did (the last two in process 0). */
typedef struct answer {
    double *f, *alone, *oracle;
} answer;

/** [grid][precision][symbol][lambda] */
static answer answers[GRIDS][2][2][2];

static void make_answer(answer *a, const oracle_grid *grid, psg_precision precision,
                        psg_symbol symbol, double lambda) {
    size_t points = oracle_points(grid);
    a->f = oracle_array(points);
    a->alone = oracle_array(points);
    a->oracle = oracle_array(points);
    oracle_random(grid->n[0], points, a->f);
    harness_round(precision, points, a->f);
    if (ranks_rank(MPI_COMM_WORLD) == 0) {
        psg_grid g = harness_grid(grid);
        psg_options options = ranks_options(precision, NULL);
        psg_plan *plan = NULL;
        options.symbol = symbol;
        options.lambda = lambda;
        if (CHECK_STATUS(psg_plan_create(&plan, &g, &options), PSG_OK)) {
            CHECK_STATUS(harness_solve(plan, precision, points, a->f, a->alone), PSG_OK);
        }
        psg_plan_destroy(plan);
        oracle_solve(grid, symbol == PSG_SYMBOL_FD2 ? ORACLE_FD2 : ORACLE_SPECTRAL, lambda, a->f,
                     a->oracle);
    }
}

/** Before any plan with a communicator; one plan stays, so that StarPU starts once. */
static void make_answers(void) {
    psg_grid g = harness_grid(&grids[0]);
    psg_options options = ranks_options(PSG_F64, NULL);
    psg_plan *anchor = NULL;
    CHECK_STATUS(psg_plan_create(&anchor, &g, &options), PSG_OK);
    for (size_t n = 0; n < GRIDS * 8; ++n) {
        size_t p = n / 4 % 2, s = n / 2 % 2, l = n % 2;
        make_answer(&answers[n / 8][p][s][l], &grids[n / 8], p ? PSG_F32 : PSG_F64,
                    s ? PSG_SYMBOL_FD2 : PSG_SYMBOL_SPECTRAL, lambdas[l]);
    }
    psg_plan_destroy(anchor);
}

static void free_answers(void) {
    for (size_t n = 0; n < GRIDS * 8; ++n) {
        answer *a = &answers[n / 8][n / 4 % 2][n / 2 % 2][n % 2];
        free(a->f);
        free(a->alone);
        free(a->oracle);
    }
}

static void solve_twice(psg_plan *plan, share *s, const answer *a, const char *words) {
    const size_t *n = s->grid.n;
    double *u = oracle_array(oracle_points(&s->grid));
    for (int repeat = 0; repeat < 2; ++repeat) {
        share_take(s, a->f);
        CHECK_STATUS(psg_solve(plan, s->f, s->u), PSG_OK);
        CHECK(share_intact(s), "%s: f or what is beside u was written", words);
        share_gather(s, MPI_COMM_WORLD, u);
        if (ranks_rank(MPI_COMM_WORLD) == 0) {
            CHECK_CLOSE(u, a->alone, n[0], n[1], n[2], harness_tolerance(s->precision, 1e-14, 1e-6),
                        "%s, solve %d, one process", words, repeat);
            CHECK_CLOSE(u, a->oracle, n[0], n[1], n[2],
                        harness_tolerance(s->precision, 1e-12, 1e-4), "%s, solve %d, oracle", words,
                        repeat);
        }
    }
    free(u);
}

/** Grid, variant, exchange and precision in all combinations; symbol, lambda and cuts as `run` has it. */
static void one_run(size_t run, int cpus) {
    static const size_t all = GRIDS * HARNESS_VARIANTS * RANKS_EXCHANGES;
    MPI_Comm comm = MPI_COMM_WORLD;
    size_t g = run % GRIDS, p = run / all % 2;
    size_t mixed = (run * 2654435761U + (cpus < 0 ? 77U : 0U)) >> 5;
    size_t symbol = mixed % 2, lambda = mixed / 2 % 2, cut = mixed / 4 % CUTS;
    const harness_variant *variant = &harness_variants[run / GRIDS % HARNESS_VARIANTS];
    psg_grid grid = harness_grid(&grids[g]);
    psg_options options = ranks_options(p ? PSG_F32 : PSG_F64, &comm);
    psg_plan *plan = NULL;
    char words[200];
    harness_set_variant(&options, variant);
    options.cpus = cpus;
    options.exchange = ranks_exchanges[run / GRIDS / HARNESS_VARIANTS % RANKS_EXCHANGES];
    options.symbol = symbol ? PSG_SYMBOL_FD2 : PSG_SYMBOL_SPECTRAL;
    options.lambda = lambdas[lambda];
    options.segment_planes = cuts[cut].segment_planes;
    options.sheets = cuts[cut].sheets;
    options.in_flight = 1 + (unsigned)(mixed % 3);
    snprintf(words, sizeof words, "%s, %s, %s, %s, lambda %g, %zu planes, %zu sheets, cpus %d",
             harness_precision_name(options.precision), variant->name,
             ranks_exchange_name(options.exchange), symbol ? "fd2" : "spectral", options.lambda,
             options.segment_planes, options.sheets, cpus);
    ranks_at("%zux%zux%zu, %s, %u in flight", grids[g].n[0], grids[g].n[1], grids[g].n[2], words,
             options.in_flight);
    int held = CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK);
    if (ranks_all(comm, held)) {
        share s = share_make(comm, options.precision, &grids[g],
                             (size_t)(ranks_rank(comm) % 2) & (run / 4));
        solve_twice(plan, &s, &answers[g][p][symbol][lambda], words);
        share_free(&s);
    }
    psg_plan_destroy(plan);
}

int main(int argc, char **argv) {
    static const int cpus[] = {1, -1};
    ranks_start(&argc, &argv);
    make_answers();
    for (size_t c = 0; c < 2; ++c) {
        MPI_Comm comm = MPI_COMM_WORLD;
        psg_grid grid = harness_grid(&grids[0]);
        psg_options options = ranks_options(PSG_F64, &comm);
        psg_plan *anchor = NULL;
        options.cpus = cpus[c];
        int held = CHECK_STATUS(psg_plan_create(&anchor, &grid, &options), PSG_OK);
        size_t runs = GRIDS * HARNESS_VARIANTS * RANKS_EXCHANGES * (cpus[c] == 1 ? 2 : 1);
        held = ranks_all(comm, held);
        for (size_t run = 0; held && run < runs; ++run) {
            if (ranks_takes(run)) {
                one_run(run, cpus[c]);
            }
        }
        psg_plan_destroy(anchor);
    }
    free_answers();
    return ranks_finish(check_result());
}
