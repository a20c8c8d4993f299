/* Task graphs in JSON: tasks with their data and times, and edges. docs/command.md describes it. */
#include "app/dag_graph.h"
#include "app/json.h"

#include <stdint.h>
#include <stdlib.h>

typedef struct writer {
    const app_graph *graph;
    json_t *tasks, *edges;
} writer;

static const char *mode_of(const psg_use *use) {
    return use->adds ? "adds" : use->reads ? (use->writes ? "RW" : "R") : "W";
}

static json_t *task_of(const writer *w, const app_record_run *run, size_t number) {
    const psg_event *e = &run->event[number];
    const double shift = run->statistics.submitted - w->graph->origin;
    json_t *task = json_object();
    app_json_put_size(task, "id", app_graph_node(w->graph, run, number));
    app_json_put_text(task, "kind", psg_stage_name(e->stage));
    app_json_put(task, "process", json_integer(run->rank));
    for (int m = 0; m < 3; m++) {
        if (app_event_index(e, m) != SIZE_MAX) {
            app_json_put_size(task, app_event_index_name(e, m), app_event_index(e, m));
        }
    }
    app_json_put(task, "worker", e->worker >= 0 ? json_integer(e->worker) : NULL);
    app_json_put_real(task, "start", e->start + shift);
    app_json_put_real(task, "end", e->end + shift);
    app_json_put_real(task, "core_seconds", e->least[0]);
    app_json_put_real(task, "gpu_seconds", e->least[1]);
    app_json_put(task, "data", json_array());
    return task;
}

/* Messages have no task. */
static void put_data(const app_record_run *run, json_t *const *task) {
    for (size_t m = 0; m < run->uses; m++) {
        const psg_use *use = &run->use[m];
        if (task[use->event] != NULL) {
            json_array_append_new(json_object_get(task[use->event], "data"),
                                  json_pack("{sI ss sI}", "id", (json_int_t)use->data, "mode",
                                            mode_of(use), "bytes", (json_int_t)use->bytes));
        }
    }
}

/* @return false: no memory */
static bool add_tasks(const writer *w, const app_record_run *run) {
    json_t **task = app_allocate(run->events + 1, sizeof *task, "the task graph");
    for (size_t e = 0; task != NULL && e < run->events; e++) {
        task[e] = app_graph_is_message(&run->event[e]) ? NULL : task_of(w, run, e);
        if (task[e] != NULL) {
            json_array_append_new(w->tasks, task[e]);
        }
    }
    if (task != NULL) {
        put_data(run, task);
    }
    free(task);
    return task != NULL;
}

static void add_edge(const void *argument, const app_graph_edge *edge) {
    const writer *w = argument;
    json_array_append_new(w->edges,
                          json_pack("{sI sI sI sb}", "from", (json_int_t)edge->before, "to",
                                    (json_int_t)edge->after, "bytes", (json_int_t)edge->bytes,
                                    "message", edge->from != edge->to));
}

int app_dag_write_json(const app_graph *graph, const char *path, const char *shown) {
    const writer w = {graph, json_array(), json_array()};
    json_t *root = json_object(), *about = json_object(), *workers = json_array();
    size_t handed = 0;
    bool good = true;
    for (const app_record_run *run = NULL; good && (run = app_graph_run(graph, run)) != NULL;) {
        good = add_tasks(&w, run);
    }
    app_graph_edges(graph, add_edge, &w);
    for (size_t m = 0; m < graph->workers->count; m++) {
        json_array_append_new(workers,
                              json_string(app_worker_kind_name(graph->workers->list[m].kind)));
    }
    app_json_put_real(about, "seconds", app_graph_seconds(graph, &handed));
    app_json_put_size(about, "starpu_tasks", handed);
    app_json_put(about, "workers", workers);
    app_json_put(root, "task_graph", about);
    app_json_put(root, "tasks", w.tasks);
    app_json_put(root, "edges", w.edges);
    if (!good) {
        json_decref(root);
        return APP_FAILED;
    }
    return app_json_write(root, path, shown);
}
