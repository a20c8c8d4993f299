/* qr: the factors Q and R of a random matrix, by Householder reflectors on tiles. In step k
 *
 *   geqrt(k)        tile (k,k)            -> R, V, T
 *   unmqr(k,j)      V, T                  -> tile (k,j)              of all j > k
 *   tsqrt(i,k)      R above, tile (i,k)   -> R, V, T                 of all i > k, one after the other
 *   tsmqr(i,j,k)    V, T of row i         -> tile (k,j), tile (i,j)  of all j > k, one i after the other
 *
 * geqrt copies V, so that tsqrt changes R above while unmqr still reads V. The algorithm: A. Buttari, J. Langou, J. Kurzak,
 * J. Dongarra, Parallel tiled QR factorization for multicore architectures, 2008, https://doi.org/10.1002/cpe.1301.
 */
#include "codelets/workloads/qr.h"
#include "base/tuning.h"
#include "graph/block.h"
#include "graph/status.h"
#include "graph/workloads/qr.h"
#include "graph/workloads/row.h"
#include "runtime/simulation.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

typedef psg_qr_problem problem;

/* ------------------------------------------------------------------------------------ the size */

/* LAPACK takes an int. */
static psg_status read_sizes(const char *size, size_t n[2]) {
    const char *rest = psg_size_number(size, 1, INT_MAX, &n[0]);
    n[1] = n[0];
    if (rest != NULL && rest[0] == 'x') {
        rest = psg_size_number(rest + 1, 1, INT_MAX, &n[1]);
    }
    if (rest == NULL || rest[0] != '\0') {
        return psg_fail(PSG_ERR_ARG, "qr:%s: the size is N or MxN, whole numbers from 1 to %d",
                        size, INT_MAX);
    }
    return n[0] >= n[1] ? PSG_OK
                        : psg_fail(PSG_ERR_ARG,
                                   "qr:%s has %zu rows and %zu columns: there have to be "
                                   "as many rows as columns, or more",
                                   size, n[0], n[1]);
}

/* The matrix and its reflectors. */
static psg_needs needs(const void *memory, const psg_workers *workers) {
    const psg_qr *qr = &((const problem *)memory)->qr;
    const double rows = (double)qr->tiles[0], columns = (double)qr->tiles[1];
    const double tasks = columns * (columns + 1) * (3 * rows - columns + 1) / 6;
    const double reals =
        (double)qr->n[0] * (double)qr->n[1] * (1 + (double)qr->inner / (double)qr->tile);
    const double scratch = (double)workers->count * (double)qr->inner * (double)qr->tile;
    return (psg_needs){reals * (double)qr->real_bytes + 2 * rows * columns * TUNING_HANDLE_BYTES,
                       scratch * (double)qr->real_bytes + tasks * TUNING_TASK_BYTES};
}

static psg_status parse(void *memory, const char *size, const psg_work_options *how,
                        psg_precision precision) {
    problem *p = memory;
    psg_qr *qr = &p->qr;
    const char *missing = psg_simulated() ? NULL : psg_cpu_lapack_load();
    if (missing != NULL) {
        return psg_fail(PSG_ERR_UNSUPPORTED, "%s", missing);
    }
    qr->cpu = psg_cpu_qr_of(precision == PSG_F32);
    const psg_status status = read_sizes(size, qr->n);
    if (status != PSG_OK) {
        return status;
    }
    const size_t columns = qr->n[1];
    const size_t most = columns < PSG_BLOCK_SIDE_MOST ? columns : PSG_BLOCK_SIDE_MOST;
    if (how->tile > most) {
        return psg_fail(PSG_ERR_ARG, "tile = %zu: qr:%s has tiles of 1 to %zu columns", how->tile,
                        size, most);
    }
    qr->real_bytes = precision == PSG_F32 ? sizeof(float) : sizeof(double);
    qr->tile = how->tile > 0 ? how->tile : TUNING_QR_TILE < columns ? TUNING_QR_TILE : columns;
    qr->inner = qr->tile / TUNING_QR_INNER_PART;
    qr->inner = qr->inner < TUNING_QR_INNER ? TUNING_QR_INNER : qr->inner;
    qr->inner = qr->inner < qr->tile ? qr->inner : qr->tile;
    qr->by_path = how->priority == PSG_PRIORITY_PATH;
    for (int axis = 0; axis < 2; axis++) {
        qr->tiles[axis] = (qr->n[axis] - 1) / qr->tile + 1;
    }
    return PSG_OK;
}

static psg_status check_workers(void *memory, const psg_workers *workers) {
    (void)memory;
    return psg_simulated() || workers->cpu_count <= 1 || psg_cpu_blas_shared()
               ? PSG_OK
               : psg_fail(PSG_ERR_UNSUPPORTED,
                          "qr on %zu cores: this OpenBLAS is built for one thread, and gives wrong "
                          "answers to several at once. On Debian: apt-get install "
                          "libopenblas0-pthread. On one core it is right",
                          (size_t)workers->cpu_count);
}

static void tell(const void *memory, char *text, size_t size) {
    const psg_qr *qr = &((const problem *)memory)->qr;
    (void)snprintf(text, size,
                   "%zu x %zu in f%zu, %zu x %zu tiles of %zu x %zu, %zu reflectors at once",
                   qr->n[0], qr->n[1], 8 * qr->real_bytes, qr->tiles[0], qr->tiles[1], qr->tile,
                   qr->tile, qr->inner);
}

