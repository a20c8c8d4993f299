/** @file step_list.h  The tasks that a run submits, gathered as steps in place of going to StarPU.
 *  A chain (chain.h) and a team (team.h) do the steps. Each step keeps its kind, its times and its
 *  place in the run's record, as the task would. */
#ifndef PSG_RUNTIME_STEP_LIST_H
#define PSG_RUNTIME_STEP_LIST_H

#include "runtime/args.h"

/** What was a task. */
typedef struct psg_step {
    starpu_cpu_func_t on_cpu;
    starpu_cuda_func_t on_gpu;
    psg_task_args args;
    size_t first;      /**< of its pieces of data in the list */
    double between[2]; /**< its start and end on a core, as starpu_timing_now() */
} psg_step;

/** A piece of data, and whether it is read, written or both. */
typedef struct psg_step_data {
    starpu_data_handle_t handle;
    enum starpu_data_access_mode mode;
} psg_step_data;

/** The lists grow as they need. A chain finds `data`, `number` and `moment`. */
typedef struct psg_step_list {
    size_t key[2];
    bool whole; /**< has all tasks of that key */
    psg_step *step;
    size_t steps, step_room;
    psg_step_data *use; /**< by step: its data */
    void **buffer;      /**< [uses]: StarPU's interfaces of them, where the steps run */
    size_t uses, use_room;
    psg_step_data *data; /**< the data of all steps, each once */
    size_t count;
    size_t *number; /**< [uses]: which of `data` */
    double *moment; /**< [steps + 1]: when the steps begin, and the last end, microseconds */
} psg_step_list;

/** An empty one. @return NULL: no memory */
psg_step_list *psg_step_list_create(void);
/** NULL is fine. */
void psg_step_list_destroy(psg_step_list *list);

/** Has the run gathered all its tasks for that key already? To gather takes longer than to submit.
 *  A run that keeps a record gathers anew.
 *  @param[in] key  a slot, below engine->slots, that no run has before another that has it has
 *                  ended; and a number for the data */
bool psg_step_list_repeats(const psg_run *run, const size_t key[2]);
/** Gather the tasks that the run submits from now on, which are in main memory or on the only GPU.
 *  @return false: it has gathered them already, and they need not be submitted */
bool psg_step_list_begin(psg_run *run, const size_t key[2]);
/** All tasks are submitted. @return false: one is missing, and the run has failed */
bool psg_step_list_end(psg_run *run);

#endif
