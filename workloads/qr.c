/* qr: the factors Q and R of a random matrix, by reflectors or by rotations on tiles. In step k
 *
 *   geqrt(k)      tile (k,k)           -> R, V, T
 *   unmqr(k,j)    V, T                 -> tile (k,j)            of all j > k
 *   tsqrt(i,k)    R above, tile (i,k)  -> R, V, T               of all i > k, one after the other
 *   tsmqr(i,j,k)  V, T of row i        -> tiles (k,j), (i,j)    of all j > k, one i after the other
 *
 * By rotations the four are givens_factor, givens_apply, givens_eliminate and givens_update. Each
 * takes 3/2 of the operations, so the longest paths are the same tasks. tsmqr(i,j,k) is the farther
 * from the end the smaller 2i + j + 2k is: these numbers are the fronts of a wave.
 *
 * geqrt copies V, so that tsqrt changes R above while unmqr still reads V. The algorithm: A.
 * Buttari, J. Langou, J. Kurzak, J. Dongarra, Parallel tiled QR factorization for multicore
 * architectures, 2008, https://doi.org/10.1002/cpe.1301.
 */
#include "workloads/qr.h"
#include "base/tuning.h"
#include "graph/psg_machine.h"

#include <limits.h>
#include <starpu.h>
#include <stdio.h>
#include <string.h>
#ifdef WORKLOADS_CUDA
#include <starpu_cuda.h>
#endif

typedef qr_problem problem;

/* ----------------------------------------------------------------------------------- the tasks */

enum { ROW = 0, COLUMN, STEP };
enum { GEQRT, UNMQR, TSQRT, TSMQR, STEPS, KINDS = STEPS * QR_METHODS };
static int first_kind;

static int step_of(const psg_label *label) {
    return (label->kind - first_kind) % STEPS;
}

static qr_sizes shape_of(const psg_task *task) {
    const size_t *at = task->label->index;
    return qr_shape(task->owner, at[ROW], at[COLUMN], at[STEP]);
}

/* The matrix behind buffer m of a task. */
static qr_columns columns(const psg_task *task, size_t m) {
    return (qr_columns){psg_task_memory(task, m), STARPU_BLOCK_GET_LDY(task->buffers[m])};
}

/* The buffers of each step are those of submit_task(). */
static void on_core(const psg_task *task) {
    const qr_sizes n = shape_of(task);
    const qr_method *method = qr_method_of(task->owner);
    void *m[5] = {NULL};
    for (size_t b = 0; b < 4 + (step_of(task->label) == TSMQR); b++) {
        m[b] = psg_task_memory(task, b);
    }
    switch (step_of(task->label)) {
    case GEQRT:
        method->geqrt(&n, m[0], m[1], m[2], m[3]);
        break;
    case UNMQR:
        method->unmqr(&n, true, m[1], m[2], columns(task, 0), m[3]);
        break;
    case TSQRT:
        method->tsqrt(&n, columns(task, 0), m[1], m[2], m[3]);
        break;
    default:
        method->tsmqr(&n, true, m[2], m[3], columns(task, 0), columns(task, 1), m[4]);
    }
}

#ifdef WORKLOADS_CUDA
static int unmqr_gpu(const psg_task *task) {
    const qr_sizes n = shape_of(task);
    return qr_cuda_unmqr(task->state, &n, psg_task_memory(task, 1), psg_task_memory(task, 2),
                         psg_task_memory(task, 0), psg_task_memory(task, 3));
}

static int tsmqr_gpu(const psg_task *task) {
    const qr_sizes n = shape_of(task);
    return qr_cuda_tsmqr(task->state, &n, psg_task_memory(task, 2), psg_task_memory(task, 3),
                         psg_task_memory(task, 0), STARPU_BLOCK_GET_LDY(task->buffers[0]),
                         psg_task_memory(task, 1), psg_task_memory(task, 4));
}

static int make_blas(void **state, const void *owner) {
    const problem *qr = owner;
    return qr_cuda_blas_create((qr_cuda_blas **)state, WORKLOAD_PRECISION(qr->head.real_bytes),
                               starpu_cuda_get_local_stream());
}

static void destroy_blas(void *state, const void *owner) {
    (void)owner;
    qr_cuda_blas_destroy(state);
}
#endif

