/** @file cores.h  What the programs that measure do on the cores: arrays, and the division of a peer's solve by several
 *  threads. Whatever goes wrong ends the program, as in measure.h. */
#ifndef PSG_BENCH_PROGRAMS_CORES_H
#define PSG_BENCH_PROGRAMS_CORES_H

#include <stddef.h>

enum { BENCH_THREADS_MOST = 1024 };

/** Processors that are online. */
int bench_cores(void);

/** Memory of zeros in huge pages, where the system has them; free() it. */
void *bench_array(size_t bytes);

/** Multiply the modes of a real transform by -scale / (kx^2 + ky^2 + kz^2), that of the mean by 0; the two axes
 *  beside x may stand in either order.
 *  @param[in,out] spectrum  complex numbers [count][inner][nxc]: the wavenumbers first .. first+count-1 of the
 *                           `outer` ones, all of the `inner` ones, nxc of x */
void bench_divide(double *spectrum, size_t nxc, size_t inner, size_t outer, size_t first,
                  size_t count, double scale, int threads);

#endif
