/** @file ep.h  The kernel EP of the NAS Parallel Benchmarks: normally distributed pairs, counted,
 * on a core and on a GPU. */
#ifndef WORKLOADS_EP_H
#define WORKLOADS_EP_H

#include <stddef.h>
#include <stdint.h>

#ifdef WORKLOADS_CUDA
#include "kernels/common.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** What is known of some pairs: the sums of X and of Y, and how many pairs have l <= max(|X|,|Y|) <
 * l + 1. */
enum { EP_SUMS = 2, EP_RINGS = 10, EP_NUMBERS = 12 };

/** Pairs that are summed one after the other. Sums of more are added in pairs, as a binary tree. */
enum { EP_LEAF_LOG2 = 16 };

/** Pairs first .. first + count - 1. The sums have the same bits as those of two halves that
 * ep_cpu_add() adds.
 *  @param[in] first, count  multiples of 2^EP_LEAF_LOG2; count a power of two */
void ep_cpu(uint64_t first, uint64_t count, double numbers[EP_NUMBERS]);

/** sum += numbers */
void ep_cpu_add(double sum[EP_NUMBERS], const double numbers[EP_NUMBERS]);

#ifdef WORKLOADS_CUDA
/** Doubles of scratch that ep_cuda() needs. */
size_t ep_cuda_scratch(unsigned count_log2);

/** Pairs first .. first + 2^count_log2 - 1. The same pairs have sums of the same bits on every GPU.
 *  @param[in]  count_log2  16 to 40
 *  @param[out] numbers_d   [EP_NUMBERS] doubles
 *  @param[out] scratch_d   ep_cuda_scratch() doubles, until the stream is there
 *  @return cudaSuccess; cudaErrorInvalidValue: nothing was launched */
cudaError_t ep_cuda(uint64_t first, unsigned count_log2, double *numbers_d, double *scratch_d,
                    cudaStream_t stream);

/** sum += numbers */
cudaError_t ep_cuda_add(double *sum_d, const double *numbers_d, cudaStream_t stream);
#endif

#ifdef __cplusplus
}
#endif
#endif