/* Tasks of a kind take as long if their tiles are as large. */
static void shape(const void *owner, const psg_label *label, psg_task_shape *shape) {
    const qr_sizes n = qr_shape(owner, label->index[ROW], label->index[COLUMN], label->index[STEP]);
    workload_shape(shape, n.rows, n.cols, n.depth, 1, 1);
}

/* What is read of the tiles, the triangle above and the factors T, and what is written. */
static psg_traffic traffic(const void *owner, const psg_label *label) {
    const problem *qr = owner;
    const qr_sizes n = qr_shape(qr, label->index[ROW], label->index[COLUMN], label->index[STEP]);
    const double real = (double)qr->head.real_bytes;
    const double tile = real * (double)(n.rows * n.cols), v = real * (double)(n.rows * n.depth);
    const double t = real * (double)(n.inner * n.depth), above = real * (double)(n.depth * n.cols);
    switch (step_of(label)) {
    case GEQRT:
        return (psg_traffic){tile, tile + v + t};
    case UNMQR:
        return (psg_traffic){tile + v + t, tile};
    case TSQRT:
        return (psg_traffic){tile + above / 2, tile + above / 2 + t};
    default:
        return (psg_traffic){tile + above + v + t, tile + above};
    }
}

/* The longest path to the end, itself included, in b^3/3 operations of tiles of b x b: geqrt has 4
 * of these, unmqr and tsqrt 6, tsmqr 12. From tsmqr(i,j,k) it leads down the column, and in each
 * step after k through one tsqrt and one tsmqr more. */
static int priority(const void *owner, const psg_label *label) {
    const problem *qr = owner;
    const long i = (long)label->index[ROW], j = (long)label->index[COLUMN];
    const long k = (long)label->index[STEP];
    const long rows = (long)qr->tiles[0], columns = (long)qr->tiles[1];
    const bool square = rows == columns; /* the last task is a geqrt, else a tsqrt */
    long path = 12 * (rows - 1 - i) + 18 * (columns - 1 - k) - 6 * (j - k - 1) - (square ? 2 : 0);
    if (k == columns - 1) { /* no updates follow */
        path = step_of(label) == GEQRT ? 4 + 6 * (rows - columns) : 6 * (rows - i);
    } else if (step_of(label) == GEQRT) {
        path -= 8;
    } else if (step_of(label) == UNMQR) {
        path -= 6;
    }
    return qr->head.by_path ? (int)path : 0;
}

#define ON_CORES(the_name)                                                                         \
    { WORKLOAD_KIND(the_name, on_core, NULL, workload_numbers), .cores = true }
static const psg_kind kinds[KINDS] = {
    [GEQRT] = ON_CORES("geqrt"),
    [UNMQR] = {WORKLOAD_KIND("unmqr", on_core, unmqr_gpu, workload_numbers)},
    [TSQRT] = ON_CORES("tsqrt"),
    [TSMQR] = {WORKLOAD_KIND("tsmqr", on_core, tsmqr_gpu, workload_numbers)},
    [STEPS + GEQRT] = ON_CORES("givens_factor"),
    [STEPS + UNMQR] = ON_CORES("givens_apply"),
    [STEPS + TSQRT] = ON_CORES("givens_eliminate"),
    [STEPS + TSMQR] = ON_CORES("givens_update")};

static bool uses(const void *memory, size_t kind) {
    return kind / STEPS == (size_t)((const problem *)memory)->by;
}

/* ------------------------------------------------------------------------------------ the size */

/* LAPACK takes an int. */
static psg_status read_sizes(problem *qr, const char *size) {
    size_t *n = qr->n;
    const char *rest = workload_number(size, 1, INT_MAX, &n[0]);
    n[1] = n[0];
    if (rest != NULL && rest[0] == 'x') {
        rest = workload_number(rest + 1, 1, INT_MAX, &n[1]);
    }
    qr->by = rest != NULL && strcmp(rest, ":givens") == 0 ? QR_GIVENS : QR_HOUSEHOLDER;
    if (rest == NULL || (qr->by == QR_HOUSEHOLDER && rest[0] != '\0')) {
        return workload_fail(PSG_ERR_ARG,
                             "qr:%s: the size is N, MxN, N:givens or MxN:givens, whole numbers "
                             "from 1 to %d",
                             size, INT_MAX);
    }
    return n[0] >= n[1] ? PSG_OK
                        : workload_fail(PSG_ERR_ARG,
                                        "qr:%s has %zu rows and %zu columns: there have to be "
                                        "as many rows as columns, or more",
                                        size, n[0], n[1]);
}

