/* Plans: everything that can be made before the first solve. */
#include "base/memory.h"
#include "graph/internal.h"
#include "graph/transforms.h"
#include "runtime/device.h"
#include "runtime/runs.h"
#include "runtime/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------- partition */

/* What there is now; but what StarPU could evict from a full GPU counts for a part. */
static double find_room(const psg_plan *plan) {
    if (plan->placement.resident) {
        return INFINITY;
    }
    const size_t now = psg_placement_room(plan, false);
    const size_t part = psg_placement_room(plan, true) / 4;
    return now == SIZE_MAX ? INFINITY : (double)(now > part ? now : part);
}

/* The same cut on all processes, whose workers may differ in number and kind. */
static psg_status make_planes(psg_plan *plan) {
    const size_t all = plan->workers.usable_count;
    double most[] = {
        (double)(plan->workers.cpu_count > 0 && !plan->workers.anywhere ? plan->workers.cpu_count
                                                                        : all),
        (double)(plan->workers.gpu_count > 0 ? plan->workers.gpu_count : all),
        -plan->workers.cpu_share, /* as for GPUs where one process has them alone */
        -find_room(plan),
    };
    const psg_status status = psg_ranks_max(plan->processes.comm, most, sizeof most / sizeof *most);
    plan->workers.most[0] = (size_t)most[0];
    plan->workers.most[1] = (size_t)most[1];
    plan->workers.cpu_share = -most[2];
    plan->placement.room = -most[3];
    return status == PSG_OK ? psg_partition_planes(plan) : status;
}

/* What the exchange between processes needs. */
static psg_status make_exchange(psg_plan *plan) {
    psg_context *c = &plan->context;
    if (plan->processes.ranks == 1) {
        return PSG_OK;
    }
    const size_t own_segments = psg_range_count(c->layout.segments.own);
    const size_t own_bundles = psg_range_count(c->layout.bundles.own);
    const size_t one_way = own_segments * (c->layout.bundles.count - own_bundles) +
                           (c->layout.segments.count - own_segments) * own_bundles;
    const size_t handles =
        own_segments * c->layout.bundles.count + c->layout.segments.count * own_bundles + 1;
    const bool alltoall = plan->placement.exchange == PSG_EXCHANGE_ALLTOALL;
    const size_t tags = 2 * (size_t)plan->problem.options.in_flight * c->layout.segments.first[1] *
                        c->layout.bundles.first[1]; /* one for each block, each way, of each lane */
    plan->placement.main_memory =
        calloc(handles + c->layout.sheets.count, sizeof *plan->placement.main_memory);
    psg_status status = PSG_OK;
    if (plan->placement.main_memory == NULL) {
        status = psg_fail(PSG_ERR_MEMORY, "no memory for a list of %zu blocks", handles);
    } else if (!alltoall && tags > psg_comm_most_tags()) {
        status = psg_fail(PSG_ERR_UNSUPPORTED, "MPI has no %zu tags: choose fewer segments", tags);
    }
    status = psg_ranks_agree(plan->processes.comm, status);
    if (status != PSG_OK) {
        return status;
    }
    for (size_t m = 0; m < handles + c->layout.sheets.count; m++) {
        plan->placement.main_memory[m] = STARPU_MAIN_RAM;
    }
    c->engine.messages = c->form.messages ? PSG_WAYS * one_way : 0;
    psg_task_exchange_codelets(&plan->placement.between, plan->placement.main_memory);
    c->exchange = &plan->placement.between;
    c->engine.wire = psg_wire_open(plan->processes.comm, c->layout.nxc * 2 * c->cpu->real_bytes,
                                   alltoall ? plan->problem.options.in_flight : 0);
    return c->engine.wire != NULL
               ? PSG_OK
               : psg_fail(PSG_ERR_RUNTIME, "%s", psg_comm_why(plan->processes.comm));
}

/* ------------------------------------------------------------------------------ workers */

