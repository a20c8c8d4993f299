/* The files of psg bench. What a process measured is added to a file under its lock, to what the file
 * has at that moment: several processes may write one file. */
#include "bench/files.h"
#include "app/json.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ------------------------------------------------------------------------------------------ JSON */

json_t *bench_files_json(const bench_table *table) {
    json_t *root = json_object(), *rows = json_array();
    for (size_t r = 0; r < table->rows; r++) {
        json_t *object = json_object();
        for (size_t c = 0; c < table->columns; c++) {
            const char *text = bench_table_get(table, r, c);
            json_t *value = NULL;
            if (text[0] && !table->column[c].is_text) {
                value = text[strspn(text, "-0123456789")]
                            ? json_real(strtod(text, NULL)) /* NULL for a NaN, which JSON has not */
                            : json_integer(strtoll(text, NULL, 10));
            } else if (text[0]) {
                value = json_string(text);
            }
            json_object_set_new(object, table->column[c].name, value != NULL ? value : json_null());
        }
        json_array_append_new(rows, object);
    }
    json_object_set_new(root, "command", json_string("bench"));
    json_object_set_new(root, "rows", rows);
    return root;
}

static json_t *make_json(const bench_files *files, const bench_table *table) {
    json_t *root = bench_files_json(table);
    json_t *notes = json_array();
    for (size_t n = 0; files->notes != NULL && n < files->notes->count; n++) {
        json_array_append_new(notes, json_string(files->notes->text[n]));
    }
    json_object_set_new(root, "notes", notes);
    return root;
}

/* @return 0; -1: out of memory, 1: it is no value of a row */
static int take_value(bench_table *table, size_t row, size_t column, const json_t *value) {
    char text[32] = "";
    if (json_is_integer(value)) {
        snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    } else if (json_is_real(value)) {
        snprintf(text, sizeof text, "%.12g", json_real_value(value));
    } else if (!json_is_string(value) && !json_is_null(value)) {
        return 1;
    }
    return bench_table_set(table, row, column,
                           json_is_string(value) ? json_string_value(value) : text);
}

/* @return as take_value(); @param[out] why  in words, where it is 1 */
static int take_row(bench_table *table, json_t *object, char *why, size_t size) {
    const char *name;
    json_t *value;
    const size_t row = bench_table_add(table, table->rows);
    int failed = row == SIZE_MAX ? -1 : 0;
    json_object_foreach(object, name, value) {
        const size_t column = bench_table_column(table, name);
        if (!failed) {
            failed = column == SIZE_MAX ? 1 : take_value(table, row, column, value);
        }
        if (failed > 0) {
            snprintf(why, size, "its row %zu has '%.60s', which is not known", row + 1, name);
            return failed;
        }
    }
    return failed;
}

static int take_rows(bench_table *table, json_t *root, char *why, size_t size) {
    const char *command = json_string_value(json_object_get(root, "command"));
    json_t *rows = json_object_get(root, "rows");
    int failed = 0;
    if (command == NULL || strcmp(command, "bench") != 0 || !json_is_array(rows)) {
        snprintf(why, size, "it is no object with the command bench and rows");
        return 1;
    }
    for (size_t n = 0; !failed && n < json_array_size(rows); n++) {
        failed = take_row(table, json_array_get(rows, n), why, size);
    }
    return failed;
}

/* As bench_table_read(). */
static int read_json(bench_table *table, FILE *file, char *why, size_t size) {
    json_error_t wrong;
    const int first = getc(file);
    if (first == EOF && !ferror(file)) {
        return APP_DONE;
    }
    rewind(file);
    json_t *root = json_loadf(file, 0, &wrong);
    if (root == NULL) {
        snprintf(why, size, "%s", wrong.text);
        return APP_USAGE;
    }
    const int failed = take_rows(table, root, why, size);
    json_decref(root);
    if (failed < 0) {
        snprintf(why, size, "out of memory for its rows");
    }
    return failed < 0 ? APP_FAILED : failed > 0 ? APP_USAGE : APP_DONE;
}

/* -------------------------------------------------------------------------------- either format */

const char *bench_files_main(const bench_files *files) {
    return files->csv != NULL ? files->csv : files->json;
}

