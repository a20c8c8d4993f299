/* Task graphs: the formats. */
#include "app/dag.h"
#include "app/dag_graph.h"
#include "app/processes.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* --------------------------------------------------------------------------------- the formats */

typedef struct format {
    const char *ending;
    app_output_kind kind;
    int (*write)(const app_graph *graph, const char *path, const char *shown);
    bool alone; /* a graph of one process */
} format;

static const format *format_of(const char *path) {
    static const format formats[] = {
        {".json", APP_OUTPUT_DAG_JSON, app_dag_write_json, false},
        {".rec", APP_OUTPUT_DAG_REC, app_dag_write_rec, true},
        {"", APP_OUTPUT_DAG, app_dag_write_dot, false},
    };
    const format *f = formats;
    const size_t length = strlen(path);
    while (length < strlen(f->ending) ||
           strcmp(path + length - strlen(f->ending), f->ending) != 0) {
        f++;
    }
    return f;
}

app_output_kind app_dag_kind(const char *path) {
    return path != NULL ? format_of(path)->kind : APP_OUTPUT_ANY;
}

int app_dag_check(const char *path, bool force) {
    if (path != NULL && format_of(path)->kind == APP_OUTPUT_DAG_REC && !force) {
        char folder[PATH_MAX];
        struct stat file, old;
        const int length = snprintf(folder, sizeof folder, "%s" APP_DAG_MODELS, path);
        if (length < PATH_MAX && stat(path, &file) != 0 && lstat(folder, &old) == 0) {
            return app_error(APP_USAGE,
                             "%s: is there already, and %s is not; it is left as it is. --force "
                             "writes into it",
                             folder, path);
        }
    }
    return path == NULL || !format_of(path)->alone || app_ranks() == 1
               ? APP_DONE
               : app_error(APP_USAGE,
                           "--dag %s: a file %s has the tasks of one process, and there are %d; "
                           ".json and .dot have all",
                           path, format_of(path)->ending, app_ranks());
}

int app_dag_write(const app_record *record, const app_workers *workers, const psg_options *options,
                  const char *path, const char *shown) {
    const unsigned last = app_record_runs(record)[record->rows[APP_RECORD_RUNS] - 1].number;
    const app_graph graph = {record, workers, options, last, app_record_origin(record, last)};
    return format_of(shown)->write(&graph, path, shown);
}