/* The GPUs take the plan's tasks where there are any, else the cores do, or both theirs. */
static psg_status make_workers(psg_plan *plan) {
    plan->workers.count = starpu_worker_get_count();
    plan->context.engine.workers = plan->workers.count;
    plan->workers.usable = malloc(plan->workers.count * sizeof *plan->workers.usable);
    if (plan->workers.usable == NULL) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for a list of %zu workers", plan->workers.count);
    }
    if (plan->problem.options.gpus != 0) {
        plan->workers.gpu_count = starpu_worker_get_ids_by_type(
            STARPU_CUDA_WORKER, plan->workers.gpus, STARPU_NMAXWORKERS);
    }
    memcpy(plan->workers.usable, plan->workers.gpus,
           plan->workers.gpu_count * sizeof *plan->workers.usable);
    const size_t cpus = starpu_worker_get_ids_by_type(
        STARPU_CPU_WORKER, plan->workers.usable + plan->workers.gpu_count,
        (unsigned)(plan->workers.count - plan->workers.gpu_count));
    psg_status status = psg_cpu_share_make(plan, cpus);
    if (status != PSG_OK) {
        return status;
    }
    plan->workers.usable_count = plan->workers.gpu_count + plan->workers.cpu_count;
    plan->context.engine.pinned = plan->workers.gpu_count > 0;
    plan->context.engine.where =
        (plan->workers.cpu_count == 0 || plan->workers.anywhere ? STARPU_CUDA : 0) |
        (plan->workers.cpu_count > 0 ? STARPU_CPU : 0);
    /* What goes to other processes goes by main memory, so blocks are at home there; and so does
     * what any worker may need. */
    plan->placement.resident =
        plan->workers.gpu_count > 0 && !plan->workers.anywhere && plan->processes.ranks == 1;
    plan->workers.copies = plan->workers.gpu_count > 0 || starpu_memory_nodes_get_numa_count() > 1;
    if (!plan->workers
             .copies) { /* the waiter then wakes on a core that no idle worker holds; else copies remain */
        plan->context.engine.run_ended = psg_runtime_rest;
    }
    if (plan->workers.usable_count == 0) {
        return psg_fail(PSG_ERR_NODEV, "StarPU runs without a worker that the plan could use");
    }
    plan->workers.teams = psg_team_wanted(plan);
    return PSG_OK;
}

static psg_status make_devices(psg_plan *plan) {
    char words[192] = "";
    if (plan->workers.gpu_count == 0) {
        return PSG_OK;
    }
    psg_runtime_awake();
    plan->placement.gpu_user = psg_gpu_plans(plan->context.direct != NULL);
    const psg_fault fault =
        psg_gpu_start(&plan->context.engine, &plan->placement.gpu_user, words, sizeof words);
    psg_runtime_rest();
    return fault == PSG_FAULT_NONE
               ? PSG_OK
               : psg_fail(psg_fault_status(fault), "the GPUs could not be prepared: %s", words);
}

/* A task has its part in two arrays. StarPU waits for room, and where there never is any, for
 * ever. */
static psg_status check_room(psg_plan *plan) {
    const psg_context *c = &plan->context;
    const size_t row = c->layout.nxc * 2 * c->cpu->real_bytes;
    const size_t segment =
        psg_parts_largest(&c->layout.segments, c->layout.segments.gpus, 2) * c->layout.n[1] * row;
    const size_t sheet =
        plan->placement.resident
            ? 0
            : psg_parts_largest(&c->layout.sheets, c->layout.sheets.gpus, 1) * c->layout.n[2] * row;
    const size_t needed = 2 * (segment > sheet ? segment : sheet);
    const size_t room = psg_placement_room(plan, !plan->placement.resident);
    return needed <= room
               ? PSG_OK
               : psg_fail(PSG_ERR_MEMORY,
                          "no room on a GPU for what a task works on: %zu bytes are needed, and "
                          "%zu are left; with more segments and sheets it is less",
                          needed, room);
}

