/** @file vadd.h  The sum of two vectors, as cpu/vadd.h has it, with the same bits. */
#ifndef PSG_KERNELS_VADD_H
#define PSG_KERNELS_VADD_H

#include "kernels/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/** c = a + b.
 *  @param[in]  count     numbers of each; 0: nothing is done
 *  @param[in]  a_d, b_d  not written; aligned to their numbers
 *  @param[out] c_d       may be a_d or b_d
 *  @return cudaSuccess; cudaErrorInvalidValue: nothing was launched */
cudaError_t psg_cuda_vadd(psg_cuda_precision precision, size_t count, const void *a_d,
                          const void *b_d, void *c_d, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
