/* Plans: everything that can be made before the first solve. */
#include "codelets/gpu.h"
#include "graph/arrays.h"
#include "graph/events.h"
#include "graph/exchange.h"
#include "graph/options.h"
#include "graph/overlap_rows.h"
#include "graph/partition.h"
#include "graph/pcg.h"
#include "graph/pending.h"
#include "graph/placement.h"
#include "graph/plan_bounds.h"
#include "graph/plan_struct.h"
#include "graph/policy.h"
#include "graph/psg_starpu.h"
#include "graph/ranks.h"
#include "graph/rates.h"
#include "graph/route.h"
#include "graph/shared_memory.h"
#include "graph/sides.h"
#include "graph/simulated.h"
#include "graph/start.h"
#include "graph/status.h"
#include "graph/storage.h"
#include "graph/terms.h"
#include "graph/transfer_log.h"
#include "graph/transform_table.h"
#include "graph/transforms.h"
#include "graph/tuned.h"
#include "graph/workers.h"
#include "runtime/simulation.h"

#include <stdlib.h>

/* --------------------------------------------------------------------------------- plan */

/* What only a plan can tell of its runs. */
static const psg_work_rules rules = {.event = psg_plan_event,
                                     .copy = psg_plan_transfer,
                                     .path = psg_plan_path,
                                     .links = psg_plan_links};

/* What tasks need of the grid and the options. */
static void set_context(psg_plan *plan) {
    psg_context *c = &plan->context;
    const psg_options *o = &plan->problem.options;
    const bool single = o->precision == PSG_F32;
    c->cpu = single ? &psg_cpu_ops_f32 : &psg_cpu_ops_f64;
    for (int d = 0; d < 3; d++) {
        c->layout.n[d] = plan->problem.grid.axis[d].n;
        c->kind[d] = psg_transforms_kind(&plan->problem.grid, d);
    }
    c->layout.nxc = c->layout.row = psg_transform_row(c->layout.n[0], c->kind[0]);
    c->layout.nyc = psg_transform_length(c->layout.n[1], c->kind[1], 1);
    c->divide.apart = !psg_transform_complex(c->kind[0]);
    c->waves = &plan->problem.waves;
    c->tabled = psg_transforms_table(&plan->problem.grid) || o->kernel == PSG_KERNEL_USER;
    c->engine.owner = c;
    c->engine.precision = single ? PSG_TASK_F32 : PSG_TASK_F64;
    c->engine.kinds = psg_kind_count();
    c->engine.record = o->record != 0;
    c->engine.result_bytes = psg_findings_bytes(1);
    c->engine.user_bytes = sizeof(psg_terms);
    c->engine.slots = o->in_flight;
    c->engine.comm = plan->processes.comm;
    plan->work = (psg_work){.rules = &rules,
                            .owner = plan,
                            .engine = &c->engine,
                            .workers = &plan->workers,
                            .calibrate = o->calibrate != 0};
    psg_route_graph(&plan->route, plan);
    c->graph = plan->route.graph->kinds;
}

/* -------------------------------------------------------------------------- structures */

/* Each structure of the plan, or member of it, is made from what was made before, which the
 * functions have as const. Then the tasks' context learns of it. */

static psg_status make_problem(psg_plan *plan) {
    psg_status status = psg_transforms_keep_faces(&plan->problem);
    status = status == PSG_OK ? psg_transforms_eigenvalues(&plan->problem, plan) : status;
    for (int d = 0; d < 3; d++) {
        plan->context.divide.eigen[d] = plan->problem.eigen[d];
    }
    return status == PSG_OK ? psg_terms_make(&plan->problem.terms, plan) : status;
}

