/* u does not depend on the scheduling policy, whatever that wants to hear of a task's end: also
 * where an exchange between processes ends off the workers. */
#include "tests/mpi/ranks.h"

static const oracle_grid box = {{9, 8, 11}, {1.0, 1.25, 0.75}};

/* One of each family. */
static const char *const policies[] = {"eager", "lws",        "ws",           "dm",        "dmdas",
                                       "pheft", "heteroprio", "modular-heft", "modular-ws"};

int main(int argc, char **argv) {
    ranks_start(&argc, &argv);
    for (size_t n = 0; n < RANKS_EXCHANGES * sizeof policies / sizeof policies[0]; ++n) {
        problem x = problem_make(&box, n % RANKS_EXCHANGES * 2 * HARNESS_VARIANTS);
        x.options.policy = policies[n / RANKS_EXCHANGES];
        x.options.exchange =
            ranks_size(MPI_COMM_WORLD) > 1 ? x.options.exchange : PSG_EXCHANGE_AUTO;
        x.options.segment_planes = 2;
        x.options.sheets = 6;
        problem_plan(&x);
        for (int turn = 0; turn < 3; ++turn) {
            CHECK_STATUS(problem_solve(&x, x.f), PSG_OK);
            problem_check(&x, &x.part, 1e-12, 1e-12, x.options.policy);
        }
        problem_free(&x);
    }
    return ranks_finish(check_result());
}
