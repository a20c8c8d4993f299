#include "codelets/codelet.h"
#if PSG_WITH_CUDA
#include "kernels/scale.h"
#endif

static void normalize_core(void *buffers[], const psg_task_args *args) {
    const psg_context *context = psg_context_of(args->run);
    const size_t planes = psg_layout_planes(&context->layout, psg_segment_of(args));
    const size_t *n = context->layout.n;
    const size_t pitch[2] = {psg_task_row_pitch(buffers, 0), psg_task_pitch(buffers, 0)};
    const bool dense = pitch[0] == n[0] && pitch[1] == n[0] * n[1];
    const size_t rows = dense ? 1 : n[1] * planes; /* dense planes are one row */
    const size_t count = dense ? n[0] * n[1] * planes : n[0];
    char *u = psg_task_pointer(buffers, 0);
    /* The fused graph has the factor in its division; here it is a task of its own, and what the
     * inverse transforms carry without it may be too large, though neither f nor u is. */
    for (size_t r = 0; r < rows; r++) {
        char *row = u + (r / n[1] * pitch[1] + r % n[1] * pitch[0]) * context->cpu->real_bytes;
        context->cpu->normalize(row, count, psg_terms_of(args->run)->scale);
        if (context->cpu->find_nonfinite(row, count) < count) {
            atomic_store(&psg_findings_of(args->run)->nonfinite, 1);
        }
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
        (int *)(uintptr_t)&psg_findings_of(args->run)->nonfinite, starpu_cuda_get_local_stream());
}
#endif

PSG_SOLVER_CODELET(normalize, normalize_core, normalize_gpu);

void psg_task_normalize(psg_run *run, size_t s, starpu_data_handle_t u) {
    const psg_task_data data = {&u, 1, 1, STARPU_RW};
    psg_solver_submit(run, normalize_codelet, psg_segment_label(PSG_TASK_NORMALIZE, s), &data, 1);
}
