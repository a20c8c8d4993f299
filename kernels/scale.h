/** @file scale.h  Normalising u in the staged graph. */
#ifndef PSG_KERNELS_SCALE_H
#define PSG_KERNELS_SCALE_H

#include "kernels/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/** out[i] = factor * in[i].
 *  @param[in]  in_d         [n] reals; may be out_d
 *  @param[out] out_d        [n]
 *  @param[out] nonfinite_d  NULL, or a flag that is set to 1 if a number of out is NaN or infinite;
 *                           device or pinned host memory
 *  @return cudaSuccess; cudaErrorInvalidValue: nothing was launched */
cudaError_t psg_cuda_scale(psg_cuda_precision precision, const void *in_d, void *out_d, size_t n,
                           double factor, int *nonfinite_d, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