/* ------------------------------------------------------------------------------------ the data */

static bool hold(const psg_qr *qr, const psg_workers *workers, starpu_data_handle_t *handle,
                 size_t rows, size_t columns) {
    const size_t n[3] = {rows, columns, 1};
    return psg_block_make(handle, workers, n, qr->real_bytes);
}

static psg_status make(void *memory, const psg_workers *workers) {
    problem *p = memory;
    const psg_qr *qr = &p->qr;
    const size_t tiles = qr->tiles[0] * qr->tiles[1];
    p->handles = 2 * tiles + qr->tiles[1] + 1;
    p->tile = calloc(p->handles, sizeof(starpu_data_handle_t));
    if (p->tile == NULL) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for %zu tiles", tiles);
    }
    p->t = p->tile + tiles;
    p->v = p->t + tiles;
    p->work = p->v + qr->tiles[1];
    psg_cpu_blas_begin();
    for (size_t m = 0; m < tiles; m++) {
        const size_t i = m % qr->tiles[0], j = m / qr->tiles[0];
        const base_qr_shape n = psg_qr_shape(qr, i, j, j);
        if (!hold(qr, workers, &p->tile[m], n.rows, n.cols) ||
            (i >= j && !hold(qr, workers, &p->t[m], n.inner, n.depth)) ||
            (i == j && !hold(qr, workers, &p->v[j], n.rows, n.depth))) {
            return psg_fail(PSG_ERR_MEMORY, "no memory for %zu tiles", tiles);
        }
    }
    const size_t scratch[3] = {qr->inner, qr->tile, 1};
    psg_block_register(p->work, STARPU_MAIN_RAM, NULL, scratch, scratch[0] * scratch[1],
                       qr->real_bytes);
    return PSG_OK;
}

void psg_qr_draw(const psg_qr *qr, size_t i, size_t j, void *tile) {
    const base_qr_shape n = psg_qr_tile(qr, i, j);
    qr->cpu->random(&n, (uint64_t)j * qr->tile * qr->n[0] + i * qr->tile, qr->n[0], tile);
}

static bool prepare(const void *memory) {
    const problem *p = memory;
    const psg_qr *qr = &p->qr;
    bool there = true;
    for (size_t at = 0; at < qr->tiles[0] * qr->tiles[1] && there; at++) {
        there = starpu_data_acquire_on_node(p->tile[at], STARPU_MAIN_RAM, STARPU_W) == 0;
        if (there && !psg_simulated()) {
            psg_qr_draw(qr, at % qr->tiles[0], at / qr->tiles[0],
                        starpu_data_handle_to_pointer(p->tile[at], STARPU_MAIN_RAM));
        }
        if (there) {
            starpu_data_release_on_node(p->tile[at], STARPU_MAIN_RAM);
        }
    }
    return there;
}

static void destroy(void *memory) {
    problem *p = memory;
    if (p->tile != NULL) {
        psg_block_unregister(p->tile, p->handles);
        psg_cpu_blas_end();
    }
    free(p->tile);
}

/* ----------------------------------------------------------------------------------- the graph */

static psg_qr_data data_of(const problem *p, size_t i, size_t j, size_t k) {
    const psg_qr *qr = &p->qr;
    return (psg_qr_data){.a = p->tile[psg_qr_at(qr, i, j)],
                         .above = p->tile[psg_qr_at(qr, k, j)],
                         .v = i == k ? p->v[k] : p->tile[psg_qr_at(qr, i, k)],
                         .t = p->t[psg_qr_at(qr, i, k)],
                         .work = *p->work};
}

static void submit(psg_run *run, const void *memory) {
    const problem *p = memory;
    const size_t rows = p->qr.tiles[0], columns = p->qr.tiles[1];
    for (size_t k = 0; k < columns; k++) {
        psg_qr_data data = data_of(p, k, k, k);
        psg_task_geqrt(run, k, &data);
        for (size_t j = k + 1; j < columns; j++) {
            data = data_of(p, k, j, k);
            psg_task_unmqr(run, j, k, &data);
        }
        for (size_t i = k + 1; i < rows; i++) {
            data = data_of(p, i, k, k);
            psg_task_tsqrt(run, i, k, &data);
            for (size_t j = k + 1; j < columns; j++) {
                data = data_of(p, i, j, k);
                psg_task_tsmqr(run, i, j, k, &data);
            }
        }
    }
}

static const int kinds[] = {PSG_KIND_GEQRT, PSG_KIND_UNMQR, PSG_KIND_TSQRT, PSG_KIND_TSMQR, -1};

const psg_workload_row psg_workload_qr = {
    .about = {.name = "qr",
              .about = "the factors Q and R of a random matrix: a graph with a long path",
              .sizes = "N or MxN, as many rows M as columns N or more",
              .tile = "B: tiles of B x B"},
    .bytes = sizeof(problem),
    .f32 = true,
    .kinds = kinds,
    .gpu = psg_qr_gpu,
    .parse = parse,
    .cut = check_workers,
    .needs = needs,
    .tell = tell,
    .make = make,
    .prepare = prepare,
    .submit = submit,
    .answers = psg_qr_answers,
    .free = destroy,
};
