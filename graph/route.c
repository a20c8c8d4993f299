/* The route of a plan's solves, chosen once by its options, its workers and its grid. */
#include "graph/route.h"
#include "base/tuning.h"
#include "codelets/gpu.h"
#include "graph/block.h"
#include "graph/exchange.h"
#include "graph/executors.h"
#include "graph/fused.h"
#include "graph/green.h"
#include "graph/options.h"
#include "graph/placement.h"
#include "graph/plan_struct.h"
#include "graph/psg_machine.h"
#include "graph/psg_observe.h"
#include "graph/ranks.h"
#include "graph/staged.h"
#include "graph/status.h"
#include "graph/transform_table.h"
#include "graph/whole.h"
#include "runtime/device.h"
#include "runtime/simulation.h"

#include <stdio.h>
#include <stdlib.h>

static const psg_graph_row *const graphs[PSG_GRAPH_COUNT] = {
    [PSG_GRAPH_FUSED] = &psg_graph_fused, [PSG_GRAPH_STAGED] = &psg_graph_staged};

static bool fused(const psg_plan *plan) {
    return plan->route.graph == &psg_graph_fused;
}

static bool has_green(const psg_plan *plan) {
    return psg_transforms_free_side(&plan->problem.grid) ||
           plan->problem.options.kernel == PSG_KERNEL_USER;
}

void psg_route_graph(psg_solve_route *route, const psg_plan *plan) {
    const psg_graph_row *row = graphs[plan->problem.options.graph];
    route->graph = row == &psg_graph_staged && has_green(plan) ? &psg_graph_staged_xy : row;
}

static void drop(psg_graph_kinds *kinds, psg_task_kind kind, bool sheet) {
    const psg_graph_kinds all = *kinds;
    kinds->count = 0;
    for (size_t m = 0; m < all.count; m++) {
        if (all.kind[m].kind != kind || all.kind[m].sheet != sheet) {
            kinds->kind[kinds->count++] = all.kind[m];
        }
    }
}

/* --------------------------------------------------------------------------------- placement */

static int that_one(int gpu) {
    return gpu;
}

static int none(int gpu) {
    (void)gpu;
    return -1;
}

/* MIXED: any worker, cores too, has any part. A process that reaches another's blocks has their
 * addresses only for the GPU that has the segment. `guests`: slabs of f and u of other GPUs. */
enum { PINNED, AMONG_GPUS, MIXED, PLACEMENTS };
#define BY_POLICY                                                                                  \
    .words = ", placed by the policy", .segment = none, .parts_each = UINT32_MAX,                  \
    .grain = {TUNING_PLACED_SEGMENTS, 1, TUNING_GPU_TASK_BYTES},                                   \
    .apart = "the policy chooses a GPU for each of its tasks (placement)"
static const psg_placement_row placements[PLACEMENTS] = {
    [PINNED] = {.words = "",
                .home = that_one,
                .segment = that_one,
                .sheet = that_one,
                .where = STARPU_CPU,
                .grain = {TUNING_GPU_TASKS, TUNING_GPU_TASKS, TUNING_GPU_TASK_BYTES},
                .parts_each = 1},
    [AMONG_GPUS] = {BY_POLICY, .home = that_one, .sheet = that_one, .guests = 2},
    [MIXED] = {BY_POLICY, .home = none, .sheet = none, .where = STARPU_CPU | STARPU_CUDA},
};

static const psg_placement_row *placement_of(const psg_plan *plan) {
    const bool placed = plan->problem.options.placement == PSG_PLACEMENT_FREE;
    return &placements[!placed ? PINNED : psg_workers_mixed(&plan->workers) ? MIXED : AMONG_GPUS];
}

/* -------------------------------------------------------------------------------------- home */

/* Each home needs less room on the GPUs than the home before it. */
enum { GPUS, GPUS_PULLED, GPUS_FINER, MAIN, HOMES };
#define ON_GPUS                                                                                    \
    .words = "on the GPUs", .node = psg_placement_node, .task_room = psg_placement_room_now,       \
    .fits = psg_placement_fits
