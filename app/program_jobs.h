/** @file program_jobs.h  What the programs of a study are asked for. */
#ifndef PSG_APP_PROGRAM_JOBS_H
#define PSG_APP_PROGRAM_JOBS_H

#include "app/bench_arguments.h"
#include "app/table.h"

#include <stddef.h>

/** One start of a program. */
typedef struct app_program_job {
    const char *program; /**< bench_fft_cpu */
    const char *needs;   /**< what has to be there for it to be built, in words */
    char options[96];    /**< "--kind z --cpus 1 64x64x64": what is measured */
    unsigned ranks;      /**< processes, started by mpirun if more than one */
} app_program_job;

typedef struct app_program_jobs {
    const char *columns; /**< of the study, as in program_columns.h */
    const char *shown;   /**< those of the table for people, likewise */
    app_program_job *job;
    size_t count;
} app_program_jobs;

/** The jobs of a study: those of one program follow each other.
 *  @param[in]  arguments  --cpus, --gpus and --grid take the place of the study's lists, and
 *                         "0" leaves out what is about cores or GPUs
 *  @param[in]  cores      of this machine
 *  @param[out] jobs       freed by app_program_jobs_free(), after failures too
 *  @return APP_DONE; APP_USAGE or APP_FAILED after a message */
int app_program_jobs_make(app_program_jobs *jobs, const app_bench_arguments *arguments,
                          unsigned cores);
void app_program_jobs_free(app_program_jobs *jobs);

/** Has a column of a study's rows numbers? The others have words. */
int app_program_is_number(const app_table *table, size_t column);

/** "mpirun -n 2 bench_fftw_mpi_peer --cpus 1 64x64x64", without `mpirun`'s own options: what a
 *  job is known by in the file. @param[out] text  size bytes */
void app_program_job_text(const app_program_job *job, char *text, size_t size);

#endif