static psg_status make_scratch(psg_plan *plan) {
    psg_context *c = &plan->context;
    /* solves with values on the sides copy a plane of f */
    const bool copies = !psg_transforms_periodic(&plan->problem.grid) &&
                        plan->problem.options.symbol == PSG_SYMBOL_FD2;
    size_t bytes = c->fft != NULL ? c->cpu->fft_scratch_bytes(c->fft) : 0;
    c->sides_scratch = (bytes + 63) / 64 * 64;
    if (c->fft != NULL && copies) {
        bytes = c->sides_scratch + c->layout.n[0] * c->layout.n[1] * c->cpu->real_bytes;
    }
    plan->storage.scratch = calloc(plan->workers.count, sizeof *plan->storage.scratch);
    plan->storage.pieces = calloc(plan->workers.count, sizeof *plan->storage.pieces);
    bool all = plan->storage.scratch != NULL && plan->storage.pieces != NULL &&
               psg_history_open(&plan->past.latest, &c->engine);
    for (size_t w = 0; all && w < plan->workers.count; w++) {
        if (c->fft != NULL && starpu_worker_get_type((int)w) == STARPU_CPU_WORKER) {
            plan->storage.scratch[w] = base_allocate(bytes);
            plan->storage.pieces[w] =
                malloc(c->layout.segments.count * sizeof **plan->storage.pieces);
            plan->storage.scratch_bytes += bytes;
            all = plan->storage.scratch[w] != NULL && plan->storage.pieces[w] != NULL;
        }
    }
    c->scratch = plan->storage.scratch;
    c->pieces = plan->storage.pieces;
    return all ? PSG_OK
               : psg_fail(PSG_ERR_MEMORY,
                          "no memory for the workers' scratch: %zu bytes for each of %zu", bytes,
                          plan->workers.usable_count);
}

static psg_status make_lanes(psg_plan *plan) {
    plan->storage.lanes = calloc(plan->problem.options.in_flight, sizeof *plan->storage.lanes);
    psg_status status = PSG_OK;
    if (plan->storage.lanes == NULL) {
        status = psg_fail(PSG_ERR_MEMORY, "no memory for %u solves in flight",
                          plan->problem.options.in_flight);
    }
    if (psg_shares(plan)) { /* a lane is made on all processes at once */
        status = psg_ranks_agree(plan->processes.comm, status);
    }
    if (status != PSG_OK) {
        return status;
    }
    status = psg_lane_create(&plan->storage.lanes[0], plan);
    plan->storage.lane_count = status == PSG_OK ? 1 : 0;
    return status;
}

/* --------------------------------------------------------------------------------- plan */

static void set_context(psg_plan *plan) {
    psg_context *c = &plan->context;
    const psg_options *o = &plan->problem.options;
    const bool single = o->precision == PSG_F32;
    c->cpu = single ? &psg_cpu_ops_f32 : &psg_cpu_ops_f64;
    for (int d = 0; d < 3; d++) {
        c->layout.n[d] = plan->problem.grid.axis[d].n;
        c->kind[d] = psg_transform_of(&plan->problem.grid.axis[d])->kind[0];
    }
    c->layout.nxc = psg_transform_row(c->layout.n[0], c->kind[0]);
    c->apart = c->kind[0] != PSG_TRANSFORM_PERIODIC;
    c->engine.owner = c;
    c->engine.precision = single ? PSG_TASK_F32 : PSG_TASK_F64;
    c->engine.kinds = psg_kind_count();
    c->engine.record = o->record != 0;
    c->engine.result_bytes = sizeof(psg_findings);
    c->engine.user_bytes = sizeof(psg_terms);
    c->engine.slots = o->in_flight;
    c->engine.comm = plan->processes.comm;
    c->form.z_contiguous = o->z_layout == PSG_Z_CONTIGUOUS;
    c->form.fused = o->graph == PSG_GRAPH_FUSED;
    c->form.normalizes = !c->form.fused && o->normalize != 0;
}

static void free_storage(psg_plan *plan) {
    psg_storage *s = &plan->storage;
    for (size_t m = 0; m < s->lane_count; m++) {
        psg_lane_destroy(s->lanes[m], plan);
    }
    for (size_t w = 0; w < plan->workers.count; w++) {
        free(s->scratch != NULL ? s->scratch[w] : NULL);
        free(s->pieces != NULL ? s->pieces[w] : NULL);
    }
    free(s->lanes);
    free(s->scratch);
    free(s->pieces);
}

/* Free the cut into parts and what came after it, in the order opposite to that in which it was made. */
static void free_arrangement(psg_plan *plan) {
    psg_context *c = &plan->context;
    psg_history_close(&plan->past.latest);
    free_storage(plan);
    if (c->engine.gpu != NULL) {
        psg_runtime_awake();
        psg_gpu_stop(&c->engine);
        psg_runtime_rest();
    }
    if (c->fft != NULL) {
        c->cpu->fft_destroy(c->fft);
    }
    if (!plan->storage.left) {
        psg_wire_close(c->engine.wire);
    }
    free(plan->placement.main_memory);
    free(plan->placement.direct_node);
    psg_layout_free(&c->layout);
    plan->storage = (psg_storage){.lanes = NULL};
    c->engine.wire = NULL;
    c->fft = NULL;
    c->direct = NULL;
    c->exchange = NULL;
}

