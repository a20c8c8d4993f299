/** @file visit.h  Processes that measure, and what is heard of them. */
#ifndef PSG_BENCH_VISIT_H
#define PSG_BENCH_VISIT_H

#include "bench/record.h"

#include <stdio.h>

/** How the processes ended. */
typedef struct bench_outcome {
    bool well;   /**< they did all that they had to */
    bool blamed; /**< `config` was in work when they did not */
    size_t config;
    int code;      /**< that they ended with; 0 after a signal, too */
    char why[512]; /**< in words */
} bench_outcome;

/** Start psg again as `psg visit`, which is bench_visit_serve(): once, or, where the configurations have several ranks, by
 *  `visit->mpirun -n RANKS`; and wait for the end. All that was started has ended by then, whatever became of
 *  it, and nothing is left on the disk. What it prints is kept from the terminal unless STARPU_SILENT in
 *  the environment is other than 1.
 *  @param[in] visit     NULL: one record with the workers there are
 *  @param[in] patience  seconds without a record after which the processes are ended
 *  @param[in] heard     called for each record
 *  @return APP_DONE; APP_FAILED after a message: no process could be started */
int bench_visit_run(const bench_visit *visit, unsigned patience,
                    void (*heard)(void *context, const bench_record *record), void *context,
                    bench_outcome *outcome);

/** Read a visit on rank 0, for all; collective.
 *  @param[out] visit  its arrays are freed by bench_visit_free(), after failures too; count 0: the workers are asked for
 *  @return APP_DONE; APP_USAGE or APP_FAILED after a message; the same in all processes */
int bench_visit_get(FILE *file, bench_visit *visit);
void bench_visit_free(bench_visit *visit);

/** @return 0; -1: nobody listens any more */
int bench_visit_put_record(int file, const bench_record *record);

#endif
