/** @file jacobi.h  Jacobi's method for Laplace's equation, as cpu/jacobi.h has it, with the same bits. */
#ifndef PSG_KERNELS_JACOBI_H
#define PSG_KERNELS_JACOBI_H

#include "base/jacobi.h"
#include "kernels/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @param[in] sweep  with pointers to the GPU's memory @return cudaSuccess; cudaErrorInvalidValue: nothing was launched */
cudaError_t psg_cuda_jacobi(psg_cuda_precision precision, const base_jacobi_sweep *sweep,
                            cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
