#include "codelets/codelets.h"
#include "runtime/task.h"
#if PSG_WITH_CUDA
#include "codelets/cuda.h"
#include "kernels/divide.h"

#include <starpu_cuda.h>
#endif

static void divide_cpu(void *buffers[], void *argument) {
    const psg_task_args *args = argument;
    const psg_context *context = psg_context_of(args->run);
    if (psg_run_failed(args->run)) {
        return;
    }
    const size_t row0 = context->layout.sheets.part[psg_sheet_of(args)].box.lo[1];
    const size_t rows = psg_layout_rows(&context->layout, psg_sheet_of(args));
    const psg_cpu_divide divide = psg_divide_of(args->run);
    const size_t n[3] = {context->layout.nxc, context->layout.n[1], context->layout.n[2]};
    if (context->form.z_contiguous) {
        context->cpu->divide_contiguous(&divide, n, row0, rows, psg_task_pointer(buffers, 0),
                                        psg_findings_of(args->run)->mode0);
    } else {
        context->cpu->divide_strided(&divide, n, row0, rows, psg_task_pointer(buffers, 0),
                                     psg_findings_of(args->run)->mode0);
    }
}

#if PSG_WITH_CUDA
static void divide_cuda(void *buffers[], void *argument) {
    const psg_task_args *args = argument;
    const psg_context *context = psg_context_of(args->run);
    if (psg_run_failed(args->run)) {
        return;
    }
    const size_t rows = psg_layout_rows(&context->layout, psg_sheet_of(args));
    const psg_cuda_symbol symbol = psg_cuda_symbol_of(args->run, psg_sheet_of(args));
    psg_gpu_check(args->run,
                  (int)psg_cuda_divide(psg_cuda_precision_of(context), psg_cuda_layout_of(context),
                                       psg_task_pointer(buffers, 0), rows * context->layout.nxc,
                                       context->layout.nxc, context->layout.n[2], &symbol,
                                       starpu_cuda_get_local_stream()),
                  "divide");
}
#endif

PSG_CODELET(divide);

void psg_task_divide(psg_run *run, size_t p, starpu_data_handle_t sheet) {
    const psg_task_args args = {.run = run, .label = psg_sheet_label(PSG_TASK_DIVIDE, p)};
    psg_task_submit_one(divide_codelet, &args, sheet, STARPU_RW);
}
