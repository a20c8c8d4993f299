#include "codelets/workloads/vadd.h"
#include "codelets/codelet.h"
#include "cpu/vadd.h"
#if PSG_WITH_CUDA
#include "kernels/vadd.h"
#endif

static const psg_vadd *vadd_of(const psg_task_args *args) {
    return args->run->engine->owner;
}

/* Buffers: a, b, c. */
static void vadd_core(void *buffers[], const psg_task_args *args) {
    const psg_vadd *v = vadd_of(args);
    psg_cpu_vadd(v->f32, psg_vadd_extent(v, args->label.index[0]), psg_task_pointer(buffers, 0),
                 psg_task_pointer(buffers, 1), psg_task_pointer(buffers, 2));
}

#if PSG_WITH_CUDA
static int vadd_gpu(void *buffers[], const psg_task_args *args) {
    const psg_vadd *v = vadd_of(args);
    return (int)psg_cuda_vadd(v->f32 ? PSG_CUDA_F32 : PSG_CUDA_F64,
                              psg_vadd_extent(v, args->label.index[0]),
                              psg_task_pointer(buffers, 0), psg_task_pointer(buffers, 1),
                              psg_task_pointer(buffers, 2), starpu_cuda_get_local_stream());
}
#endif

PSG_SOLVER_CODELET(vadd, vadd_core, vadd_gpu);

void psg_task_vadd(psg_run *run, size_t t, starpu_data_handle_t a, starpu_data_handle_t b,
                   starpu_data_handle_t c) {
    const psg_task_args args = {.run = run,
                                .label = {PSG_KIND_VADD, {t, PSG_NO_INDEX, PSG_NO_INDEX}}};
    const psg_task_data data[3] = {
        {&a, 1, 1, STARPU_R}, {&b, 1, 1, STARPU_R}, {&c, 1, 1, STARPU_W}};
    psg_task_submit_data(vadd_codelet, &args, data, 3);
}

/* ------------------------------------------------------------------------------------ the kind */

static void shape(const void *owner, const psg_label *label, psg_task_shape *shape) {
    shape->n[0] = psg_vadd_extent(owner, label->index[0]);
    shape->n[1] = shape->n[2] = 1;
    shape->count = 1;
    shape->pieces = 3;
    shape->dense = true;
}

static double sums(const psg_task_shape *s) {
    return (double)s->n[0];
}

static psg_traffic traffic(const void *owner, const psg_label *label) {
    const psg_vadd *v = owner;
    const double bytes = (double)psg_vadd_extent(v, label->index[0]) * (double)v->real_bytes;
    return (psg_traffic){2 * bytes, bytes};
}

const psg_kind psg_vadd_kind = {
    .name = "vadd", .shape = shape, .operations = sums, .traffic = traffic};
