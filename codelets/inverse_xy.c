/* ifft_xy, and inverse_xy, which also unpacks: the mirror of forward_xy. */
#include "codelets/codelet.h"
#include "codelets/plane.h"

/* A plane's spectrum is collected from the blocks and transformed in the cache. */
static void inverse_core(void *buffers[], const psg_task_args *args) {
    const psg_context *context = psg_context_of(args->run);
    const size_t real_plane = psg_task_pitch(buffers, 0) * context->cpu->real_bytes;
    const size_t row_pitch = psg_task_row_pitch(buffers, 0);
    const size_t planes = psg_layout_planes(&context->layout, psg_segment_of(args));
    char *u = psg_task_pointer(buffers, 0);
    const size_t plane = psg_task_pitch(buffers, 1) * 2 * context->cpu->real_bytes;
    const bool whole = args->label.kind == PSG_TASK_IFFT_XY;
    char *spectrum = whole ? psg_task_pointer(buffers, 1) : psg_task_scratch(args);
    for (size_t k = 0; k < planes && !psg_run_failed(args->run); k++, u += real_plane) {
        if (!whole) {
            psg_plane_move(context, PSG_PLANE_COLLECT, buffers + 1, k, spectrum);
        }
        context->cpu->ifft_xy(context->fft, spectrum, u, row_pitch);
        spectrum += whole ? plane : 0;
    }
}

#if PSG_WITH_CUDA
static int inverse_gpu(void *buffers[], const psg_task_args *args) {
    return psg_cuda_transform_segment(args, PSG_CUDA_INVERSE, buffers);
}
#endif

PSG_SOLVER_CODELET(ifft_xy, inverse_core, inverse_gpu);
PSG_SOLVER_CODELET(inverse_xy, inverse_core, inverse_gpu);

/* Transforms back destroy the spectrum: ifft_xy that of the segment, inverse_xy one of its own, unless the blocks are
 * views, which are the spectrum itself. */
void psg_task_ifft_xy(psg_run *run, size_t s, starpu_data_handle_t spectrum,
                      starpu_data_handle_t u) {
    const psg_task_data data[] = {{&u, 1, 1, STARPU_W}, {&spectrum, 1, 1, STARPU_RW}};
    psg_solver_submit(run, ifft_xy_codelet, psg_segment_label(PSG_TASK_IFFT_XY, s), data, 2);
}

void psg_task_inverse_xy_direct(struct starpu_codelet direct[PSG_TASK_PRECISIONS], int *nodes) {
    psg_task_codelet_at(direct, inverse_xy_codelet, nodes);
}

void psg_task_inverse_xy(psg_run *run, size_t s, const starpu_data_handle_t *blocks,
                         starpu_data_handle_t u) {
    const psg_context *c = psg_context_of(run);
    const psg_task_data data[] = {
        {&u, 1, 1, STARPU_W},
        {blocks, c->layout.bundles.count, 1, c->form.packed ? STARPU_R : STARPU_RW}};
    psg_solver_submit(run, c->direct != NULL ? c->direct->inverse_xy : inverse_xy_codelet,
                      psg_segment_label(PSG_TASK_INVERSE_XY, s), data, 2);
}
