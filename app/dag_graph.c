/* Task graphs: what the formats share. */
#include "app/dag_graph.h"

#include <math.h>
#include <stdlib.h>

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
