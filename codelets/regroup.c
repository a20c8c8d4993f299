/* Blocks of a bundle that travels as one. */
#include "codelets/regroup.h"
#include "runtime/task.h"

/* Nothing runs: StarPU takes the one for the other, which stand in the same memory. A bundle that
 * is split again may still be read by other tasks, and its blocks are about to be written: these
 * tasks end first. */
void psg_task_regroup(psg_run *run, psg_way way, bool foreign, starpu_data_handle_t bundle,
                      const starpu_data_handle_t *blocks, size_t count) {
    const psg_context *context = psg_context_of(run);
    const bool there = !psg_way_is_back(way);
    const psg_task_args args = {.run = run,
                                .label = psg_exchange_label(),
                                .messages = foreign && !there ? context->block_messages : 0};
    const enum starpu_data_access_mode mode = way == PSG_WAY_THERE_AGAIN ? STARPU_RW
                                              : there                    ? STARPU_R
                                                                         : STARPU_W;
    const psg_task_data data[] = {{&bundle, 1, 1, mode},
                                  {blocks, count, 1, there ? STARPU_W : STARPU_R}};
    psg_task_submit_data(context->exchange->nowhere, &args, data, 2);
}

/* StarPU waits for their data and goes on. */
#define NOWHERE                                                                                    \
    { .name = "nowhere", .where = STARPU_NOWHERE, .nbuffers = STARPU_VARIABLE_NBUFFERS }

void psg_task_exchange_codelets(psg_exchange_codelets *codelets, int *nodes) {
    static const struct starpu_codelet nowhere[PSG_TASK_PRECISIONS] = {
        [PSG_TASK_F64] = NOWHERE, [PSG_TASK_F32] = NOWHERE};
    psg_task_codelet_at(codelets->nowhere, nowhere, nodes);
}
