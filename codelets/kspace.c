#include "codelets/codelets.h"
#include "codelets/task.h"

static void kspace_cpu(void *buffers[], void *argument) {
    const psg_task_args *args = argument;
    const psg_context *context = args->run->context;
    if (psg_run_failed(args->run)) {
        return;
    }
    psg_cpu_piece *piece = context->pieces[starpu_worker_get_id_check()];
    for (size_t s = 0; s < context->segments; s++) {
        piece[s] = (psg_cpu_piece){psg_task_pointer(buffers, s), psg_task_pitch(buffers, s)};
    }
    const psg_cpu_pencil pencil = {
        .pieces = context->segments,
        .piece = piece,
        .z0 = context->z0,
        .nxc = context->nxc,
        .row0 = context->y0[args->index],
        .rows = context->y0[args->index + 1] - context->y0[args->index],
    };
    context->cpu->kspace(context->fft, &context->fused_divide, &pencil, psg_task_scratch(context),
                         args->run->mode0);
}

PSG_CODELET(kspace);

void psg_task_kspace(psg_run *run, size_t p, const starpu_data_handle_t *blocks, size_t stride) {
    const psg_task_args args = {.run = run, .kind = PSG_TASK_KSPACE, .pencil = true, .index = p};
    struct starpu_task *task = psg_task_create(kspace_codelet, &args, run->context->segments);
    if (task != NULL) {
        for (size_t s = 0; s < run->context->segments; s++) {
            psg_task_use(task, s, blocks[s * stride], STARPU_RW);
        }
    }
    psg_task_submit(run, task);
}
