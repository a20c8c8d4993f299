/* Where segments and pencils live: on the GPUs, in equal runs, or in main memory for any core. */
#include "graph/internal.h"

#include "codelets/device.h"

#include <stdlib.h>

/* Part m of our own goes to the GPU whose share of them it falls into. */
static void spread(int *worker, size_t parts, psg_range own, const int *gpus, size_t gpu_count) {
    for (size_t m = 0; m < parts; m++) {
        const bool mine = gpu_count > 0 && m >= own.first && m < own.end;
        worker[m] = mine ? gpus[(m - own.first) * gpu_count / (own.end - own.first)] : -1;
    }
}

int psg_placement_node(int worker) {
    return worker >= 0 ? (int)starpu_worker_get_memory_node((unsigned)worker) : STARPU_MAIN_RAM;
}

size_t psg_placement_room(const psg_plan *plan, bool emptied) {
    size_t least = SIZE_MAX;
    for (size_t g = 0; g < plan->gpu_count; g++) {
        const unsigned node = (unsigned)psg_placement_node(plan->gpus[g]);
        const starpu_ssize_t limit = starpu_memory_get_total(node); /* of what StarPU may take */
        const size_t used = starpu_memory_get_used(node);
        const size_t left = limit < 0 ? SIZE_MAX : (size_t)limit > used ? (size_t)limit - used : 0;
        const size_t free_bytes = psg_device_free_bytes(starpu_worker_get_devid(plan->gpus[g]));
        const size_t here =
            left < free_bytes ? left : free_bytes; /* others have memory there too */
        const size_t with = emptied && here < SIZE_MAX ? here + used : here;
        least = with < least ? with : least;
    }
    return least;
}

/* With room for what passes through: slabs of f and u, and copies of blocks. */
bool psg_placement_fits(const psg_plan *plan) {
    const psg_context *c = &plan->context;
    const size_t plane = c->n[1] * c->nxc * 2 * c->cpu->real_bytes;
    const size_t room = psg_placement_room(plan, false);
    for (size_t g = 0; g < plan->gpu_count; g++) {
        size_t planes = 0; /* of its segments, and as much as pencils in the staged graph */
        size_t most = 0;
        size_t rows = 0;
        for (size_t s = 0; s < c->segments; s++) {
            const size_t here = c->z0[s + 1] - c->z0[s];
            planes += plan->segment_worker[s] == plan->gpus[g] ? here : 0;
            most = here > most ? here : most;
        }
        for (size_t p = 0; p < c->pencils; p++) {
            rows += plan->pencil_worker[p] == plan->gpus[g] ? c->y0[p + 1] - c->y0[p] : 0;
        }
        const size_t staged = planes * plane + rows * c->n[2] * c->nxc * 2 * c->cpu->real_bytes;
        if ((planes + 3 * most) * plane + (c->fused ? 0 : staged) > room) {
            return false;
        }
    }
    return true;
}

/* Direct where it can be: that moves each block once, inside the kernel that needs it. Several
 * processes have messages; one that is its communicator's only one has no use for them. */
static psg_status choose_exchange(psg_plan *plan, bool resident) {
    const bool between = plan->options.exchange == PSG_EXCHANGE_MPI ||
                         plan->options.exchange == PSG_EXCHANGE_ALLTOALL;
    if (plan->options.exchange == PSG_EXCHANGE_ALLTOALL && plan->ranks > 1 &&
        psg_comm_fake(plan->comm)) {
        return psg_fail(PSG_ERR_UNSUPPORTED,
                        "one process that plays a rank of many has nobody for MPI_Alltoallv");
    }
    if (plan->ranks > 1) {
        plan->exchange = between ? plan->options.exchange : PSG_EXCHANGE_MPI;
        return between || plan->options.exchange == PSG_EXCHANGE_AUTO
                   ? PSG_OK
                   : psg_fail(PSG_ERR_UNSUPPORTED,
                              "exchange %s is within one process; between several it is mpi or "
                              "alltoall",
                              plan->options.exchange == PSG_EXCHANGE_DIRECT ? "direct" : "managed");
    }
    const bool possible = resident && plan->context.fused && psg_device_peers();
    plan->exchange = plan->options.exchange;
    if (plan->exchange == PSG_EXCHANGE_AUTO || between) {
        plan->exchange = possible ? PSG_EXCHANGE_DIRECT : PSG_EXCHANGE_MANAGED;
    }
    if (plan->exchange == PSG_EXCHANGE_DIRECT && !possible) {
        return psg_fail(
            PSG_ERR_UNSUPPORTED,
            "exchange direct needs the fused graph on GPUs that reach each other's memory");
    }
    return PSG_OK;
}

psg_status psg_placement_make(psg_plan *plan) {
    psg_context *c = &plan->context;
    plan->segment_worker = malloc(c->segments * sizeof *plan->segment_worker);
    plan->pencil_worker = malloc(c->pencils * sizeof *plan->pencil_worker);
    plan->segment_node = malloc(c->segments * sizeof *plan->segment_node);
    if (plan->segment_worker == NULL || plan->pencil_worker == NULL || plan->segment_node == NULL) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for the placement of %zu segments", c->segments);
    }
    spread(plan->segment_worker, c->segments, c->own_segments, plan->gpus, plan->gpu_count);
    spread(plan->pencil_worker, c->pencils, c->own_pencils, plan->gpus, plan->gpu_count);
    c->segment_worker = plan->segment_worker;
    c->pencil_worker = plan->pencil_worker;
    if (plan->resident && !psg_placement_fits(plan)) {
        return psg_fail(PSG_ERR_MEMORY, "the spectrum does not fit the GPUs");
    }
    for (size_t s = 0; s < c->segments; s++) {
        plan->segment_node[s] = psg_placement_node(plan->resident ? plan->segment_worker[s] : -1);
    }
    const psg_status status = choose_exchange(plan, plan->resident);
    if (status != PSG_OK) {
        return status;
    }
    if (plan->exchange == PSG_EXCHANGE_DIRECT) {
        psg_task_kspace_direct(plan->direct_kspace, plan->segment_node);
        c->direct_kspace = plan->direct_kspace;
    }
    /* StarPU copies a view row by row, and a dense block at once: blocks that travel are dense. */
    const bool travels = plan->exchange == PSG_EXCHANGE_MANAGED && plan->gpu_count > 1;
    c->packed = plan->ranks > 1 || (plan->gpu_count > 0 && (!plan->resident || travels));
    c->messages = plan->exchange == PSG_EXCHANGE_MPI;
    return PSG_OK;
}
