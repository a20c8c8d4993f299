/** @file program_run.h  Running a measuring program, and reading what it writes. */
#ifndef PSG_BENCH_PROGRAM_RUN_H
#define PSG_BENCH_PROGRAM_RUN_H

#include "app/progress.h"
#include "bench/bench_arguments.h"
#include "bench/csv.h"
#include "bench/program_jobs.h"

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
