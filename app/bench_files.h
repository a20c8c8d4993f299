/** @file bench_files.h  The files of `psg bench`: rows in a CSV file, which is gone on with, and as JSON. */
#ifndef PSG_APP_BENCH_FILES_H
#define PSG_APP_BENCH_FILES_H

#include "app/table.h"

#include <jansson.h>

typedef struct app_bench_files {
    const char *csv, *json; /**< borrowed; NULL: none is asked for */
    int csv_to_stdout, json_to_stdout;
} app_bench_files;

/** Read the rows that the CSV file has, and find out whether the files can be written.
 *  @return APP_DONE; APP_USAGE or APP_FAILED after a message */
int app_bench_files_open(app_bench_files *files, const char *csv, const char *json,
                         app_table *table);

/** Bring the CSV file, which appears whole or not at all, up to date; nothing where it is stdout
 *  or none.
 *  @return APP_DONE; APP_FAILED after a message */
int app_bench_files_save(const app_bench_files *files, const app_table *table);

/** The rows as {"command": "bench", "rows": [...]}.
 *  @param[in] is_number  of each column; the others are texts
 *  @return NULL when out of memory */
json_t *app_bench_files_json(const app_table *table,
                             int (*is_number)(const app_table *table, size_t column));

/** Write what goes to stdout, and JSON, of the rows.
 *  @param[in] is_number  of each column; the others are texts
 *  @param[in] code       so far; where it is a failure, no JSON file is written
 *  @return code; APP_FAILED after a message */
int app_bench_files_finish(const app_bench_files *files, const app_table *table,
                           int (*is_number)(const app_table *table, size_t column), int code);

/** Is there room on stdout for a table for people? */
int app_bench_files_leave_stdout(const app_bench_files *files);

#endif