static const psg_home_row homes[HOMES] = {
    [GPUS] = {ON_GPUS, .segment_room = psg_placement_beside_large,
              .fits_twice = psg_placement_fits_twice, .parts_each = 1},
    /* `kspace` reads the overlap rows in the segment's GPU */
    [GPUS_PULLED] = {ON_GPUS, .segment_room = psg_placement_beside_large, .parts_each = 1},
    [GPUS_FINER] = {ON_GPUS, .segment_room = psg_placement_beside, .parts_each = UINT32_MAX},
    [MAIN] = {.words = "in main memory",
              .node = psg_placement_main_node,
              .segment_room = psg_placement_of_copies,
              .task_room = psg_placement_room_emptied,
              .sheet_copies = 1,
              .parts_each = UINT32_MAX},
};

static bool on_gpus(const psg_home_row *home) {
    return home != &homes[MAIN];
}

/* Blocks that messages carry to other processes are at home in main memory. Blocks that any worker
 * may need are at home there, too. */
const psg_home_row *psg_route_home(const psg_plan *plan) {
    const bool nccl = plan->problem.options.exchange == PSG_EXCHANGE_NCCL;
    const bool reached = plan->processes.ranks == 1 ? plan->route.placement != &placements[MIXED]
                                                    : plan->shared.possible || nccl;
    return &homes[plan->workers.gpu_count > 0 && reached ? GPUS : MAIN];
}

const psg_home_row *psg_route_smaller_home(const psg_plan *plan) {
    const psg_options *o = &plan->problem.options;
    const psg_overlap *overlap = &plan->context.layout.overlap;
    const bool there[HOMES] = {
        [GPUS_PULLED] = psg_overlap_rows_all(&plan->context.layout) > overlap->pulled_rows,
        [GPUS_FINER] = o->segment_planes == 0,
        [MAIN] = o->exchange != PSG_EXCHANGE_DIRECT && o->exchange != PSG_EXCHANGE_NCCL};
    size_t m = (size_t)(plan->route.home - homes) + 1;
    while (m < HOMES && !there[m]) {
        m++;
    }
    return m < HOMES ? &homes[m] : NULL;
}

/* ---------------------------------------------------------------------------------- executor */

/* A simulation calls no task's function, and an environment variable keeps StarPU from it. Then
 * StarPU's workers never come to a team. */
static bool runs_kernels(void) {
    const char *disabled = getenv("STARPU_DISABLE_KERNELS");
    return psg_platform->computes && (disabled == NULL || atoi(disabled) == 0);
}

bool psg_route_one_memory(const psg_plan *plan) {
    return plan->processes.ranks == 1 && !plan->workers.copies;
}

/* Options that cut the grid ask for tasks: a user wants to see them, and `psg tune` has timed its
 * cut by them. So does a named policy. Performance models and StarPU's linear program describe
 * tasks, so calibration, and a policy that uses models, get tasks, too. */
static psg_executor asked_executor(const psg_plan *plan) {
    const psg_options *o = &plan->problem.options;
    const struct starpu_sched_policy *policy = starpu_sched_get_sched_policy();
    const bool tasks = o->segment_planes > 0 || o->sheets > 0 || plan->problem.policy_asked ||
                       o->calibrate != 0 ||
                       psg_policy_uses_models(policy != NULL ? policy->policy_name : NULL);
    return o->executor != PSG_EXECUTOR_AUTO ? o->executor
           : tasks                          ? PSG_EXECUTOR_TASKS
                                            : PSG_EXECUTOR_AUTO;
}

static bool asks_for(const psg_plan *plan, psg_executor executor) {
    const psg_executor asked = asked_executor(plan);
    return asked == executor || asked == PSG_EXECUTOR_AUTO;
}

