/** @file turns.h  Works that take turns, in one process or several, and their quartiles. C and C++
 * at once. */
#ifndef PSG_BENCH_PROGRAMS_TURNS_H
#define PSG_BENCH_PROGRAMS_TURNS_H

#include "lab/peers/program.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The processes that mpirun started; without it, one. */
extern struct bench_processes {
    int ranks, rank;
    const void *comm; /**< MPI_Comm of them; NULL: there is no MPI */
} bench_processes;

/** Whoever ends early takes the others along. @param[in] alone  MPI is wanted without mpirun, too
 */
void bench_processes_start(int *argc, char ***argv, int alone);
void bench_processes_end(void);

/** Wait for all processes; the largest value of all, and their sum. */
void bench_meet(void);
double bench_largest(double value);
double bench_sum(double value);

/** Quartiles of the seconds of one call, and these. */
typedef struct bench_times {
    double min, q1, median, q3, max;
    const double *seconds; /**< [bench_settings.repeat], until the next bench_interleave() */
} bench_times;

bench_times bench_quartiles(const double *seconds, int count);

/** A work to be measured. */
typedef struct bench_job {
    const char *name;
    void *what;
    void (*load)(void *what);      /**< before each run, outside of its time; NULL: nothing */
    void (*run)(void *what);       /**< when it returns, all is done */
    double (*seconds)(void *what); /**< of the latest run; NULL: those on the clock */
    bench_times times;             /**< found by bench_interleave() */
    double difference;             /**< of its u from that of the first job, or a known one */
} bench_job;

/** Seconds of one call, of the process that takes longest, from where all begin. */
double bench_time(const bench_job *job);

/** Measure works that take turns: each round does every one of them, in a random order, so that a
 *  machine that gets slower meanwhile does so for all of them. */
void bench_interleave(bench_job *jobs, size_t count, const bench_settings *settings);

#ifdef __cplusplus
}
#endif
#endif
