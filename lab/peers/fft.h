/** @file fft.h  Many transforms of one length, by a library of cores or of a GPU. C and C++ at
 * once. */
#ifndef PSG_BENCH_PROGRAMS_FFT_H
#define PSG_BENCH_PROGRAMS_FFT_H

#include "lab/peers/many.h"

#ifdef __cplusplus
extern "C" {
#endif

/** `count` transforms of `n` complex numbers each, in place. Strided: [n][count], and number m of a
 *  transform is `count` numbers behind number m-1. Else [count][n]. */
typedef struct bench_batch {
    size_t n, count;
    int f32, strided;
    int threads; /**< of a library on cores, and of the transpositions there */
} bench_batch;

/** Where the transforms are, and who does them. Whatever goes wrong ends the program. */
typedef struct bench_transforms {
    const bench_device *device;
    /** @param[out] bytes  that the plan holds beside the array; -1: not known */
    void *(*plan)(const bench_batch *batch, void *array, double *bytes);
    void (*run)(void *plan, void *array); /**< when it returns, all is done */
    void (*destroy)(void *plan);
    /** [n][count] to [count][n]. @param[in] back  the other way */
    void (*transpose)(const bench_batch *batch, void *to, const void *from, int back);
    double (*memory)(const bench_settings *settings); /**< bytes that arrays may take */
} bench_transforms;

extern const bench_transforms bench_transforms_cores, bench_transforms_gpu;

/** Three free axes by FFTW on a doubled grid, on cores. */
int bench_free(int argc, char **argv, const void *unused);
/** A stretched z by FFTW along x and y and Thomas' algorithm along z, on cores. */
int bench_stretched(int argc, char **argv, const void *unused);
/** A coefficient that varies by hypre's conjugate gradients, on cores. */
int bench_hypre(int argc, char **argv, const void *unused);
/** @param[in] transforms  a bench_transforms */
int bench_fft(int argc, char **argv, const void *transforms);

#ifdef __cplusplus
}
#endif
#endif
