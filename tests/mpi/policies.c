/* u does not depend on the scheduling policy, whatever that wants to hear of a task's end: also where an
 * exchange between processes ends off the workers. */
#include "tests/mpi/ranks.h"

#include <stdlib.h>

static const oracle_grid box = {{9, 8, 11}, {1.0, 1.25, 0.75}};
#define POINTS ((size_t)9 * 8 * 11)

/* One of each family. */
static const char *const policies[] = {"eager", "lws",        "ws",           "dm",        "dmdas",
                                       "pheft", "heteroprio", "modular-heft", "modular-ws"};

static void solve(const char *policy, psg_exchange exchange, const double *f, const double *want) {
    MPI_Comm comm = MPI_COMM_WORLD;
    psg_grid grid = harness_grid(&box);
    psg_options options = ranks_options(PSG_F64, &comm);
    psg_plan *plan = NULL;
    share s = share_make(comm, PSG_F64, &box, 0);
    double *u = oracle_array(POINTS);
    options.policy = policy;
    options.exchange = ranks_size(comm) > 1 ? exchange : PSG_EXCHANGE_AUTO;
    options.segment_planes = 2;
    options.sheets = 6;
    ranks_at("policy %s, exchange %s", policy, ranks_exchange_name(exchange));
    if (CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
        for (int turn = 0; turn < 3; ++turn) {
            share_take(&s, f);
            CHECK_STATUS(psg_solve(plan, s.f, s.u), PSG_OK);
            share_gather(&s, comm, u);
            CHECK_CLOSE(u, want, box.n[0], box.n[1], box.n[2], 1e-12, "policy %s, exchange %s",
                        policy, ranks_exchange_name(exchange));
        }
        psg_plan_destroy(plan);
    }
    share_free(&s);
    free(u);
}

int main(int argc, char **argv) {
    ranks_start(&argc, &argv);
    double *f = oracle_array(POINTS), *want = oracle_array(POINTS);
    oracle_random(5, POINTS, f);
    oracle_solve(&box, ORACLE_SPECTRAL, 0, f, want);
    for (size_t p = 0; p < sizeof policies / sizeof policies[0]; ++p) {
        for (int e = 0; e < RANKS_EXCHANGES; ++e) {
            solve(policies[p], ranks_exchanges[e], f, want);
        }
    }
    free(f);
    free(want);
    return ranks_finish(check_result());
}
