/** @file ep.h  The kernel EP of the NAS Parallel Benchmarks: normally distributed pairs, counted. */
#ifndef PSG_CPU_EP_H
#define PSG_CPU_EP_H

#include <stdint.h>

/** What is known of some pairs: the sums of X and of Y, and how many pairs have l <= max(|X|,|Y|) < l + 1. */
enum { PSG_CPU_EP_SUMS = 2, PSG_CPU_EP_RINGS = 10, PSG_CPU_EP_NUMBERS = 12 };

/** Pairs that are summed one after the other. Sums of more are added in pairs, as a binary tree. */
enum { PSG_CPU_EP_LEAF_LOG2 = 16 };

/** Pairs first .. first + count - 1. The sums have the same bits as those of two halves that psg_cpu_ep_add() adds.
 *  @param[in] first, count  multiples of 2^PSG_CPU_EP_LEAF_LOG2; count a power of two */
void psg_cpu_ep(uint64_t first, uint64_t count, double numbers[PSG_CPU_EP_NUMBERS]);

/** sum += numbers */
void psg_cpu_ep_add(double sum[PSG_CPU_EP_NUMBERS], const double numbers[PSG_CPU_EP_NUMBERS]);

#endif
