/* Room on the GPUs: what the spectrum and the work on it need there, and what is free. And the
 * memory nodes of the tasks' data. */
#include "graph/placement.h"
#include "base/tuning.h"
#include "codelets/forward_xy.h"
#include "codelets/gpu.h"
#include "codelets/inverse_xy.h"
#include "graph/block.h"
#include "graph/green.h"
#include "graph/plan_struct.h"
#include "graph/ranks.h"
#include "graph/start.h"
#include "graph/status.h"
#include "runtime/device.h"
#include "runtime/simulation.h"

#include <stdlib.h>

bool psg_placement_one_gpu(const psg_plan *plan) {
    return plan->processes.ranks == 1 && plan->workers.gpu_count == 1 &&
           plan->workers.cpu_count == 0;
}

/* What is left of the bytes that StarPU may take of a GPU. */
static size_t left_to_starpu(unsigned node) {
    const starpu_ssize_t limit = starpu_memory_get_total(node);
    const size_t used = starpu_memory_get_used(node);
    return limit < 0 ? SIZE_MAX : (size_t)limit > used ? (size_t)limit - used : 0;
}

static size_t room(const psg_plan *plan, bool emptied) {
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

size_t psg_placement_room_now(const psg_plan *plan) {
    return room(plan, false);
}

size_t psg_placement_room_emptied(const psg_plan *plan) {
    return room(plan, true);
}

/* What the GPU with most of `parts` parts, each of at most `size`, has. */
static size_t share(const psg_plan *plan, size_t parts, size_t size) {
    return (parts + plan->workers.gpu_count - 1) / plan->workers.gpu_count * size;
}

/* A solve needs its blocks, a second place for `twice` rows of each plane, slabs of f and u (all of
 * both if f comes ahead), copies of blocks, and a segment's spectrum where blocks are dense. A
 * staged graph needs all segments' spectra and all sheets beside these. All that other workspaces'
 * solves need has to fit, too, even if it is not there now. */
bool psg_placement_fits_twice(const psg_plan *plan, bool ahead, size_t twice) {
    const psg_context *c = &plan->context;
    const size_t row = c->layout.nxc * 2 * c->cpu->real_bytes;
    const size_t plane = c->layout.nyc * row;
    const size_t segments = psg_range_count(c->layout.segments.gpus);
    const psg_range all = {0, c->layout.segments.count};
    const size_t planes = psg_parts_largest(&c->layout.segments, all, 2);
    const size_t ranks = (size_t)plan->processes.ranks;
    const size_t own_rows = (c->layout.nyc + ranks - 1) / ranks;
    const size_t all_rows = own_rows - psg_workers_cores(plan->workers.cpu_share, own_rows);
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
    const size_t slabs =
        2 * (ahead ? spectra : spectrum) + plan->route.placement->guests * spectrum;
    const size_t needed = (dense ? blocks : spectra) + slabs + (dense ? 2 : 1) * spectrum +
                          plan->route.graph->wholes * (spectra + blocks) + more +
                          psg_green_bytes(plan);
    return needed <= room(plan, false) &&
           (plan->storage.workspace_count + 1) * needed <= room(plan, true);
}

bool psg_placement_fits(const psg_plan *plan, bool ahead) {
    return psg_placement_fits_twice(plan, ahead,
                                    psg_overlap_rows_all(&plan->context.layout) -
                                        plan->context.layout.overlap.pulled_rows);
}

/* Free room that a GPU with one large segment needs, in units of its part of the spectrum: cuFFT's
 * work areas. The same is asked of a GPU that has more segments at first. */
#define LARGE_SEGMENTS 2.0

/* A GPU's part of the spectrum. */
static double spectrum_part(const psg_plan *plan) {
    const psg_layout *l = &plan->context.layout;
    const double parts = (double)plan->workers.gpu_count * plan->processes.ranks;
    return (double)(l->n[2] * l->nyc * l->nxc * 2 * plan->context.cpu->real_bytes) / parts;
}

/* What is left of the fullest GPU beside the spectrum and f, which the program may still allocate.
 * If next to nothing is left, the program has probably allocated f already.
 *  @param[out] left  beside the spectrum alone @return `otherwise` if next to nothing is left */
static double beside(const psg_plan *plan, double *left, double otherwise) {
    const psg_layout *l = &plan->context.layout;
    const double spectrum = spectrum_part(plan) * (double)(1 + 2 * plan->route.graph->wholes) +
                            (double)psg_green_bytes(plan);
    const double f =
        spectrum_part(plan) * (double)(l->n[0] * l->n[1]) / (2 * (double)(l->nxc * l->nyc));
    const double least = TUNING_GPU_PARTS_AT_ONCE * (double)TUNING_GPU_PART_BYTES;
    double starpu = INFINITY; /* left beside the spectrum: of what StarPU may take, */
    double all = INFINITY;    /* and of all memory, where f is still to come */
    for (size_t g = 0; g < plan->workers.gpu_count; g++) {
        const int worker = plan->workers.gpus[g];
        const size_t left_here = left_to_starpu((unsigned)psg_placement_node(worker));
        const size_t there = psg_devices->free_bytes(starpu_worker_get_devid(worker));
        starpu = fmin(starpu, left_here < SIZE_MAX ? (double)left_here - spectrum : INFINITY);
        all = fmin(all, there < SIZE_MAX ? (double)there - spectrum : INFINITY);
    }
    const double beside_f = fmin(starpu, all - f);
    *left = fmax(fmin(starpu, all), 0);
    return beside_f >= least ? beside_f : otherwise;
}

double psg_placement_beside(const psg_plan *plan) {
    double left = 0;
    const double room = beside(plan, &left, -1);
    return room < 0 ? left : room;
}

/* Several GPUs are fastest with one segment each. If the work on such a segment has room, nothing
 * bounds segments. */
double psg_placement_beside_large(const psg_plan *plan) {
    double left = 0;
    const double room = beside(plan, &left, INFINITY);
    return !psg_placement_one_gpu(plan) && room >= LARGE_SEGMENTS * spectrum_part(plan) ? INFINITY
                                                                                        : room;
}

/* What there is now; but what StarPU could evict from a full GPU counts for a part. */
double psg_placement_of_copies(const psg_plan *plan) {
    const size_t now = psg_placement_room_now(plan);
    const size_t part = psg_placement_room_emptied(plan) / 4;
    return now == SIZE_MAX ? INFINITY : (double)(now > part ? now : part);
}

psg_status psg_placement_find_room(double *room, const psg_plan *plan) {
    *room = plan->route.home->segment_room(plan);
    return psg_ranks_min(plan->processes.comm, room, 1);
}

psg_status psg_placement_check(bool *ahead, const psg_plan *plan) {
    const psg_home_row *home = plan->route.home;
    /* If StarPU brings blocks to the GPUs, f ahead would delay the blocks that a task waits for. */
    const bool in_place =
        psg_placement_one_gpu(plan) || plan->route.exchange->is == PSG_EXCHANGE_DIRECT;
    *ahead = false;
    if (home->fits == NULL) {
        return PSG_OK;
    }
    if (!home->fits(plan, false)) {
        return psg_fail(PSG_ERR_MEMORY, "the spectrum%s does not fit the GPUs",
                        plan->context.tabled ? ", with the Green's function," : "");
    }
    *ahead = in_place && home->fits(plan, true);
    return PSG_OK;
}

/* Blocks that are at home on the GPU of their sheet, and f, u and components of the gradient on
 * that of the segment. Another process' blocks are at addresses of the segment's GPU. A flow is
 * three fields in place of f: its list begins here, and that of the others FLOW_BEFORE later. */
enum { FLOW_BEFORE = 2 };

static psg_status find_nodes(int **node, const psg_plan *plan) {
    const psg_layout *l = &plan->context.layout;
    const size_t bundles = l->bundles.count;
    *node = malloc((FLOW_BEFORE + bundles + 3) * sizeof **node);
    if (*node == NULL) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for the placement of %zu bundles", bundles);
    }
    for (size_t m = 0; m < FLOW_BEFORE + bundles + 3; m++) {
        (*node)[m] = STARPU_SPECIFIC_NODE_LOCAL;
    }
    for (size_t g = l->bundles.own.first; g < l->bundles.own.end; g++) {
        const size_t p = l->bundles.part[g].sheets.first;
        (*node)[FLOW_BEFORE + 1 + g] = plan->route.home->node(l->sheets.part[p].home);
    }
    return PSG_OK;
}

