/** @file divide.h  The division in Fourier space as a kernel of its own (kspace.h has it fused). */
#ifndef PSG_KERNELS_DIVIDE_H
#define PSG_KERNELS_DIVIDE_H

#include "kernels/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Multiply every mode of a sheet by its factor, in place; see psg_cuda_symbol.
 *  @param[in,out] sheet_d  [nz][columns] or [columns][nz] complex numbers
 *  @param[in]     columns   rows * nxc, below 2^31
 *  @param[in]     nxc       points of a row, >= 1
 *  @param[in]     symbol    borrowed until return; what it points to, until the stream is there
 *  @return cudaSuccess; cudaErrorInvalidValue: nothing was launched */
cudaError_t psg_cuda_divide(psg_cuda_precision precision, psg_cuda_layout layout, void *sheet_d,
                            size_t columns, size_t nxc, size_t nz, const psg_cuda_symbol *symbol,
                            cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
