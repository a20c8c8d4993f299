/** @file measure.h  Measuring configurations of one group, in processes of their own. What is found goes
 *  through a pipe, so that a policy that crashes or hangs costs its own row alone. */
#ifndef PSG_BENCH_MEASURE_H
#define PSG_BENCH_MEASURE_H

#include "bench/record.h"

/** Do it, by all processes together, and write the records to `pipe` of rank 0. To be called in
 *  processes where StarPU never ran. Collective.
 *  @return APP_DONE, whatever became of the configurations; APP_FAILED after a message */
int bench_measure(const bench_visit *visit, int pipe);

/** One record with the workers there are. */
void bench_measure_machine(int pipe);

/** A random order. */
void bench_shuffle(size_t *items, size_t count, uint64_t *state);

#endif