/* The matrix and its reflectors. */
static workload_needs needs(const void *memory) {
    const problem *qr = memory;
    const double rows = (double)qr->tiles[0], columns = (double)qr->tiles[1];
    const double tasks = columns * (columns + 1) * (3 * rows - columns + 1) / 6;
    const double reals =
        (double)qr->n[0] * (double)qr->n[1] * (1 + (double)qr->inner / (double)qr->tile);
    const double real = (double)qr->head.real_bytes;
    return (workload_needs){reals * real, 2 * rows * columns, tasks, (double)qr->scratch * real};
}

static void set_inner(problem *qr) {
    const bool reflectors = qr->by == QR_HOUSEHOLDER;
    qr->inner = qr->tile / (reflectors ? TUNING_QR_INNER_PART : 1);
    qr->inner = qr->inner < TUNING_QR_INNER ? TUNING_QR_INNER : qr->inner;
    qr->inner = qr->inner < qr->tile ? qr->inner : qr->tile;
    qr->scratch =
        qr->tile * (reflectors ? qr->inner : 2 * (size_t)QR_STRIP_BYTES / qr->head.real_bytes);
}

static psg_status parse(void *memory, const char *size, const workload_options *how) {
    problem *qr = memory;
    const char *missing = qr_lapack_load(&qr->lapack);
    if (missing != NULL && !psg_simulation()) {
        return workload_fail(PSG_ERR_UNSUPPORTED, "%s", missing);
    }
    qr->cpu = qr->lapack != NULL ? qr->lapack->qr[qr->head.real_bytes == sizeof(float)] : NULL;
    const psg_status status = read_sizes(qr, size);
    if (status != PSG_OK) {
        return status;
    }
    const size_t columns = qr->n[1];
    const size_t most = columns < WORKLOAD_SIDE_MOST ? columns : WORKLOAD_SIDE_MOST;
    qr->tile = how->tile > 0 ? how->tile : TUNING_QR_TILE < columns ? TUNING_QR_TILE : columns;
    set_inner(qr);
    for (int axis = 0; axis < 2; axis++) {
        qr->tiles[axis] = (qr->n[axis] - 1) / qr->tile + 1;
    }
    return workload_check_tile(how, "qr:", size, "tiles of T columns", 1, most);
}

static psg_status check_workers(void *memory, const psg_engine_workers *workers) {
    const problem *qr = memory;
    return qr->by == QR_GIVENS || psg_simulation() || workers->cpus <= 1 || qr->lapack->shared()
               ? PSG_OK
               : workload_fail(
                     PSG_ERR_UNSUPPORTED,
                     "qr on %zu cores: this OpenBLAS is built for one thread, and gives wrong "
                     "answers to several at once. On Debian: apt-get install "
                     "libopenblas0-pthread. On one core it is right",
                     (size_t)workers->cpus);
}

static void tell(const void *memory, char *text, size_t size) {
    const problem *qr = memory;
    char by[48] = "rotations";
    if (qr->by == QR_HOUSEHOLDER) {
        (void)snprintf(by, sizeof by, "%zu reflectors at once", qr->inner);
    }
    (void)snprintf(text, size, "%zu x %zu in f%zu, %zu x %zu tiles of %zu x %zu, %s", qr->n[0],
                   qr->n[1], 8 * qr->head.real_bytes, qr->tiles[0], qr->tiles[1], qr->tile,
                   qr->tile, by);
}

/* ------------------------------------------------------------------------------------ the data */