/* Add the rows of a file; one that is not there has none, and neither has a foreign one that is to be replaced. */
static int read_file(const bench_files *files, const char *path, bench_table *table) {
    const bool is_csv = path == files->csv;
    char why[320] = "";
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return errno == ENOENT
                   ? APP_DONE
                   : app_error(APP_FAILED, "%s: cannot be read: %s", path, strerror(errno));
    }
    const int code = (is_csv ? bench_table_read : read_json)(table, file, why, sizeof why);
    fclose(file);
    if (code == APP_USAGE && files->force) {
        bench_table_free(table);
        return APP_DONE;
    }
    return code == APP_USAGE
               ? app_error(
                     APP_USAGE,
                     "%s: not a %sfile of psg bench, or of another version: %s; it is left as "
                     "it is. --force replaces it",
                     path, is_csv ? "" : "JSON ", why)
           : code ? app_error(APP_FAILED, "%s: %s", path, why)
                  : APP_DONE;
}

/* The table becomes what the file has; where that cannot be read it stays. */
static int read_again(const bench_files *files, const char *path, bench_table *table) {
    bench_table fresh;
    bench_table_init(&fresh, table->column, table->columns);
    const int code = read_file(files, path, &fresh);
    bench_table_free(code ? &fresh : table);
    if (!code) {
        *table = fresh;
    }
    return code;
}

static int write_csv(const bench_table *table, const char *temporary, const char *path) {
    FILE *file = fopen(temporary, "w");
    bool failed = file == NULL || bench_table_write(table, file);
    int why = errno;
    if (file != NULL && fclose(file)) {
        why = errno;
        failed = true;
    }
    return failed ? app_error(APP_FAILED, "%s: cannot be written: %s", path, strerror(why))
                  : APP_DONE;
}

static int write_file(const bench_files *files, const char *path, const bench_table *table,
                      app_output *output) {
    const int code = path == files->csv
                         ? write_csv(table, output->temporary, path)
                         : app_json_write(make_json(files, table), output->temporary, path);
    return code ? code : app_output_commit(output);
}

static bench_stamp stamp_of(const char *name) {
    struct stat s;
    if (stat(name, &s) != 0) {
        return (bench_stamp){{0}};
    }
    return (bench_stamp){{(long long)s.st_dev, (long long)s.st_ino, (long long)s.st_size,
                          (long long)s.st_mtim.tv_sec, (long long)s.st_mtim.tv_nsec}};
}

int bench_files_open(bench_files *files, const char *csv, const char *json, bool force,
                     bench_table *table) {
    *files = (bench_files){.force = force,
                           .csv_to_stdout = csv != NULL && strcmp(csv, "-") == 0,
                           .json_to_stdout = json != NULL && strcmp(json, "-") == 0};
    files->csv = files->csv_to_stdout ? NULL : csv;
    files->json = files->json_to_stdout ? NULL : json;
    /* first: what is no file may have no end */
    int code = files->csv != NULL ? app_output_try(csv, APP_OUTPUT_ANY) : APP_DONE;
    if (!code && files->json != NULL) {
        code = app_output_try(json, force ? APP_OUTPUT_ANY : APP_OUTPUT_JSON);
    }
    if (!code && bench_files_main(files) != NULL) {
        files->stamp = stamp_of(bench_files_main(files));
        code = read_file(files, bench_files_main(files), table);
    }
    if (!code && files->csv != NULL &&
        files->json != NULL) { /* so that a foreign one is found before the work */
        bench_table trial;
        bench_table_init(&trial, table->column, table->columns);
        code = read_file(files, json, &trial);
        bench_table_free(&trial);
    }
    return code;
}

/* --------------------------------------------------------------------------------------- updates */

/* The number of the row in `other` that is the same measurement, looked for from *from on, all round;
 * SIZE_MAX: none. */
static size_t find_same(const bench_table *table, size_t row, const bench_table *other,
                        size_t *from) {
    for (size_t n = 0; n < other->rows; n++) {
        const size_t at = (*from + n) % other->rows;
        if (bench_table_is_same(table, row, other, at)) {
            *from = at + 1;
            return at;
        }
    }
    return SIZE_MAX;
}

/* Add the table's rows after those of `whole` that are other measurements. */
static int join(const bench_files *files, const bench_table *table, bench_table *whole) {
    size_t from = 0;
    for (size_t row = 0; row < whole->rows;) {
        if (find_same(whole, row, table, &from) != SIZE_MAX) {
            bench_table_remove(whole, row);
        } else {
            row++;
        }
    }
    for (size_t row = 0; row < table->rows; row++) {
        if (bench_table_copy(whole, whole->rows, table, row) == SIZE_MAX) {
            return app_error(APP_FAILED, "out of memory for the rows of %s", files->json);
        }
    }
    return APP_DONE;
}

