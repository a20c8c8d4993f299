/** @file cg.h  The sparse matrix of workload cg, and its product with a vector on a core and on a
 * GPU, with the same bits.
 *
 * Vectors are as fields of conjugate gradients (base/pcg.h) whose planes are leaves: BASE_PCG_LANES
 * numbers each. A block has some leaves, so that the order of sums does not depend on the cut into
 * blocks. The last leaf may have numbers that are always 0.
 */
#ifndef WORKLOADS_CG_H
#define WORKLOADS_CG_H

#include "base/pcg.h"

#include <stdint.h>

#ifdef WORKLOADS_CUDA
#include "kernels/common.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** The upper bits of a column are its block, the others its number in the block. */
enum { CG_LANES = 8, CG_BLOCKS = 64, CG_BITS = 24, CG_MASK = (1 << CG_BITS) - 1 };

/** The rows of block `block`. CG_LANES lanes add up the products of a row, number i by lane i
 * % CG_LANES, and lanes are added in halves. */
typedef struct cg_rows {
    size_t block, leaves;
    const uint32_t *start;  /**< [rows + 1]: where each row begins; start[0] is number 0 below */
    const uint32_t *column; /**< of the block's numbers */
    const double *value;
    const double *p[CG_BLOCKS]; /**< by block: [its rows] */
    double *q;                  /**< [rows] = A p */
    double *part;               /**< [leaves]: sums of p q */
} cg_rows;

/** A sparse matrix by rows, which are filled up to a multiple of BASE_PCG_LANES with empty ones. */
typedef struct cg_matrix {
    size_t n;         /**< rows before these */
    uint32_t *start;  /**< [all rows + 1]: where each row begins */
    uint32_t *column; /**< [start[n]] */
    double *value;    /**< [start[n]] */
} cg_matrix;

/** A class of the NAS Parallel Benchmarks' kernel CG, with the published answer. `first_zeta` and
 * `nonzeros` were computed apart from this program. */
typedef struct cg_class {
    char name;
    size_t n, nonzer, iterations;
    double shift, zeta, first_zeta;
    size_t nonzeros;
} cg_class;

/** @param[in] size  "S" @return NULL: there is no such class */
const cg_class *cg_class_of(const char *size);

/** The matrix of the kernel CG, sum of w_i v_i v_i^T + (0.1 - shift) I: v_i has `nonzer` random
 * numbers at random places, and .5 at place i; w_i = 0.1^(i/n). The generator's first number is
 * dropped.
 *  @param[in] nonzer  below n, at most 32 @return false: no memory, and nothing is left */
bool cg_matrix_make(cg_matrix *matrix, size_t n, size_t nonzer, double shift);
void cg_matrix_free(cg_matrix *matrix);

/** A p -> q; p.q -> part. */
void cg_cpu_apply(const cg_rows *rows);

#ifdef WORKLOADS_CUDA
/** @param[in] rows  with pointers to the GPU's memory @return cudaSuccess; cudaErrorInvalidValue:
 * nothing was launched */
cudaError_t cg_cuda_apply(const cg_rows *rows, cudaStream_t stream);
#endif

#ifdef __cplusplus
}
#endif
#endif
