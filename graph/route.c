/* The route of a plan's solves, chosen once by its options, its workers and its grid. */
#include "graph/route.h"
#include "codelets/gpu.h"
#include "graph/exchange.h"
#include "graph/executors.h"
#include "graph/fused.h"
#include "graph/plan_struct.h"
#include "graph/psg_machine.h"
#include "graph/psg_observe.h"
#include "graph/ranks.h"
#include "graph/staged.h"
#include "graph/status.h"
#include "graph/whole.h"
#include "runtime/device.h"
#include "runtime/simulation.h"

#include <stdio.h>
#include <stdlib.h>

static const psg_graph_row graphs[PSG_GRAPH_COUNT] = {
    [PSG_GRAPH_FUSED] = {"fused graph", psg_graph_fused},
    [PSG_GRAPH_STAGED] = {"staged graph", psg_graph_staged},
};

/* ---------------------------------------------------------------------------------- executor */

/* A simulation runs no task's function, and StarPU can be told to run none. Its workers then never
 * come to a team. */
static bool runs_kernels(void) {
    const char *disabled = getenv("STARPU_DISABLE_KERNELS");
    return psg_platform->computes && (disabled == NULL || atoi(disabled) == 0);
}

/* Options that cut the grid, or name a policy, ask for tasks; and performance models and a linear
 * program know tasks alone. */
static bool wants_team(const psg_plan *plan) {
    const psg_workers *w = &plan->workers;
    const struct starpu_sched_policy *policy = starpu_sched_get_sched_policy();
    const psg_options *o = &plan->problem.options;
    return w->gpu_count == 0 && plan->processes.ranks == 1 && !w->copies && runs_kernels() &&
           o->segment_planes == 0 && o->sheets == 0 && !plan->problem.policy_asked &&
           o->calibrate == 0 &&
           !psg_policy_uses_models(policy != NULL ? policy->policy_name : NULL);
}

void psg_route_begin(psg_solve_route *route, const psg_plan *plan) {
    route->graph = &graphs[plan->problem.options.graph];
    route->executor = wants_team(plan) ? &psg_executor_team : &psg_executor_tasks;
}

static bool all_on(int worker, const psg_parts *parts) {
    bool all = worker >= 0;
    for (size_t m = 0; m < parts->count && all; m++) {
        all = parts->part[m].worker == worker;
    }
    return all;
}

/* A GPU that has all tasks does them in turn: StarPU has nothing to choose, and what it does
 * between two takes as long as a small one. Options that cut the grid ask for tasks: a user wants
 * to see them, and `psg tune` has timed its cut by them. */
static size_t chain_steps(const psg_plan *plan) {
    const psg_context *c = &plan->context;
    const int worker = c->layout.segments.part[0].worker;
    const bool one = plan->home.on_gpus && plan->processes.ranks == 1 &&
                     all_on(worker, &c->layout.segments) && all_on(worker, &c->layout.sheets);
    return one && plan->problem.options.segment_planes == 0 && plan->problem.options.sheets == 0
               ? psg_task_most(c)
               : 0;
}

size_t psg_route_chain(psg_solve_route *route, const psg_plan *plan) {
    const size_t steps = chain_steps(plan);
    if (route->executor != &psg_executor_team) {
        route->executor = steps > 0 ? &psg_executor_chain : &psg_executor_tasks;
    }
    return steps;
}

static const psg_graph_row whole = {"graph of whole solves", psg_graph_whole};

/* The rule for the mean of each right-hand side may need a look at it. Where the policy gives each
 * task to a core or a GPU, single solves are what is compared. */
static bool solves_whole(const psg_plan *plan) {
    const psg_options *o = &plan->problem.options;
    const psg_context *c = &plan->context;
    return plan->processes.ranks == 1 && c->form.fused && psg_platform->computes && o->batch != 1 &&
           o->mean == PSG_MEAN_DROP && !plan->workers.anywhere &&
           (plan->workers.gpu_count == 0 || (psg_kernels != NULL && psg_kernels->solves_whole(c)));
}

/* A chain is one solve. */
void psg_route_several(psg_solve_route *several, const psg_plan *plan) {
    *several = plan->route;
    several->graph = solves_whole(plan) ? &whole : NULL;
    several->executor =
        plan->route.executor == &psg_executor_chain ? &psg_executor_tasks : plan->route.executor;
}

/* ---------------------------------------------------------------------------------- exchange */

/* Direct where the processes reach each other's memory, and have room there; else messages. */
static psg_status choose_between(psg_exchange *exchange, const psg_plan *plan) {
    const psg_exchange asked = plan->problem.options.exchange;
    const bool direct = plan->shared.near && (plan->home.on_gpus || plan->workers.gpu_count == 0);
    if (asked == PSG_EXCHANGE_MANAGED) {
        return psg_fail(PSG_ERR_UNSUPPORTED,
                        "exchange managed is within one process; between several it is direct, "
                        "mpi or alltoall");
    }
    if (asked == PSG_EXCHANGE_DIRECT && !direct) {
        return psg_fail(PSG_ERR_UNSUPPORTED,
                        "exchange direct between processes needs the fused graph");
    }
    *exchange = asked != PSG_EXCHANGE_AUTO ? asked
                : direct                   ? PSG_EXCHANGE_DIRECT
                                           : PSG_EXCHANGE_MPI;
    return PSG_OK;
}

