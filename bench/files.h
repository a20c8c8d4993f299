/** @file files.h  The files of `psg bench`: rows as CSV and as JSON. New rows are added to those of a file. */
#ifndef PSG_BENCH_FILES_H
#define PSG_BENCH_FILES_H

#include "app/app.h"
#include "bench/csv.h"
#include "bench/lock.h"

#include <jansson.h>
#include <stdbool.h>

/** Which file a psg has read or written last: it need not be read again where nobody has replaced it. Device, number, bytes,
 *  and the seconds and nanoseconds of its latest change; all zero: none. */
typedef struct bench_stamp {
    long long of[5];
} bench_stamp;

typedef struct bench_files {
    const char *csv, *json; /**< borrowed; NULL: none is asked for, or it is stdout */
    bool csv_to_stdout, json_to_stdout, force;
    const app_notes *notes; /**< for the JSON, NULL: none */
    bench_stamp stamp;
    bool updated; /**< by this process */
    bench_lock lock;
} bench_files;

/** Rows that need not be measured, because a file has them; all zero before the first one. */
typedef struct bench_old {
    size_t count;
    char first[11], last[11]; /**< the days they are of */
} bench_old;

/** Count one more. @param[in] date  "2026-11-20T08:24:22Z" */
void bench_old_add(bench_old *old, const char *date);

/** Note how many were there, and of when; nothing where there were none.
 *  @param[in] rows  how many the command is about; 0: not known */
void bench_old_note(const bench_old *old, size_t rows, const char *path, app_notes *notes);

/** Find out whether the files can be written, and read the rows that the CSV file has, or, without one, the JSON
 *  file.
 *  @param[in] force  replace files that psg did not write, which are refused else
 *  @return APP_DONE; APP_USAGE or APP_FAILED after a message */
int bench_files_open(bench_files *files, const char *csv, const char *json, bool force,
                     bench_table *table);

/** Put new rows into the table and the files. Other processes may do so at the same time: while one does, the
 *  others wait, and each reads first what the others wrote. Both files appear whole or not at all, the one also
 *  where the other cannot be written.
 *  @param[in,out] table  becomes what the CSV file, or without one the JSON file, has now. A JSON file beside a
 *                        CSV file keeps its other rows, and gets all of the table's.
 *  @param[in]     apply  puts the rows into the table, of which all rows may have moved where `read_again`;
 *                        called once, also where the files cannot be read or written
 *  @return APP_DONE; APP_FAILED or APP_USAGE after a message; what apply() returned */
int bench_files_update(bench_files *files, bench_table *table,
                       int (*apply)(void *context, bool read_again), void *context);

/** The rows as {"command": "bench", "rows": [...]}. @return NULL when out of memory */
json_t *bench_files_json(const bench_table *table);

/** Write what goes to stdout, and JSON, of the rows. A JSON file gets the notes that have come meanwhile.
 *  @param[in] code  so far; where it is a failure, the JSON file stays as it was last brought up to date
 *  @return code; APP_FAILED after a message */
int bench_files_finish(bench_files *files, bench_table *table, int code);

/** The file that rows are read from; NULL: there is none. */
const char *bench_files_main(const bench_files *files);

/** Is there room on stdout for a table for people? */
bool bench_files_leave_stdout(const bench_files *files);

#endif
