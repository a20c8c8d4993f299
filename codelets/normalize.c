#include "codelets/codelets.h"
#include "runtime/task.h"
#if PSG_WITH_CUDA
#include "codelets/cuda.h"
#include "kernels/scale.h"

#include <starpu_cuda.h>
#endif

static void normalize_cpu(void *buffers[], void *argument) {
    const psg_task_args *args = argument;
    const psg_context *context = args->run->context;
    if (psg_run_failed(args->run)) {
        return;
    }
    const size_t planes = context->z0[args->index + 1] - context->z0[args->index];
    const size_t count = context->n[0] * context->n[1] * planes;
    void *u = psg_task_pointer(buffers, 0);
    /* The fused graph has the factor in its division; here it is a task of its own, and what the
     * inverse transforms carry without it may be too large, though neither f nor u is. */
    context->cpu->normalize(u, count, context->scale);
    if (context->cpu->find_nonfinite(u, count) < count) {
        atomic_store(args->run->nonfinite, 1);
    }
}

#if PSG_WITH_CUDA
static void normalize_cuda(void *buffers[], void *argument) {
    const psg_task_args *args = argument;
    const psg_context *context = args->run->context;
    if (psg_run_failed(args->run)) {
        return;
    }
    const size_t planes = context->z0[args->index + 1] - context->z0[args->index];
    void *u = psg_task_pointer(buffers, 0);
    psg_cuda_check(args->run,
                   (int)psg_cuda_scale(psg_cuda_precision_of(context), u, u,
                                       context->n[0] * context->n[1] * planes, context->scale,
                                       (int *)(uintptr_t)args->run->nonfinite,
                                       starpu_cuda_get_local_stream()),
                   "normalize");
}
#endif

PSG_CODELET(normalize);

void psg_task_normalize(psg_run *run, size_t s, starpu_data_handle_t u) {
    const psg_task_args args = {.run = run, .kind = PSG_TASK_NORMALIZE, .index = s};
    psg_task_submit_one(normalize_codelet, &args, u, STARPU_RW);
}
