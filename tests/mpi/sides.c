/* Dirichlet and Neumann sides over several processes: u is what one process alone gives, whatever the exchange, the cuts
 * and the variant. */
#include "graph/psg_observe.h"
#include "tests/check.h"
#include "tests/mpi/ranks.h"

#include <stdlib.h>

static const oracle_grid grids[] = {{{7, 9, 11}, {1.0, 1.1, 1.2}}, {{8, 6, 4}, {1.0, 1.0, 1.0}}};
enum { GRIDS = sizeof grids / sizeof *grids };

static const struct {
    const char *words;
    psg_bc bc[3][2];
    psg_points points;
} sides[] = {
    {"DD,NN,DN in cells",
     {{PSG_BC_DIRICHLET, PSG_BC_DIRICHLET},
      {PSG_BC_NEUMANN, PSG_BC_NEUMANN},
      {PSG_BC_DIRICHLET, PSG_BC_NEUMANN}},
     PSG_POINTS_CELLS},
    {"NN,NN,NN on nodes",
     {{PSG_BC_NEUMANN, PSG_BC_NEUMANN},
      {PSG_BC_NEUMANN, PSG_BC_NEUMANN},
      {PSG_BC_NEUMANN, PSG_BC_NEUMANN}},
     PSG_POINTS_NODES},
    {"ND,PP,DD on nodes",
     {{PSG_BC_NEUMANN, PSG_BC_DIRICHLET}, {0}, {PSG_BC_DIRICHLET, PSG_BC_DIRICHLET}},
     PSG_POINTS_NODES},
    {"PP,DN,PP in cells", {{0}, {PSG_BC_DIRICHLET, PSG_BC_NEUMANN}, {0}}, PSG_POINTS_CELLS},
    {"PP,PP,ND on nodes", {{0}, {0}, {PSG_BC_NEUMANN, PSG_BC_DIRICHLET}}, PSG_POINTS_NODES},
};
enum { SIDES = sizeof sides / sizeof *sides };

typedef struct answer {
    double *f, *alone, mean;
} answer;

/** [grid][sides][precision] */
static answer answers[GRIDS][SIDES][2];

static psg_grid grid_of(size_t g, size_t s) {
    psg_grid grid = harness_grid(&grids[g]);
    for (int d = 0; d < 3; ++d) {
        grid.axis[d].bc[0] = sides[s].bc[d][0];
        grid.axis[d].bc[1] = sides[s].bc[d][1];
        grid.axis[d].points = sides[s].points;
    }
    return grid;
}

static void make_answer(size_t g, size_t s, psg_precision precision) {
    answer *a = &answers[g][s][precision];
    const size_t points = oracle_points(&grids[g]);
    a->f = oracle_array(points);
    a->alone = oracle_array(points);
    oracle_random(g + s, points, a->f);
    harness_round(precision, points, a->f);
    if (ranks_rank(MPI_COMM_WORLD) == 0) {
        const psg_grid grid = grid_of(g, s);
        const psg_options options = ranks_options(precision, NULL);
        psg_plan *plan = NULL;
        psg_statistics statistics = {.mean = NAN};
        if (CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
            CHECK_STATUS(harness_solve(plan, precision, points, a->f, a->alone), PSG_OK);
            CHECK_STATUS(psg_plan_statistics(plan, &statistics), PSG_OK);
        }
        a->mean = statistics.mean;
        psg_plan_destroy(plan);
    }
}

static void one_run(size_t run) {
    MPI_Comm comm = MPI_COMM_WORLD;
    const size_t g = run % GRIDS, s = run / GRIDS % SIDES, p = run / GRIDS / SIDES % 2;
    const answer *a = &answers[g][s][p];
    const size_t *n = grids[g].n;
    const harness_variant *variant = &harness_variants[run % HARNESS_VARIANTS];
    const psg_grid grid = grid_of(g, s);
    psg_options options = ranks_options((psg_precision)p, &comm);
    psg_plan *plan = NULL;
    psg_statistics statistics = {.mean = NAN};
    harness_set_variant(&options, variant);
    options.exchange = ranks_exchanges[run / 3 % RANKS_EXCHANGES];
    options.segment_planes = 1 + run % 4;
    options.sheets = 1 + run % 5;
    ranks_at("%s, %s, run %zu", sides[s].words, variant->name, run);
    int held = CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK);
    if (ranks_all(comm, held)) {
        share mine = share_make(comm, options.precision, &grids[g], run % 2);
        double *u = oracle_array(oracle_points(&grids[g]));
        share_take(&mine, a->f);
        CHECK_STATUS(psg_solve(plan, mine.f, mine.u), PSG_OK);
        CHECK(share_intact(&mine), "%s: f or what is beside u was written", sides[s].words);
        share_gather(&mine, comm, u);
        CHECK_STATUS(psg_plan_statistics(plan, &statistics), PSG_OK);
        if (ranks_rank(comm) == 0) {
            CHECK_CLOSE(u, a->alone, n[0], n[1], n[2],
                        harness_tolerance(options.precision, 1e-14, 1e-6), "%s, %s, run %zu",
                        sides[s].words, variant->name, run);
            CHECK_NEAR(statistics.mean, a->mean, harness_tolerance(options.precision, 1e-15, 1e-7),
                       "mean, %s", sides[s].words);
        }
        free(u);
        share_free(&mine);
    }
    psg_plan_destroy(plan);
}

int main(int argc, char **argv) {
    ranks_start(&argc, &argv);
    MPI_Comm comm = MPI_COMM_WORLD;
    const psg_grid grid = grid_of(0, 0);
    psg_options options = ranks_options(PSG_F64, NULL);
    psg_plan *anchor = NULL;
    CHECK_STATUS(psg_plan_create(&anchor, &grid, &options), PSG_OK);
    for (size_t a = 0; a < (size_t)2 * GRIDS * SIDES; ++a) {
        make_answer(a % GRIDS, a / GRIDS % SIDES, (psg_precision)(a / GRIDS / SIDES));
    }
    psg_plan_destroy(anchor);
    options = ranks_options(PSG_F64, &comm);
    const int held = CHECK_STATUS(psg_plan_create(&anchor, &grid, &options), PSG_OK);
    for (size_t run = 0; ranks_all(comm, held) && run < (size_t)12 * GRIDS * SIDES; ++run) {
        if (ranks_takes(run)) {
            one_run(run);
        }
    }
    psg_plan_destroy(anchor);
    for (size_t a = 0; a < (size_t)2 * GRIDS * SIDES; ++a) {
        free(answers[a % GRIDS][a / GRIDS % SIDES][a / GRIDS / SIDES].f);
        free(answers[a % GRIDS][a / GRIDS % SIDES][a / GRIDS / SIDES].alone);
    }
    return ranks_finish(check_result());
}
