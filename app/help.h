/** @file help.h  The help text of a command, out of its table of options. */
#ifndef PSG_APP_HELP_H
#define PSG_APP_HELP_H

#include "app/values.h"

typedef struct app_command_text {
    const char *name;
    const app_option_row *rows;
    const char *intro; /**< the help text up to the options */
    const char *end;   /**< and after them */
    /** What follows the command's name, in words as of a row's `argument`; NULL: nothing. */
    const char *operand;
    bool alone;               /**< with an operand: for one process, without mpirun */
    void (*print_list)(void); /**< prints what stands between the intro and the options; NULL */
    /** Takes an option of the rows and its argument. NULL: values go to `field` of their rows.
     *  @return APP_DONE; an exit code after a message */
    int (*take)(const app_option_row *row, const char *text, void *arguments);
} app_command_text;

/** Print a text on stdout, broken into lines of at most `width` letters that begin in the column
 *  `left`. @param[in] column  where the cursor is */
void app_help_wrap(const char *text, int left, int width, int column);

/** Print it on stdout. @param[in] all  with options that are not among the first, too */
void app_help_print(const app_command_text *command, const app_option_row *rows, bool all);

#endif
