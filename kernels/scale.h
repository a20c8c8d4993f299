/** @file scale.h  Normalising u in the staged graph, and copies between dense fields and fields
 * with pitches. */
#ifndef PSG_KERNELS_SCALE_H
#define PSG_KERNELS_SCALE_H

#include "kernels/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/** out = factor in, point by point. A factor of 1 copies.
 *  @param[in]  n            nx, ny and the number of planes; nx ny < 2^31
 *  @param[in]  in           may be out, and overlaps it in no other way
 *  @param[out] out          what stands between its points is not written
 *  @param[out] nonfinite_d  NULL, or a flag that is set to 1 if a number of out is NaN or infinite;
 *                           device or pinned host memory
 *  @return cudaSuccess; cudaErrorInvalidValue: nothing was launched */
cudaError_t psg_cuda_scale(psg_cuda_precision precision, const psg_cuda_field *in,
                           const psg_cuda_field *out, const size_t n[3], double factor,
                           int *nonfinite_d, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
