/** @file ep.h  The kernel EP of the NAS Parallel Benchmarks, as cpu/ep.h has it. */
#ifndef PSG_KERNELS_EP_H
#define PSG_KERNELS_EP_H

#include "kernels/common.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The sums of X and Y, and ten counts. */
enum { PSG_CUDA_EP_NUMBERS = 12 };

/** Doubles of scratch that psg_cuda_ep() needs. */
size_t psg_cuda_ep_scratch(unsigned count_log2);

/** Pairs first .. first + 2^count_log2 - 1. The same pairs have sums of the same bits on every GPU.
 *  @param[in]  count_log2  16 to 40
 *  @param[out] numbers_d   [PSG_CUDA_EP_NUMBERS] doubles
 *  @param[out] scratch_d   psg_cuda_ep_scratch() doubles, until the stream is there
 *  @return cudaSuccess; cudaErrorInvalidValue: nothing was launched */
cudaError_t psg_cuda_ep(uint64_t first, unsigned count_log2, double *numbers_d, double *scratch_d,
                        cudaStream_t stream);

/** sum += numbers */
cudaError_t psg_cuda_ep_add(double *sum_d, const double *numbers_d, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
