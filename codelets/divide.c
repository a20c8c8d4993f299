#include "codelets/codelet.h"

static void divide_core(void *buffers[], const psg_task_args *args) {
    const psg_context *context = psg_context_of(args->run);
    const size_t row0 = context->layout.sheets.part[psg_sheet_of(args)].box.lo[1];
    const size_t rows = psg_layout_rows(&context->layout, psg_sheet_of(args));
    const psg_cpu_divide divide = psg_divide_of(args);
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
static int divide_gpu(void *buffers[], const psg_task_args *args) {
    return psg_cuda_divide_sheet(args, psg_task_pointer(buffers, 0));
}
#endif

PSG_SOLVER_CODELET(divide, divide_core, divide_gpu);

void psg_task_divide(psg_run *run, size_t p, starpu_data_handle_t sheet) {
    const psg_task_data data = {&sheet, 1, 1, STARPU_RW};
    psg_solver_submit(run, divide_codelet, psg_sheet_label(PSG_TASK_DIVIDE, p), &data, 1);
}
