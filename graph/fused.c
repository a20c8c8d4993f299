/* The fused graph: three kinds of task, five passes over memory.
 *
 *   f[s] --forward_xy(s)--> B[s][0..P-1]       S tasks, one per segment of planes
 *                              |
 *            B[0..S-1][p] --kspace(p)--> B[0..S-1][p]     P tasks, one per pencil of rows ky
 *                              |
 *                B[s][0..P-1] --inverse_xy(s)--> u[s]     S tasks
 *
 * A block B[s][p] is a StarPU handle of its own: kspace(p) starts when its S blocks are there, wherever
 * they were written, and inverse_xy(s) when its P blocks are back.
 */
#include "codelets/codelets.h"
#include "graph/internal.h"

void psg_graph_fused(psg_run *run, const psg_lane *lane, const psg_arrays *arrays) {
    const size_t segments = run->context->segments;
    const size_t pencils = run->context->pencils;
    for (size_t s = 0; s < segments; s++) {
        psg_task_forward_xy(run, s, arrays->f_slabs[s], &lane->blocks[s * pencils]);
    }
    for (size_t p = 0; p < pencils; p++) {
        psg_task_kspace(run, p, &lane->blocks[p], pencils);
    }
    for (size_t s = 0; s < segments; s++) {
        psg_task_inverse_xy(run, s, &lane->blocks[s * pencils], arrays->u_slabs[s]);
    }
}
