#include "codelets/codelets.h"
#include "codelets/sides.h"
#include "runtime/task.h"
#if PSG_WITH_CUDA
#include "codelets/cuda.h"
#include "runtime/order.h"
#endif

static void transform(void *buffers[], const psg_task_args *args, bool forward) {
    const psg_context *context = psg_context_of(args->run);
    const psg_cpu_ops *cpu = context->cpu;
    const size_t real = forward ? 0 : 1; /* f comes first, u comes last */
    const size_t row_pitch = psg_task_row_pitch(buffers, real);
    char *field = psg_task_pointer(buffers, real);
    char *spectrum = psg_task_pointer(buffers, 1 - real);
    const size_t planes = psg_layout_planes(&context->layout, psg_segment_of(args));
    for (size_t k = 0; k < planes && !psg_run_failed(args->run); k++) {
        if (forward) {
            size_t pitch = row_pitch;
            const void *given = psg_sides_plane(args, k, field, &pitch);
            cpu->fft_xy(context->fft, given, pitch, spectrum);
        } else {
            cpu->ifft_xy(context->fft, spectrum, field, row_pitch);
        }
        field += psg_task_pitch(buffers, real) * cpu->real_bytes;
        spectrum += context->layout.nxc * context->layout.n[1] * 2 * cpu->real_bytes;
    }
}

static void fft_xy_cpu(void *buffers[], void *argument) {
    transform(buffers, argument, true);
}

static void ifft_xy_cpu(void *buffers[], void *argument) {
    transform(buffers, argument, false);
}

#if PSG_WITH_CUDA
static void transform_cuda(void *buffers[], const psg_task_args *args, psg_cuda_direction direction,
                           const char *what) {
    const size_t real = direction == PSG_CUDA_FORWARD ? 0 : 1; /* f comes first, u comes last */
    psg_order_enter(args->run);
    if (!psg_run_failed(args->run)) {
        psg_cuda_field field = psg_cuda_field_of(buffers, real);
        const size_t s = psg_segment_of(args);
        int code = real == 0 ? psg_cuda_add_sides_to(args->run, s, &field) : 0;
        if (code == 0) {
            code = psg_cuda_run_fft(args->run, direction, s, &field,
                                    psg_task_pointer(buffers, 1 - real));
        }
        psg_gpu_check(args->run, code, what);
    }
}

static void fft_xy_cuda(void *buffers[], void *argument) {
    transform_cuda(buffers, argument, PSG_CUDA_FORWARD, "fft_xy");
}

static void ifft_xy_cuda(void *buffers[], void *argument) {
    transform_cuda(buffers, argument, PSG_CUDA_INVERSE, "ifft_xy");
}
#endif

PSG_CODELET(fft_xy);
PSG_CODELET(ifft_xy);

void psg_task_fft_xy(psg_run *run, size_t s, starpu_data_handle_t f,
                     starpu_data_handle_t spectrum) {
    const psg_task_args args = {.run = run, .label = psg_segment_label(PSG_TASK_FFT_XY, s)};
    struct starpu_task *task = psg_task_create(fft_xy_codelet, &args, 2);
    if (task != NULL) {
        psg_task_use(task, 0, f, STARPU_R);
        psg_task_use(task, 1, spectrum, STARPU_W);
    }
    psg_task_submit(run, task);
}

void psg_task_ifft_xy(psg_run *run, size_t s, starpu_data_handle_t spectrum,
                      starpu_data_handle_t u) {
    const psg_task_args args = {.run = run, .label = psg_segment_label(PSG_TASK_IFFT_XY, s)};
    struct starpu_task *task = psg_task_create(ifft_xy_codelet, &args, 2);
    if (task != NULL) {
        psg_task_use(task, 0, spectrum, STARPU_RW); /* FFTW destroys it */
        psg_task_use(task, 1, u, STARPU_W);
    }
    psg_task_submit(run, task);
}
