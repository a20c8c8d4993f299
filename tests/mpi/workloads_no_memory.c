/* Where one process has no memory for a workload that several share, whichever allocation of
 * PoissonGraph's it is that fails: each call returns the same status in all processes, with words,
 * none waits for ever, and a workload that was made goes on to the right answer. */
#include "tests/fail/fail_nth.h"
#include "tests/mpi/ranks.h"
#include "tests/workloads/runs.h"

#include <limits.h>

static int agreed(const char *name, psg_status status, long failed) {
    const int all = ranks_same(MPI_COMM_WORLD, (long)status);
    CHECK(all, "%s, allocation %ld: %d here: %s", name, failed, status, psg_last_error());
    CHECK(status == PSG_OK || psg_last_error()[0] != '\0', "%s, allocation %ld: no words", name,
          failed);
    return all && status == PSG_OK;
}

static void play(const char *name, long failed) {
    MPI_Comm comm = MPI_COMM_NULL;
    workload *work = NULL;
    const workload_options how = {.tile = strcmp(name, "ep:S") == 0 ? 22 : 4};
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    psg_options options = ranks_options(PSG_F64, &comm);
    if (agreed(name, workload_create(&work, name, &how, &options), failed)) {
        (void)agreed(name, workload_run(work), failed);
        fail_nth_arm(0);
        CHECK_STATUS(workload_run(work), PSG_OK);
        CHECK_STATUS(workload_check(work), PSG_OK);
    } else {
        CHECK(work == NULL, "a workload after a failure");
    }
    fail_nth_arm(0);
    workload_destroy(work);
    MPI_Comm_free(&comm);
}

/* Every step-th allocation of the last process fails, each in a play of its own. */
static void fail_each(const char *name, long step) {
    const int me = ranks_rank(MPI_COMM_WORLD) == ranks_size(MPI_COMM_WORLD) - 1;
    if (me) {
        fail_nth_arm(LONG_MAX);
    }
    play(name, 0);
    long most = me ? fail_nth_most() : 0;
    most = ranks_sum(MPI_COMM_WORLD, most);
    CHECK(most > 20, "%ld allocations: the library that lets them fail is not there", most);
    for (long failed = 1 + most % step; failed <= most; failed += step) {
        ranks_at("%s, allocation %ld", name, failed);
        if (me) {
            fail_nth_arm(failed);
        }
        play(name, failed);
    }
}

int main(int argc, char **argv) {
    ranks_start(&argc, &argv);
    const long step = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
    fail_each("ep:S", step);
    fail_each("dock:64:90", step);
    fail_each("jacobi:40:3", step);
    return ranks_finish(check_result());
}
