/* Two threads of each process solve at the same time, each with its own plan on its own
 * communicator. */
#include "tests/check.h"
#include "tests/mpi/ranks.h"

#include <pthread.h>
#include <stdlib.h>

#define SOLVES 8

static const oracle_grid boxes[2] = {{{8, 7, 9}, {1.0, 1.0, 1.0}}, {{5, 6, 8}, {1.0, 2.0, 1.0}}};

/** What a thread works on, and what it found: check.h counts in one thread only. */
typedef struct job {
    MPI_Comm comm;
    psg_plan *plan;
    share part;
    double *f, *want, *got;
    psg_status status[SOLVES];
    int close[SOLVES];
} job;

static void *work(void *argument) {
    job *j = argument;
    size_t points = oracle_points(&j->part.grid);
    for (int n = 0; n < SOLVES; ++n) {
        share_take(&j->part, j->f);
        if (n % 2) {
            j->status[n] = psg_solve(j->plan, j->part.f, j->part.u);
        } else {
            j->status[n] = psg_submit(j->plan, j->part.f, j->part.u);
            if (j->status[n] == PSG_OK) {
                j->status[n] = psg_wait(j->plan);
            }
        }
        share_gather(&j->part, j->comm, j->got);
        double largest = oracle_max(j->want, points), off = 0;
        for (size_t p = 0; p < points; ++p) {
            j->got[p] -= j->want[p];
        }
        off = oracle_max(j->got, points);
        j->close[n] = off <= 1e-12 * largest;
    }
    return NULL;
}

int main(int argc, char **argv) {
    job jobs[2];
    pthread_t threads[2];
    int held = 1;
    ranks_start(&argc, &argv);
    for (int t = 0; t < 2; ++t) {
        job *j = &jobs[t];
        size_t points = oracle_points(&boxes[t]);
        MPI_Comm_dup(MPI_COMM_WORLD, &j->comm);
        psg_grid grid = harness_grid(&boxes[t]);
        psg_options options = ranks_options(PSG_F64, &j->comm);
        options.exchange = ranks_exchanges[t];
        j->plan = NULL;
        j->part = share_make(j->comm, PSG_F64, &boxes[t], 0);
        j->f = oracle_array(points);
        j->want = oracle_array(points);
        j->got = oracle_array(points);
        oracle_random((uint64_t)t, points, j->f);
        oracle_solve(&boxes[t], ORACLE_SPECTRAL, 0, j->f, j->want);
        held = CHECK_STATUS(psg_plan_create(&j->plan, &grid, &options), PSG_OK) && held;
    }
    if (ranks_all(MPI_COMM_WORLD, held)) {
        for (int t = 0; t < 2; ++t) {
            if (!CHECK(pthread_create(&threads[t], NULL, work, &jobs[t]) == 0, "no thread")) {
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
        }
        for (int t = 0; t < 2; ++t) {
            pthread_join(threads[t], NULL);
            for (int n = 0; n < SOLVES; ++n) {
                CHECK(jobs[t].status[n] == PSG_OK && jobs[t].close[n],
                      "thread %d, solve %d: status %d, u right: %d", t, n, jobs[t].status[n],
                      jobs[t].close[n]);
            }
        }
    }
    for (int t = 0; t < 2; ++t) {
        psg_plan_destroy(jobs[t].plan);
        MPI_Comm_free(&jobs[t].comm);
        share_free(&jobs[t].part);
        free(jobs[t].f);
        free(jobs[t].want);
        free(jobs[t].got);
    }
    return ranks_finish(check_result());
}
