/** @file csv.h  Rows of text under fixed columns, as a CSV file by RFC 4180. */
#ifndef PSG_BENCH_CSV_H
#define PSG_BENCH_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct bench_column {
    const char *name;
    bool is_text;     /**< its values are texts, else numbers */
    bool is_identity; /**< rows that are the same in all of these are the same measurement */
} bench_column;

typedef struct bench_table {
    const bench_column *column; /**< borrowed */
    size_t columns;
    size_t rows;
    char **field; /**< [rows][columns] */
} bench_table;

/** A table without rows. */
void bench_table_init(bench_table *table, const bench_column *column, size_t columns);
void bench_table_free(bench_table *table);

/** Add a row of empty texts before row number `at`, or at the end: at = table->rows.
 *  @return its number; (size_t)-1 when out of memory */
size_t bench_table_add(bench_table *table, size_t at);

void bench_table_remove(bench_table *table, size_t row);

/** The number of a column; (size_t)-1: there is none of that name. */
size_t bench_table_column(const bench_table *table, const char *name);

/** "" for an empty one; valid until it is set again. */
const char *bench_table_get(const bench_table *table, size_t row, size_t column);

/** @return 0; -1 when out of memory: then the old text stays */
int bench_table_set(bench_table *table, size_t row, size_t column, const char *text);

/** The same with a number; one that is not known (NAN) is empty. */
int bench_table_set_number(bench_table *table, size_t row, size_t column, double value);

/** Add a row of what is in the columns of `from`, which are the first ones of the table. @return as bench_table_add() */
size_t bench_table_copy(bench_table *table, size_t at, const bench_table *from, size_t row);

/** Are two rows of such tables the same measurement? */
bool bench_table_is_same(const bench_table *table, size_t row, const bench_table *other,
                         size_t other_row);

/** Add the rows of a CSV file whose first line names these columns. An empty file has no rows.
 *  @param[out] why  in words, where it is not APP_DONE: size bytes
 *  @return APP_DONE; APP_USAGE: it is not such a file; APP_FAILED: it cannot be read */
int bench_table_read(bench_table *table, FILE *file, char *why, size_t size);

/** The header line and the rows. @return 0; -1: `file` could not be written, errno says why */
int bench_table_write(const bench_table *table, FILE *file);

#endif
