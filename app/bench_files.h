/** @file bench_files.h  The files of `psg bench`: rows in a CSV file, which is gone on with, and as JSON. */
#ifndef PSG_APP_BENCH_FILES_H
#define PSG_APP_BENCH_FILES_H

#include "app/table.h"

#include <jansson.h>

typedef struct app_bench_files {
    const char *csv, *json; /**< borrowed; NULL: none is asked for */
    int csv_to_stdout, json_to_stdout;
    int (*is_number)(const app_table *table, size_t column);
} app_bench_files;

/** Find out whether the files can be written, and read the rows that the CSV file has.
 *  @param[in] is_number  of each column; the others are texts
 *  @return APP_DONE; APP_USAGE or APP_FAILED after a message */
int app_bench_files_open(app_bench_files *files, const char *csv, const char *json,
                         int (*is_number)(const app_table *table, size_t column), app_table *table);

/** Bring both files, each of which appears whole or not at all, up to date, the one also where the
 *  other cannot be written; nothing where it is stdout or none.
 *  @return APP_DONE; APP_FAILED after a message */
int app_bench_files_save(const app_bench_files *files, const app_table *table);

/** The rows as {"command": "bench", "rows": [...]}.
 *  @param[in] is_number  of each column; the others are texts
 *  @return NULL when out of memory */
json_t *app_bench_files_json(const app_table *table,
                             int (*is_number)(const app_table *table, size_t column));

/** Write what goes to stdout, and JSON, of the rows.
 *  @param[in] code  so far; where it is a failure, the JSON file stays as it was last brought up to date
 *  @return code; APP_FAILED after a message */
int app_bench_files_finish(const app_bench_files *files, const app_table *table, int code);

/** Is there room on stdout for a table for people? */
int app_bench_files_leave_stdout(const app_bench_files *files);

#endif