static psg_status check_free(const psg_plan *plan) {
    const psg_context *c = &plan->context;
    if (has_green(plan) && !psg_platform->computes) {
        return psg_fail(PSG_ERR_UNSUPPORTED, "%s is not simulated",
                        plan->problem.options.kernel == PSG_KERNEL_USER ? "kernel user"
                                                                        : "a free side");
    }
    const char z = psg_grid_letter(&plan->problem.grid, 2);
    return plan->workers.gpu_count == 0 || c->kind[2] != PSG_TRANSFORM_FREE ||
                   (psg_kernels != NULL && psg_kernels->has_kspace(c))
               ? PSG_OK
               : psg_fail(
                     PSG_ERR_UNSUPPORTED,
                     "a free side along %c, and GPUs have no kernel for n%c = %zu, which has a "
                     "prime factor above 13 or is longer than about 5000: cores solve it "
                     "(gpus = 0), and psg_good_length() has other lengths",
                     z, z, c->layout.n[2]);
}

psg_status psg_route_begin(psg_solve_route *route, const psg_plan *plan) {
    const psg_workers *w = &plan->workers;
    const psg_status status = check_free(plan);
    if (status != PSG_OK) {
        return status;
    }
    const bool possible = psg_route_one_memory(plan) && runs_kernels();
    if (!possible && plan->problem.options.executor == PSG_EXECUTOR_TEAM) {
        return psg_fail(PSG_ERR_UNSUPPORTED,
                        "executor team is for the cores of one process without GPUs%s",
                        w->copies         ? ", with one memory for all of them"
                        : !runs_kernels() ? ", and is not simulated"
                                          : "");
    }
    route->placement = placement_of(plan);
    route->executor =
        possible && asks_for(plan, PSG_EXECUTOR_TEAM) ? &psg_executor_team : &psg_executor_tasks;
    return PSG_OK;
}

static bool all_on(int worker, const psg_parts *parts) {
    bool all = worker >= 0;
    for (size_t m = 0; m < parts->count && all; m++) {
        all = parts->part[m].worker == worker;
    }
    return all;
}

/* A GPU that has all tasks runs them in turn. StarPU has nothing to choose, and its work between
 * two tasks takes as long as a small task. */
psg_status psg_route_chain(psg_solve_route *route, const psg_plan *plan, size_t *steps) {
    const psg_context *c = &plan->context;
    const int worker = c->layout.segments.part[0].worker;
    const bool possible = on_gpus(plan->route.home) && plan->processes.ranks == 1 &&
                          all_on(worker, &c->layout.segments) && all_on(worker, &c->layout.sheets);
    const bool chain = possible && asks_for(plan, PSG_EXECUTOR_CHAIN);
    *steps = chain ? psg_task_most(c) : 0;
    if (route->executor != &psg_executor_team) {
        route->executor = *steps > 0 ? &psg_executor_chain : &psg_executor_tasks;
    }
    return *steps > 0 || plan->problem.options.executor != PSG_EXECUTOR_CHAIN
               ? PSG_OK
               : psg_fail(PSG_ERR_UNSUPPORTED,
                          "executor chain needs one GPU that has all of the grid, in one process");
}

/* PSG_MEAN_ERROR reads each f after its solve, so it needs single solves. Where the policy places
 * tasks, users compare single solves. */
static bool solves_whole(const psg_plan *plan) {
    const psg_options *o = &plan->problem.options;
    const psg_context *c = &plan->context;
    return plan->processes.ranks == 1 && fused(plan) && psg_platform->computes && o->batch != 1 &&
           o->mean == PSG_MEAN_DROP &&
           (plan->workers.gpu_count == 0 || (plan->route.placement == &placements[PINNED] &&
                                             psg_kernels != NULL && psg_kernels->has_kspace(c)));
}

/* A chain has one right-hand side. */
void psg_route_several(psg_solve_route *several, const psg_plan *plan) {
    *several = plan->route;
    several->graph = solves_whole(plan) ? &psg_graph_whole : NULL;
    several->executor =
        plan->route.executor == &psg_executor_chain ? &psg_executor_tasks : plan->route.executor;
}

