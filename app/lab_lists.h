/** @file lab_lists.h  The lists of `psg bench`, each of which is a column of its files, too. */
#ifndef PSG_APP_LAB_LISTS_H
#define PSG_APP_LAB_LISTS_H

#include "app/option_lines.h"

#include <jansson.h>

/** The lists, in the order of the columns: the grid; the options of the solver that `psg bench`
 *  does not decide itself, in the order of the library's table; where f and u are, and the
 *  processes; the workload in place of a grid, and its options. */
enum { APP_LAB_LISTS_MOST = APP_OPTIONS_MOST };

/** The rows of all lists for a command line.
 *  @param[out] rows  room for APP_LAB_LISTS_MOST
 *  @return how many there are */
size_t app_lab_lists_rows(app_option_row *rows);

/** What is known of each list: "column", "option", "standard": the default as files have it, and
 *  "of_solver": is it an option of the library?
 *  @return NULL when out of memory */
json_t *app_lab_lists_json(void);

/** The values of a list, checked, in the form of files: {"cpus": ["1", "default"]}.
 *  @param[in]  option  the list's name on a command line
 *  @param[in]  single  the text is one value: commas are a part of it
 *  @param[out] values  an object, which gets the list's column
 *  @return APP_DONE; APP_USAGE after a message */
int app_lab_list_read(const char *option, const char *text, bool single, json_t *values);

/** Is there a list of this name? */
bool app_lab_is_list(const char *option);

#endif
