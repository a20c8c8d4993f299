/** @file copy.h  Tasks that only move data. */
#ifndef PSG_CODELETS_COPY_H
#define PSG_CODELETS_COPY_H

#include "runtime/run.h"

#include <starpu.h>

/** What goes between a slab of f or u and an array in main memory. */
typedef struct psg_slab_copy {
    void *array; /**< real [z][ny][nx]; only read if put */
    size_t bytes;
    bool put;    /**< to the slab, else from it */
    bool failed; /**< set by the task */
} psg_slab_copy;

/** Submit a task without a worker that moves data to a memory node. It waits for all writers that
 *  were submitted before. It is no event, but the run ends after it.
 *  @param[in] after  NULL; or data that are not moved: what was submitted before and writes them
 *                    ends first, and what is submitted later and writes them begins after */
void psg_task_fetch(psg_run *run, int node, starpu_data_handle_t data, starpu_data_handle_t after);

/** Copy a slab, by a worker that has it or will. Of no run: the program's own.
 *  @param[in,out] copy  the caller's until the task has ended
 *  @return the task, to be waited for by starpu_task_wait(); NULL: it was not submitted */
struct starpu_task *psg_task_copy(starpu_data_handle_t slab, int worker, psg_slab_copy *copy);

#endif
