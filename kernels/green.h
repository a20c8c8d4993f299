/** @file green.h  The table of a Green's function as a sum of products, see cpu/green.h. */
#ifndef PSG_KERNELS_GREEN_H
#define PSG_KERNELS_GREEN_H

#include "kernels/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The factors of x, y, z, in double precision. */
typedef struct psg_cuda_green {
    size_t terms;
    size_t modes[3];
    size_t pitch[3];           /**< at least modes */
    const double *factor_d[3]; /**< [terms][pitch] */
} psg_cuda_green;

/** table[j][mz][mx] = sum over the terms of x[term][mx] y[term][row0 + j] z[term][mz], summed in
 *  double precision.
 *  @param[in]  row0, rows  row0 + rows <= modes[1]
 *  @param[out] table_d     dense, of the precision
 *  @return cudaSuccess; cudaErrorInvalidValue: nothing was launched */
cudaError_t psg_cuda_green_rows(psg_cuda_precision precision, const psg_cuda_green *green,
                                size_t row0, size_t rows, void *table_d, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