/* Direct where it can be: that moves each block once each way, inside the kernel that makes or
 * needs it. Several processes have messages; one that is its communicator's only one has no use
 * for them. */
static psg_status choose_exchange(psg_exchange *exchange, const psg_plan *plan) {
    const psg_exchange asked = plan->problem.options.exchange;
    const bool between = asked == PSG_EXCHANGE_MPI || asked == PSG_EXCHANGE_ALLTOALL;
    if (plan->processes.ranks > 1) {
        return choose_between(exchange, plan);
    }
    const bool possible = plan->home.on_gpus && plan->workers.cpu_count == 0 &&
                          plan->context.form.fused && psg_devices->peers();
    *exchange = asked != PSG_EXCHANGE_AUTO && !between ? asked
                : possible                             ? PSG_EXCHANGE_DIRECT
                                                       : PSG_EXCHANGE_MANAGED;
    if (*exchange == PSG_EXCHANGE_DIRECT && !possible) {
        return psg_fail(
            PSG_ERR_UNSUPPORTED,
            "exchange direct needs the fused graph on GPUs%s that reach each other's memory",
            plan->workers.cpu_count > 0 ? " alone (cpu_share = 0)" : "");
    }
    return PSG_OK;
}

psg_status psg_route_exchange(psg_solve_route *route, const psg_plan *plan) {
    psg_exchange chosen = PSG_EXCHANGE_MANAGED;
    const psg_status status = choose_exchange(&chosen, plan);
    route->exchange = psg_exchange_row_of(chosen, plan->processes.ranks > 1);
    return status;
}

void psg_route_form(psg_form *form, const psg_plan *plan) {
    /* Only one GPU, or the cores, find what they need in place. */
    const bool alone =
        plan->workers.gpu_count == 0 || (plan->workers.usable_count == 1 && plan->home.on_gpus);
    form->packed = plan->processes.ranks > 1 || !alone;
    form->messages = plan->processes.ranks > 1 && plan->route.exchange->is != PSG_EXCHANGE_ALLTOALL;
    form->reaches = plan->route.exchange->is == PSG_EXCHANGE_DIRECT &&
                    (plan->workers.gpu_count > 1 || plan->processes.ranks > 1);
}

/* --------------------------------------------------------------------------- form of the blocks */

/* Cores know rows as they are, and messages are cut and joined by rows. */
static psg_status choose_strips(psg_form *form, const psg_plan *plan) {
    const psg_context *c = &plan->context;
    const bool only_gpus = plan->workers.gpu_count > 0 && plan->workers.cpu_count == 0;
    const bool between = plan->processes.ranks > 1;
    const bool shares = psg_shares_memory(plan);
    double strip = only_gpus && c->form.fused && psg_kernels != NULL && (!between || shares)
                       ? (double)psg_kernels->strip(c)
                       : 0;
    /* the narrowest of all processes, which is 0 where one has none */
    const psg_status status = psg_ranks_min(shares ? plan->processes.comm : NULL, &strip, 1);
    form->strip = (size_t)strip;
    return status;
}

static void choose_blocks(psg_form *form, const psg_plan *plan) {
    const psg_context *c = &plan->context;
    const psg_layout *l = &c->layout;
    const bool staged = !form->fused && plan->processes.ranks == 1;
    /* Fused, only cuFFT on a GPU asks: there a periodic transform along z works on the only sheet
     * where it is. The others are faster on contiguous columns, which are copied. */
    const bool one =
        !form->packed && l->sheets.count == 1; /* the blocks of a sheet are the sheet */
    form->z_contiguous = form->fused ? !one || c->kind[2] != PSG_TRANSFORM_PERIODIC || c->apart
                                     : plan->problem.options.z_layout == PSG_Z_CONTIGUOUS;
    form->segment_is_block = staged && l->sheets.count == 1;
    form->sheet_is_block = staged && l->segments.count == 1 && !form->z_contiguous &&
                           (form->packed || l->sheets.count == 1);
}

psg_status psg_route_blocks(psg_form *form, const psg_plan *plan) {
    choose_blocks(form, plan);
    return choose_strips(form, plan);
}

/* ------------------------------------------------------------------------------------- words */

void psg_route_say(psg_solve_route *route, const psg_plan *plan) {
    const bool main_memory =
        !plan->home.on_gpus || (route->exchange->shares && plan->shared.kind == PSG_IPC_MAIN);
    (void)snprintf(route->words, sizeof route->words, "%s, %s, %s, spectrum %s",
                   route->graph->words, route->executor->words, route->exchange->words,
                   main_memory ? "in main memory" : "on the GPUs");
}

const char *psg_plan_route(const psg_plan *plan) {
    return plan != NULL ? plan->route.words : "";
}
