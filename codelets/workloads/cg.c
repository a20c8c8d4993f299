#include "codelets/workloads/cg.h"
#include "codelets/codelet.h"
#include "cpu/cg.h"
#if PSG_WITH_CUDA
#include "kernels/cg.h"
#endif

/* Buffers: start, column, value, q, sums, p of each block. */
enum { START, COLUMN, VALUE, Q, SUMS, P };

static base_cg_rows rows_of(void *buffers[], const psg_task_args *args) {
    const psg_layout *l = &psg_context_of(args->run)->layout;
    const size_t b = psg_segment_of(args);
    base_cg_rows r = {.block = b,
                      .leaves = psg_layout_planes(l, b),
                      .start = psg_task_pointer(buffers, START),
                      .column = psg_task_pointer(buffers, COLUMN),
                      .value = psg_task_pointer(buffers, VALUE),
                      .q = psg_task_pointer(buffers, Q),
                      .part = psg_task_pointer(buffers, SUMS)};
    for (size_t m = 0; m < l->segments.count; m++) {
        r.p[m] = psg_task_pointer(buffers, P + m);
    }
    return r;
}

static void cg_apply_core(void *buffers[], const psg_task_args *args) {
    const base_cg_rows rows = rows_of(buffers, args);
    psg_cpu_cg_apply(&rows);
}

#if PSG_WITH_CUDA
static int cg_apply_gpu(void *buffers[], const psg_task_args *args) {
    const base_cg_rows rows = rows_of(buffers, args);
    return (int)psg_cuda_cg_apply(&rows, starpu_cuda_get_local_stream());
}
#endif

PSG_SOLVER_CODELET(cg_apply, cg_apply_core, cg_apply_gpu);

void psg_task_cg_apply(psg_run *run, size_t b, size_t step, const starpu_data_handle_t matrix[3],
                       const starpu_data_handle_t *p, starpu_data_handle_t q,
                       starpu_data_handle_t sums) {
    const psg_task_args args = {.run = run, .label = {PSG_KIND_CG_APPLY, {b, PSG_NO_INDEX, step}}};
    const psg_task_data data[] = {
        {matrix, 3, 1, STARPU_R},
        {&q, 1, 1, STARPU_W},
        {&sums, 1, 1, STARPU_W},
        {p, psg_context_of(run)->layout.segments.count, 1, STARPU_R},
    };
    psg_task_submit_data(cg_apply_codelet, &args, data, sizeof data / sizeof *data);
}

/* -------------------------------------------------------------------------------- the kind */

static size_t rows_in(const psg_cg *cg, size_t b) {
    return psg_layout_planes(&cg->context.layout, b) * BASE_PCG_LANES;
}

static void shape(const void *owner, const psg_label *label, psg_task_shape *shape) {
    const psg_cg *cg = owner;
    shape->n[0] = cg->nonzeros[label->index[0]];
    shape->n[1] = shape->n[2] = 1;
    shape->count = rows_in(cg, label->index[0]);
    shape->pieces = cg->context.layout.segments.count;
    shape->dense = true;
}

static double nonzeros(const psg_task_shape *s) {
    return (double)s->n[0];
}

static psg_traffic traffic(const void *owner, const psg_label *label) {
    const psg_cg *cg = owner;
    const double all = (double)(cg->context.layout.n[2] * BASE_PCG_LANES);
    const double own = (double)rows_in(cg, label->index[0]);
    const double matrix =
        (double)cg->nonzeros[label->index[0]] * (double)(sizeof(double) + sizeof(uint32_t));
    return (psg_traffic){matrix + own * sizeof(uint32_t) + all * sizeof(double),
                         own * sizeof(double)};
}

const psg_kind psg_cg_apply_kind = {
    .name = "cg_apply", .shape = shape, .operations = nonzeros, .traffic = traffic};