psg_status psg_placement_codelets(psg_gpu_place *placement, const psg_plan *plan) {
    const bool reach = plan->context.reached_bundles > 0 && plan->workers.gpu_count > 1;
    const psg_status status = reach ? find_nodes(&placement->node, plan) : PSG_OK;
    int *after = placement->node != NULL ? placement->node + FLOW_BEFORE : NULL;
    psg_task_forward_xy_codelet(placement->codelets.forward_xy, after);
    psg_task_forward_xy_codelet(placement->codelets.divergence_xy, placement->node);
    psg_task_inverse_xy_codelet(placement->codelets.inverse_xy, after);
    psg_task_gradient_xy_codelet(placement->codelets.gradient_xy, after);
    return status;
}

psg_status psg_placement_gpus(psg_gpu_user *user, psg_engine *engine, const psg_plan *plan) {
    char words[192] = "";
    if (plan->workers.gpu_count == 0 || psg_kernels == NULL) {
        return PSG_OK;
    }
    psg_runtime_awake();
    *user = psg_kernels->plans(plan->placement.node != NULL);
    const psg_fault fault = psg_gpu_start(engine, user, words, sizeof words);
    psg_runtime_rest();
    return fault == PSG_FAULT_NONE
               ? PSG_OK
               : psg_fail(psg_fault_status(fault), "the GPUs could not be prepared: %s", words);
}

