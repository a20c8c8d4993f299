/** @file programs.h  Studies of `psg bench` that are no solves of psg alone: programs of their own measure them, those of
 *  bench/programs/ in the source, which stand beside psg where it was built, and in libexec/psg where it is
 *  installed. */
#ifndef PSG_BENCH_PROGRAMS_H
#define PSG_BENCH_PROGRAMS_H

#include "bench/command_lines.h"
#include "bench/study.h"

/** Run the programs of such a study, each for every grid, and put their rows into the files. A
 *  program that is not there, or fails, is a row that says why.
 *  @return the exit code, after messages */
int bench_programs(const bench_arguments *arguments);

#endif
