#include "codelets/codelet.h"
#include "codelets/plane.h"
#if PSG_WITH_CUDA
#include "kernels/scale.h"
#endif

/* The fused graph has the factor in its division; here it is a task of its own, and what the inverse transforms carry
 * without it may be too large, though neither f nor u is. */
static void normalize_core(void *buffers[], const psg_task_args *args) {
    const psg_context *c = psg_context_of(args->run);
    const size_t planes = psg_layout_planes(&c->layout, psg_segment_of(args));
    const size_t pitch[2] = {psg_task_row_pitch(buffers, 0), psg_task_pitch(buffers, 0)};
    char *u = psg_task_pointer(buffers, 0);
    for (size_t k = 0; k < planes; k++) {
        for (size_t j = 0; j < c->layout.n[1]; j++) {
            c->cpu->normalize(u + (k * pitch[1] + j * pitch[0]) * c->cpu->real_bytes,
                              c->layout.n[0], psg_terms_of(args->run)->scale);
        }
        psg_plane_check(args, buffers, 0, k);
    }
}

#if PSG_WITH_CUDA
static int normalize_gpu(void *buffers[], const psg_task_args *args) {
    const psg_context *context = psg_context_of(args->run);
    const size_t planes = psg_layout_planes(&context->layout, psg_segment_of(args));
    const size_t n[3] = {context->layout.n[0], context->layout.n[1], planes};
    const psg_cuda_field u = psg_cuda_field_of(buffers, 0);
    return (int)psg_cuda_scale(
        psg_cuda_precision_of(context), &u, &u, n, psg_terms_of(args->run)->scale,
        (int *)(uintptr_t)&psg_findings_of(args->run)->overflow, starpu_cuda_get_local_stream());
}
#endif

PSG_SOLVER_CODELET(normalize, normalize_core, normalize_gpu);

void psg_task_normalize(psg_run *run, size_t s, starpu_data_handle_t u) {
    const psg_task_data data = {&u, 1, 1, STARPU_RW};
    psg_solver_submit(run, normalize_codelet, psg_segment_label(PSG_TASK_NORMALIZE, s), &data, 1);
}
