/** @file tune_arguments.h  The command line of `psg tune`. */
#ifndef PSG_BENCH_TUNE_ARGUMENTS_H
#define PSG_BENCH_TUNE_ARGUMENTS_H

#include "app/option_lines.h"

#include <stdbool.h>

/** What it says. Texts are borrowed from argv; NULL where it says nothing. */
typedef struct bench_tune_arguments {
    app_grid_value grid;
    app_options solver;
    const char *policies, *json;
    unsigned seconds, patience;
    int seed;
    bool force, forget, quiet;
} bench_tune_arguments;

/** @return APP_DONE; APP_USAGE after a message; APP_HELPED: all is done */
int bench_tune_arguments_parse(int argc, char **argv, bench_tune_arguments *arguments);

#endif