static psg_status tell_workers(psg_plan *plan) {
    psg_engine *e = &plan->context.engine;
    const psg_workers *w = &plan->workers;
    psg_status status = PSG_OK;
    if (w->gpu_count > 0 && psg_stretched(&plan->context) &&
        (!psg_graph_has(&plan->context.graph, PSG_TASK_KSPACE, true) || psg_kernels == NULL ||
         !psg_kernels->has_kspace(&plan->context))) {
        status = psg_fail(
            PSG_ERR_UNSUPPORTED,
            "%c has faces or a Robin side, which GPUs have in the fused graph and for up to 8192 "
            "cells: gpus = 0 leaves it to cores",
            psg_grid_letter(&plan->problem.grid, 2));
    }
    status = status == PSG_OK ? psg_route_begin(&plan->route, plan) : status;
    psg_workers_tell(e, w);
    e->pinned = w->gpu_count > 0;
    e->polls = w->gpu_count > 0 && w->cpu_count == 0;
    e->where = w->gpu_count == 0   ? STARPU_CPU
               : w->cpu_count == 0 ? STARPU_CUDA
                                   : plan->route.placement->where;
    if (!w->copies) { /* the waiter then wakes on a core that no idle worker holds; else copies
                         remain */
        e->run_ended = psg_runtime_rest;
    }
    if (psg_route_one_memory(plan)) { /* there tasks end runs */
        e->run_ended = psg_runtime_rest_soon;
        e->last_left = psg_runtime_stay;
    }
    return status;
}

static psg_status make_shared(psg_plan *plan) {
    const psg_graph_row *graph = plan->route.graph;
    const psg_status status =
        graph->try_sharing != NULL ? graph->try_sharing(&plan->shared, plan) : PSG_OK;
    plan->route.home = psg_route_home(plan);
    return status;
}

/* The most data of a chain's step, besides blocks or sums of segments, of which `kspace` may have
 * two each. */
enum { TASK_DATA = 6 };

static psg_status make_codelets(psg_plan *plan) {
    psg_context *c = &plan->context;
    const size_t segments = c->layout.segments.count;
    const size_t bundles = c->layout.bundles.count;
    psg_status status = psg_placement_codelets(&plan->placement, plan);
    c->codelets = &plan->placement.codelets;
    status =
        status == PSG_OK ? psg_route_chain(&plan->route, plan, &c->engine.chain_steps) : status;
    c->engine.task_data = TASK_DATA + (2 * segments > bundles ? 2 * segments : bundles);
    return status;
}

static psg_status make_between(psg_plan *plan) {
    const psg_status status = psg_between_make(&plan->between, plan);
    plan->context.exchange = plan->processes.ranks > 1 ? &plan->between.codelets : NULL;
    plan->context.engine.messages = plan->between.messages;
    plan->context.engine.channel = plan->between.channel;
    plan->context.engine.row_bytes = plan->between.row_bytes;
    return status;
}

static psg_status make_scratch(psg_plan *plan) {
    const psg_status status = psg_storage_scratch(&plan->storage, plan);
    plan->context.scratch = plan->storage.scratch;
    plan->context.sides_scratch = plan->storage.sides_scratch;
    plan->context.pieces = plan->storage.pieces;
    plan->context.spectra = plan->storage.spectra;
    return status;
}

static psg_status make_history(psg_plan *plan) {
    return psg_history_open(&plan->work.latest, &plan->context.engine)
               ? PSG_OK
               : psg_fail(PSG_ERR_MEMORY, "no memory for the history of a solve");
}

/* Most solves have the plan's lambda. A kernel of the caller's comes later, into main memory. */
static psg_status make_green(psg_plan *plan) {
    psg_green *first = NULL;
    if (plan->problem.options.kernel == PSG_KERNEL_USER) {
        return psg_green_check_room(plan);
    }
    const psg_status status =
        psg_green_take(&plan->pending.kept, plan, plan->problem.terms.lambda, &first);
    psg_green_give_back(first);
    return status;
}

static psg_status make_executor(psg_plan *plan) {
    const psg_executor_row *e = plan->route.executor;
    psg_route_say(&plan->route, plan);
    psg_route_several(&plan->several, plan);
    return e->make != NULL ? e->make(&plan->context.engine, plan) : PSG_OK;
}

