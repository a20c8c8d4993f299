#include "codelets/codelets.h"
#include "codelets/plane.h"
#include "runtime/task.h"
#if PSG_WITH_CUDA
#include "codelets/cuda.h"
#endif

/* The mirror of forward_xy: a plane's spectrum is collected from the blocks and transformed in
 * the cache. */
static void inverse_xy_cpu(void *buffers[], void *argument) {
    const psg_task_args *args = argument;
    const psg_context *context = psg_context_of(args->run);
    const size_t real_plane = psg_task_pitch(buffers, 0) * context->cpu->real_bytes;
    const size_t row_pitch = psg_task_row_pitch(buffers, 0);
    const size_t planes = psg_layout_planes(&context->layout, psg_segment_of(args));
    char *u = psg_task_pointer(buffers, 0);
    void *spectrum = psg_task_scratch(args);
    for (size_t k = 0; k < planes; k++, u += real_plane) {
        if (psg_run_failed(args->run)) {
            return;
        }
        psg_plane_move(context, PSG_PLANE_COLLECT, buffers + 1, k, spectrum);
        context->cpu->ifft_xy(context->fft, spectrum, u, row_pitch);
    }
}

#if PSG_WITH_CUDA
static void inverse_xy_cuda(void *buffers[], void *argument) {
    const psg_task_args *args = argument;
    if (!psg_run_failed(args->run)) {
        (void)psg_cuda_transform_xy(args->run, PSG_CUDA_INVERSE, psg_segment_of(args), buffers,
                                    "inverse_xy");
    }
}
#endif

PSG_CODELET(inverse_xy);

void psg_task_inverse_xy_direct(struct starpu_codelet direct[PSG_TASK_PRECISIONS], int *nodes) {
    psg_task_codelet_at(direct, inverse_xy_codelet, nodes);
}

void psg_task_inverse_xy(psg_run *run, size_t s, const starpu_data_handle_t *blocks,
                         starpu_data_handle_t u) {
    const psg_task_args args = {.run = run, .label = psg_segment_label(PSG_TASK_INVERSE_XY, s)};
    psg_direct_codelets *direct = psg_context_of(run)->direct;
    struct starpu_task *task =
        psg_task_create(direct != NULL ? direct->inverse_xy : inverse_xy_codelet, &args,
                        psg_context_of(run)->layout.bundles.count + 1);
    if (task != NULL) {
        psg_task_use(task, 0, u, STARPU_W);
        for (size_t g = 0; g < psg_context_of(run)->layout.bundles.count; g++) {
            /* cuFFT destroys the spectrum that it transforms, and a view is the spectrum itself. */
            psg_task_use(task, g + 1, blocks[g],
                         psg_context_of(run)->form.packed ? STARPU_R : STARPU_RW);
        }
    }
    psg_task_submit(run, task);
}
