/* Who runs the tasks of a solve: StarPU each, one task on a GPU all of them, or a team of cores. */
#include "graph/executors.h"
#include "graph/partition.h"
#include "graph/plan_struct.h"
#include "graph/teams.h"
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
 * other. The first solve makes room for u. */
static bool submit_chain(psg_run *run, const psg_plan *plan, const psg_graph_row *graph,
                         const psg_workspace *workspace, const psg_arrays *arrays, bool waits) {
    if (!arrays->stays || !psg_arrays_there(arrays)) {
        return submit_tasks(run, plan, graph, workspace, arrays, waits);
    }
    if (gather(run, plan, graph, workspace, arrays)) {
        psg_chain_submit(run);
    }
    return true;
}

/* Between slabs once these are there. */
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

const psg_executor psg_executor_tasks = {.words = "tasks", .submit = submit_tasks};
const psg_executor psg_executor_chain = {
    .words = "one task on a GPU", .gathers = true, .submit = submit_chain};
const psg_executor psg_executor_team = {.words = "a team of cores",
                                        .sleeps = true,
                                        .gathers = true,
                                        .make = psg_team_make,
                                        .parts = psg_partition_team,
                                        .submit = submit_team};
