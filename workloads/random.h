/** @file random.h  The random numbers of the NAS Parallel Benchmarks: x_k = a^k x_0 mod 2^46, a =
 * 5^13. A number far on is found without those between. C and C++ (CUDA) at once. */
#ifndef WORKLOADS_RANDOM_H
#define WORKLOADS_RANDOM_H

#include <math.h>
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

/** Two uniform numbers of [-1, 1) in the circle become two normal ones by Marsaglia's polar method.
 *  @param[in,out] x  the number before the two, and then the second of them @param[out] pair  the
 * normal numbers @return the whole part of the larger size of both; -1: not in the circle */
RANDOM_FUNCTION int random_normals(uint64_t *x, double pair[2]) {
    const uint64_t first = random_next(*x);
    const double u = 2 * random_real(first) - 1, v = 2 * random_real(random_next(first)) - 1;
    const double t = u * u + v * v;
    *x = random_next(first);
    if (!(t <= 1)) {
        return -1;
    }
    const double scale = sqrt(-2 * log(t) / t);
    pair[0] = u * scale;
    pair[1] = v * scale;
    return (int)fmax(fabs(pair[0]), fabs(pair[1]));
}

#endif
