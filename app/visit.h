/** @file visit.h  Processes that measure, and what is heard of them. */
#ifndef PSG_APP_VISIT_H
#define PSG_APP_VISIT_H

#include "app/measure.h"

/** How the processes ended. */
typedef struct app_outcome {
    int well;   /**< they did all that they had to */
    int blamed; /**< `config` was in work when they did not */
    size_t config;
    int code;      /**< that they ended with; 0 after a signal, too */
    char why[512]; /**< in words */
} app_outcome;

/** Start psg again as `psg visit`, which does app_measure(): once, or, where the configurations have several ranks, by
 *  `visit->mpirun -n RANKS`; and wait for the end. All that was started has ended by then, whatever became of
 *  it, and nothing is left on the disk. What it prints is kept from the terminal unless STARPU_SILENT in
 *  the environment is other than 1.
 *  @param[in] visit     NULL: app_measure_machine()
 *  @param[in] patience  seconds without a record after which the processes are ended
 *  @param[in] heard     called for each record
 *  @return APP_DONE; APP_FAILED after a message: no process could be started */
int app_visit_run(const app_visit *visit, unsigned patience,
                  void (*heard)(void *context, const app_record *record), void *context,
                  app_outcome *outcome);

/** `psg visit`, which is for app_visit_run() alone and no command of the user's: reads the visit
 *  from stdin and writes the records to stdout. One process, or one of those that a launcher of
 *  MPI started.
 *  @return the exit code, after messages */
int app_visit_serve(int argc, char **argv);

#endif
