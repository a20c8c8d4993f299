/** @file regroup.h  Blocks of a bundle that travels as one. */
#ifndef PSG_CODELETS_REGROUP_H
#define PSG_CODELETS_REGROUP_H

#include "codelets/context.h"
#include "runtime/message.h"

#include <starpu.h>

/** Copies of the exchange's codelets, by precision, whose data stay in main memory. */
typedef struct psg_exchange_codelets {
    struct starpu_codelet nowhere[PSG_TASK_PRECISIONS]; /**< that no worker runs */
} psg_exchange_codelets;

/** A segment's block of a bundle of several sheets, as it came, into the blocks of each, which are
 *  views of it; and back, ready to go.
 *  @param[in] foreign  another process' segment */
void psg_task_regroup(psg_run *run, psg_way way, bool foreign, starpu_data_handle_t bundle,
                      const starpu_data_handle_t *blocks, size_t count);
/** What psg_context.exchange needs.
 *  @param[in] nodes  main memory, for as many data as a task has; the caller's as long as the
 *  codelets */
void psg_task_exchange_codelets(psg_exchange_codelets *codelets, int *nodes);

#endif
