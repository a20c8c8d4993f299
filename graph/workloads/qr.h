/** @file qr.h  What the two files of workload qr share. */
#ifndef PSG_GRAPH_WORKLOADS_QR_H
#define PSG_GRAPH_WORKLOADS_QR_H

#include "codelets/workloads/qr.h"
#include "graph/psg_work.h"

typedef struct psg_qr_problem {
    psg_qr qr; /**< what its tasks see: first, as the problem is the owner of the engine */
    size_t handles;
    starpu_data_handle_t *tile; /**< [columns][rows] of tiles: of all handles the first */
    starpu_data_handle_t *
        t; /**< [columns][rows]: factors of the reflectors that a tile has. NULL above the diagonal */
    starpu_data_handle_t *v; /**< [columns]: the reflectors of tile (k, k), alone */
    starpu_data_handle_t *work;
} psg_qr_problem;

/** Of tile (i, j). */
static inline size_t psg_qr_at(const psg_qr *qr, size_t i, size_t j) {
    return j * qr->tiles[0] + i;
}

/** The size of a tile. */
static inline base_qr_shape psg_qr_tile(const psg_qr *qr, size_t i, size_t j) {
    return (base_qr_shape){.rows = psg_qr_extent(qr, 0, i), .cols = psg_qr_extent(qr, 1, j)};
}

/** Tile (i, j) of the matrix as it was, which is drawn again. */
void psg_qr_draw(const psg_qr *qr, size_t i, size_t j, void *tile);

/** See psg_workload_row. */
size_t psg_qr_answers(const void *problem, psg_answer *answers);

#endif
