/* The task graphs of a solve, by what the plan has. */
#include "graph/graphs.h"
#include "graph/fused.h"
#include "graph/plan_struct.h"
#include "graph/staged.h"
#include "graph/whole.h"

typedef void (*graph_function)(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                               const psg_arrays *arrays);

static const graph_function graphs[PSG_GRAPH_COUNT] = {
    [PSG_GRAPH_FUSED] = psg_graph_fused,
    [PSG_GRAPH_STAGED] = psg_graph_staged,
};

void psg_graph_submit(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                      const psg_arrays *arrays) {
    if (arrays->many.each > 0) {
        psg_graph_many(run, plan, arrays);
    } else {
        graphs[plan->problem.options.graph](run, plan, workspace, arrays);
    }
}
