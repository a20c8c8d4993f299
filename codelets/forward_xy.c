/* fft_xy, and forward_xy, which also packs. */
#include "codelets/forward_xy.h"
#include "codelets/codelet.h"
#include "codelets/plane.h"
#include "codelets/sides.h"
#if PSG_WITH_CUDA
#include "codelets/cuda_segments.h"
#endif

/* The divergence of plane k. */
static const void *divergence_of(void *buffers[], const psg_task_args *args, size_t k,
                                 size_t *pitch) {
    const psg_context *c = psg_context_of(args->run);
    const psg_flow_terms *terms = &psg_terms_of(args->run)->flow;
    const size_t z = c->layout.segments.part[psg_segment_of(args)].box.lo[2] + k;
    psg_cpu_flow flow = {
        .by = {terms->by[0], terms->by[1], psg_by_plane(args->run, true, z, terms->by[2])},
        .wraps = {(terms->wraps & 1) != 0, (terms->wraps & 2) != 0}};
    for (size_t d = 0; d < 3; d++) {
        flow.v[d] = psg_plane_of(c, buffers, d, k);
        flow.row_pitch[d] = psg_task_row_pitch(buffers, d);
    }
    flow.below = k > 0 ? psg_plane_of(c, buffers, 2, k - 1)
                       : psg_plane_below(args, buffers, &flow.below_pitch);
    flow.below_pitch = k > 0 ? flow.row_pitch[2] : flow.below_pitch;
    void *result = psg_task_plane(args, 1);
    c->cpu->divergence(&flow, c->layout.n, result);
    *pitch = c->layout.n[0];
    return result;
}

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
    const size_t fields = psg_fields_read(args->run);
    const size_t plane = psg_task_pitch(buffers, fields) * 2 * context->cpu->real_bytes;
    const bool whole =
        args->label.kind == PSG_TASK_FFT_XY || psg_plane_whole(context, buffers + fields);
    char *spectrum = whole ? psg_task_pointer(buffers, fields) : psg_task_scratch(args);
    const bool together =
        whole && fields == 1 && !psg_sides_any(&psg_terms_of(args->run)->sides) &&
        context->cpu->fft_rows(context->fft, PSG_CPU_FORWARD, planes, (void *)(uintptr_t)f,
                               psg_task_pitch(buffers, 0), spectrum,
                               psg_task_pitch(buffers, fields), psg_task_scratch(args));
    for (size_t k = together ? planes : 0; k < planes && !psg_run_failed(args->run);
         k++, f += real_plane) {
        size_t pitch = row_pitch;
        const void *given = fields == 1 ? f : divergence_of(buffers, args, k, &pitch);
        given = psg_sides_plane(args, 0, first + k, given, &pitch);
        context->cpu->fft_xy(context->fft, given, pitch, spectrum, psg_task_scratch(args));
        if (whole) {
            spectrum += plane;
        } else {
            psg_plane_move(context, PSG_PLANE_DEAL, buffers + fields, k, spectrum);
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

void psg_task_forward_xy(psg_run *run, size_t s, const starpu_data_handle_t *fields,
                         starpu_data_handle_t below, const starpu_data_handle_t *blocks) {
    const psg_context *c = psg_context_of(run);
    const psg_task_data data[] = {{fields, psg_fields_read(run), 1, STARPU_R},
                                  {blocks, c->layout.bundles.count, 1, STARPU_W | PSG_DATA_PHASED},
                                  {&below, 1, 1, STARPU_R}};
    struct starpu_codelet *codelet =
        psg_fields_read(run) > 1 ? c->codelets->divergence_xy : c->codelets->forward_xy;
    psg_solver_submit(run, codelet, psg_segment_label(PSG_TASK_FORWARD_XY, s), data,
                      below != NULL ? 3 : 2);
}