/* Free the layout and what came after it, in the order opposite to that in which it was made. */
static void free_arrangement(psg_plan *plan) {
    psg_context *c = &plan->context;
    psg_history_close(&plan->work.latest);
    psg_green_free(&plan->pending.kept);
    psg_storage_free(&plan->storage, plan);
    if (c->engine.gpu != NULL) {
        psg_runtime_awake();
        psg_gpu_stop(&c->engine);
        psg_runtime_rest();
    }
    for (int d = 0; d < 2; d++) {
        psg_cpu_slope *slope = &plan->problem.waves.slope[d];
        if (slope->fft != c->fft) {
            c->cpu->fft_destroy(slope->fft);
        }
        slope->fft = NULL;
    }
    if (c->fft != NULL) {
        c->cpu->fft_destroy(c->fft);
    }
    psg_between_free(&plan->between, plan);
    free(plan->placement.node);
    psg_layout_free(&c->layout);
    plan->storage = (psg_storage){.workspaces = NULL};
    plan->between = (psg_between){.channel = NULL};
    plan->placement = (psg_gpu_place){.node = NULL};
    c->engine.channel = NULL;
    c->fft = NULL;
    c->exchange = NULL;
}

/* Free all but StarPU. */
static void free_plan(psg_plan *plan) {
    if (plan->route.executor != NULL && plan->route.executor->end != NULL) {
        plan->route.executor->end(&plan->context.engine);
    }
    psg_arrays_free(&plan->held, plan->storage.left);
    free(plan->boxes.box);
    psg_pcg_destroy(plan->held.pcg, plan);
    psg_plan_unpin(plan, NULL);
    psg_pending_free(&plan->pending);
    psg_sides_free(plan);
    free_arrangement(plan);
    psg_transforms_free(&plan->problem);
    psg_work_forget(&plan->work);
    free(plan->past.means);
    psg_residuals_destroy(plan->residuals);
    free(plan->workers.usable);
    free(plan);
}

/* ------------------------------------------------------------------------------- begin */

/* What a plan begins with. */
typedef struct beginning {
    psg_options options; /* checked, and settled */
    psg_grid grid;       /* with the plan's axes */
    psg_comm *comm;
    bool tuned;
} beginning;

/* What every process checks for itself and all have to pass; then StarPU on each.
 *  @param[in] plan  NULL: there was no memory for it
 *  @param[in] given  the caller's grid */
static psg_status begin(const psg_plan *plan, bool told_where, const psg_grid *given,
                        const psg_options *options, beginning *b) {
    const psg_status right = psg_options_check(&b->options, options);
    psg_status status = psg_ranks_open(&b->comm, &b->options);
    if (status != PSG_OK) {
        return status;
    }
    if (right != PSG_OK) {
        status = right;
    } else if (!told_where || given == NULL) {
        status = psg_fail(PSG_ERR_ARG, "plan or grid is NULL");
    } else if (plan == NULL) {
        status = psg_fail(PSG_ERR_MEMORY, "no memory for a plan");
    } else {
        status = psg_grid_check_faces(given);
        status = status == PSG_OK ? psg_grid_check(given, b->options.precision) : status;
    }
    if (status == PSG_OK) {
        b->grid = psg_grid_turned(given);
        status = psg_simulation_nodes_check(&b->options, &b->grid);
    }
    status =
        psg_ranks_agree(b->comm, status); /* from here on none goes on alone, nor stops alone */
    if (status == PSG_OK) {
        status = psg_ranks_same(b->comm, &b->grid, &b->options);
    }
    if (status != PSG_OK) {
        return status;
    }
    psg_grid_settle(&b->grid);
    psg_tuned tuned;
    (void)psg_tuned_find(&tuned, &b->grid, &b->options);
    const psg_status mine = psg_runtime_acquire(&b->options, b->comm, tuned.policy);
    status = psg_ranks_agree(b->comm, mine);
    if (status == PSG_OK) {
        b->tuned = psg_tuned_apply(&b->options, &b->grid, &tuned);
    } else if (mine == PSG_OK) {
        psg_runtime_release(b->comm);
    }
    return status;
}

/* One step of making a plan, of which all processes go on to the next, or none. */
#define STEP(call) status = status == PSG_OK ? psg_ranks_agree(plan->processes.comm, call) : status