/* The JSON file beside a CSV file. */
static int save_json(bench_files *files, const bench_table *table) {
    app_output output;
    bench_table whole;
    int code = app_output_begin(&output, files->json, APP_OUTPUT_ANY, 0);
    if (code) {
        return code;
    }
    bench_table_init(&whole, table->column, table->columns);
    code = bench_lock_take(&files->lock, output.name);
    if (!code) {
        code = read_file(files, files->json, &whole);
        code = code ? code : join(files, table, &whole);
        code = code ? code : write_file(files, files->json, &whole, &output);
        bench_lock_release(&files->lock);
    }
    app_output_discard(&output);
    bench_table_free(&whole);
    return code;
}

/* The file that the table is read from. */
static int update_main(bench_files *files, bench_table *table,
                       int (*apply)(void *context, bool read_again), void *context) {
    const char *path = bench_files_main(files);
    app_output output;
    int code = app_output_begin(&output, path, APP_OUTPUT_ANY, 0);
    const bool begun = !code;
    code = code ? code : bench_lock_take(&files->lock, output.name);
    const bool locked = !code;
    const bench_stamp now = stamp_of(locked ? output.name : "");
    const bool changed = locked && memcmp(&now, &files->stamp, sizeof now) != 0;
    if (changed) {
        code = read_again(files, path, table);
    }
    const int applied = apply(context, changed && !code);
    code = code ? code : applied;
    if (!code) {
        code = write_file(files, path, table, &output);
        files->stamp = stamp_of(output.name);
        files->updated = 1;
    }
    if (locked) {
        bench_lock_release(&files->lock);
    }
    if (begun) {
        app_output_discard(&output);
    }
    return code;
}

int bench_files_update(bench_files *files, bench_table *table,
                       int (*apply)(void *context, bool read_again), void *context) {
    if (bench_files_main(files) == NULL) {
        return apply(context, 0);
    }
    const int code = update_main(files, table, apply, context);
    const int beside =
        files->csv != NULL && files->json != NULL ? save_json(files, table) : APP_DONE;
    return code ? code : beside;
}

static int apply_nothing(void *context, bool read_again) {
    (void)context;
    (void)read_again;
    return APP_DONE;
}

int bench_files_finish(bench_files *files, bench_table *table, int code) {
    int written = APP_DONE;
    if (files->csv_to_stdout) {
        (void)bench_table_write(table, stdout); /* main() finds out */
    } else if (files->json_to_stdout) {
        written = app_json_write(make_json(files, table), NULL, "stdout");
    }
    code = code ? code : written;
    if (!code && files->json != NULL && files->csv != NULL) {
        code = save_json(files, table);
    } else if (!code && files->json != NULL && files->updated && files->notes != NULL &&
               files->notes->count > 0) {
        code = update_main(files, table, apply_nothing, NULL);
    }
    return code;
}

bool bench_files_leave_stdout(const bench_files *files) {
    return !files->csv_to_stdout && !files->json_to_stdout;
}

/* ---------------------------------------------------------------------------------- for people */

void bench_old_add(bench_old *old, const char *date) {
    char day[sizeof old->first];
    snprintf(day, sizeof day, "%s", date);
    if (old->count == 0 || strcmp(day, old->first) < 0) {
        memcpy(old->first, day, sizeof day);
    }
    if (old->count == 0 || strcmp(day, old->last) > 0) {
        memcpy(old->last, day, sizeof day);
    }
    old->count++;
}

void bench_old_note(const bench_old *old, size_t rows, const char *path, app_notes *notes) {
    const bool days = strcmp(old->first, old->last) != 0;
    char of[32] = "";
    if (rows > 0) {
        snprintf(of, sizeof of, " of %zu", rows);
    }
    if (old->count > 0) {
        app_note(notes,
                 "%s: %zu%s row%s %s there already, of %s%s%s, and not measured now; --again "
                 "measures all anew",
                 path, old->count, of, (rows > 0 ? rows : old->count) > 1 ? "s" : "",
                 old->count > 1 ? "were" : "was", old->first[0] ? old->first : "an unknown day",
                 days ? " to " : "", days ? old->last : "");
    }
}
