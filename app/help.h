/** @file help.h  The help text of a command, out of its table of options. */
#ifndef PSG_APP_HELP_H
#define PSG_APP_HELP_H

#include "app/values.h"

#include <stdio.h>

typedef struct app_command_text {
    const char *name;
    const app_option_row *rows;
    const char *intro; /**< the help text up to the options */
    const char *end;   /**< and after them */
    /** What follows the command's name, in words as of a row's `argument`; NULL: nothing. */
    const char *operand;
} app_command_text;

/** Print it on stdout. @param[in] all  with options that are not among the first, too */
void app_help_print(const app_command_text *command, const app_option_row *rows, bool all);

/** Print text from column `left` on, broken into lines of at most `width` letters.
 *  @param[in] column  where the cursor is */
void app_help_wrapped(FILE *to, const char *text, int column, int left, size_t width);

#endif
