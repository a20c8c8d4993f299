/* The staged graph: one kind of task per operation.
 *
 *   f[s] --fft_xy(s)--> X[s] --pack(s)--> B[s][0..P-1]
 *                                            |
 *     B[0..S-1][p] --unpack(p)--> Z[p] --fft_z, divide, ifft_z(p)--> Z[p] --pack(p)--> B[0..S-1][p]
 *                                            |
 *                 B[s][0..P-1] --unpack(s)--> X[s] --ifft_xy(s)--> u[s] --normalize(s)--> u[s]
 *
 * X[s] is a segment's spectrum, Z[p] a sheet with z along or across its lines, B as in fused.c.
 * With one sheet X[s] is B[s][0], and with one segment and z across Z[p] is B[0][p]: nothing is
 * packed then.
 *
 * Where an axis is free, or the kernel is the caller's, kspace(p) stands in place of the second
 * line: the modes of a free z are twice its points, and are there for a few columns at a time.
 */
#include "codelets/staged.h"
#include "codelets/forward_xy.h"
#include "codelets/inverse_xy.h"
#include "codelets/kspace.h"
#include "graph/arrays.h"
#include "graph/exchange.h"
#include "graph/gradient.h"
#include "graph/staged.h"

static void forward(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                    const psg_arrays *arrays) {
    const psg_range segments = psg_context_of(run)->layout.segments.own;
    const size_t bundles = psg_context_of(run)->layout.bundles.count;
    for (size_t s = segments.first; s < segments.end; s++) {
        psg_arrays_bring_f(run, plan, arrays, s, workspace->spectra[s - segments.first]);
    }
    for (size_t s = segments.first; s < segments.end; s++) {
        psg_task_fft_xy(run, s, arrays->slabs[PSG_FIELD_F][s - segments.first],
                        workspace->spectra[s - segments.first]);
        psg_task_pack_segment(run, s, workspace->spectra[s - segments.first],
                              &workspace->bundles[(s - segments.first) * bundles]);
    }
}

static void submit_sheets(psg_run *run, const psg_workspace *workspace, const psg_arrays *arrays) {
    const psg_range sheets = psg_context_of(run)->layout.sheets.own;
    const size_t stride = sheets.end - sheets.first;
    const bool whole = psg_graph_has(&psg_context_of(run)->graph, PSG_TASK_KSPACE, true);
    for (size_t p = sheets.first; p < sheets.end; p++) {
        const starpu_data_handle_t *blocks = &workspace->blocks[p - sheets.first];
        if (whole) {
            psg_task_kspace(run, p, blocks,
                            psg_gradient_beside(run, workspace, arrays, p - sheets.first), stride);
            continue;
        }
        psg_task_unpack_sheet(run, p, blocks, stride, workspace->columns[p - sheets.first]);
        psg_task_fft_z(run, p, workspace->columns[p - sheets.first]);
        psg_task_divide(run, p, workspace->columns[p - sheets.first]);
        psg_task_ifft_z(run, p, workspace->columns[p - sheets.first]);
        psg_task_pack_sheet(run, p, workspace->columns[p - sheets.first], blocks, stride);
    }
}

static void submit(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                   const psg_arrays *arrays) {
    const psg_range segments = psg_context_of(run)->layout.segments.own;
    const size_t bundles = psg_context_of(run)->layout.bundles.count;
    forward(run, plan, workspace, arrays);
    psg_exchange_blocks(run, plan, workspace, PSG_WAY_THERE);
    submit_sheets(run, workspace, arrays);
    psg_graph_gradient_back(run, plan, workspace, arrays);
    for (size_t s = segments.first; s < segments.end; s++) {
        psg_task_unpack_segment(run, s, &workspace->bundles[(s - segments.first) * bundles],
                                workspace->spectra[s - segments.first]);
        psg_task_ifft_xy(run, s, workspace->spectra[s - segments.first],
                         arrays->slabs[PSG_FIELD_U][s - segments.first]);
        psg_task_normalize(run, s, arrays->slabs[PSG_FIELD_U][s - segments.first]);
        psg_arrays_bring(run, plan, arrays, PSG_FIELD_U, s);
        psg_graph_gradient_of(run, plan, workspace, arrays, s, 0);
    }
    psg_graph_gradient(run, plan, workspace, arrays);
}

const psg_graph_row psg_graph_staged = {
    .words = "staged graph",
    .wholes = 1,
    .kinds = {10,
              {PSG_OF_SEGMENT(FFT_XY), PSG_OF_SEGMENT(PACK), PSG_OF_SHEET(UNPACK),
               PSG_OF_SHEET(FFT_Z), PSG_OF_SHEET(DIVIDE), PSG_OF_SHEET(IFFT_Z), PSG_OF_SHEET(PACK),
               PSG_OF_SEGMENT(UNPACK), PSG_OF_SEGMENT(IFFT_XY), PSG_OF_SEGMENT(NORMALIZE)}},
    .submit = submit};

const psg_graph_row psg_graph_staged_xy = {
    .words = "staged graph, along z fused",
    .wholes = 1,
    .kinds = {6,
              {PSG_OF_SEGMENT(FFT_XY), PSG_OF_SEGMENT(PACK), PSG_OF_SHEET(KSPACE),
               PSG_OF_SEGMENT(UNPACK), PSG_OF_SEGMENT(IFFT_XY), PSG_OF_SEGMENT(NORMALIZE)}},
    .forward = forward,
    .submit = submit};
