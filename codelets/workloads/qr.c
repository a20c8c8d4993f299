#include "codelets/workloads/qr.h"
#include "codelets/codelet.h"
#if PSG_WITH_CUDA
#include "kernels/qr.h"
#endif

enum { ROW = 0, COLUMN, STEP };

static const psg_qr *qr_of(const psg_task_args *args) {
    return args->run->engine->owner;
}

base_qr_shape psg_qr_shape(const psg_qr *qr, size_t i, size_t j, size_t k) {
    base_qr_shape n = {psg_qr_extent(qr, 0, i), psg_qr_extent(qr, 1, j), psg_qr_extent(qr, 1, k),
                       qr->inner};
    n.inner = n.inner < n.depth ? n.inner : n.depth;
    return n;
}

static base_qr_shape shape_of(const psg_task_args *args) {
    const size_t *at = args->label.index;
    return psg_qr_shape(qr_of(args), at[ROW], at[COLUMN], at[STEP]);
}

/* The matrix behind buffer m of a task. */
static psg_cpu_columns columns(void *buffers[], size_t m) {
    return (psg_cpu_columns){psg_task_pointer(buffers, m), psg_task_row_pitch(buffers, m)};
}

static void geqrt_core(void *buffers[], const psg_task_args *args) {
    const base_qr_shape n = shape_of(args);
    qr_of(args)->cpu->geqrt(&n, psg_task_pointer(buffers, 0), psg_task_pointer(buffers, 1),
                            psg_task_pointer(buffers, 2), psg_task_pointer(buffers, 3));
}

static void unmqr_core(void *buffers[], const psg_task_args *args) {
    const base_qr_shape n = shape_of(args);
    qr_of(args)->cpu->unmqr(&n, true, psg_task_pointer(buffers, 1), psg_task_pointer(buffers, 2),
                            columns(buffers, 0), psg_task_pointer(buffers, 3));
}

static void tsqrt_core(void *buffers[], const psg_task_args *args) {
    const base_qr_shape n = shape_of(args);
    qr_of(args)->cpu->tsqrt(&n, columns(buffers, 0), psg_task_pointer(buffers, 1),
                            psg_task_pointer(buffers, 2), psg_task_pointer(buffers, 3));
}

static void tsmqr_core(void *buffers[], const psg_task_args *args) {
    const base_qr_shape n = shape_of(args);
    qr_of(args)->cpu->tsmqr(&n, true, psg_task_pointer(buffers, 2), psg_task_pointer(buffers, 3),
                            columns(buffers, 0), columns(buffers, 1), psg_task_pointer(buffers, 4));
}

#if PSG_WITH_CUDA
static int unmqr_gpu(void *buffers[], const psg_task_args *args) {
    const base_qr_shape n = shape_of(args);
    return psg_cuda_unmqr(psg_gpu_self(args->run->engine)->state, &n, psg_task_pointer(buffers, 1),
                          psg_task_pointer(buffers, 2), psg_task_pointer(buffers, 0),
                          psg_task_pointer(buffers, 3));
}

static int tsmqr_gpu(void *buffers[], const psg_task_args *args) {
    const base_qr_shape n = shape_of(args);
    return psg_cuda_tsmqr(psg_gpu_self(args->run->engine)->state, &n, psg_task_pointer(buffers, 2),
                          psg_task_pointer(buffers, 3), psg_task_pointer(buffers, 0),
                          psg_task_row_pitch(buffers, 0), psg_task_pointer(buffers, 1),
                          psg_task_pointer(buffers, 4));
}

static int make_blas(void **state, const void *owner) {
    const psg_qr *qr = owner;
    const psg_cuda_precision precision =
        qr->real_bytes == sizeof(float) ? PSG_CUDA_F32 : PSG_CUDA_F64;
    return psg_cuda_blas_create((psg_cuda_blas **)state, precision, starpu_cuda_get_local_stream());
}

static void destroy_blas(void *state, const void *owner) {
    (void)owner;
    psg_cuda_blas_destroy(state);
}

psg_gpu_user psg_qr_gpu(void) {
    return (psg_gpu_user){.make = make_blas,
                          .destroy = destroy_blas,
                          .words = psg_cuda_error_string,
                          .is_memory = psg_cuda_error_is_out_of_memory};
}
#else
psg_gpu_user psg_qr_gpu(void) {
    return (psg_gpu_user){.peers = false};
}
#endif

PSG_CORE_CODELET(geqrt, geqrt_core);
PSG_SOLVER_CODELET(unmqr, unmqr_core, unmqr_gpu);
PSG_CORE_CODELET(tsqrt, tsqrt_core);
PSG_SOLVER_CODELET(tsmqr, tsmqr_core, tsmqr_gpu);

static psg_task_args args_of(psg_run *run, int kind, size_t i, size_t j, size_t k) {
    return (psg_task_args){.run = run, .label = {kind, {i, j, k}}};
}

void psg_task_geqrt(psg_run *run, size_t k, const psg_qr_data *d) {
    const psg_task_args args = args_of(run, PSG_KIND_GEQRT, k, k, k);
    const psg_task_data data[] = {{&d->a, 1, 1, STARPU_RW},
                                  {&d->t, 1, 1, STARPU_W},
                                  {&d->v, 1, 1, STARPU_W},
                                  {&d->work, 1, 1, STARPU_SCRATCH}};
    psg_task_submit_data(geqrt_codelet, &args, data, sizeof data / sizeof *data);
}

