/** @file transpose.h  The tasks of workload transpose. */
#ifndef PSG_CODELETS_WORKLOADS_TRANSPOSE_H
#define PSG_CODELETS_WORKLOADS_TRANSPOSE_H

#include "codelets/kinds.h"
#include "runtime/run.h"

/** Axes of the matrix A: index 0 of a pair is the row. */
enum { PSG_TRANSPOSE_ROW = 0, PSG_TRANSPOSE_COLUMN, PSG_TRANSPOSE_AXES };

/** The owner of its engine. All of it is set before the first task is submitted. */
typedef struct psg_transpose {
    size_t n[PSG_TRANSPOSE_AXES];     /**< rows and columns of A */
    size_t tile[PSG_TRANSPOSE_AXES];  /**< of a tile of A; of the last ones fewer, perhaps */
    size_t tiles[PSG_TRANSPOSE_AXES]; /**< along each axis */
    size_t element_bytes;
    bool by_path; /**< a task's priority is the number of tasks that follow it */
} psg_transpose;

/** Rows, or columns, of the tiles of A that are number m along the axis. */
static inline size_t psg_transpose_extent(const psg_transpose *t, int axis, size_t m) {
    const size_t left = t->n[axis] - m * t->tile[axis];
    return left < t->tile[axis] ? left : t->tile[axis];
}

/* In place the tiles of A stand in places of one array, row of tiles by row of tiles: tile (p,q) in place p Q + q of P x Q.
 * In the transpose it stands in place q P + p. */

/** Where the tile in this place of A stands in the transpose. */
static inline size_t psg_transpose_goes_to(const psg_transpose *t, size_t place) {
    return place % t->tiles[PSG_TRANSPOSE_COLUMN] * t->tiles[PSG_TRANSPOSE_ROW] +
           place / t->tiles[PSG_TRANSPOSE_COLUMN];
}
/** And where the tile in this place of the transpose stood in A: its row and column of tiles. */
static inline void psg_transpose_comes_from(const psg_transpose *t, size_t place,
                                            size_t at[PSG_TRANSPOSE_AXES]) {
    at[PSG_TRANSPOSE_ROW] = place % t->tiles[PSG_TRANSPOSE_ROW];
    at[PSG_TRANSPOSE_COLUMN] = place / t->tiles[PSG_TRANSPOSE_ROW];
}

/** Tile (row, column) of A -> tile (column, row) of the transpose. */
void psg_task_transpose(psg_run *run, const size_t at[PSG_TRANSPOSE_AXES],
                        starpu_data_handle_t from, starpu_data_handle_t to);

/** Two places of the array, with their data. */
typedef struct psg_transpose_pair {
    size_t place[2]; /**< the same one twice: a tile that stays where it is */
    starpu_data_handle_t data[2];
} psg_transpose_pair;

/** The first round: the tiles of the two places change places as they are.
 *  @param[in] scratch  room for a tile, nobody's, for one task at a time */
void psg_task_transpose_exchange(psg_run *run, const psg_transpose_pair *pair,
                                 starpu_data_handle_t scratch);
/** The second round: they are transposed, and change places. */
void psg_task_transpose_swap(psg_run *run, const psg_transpose_pair *pair,
                             starpu_data_handle_t scratch);

extern const psg_kind psg_transpose_kind;
extern const psg_kind psg_transpose_exchange_kind;
extern const psg_kind psg_transpose_swap_kind;
extern const psg_kind psg_transpose_alone_kind;

#endif
