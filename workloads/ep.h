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
enum { PSG_CPU_EP_SUMS = 2, PSG_CPU_EP_RINGS = 10, PSG_CPU_EP_NUMBERS = 12 };

/** Pairs that are summed one after the other. Sums of more are added in pairs, as a binary tree. */
enum { PSG_CPU_EP_LEAF_LOG2 = 16 };

/** Pairs first .. first + count - 1. The sums have the same bits as those of two halves that
 * psg_cpu_ep_add() adds.
 *  @param[in] first, count  multiples of 2^PSG_CPU_EP_LEAF_LOG2; count a power of two */
void psg_cpu_ep(uint64_t first, uint64_t count, double numbers[PSG_CPU_EP_NUMBERS]);

/** sum += numbers */
void psg_cpu_ep_add(double sum[PSG_CPU_EP_NUMBERS], const double numbers[PSG_CPU_EP_NUMBERS]);

#ifdef WORKLOADS_CUDA
enum { PSG_CUDA_EP_NUMBERS = PSG_CPU_EP_NUMBERS };

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
#endif

#ifdef __cplusplus
}
#endif
#endif
