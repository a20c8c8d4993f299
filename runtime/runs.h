/** @file runs.h  How a run is made of all that its engine wants, started, and waited for. */
#ifndef PSG_RUNTIME_RUNS_H
#define PSG_RUNTIME_RUNS_H

#include "runtime/run.h"

/** @return NULL: no memory */
psg_run *psg_run_create(const psg_engine *engine);
/** NULL is fine. */
void psg_run_destroy(psg_run *run);

/** Its tasks will write so many bytes to psg_run.result, in this run and the next ones.
 *  @return false: no memory */
bool psg_run_want_result(psg_run *run, size_t bytes);

/** Begin anew, as run `number` of the engine: nothing has happened yet, and its submission is
 * pending. */
void psg_run_start(psg_run *run, uint64_t number);

/** Wait until all tasks of the run have ended.
 *  @param[in] limit  0: as long as it takes; else seconds without the end of a task or message of
 *                    the run; of several processes, while MPI has messages of it
 *  @return false: the limit is over */
bool psg_run_wait(psg_run *run, double limit);

#endif
