/** @file lab_options.h  The command lines of `psg bench` and `psg tune`. */
#ifndef PSG_APP_LAB_OPTIONS_H
#define PSG_APP_LAB_OPTIONS_H

#include <jansson.h>
#include <stdbool.h>

/** Read a command line into a request to the laboratory: "arguments", the options, and "given", the
 * values of each list.
 *  @return APP_DONE; APP_USAGE or APP_FAILED after a message; APP_HELPED: all is done */
int app_lab_bench_options(int argc, char **argv, json_t *request);

/** The same of `psg tune`. @param[out] forget  nothing is to be measured, but what is stored
 * removed. @param[out] quiet */
int app_lab_tune_options(int argc, char **argv, json_t *request, bool *forget, bool *quiet);

#endif
