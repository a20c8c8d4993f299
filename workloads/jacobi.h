/** @file jacobi.h  A tile of Jacobi's method for Laplace's equation, on a core and on a GPU, with
 * the same bits. */
#ifndef WORKLOADS_JACOBI_H
#define WORKLOADS_JACOBI_H

#include <stdbool.h>
#include <stddef.h>

#ifdef WORKLOADS_CUDA
#include "kernels/common.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** The sides of a tile: of an edge, which is the tile's own outermost row or column, and of what
 * lies beyond it. */
enum { JACOBI_NORTH = 0, JACOBI_SOUTH, JACOBI_WEST, JACOBI_EAST, JACOBI_SIDES };

/** The points that a sweep is of: all, those inside of the outermost rows and columns, or these. */
enum { JACOBI_ALL = 0, JACOBI_INSIDE, JACOBI_RIM };

/** A sweep of a tile: each point becomes the mean of its four neighbours, (((north + south) + west)
 * + east) / 4, in this order of the sums. Tiles are dense, [rows][columns]. */
typedef struct jacobi_sweep {
    size_t columns, rows; /**< 1 or more */
    int part; /**< JACOBI_ALL and so on; of JACOBI_INSIDE beyond and edge do not count */
    const void *u;
    const void
        *beyond[JACOBI_SIDES]; /**< what is next to u: [columns], [columns], [rows], [rows] */
    void *next;
    void *edge[JACOBI_SIDES]; /**< of next; of a column NULL: not wanted */
} jacobi_sweep;

/** Reals are double or, of f32, float. */
void jacobi_cpu(bool f32, const jacobi_sweep *sweep);
/** Of a row of an array of `columns`, points first .. end - 1 of the array. */
void jacobi_cpu_row(bool f32, size_t columns, size_t first, size_t end, const void *u, void *next);
/** A sweep of a whole square of n x n points, whose sides are fixed, to compare with. */
void jacobi_cpu_all(bool f32, size_t n, const void *u, void *next);

#ifdef WORKLOADS_CUDA
/** @param[in] sweep  with pointers to the GPU's memory
 *  @return cudaSuccess; cudaErrorInvalidValue: nothing was launched */
cudaError_t jacobi_cuda(psg_cuda_precision precision, const jacobi_sweep *sweep,
                        cudaStream_t stream);
#endif

#ifdef __cplusplus
}
#endif
#endif
