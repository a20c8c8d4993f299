/** @file crossover.h  What the study `crossover` shows: from which size of a task on a GPU is faster than a core. */
#ifndef PSG_BENCH_CROSSOVER_H
#define PSG_BENCH_CROSSOVER_H

#include "bench/result.h"

/** A table for people, on stdout: of each kind of task, and of whole runs, the times on a core and on a GPU by tile, and the
 *  smallest tile from which on the GPU is faster. Where there are no times of GPUs, words say so. */
void bench_crossover_print(const bench_results *results, const bench_sweep *sweep,
                           const bench_result *result);

#endif
