/* Blocks of a bundle that travels as one. */
#include "codelets/codelets.h"
#include "runtime/task.h"

/* Nothing runs: StarPU takes the one for the other, which stand in the same memory. */
void psg_task_regroup(psg_run *run, psg_way way, bool foreign, starpu_data_handle_t bundle,
                      const starpu_data_handle_t *blocks, size_t count) {
    const psg_context *context = psg_context_of(run);
    const psg_task_args args = {
        .run = run,
        .label = psg_exchange_label(),
        .messages = context->form.messages && foreign && way == PSG_WAY_BACK ? 1 : 0};
    struct starpu_task *task = psg_task_create(context->exchange->nowhere, &args, count + 1);
    if (task != NULL) {
        task->where = STARPU_NOWHERE;
        psg_task_use(task, 0, bundle, way == PSG_WAY_THERE ? STARPU_R : STARPU_W);
        for (size_t m = 0; m < count; m++) {
            psg_task_use(task, m + 1, blocks[m], way == PSG_WAY_THERE ? STARPU_W : STARPU_R);
        }
    }
    psg_task_submit(run, task);
}

/* StarPU waits for their data and goes on. */
#define NOWHERE                                                                                    \
    { .name = "nowhere", .where = STARPU_NOWHERE, .nbuffers = STARPU_VARIABLE_NBUFFERS }

void psg_task_exchange_codelets(psg_exchange_codelets *codelets, int *nodes) {
    static const struct starpu_codelet nowhere[PSG_TASK_PRECISIONS] = {
        [PSG_TASK_F64] = NOWHERE, [PSG_TASK_F32] = NOWHERE};
    psg_task_codelet_at(codelets->nowhere, nowhere, nodes);
}
