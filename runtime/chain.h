/** @file chain.h  The tasks of a solve as one task of StarPU's, where one worker has them all, and
 *  all data are there together: one follows the other without StarPU's work between them, and on a
 *  GPU without waiting until the one before has ended. Each keeps its kind, its time and its place
 *  in the run's record. */
#ifndef PSG_RUNTIME_CHAIN_H
#define PSG_RUNTIME_CHAIN_H

#include "runtime/run.h"

struct starpu_task;
typedef struct psg_chain psg_chain;

/** For engine->chain_steps tasks. @return NULL: no memory */
psg_chain *psg_chain_create(const psg_engine *engine);
/** NULL is fine. */
void psg_chain_destroy(psg_chain *chain);

/** From now on the tasks that a run of such an engine submits are gathered.
 *  @param[in] key  a slot, below engine->slots, that no run has before another that has it has
 * ended; and a number for the data */
void psg_chain_begin(psg_run *run, const size_t key[2]);
/** Did the run gather its tasks for that slot and these data already? Then it need not gather them
 * again, which takes longer than to submit. A run that keeps a record gathers anew. */
bool psg_chain_repeats(const psg_run *run, const size_t key[2]);

/** Submit as one what was gathered. */
void psg_chain_submit(psg_run *run);

#endif
