/** @file option_lines.h  The solver's options on a command line. The library's table
 *  (psg_option_at()) says which there are, what they take and what they do; option_lines.c has only
 *  where the command says it in another way. */
#ifndef PSG_APP_OPTION_LINES_H
#define PSG_APP_OPTION_LINES_H

#include "app/values.h"
#include "graph/psg.h"

#include <stdbool.h>
#include <stdint.h>

enum { APP_OPTIONS_MOST = 64 }; /* that the library may have */

/** What a command line says about the solver. options.gpu_ids points into it. */
typedef struct app_options {
    psg_options options;
    app_gpus_value gpus;
    const char *kernel; /**< the file of one; NULL: options.kernel is a word */
    uint64_t given;     /**< a bit for each psg_option_at() */
} app_options;

/** The library's defaults, but for in_flight, which is 1: a command says how many solves there
 *  are. */
void app_options_init(app_options *options);

/** Set one of them. @return APP_DONE; APP_USAGE after a message that says what is expected */
int app_options_set(app_options *options, size_t index, const char *text);
/** Set those of a file. @return as app_options_set() */
int app_options_read(app_options *options, const char *path);

/** The value, as the command line has it. @param[out] text  size bytes */
void app_options_text(const psg_options *options, size_t index, char *text, size_t size);

/** Was the option given? @param[in] name  that of the library */
bool app_options_given(const app_options *options, const char *name);

/** The number of an option of this name: the library's, or the command's with '_'. @return
 *  SIZE_MAX: there is none */
size_t app_option_index(const char *name);

/** The names on the command line: "segment-planes", and as a column of a table: "segment_planes".
 *  Static. */
const char *app_option_name(size_t index);
const char *app_option_column(size_t index);

/** What is shown in the help of the value, and about the option. */
const char *app_option_argument(size_t index);
const char *app_option_help(size_t index);

#endif
