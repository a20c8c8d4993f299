/** @file random.h  The random numbers of the NAS Parallel Benchmarks: x_k = a^k x_0 mod 2^46, a =
 * 5^13. A number far on is found without those between. C and C++ (CUDA) at once. */
#ifndef WORKLOADS_RANDOM_H
#define WORKLOADS_RANDOM_H

#include <stdint.h>

#ifdef __CUDACC__
#define BASE_RANDOM_FUNCTION __host__ __device__ static inline
#else
#define BASE_RANDOM_FUNCTION static inline
#endif

#define BASE_RANDOM_SEED UINT64_C(271828183)
#define BASE_RANDOM_FACTOR UINT64_C(1220703125)
#define BASE_RANDOM_MASK ((UINT64_C(1) << 46) - 1)

BASE_RANDOM_FUNCTION uint64_t base_random_next(uint64_t x) {
    return (x * BASE_RANDOM_FACTOR) & BASE_RANDOM_MASK;
}

/** The number so many steps after x. */
BASE_RANDOM_FUNCTION uint64_t base_random_after(uint64_t x, uint64_t steps) {
    for (uint64_t power = BASE_RANDOM_FACTOR; steps > 0; steps >>= 1, power *= power) {
        x *= (steps & 1) != 0 ? power : 1;
    }
    return x & BASE_RANDOM_MASK;
}

/** Above 0, and below 1. */
BASE_RANDOM_FUNCTION double base_random_real(uint64_t x) {
    return (double)x / (double)(BASE_RANDOM_MASK + 1);
}

#endif
