/** @file jacobi.h  A tile of Jacobi's method for Laplace's equation. C and C++ (CUDA) at once. */
#ifndef BASE_JACOBI_H
#define BASE_JACOBI_H

#include <stddef.h>

/** The sides of a tile: of an edge, which is the tile's own outermost row or column, and of what lies beyond it. */
enum {
    BASE_JACOBI_NORTH = 0,
    BASE_JACOBI_SOUTH,
    BASE_JACOBI_WEST,
    BASE_JACOBI_EAST,
    BASE_JACOBI_SIDES
};

/** A sweep of a tile: each point becomes the mean of its four neighbours, (((north + south) + west) + east) / 4, in this
 *  order of the sums. Tiles are dense, [rows][columns]. */
typedef struct base_jacobi_sweep {
    size_t columns, rows; /**< 1 or more */
    const void *u;
    const void
        *beyond[BASE_JACOBI_SIDES]; /**< what is next to u: [columns], [columns], [rows], [rows] */
    void *next;
    void *edge[BASE_JACOBI_SIDES]; /**< of next */
} base_jacobi_sweep;

#endif
