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

/** It may have `rounds` times so many messages, and rounds alltoalls each way, that have not ended.
 *  Nothing of the run is under way. @return false: no memory, and there is room for what it had */
bool psg_run_want_messages(psg_run *run, size_t messages, size_t rounds);

/** Begin anew, as run `number` of the engine: nothing has happened yet, and its submission is
 * pending. */
void psg_run_start(psg_run *run, uint64_t number);

/** Wait until all tasks of the run have ended, or until another number is 0 that changes under the
 *  run's mutex, with a signal of its `idle`.
 *  @param[in] limit  0: as long as it takes; else seconds without the end of a task or message of
 *                    the run; of several processes, while MPI has messages of it
 *  @return false: the limit is over */
bool psg_run_wait_for(psg_run *run, const atomic_size_t *left, double limit);
static inline bool psg_run_wait(psg_run *run, double limit) {
    return psg_run_wait_for(run, &run->pending, limit);
}

#endif