void psg_task_unmqr(psg_run *run, size_t j, size_t k, const psg_qr_data *d) {
    const psg_task_args args = args_of(run, PSG_KIND_UNMQR, k, j, k);
    const psg_task_data data[] = {{&d->a, 1, 1, STARPU_RW},
                                  {&d->v, 1, 1, STARPU_R},
                                  {&d->t, 1, 1, STARPU_R},
                                  {&d->work, 1, 1, STARPU_SCRATCH}};
    psg_task_submit_data(unmqr_codelet, &args, data, sizeof data / sizeof *data);
}

void psg_task_tsqrt(psg_run *run, size_t i, size_t k, const psg_qr_data *d) {
    const psg_task_args args = args_of(run, PSG_KIND_TSQRT, i, k, k);
    const psg_task_data data[] = {{&d->above, 1, 1, STARPU_RW},
                                  {&d->a, 1, 1, STARPU_RW},
                                  {&d->t, 1, 1, STARPU_W},
                                  {&d->work, 1, 1, STARPU_SCRATCH}};
    psg_task_submit_data(tsqrt_codelet, &args, data, sizeof data / sizeof *data);
}

void psg_task_tsmqr(psg_run *run, size_t i, size_t j, size_t k, const psg_qr_data *d) {
    const psg_task_args args = args_of(run, PSG_KIND_TSMQR, i, j, k);
    const psg_task_data data[] = {{&d->above, 1, 1, STARPU_RW},
                                  {&d->a, 1, 1, STARPU_RW},
                                  {&d->v, 1, 1, STARPU_R},
                                  {&d->t, 1, 1, STARPU_R},
                                  {&d->work, 1, 1, STARPU_SCRATCH}};
    psg_task_submit_data(tsmqr_codelet, &args, data, sizeof data / sizeof *data);
}

/* -------------------------------------------------------------------------------- the kinds */

/* Tasks of a kind take as long if their tiles are as large. */
static void shape(const void *owner, const psg_label *label, psg_task_shape *shape) {
    const base_qr_shape n =
        psg_qr_shape(owner, label->index[ROW], label->index[COLUMN], label->index[STEP]);
    shape->n[0] = n.rows;
    shape->n[1] = n.cols;
    shape->n[2] = n.depth;
    shape->count = shape->pieces = 1;
    shape->dense = true;
}

/* But for a factor of each kind. */
static double operations(const psg_task_shape *shape) {
    return (double)shape->n[0] * (double)shape->n[1] * (double)shape->n[2];
}

/* What is read of the tiles, the triangle above and the factors T, and what is written. */
static psg_traffic traffic(const void *owner, const psg_label *label) {
    const psg_qr *qr = owner;
    const base_qr_shape n =
        psg_qr_shape(qr, label->index[ROW], label->index[COLUMN], label->index[STEP]);
    const double real = (double)qr->real_bytes;
    const double tile = real * (double)(n.rows * n.cols), v = real * (double)(n.rows * n.depth);
    const double t = real * (double)(n.inner * n.depth), above = real * (double)(n.depth * n.cols);
    switch (label->kind) {
    case PSG_KIND_GEQRT:
        return (psg_traffic){tile, tile + v + t};
    case PSG_KIND_UNMQR:
        return (psg_traffic){tile + v + t, tile};
    case PSG_KIND_TSQRT:
        return (psg_traffic){tile + above / 2, tile + above / 2 + t};
    default:
        return (psg_traffic){tile + above + v + t, tile + above};
    }
}

/* The longest path to the end, itself included, in b^3/3 operations of tiles of b x b: geqrt has 4 of these, unmqr and tsqrt 6,
 * tsmqr 12. From tsmqr(i,j,k) it leads down the column, and in each step after k through one tsqrt and one tsmqr more. */
static int priority(const void *owner, const psg_label *label) {
    const psg_qr *qr = owner;
    const long i = (long)label->index[ROW], j = (long)label->index[COLUMN];
    const long k = (long)label->index[STEP];
    const long rows = (long)qr->tiles[0], columns = (long)qr->tiles[1];
    const bool square = rows == columns; /* the last task is a geqrt, else a tsqrt */
    long path = 12 * (rows - 1 - i) + 18 * (columns - 1 - k) - 6 * (j - k - 1) - (square ? 2 : 0);
    if (k == columns - 1) { /* no updates follow */
        path = label->kind == PSG_KIND_GEQRT ? 4 + 6 * (rows - columns) : 6 * (rows - i);
    } else if (label->kind == PSG_KIND_GEQRT) {
        path -= 8;
    } else if (label->kind == PSG_KIND_UNMQR) {
        path -= 6;
    }
    return qr->by_path ? (int)path : 0;
}

#define KIND(task, on_cores)                                                                       \
    {                                                                                              \
        .name = #task, .cores = (on_cores), .shape = shape, .operations = operations,              \
        .traffic = traffic, .priority = priority                                                   \
    }
const psg_kind psg_geqrt_kind = KIND(geqrt, true);
const psg_kind psg_unmqr_kind = KIND(unmqr, false);
const psg_kind psg_tsqrt_kind = KIND(tsqrt, true);
const psg_kind psg_tsmqr_kind = KIND(tsmqr, false);
