/** @file command_lines.h  The command lines of `psg bench` and `psg tune`. */
#ifndef PSG_BENCH_COMMAND_LINES_H
#define PSG_BENCH_COMMAND_LINES_H

#include "bench/sweep.h"

#include <stdbool.h>

/** What the command line of `psg bench` says. Texts are borrowed from argv; NULL where it says nothing. */
typedef struct bench_arguments {
    const char *list[BENCH_LISTS_MOST];
    const char *study, *csv, *json, *record, *machine;
    const char *mpirun; /**< a command with its options, in a shell's words */
    unsigned repeat, passes, patience;
    int warm_up, calibrate, seed;
    double memory; /**< GiB; 0: from what there is */
    bool bounds, large, again, force, quiet;
} bench_arguments;

/** The same of `psg tune`. */
typedef struct bench_tune_arguments {
    app_grid_value grid;
    app_options solver;
    const char *policies, *json;
    unsigned seconds, patience;
    int seed;
    bool force, forget, quiet;
} bench_tune_arguments;

/** Both: @return APP_DONE; APP_USAGE or APP_FAILED after a message; APP_HELPED: all is done */
int bench_arguments_parse(int argc, char **argv, bench_arguments *arguments);
int bench_tune_arguments_parse(int argc, char **argv, bench_tune_arguments *arguments);

#endif
