/** @file cg.h  Rows of a sparse matrix for workload cg. C and C++ (CUDA) at once.
 *
 * Vectors are as fields of conjugate gradients (base/pcg.h) whose planes are leaves: BASE_PCG_LANES numbers each. A block has
 * some leaves, so that the order of sums does not depend on the cut into blocks. The last leaf may have numbers that are always 0.
 */
#ifndef BASE_CG_H
#define BASE_CG_H

#include "base/pcg.h"

#include <stdint.h>

/** The upper bits of a column are its block, the others its number in the block. */
enum {
    BASE_CG_LANES = 8,
    BASE_CG_BLOCKS = 64,
    BASE_CG_BITS = 24,
    BASE_CG_MASK = (1 << BASE_CG_BITS) - 1
};

/** The rows of block `block`. BASE_CG_LANES lanes add up the products of a row, number i by lane i % BASE_CG_LANES, and lanes are
 *  added in halves. */
typedef struct base_cg_rows {
    size_t block, leaves;
    const uint32_t *start;  /**< [rows + 1]: where each row begins; start[0] is number 0 below */
    const uint32_t *column; /**< of the block's numbers */
    const double *value;
    const double *p[BASE_CG_BLOCKS]; /**< by block: [its rows] */
    double *q;                       /**< [rows] = A p */
    double *part;                    /**< [leaves]: sums of p q */
} base_cg_rows;

#endif
