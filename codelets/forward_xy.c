/* fft_xy, and forward_xy, which also packs. */
#include "codelets/forward_xy.h"
#include "codelets/codelet.h"
#include "codelets/plane.h"
#include "codelets/sides.h"
#if PSG_WITH_CUDA
#include "codelets/cuda_segments.h"
#endif

/* Plane by plane: a plane's spectrum is still in the cache when it is dealt out to the blocks.
 * Blocks that are views of the segment's planes are one plane together, where the spectrum goes at
 * once. */
static void forward_core(void *buffers[], const psg_task_args *args) {
    const psg_context *context = psg_context_of(args->run);
    const size_t real_plane = psg_task_pitch(buffers, 0) * context->cpu->real_bytes;
    const size_t row_pitch = psg_task_row_pitch(buffers, 0);
    const size_t planes = psg_layout_planes(&context->layout, psg_segment_of(args));
    const size_t first = context->layout.segments.part[psg_segment_of(args)].box.lo[2];
    const char *f = psg_task_pointer(buffers, 0);
    const size_t plane = psg_task_pitch(buffers, 1) * 2 * context->cpu->real_bytes;
    const bool whole = args->label.kind == PSG_TASK_FFT_XY || psg_plane_whole(context, buffers + 1);
    char *spectrum = whole ? psg_task_pointer(buffers, 1) : psg_task_scratch(args);
    for (size_t k = 0; k < planes && !psg_run_failed(args->run); k++, f += real_plane) {
        size_t pitch = row_pitch;
        const void *given = psg_sides_plane(args, 0, first + k, f, &pitch);
        context->cpu->fft_xy(context->fft, given, pitch, spectrum, psg_task_scratch(args));
        if (whole) {
            spectrum += plane;
        } else {
            psg_plane_move(context, PSG_PLANE_DEAL, buffers + 1, k, spectrum);
        }
    }
}

#if PSG_WITH_CUDA
static int forward_gpu(void *buffers[], const psg_task_args *args) {
    return psg_cuda_transform_segment(args, PSG_CUDA_FORWARD, buffers);
}
#endif

PSG_SOLVER_CODELET(fft_xy, forward_core, forward_gpu);
PSG_SOLVER_CODELET(forward_xy, forward_core, forward_gpu);

void psg_task_fft_xy(psg_run *run, size_t s, starpu_data_handle_t f,
                     starpu_data_handle_t spectrum) {
    const psg_task_data data[] = {{&f, 1, 1, STARPU_R},
                                  {&spectrum, 1, 1, STARPU_W | PSG_DATA_PHASED}};
    psg_solver_submit(run, fft_xy_codelet, psg_segment_label(PSG_TASK_FFT_XY, s), data, 2);
}

void psg_task_forward_xy_codelet(struct starpu_codelet codelet[PSG_TASK_PRECISIONS], int *nodes) {
    psg_task_codelet_at(codelet, forward_xy_codelet, nodes);
}

void psg_task_forward_xy(psg_run *run, size_t s, starpu_data_handle_t f,
                         const starpu_data_handle_t *blocks) {
    const psg_context *c = psg_context_of(run);
    const psg_task_data data[] = {{&f, 1, 1, STARPU_R},
                                  {blocks, c->layout.bundles.count, 1, STARPU_W | PSG_DATA_PHASED}};
    psg_solver_submit(run, c->codelets->forward_xy, psg_segment_label(PSG_TASK_FORWARD_XY, s), data,
                      2);
}
