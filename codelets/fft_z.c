#include "codelets/codelets.h"
#include "runtime/task.h"
#if PSG_WITH_CUDA
#include "codelets/cuda.h"
#endif

static void transform(void *buffers[], const psg_task_args *args, psg_cpu_direction direction) {
    const psg_context *context = psg_context_of(args->run);
    if (psg_run_failed(args->run)) {
        return;
    }
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

static void fft_z_cpu(void *buffers[], void *argument) {
    transform(buffers, argument, PSG_CPU_FORWARD);
}

static void ifft_z_cpu(void *buffers[], void *argument) {
    transform(buffers, argument, PSG_CPU_INVERSE);
}

#if PSG_WITH_CUDA
static void transform_cuda(void *buffers[], const psg_task_args *args, psg_cuda_direction direction,
                           const char *what) {
    const psg_context *context = psg_context_of(args->run);
    const psg_cuda_plans *worker = psg_cuda_plans_self(context);
    if (!psg_run_failed(args->run)) {
        const psg_cuda_fft *fft = worker->z[psg_cuda_sheet_size(context, psg_sheet_of(args))];
        psg_gpu_check(args->run, psg_cuda_fft_run_z(fft, direction, psg_task_pointer(buffers, 0)),
                      what);
    }
}

static void fft_z_cuda(void *buffers[], void *argument) {
    transform_cuda(buffers, argument, PSG_CUDA_FORWARD, "fft_z");
}

static void ifft_z_cuda(void *buffers[], void *argument) {
    transform_cuda(buffers, argument, PSG_CUDA_INVERSE, "ifft_z");
}
#endif

PSG_CODELET(fft_z);
PSG_CODELET(ifft_z);

void psg_task_fft_z(psg_run *run, size_t p, starpu_data_handle_t sheet) {
    const psg_task_args args = {.run = run, .label = psg_sheet_label(PSG_TASK_FFT_Z, p)};
    psg_task_submit_one(fft_z_codelet, &args, sheet, STARPU_RW);
}

void psg_task_ifft_z(psg_run *run, size_t p, starpu_data_handle_t sheet) {
    const psg_task_args args = {.run = run, .label = psg_sheet_label(PSG_TASK_IFFT_Z, p)};
    psg_task_submit_one(ifft_z_codelet, &args, sheet, STARPU_RW);
}
