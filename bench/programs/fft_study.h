/** @file fft_study.h  The study `fft` on any device: which transforms are measured beside which, whether they are
 *  right, and the rows. A program says how its device does them. C and C++ at once. */
#ifndef PSG_BENCH_PROGRAMS_FFT_STUDY_H
#define PSG_BENCH_PROGRAMS_FFT_STUDY_H

#include "bench/programs/measure.h"

#ifdef __cplusplus
extern "C" {
#endif

/** `batch` complex FFTs of n points, forward, f64, out of place: their points are `stride`
 *  apart, their first ones `distance`; in complex numbers, the same in both arrays. */
typedef struct bench_fft_spec {
    size_t n, batch, stride, distance;
} bench_fft_spec;

/** What is done in a turn: FFTs, or a transposition. */
typedef struct bench_fft_step {
    void *plan;       /**< NULL: a transposition [nz][ny][nx] -> [ny][nx][nz] */
    size_t extent[3]; /**< nx, ny, nz */
    double *in, *out;
} bench_fft_step;

typedef struct bench_fft_device {
    const char *name;  /**< cpu, gpu */
    const char *model; /**< of the GPU, else "" */
    int threads;       /**< 0: not the device's */
    double memory;     /**< bytes that a case may take */

    /** Arrays on the device; noise for them; one complex number of one. */
    double *(*array)(size_t bytes);
    void (*release)(double *array);
    void (*fill)(double *array, size_t numbers);
    void (*get)(const double *array, size_t at, double number[2]);

    /** May write into the arrays. @param[out] bytes  memory that it took. @return NULL: there is
     *  none */
    void *(*plan)(const bench_fft_spec *spec, double *in, double *out, double *bytes);
    void (*destroy)(void *plan);

    /** Do the steps in their order, all of them so often. @return the seconds that this took */
    double (*run)(const bench_fft_step *steps, int count, unsigned calls);
} bench_fft_device;

/** The whole program.
 *  @param[in,out] device  how it does things; `start` completes it, once the command line is known
 *  @param[in]     cpus    where the option --cpus is kept; NULL: there is none
 *  @return the exit code */
int bench_fft_main(int argc, char **argv, bench_fft_device *device, int *cpus,
                   void (*start)(bench_fft_device *device, const bench_settings *settings));

#ifdef __cplusplus
}
#endif
#endif
