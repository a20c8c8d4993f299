/* Which of StarPU's workers take a plan's tasks: the GPUs where there are any, else the cores, or
 * both. */
#include "graph/workers.h"
#include "graph/options.h"
#include "graph/plan_struct.h"
#include "graph/ranks.h"
#include "graph/status.h"

#include <stdlib.h>
#include <string.h>

/* All processes cut the grid in the same way, though their workers may differ in number and
 * kind. */
static psg_status agree(psg_workers *w, psg_comm *comm) {
    double most[] = {
        (double)(w->cpu_count > 0 && w->cpu_share > 0 ? w->cpu_count : w->usable_count),
        (double)(w->gpu_count > 0 ? w->gpu_count : w->usable_count),
        -w->cpu_share, /* as for GPUs where one process has them alone */
        w->gpu_count > 0,
    };
    const psg_status status = psg_ranks_max(comm, most, sizeof most / sizeof *most);
    w->most[0] = (size_t)most[0];
    w->most[1] = (size_t)most[1];
    w->cpu_share = -most[2];
    w->gpus_anywhere = most[3] > 0;
    return status;
}

psg_status psg_workers_list(psg_workers *w, const psg_options *o) {
    w->count = starpu_worker_get_count();
    w->usable = malloc((w->count + 1) * sizeof *w->usable);
    if (w->usable == NULL) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for a list of %zu workers", w->count);
    }
    if (o->gpus != 0) {
        w->gpu_count =
            starpu_worker_get_ids_by_type(STARPU_CUDA_WORKER, w->gpus, STARPU_NMAXWORKERS);
    }
    memcpy(w->usable, w->gpus, w->gpu_count * sizeof *w->usable);
    w->cpu_count = starpu_worker_get_ids_by_type(STARPU_CPU_WORKER, w->usable + w->gpu_count,
                                                 (unsigned)(w->count - w->gpu_count));
    if (o->cpus >= 0 && w->cpu_count > (size_t)o->cpus) { /* a plan before this one has more */
        w->cpu_count = (size_t)o->cpus;
    }
    w->usable_count = w->gpu_count + w->cpu_count;
    w->copies = w->gpu_count > 0 || starpu_memory_nodes_get_numa_count() > 1;
    return PSG_OK;
}

void psg_workers_tell(psg_engine *e, const psg_workers *w) {
    e->workers = w->count;
    e->cores = w->cpu_count;
    e->only_words = 0;
    if (w->cpu_count > 0 && w->cpu_count < starpu_cpu_worker_get_count()) {
        e->only_words = sizeof e->only / sizeof *e->only;
    }
    for (size_t m = 0; m < w->usable_count; m++) {
        e->only[w->usable[m] / 32] |= UINT32_C(1) << w->usable[m] % 32;
    }
}

/* What CPU cores take of a solve beside GPUs: the last of the planes, and of the rows. The blocks
 * of their rows are at home in main memory, and StarPU copies those that both need.
 *
 *                  GPUs' planes            cores' planes
 *   GPUs' rows     stay on the GPUs        to a GPU, and back
 *   cores' rows    from a GPU, and back    stay in main memory
 */
static void share(psg_workers *w, const psg_options *o, bool mixed) {
    if (w->gpu_count == 0) {
        w->cpu_share = 1;
    } else if (o->cpu_share > 0) {
        w->cpu_share = o->cpu_share;
    }
    w->cpu_count = w->cpu_share > 0 || mixed ? w->cpu_count : 0;
    w->usable_count = w->gpu_count + w->cpu_count;
}

/* Those of this process. */
static psg_status find(psg_workers *w, const psg_plan *plan) {
    const psg_options *o = &plan->problem.options;
    const psg_status status = psg_workers_list(w, o);
    if (status == PSG_OK && o->cpu_share > 0 && (w->gpu_count == 0 || w->cpu_count == 0)) {
        return psg_fail(PSG_ERR_NODEV,
                        "CPU cores and GPUs are to share the work, and there are %zu CPU workers "
                        "and %zu GPUs",
                        w->cpu_count, w->gpu_count);
    }
    return status != PSG_OK || w->usable_count > 0
               ? status
               : psg_fail(PSG_ERR_NODEV, "StarPU runs without a worker that the plan could use");
}

/* A policy has cores and GPUs to choose between if all processes have both, and cores are asked
 * for. */
psg_status psg_workers_make(psg_workers *workers, const psg_plan *plan) {
    const psg_options *o = &plan->problem.options;
    psg_status status = psg_ranks_agree(plan->processes.comm, find(workers, plan));
    double mixed = o->placement == PSG_PLACEMENT_FREE && psg_options_want_cores(o) &&
                   psg_workers_mixed(workers);
    if (status == PSG_OK) {
        status = psg_ranks_min(plan->processes.comm, &mixed, 1);
    }
    if (status != PSG_OK) {
        return status;
    }
    share(workers, o, mixed > 0);
    return agree(workers, plan->processes.comm);
}
