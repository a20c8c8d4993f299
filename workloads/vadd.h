/** @file vadd.h  The sum of two vectors, on a core and on a GPU, with the same bits. */
#ifndef WORKLOADS_VADD_H
#define WORKLOADS_VADD_H

#include <stdbool.h>
#include <stddef.h>

#ifdef WORKLOADS_CUDA
#include "kernels/common.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** c = a + b, of `count` reals: double or, of f32, float. */
void vadd_cpu(bool f32, size_t count, const void *a, const void *b, void *c);

#ifdef WORKLOADS_CUDA
/** c = a + b.
 *  @param[in]  count     numbers of each; 0: nothing is done
 *  @param[in]  a_d, b_d  not written; aligned to their numbers
 *  @param[out] c_d       may be a_d or b_d
 *  @return cudaSuccess; cudaErrorInvalidValue: nothing was launched */
cudaError_t vadd_cuda(psg_cuda_precision precision, size_t count, const void *a_d, const void *b_d,
                      void *c_d, cudaStream_t stream);
#endif

#ifdef __cplusplus
}
#endif
#endif
