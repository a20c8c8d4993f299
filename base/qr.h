/** @file qr.h  The shapes of Householder QR by tiles. C and C++ (CUDA) at once. */
#ifndef BASE_QR_H
#define BASE_QR_H

#include <stddef.h>

/** What a task works on. Matrices are column-major, and tiles are dense. `depth` reflectors are applied together in blocks of
 *  `inner`, whose triangular factors stand side by side in a matrix T of inner x depth, as LAPACK has it. */
typedef struct base_qr_shape {
    size_t rows;  /**< of the tile that is factored or updated */
    size_t cols;  /**< of it */
    size_t depth; /**< reflectors; of a tile that is factored, its columns */
    size_t inner; /**< at most depth */
} base_qr_shape;

#endif
