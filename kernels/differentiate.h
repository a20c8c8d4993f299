/** @file differentiate.h  Derivatives of the modes of a segment, by a pass of their own before a
 *  transform back that has no kernel of xy.h. */
#ifndef PSG_KERNELS_DIFFERENTIATE_H
#define PSG_KERNELS_DIFFERENTIATE_H

#include "kernels/xy.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Multiply the modes of a dense segment.
 *  @param[in]  spectrum_d  [planes][ny][nxc] complex numbers, only read
 *  @param[in]  n           nxc, ny and planes; nxc ny < 2^31; any may be 0
 *  @param[out] result_d    as many; may be the spectrum itself
 *  @return cudaSuccess; cudaErrorInvalidValue: nothing was launched */
cudaError_t psg_cuda_differentiate(psg_cuda_precision precision, const void *spectrum_d,
                                   const size_t n[3], const psg_cuda_derivative *by, void *result_d,
                                   cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