/* ---------------------------------------------------------------------------------- exchange */

/* Direct where the processes share memory, and have room there. Else messages.
 * @return NULL: psg_fail() has the error */
static const psg_exchange_row *choose_between(const psg_plan *plan) {
    const bool gpus = plan->workers.gpu_count > 0;
    const bool direct = plan->shared.possible && (on_gpus(plan->route.home) || !gpus);
    const psg_exchange_row *shared = plan->shared.kind == PSG_IPC_GPUS ? &psg_exchange_shared_gpus
                                     : gpus ? &psg_exchange_shared_to_gpus
                                            : &psg_exchange_shared;
    switch (plan->problem.options.exchange) {
    case PSG_EXCHANGE_AUTO:
        return direct ? shared : &psg_exchange_between[PSG_EXCHANGE_MPI];
    case PSG_EXCHANGE_MANAGED:
        (void)psg_fail(PSG_ERR_UNSUPPORTED,
                       "exchange managed is within one process; between several it is direct, "
                       "mpi, alltoall, starpu or nccl");
        return NULL;
    case PSG_EXCHANGE_STARPU:
        if (psg_starpu_mpi == NULL || plan->problem.options.time_limit > 0) {
            (void)psg_fail(PSG_ERR_UNSUPPORTED,
                           psg_starpu_mpi != NULL
                               ? "StarPU-MPI waits for other processes as long as it takes: "
                                 "exchange starpu has no time_limit"
                               : "exchange starpu is not simulated");
            return NULL;
        }
        return &psg_exchange_between[PSG_EXCHANGE_STARPU];
    case PSG_EXCHANGE_NCCL:
        if (psg_nccl == NULL) {
            (void)psg_fail(PSG_ERR_UNSUPPORTED, "exchange nccl is not simulated");
            return NULL;
        }
        return &psg_exchange_between[PSG_EXCHANGE_NCCL];
    case PSG_EXCHANGE_DIRECT:
        if (!direct) {
            (void)psg_fail(PSG_ERR_UNSUPPORTED, "exchange direct between processes %s",
                           fused(plan) ? "is not simulated" : "needs the fused graph");
        }
        return direct ? shared : NULL;
    default:
        return &psg_exchange_between[plan->problem.options.exchange];
    }
}

/* Direct where possible: the kernel that makes or needs a block moves it, once each way. One
 * process alone in its communicator sends no messages. */
static const psg_exchange_row *choose_within(const psg_plan *plan) {
    const psg_exchange asked = plan->problem.options.exchange;
    const bool possible = on_gpus(plan->route.home) && plan->workers.cpu_count == 0 &&
                          fused(plan) && psg_devices->peers();
    if (asked == PSG_EXCHANGE_DIRECT && !possible) {
        (void)psg_fail(
            PSG_ERR_UNSUPPORTED,
            "exchange direct needs the fused graph on GPUs%s that reach each other's memory",
            plan->workers.cpu_count > 0 ? " alone (cpu_share 0; with placement free, cpus 0 or all)"
                                        : "");
        return NULL;
    }
    return possible && asked != PSG_EXCHANGE_MANAGED ? &psg_exchange_direct : &psg_exchange_managed;
}

psg_status psg_route_exchange(psg_solve_route *route, const psg_plan *plan) {
    route->exchange = plan->processes.ranks > 1 ? choose_between(plan) : choose_within(plan);
    if (route->exchange == NULL) {
        return PSG_ERR_UNSUPPORTED;
    }
    route->sharing = route->exchange->connect != NULL ? plan->processes.comm : NULL;
    return PSG_OK;
}

/* --------------------------------------------------------------------------- form of the blocks */

