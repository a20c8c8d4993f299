/** @file bench_arguments.h  The command line of `psg bench`. */
#ifndef PSG_BENCH_BENCH_ARGUMENTS_H
#define PSG_BENCH_BENCH_ARGUMENTS_H

#include "bench/sweep.h"

#include <stdbool.h>

/** What it says. Texts are borrowed from argv; NULL where it says nothing. */
typedef struct bench_arguments {
    const char *list[BENCH_LISTS_MOST];
    const char *study, *csv, *json, *record, *machine;
    const char *mpirun; /**< a command with its options, in a shell's words */
    unsigned repeat, passes, patience;
    int warm_up, calibrate, seed;
    double memory; /**< GiB; 0: from what there is */
    bool bounds, large, again, force, quiet;
} bench_arguments;

/** @return APP_DONE; APP_USAGE after a message; APP_HELPED: all is done */
int bench_arguments_parse(int argc, char **argv, bench_arguments *arguments);

#endif
