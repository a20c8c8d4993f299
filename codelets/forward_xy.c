#include "codelets/codelets.h"
#include "codelets/plane.h"
#include "codelets/task.h"
#if PSG_WITH_CUDA
#include "codelets/cuda.h"
#include "kernels/pack.h"

#include <starpu_cuda.h>
#endif

/* Plane by plane, so that a plane's spectrum is still in the cache when it is dealt out to the
 * blocks. */
static void forward_xy_cpu(void *buffers[], void *argument) {
    const psg_task_args *args = argument;
    const psg_context *context = args->run->context;
    const size_t real_plane = context->n[0] * context->n[1] * context->cpu->real_bytes;
    const size_t first = context->z0[args->index];
    const char *f = psg_task_pointer(buffers, 0);
    void *spectrum = psg_task_scratch(context);
    for (size_t k = first; k < context->z0[args->index + 1]; k++, f += real_plane) {
        if (psg_run_failed(args->run)) {
            return;
        }
        context->cpu->fft_xy(context->fft, f, spectrum);
        psg_plane_move(context, PSG_PLANE_DEAL, buffers + 1, k - first, spectrum);
    }
}

#if PSG_WITH_CUDA
/* Where the blocks are views of a slab on this GPU, its spectrum is written straight into it. Else
 * they may be on peers, and are written there. */
static void forward_xy_cuda(void *buffers[], void *argument) {
    const psg_task_args *args = argument;
    const psg_context *context = args->run->context;
    const psg_cuda_worker *worker = psg_cuda_worker_self(context);
    if (psg_run_failed(args->run)) {
        return;
    }
    const size_t planes = context->z0[args->index + 1] - context->z0[args->index];
    void *slab = context->packed ? worker->slab_d : psg_task_pointer(buffers, 1);
    const psg_cuda_fft *fft =
        worker->xy[PSG_CUDA_FORWARD][psg_cuda_segment_size(context, args->index)];
    if (psg_cuda_check(args->run, psg_cuda_fft_run_xy(fft, psg_task_pointer(buffers, 0), slab),
                       "forward_xy") &&
        context->packed) {
        psg_cuda_check(args->run,
                       (int)psg_cuda_pack_slab(
                           psg_cuda_precision_of(context), slab, context->nxc, context->n[1],
                           planes, psg_cuda_blocks_of(context, buffers + 1), context->bundle_y0,
                           context->bundles, starpu_cuda_get_local_stream()),
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
