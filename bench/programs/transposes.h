/** @file transposes.h  What the programs of the study `transposes` have in common: the works, whether a result is
 *  right, and the rows. C and C++ at once. */
#ifndef PSG_BENCH_PROGRAMS_TRANSPOSES_H
#define PSG_BENCH_PROGRAMS_TRANSPOSES_H

#include "bench/programs/measure.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The permutations in the order of cpu/transpose.h and kernels/transpose.h, and a plain copy. */
enum { BENCH_COPY = 6, BENCH_WORKS };

/** The axes of a permutation's result, the fastest first. */
extern const int bench_axes[BENCH_COPY][3];

/** What is measured together: all works on the same arrays. */
typedef struct bench_transposes {
    const char *device; /**< cpu, gpu */
    size_t n[3];        /**< of the input */
    size_t element_bytes;
    int threads, elements_per_thread; /**< 0: does not apply */
    const char *gpu_model;
    int right[BENCH_WORKS];
    bench_job job[BENCH_WORKS];
} bench_transposes;

size_t bench_transposes_bytes(const bench_transposes *b);

/** An input by which its transposition is known. @param[out] in  host memory, [nz][ny][nx]
 *  elements */
void bench_transposes_fill(const bench_transposes *b, void *in);

/** Is it the result of that work? @param[in] out  host memory */
int bench_transposes_right(const bench_transposes *b, int work, const void *out);

/** Tell the times of all works, as rows or lines; or one row without times that says why there are none.
 *  @param[in] why  NULL: there are */
void bench_transposes_tell(const bench_transposes *b, const bench_settings *settings,
                           bench_csv *csv, const char *why);

#ifdef __cplusplus
}
#endif
#endif
