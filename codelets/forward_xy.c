#include "codelets/codelets.h"
#include "codelets/plane.h"
#include "runtime/task.h"
#if PSG_WITH_CUDA
#include "codelets/cuda.h"
#endif

/* Plane by plane: a plane's spectrum is still in the cache when it is dealt out to the blocks. Blocks that are
 * views of the segment's planes are one plane together, where the spectrum goes at once. */
static void forward_xy_cpu(void *buffers[], void *argument) {
    const psg_task_args *args = argument;
    const psg_context *context = args->run->context;
    const size_t real_plane = context->n[0] * context->n[1] * context->cpu->real_bytes;
    const size_t first = context->z0[args->index];
    const char *f = psg_task_pointer(buffers, 0);
    const size_t plane = psg_task_pitch(buffers, 1) * 2 * context->cpu->real_bytes;
    const bool whole = psg_plane_whole(context, buffers + 1);
    char *spectrum = whole ? psg_task_pointer(buffers, 1) : psg_task_scratch(args);
    for (size_t k = first; k < context->z0[args->index + 1]; k++, f += real_plane) {
        if (psg_run_failed(args->run)) {
            return;
        }
        context->cpu->fft_xy(context->fft, f, spectrum);
        if (whole) {
            spectrum += plane;
        } else {
            psg_plane_move(context, PSG_PLANE_DEAL, buffers + 1, k - first, spectrum);
        }
    }
}

#if PSG_WITH_CUDA
static void forward_xy_cuda(void *buffers[], void *argument) {
    const psg_task_args *args = argument;
    if (!psg_run_failed(args->run)) {
        (void)psg_cuda_transform_xy(args->run, PSG_CUDA_FORWARD, args->index,
                                    psg_task_pointer(buffers, 0), buffers + 1, "forward_xy");
    }
}
#endif

PSG_CODELET(forward_xy);

void psg_task_forward_xy_direct(struct starpu_codelet direct[PSG_TASK_PRECISIONS], int *nodes) {
    psg_task_codelet_at(direct, forward_xy_codelet, nodes);
}

void psg_task_forward_xy(psg_run *run, size_t s, starpu_data_handle_t f,
                         const starpu_data_handle_t *blocks) {
    const psg_task_args args = {.run = run,
                                .kind = PSG_TASK_FORWARD_XY,
                                .index = s,
                                .messages = psg_segment_messages(run->context)};
    psg_direct_codelets *direct = run->context->direct;
    struct starpu_task *task = psg_task_create(
        direct != NULL ? direct->forward_xy : forward_xy_codelet, &args, run->context->bundles + 1);
    if (task != NULL) {
        psg_task_use(task, 0, f, STARPU_R);
        for (size_t g = 0; g < run->context->bundles; g++) {
            psg_task_use(task, g + 1, blocks[g], STARPU_W);
        }
    }
    psg_task_submit(run, task);
}
