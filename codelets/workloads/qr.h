/** @file qr.h  The tasks of workload qr, on tiles (i, j) of a matrix: row i, column j, and step k. */
#ifndef PSG_CODELETS_WORKLOADS_QR_H
#define PSG_CODELETS_WORKLOADS_QR_H

#include "codelets/kinds.h"
#include "cpu/qr.h"
#include "runtime/gpu.h"

/** The owner of its engine. All of it is set before the first task is submitted. */
typedef struct psg_qr {
    size_t n[2];     /**< rows and columns of the matrix */
    size_t tile;     /**< rows and columns of a tile but the last ones */
    size_t tiles[2]; /**< in a column, and in a row */
    size_t inner;    /**< reflectors that are applied together */
    bool by_path;    /**< a task's priority is the longest path to the end */
    size_t real_bytes;
    const psg_cpu_qr *cpu; /**< NULL: built without LAPACK, for a simulation */
} psg_qr;

/** Rows of the tiles of row i, or with axis 1 columns of those of column i. */
static inline size_t psg_qr_extent(const psg_qr *qr, int axis, size_t i) {
    const size_t left = qr->n[axis] - i * qr->tile;
    return left < qr->tile ? left : qr->tile;
}

/** What a task on tile (i, j) in step k works on. */
base_qr_shape psg_qr_shape(const psg_qr *qr, size_t i, size_t j, size_t k);

/** Data of a task. Tiles are StarPU blocks of [columns][rows] reals. */
typedef struct psg_qr_data {
    starpu_data_handle_t a;     /**< tile (i, j) */
    starpu_data_handle_t above; /**< tile (k, j) */
    starpu_data_handle_t
        v; /**< the reflectors of row i: of row k geqrt's, which stand alone; else tile (i, k) */
    starpu_data_handle_t t;    /**< [depth][inner]: their factors */
    starpu_data_handle_t work; /**< nobody's, for one task at a time: [inner][tile] reals */
} psg_qr_data;

/** Tile (k, k) -> its R, and its reflectors v and t. */
void psg_task_geqrt(psg_run *run, size_t k, const psg_qr_data *data);
/** The reflectors of row k -> tile (k, j). */
void psg_task_unmqr(psg_run *run, size_t j, size_t k, const psg_qr_data *data);
/** The R above, tile (i, k) -> a new R, and reflectors in the place of tile (i, k). */
void psg_task_tsqrt(psg_run *run, size_t i, size_t k, const psg_qr_data *data);
/** The reflectors of row i -> tile (k, j), tile (i, j). */
void psg_task_tsmqr(psg_run *run, size_t i, size_t j, size_t k, const psg_qr_data *data);

/** For psg_gpu_start(): cuBLAS. */
psg_gpu_user psg_qr_gpu(void);

extern const psg_kind psg_geqrt_kind;
extern const psg_kind psg_unmqr_kind;
extern const psg_kind psg_tsqrt_kind;
extern const psg_kind psg_tsmqr_kind;

#endif