/* Free all but StarPU. */
static void free_plan(psg_plan *plan) {
    psg_team_end(plan);
    while (plan->storage.arrays != NULL) {
        psg_arrays *next = plan->storage.arrays->next;
        psg_arrays_destroy(plan->storage.arrays, plan);
        plan->storage.arrays = next;
    }
    psg_arrays_destroy(plan->storage.slabs, plan);
    psg_plan_unpin(plan, NULL);
    while (plan->flights.idle_runs != NULL) {
        psg_run *next = plan->flights.idle_runs->next;
        psg_run_destroy(plan->flights.idle_runs);
        plan->flights.idle_runs = next;
    }
    psg_sides_free(plan);
    psg_program_free(plan);
    free_arrangement(plan);
    for (int d = 0; d < 3; d++) {
        free(plan->problem.eigen[d]);
    }
    free(plan->past.moved.record);
    free(plan->past.copy);
    free(plan->workers.usable);
    free(plan);
}

/* What a plan begins with. */
typedef struct beginning {
    psg_options options; /* checked, and settled */
    psg_comm *comm;
    bool tuned;
} beginning;

/* What every process checks for itself and all have to pass; then StarPU on each.
 *  @param[in] plan  NULL: there was no memory for it */
static psg_status begin(const psg_plan *plan, bool told_where, const psg_grid *grid,
                        const psg_options *options, beginning *b) {
    const psg_status right = psg_options_check(&b->options, options);
    psg_status status = psg_ranks_open(&b->comm, &b->options);
    if (status != PSG_OK) {
        return status;
    }
    if (right != PSG_OK) {
        status = right;
    } else if (!told_where || grid == NULL) {
        status = psg_fail(PSG_ERR_ARG, "plan or grid is NULL");
    } else if (plan == NULL) {
        status = psg_fail(PSG_ERR_MEMORY, "no memory for a plan");
    } else {
        status = psg_grid_check(grid, b->options.precision);
    }
    if (status == PSG_OK) {
        status = psg_simulation_nodes_check(&b->options, grid);
    }
    status =
        psg_ranks_agree(b->comm, status); /* from here on none goes on alone, nor stops alone */
    if (status == PSG_OK) {
        status = psg_ranks_same(b->comm, grid, &b->options);
    }
    if (status != PSG_OK) {
        return status;
    }
    psg_tuned tuned;
    (void)psg_tuned_find(&tuned, grid, &b->options);
    const psg_status mine = psg_runtime_acquire(&b->options, b->comm, tuned.policy);
    status = psg_ranks_agree(b->comm, mine);
    if (status == PSG_OK) {
        b->tuned = psg_tuned_apply(&b->options, grid, &tuned);
    } else if (mine == PSG_OK) {
        psg_runtime_release(b->comm);
    }
    return status;
}

typedef psg_status (*step)(psg_plan *plan);

static psg_status run_steps(psg_plan *plan, const step *steps, size_t count) {
    psg_status status = PSG_OK;
    for (size_t m = 0; m < count && status == PSG_OK; m++) {
        status = psg_ranks_agree(plan->processes.comm, steps[m](plan));
    }
    return status;
}

/* What else there is for a spectrum that the GPUs turn out to have no room for: no second place for
 * some of its rows; smaller segments, which take less room beside it; or main memory, cut into parts
 * of which the GPUs have room for some, unless blocks have to stay there.
 *  @param[out] next  what to try @return is there something? */
static bool take_less(psg_placement *next, const psg_plan *plan) {
    const psg_placement *failed = &plan->placement;
    const psg_options *o = &plan->problem.options;
    const psg_relay *relay = &plan->context.layout.relay;
    const bool direct = failed->exchange == PSG_EXCHANGE_DIRECT &&
                        (plan->workers.gpu_count > 1 || plan->processes.ranks > 1);
    const bool twice = relay->rows != NULL && !relay->fetched;
    *next = (psg_placement){.fetches = failed->fetches, .finer = failed->finer};
    if (!failed->resident) {
        return false;
    }
    if (direct && (twice || (!failed->finer && o->segment_planes == 0))) {
        *next = (psg_placement){.resident = true, .fetches = true, .finer = !twice};
        return true;
    }
    return o->exchange != PSG_EXCHANGE_DIRECT;
}

