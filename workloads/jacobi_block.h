/** @file jacobi_block.h  Workload jacobi over processes: each has a block of the square, in a grid
 * of blocks. */
#ifndef WORKLOADS_JACOBI_BLOCK_H
#define WORKLOADS_JACOBI_BLOCK_H

#include "workloads/jacobi.h"
#include "workloads/workload.h"

#include <math.h>

/** Axes of what has rows and columns. */
enum { ROW = 0, COLUMN, STEP };

/** What a process has of the square: a block, in a grid of blocks. */
typedef struct jacobi_block {
    int rank;
    int blocks[2], at[2]; /**< in all, and this one's place, along rows and columns of the grid */
    size_t first[2];      /**< the row and the column of the grid of its first point */
    size_t size[2];       /**< rows and columns */
    size_t tiles[2];      /**< along each axis */
    psg_data *ghosts;     /**< [ghost_count]: those of `beyond` that come in messages */
    size_t ghost_count;
} jacobi_block;

/** The axis along which a side goes, and the one across it. */
static inline int jacobi_along(int side) {
    return side == JACOBI_NORTH || side == JACOBI_SOUTH ? COLUMN : ROW;
}
static inline int jacobi_across(int side) {
    return 1 - jacobi_along(side);
}

static inline bool jacobi_is_low(int side) {
    return side == JACOBI_NORTH || side == JACOBI_WEST;
}

/** The process beyond a side of the block; -1: the side of the square. */
static inline int jacobi_neighbour(const jacobi_block *b, int side) {
    const int axis = jacobi_across(side), step = jacobi_is_low(side) ? -1 : 1;
    const int to = b->at[axis] + step;
    return to < 0 || to == b->blocks[axis] ? -1
                                           : b->rank + step * (axis == ROW ? b->blocks[COLUMN] : 1);
}

/** Is a tile the outermost one on a side of the block? */
static inline bool jacobi_is_outermost(const jacobi_block *b, const size_t at[2], int side) {
    const int axis = jacobi_across(side);
    return at[axis] == (jacobi_is_low(side) ? 0 : b->tiles[axis] - 1);
}

/** Does the edge of a tile go to another process? */
static inline bool jacobi_travels(const jacobi_block *b, const size_t at[2], int side) {
    return jacobi_is_outermost(b, at, side) && jacobi_neighbour(b, side) >= 0;
}

/** The block of this process, of as many as there are processes, as square as can be.
 *  @param[in] inside  points along each axis @param[out] b  but its tiles */
static inline void jacobi_divide(jacobi_block *b, const psg_engine_workers *workers,
                                 size_t inside) {
    b->rank = workers->rank;
    b->blocks[ROW] = (int)sqrt((double)workers->ranks);
    while (workers->ranks % b->blocks[ROW] != 0) {
        b->blocks[ROW]--;
    }
    b->blocks[COLUMN] = workers->ranks / b->blocks[ROW];
    b->at[ROW] = workers->rank / b->blocks[COLUMN];
    b->at[COLUMN] = workers->rank % b->blocks[COLUMN];
    for (int axis = 0; axis < 2; axis++) {
        const size_t first = workload_first(inside, b->at[axis], b->blocks[axis]);
        b->first[axis] = 1 + first;
        b->size[axis] = workload_first(inside, b->at[axis] + 1, b->blocks[axis]) - first;
    }
}

#endif
