/* The graph of several right-hand sides: a task for each piece, which does all of it. */
#include "graph/whole.h"
#include "codelets/whole.h"
#include "graph/arrays.h"
#include "graph/pieces.h"

void psg_graph_many(psg_run *run, const psg_plan *plan, const psg_arrays *arrays) {
    const psg_many *many = &arrays->many;
    for (size_t k = 0; k * many->each < many->count; k++) {
        const psg_range sides = psg_many_piece(many, k);
        psg_task_whole(run, sides.first, psg_range_count(sides), psg_many_worker(plan, arrays, k),
                       arrays->slabs[PSG_FIELD_F][k], arrays->slabs[PSG_FIELD_U][k]);
        psg_arrays_bring(run, plan, arrays, PSG_FIELD_U, k);
    }
}
