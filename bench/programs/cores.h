/** @file cores.h  What the programs that measure do on the cores: threads, arrays, a transposition by several threads,
 *  and the division of a peer's solve. Whatever goes wrong ends the program, as in measure.h. */
#ifndef PSG_BENCH_PROGRAMS_CORES_H
#define PSG_BENCH_PROGRAMS_CORES_H

#include "cpu/transpose.h"

#include <stddef.h>

enum { BENCH_THREADS_MOST = 1024 };

/** Processors that are online. */
int bench_cores(void);

/** Call work(what, t, threads) for t = 0 .. threads-1, at once, t = 0 in this thread; return
 *  when all have. */
void bench_threads(int threads, void (*work)(void *what, int t, int threads), void *what);

/** Do it `calls` times, every thread waiting for the others after each, by the same threads.
 *  @return the seconds that this took, without the threads' start and end */
double bench_threads_seconds(int threads, unsigned calls,
                             void (*work)(void *what, int t, int threads), void *what);

/** Memory of zeros in huge pages, where the system has them; free() it. */
void *bench_array(size_t bytes);

/** The part of a dense transposition that is thread t's: together they do psg_cpu_transpose(). */
typedef struct bench_transposition {
    size_t element_bytes;
    psg_permutation permutation;
    size_t n[3];    /**< of the input */
    const void *in; /**< [nz][ny][nx] */
    void *out;      /**< must not overlap it */
} bench_transposition;
void bench_transpose(void *transposition, int t, int threads);

/** Multiply the modes of a real transform by -scale / (kx^2 + ky^2 + kz^2), that of the mean by 0; the two axes
 *  beside x may stand in either order.
 *  @param[in,out] spectrum  complex numbers [count][inner][nxc]: the wavenumbers first .. first+count-1 of the
 *                           `outer` ones, all of the `inner` ones, nxc of x */
void bench_divide(double *spectrum, size_t nxc, size_t inner, size_t outer, size_t first,
                  size_t count, double scale, int threads);

#endif