/* Cores and messages work on plain rows. So blocks have strips only where GPUs alone see them. */
static psg_status choose_strips(psg_form *form, const psg_plan *plan) {
    const psg_context *c = &plan->context;
    const bool only_gpus = plan->workers.gpu_count > 0 && plan->workers.cpu_count == 0;
    const bool between = plan->processes.ranks > 1;
    psg_comm *sharing =
        plan->route.exchange->from_home ? plan->processes.comm : plan->route.sharing;
    double strip = only_gpus && fused(plan) && psg_kernels != NULL && (!between || sharing != NULL)
                       ? (double)psg_kernels->strip(c)
                       : 0;
    /* the narrowest of all processes, which is 0 where one has none */
    const psg_status status = psg_ranks_min(sharing, &strip, 1);
    form->strip = (size_t)strip;
    return status;
}

static void choose_blocks(psg_context *to, const psg_plan *plan) {
    const psg_context *c = &plan->context;
    const psg_layout *l = &c->layout;
    const psg_workers *w = &plan->workers;
    const bool between = plan->processes.ranks > 1;
    const bool direct = plan->route.exchange->is == PSG_EXCHANGE_DIRECT;
    /* Only one GPU, or the cores, find what they need in place. */
    const bool packed =
        between || (w->gpu_count > 0 && (w->usable_count > 1 || !on_gpus(plan->route.home)));
    /* Of `kspace` only cuFFT on a GPU reads this flag. With one sheet it transforms a
     * periodic z in place. All other transforms are faster on a copy with contiguous columns, but
     * those that need zeros behind their points have these as planes. */
    const bool one = !packed && l->sheets.count == 1; /* the blocks of a sheet are the sheet */
    const bool contiguous =
        psg_graph_has(&plan->route.graph->kinds, PSG_TASK_KSPACE, true)
            ? c->kind[2] <= PSG_TRANSFORM_FREE &&
                  (!one || c->kind[2] != PSG_TRANSFORM_PERIODIC || c->divide.apart)
            : plan->problem.options.z_layout == PSG_Z_CONTIGUOUS;
    const bool segment_is_block = !fused(plan) && !between && l->sheets.count == 1;
    to->form.packed = packed;
    to->form.z_contiguous = contiguous;
    to->sheet = contiguous ? &c->cpu->contiguous : &c->cpu->strided;
    to->in_place = fused(plan) ? !packed : segment_is_block;
    to->block_messages = between && plan->route.exchange->is != PSG_EXCHANGE_ALLTOALL ? 1 : 0;
    to->reached_bundles = direct && (w->gpu_count > 1 || between) ? l->bundles.count : 0;
    to->graph = plan->route.graph->kinds;
    if (segment_is_block) {
        drop(&to->graph, PSG_TASK_PACK, false);
        drop(&to->graph, PSG_TASK_UNPACK, false);
    }
    if (!between && l->segments.count == 1 && !contiguous && (packed || l->sheets.count == 1)) {
        drop(&to->graph, PSG_TASK_PACK, true);
        drop(&to->graph, PSG_TASK_UNPACK, true);
    }
}

psg_status psg_route_blocks(psg_context *context, const psg_plan *plan) {
    choose_blocks(context, plan);
    return choose_strips(&context->form, plan);
}

/* ------------------------------------------------------------------------------------- words */

void psg_route_say(psg_solve_route *route, const psg_plan *plan) {
    const bool main_memory = route->sharing != NULL && plan->shared.kind == PSG_IPC_MAIN;
    const psg_home_row *home = main_memory ? &homes[MAIN] : route->home;
    route->on_gpus = on_gpus(home);
    const bool both = route->sharing != NULL && psg_processes_far(&plan->processes);
    (void)snprintf(
        route->words, sizeof route->words, "%s, %s%s, %s%s, spectrum %s", route->graph->words,
        route->executor->words, plan->workers.gpu_count > 0 ? route->placement->words : "",
        route->exchange->words, both ? " of the node, messages to other nodes" : "", home->words);
}

const char *psg_plan_route(const psg_plan *plan) {
    return plan != NULL ? plan->route.words : "";
}
