/** @file chain.h  The tasks of a solve as one task of StarPU's, where one worker has them all, and
 *  all data are there together: one follows the other without StarPU's work between them, and on a
 *  GPU without waiting until the one before has ended. Each keeps its kind, its time and its place
 *  in the run's record. */
#ifndef PSG_RUNTIME_CHAIN_H
#define PSG_RUNTIME_CHAIN_H

#include "runtime/run.h"

struct psg_task_args;
struct starpu_task;
typedef struct psg_chain psg_chain;

/** For context->chained tasks. @return NULL: no memory */
psg_chain *psg_chain_create(const psg_context *context);
/** NULL is fine. */
void psg_chain_destroy(psg_chain *chain);

/** Data that the tasks of a chain have between them, at most. */
size_t psg_chain_data(const psg_context *context);

/** From now on the tasks that a run of such a context submits are gathered.
 *  @param[in] slot  below context->lanes; no run that has it begins before another has ended */
void psg_chain_begin(psg_run *run, size_t slot);
bool psg_chain_gathers(const psg_run *run);
/** Has a run all it would gather for that slot, from its solve before? To gather takes longer than to submit. A
 *  run that keeps a record gathers anew. */
bool psg_chain_repeats(const psg_run *run, size_t slot);

/** Take one in. @param[in] task  with its data; it is gone afterwards */
void psg_chain_add(psg_run *run, struct starpu_task *task);

/** Submit as one what was gathered. */
void psg_chain_submit(psg_run *run);

/** What was gathered, in its order. @return of step s; NULL: there are no more */
const struct psg_task_args *psg_chain_step(const psg_chain *chain, size_t s);

#endif