static void make(void *memory) {
    problem *qr = memory;
    const size_t tiles = qr->tiles[0] * qr->tiles[1], real = qr->head.real_bytes;
    if (qr->lapack != NULL) {
        qr->lapack->begin();
    }
    qr->a = workload_memory(&qr->head, 2 * tiles + qr->tiles[1] + 1, sizeof *qr->a);
    qr->t = qr->a + (qr->head.failed ? 0 : tiles);
    qr->v = qr->t + (qr->head.failed ? 0 : tiles);
    qr->work = qr->v + (qr->head.failed ? 0 : qr->tiles[1]);
    for (size_t m = 0; m < tiles && !qr->head.failed; m++) {
        const size_t i = m % qr->tiles[0], j = m / qr->tiles[0];
        const qr_sizes n = qr_shape(qr, i, j, j);
        workload_hold(&qr->head, &qr->a[m], n.rows, n.cols, 1, real);
        if (i >= j) {
            workload_hold(&qr->head, &qr->t[m], n.inner, n.depth, 1, real);
        }
        if (i == j) {
            workload_hold(&qr->head, &qr->v[j], n.rows, n.depth, 1, real);
        }
    }
    workload_lend(&qr->head, qr->work, NULL, qr->scratch, 1, 1, real);
}

static void fill(const void *memory, size_t at, void *tile, void *result) {
    const problem *qr = memory;
    (void)result;
    qr_draw(qr, at % qr->tiles[0], at / qr->tiles[0], tile);
}

static size_t answers(void *memory, workload_answer *list) {
    return qr_answers(memory, list);
}

static bool prepare(const void *memory) {
    const problem *qr = memory;
    return workload_visit(qr, qr->a, qr->tiles[0] * qr->tiles[1], 1, true, fill, NULL);
}

static void destroy(void *memory) {
    const problem *qr = memory;
    if (qr->lapack != NULL && qr->head.work != NULL) { /* else `make` has not begun */
        qr->lapack->end();
    }
}

/* ----------------------------------------------------------------------------------- the graph */

/* Task (i, j, k) of a kind. The reflectors of row k are geqrt's, which stand alone; others are in
 * tile (i, k). */
static void submit_task(psg_run *run, const problem *qr, int kind, size_t i, size_t j, size_t k) {
    const psg_data *a = &qr->a[qr_at(qr, i, j)], *above = &qr->a[qr_at(qr, k, j)];
    const psg_data *t = &qr->t[qr_at(qr, i, k)];
    const psg_data *v = i == k ? &qr->v[k] : &qr->a[qr_at(qr, i, k)];
    const bool factors = kind == GEQRT || kind == TSQRT, pair = kind == TSQRT || kind == TSMQR;
    const psg_task_data data[] = {
        {above, pair, 1, STARPU_RW},     {a, 1, 1, STARPU_RW},
        {v, !factors, 1, STARPU_R},      {t, 1, 1, factors ? STARPU_W : STARPU_R},
        {v, kind == GEQRT, 1, STARPU_W}, {qr->work, 1, 1, STARPU_SCRATCH}};
    psg_run_submit(run, (psg_label){first_kind + STEPS * (int)qr->by + kind, {i, j, k}}, data,
                   sizeof data / sizeof *data);
}

static void submit(psg_run *run, const void *memory) {
    const problem *qr = memory;
    const size_t rows = qr->tiles[0], columns = qr->tiles[1];
    for (size_t k = 0; k < columns; k++) {
        for (size_t i = k; i < rows; i++) {
            submit_task(run, qr, i == k ? GEQRT : TSQRT, i, k, k);
            for (size_t j = k + 1; j < columns; j++) {
                submit_task(run, qr, i == k ? UNMQR : TSMQR, i, j, k);
            }
        }
    }
}

const workload_row workload_qr = {
    .facts = {.name = "qr",
              .about = "the factors Q and R of a random matrix: a graph with a long path",
              .sizes = "N or MxN, as many rows M as columns N or more; :givens behind it: by "
                       "rotations",
              .tile = "B: tiles of B x B"},
    WORKLOAD_FIELDS,
    .f32 = true,
    .uses = uses,
    .gpu_make = WORKLOAD_GPU(make_blas),
    .gpu_destroy = WORKLOAD_GPU(destroy_blas),
    .gpu_words = WORKLOAD_GPU(qr_cuda_blas_words),
    .gpu_is_memory = WORKLOAD_GPU(qr_cuda_blas_is_memory),
    .cut = check_workers,
    .prepare = prepare,
    .free = destroy,
};
