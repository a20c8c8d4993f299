/** @file table.h  Rows of text under fixed columns, as a CSV file by RFC 4180. */
#ifndef PSG_APP_TABLE_H
#define PSG_APP_TABLE_H

#include <stddef.h>
#include <stdio.h>

/** One row: `columns` texts in one piece of memory each, never NULL. */
typedef struct app_table {
    const char *const *names; /**< of the columns; borrowed */
    size_t columns;
    size_t rows;
    char **field; /**< [rows][columns] */
} app_table;

/** A table without rows. */
void app_table_init(app_table *table, const char *const *names, size_t columns);
void app_table_free(app_table *table);

/** Add a row of empty texts before row number `at`, or at the end: at = table->rows.
 *  @return its number; (size_t)-1 when out of memory */
size_t app_table_add(app_table *table, size_t at);

void app_table_remove(app_table *table, size_t row);

/** The number of a column; (size_t)-1: there is none of that name. */
size_t app_table_column(const app_table *table, const char *name);

/** "" for an empty one; valid until it is set again. */
const char *app_table_get(const app_table *table, size_t row, size_t column);

/** @return 0; -1 when out of memory: then the old text stays */
int app_table_set(app_table *table, size_t row, size_t column, const char *text);

/** Add the rows of a CSV file whose first line names some of these columns, the first of them
 *  first: a file of an older version, or that somebody has put in another order. The others are
 *  empty. No file, or an empty one, has no rows.
 *  @param[in] force  what is not such a file has no rows either, since it is to be replaced
 *  @return APP_DONE; APP_USAGE: it is not such a file, APP_FAILED: it cannot be read; after a
 *  message */
int app_table_read(app_table *table, const char *path, int force);

/** The same from an open file. @param[out] why  in words, where it is not APP_DONE: size bytes */
int app_table_read_file(app_table *table, FILE *file, char *why, size_t size);

/** The header line and the rows. @return 0; -1: `file` could not be written, errno says why */
int app_table_write(const app_table *table, FILE *file);

#endif
