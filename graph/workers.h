/** @file workers.h  The workers of this process. */
#ifndef PSG_GRAPH_WORKERS_H
#define PSG_GRAPH_WORKERS_H

#include "graph/psg.h"
#include "runtime/run.h"

#include <math.h>
#include <starpu.h>
#include <stdbool.h>

/** The workers of this process that take the tasks. */
typedef struct psg_workers {
    size_t count;                 /**< StarPU's, of all kinds */
    size_t most[2];               /**< cores and GPUs of the process that has most of each */
    int gpus[STARPU_NMAXWORKERS]; /**< the CUDA workers that take tasks */
    size_t gpu_count;             /**< 0: the CPU workers take them */
    bool gpus_anywhere;           /**< a process has a gpu_count above 0 */
    size_t cpu_count;             /**< CPU workers that take tasks; 0: the GPUs take them */
    double cpu_share;             /**< the cores' part of planes and rows; 1 without GPUs; 0 where
                                       nobody has a part of his own */
    bool copies;                  /**< StarPU may hold copies of the data elsewhere: on GPUs, or in
                                       another NUMA node's memory */
    int *usable;                  /**< [usable_count]: those that can take tasks, GPUs first */
    size_t usable_count;
} psg_workers;

/** Have cores and GPUs all parts together? */
static inline bool psg_workers_mixed(const psg_workers *workers) {
    return workers->gpu_count > 0 && workers->cpu_count > 0 && !(workers->cpu_share > 0);
}

/** Of so many planes or rows, those that cores take. */
static inline size_t psg_workers_cores(double share, size_t extent) {
    return (size_t)floor(share * (double)extent + 0.5);
}

/** StarPU's workers: its GPUs if they are wanted, and then its cores, the first ones where fewer
 *  are wanted than StarPU has. gpu_count and cpu_count are what was found.
 *  @return PSG_OK; PSG_ERR_MEMORY */
psg_status psg_workers_list(psg_workers *workers, const psg_options *options);
/** Tell an engine which workers may run its tasks. */
void psg_workers_tell(psg_engine *engine, const psg_workers *workers);
/** Find the workers of this process, and what those of all processes have in common. Collective.
 *  @return PSG_OK; PSG_ERR_NODEV, _MEMORY, _RUNTIME */
psg_status psg_workers_make(psg_workers *workers, const psg_plan *plan);

#endif
