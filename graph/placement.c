/* Where segments and sheets live: on the GPUs, in equal runs, or in main memory for any core; the
 * GPUs' first, where both have some. */
#include "graph/placement.h"
#include "base/tuning.h"
#include "codelets/forward_xy.h"
#include "codelets/gpu.h"
#include "codelets/inverse_xy.h"
#include "graph/block.h"
#include "graph/partition.h"
#include "graph/plan_struct.h"
#include "graph/ranks.h"
#include "graph/start.h"
#include "graph/status.h"
#include "runtime/device.h"
#include "runtime/simulation.h"

#include <stdlib.h>

/* Of what StarPU may take of a GPU. */
static size_t left_to_starpu(unsigned node) {
    const starpu_ssize_t limit = starpu_memory_get_total(node);
    const size_t used = starpu_memory_get_used(node);
    return limit < 0 ? SIZE_MAX : (size_t)limit > used ? (size_t)limit - used : 0;
}

size_t psg_placement_room(const psg_plan *plan, bool emptied) {
    size_t least = SIZE_MAX;
    for (size_t g = 0; g < plan->workers.gpu_count; g++) {
        const unsigned node = (unsigned)psg_placement_node(plan->workers.gpus[g]);
        const size_t left = left_to_starpu(node);
        const size_t free_bytes =
            psg_devices->free_bytes(starpu_worker_get_devid(plan->workers.gpus[g]));
        const size_t here =
            left < free_bytes ? left : free_bytes; /* others have memory there too */
        const size_t with = emptied && here < SIZE_MAX ? here + starpu_memory_get_used(node) : here;
        least = with < least ? with : least;
    }
    return least;
}

int psg_placement_home(const psg_plan *plan, int worker) {
    return psg_placement_node(plan->home.on_gpus ? worker : -1);
}

/* What the GPU with most of `parts` parts, each of at most `size`, has. */
static size_t share(const psg_plan *plan, size_t parts, size_t size) {
    return (parts + plan->workers.gpu_count - 1) / plan->workers.gpu_count * size;
}

/* Blocks, as spectra of segments or as sheets, and a second place for those of their rows that have
 * one, with room for what passes through: slabs of f and u, or all of both, copies of blocks, and
 * where blocks are dense a segment's spectrum. What passes through for the solves in other
 * workspaces comes and goes, so it may not be there now, and has to fit too. */
bool psg_placement_fits_twice(const psg_plan *plan, bool ahead, size_t twice) {
    const psg_context *c = &plan->context;
    const size_t row = c->layout.nxc * 2 * c->cpu->real_bytes;
    const size_t plane = c->layout.n[1] * row;
    const size_t segments = psg_range_count(c->layout.segments.gpus);
    const psg_range all = {0, c->layout.segments.count};
    const size_t planes = psg_parts_largest(&c->layout.segments, all, 2);
    const size_t ranks = (size_t)plan->processes.ranks;
    const size_t own_rows = (c->layout.n[1] + ranks - 1) / ranks;
    const size_t all_rows = own_rows - psg_partition_cores(plan->workers.cpu_share, own_rows);
    const size_t asked = plan->problem.options.sheets > 0
                             ? (plan->problem.options.sheets + ranks - 1) / ranks
                             : plan->workers.gpu_count;
    const size_t sheets = asked < own_rows ? asked : own_rows;
    const size_t spectra = share(plan, segments, planes) * plane;
    const size_t rows = share(plan, sheets, (all_rows + sheets - 1) / sheets);
    const size_t blocks = rows * c->layout.n[2] * row;
    const bool dense = plan->workers.usable_count > 1;
    const size_t spectrum = planes * plane;
    const size_t more = share(plan, segments, planes) * twice * row;
    const size_t needed = (dense ? blocks : spectra) + 2 * (ahead ? spectra : spectrum) +
                          (dense ? 2 : 1) * spectrum + (c->form.fused ? 0 : spectra + blocks) +
                          more;
    return needed <= psg_placement_room(plan, false) &&
           (plan->storage.workspace_count + 1) * needed <= psg_placement_room(plan, true);
}

