/* Task graphs: the formats, and what these share. */
#include "app/dag.h"
#include "app/dag_graph.h"
#include "app/processes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

int app_dag_check(const char *path) {
    return path == NULL || !format_of(path)->alone || app_ranks() == 1
               ? APP_DONE
               : app_error(APP_USAGE,
                           "--dag %s: a file %s has the tasks of one process, and there are %d; "
                           ".json and .dot have all",
                           path, format_of(path)->ending, app_ranks());
}

/* ------------------------------------------------------------------------------------ the graph */

bool app_graph_is_message(const psg_event *event) {
    return event->rank >= 0;
}

const app_record_run *app_graph_run(const app_graph *graph, const app_record_run *run) {
    const app_record_run *all = app_record_runs(graph->record);
    for (run = run != NULL ? run + 1 : all; run < all + graph->record->rows[APP_RECORD_RUNS];
         run++) {
        if (run->number == graph->last) {
            return run;
        }
    }
    return NULL;
}

size_t app_graph_node(const app_graph *graph, const app_record_run *run, size_t event) {
    return app_record_number(graph->record, &run->event[event]);
}

double app_graph_seconds(const app_graph *graph, size_t *starpu_tasks) {
    double seconds = 0;
    *starpu_tasks = 0;
    for (const app_record_run *run = NULL; (run = app_graph_run(graph, run)) != NULL;) {
        seconds = fmax(seconds, run->statistics.seconds);
        *starpu_tasks += run->statistics.submit.starpu_tasks;
    }
    return seconds;
}

/* --------------------------------------------------------------------------------------- edges */

typedef struct visitor {
    const app_graph *graph;
    void (*visit)(const void *argument, const app_graph_edge *edge);
    const void *argument;
} visitor;

static int by_after(const void *a, const void *b) {
    const psg_dependency *x = a, *y = b;
    return (x->after > y->after) - (x->after < y->after);
}

/* The edges within a process. */
static void visit_own(const visitor *v, const app_record_run *run) {
    for (size_t d = 0; d < run->dependencies; d++) {
        const psg_dependency need = run->dependency[d];
        if (!app_graph_is_message(&run->event[need.before]) &&
            !app_graph_is_message(&run->event[need.after])) {
            const app_graph_edge edge = {app_graph_node(v->graph, run, need.before),
                                         app_graph_node(v->graph, run, need.after), need.bytes,
                                         run->rank, run->rank};
            v->visit(v->argument, &edge);
        }
    }
    qsort(run->dependency, run->dependencies, sizeof *run->dependency, by_after);
}

/* An edge to the reader of a message from each task that wrote what it carried. */
static void visit_carried(const visitor *v, const app_message *sent, size_t reader, int rank) {
    const app_record_run *run = sent->run;
    const psg_dependency key = {.after = (size_t)(sent->event - run->event)},
                         *end = run->dependency + run->dependencies;
    const psg_dependency *found =
        bsearch(&key, run->dependency, run->dependencies, sizeof key, by_after);
    while (found != NULL && found > run->dependency && found[-1].after == key.after) {
        found--;
    }
    for (; found != NULL && found < end && found->after == key.after; found++) {
        const app_graph_edge edge = {app_graph_node(v->graph, run, found->before), reader,
                                     found->bytes, run->rank, rank};
        v->visit(v->argument, &edge);
    }
}

static void visit_messages(const visitor *v, const app_record_run *run) {
    for (size_t d = 0; d < run->dependencies; d++) {
        const psg_event *came = &run->event[run->dependency[d].before];
        const app_message *sent =
            app_graph_is_message(came) ? app_record_sent(v->graph->record, run, came) : NULL;
        if (sent != NULL) {
            visit_carried(v, sent, app_graph_node(v->graph, run, run->dependency[d].after),
                          run->rank);
        }
    }
}

void app_graph_edges(const app_graph *graph,
                     void (*visit)(const void *argument, const app_graph_edge *edge),
                     const void *argument) {
    const visitor v = {graph, visit, argument};
    const app_record_run *run = NULL;
    while ((run = app_graph_run(graph, run)) != NULL) {
        visit_own(&v, run);
    }
    while ((run = app_graph_run(graph, run)) != NULL) {
        visit_messages(&v, run);
    }
}

int app_dag_write(const app_record *record, const app_workers *workers, const psg_options *options,
                  const char *path, const char *shown) {
    const unsigned last = app_record_runs(record)[record->rows[APP_RECORD_RUNS] - 1].number;
    const app_graph graph = {record, workers, options, last, app_record_origin(record, last)};
    return format_of(shown)->write(&graph, path, shown);
}
