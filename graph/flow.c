/* A projection: forward_xy makes the divergence of a flow in place of reading f, and the tasks that
 * make components of the gradient take them out of the flow, or write them. Each task works plane
 * by plane, so neither the divergence nor the gradient is ever in memory. */
#include "graph/flow.h"
#include "graph/exchange.h"
#include "graph/plan_struct.h"
#include "graph/status.h"
#include "graph/transform_table.h"

/* Each cell has its upper faces. A lower face of the first cell has a flow where z wraps, or of a
 * Neumann side, where it is known. */
static psg_status check(const psg_plan *plan, const psg_solve_args *args) {
    const bool fused = psg_graph_has(&plan->context.graph, PSG_TASK_FORWARD_XY, false);
    if (!fused) {
        return psg_fail(PSG_ERR_UNSUPPORTED,
                        "psg_project() is for the fused graph: with the staged one take the "
                        "divergence and subtract psg_solve_args.gradient");
    }
    if (!psg_symbol_of(&plan->problem)->faces) {
        return psg_fail(PSG_ERR_UNSUPPORTED, "psg_project() needs the symbol fd2");
    }
    if (plan->problem.grid.axes == 2) {
        return psg_fail(PSG_ERR_UNSUPPORTED, "psg_project() is for three axes");
    }
    for (int d = 0; d < 3; d++) {
        const psg_axis *axis = &plan->problem.grid.axis[d];
        const psg_transform *row = psg_transform_of(axis);
        if (!psg_transform_periodic(row) &&
            (axis->bc[0] != PSG_BC_NEUMANN || axis->bc[1] == PSG_BC_FREE ||
             axis->points == PSG_POINTS_NODES)) {
            return psg_fail(PSG_ERR_UNSUPPORTED,
                            "psg_project() needs %c periodic, or points in cells between a lower "
                            "Neumann and an upper Neumann, Dirichlet or Robin side",
                            "xyz"[d]);
        }
    }
    if (args->epsilon != NULL) {
        return psg_fail(PSG_ERR_UNSUPPORTED, "psg_project() has no epsilon yet");
    }
    return args->mean == PSG_MEAN_ERROR
               ? psg_fail(PSG_ERR_ARG, "PSG_MEAN_ERROR compares the mean of f with max|f| after "
                                       "the solve, and psg_project() has no f in memory")
               : PSG_OK;
}

psg_status psg_flow_take(psg_flow_terms *flow, const psg_plan *plan, const psg_arrays *arrays,
                         const psg_solve_args *args) {
    *flow = (psg_flow_terms){.given = 0};
    if (arrays->slabs[PSG_FIELD_FLOW] == NULL) {
        return PSG_OK;
    }
    flow->given = 1;
    flow->changes = psg_flow_changes(arrays);
    flow->scale = 1 / args->factor;
    bool fits = psg_transforms_has(plan, flow->scale);
    for (int d = 0; d < 3; d++) {
        const psg_axis *axis = &plan->problem.grid.axis[d];
        const psg_transform *row = psg_transform_of(axis);
        flow->by[d] = 1 / psg_axis_least(axis);
        flow->wraps |= psg_transform_periodic(row) ? (size_t)1 << d : 0;
        fits = fits && psg_transforms_has(plan, flow->by[d]);
    }
    const psg_status status = check(plan, args);
    return status != PSG_OK || fits
               ? status
               : psg_fail(PSG_ERR_ARG,
                          "1/factor, or 1 over the spacing of the points, is out of the range of "
                          "the precision: choose another unit");
}

starpu_data_handle_t psg_flow_edge(psg_run *run, const psg_plan *plan, const psg_arrays *arrays) {
    return psg_terms_of(run)->flow.given != 0 ? psg_exchange_edge(run, plan, arrays, PSG_EDGE_BELOW)
                                              : NULL;
}

starpu_data_handle_t psg_flow_fields(const psg_run *run, const psg_arrays *arrays,
                                     starpu_data_handle_t edge, size_t s,
                                     starpu_data_handle_t fields[3]) {
    const psg_flow_terms *flow = &psg_terms_of(run)->flow;
    const psg_context *c = psg_context_of(run);
    const size_t own = c->layout.segments.own.first;
    const size_t below = flow->given != 0 ? psg_segment_below(c, psg_terms_of(run), s) : SIZE_MAX;
    for (size_t d = 0; d < psg_fields_read(run); d++) {
        const int field = flow->given != 0 ? PSG_FIELD_FLOW + (int)d : PSG_FIELD_F;
        fields[d] = arrays->slabs[field][s - own];
    }
    return below == SIZE_MAX || below == s ? NULL
           : psg_range_has(c->layout.segments.own, below)
               ? arrays->slabs[PSG_FIELD_FLOW + 2][below - own]
               : edge;
}
