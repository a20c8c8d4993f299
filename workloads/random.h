/** @file random.h  The random numbers of the NAS Parallel Benchmarks: x_k = a^k x_0 mod 2^46, a =
 * 5^13. A number far on is found without those between. C and C++ (CUDA) at once. */
#ifndef WORKLOADS_RANDOM_H
#define WORKLOADS_RANDOM_H

#include <stdint.h>

#ifdef __CUDACC__
#define RANDOM_FUNCTION __host__ __device__ static inline
#else
#define RANDOM_FUNCTION static inline
#endif

#define RANDOM_SEED UINT64_C(271828183)
#define RANDOM_FACTOR UINT64_C(1220703125)
#define RANDOM_MASK ((UINT64_C(1) << 46) - 1)

RANDOM_FUNCTION uint64_t random_next(uint64_t x) {
    return (x * RANDOM_FACTOR) & RANDOM_MASK;
}

/** The number so many steps after x. */
RANDOM_FUNCTION uint64_t random_after(uint64_t x, uint64_t steps) {
    for (uint64_t power = RANDOM_FACTOR; steps > 0; steps >>= 1, power *= power) {
        x *= (steps & 1) != 0 ? power : 1;
    }
    return x & RANDOM_MASK;
}

/** Above 0, and below 1. */
RANDOM_FUNCTION double random_real(uint64_t x) {
    return (double)x / (double)(RANDOM_MASK + 1);
}

#endif
