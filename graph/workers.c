/* Which of StarPU's workers take a plan's tasks: the GPUs where there are any, else the cores, or
 * both. */
#include "graph/workers.h"
#include "graph/cpu_share.h"
#include "graph/plan_struct.h"
#include "graph/ranks.h"
#include "graph/status.h"

#include <stdlib.h>
#include <string.h>

/* All processes cut the grid in the same way, though their workers may differ in number and
 * kind. */
static psg_status agree(psg_workers *w, psg_comm *comm) {
    double most[] = {
        (double)(w->cpu_count > 0 && !w->anywhere ? w->cpu_count : w->usable_count),
        (double)(w->gpu_count > 0 ? w->gpu_count : w->usable_count),
        -w->cpu_share, /* as for GPUs where one process has them alone */
    };
    const psg_status status = psg_ranks_max(comm, most, sizeof most / sizeof *most);
    w->most[0] = (size_t)most[0];
    w->most[1] = (size_t)most[1];
    w->cpu_share = -most[2];
    return status;
}

psg_status psg_workers_list(psg_workers *w, bool gpus) {
    w->count = starpu_worker_get_count();
    w->usable = malloc((w->count + 1) * sizeof *w->usable);
    if (w->usable == NULL) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for a list of %zu workers", w->count);
    }
    if (gpus) {
        w->gpu_count =
            starpu_worker_get_ids_by_type(STARPU_CUDA_WORKER, w->gpus, STARPU_NMAXWORKERS);
    }
    memcpy(w->usable, w->gpus, w->gpu_count * sizeof *w->usable);
    w->cpu_count = starpu_worker_get_ids_by_type(STARPU_CPU_WORKER, w->usable + w->gpu_count,
                                                 (unsigned)(w->count - w->gpu_count));
    w->usable_count = w->gpu_count + w->cpu_count;
    w->copies = w->gpu_count > 0 || starpu_memory_nodes_get_numa_count() > 1;
    return PSG_OK;
}

size_t psg_workers_share(const psg_workers *workers) {
    return workers->gpu_count > 0 ? workers->gpu_count : workers->cpu_count;
}

/* Those of this process. */
static psg_status find(psg_workers *w, const psg_plan *plan) {
    psg_status status = psg_workers_list(w, plan->problem.options.gpus != 0);
    if (status == PSG_OK) {
        status = psg_cpu_share_make(w, plan, w->cpu_count);
    }
    if (status != PSG_OK) {
        return status;
    }
    w->usable_count = w->gpu_count + w->cpu_count;
    if (w->usable_count == 0) {
        return psg_fail(PSG_ERR_NODEV, "StarPU runs without a worker that the plan could use");
    }
    return PSG_OK;
}

psg_status psg_workers_make(psg_workers *workers, const psg_plan *plan) {
    const psg_status status = psg_ranks_agree(plan->processes.comm, find(workers, plan));
    return status == PSG_OK ? agree(workers, plan->processes.comm) : status;
}
