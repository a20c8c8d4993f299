/** @file ep.h  The tasks of workload ep. */
#ifndef PSG_CODELETS_WORKLOADS_EP_H
#define PSG_CODELETS_WORKLOADS_EP_H

#include "codelets/kinds.h"
#include "cpu/ep.h"
#include "runtime/run.h"

/** The owner of its engine. All of it is set before the first task is submitted. */
typedef struct psg_ep {
    unsigned pairs_log2; /**< pairs of the problem */
    unsigned chunk_log2; /**< pairs of a chunk */
    bool redux;   /**< chunks add to one sum by STARPU_REDUX; else each has numbers of its own */
    bool by_path; /**< a task's priority is the number of tasks that follow it */
} psg_ep;

/** Doubles that ep_chunk needs beside on a GPU, of chunks of 2^chunk_log2 pairs. */
size_t psg_ep_scratch(unsigned chunk_log2);

/** Let chunks add to these numbers, [PSG_CPU_EP_NUMBERS] doubles, by STARPU_REDUX: StarPU gives each worker numbers of its own, and adds
 *  them up before a task reads the sum. */
void psg_ep_reduce(starpu_data_handle_t sum);

/** Chunk `chunk` -> its numbers, [PSG_CPU_EP_NUMBERS] doubles; or, with `redux`, they are added to the sum of all.
 *  @param[in] scratch  nobody's, for one task at a time */
void psg_task_ep_chunk(psg_run *run, size_t chunk, starpu_data_handle_t numbers,
                       starpu_data_handle_t scratch);
/** sum += numbers, in step `step` of the tree: the sum of chunk `chunk` and those after it. */
void psg_task_ep_add(psg_run *run, size_t chunk, size_t step, starpu_data_handle_t sum,
                     starpu_data_handle_t numbers);

extern const psg_kind psg_ep_chunk_kind;
extern const psg_kind psg_ep_add_kind;

#endif