bool psg_placement_fits(const psg_plan *plan, bool ahead) {
    return psg_placement_fits_twice(
        plan, ahead,
        plan->context.layout.overlap.pulled ? 0 : psg_overlap_rows_all(&plan->context.layout));
}

/* Room for work on one segment that is a GPU's whole part of the spectrum, in such parts: cuFFT's
 * work areas. Where a GPU has more segments at first, as much is asked for. */
#define LARGE_SEGMENTS 2.0

/* What is left of the fullest GPU beside its part of the spectrum and of f, which the program may
 * still allocate. If that is next to nothing, the program has probably allocated f already: then
 * there is no bound at first, and in the finer cut what is left beside the spectrum. The staged
 * graph has sheets and spectra of segments beside the blocks. */
static double room_beside_spectrum(const psg_plan *plan) {
    const psg_layout *l = &plan->context.layout;
    const double parts = (double)plan->workers.gpu_count * plan->processes.ranks;
    const double bytes = (double)(l->n[2] * l->n[1] * plan->context.cpu->real_bytes) / parts;
    const double spectrum = bytes * 2 * (double)l->nxc * (plan->context.form.fused ? 1 : 3);
    const double f = bytes * (double)l->n[0];
    const double least = TUNING_GPU_PARTS_AT_ONCE * (double)TUNING_GPU_PART_BYTES;
    double starpu = INFINITY; /* left beside the spectrum: of what StarPU may take, */
    double all = INFINITY;    /* and of all memory, where f is still to come */
    for (size_t g = 0; g < plan->workers.gpu_count; g++) {
        const int worker = plan->workers.gpus[g];
        const size_t left = left_to_starpu((unsigned)psg_placement_node(worker));
        const size_t there = psg_devices->free_bytes(starpu_worker_get_devid(worker));
        starpu = fmin(starpu, left < SIZE_MAX ? (double)left - spectrum : INFINITY);
        all = fmin(all, there < SIZE_MAX ? (double)there - spectrum : INFINITY);
    }
    const double beside_f = fmin(starpu, all - f);
    if (beside_f >= least) {
        return beside_f;
    }
    return plan->home.finer ? fmax(fmin(starpu, all), 0) : INFINITY;
}

/* What bounds segments. Several GPUs are fastest with one segment each: there is no bound where the
 * work on these has room beside the spectrum and f. Where the spectrum is in main memory, it is
 * what there is now; but what StarPU could evict from a full GPU counts for a part. */
psg_status psg_placement_find_room(double *room, const psg_plan *plan) {
    const psg_layout *l = &plan->context.layout;
    const double parts = (double)plan->workers.gpu_count * plan->processes.ranks;
    const double spectrum =
        (double)(l->n[2] * l->n[1] * l->nxc * 2 * plan->context.cpu->real_bytes);
    *room = INFINITY;
    if (!plan->home.on_gpus) {
        const size_t now = psg_placement_room(plan, false);
        const size_t part = psg_placement_room(plan, true) / 4;
        *room = now == SIZE_MAX ? INFINITY : (double)(now > part ? now : part);
    } else {
        const double beside = room_beside_spectrum(plan);
        const bool large = !psg_placement_one_gpu(plan) && !plan->home.finer &&
                           beside >= LARGE_SEGMENTS * spectrum / parts;
        *room = large ? INFINITY : beside;
    }
    return psg_ranks_min(plan->processes.comm, room, 1);
}

psg_status psg_placement_check(bool *ahead, const psg_plan *plan) {
    if (plan->home.on_gpus && !psg_placement_fits(plan, false)) {
        return psg_fail(PSG_ERR_MEMORY, "the spectrum does not fit the GPUs");
    }
    /* Not where blocks come to the GPUs too: those that a task waits for would come after f. */
    const bool in_place =
        !plan->context.form.packed || plan->route.exchange->is == PSG_EXCHANGE_DIRECT;
    *ahead = plan->home.on_gpus && in_place && psg_placement_fits(plan, true);
    return PSG_OK;
}

