/** @file nas.h  The random numbers of the NAS Parallel Benchmarks, x_k = 5^(13 k) x_0 mod 2^46, and
 * the matrix of their kernel CG. C and C++ (CUDA) at once. */
#ifndef PSG_BENCH_PROGRAMS_NAS_H
#define PSG_BENCH_PROGRAMS_NAS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __CUDACC__
#define PEER_RANDOM __host__ __device__ static inline
#else
#define PEER_RANDOM static inline
#endif
#define PEER_RANDOM_SEED UINT64_C(271828183)
#define PEER_RANDOM_FACTOR UINT64_C(1220703125)
#define PEER_RANDOM_MASK ((UINT64_C(1) << 46) - 1)

PEER_RANDOM uint64_t peer_random_next(uint64_t x) {
    return (x * PEER_RANDOM_FACTOR) & PEER_RANDOM_MASK;
}

/** So many steps after x. */
PEER_RANDOM uint64_t peer_random_after(uint64_t x, uint64_t steps) {
    for (uint64_t power = PEER_RANDOM_FACTOR; steps > 0; steps >>= 1, power *= power) {
        x *= (steps & 1) != 0 ? power : 1;
    }
    return x & PEER_RANDOM_MASK;
}

/** Above 0, and below 1. */
PEER_RANDOM double peer_random_real(uint64_t x) {
    return (double)x / (double)(PEER_RANDOM_MASK + 1);
}

/** A sparse matrix by rows; free() all three. */
typedef struct peer_matrix {
    uint32_t *start, *column; /**< [rows + 1], [start[rows]] */
    double *value;
} peer_matrix;

/** The matrix of CG, sum of w_i v_i v_i^T + (0.1 - shift) I: v_i has `nonzer` random numbers, up to
 *  15, at random places, and 0.5 at place i; w_i = 0.1^(i/n). */
void peer_cg_make(peer_matrix *a, size_t n, int nonzer, double shift);

#ifdef __cplusplus
}
#endif
#endif
