/** @file many.h  What bench_many asks of the first GPU: arrays there, and cuFFT by hand for one right-hand side or for all at
 *  once. Whatever goes wrong ends the program. */
#ifndef PSG_BENCH_PROGRAMS_MANY_H
#define PSG_BENCH_PROGRAMS_MANY_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Ends the program as one with nothing to measure where there is no GPU. */
void bench_many_start(void);
/** Memory on the GPU. */
void *bench_many_allocate(size_t bytes);
void bench_many_free(void *memory);
/** From and to anywhere. */
void bench_many_copy(void *to, const void *from, size_t bytes);

/** cuFFT by hand: D2Z, a division, Z2D, out of place, for [count][nz][ny][nx] on the GPU. */
typedef struct bench_many_cufft bench_many_cufft;

/** @param[in] together  all right-hand sides by one plan of cuFFT's, with room for their spectra; else one after the
 *                       other */
bench_many_cufft *bench_many_cufft_create(bool f64, const size_t n[3], size_t count, bool together,
                                          const void *f, void *u);
void bench_many_cufft_destroy(bench_many_cufft *cufft);
/** A work of bench_interleave(). @param[in] what  the bench_many_cufft */
double bench_many_cufft_run(void *what, unsigned calls);

#ifdef __cplusplus
}
#endif
#endif
