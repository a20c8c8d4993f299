/* The staged graph: one kind of task per step of the method, as in the thesis' stage tables.
 *
 *   f[s] --fft_xy(s)--> X[s] --pack(s)--> B[s][0..P-1]
 *                                            |
 *             B[0..S-1][p] --unpack(p)--> Z[p] --fft_z, divide, ifft_z(p)--> Z[p] --pack(p)--> B[0..S-1][p]
 *                                            |
 *                 B[s][0..P-1] --unpack(s)--> X[s] --ifft_xy(s)--> u[s] --normalize(s)--> u[s]
 *
 * X[s] is a segment's spectrum, Z[p] a pencil with z along or across its lines, B as in fused.c.
 */
#include "codelets/codelets.h"
#include "graph/internal.h"

void psg_graph_staged(psg_run *run, const psg_lane *lane, const psg_arrays *arrays) {
    const size_t segments = run->context->segments;
    const size_t pencils = run->context->pencils;
    for (size_t s = 0; s < segments; s++) {
        psg_task_fft_xy(run, s, arrays->f_slabs[s], lane->spectra[s]);
        psg_task_pack_segment(run, s, lane->spectra[s], &lane->blocks[s * pencils]);
    }
    for (size_t p = 0; p < pencils; p++) {
        psg_task_unpack_pencil(run, p, &lane->blocks[p], pencils, lane->columns[p]);
        psg_task_fft_z(run, p, lane->columns[p]);
        psg_task_divide(run, p, lane->columns[p]);
        psg_task_ifft_z(run, p, lane->columns[p]);
        psg_task_pack_pencil(run, p, lane->columns[p], &lane->blocks[p], pencils);
    }
    for (size_t s = 0; s < segments; s++) {
        psg_task_unpack_segment(run, s, &lane->blocks[s * pencils], lane->spectra[s]);
        psg_task_ifft_xy(run, s, lane->spectra[s], arrays->u_slabs[s]);
        psg_task_normalize(run, s, arrays->u_slabs[s]);
    }
}
