/** @file arguments.h  The command lines of `psg solve` and `psg info`: one table of options each, which
 *  also makes the help text. */
#ifndef PSG_APP_ARGUMENTS_H
#define PSG_APP_ARGUMENTS_H

#include "app/values.h"

enum { APP_PROBLEM_NONE = -1, APP_PROBLEM_MADELUNG, APP_PROBLEM_MODES };

/** What the command line says; -1, 0 or NULL where it says nothing. Texts are borrowed from argv. */
typedef struct app_arguments {
    const char *in, *out, *json, *trace, *policy;
    int problem, lattice;
    app_grid_value grid;
    app_box_value box;
    int precision, symbol, mean, graph, exchange, z_layout, effort;
    double lambda;
    int cpus;
    app_gpus_value gpus;
    size_t segment_planes, pencils;
    unsigned in_flight, repeat;
    int verify, quiet;
} app_arguments;

/** argv[0] is the subcommand. Both print the help text if it is asked for.
 *  @return APP_DONE; APP_USAGE after a message; APP_HELPED: all is done */
enum { APP_HELPED = -1 };
int app_arguments_solve(int argc, char **argv, app_arguments *arguments);
int app_arguments_info(int argc, char **argv, app_arguments *arguments);

/** The word among `words` (ends with NULL) that was probably meant, or NULL if none is near. */
const char *app_nearest(const char *word, const char *const *words);

#endif
