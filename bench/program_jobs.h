/** @file program_jobs.h  What the programs of a study are asked for. */
#ifndef PSG_BENCH_PROGRAM_JOBS_H
#define PSG_BENCH_PROGRAM_JOBS_H

#include "bench/bench_arguments.h"
#include "bench/csv.h"

#include <stddef.h>

/** One start of a program. */
typedef struct bench_program_job {
    const char *program; /**< bench_fftw_peer */
    const char *needs;   /**< what has to be there for it to be built, in words */
    char options[96];    /**< "--cpus 1 64x64x64": what is measured */
    unsigned ranks;      /**< processes, started by mpirun if more than one */
} bench_program_job;

typedef struct bench_program_jobs {
    const char *columns; /**< of the study, as in program_columns.h */
    const char *shown;   /**< columns of the table for people */
    bench_program_job *job;
    size_t count;
} bench_program_jobs;

/** The jobs of a study: those of one program follow each other.
 *  @param[in]  arguments  --cpus, --gpus and --grid take the place of the study's lists, and
 *                         "0" leaves out what is about cores or GPUs
 *  @param[in]  cores      of this machine
 *  @param[out] jobs       freed by bench_program_jobs_free(), after failures too
 *  @return APP_DONE; APP_USAGE or APP_FAILED after a message */
int bench_program_jobs_make(bench_program_jobs *jobs, const bench_arguments *arguments,
                            unsigned cores);
void bench_program_jobs_free(bench_program_jobs *jobs);

/** Has a column of a study's rows words? The others have numbers. */
bool bench_program_is_text(const char *column);

/** "mpirun -n 2 bench_fftw_mpi_peer --cpus 1 64x64x64", without `mpirun`'s own options: what a
 *  job is known by in the file. @param[out] text  size bytes */
void bench_program_job_text(const bench_program_job *job, char *text, size_t size);

#endif