/* Blocks that are at home on the GPU of their sheet, and f, u and components of the gradient on
 * that of the segment. Another process' blocks are at addresses of the segment's GPU. */
psg_status psg_placement_direct(psg_placement *placement, const psg_plan *plan) {
    const psg_layout *l = &plan->context.layout;
    if (plan->route.exchange->is != PSG_EXCHANGE_DIRECT || plan->workers.gpu_count < 2) {
        return PSG_OK;
    }
    const size_t bundles = l->bundles.count;
    placement->direct_node = malloc((bundles + 3) * sizeof *placement->direct_node);
    if (placement->direct_node == NULL) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for the placement of %zu bundles", bundles);
    }
    for (size_t m = 0; m < bundles + 3; m++) {
        placement->direct_node[m] = STARPU_SPECIFIC_NODE_LOCAL;
    }
    for (size_t g = l->bundles.own.first; g < l->bundles.own.end; g++) {
        const size_t p = l->bundles.part[g].sheets.first;
        placement->direct_node[1 + g] = psg_placement_home(plan, l->sheets.part[p].worker);
    }
    psg_task_forward_xy_direct(placement->direct.forward_xy, placement->direct_node);
    psg_task_inverse_xy_direct(placement->direct.inverse_xy, placement->direct_node);
    psg_task_gradient_xy_direct(placement->direct.gradient_xy, placement->direct_node);
    return PSG_OK;
}

psg_status psg_placement_gpus(psg_gpu_user *user, psg_engine *engine, const psg_plan *plan) {
    char words[192] = "";
    if (plan->workers.gpu_count == 0 || psg_kernels == NULL) {
        return PSG_OK;
    }
    psg_runtime_awake();
    *user = psg_kernels->plans(plan->context.direct != NULL);
    const psg_fault fault = psg_gpu_start(engine, user, words, sizeof words);
    psg_runtime_rest();
    return fault == PSG_FAULT_NONE
               ? PSG_OK
               : psg_fail(psg_fault_status(fault), "the GPUs could not be prepared: %s", words);
}

static size_t least_free(const psg_plan *plan) {
    size_t least = SIZE_MAX;
    for (size_t g = 0; g < plan->workers.gpu_count; g++) {
        const size_t here = psg_devices->free_bytes(starpu_worker_get_devid(plan->workers.gpus[g]));
        least = here < least ? here : least;
    }
    return least < SIZE_MAX ? least : psg_placement_room(plan, false); /* in a simulation */
}

psg_status psg_placement_look(double *left, const psg_plan *plan) {
    const size_t least = plan->workers.gpu_count > 0 ? least_free(plan) : SIZE_MAX;
    *left = least < SIZE_MAX ? (double)least : 0;
    return PSG_OK;
}

/* A task has its part in two arrays. StarPU waits for room, and where there never is any, for
 * ever. */
psg_status psg_placement_check_task(const psg_plan *plan) {
    const psg_context *c = &plan->context;
    const size_t row = c->layout.nxc * 2 * c->cpu->real_bytes;
    const size_t segment =
        psg_parts_largest(&c->layout.segments, c->layout.segments.gpus, 2) * c->layout.n[1] * row;
    const size_t sheet =
        plan->home.on_gpus
            ? 0
            : psg_parts_largest(&c->layout.sheets, c->layout.sheets.gpus, 1) * c->layout.n[2] * row;
    const size_t needed = 2 * (segment > sheet ? segment : sheet);
    const size_t room = psg_placement_room(plan, !plan->home.on_gpus);
    return needed <= room
               ? PSG_OK
               : psg_fail(PSG_ERR_MEMORY,
                          "no room on a GPU for what a task works on: %zu bytes are needed, and "
                          "%zu are left; with more segments and sheets it is less",
                          needed, room);
}
