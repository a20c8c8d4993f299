/** @file programs.h  Studies of `psg bench` that are no solves of psg alone: programs of their own measure them, those of
 *  tests/bench/ in the source, which stand beside psg where it was built, and in libexec/psg where it is
 *  installed. */
#ifndef PSG_APP_PROGRAMS_H
#define PSG_APP_PROGRAMS_H

#include "app/bench_arguments.h"
#include "app/study.h"

/** Run the programs of such a study, each for every grid, and put their rows into the files. A
 *  program that is not there, or fails, is a row that says why.
 *  @return the exit code, after messages */
int app_programs_bench(const app_bench_arguments *arguments);

#endif
