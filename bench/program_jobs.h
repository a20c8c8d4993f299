/** @file program_jobs.h  What the programs of a study are asked for, and running them. */
#ifndef PSG_BENCH_PROGRAM_JOBS_H
#define PSG_BENCH_PROGRAM_JOBS_H

#include "app/progress.h"
#include "bench/command_lines.h"
#include "bench/csv.h"

#include <stddef.h>

/** One start of a program. */
typedef struct bench_program_job {
    const char *program; /**< "bench_cores fftw": the program, and its peer */
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

/** "mpirun -n 2 bench_cores fftw_mpi --cpus 1 64x64x64", without `mpirun`'s own options: what a
 *  job is known by in the file. @param[out] text  size bytes */
void bench_program_job_text(const bench_program_job *job, char *text, size_t size);

/** Find the program of a job, run it, and read its rows. It is looked for in the folder that PSG_BENCH_PROGRAMS in the
 *  environment names, or else in libexec/psg of the installation and in bench/programs beside psg.
 *  @param[in]     shown      what the progress line says of it
 *  @param[in,out] rows       a table of the study's columns, without rows; what comes back is checked, and is in it up to
 *                            the last whole row, whatever becomes of the program
 *  @param[out]    was_there  false: the program is not there, or says that what it measures is not
 *  @param[out]    why        "" if all is well, else what went wrong: size bytes
 *  @return APP_DONE; APP_FAILED after a message: not the program's fault */
int bench_program_run(const bench_program_job *job, const bench_arguments *arguments,
                      app_progress *progress, const char *shown, bench_table *rows, bool *was_there,
                      char *why, size_t size);

#endif
