#include "codelets/codelets.h"
#include "runtime/task.h"
#if PSG_WITH_CUDA
#include "codelets/cuda.h"
#include "kernels/divide.h"

#include <starpu_cuda.h>
#endif

static void divide_cpu(void *buffers[], void *argument) {
    const psg_task_args *args = argument;
    const psg_context *context = args->run->context;
    if (psg_run_failed(args->run)) {
        return;
    }
    const size_t row0 = context->y0[args->index];
    const size_t rows = context->y0[args->index + 1] - row0;
    if (context->z_contiguous) {
        context->cpu->divide_contiguous(&context->divide, context->n, row0, rows,
                                        psg_task_pointer(buffers, 0), args->run->mode0);
    } else {
        context->cpu->divide_strided(&context->divide, context->n, row0, rows,
                                     psg_task_pointer(buffers, 0), args->run->mode0);
    }
}

#if PSG_WITH_CUDA
static void divide_cuda(void *buffers[], void *argument) {
    const psg_task_args *args = argument;
    const psg_context *context = args->run->context;
    if (psg_run_failed(args->run)) {
        return;
    }
    const size_t rows = context->y0[args->index + 1] - context->y0[args->index];
    const psg_cuda_symbol symbol = psg_cuda_symbol_of(args->run, args->index);
    psg_cuda_check(args->run,
                   (int)psg_cuda_divide(psg_cuda_precision_of(context), psg_cuda_layout_of(context),
                                        psg_task_pointer(buffers, 0), rows * context->nxc,
                                        context->nxc, context->n[2], &symbol,
                                        starpu_cuda_get_local_stream()),
                   "divide");
}
#endif

PSG_CODELET(divide);

void psg_task_divide(psg_run *run, size_t p, starpu_data_handle_t pencil) {
    const psg_task_args args = {.run = run, .kind = PSG_TASK_DIVIDE, .pencil = true, .index = p};
    psg_task_submit_one(divide_codelet, &args, pencil, STARPU_RW);
}
