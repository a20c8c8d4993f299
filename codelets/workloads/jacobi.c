#include "codelets/workloads/jacobi.h"
#include "codelets/codelet.h"
#include "cpu/jacobi.h"
#if PSG_WITH_CUDA
#include "kernels/jacobi.h"
#endif

enum { ROW = 0, COLUMN, STEP };

static const psg_jacobi *jacobi_of(const psg_task_args *args) {
    return args->run->engine->owner;
}

/* Buffers: u, what is beyond it, the next u, and its edges. */
static base_jacobi_sweep sweep_of(void *buffers[], const psg_task_args *args) {
    const psg_jacobi *j = jacobi_of(args);
    base_jacobi_sweep s = {.columns = psg_jacobi_extent(j, args->label.index[COLUMN]),
                           .rows = psg_jacobi_extent(j, args->label.index[ROW]),
                           .u = psg_task_pointer(buffers, 0),
                           .next = psg_task_pointer(buffers, 1 + BASE_JACOBI_SIDES)};
    for (size_t side = 0; side < BASE_JACOBI_SIDES; side++) {
        s.beyond[side] = psg_task_pointer(buffers, 1 + side);
        s.edge[side] = psg_task_pointer(buffers, 2 + BASE_JACOBI_SIDES + side);
    }
    return s;
}

static void jacobi_sweep_core(void *buffers[], const psg_task_args *args) {
    const base_jacobi_sweep sweep = sweep_of(buffers, args);
    psg_cpu_jacobi(jacobi_of(args)->f32, &sweep);
}

#if PSG_WITH_CUDA
static int jacobi_sweep_gpu(void *buffers[], const psg_task_args *args) {
    const base_jacobi_sweep sweep = sweep_of(buffers, args);
    return (int)psg_cuda_jacobi(jacobi_of(args)->f32 ? PSG_CUDA_F32 : PSG_CUDA_F64, &sweep,
                                starpu_cuda_get_local_stream());
}
#endif

PSG_SOLVER_CODELET(jacobi_sweep, jacobi_sweep_core, jacobi_sweep_gpu);

void psg_task_jacobi_sweep(psg_run *run, const size_t at[2], size_t step,
                           const psg_jacobi_data *from,
                           const starpu_data_handle_t beyond[BASE_JACOBI_SIDES],
                           const psg_jacobi_data *to, starpu_data_handle_t gate) {
    const psg_task_args args = {.run = run, .label = {PSG_KIND_JACOBI_SWEEP, {at[0], at[1], step}}};
    const psg_task_data data[] = {{&from->u, 1, 1, STARPU_R},
                                  {beyond, BASE_JACOBI_SIDES, 1, STARPU_R},
                                  {&to->u, 1, 1, STARPU_W},
                                  {to->edge, BASE_JACOBI_SIDES, 1, STARPU_W},
                                  {&gate, gate != NULL, 1, STARPU_R}};
    psg_task_submit_data(jacobi_sweep_codelet, &args, data, 5);
}

/* ------------------------------------------------------------------------------------ a gate */

static struct starpu_codelet gate_codelet = {
    .name = "jacobi_gate", .where = STARPU_NOWHERE, .nbuffers = 1, .modes = {STARPU_RW}};

static void passed(void *run) {
    psg_run_end_task(run);
}

void psg_task_jacobi_gate(psg_run *run, starpu_data_handle_t gate) {
    struct starpu_task *task = starpu_task_create();
    task->cl = &gate_codelet;
    task->handles[0] = gate;
    task->epilogue_callback_func = passed;
    task->epilogue_callback_arg = run;
    psg_run_begin_task(run);
    if (!psg_task_hand_over(run, task)) {
        psg_run_end_task(run);
    }
}

/* ------------------------------------------------------------------------------------ the kind */

static void shape(const void *owner, const psg_label *label, psg_task_shape *shape) {
    const psg_jacobi *j = owner;
    shape->n[0] = psg_jacobi_extent(j, label->index[COLUMN]);
    shape->n[1] = psg_jacobi_extent(j, label->index[ROW]);
    shape->n[2] = 1;
    shape->count = shape->pieces = 1;
    shape->dense = true;
}

/* The edges are as little as they are long. */
static psg_traffic traffic(const void *owner, const psg_label *label) {
    const psg_jacobi *j = owner;
    const double columns = (double)psg_jacobi_extent(j, label->index[COLUMN]);
    const double rows = (double)psg_jacobi_extent(j, label->index[ROW]);
    const double bytes = (columns * rows + 2 * (columns + rows)) * (double)j->real_bytes;
    return (psg_traffic){bytes, bytes};
}

static int priority(const void *owner, const psg_label *label) {
    const psg_jacobi *j = owner;
    return j->by_path ? (int)(j->steps - 1 - label->index[STEP]) : 0;
}

const psg_kind psg_jacobi_sweep_kind = {
    .name = "jacobi_sweep", .shape = shape, .traffic = traffic, .priority = priority};
