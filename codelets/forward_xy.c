#include "codelets/codelets.h"
#include "codelets/plane.h"
#include "codelets/sides.h"
#include "runtime/task.h"
#if PSG_WITH_CUDA
#include "codelets/cuda.h"
#include "runtime/order.h"
#endif

/* Plane by plane: a plane's spectrum is still in the cache when it is dealt out to the blocks. Blocks that are
 * views of the segment's planes are one plane together, where the spectrum goes at once. */
static void forward_xy_cpu(void *buffers[], void *argument) {
    const psg_task_args *args = argument;
    const psg_context *context = psg_context_of(args->run);
    const size_t real_plane = psg_task_pitch(buffers, 0) * context->cpu->real_bytes;
    const size_t row_pitch = psg_task_row_pitch(buffers, 0);
    const size_t planes = psg_layout_planes(&context->layout, psg_segment_of(args));
    const char *f = psg_task_pointer(buffers, 0);
    const size_t plane = psg_task_pitch(buffers, 1) * 2 * context->cpu->real_bytes;
    const bool whole = psg_plane_whole(context, buffers + 1);
    char *spectrum = whole ? psg_task_pointer(buffers, 1) : psg_task_scratch(args);
    for (size_t k = 0; k < planes; k++, f += real_plane) {
        if (psg_run_failed(args->run)) {
            return;
        }
        size_t pitch = row_pitch;
        const void *given = psg_sides_plane(args, k, f, &pitch);
        context->cpu->fft_xy(context->fft, given, pitch, spectrum);
        if (whole) {
            spectrum += plane;
        } else {
            psg_plane_move(context, PSG_PLANE_DEAL, buffers + 1, k, spectrum);
        }
    }
}

#if PSG_WITH_CUDA
static void forward_xy_cuda(void *buffers[], void *argument) {
    const psg_task_args *args = argument;
    psg_order_enter(args->run);
    if (!psg_run_failed(args->run)) {
        (void)psg_cuda_transform_xy(args->run, PSG_CUDA_FORWARD, psg_segment_of(args), buffers,
                                    "forward_xy");
    }
}
#endif

PSG_CODELET(forward_xy);

void psg_task_forward_xy_direct(struct starpu_codelet direct[PSG_TASK_PRECISIONS], int *nodes) {
    psg_task_codelet_at(direct, forward_xy_codelet, nodes);
}

void psg_task_forward_xy(psg_run *run, size_t s, starpu_data_handle_t f,
                         const starpu_data_handle_t *blocks) {
    psg_task_args args = {.run = run, .label = psg_segment_label(PSG_TASK_FORWARD_XY, s)};
    args.messages = psg_messages_after(psg_context_of(run), &args.label);
    psg_direct_codelets *direct = psg_context_of(run)->direct;
    struct starpu_task *task =
        psg_task_create(direct != NULL ? direct->forward_xy : forward_xy_codelet, &args,
                        psg_context_of(run)->layout.bundles.count + 1);
    if (task != NULL) {
        psg_task_use(task, 0, f, STARPU_R);
        for (size_t g = 0; g < psg_context_of(run)->layout.bundles.count; g++) {
            psg_task_use(task, g + 1, blocks[g], STARPU_W);
        }
    }
    psg_task_submit(run, task);
}
