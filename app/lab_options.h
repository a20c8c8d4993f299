/** @file lab_options.h  The command lines of `psg bench` and `psg tune`. */
#ifndef PSG_APP_LAB_OPTIONS_H
#define PSG_APP_LAB_OPTIONS_H

#include <jansson.h>
#include <stdbool.h>

/** Read a command line into a request to the laboratory: "arguments", the options, and "given", the
 * values of each list.
 *  @return APP_DONE; APP_USAGE or APP_FAILED after a message; APP_HELPED: all is done */
int app_lab_bench_options(int argc, char **argv, json_t *request);
int app_lab_tune_options(int argc, char **argv, json_t *request);

/** An option of the request that has a text; NULL: it was not given. */
const char *app_lab_text(const json_t *request, const char *name);

/** Was the option without an argument given? */
bool app_lab_flag(const json_t *request, const char *name);

#endif
