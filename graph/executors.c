/* Who runs the tasks of a solve: StarPU, a chain on a GPU (one StarPU task), or a team of cores. */
#include "graph/executors.h"
#include "graph/partition.h"
#include "graph/plan_struct.h"
#include "graph/start.h"
#include "graph/status.h"
#include "runtime/chain.h"
#include "runtime/step_list.h"
#include "runtime/team.h"

static bool submit_tasks(psg_run *run, const psg_plan *plan, const psg_graph_row *graph,
                         const psg_workspace *workspace, const psg_arrays *arrays, bool waits) {
    (void)waits;
    graph->submit(run, plan, workspace, arrays);
    return false;
}

/* @return false: the run has failed, and nothing is done */
static bool gather(psg_run *run, const psg_plan *plan, const psg_graph_row *graph,
                   const psg_workspace *workspace, const psg_arrays *arrays) {
    const size_t key[2] = {workspace->number, arrays->number};
    if (psg_step_list_begin(run, key)) {
        graph->submit(run, plan, workspace, arrays);
    }
    return psg_step_list_end(run);
}

/* All as one, if its data are on the worker that has them all, and stay there; else one after the
 * other. A GPU short of memory gets room
 * for u in the first solve. */
static bool submit_chain(psg_run *run, const psg_plan *plan, const psg_graph_row *graph,
                         const psg_workspace *workspace, const psg_arrays *arrays, bool waits) {
    if (!arrays->stays || !psg_arrays_there(arrays)) {
        run->executor = PSG_EXECUTOR_TASKS;
        return submit_tasks(run, plan, graph, workspace, arrays, waits);
    }
    if (gather(run, plan, graph, workspace, arrays)) {
        psg_chain_submit(run);
    }
    return true;
}

/* Between slabs a StarPU task enters the team, once the slabs are there. */
static bool submit_team(psg_run *run, const psg_plan *plan, const psg_graph_row *graph,
                        const psg_workspace *workspace, const psg_arrays *arrays, bool waits) {
    if (!gather(run, plan, graph, workspace, arrays)) {
        return false;
    }
    if (arrays == plan->held.slabs) {
        psg_team_enter_after(run, arrays->slabs[PSG_FIELD_F], arrays->slabs[PSG_FIELD_U],
                             plan->context.layout.segments.count);
    } else {
        psg_team_enter(run, waits);
    }
    return false;
}

static psg_status make_team(psg_engine *e, const psg_plan *plan) {
    const size_t *n = plan->context.layout.n;
    e->team_bytes = (double)(n[0] * n[1] * n[2] * plan->context.cpu->real_bytes);
    psg_runtime_awake();
    e->team = psg_team_create(plan->workers.usable, plan->workers.cpu_count, psg_runtime_awake,
                              psg_runtime_rest);
    psg_runtime_rest();
    return e->team != NULL ? PSG_OK : psg_fail(PSG_ERR_MEMORY, "no memory for a team");
}

static void end_team(psg_engine *engine) {
    if (engine->team != NULL) {
        psg_runtime_awake();
        psg_team_destroy(engine->team);
        psg_runtime_rest();
    }
}

const psg_executor_row psg_executor_tasks = {
    .is = PSG_EXECUTOR_TASKS, .words = "tasks", .submit = submit_tasks};
const psg_executor_row psg_executor_chain = {.is = PSG_EXECUTOR_CHAIN,
                                             .words = "one task on a GPU",
                                             .gathers = true,
                                             .submit = submit_chain};
const psg_executor_row psg_executor_team = {.is = PSG_EXECUTOR_TEAM,
                                            .words = "a team of cores",
                                            .sleeps = true,
                                            .gathers = true,
                                            .make = make_team,
                                            .end = end_team,
                                            .parts = psg_partition_team,
                                            .submit = submit_team};
