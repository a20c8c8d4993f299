/* The graph of several right-hand sides: a task for each piece, which does all of it. */
#include "graph/whole.h"
#include "codelets/whole.h"
#include "graph/arrays.h"

static void submit(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                   const psg_arrays *arrays) {
    const size_t nz = psg_context_of(run)->layout.n[2];
    (void)workspace; /* each worker has room of its own */
    for (size_t k = 0; k < arrays->parts.count; k++) {
        const psg_part *piece = &arrays->parts.part[k];
        psg_task_whole(run, piece->box.lo[2] / nz, psg_box_length(&piece->box, 2) / nz,
                       piece->worker, arrays->slabs[PSG_FIELD_F][k], arrays->slabs[PSG_FIELD_U][k]);
        psg_arrays_bring(run, plan, arrays, PSG_FIELD_U, k);
    }
}

const psg_graph_row psg_graph_whole = {.words = "graph of whole solves", .submit = submit};