/* Less memory is another layout, and all that follows from it. */
static psg_status make(psg_plan *plan) {
    static const step first[] = {psg_transforms_divide, make_workers, psg_share_try};
    static const step arrangement[] = {
        psg_placement_exchange, make_planes,      psg_placement_check, psg_partition_rows,
        psg_placement_strips,   psg_relay_choose, psg_placement_make,  psg_simulation_check,
        make_exchange,          make_lanes,       psg_transforms_plan, make_scratch,
        make_devices,           check_room,       psg_team_make};
    enum { FIRST = sizeof first / sizeof *first, REST = sizeof arrangement / sizeof *arrangement };
    psg_placement next;
    psg_status status = run_steps(plan, first, FIRST);
    if (status == PSG_OK) {
        status = run_steps(plan, arrangement, REST);
    }
    while (status == PSG_ERR_MEMORY && take_less(&next, plan)) {
        free_arrangement(plan);
        plan->placement = next;
        psg_clear_error();
        status = run_steps(plan, arrangement, REST);
    }
    return status;
}

psg_status psg_plan_create(psg_plan **result, const psg_grid *grid, const psg_options *options) {
    const double before = psg_clock();
    beginning b = {.comm = NULL};
    psg_clear_error();
    if (result != NULL) {
        *result = NULL;
    }
    psg_plan *plan = calloc(1, sizeof *plan);
    psg_status status = begin(plan, result != NULL, grid, options, &b);
    if (status != PSG_OK) {
        free(plan);
        return status;
    }
    plan->problem.options = b.options;
    plan->problem.policy_asked = b.options.policy != NULL;
    plan->problem.options.policy =
        NULL; /* strings and arrays are the caller's, and StarPU has them */
    plan->problem.options.gpu_ids = NULL;
    plan->problem.options.machine = NULL;
    plan->problem.options.comm = NULL;
    plan->problem.tuned = b.tuned;
    plan->problem.grid = *grid;
    plan->processes.comm = b.comm;
    plan->processes.rank = b.comm != NULL ? psg_comm_rank(b.comm) : 0;
    plan->processes.ranks = b.comm != NULL ? psg_comm_ranks(b.comm) : 1;
    set_context(plan);
    status = make(plan);
    plan->problem.options.cache_dir = NULL; /* the caller's: the wisdom is in */
    if (status != PSG_OK) {
        free_plan(plan);
        psg_runtime_release(b.comm);
        return status;
    }
    plan->past.plan_seconds = psg_clock() - before;
    *result = plan;
    return PSG_OK;
}

void psg_plan_destroy(psg_plan *plan) {
    psg_clear_error();
    if (plan == NULL) {
        return;
    }
    while (plan->flights.oldest != NULL) {
        (void)psg_wait(plan);
    }
    const bool awake = plan->storage.awake;
    psg_comm *comm = plan->processes.comm;
    free_plan(plan);
    if (awake) {
        psg_runtime_rest();
    }
    psg_runtime_release(comm);
}

psg_status psg_plan_segments(const psg_plan *plan, size_t *segments, size_t *sheets) {
    psg_clear_error();
    if (plan == NULL) {
        return psg_fail(PSG_ERR_ARG, "plan is NULL");
    }
    const psg_context *c = &plan->context;
    if (segments != NULL) {
        *segments = psg_range_count(c->layout.segments.own);
    }
    if (sheets != NULL) {
        *sheets = psg_range_count(c->layout.sheets.own);
    }
    return PSG_OK;
}

psg_status psg_plan_local_extent(const psg_plan *plan, size_t *z0, size_t *count) {
    psg_clear_error();
    if (plan == NULL) {
        return psg_fail(PSG_ERR_ARG, "plan is NULL");
    }
    return psg_local_extent(plan->context.layout.n[2], plan->processes.ranks, plan->processes.rank,
                            z0, count);
}
