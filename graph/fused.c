/* The fused graph: three kinds of task.
 *
 *   f[s] --forward_xy(s)--> B[s][0..P-1]       S tasks, one per segment of planes
 *                              |
 *            B[0..S-1][p] --kspace(p)--> B[0..S-1][p]     P tasks, one per sheet of rows ky
 *                              |
 *                B[s][0..P-1] --inverse_xy(s)--> u[s]     S tasks
 *
 * A block B[s][p] is a StarPU handle of its own: kspace(p) starts when its S blocks are there,
 * wherever they were written, and inverse_xy(s) when its P blocks are back. A flow stands in place
 * of f in a projection (flow.c). On cores of one process
 * that takes StarPU longer than a small task, and all three phases wait for one another anyway: a
 * task tells StarPU one block, and gates stand between the phases (psg_phases). On GPUs f[s] comes
 * before forward_xy(s) is handed to one, and u[s] goes home by itself. Rows that kspace(p) returns
 * or fetches stand beside the blocks, in memory that StarPU knows nothing of. Only tasks that
 * use B[s][p] touch those of sheet p in segment s, and in the same mode. So StarPU's order of
 * B[s][p] orders the rows, too.
 *
 * Modes of the caller's are cut into sheets. Those of f are in place of the first phase, those of u
 * in place of the last one, or beside it:
 *
 *          f^[p] --modes_in(p)---> B[0..S-1][p], u^[p]
 *   B[0..S-1][p] --modes_out(p)--> B[0..S-1][p], u^[p]
 */
#include "graph/fused.h"
#include "codelets/forward_xy.h"
#include "codelets/inverse_xy.h"
#include "codelets/kspace.h"
#include "graph/arrays.h"
#include "graph/exchange.h"
#include "graph/flow.h"
#include "graph/gradient.h"

static void forward(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                    const psg_arrays *arrays) {
    const psg_range segments = psg_context_of(run)->layout.segments.own;
    const size_t bundles = psg_context_of(run)->layout.bundles.count;
    const starpu_data_handle_t edge = psg_flow_edge(run, plan, arrays);
    for (size_t s = segments.first; s < segments.end; s++) {
        psg_arrays_bring_f(run, plan, arrays, s,
                           workspace->bundles[(s - segments.first) * bundles]);
    }
    for (size_t s = segments.first; s < segments.end; s++) {
        starpu_data_handle_t fields[3];
        const starpu_data_handle_t below = psg_flow_fields(run, arrays, edge, s, fields);
        psg_task_forward_xy(run, s, fields, below,
                            &workspace->bundles[(s - segments.first) * bundles]);
    }
}

static void submit_sheets(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                          const psg_arrays *arrays) {
    const psg_range sheets = psg_context_of(run)->layout.sheets.own;
    starpu_data_handle_t *const *in = &arrays->slabs[PSG_FIELD_F_MODES];
    starpu_data_handle_t *const *out = &arrays->slabs[PSG_FIELD_U_MODES];
    for (size_t p = sheets.first; p < sheets.end; p++) {
        const size_t own = p - sheets.first;
        const starpu_data_handle_t *blocks = &workspace->blocks[own];
        if (*in == NULL && *out == NULL) {
            psg_task_kspace(run, p, blocks, psg_gradient_beside(run, workspace, arrays, own),
                            psg_range_count(sheets));
        } else {
            psg_task_modes(run, p, *in != NULL ? (*in)[own] : NULL,
                           *out != NULL ? (*out)[own] : NULL, blocks, psg_range_count(sheets),
                           arrays->slabs[PSG_FIELD_U] != NULL);
            psg_arrays_bring(run, plan, arrays, PSG_FIELD_U_MODES, p);
        }
    }
}

/* Blocks to u, and its gradient. */
static void submit_inverse(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                           const psg_arrays *arrays) {
    const psg_range segments = psg_context_of(run)->layout.segments.own;
    const size_t bundles = psg_context_of(run)->layout.bundles.count;
    psg_graph_gradient_back(run, plan, workspace, arrays);
    for (size_t s = segments.first; s < segments.end; s++) {
        starpu_data_handle_t components[2];
        const size_t count = psg_gradient_with_u(run, plan, arrays, s, components);
        if (arrays->slabs[PSG_FIELD_U] != NULL) {
            psg_task_inverse_xy(run, s, &workspace->bundles[(s - segments.first) * bundles],
                                arrays->slabs[PSG_FIELD_U][s - segments.first], components, count);
            psg_arrays_bring(run, plan, arrays, PSG_FIELD_U, s);
        }
        psg_graph_gradient_of(run, plan, workspace, arrays, s, count);
    }
    psg_graph_gradient(run, plan, workspace, arrays);
}

static void submit(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                   const psg_arrays *arrays) {
    if (arrays->slabs[PSG_FIELD_F_MODES] == NULL) {
        forward(run, plan, workspace, arrays);
        psg_exchange_blocks(run, plan, workspace, PSG_WAY_THERE);
    }
    submit_sheets(run, plan, workspace, arrays);
    if (arrays->slabs[PSG_FIELD_U] != NULL || arrays->slabs[PSG_FIELD_FLOW] != NULL) {
        submit_inverse(run, plan, workspace, arrays);
    }
}

const psg_graph_row psg_graph_fused = {
    .words = "fused graph",
    .try_sharing = psg_shared_try,
    .kinds = {3, {PSG_OF_SEGMENT(FORWARD_XY), PSG_OF_SHEET(KSPACE), PSG_OF_SEGMENT(INVERSE_XY)}},
    .forward = forward,
    .submit = submit};