static psg_status arrange(psg_plan *plan) {
    psg_context *c = &plan->context;
    psg_gpu_place *placement = &plan->placement;
    psg_status status = PSG_OK;
    STEP(psg_route_exchange(&plan->route, plan));
    STEP(psg_placement_find_room(&placement->room, plan));
    STEP(psg_partition_planes(&c->layout, plan));
    STEP(psg_placement_check(&placement->ahead, plan));
    STEP(psg_partition_rows(&c->layout, plan));
    STEP(psg_route_blocks(c, plan));
    if (plan->route.exchange != NULL && plan->route.exchange->choose_overlap != NULL) {
        STEP(plan->route.exchange->choose_overlap(&c->layout.overlap, plan));
    }
    STEP(make_codelets(plan));
    STEP(psg_simulation_check(plan));
    STEP(make_between(plan));
    STEP(psg_storage_workspaces(&plan->storage, plan));
    STEP(psg_transforms_plan(&c->fft, plan));
    STEP(psg_transforms_plan_slopes(plan->problem.waves.slope, plan));
    STEP(make_scratch(plan));
    STEP(make_green(plan));
    STEP(make_history(plan));
    STEP(psg_placement_gpus(&placement->gpu_user, &c->engine, plan));
    STEP(psg_placement_check_task(plan));
    STEP(make_executor(plan));
    placement->left = status == PSG_OK ? psg_placement_left(plan) : 0;
    return status;
}

/* Less memory is another home for the spectrum, and all that follows from it. */
static psg_status make(psg_plan *plan) {
    const psg_home_row *next = NULL;
    psg_status status = PSG_OK;
    STEP(psg_residuals_create(&plan->residuals));
    STEP(psg_workers_make(&plan->workers, plan));
    STEP(make_problem(plan));
    STEP(tell_workers(plan));
    STEP(make_shared(plan));
    if (status == PSG_OK) {
        status = arrange(plan);
    }
    while (status == PSG_ERR_MEMORY && (next = psg_route_smaller_home(plan)) != NULL) {
        free_arrangement(plan);
        plan->route.home = next;
        psg_clear_error();
        status = arrange(plan);
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
    plan->problem.policy_asked = b.options.policy != NULL || psg_policy_environment() != NULL;
    plan->problem.options.policy =
        NULL; /* strings and arrays are the caller's, and StarPU has them */
    plan->problem.options.gpu_ids = NULL;
    plan->problem.options.machine = NULL;
    plan->problem.options.comm = NULL;
    plan->problem.tuned = b.tuned;
    plan->problem.grid = b.grid;
    for (int d = 0; d < 3; d++) {
        plan->problem.box[d] = grid->axis[d].length;
    }
    plan->processes.comm = b.comm;
    plan->processes.rank = b.comm != NULL ? b.comm->rank : 0;
    plan->processes.ranks = b.comm != NULL ? b.comm->ranks : 1;
    set_context(plan);
    status = make(plan);
    if (status == PSG_OK && b.comm == NULL) { /* a failure has its words */
        plan->work.memory_files = psg_memory_files(&plan->problem.options);
    }
    plan->problem.options.cache_dir = NULL; /* the caller's: the wisdom is in */
    if (status != PSG_OK) {
        free_plan(plan);
        psg_runtime_release(b.comm);
        return status;
    }
    plan->work.make_seconds = psg_clock() - before;
    *result = plan;
    return PSG_OK;
}

/* Take part in how the refused call starts: psg_plan_create() by psg_ranks_open(), then every call
 * by an agreement. */
psg_status psg_call_refuse(psg_plan *plan, const psg_options *options, psg_status status,
                           const char *words) {
    psg_options checked;
    psg_comm *comm = plan != NULL ? plan->processes.comm : NULL;
    psg_clear_error();
    if (plan == NULL && options != NULL) {
        (void)psg_options_check(&checked, options); /* wrong ones have their comm, too */
        const psg_status opened = psg_ranks_open(&comm, &checked);
        if (opened != PSG_OK) {
            return opened;
        }
    }
    const psg_status refused = status == PSG_OK ? PSG_ERR_ARG : status;
    return psg_ranks_agree(
        comm, psg_fail(refused, "%s", words != NULL ? words : psg_status_string(refused)));
}

void psg_plan_destroy(psg_plan *plan) {
    psg_clear_error();
    if (plan == NULL) {
        return;
    }
    for (const psg_pending *oldest; (oldest = plan->pending.oldest) != NULL;) {
        (void)psg_wait(plan);
        if (plan->pending.oldest == oldest) { /* given up: StarPU has its tasks, and all of this */
            return;
        }
    }
    const bool awake = plan->held.awake;
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
