/** @file cg.h  The matrix of NAS CG, and its product with a vector on a core. */
#ifndef PSG_CPU_CG_H
#define PSG_CPU_CG_H

#include "base/cg.h"

/** A sparse matrix by rows, which are filled up to a multiple of BASE_PCG_LANES with empty ones. */
typedef struct psg_cpu_cg_matrix {
    size_t n;         /**< rows before these */
    uint32_t *start;  /**< [all rows + 1]: where each row begins */
    uint32_t *column; /**< [start[n]] */
    double *value;    /**< [start[n]] */
} psg_cpu_cg_matrix;

/** The matrix of the NAS Parallel Benchmarks' kernel CG, sum of w_i v_i v_i^T + (0.1 - shift) I: v_i has `nonzer` random numbers
 *  at random places, and .5 at place i; w_i = 0.1^(i/n). The generator's first number is dropped.
 *  @param[in] nonzer  below n, at most 32 @return false: no memory, and nothing is left */
bool psg_cpu_cg_make(psg_cpu_cg_matrix *matrix, size_t n, size_t nonzer, double shift);
void psg_cpu_cg_free(psg_cpu_cg_matrix *matrix);

/** A p -> q; p.q -> part. */
void psg_cpu_cg_apply(const base_cg_rows *rows);

#endif
