/* Where one process cannot load StarPU-MPI or NCCL, or these do not do, the exchange is refused on
 * all of them, with words that name the process and say why. The same communicator solves with
 * another exchange then, and each plan is refused again in the same words.
 *
 *   trial EXCHANGE WHO WORDS   "2: " of process 2, or "all", and a part of the words */
#include "tests/check.h"
#include "tests/mpi/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void refused(const char *exchange, const char *who, const char *words,
                    const MPI_Comm *comm) {
    const oracle_grid grid = {{6, 7, 8}, {1.0, 1.0, 1.0}};
    const psg_grid g = harness_grid(&grid);
    psg_options options = ranks_options(PSG_F64, comm);
    psg_plan *plan = NULL;
    char begin[64];
    snprintf(begin, sizeof begin, "%s%sexchange %s: ", strcmp(who, "all") != 0 ? "process " : "",
             strcmp(who, "all") != 0 ? who : "", exchange);
    CHECK_STATUS(psg_options_set(&options, "exchange", exchange), PSG_OK);
    CHECK_STATUS(psg_plan_create(&plan, &g, &options), PSG_ERR_UNSUPPORTED);
    const char *said = psg_last_error();
    CHECK(plan == NULL && strncmp(said, begin, strlen(begin)) == 0 && strstr(said, words) != NULL,
          "%s", said);
}

static void solved(size_t run) {
    const oracle_grid grid = {{6, 7, 8}, {1.0, 1.0, 1.0}};
    problem p = problem_make(&grid, run);
    problem_plan(&p);
    CHECK_STATUS(problem_solve(&p, p.f), PSG_OK);
    problem_check(&p, &p.part, 1e-13, 1e-5, "after a refusal");
    problem_free(&p);
}

int main(int argc, char **argv) {
    char *arguments[] = {argv[0], NULL};
    int count = 1;
    char **list = arguments;
    ranks_start(&count, &list);
    const MPI_Comm comm = MPI_COMM_WORLD;
    for (size_t turn = 0; argc > 3 && turn < 2; ++turn) {
        ranks_at("turn %zu", turn);
        refused(argv[1], argv[2], argv[3], &comm);
        solved(2 * turn);
    }
    return ranks_finish(CHECK(argc > 3, "no words") ? check_result() : 1);
}
