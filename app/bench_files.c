/* The files of psg bench. */
#include "app/bench_files.h"
#include "app/app.h"
#include "app/output.h"
#include "app/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int app_bench_files_open(app_bench_files *files, const char *csv, const char *json,
                         int (*is_number)(const app_table *table, size_t column),
                         app_table *table) {
    *files = (app_bench_files){csv, json, csv && strcmp(csv, "-") == 0,
                               json && strcmp(json, "-") == 0, is_number};
    int code = APP_DONE;
    if (csv && json && !files->csv_to_stdout && !files->json_to_stdout &&
        app_same_file(csv, json)) {
        return app_error(APP_USAGE, "--csv and --json name the same file, %s", csv);
    }
    if (csv && !files->csv_to_stdout) {
        code = app_output_try(csv); /* first: what is no file may have no end */
        if (!code) {
            code = app_table_read(table, csv);
        }
    }
    if (!code && json && !files->json_to_stdout) {
        code = app_output_try(json);
    }
    return code;
}

static int save_csv(const app_bench_files *files, const app_table *table) {
    app_output output;
    if (!files->csv || files->csv_to_stdout) {
        return APP_DONE;
    }
    const int code = app_output_begin(&output, files->csv, 0);
    if (code) {
        return code;
    }
    FILE *file = fopen(output.temporary, "w");
    int failed = !file || app_table_write(table, file);
    int why = errno;
    if (file && fclose(file)) {
        why = errno;
        failed = 1;
    }
    if (failed) {
        app_output_discard(&output);
        return app_error(APP_FAILED, "%s: cannot be written: %s", files->csv, strerror(why));
    }
    return app_output_commit(&output);
}

json_t *app_bench_files_json(const app_table *table,
                             int (*is_number)(const app_table *table, size_t column)) {
    json_t *root = json_object(), *rows = json_array();
    for (size_t r = 0; r < table->rows; r++) {
        json_t *object = json_object();
        for (size_t c = 0; c < table->columns; c++) {
            const char *text = app_table_get(table, r, c);
            json_t *value = NULL;
            if (text[0] && is_number(table, c)) {
                value = text[strspn(text, "-0123456789")]
                            ? json_real(strtod(text, NULL)) /* NULL for a NaN, which JSON has not */
                            : json_integer(strtoll(text, NULL, 10));
            } else if (text[0]) {
                value = json_string(text);
            }
            json_object_set_new(object, table->names[c], value ? value : json_null());
        }
        json_array_append_new(rows, object);
    }
    json_object_set_new(root, "command", json_string("bench"));
    json_object_set_new(root, "rows", rows);
    return root;
}

static int save_json(const app_bench_files *files, const app_table *table) {
    return files->json && !files->json_to_stdout
               ? app_json_save(app_bench_files_json(table, files->is_number), files->json)
               : APP_DONE;
}

int app_bench_files_save(const app_bench_files *files, const app_table *table) {
    const int csv = save_csv(files, table), json = save_json(files, table);
    return csv ? csv : json;
}

int app_bench_files_finish(const app_bench_files *files, const app_table *table, int code) {
    if (files->csv_to_stdout) {
        (void)app_table_write(table, stdout); /* main() finds out */
    } else if (files->json_to_stdout) {
        const int written =
            app_json_write(app_bench_files_json(table, files->is_number), NULL, "stdout");
        code = code ? code : written;
    }
    return code ? code : save_json(files, table);
}

int app_bench_files_leave_stdout(const app_bench_files *files) {
    return !files->csv_to_stdout && !files->json_to_stdout;
}
