/** @file differentiate.h  Derivatives of the modes of a segment, by a pass of their own before the transform back. */
#ifndef PSG_KERNELS_DIFFERENTIATE_H
#define PSG_KERNELS_DIFFERENTIATE_H

#include "kernels/xy.h"

#ifdef __cplusplus
extern "C" {
#endif

/** By what a mode is multiplied: sqrt(-1) scale kx ky. */
typedef struct psg_cuda_derivative {
    const void
        *kx_d; /**< reals of the precision, [nxc] in the order of the numbers of a row; NULL: 1 */
    const void *ky_d; /**< [ny]; NULL: 1 */
    double scale;
} psg_cuda_derivative;

/** Multiply the rows of a part.
 *  @param[in]  part      only read; rows nxc < 2^31
 *  @param[in]  planes    0 is fine
 *  @param[in]  strip     psg_cuda_columns.strip
 *  @param[out] result_d  [planes][rows nxc] complex numbers in the order of the part's; may be the part itself, if that is
 *                        dense
 *  @return cudaSuccess; cudaErrorInvalidValue: nothing was launched */
cudaError_t psg_cuda_differentiate(psg_cuda_precision precision, const psg_cuda_xy_part *part,
                                   size_t planes, size_t nxc, size_t strip,
                                   const psg_cuda_derivative *by, void *result_d,
                                   cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
