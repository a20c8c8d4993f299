#include "codelets/codelet.h"

static void transform_core(void *buffers[], const psg_task_args *args) {
    const psg_context *context = psg_context_of(args->run);
    const psg_cpu_direction direction =
        args->label.kind == PSG_TASK_FFT_Z ? PSG_CPU_FORWARD : PSG_CPU_INVERSE;
    const size_t rows = psg_layout_rows(&context->layout, psg_sheet_of(args));
    void *sheet = psg_task_pointer(buffers, 0);
    void *scratch = psg_task_scratch(args);
    const size_t count = rows * context->layout.nxc;
    const bool finite =
        context->form.z_contiguous
            ? context->cpu->fft_z_contiguous(context->fft, direction, count, sheet, scratch)
            : context->cpu->fft_z_strided(context->fft, direction, count, sheet, scratch);
    if (!finite) {
        atomic_store(&psg_findings_of(args->run)->nonfinite, 1);
    }
}

#if PSG_WITH_CUDA
static int transform_gpu(void *buffers[], const psg_task_args *args) {
    const psg_cuda_direction direction =
        args->label.kind == PSG_TASK_FFT_Z ? PSG_CUDA_FORWARD : PSG_CUDA_INVERSE;
    return psg_cuda_transform_sheet(args, direction, psg_task_pointer(buffers, 0));
}
#endif

PSG_SOLVER_CODELET(fft_z, transform_core, transform_gpu);
PSG_SOLVER_CODELET(ifft_z, transform_core, transform_gpu);

void psg_task_fft_z(psg_run *run, size_t p, starpu_data_handle_t sheet) {
    const psg_task_data data = {&sheet, 1, 1, STARPU_RW};
    psg_solver_submit(run, fft_z_codelet, psg_sheet_label(PSG_TASK_FFT_Z, p), &data, 1);
}

void psg_task_ifft_z(psg_run *run, size_t p, starpu_data_handle_t sheet) {
    const psg_task_data data = {&sheet, 1, 1, STARPU_RW};
    psg_solver_submit(run, ifft_z_codelet, psg_sheet_label(PSG_TASK_IFFT_Z, p), &data, 1);
}
