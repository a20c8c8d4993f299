/** @file visit.h  A process that measures, and what is heard of it. */
#ifndef PSG_APP_VISIT_H
#define PSG_APP_VISIT_H

#include "app/measure.h"
#include "app/progress.h"

/** How the process ended. */
typedef struct app_outcome {
    int well;   /**< it did all that it had to */
    int blamed; /**< `config` was in work when it did not */
    size_t config;
    char why[512]; /**< in words */
} app_outcome;

/** Start a process that does app_measure(), and wait for its end. What it prints is kept from the terminal
 *  unless STARPU_SILENT in the environment is other than 1.
 *  @param[in] visit     NULL: app_measure_machine()
 *  @param[in] progress  its line is not drawn at the moment of the start
 *  @param[in] patience  seconds without a record after which the process is ended
 *  @param[in] heard     called for each record
 *  @return APP_DONE; APP_FAILED after a message: no process could be started */
int app_visit_run(const app_visit *visit, app_progress *progress, unsigned patience,
                  void (*heard)(void *context, const app_record *record), void *context,
                  app_outcome *outcome);

#endif