psg_status psg_placement_renew(const psg_plan *plan) {
    const psg_context *c = &plan->context;
    const size_t count = c->engine.gpu != NULL ? plan->workers.gpu_count : 0;
    for (size_t g = 0; g < count; g++) {
        const int device = starpu_worker_get_devid(plan->workers.gpus[g]);
        const int before = psg_device_current(device);
        const int code = psg_kernels->renew(c, plan->workers.gpus[g]);
        (void)psg_device_current(before);
        if (code != 0) {
            return psg_fail(PSG_ERR_RUNTIME, "GPU %d, the tables of a box: %s", device,
                            plan->placement.gpu_user.words(code));
        }
    }
    return PSG_OK;
}

static size_t least_free(const psg_plan *plan) {
    size_t least = SIZE_MAX;
    for (size_t g = 0; g < plan->workers.gpu_count; g++) {
        const size_t here = psg_devices->free_bytes(starpu_worker_get_devid(plan->workers.gpus[g]));
        least = here < least ? here : least;
    }
    return least < SIZE_MAX ? least : room(plan, false); /* in a simulation */
}

double psg_placement_left(const psg_plan *plan) {
    const size_t least = plan->workers.gpu_count > 0 ? least_free(plan) : SIZE_MAX;
    return least < SIZE_MAX ? (double)least : 0;
}

psg_status psg_placement_check_bytes(const psg_plan *plan, double needed, const char *what,
                                     const char *finer) {
    const double left = (double)plan->route.home->task_room(plan);
    return plan->workers.gpu_count == 0 || needed <= left
               ? PSG_OK
               : psg_fail(PSG_ERR_MEMORY,
                          "no room on a GPU for %s: %.0f bytes are needed, and %.0f are left; with "
                          "more %s it is less",
                          what, needed, left, finer);
}

/* A task has its part in two arrays. */
psg_status psg_placement_check_task(const psg_plan *plan) {
    const psg_layout *l = &plan->context.layout;
    const size_t row = l->nxc * 2 * plan->context.cpu->real_bytes;
    const size_t segment = psg_parts_largest(&l->segments, l->segments.gpus, 2) * l->nyc * row;
    const size_t sheet = plan->route.home->sheet_copies * l->n[2] * row *
                         psg_parts_largest(&l->sheets, l->sheets.gpus, 1);
    return psg_placement_check_bytes(plan, 2 * (double)(segment > sheet ? segment : sheet),
                                     "what a task works on", "segments and sheets");
}
