/** @file clones.h  Functions that are compiled for several widths of vector units. */
#ifndef PSG_CPU_CLONES_H
#define PSG_CPU_CLONES_H

#include <stddef.h>

/* Loops worth a wider vector unit than the oldest machine has: the loader picks the clone. The
 * loader picks before a sanitizer is ready, so code for sanitizers has no clones. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PSG_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define PSG_CLONES
#endif

#if defined(__clang__)
#define PSG_UNROLL _Pragma("clang loop unroll(full)")
#else
#define PSG_UNROLL _Pragma("GCC unroll 8")
#endif

/** Bytes of the widest vectors that the machine has, of those that functions are written for. */
static inline size_t psg_cpu_vector_bytes(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        return 64;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return 32;
    }
#endif
    return 16;
}

#endif
