/** @file clones.h  Functions that are compiled for several widths of vector units. */
#ifndef PSG_CPU_CLONES_H
#define PSG_CPU_CLONES_H

/* Loops worth a wider vector unit than the oldest machine has: the loader picks the clone. The
 * loader picks before a sanitizer is ready, so code for sanitizers has no clones. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PSG_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define PSG_CLONES
#endif

#endif
