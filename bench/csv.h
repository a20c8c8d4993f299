/** @file csv.h  Rows of text under fixed columns, as a CSV file by RFC 4180. */
#ifndef PSG_BENCH_CSV_H
#define PSG_BENCH_CSV_H

#include "graph/psg_machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** Columns of versions: those of psg_component up to MPI. */
enum { BENCH_VERSIONS = PSG_COMPONENT_MPI + 1 };

/** One row: `columns` texts in one piece of memory each, never NULL. */
typedef struct bench_table {
    const char *const *names; /**< of the columns; borrowed */
    size_t columns;
    size_t rows;
    char **field; /**< [rows][columns] */
} bench_table;

/** A table without rows. */
void bench_table_init(bench_table *table, const char *const *names, size_t columns);
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

/** Add the rows of a CSV file whose first line names these columns. No file, or an empty one, has no rows.
 *  @param[in] force  what is not such a file has no rows either, since it is to be replaced
 *  @return APP_DONE; APP_USAGE: it is not such a file, APP_FAILED: it cannot be read; after a
 *  message */
int bench_table_read(bench_table *table, const char *path, bool force);

/** The same from an open file. @param[out] why  in words, where it is not APP_DONE: size bytes */
int bench_table_read_file(bench_table *table, FILE *file, char *why, size_t size);

/** The header line and the rows. @return 0; -1: `file` could not be written, errno says why */
int bench_table_write(const bench_table *table, FILE *file);

#endif
