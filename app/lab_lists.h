/** @file lab_lists.h  The lists of `psg bench`, each of which is a column of its files, too. */
#ifndef PSG_APP_LAB_LISTS_H
#define PSG_APP_LAB_LISTS_H

#include "app/option_lines.h"

#include <jansson.h>

/** The lists, in the order of the columns: the grid; the options of the solver that `psg bench`
 *  does not decide itself, in the order of the library's table; where f and u are, and the
 *  processes; the workload in place of a grid, and its options. */
enum { APP_LAB_LISTS_MOST = APP_OPTIONS_MOST };

/** The rows of all lists for a command line. Texts are borrowed from the lists.
 *  @param[out] rows   room for APP_LAB_LISTS_MOST
 *  @param[in]  field  the offset of an array of const char * for the values
 *  @return how many there are */
size_t app_lab_lists_rows(app_option_row *rows, size_t field);

/** What is known of each list: "column", "option", "standard": the default as files have it, and
 *  "of_solver": is it an option of the library?
 *  @return NULL when out of memory */
json_t *app_lab_lists_json(void);

/** The values of list number l, checked, in the form of files: {"cpus": ["1", "default"]}.
 *  @param[in]  text    NULL: nothing was said
 *  @param[out] values  an object, which gets the list's column
 *  @return APP_DONE; APP_USAGE after a message */
int app_lab_list_read(size_t l, const char *text, json_t *values);

/** The number of a list. There has to be one. */
size_t app_lab_list(const char *option);

#endif
