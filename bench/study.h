/** @file study.h  Ready sweeps that answer the questions of the method's literature on the machine at hand. */
#ifndef PSG_BENCH_STUDY_H
#define PSG_BENCH_STUDY_H

#include "bench/result.h"
#include "bench/sweep.h"

#include <stdbool.h>

/** Their names, and a line about each. */
#define BENCH_STUDIES(X)                                                                           \
    X(node, "time on 1, 2, 4, ... all cores, and on 1, 2, 4, ... all GPUs")                        \
    X(stages, "time by stage of the staged graph in one segment, on as many workers")              \
    X(segments, "time against the segment's size, from one plane to all of them")                  \
    X(policies, "every scheduling policy, on both graphs")                                         \
    X(variants, "the fused graph, and the staged one by layout of z and place of normalisation")   \
    X(scaling, "time on 1, 2, 4, ... cores of one process, and processes of one core; and GPUs")   \
    X(overlap, "time by stage beside the real time and that of the busiest worker or link")        \
    X(hetero, "CPU only, and where there are GPUs, these only and both: who does the work")        \
    X(workloads, "workloads under every scheduling policy, on cores, on GPUs and on both")         \
    X(crossover, "tasks by size on one core and on one GPU: from which size on is the GPU faster")

/** Those that programs of their own measure: bench/programs.h. */
#define BENCH_PROGRAM_STUDIES(X)                                                                   \
    X(peers, "psg beside FFTW, MKL, FFTW's MPI transform, cuFFT and cufftXt")                      \
    X(embed, "ways into psg from programs on GPUs, beside cuFFT, cufftXt and cuFFTMp")

/** Is it one of those? */
bool bench_study_is_program(const char *name);

/** Check the name. @return APP_DONE; APP_USAGE after a message that lists the studies */
int bench_study_check(const char *name);

/** Add its configurations. Lists of the user's that are not NULL take the place of the study's; --cpus and --gpus
 *  that of all lists of cores and of GPUs, be they workers of one process or as many processes of one, and "0" leaves
 *  out what is about them.
 *  @param[in] large       with its larger grids
 *  @param[in] cpus, gpus  what the machine has; what needs more GPUs than none is left out without any
 *  @return APP_DONE; APP_USAGE or APP_FAILED after a message */
int bench_study_add(bench_sweep *sweep, const char *name, bool large, unsigned cpus, unsigned gpus,
                    const char *const lists[BENCH_LISTS_MOST]);

/** What a study shows beside the rows, on stdout. @param[in] name  NULL: no study, which shows nothing */
void bench_study_print(const char *name, const bench_results *results, const bench_sweep *sweep,
                       const bench_result *result);

#endif
