/* Task graphs in Graphviz' language: dot -Tsvg FILE.dot -o FILE.svg draws one. */
#include "app/dag.h"
#include "app/collect.h"
#include "app/processes.h"
#include "app/trace.h"
#include "base/file.h"
#include "graph/psg_observe.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct app_dag_event {
    psg_event event;
    double submitted; /* of its solve, seconds since the epoch */
    int rank;
} app_dag_event;

int app_dag_take(app_dag *dag, const psg_work *work) {
    psg_run_statistics statistics;
    size_t events = 0, edges = 0;
    if (psg_work_events(work, NULL, 0, &events) != PSG_OK ||
        psg_work_dependencies(work, NULL, 0, &edges) != PSG_OK ||
        psg_work_statistics(work, &statistics) != PSG_OK) {
        return app_error(APP_FAILED, "%s", psg_last_error());
    }
    psg_event *list = app_allocate(events, sizeof *list, "the events of a run");
    dag->event = app_allocate(events, sizeof *dag->event, "the events of a run");
    dag->edge = app_allocate(edges, sizeof *dag->edge, "the dependencies of a run");
    if (list == NULL || dag->event == NULL || dag->edge == NULL) {
        free(list);
        return APP_FAILED;
    }
    (void)psg_work_events(work, list, events, &events);
    const psg_status status = psg_work_dependencies(work, dag->edge, edges, &edges);
    for (size_t e = 0; e < events; e++) {
        dag->event[e] = (app_dag_event){list[e], statistics.submitted, app_rank()};
    }
    free(list);
    dag->events = events;
    dag->edges = edges;
    dag->seconds = statistics.seconds;
    return status == PSG_OK ? APP_DONE : app_error(APP_FAILED, "%s", psg_last_error());
}

/* All processes' on rank 0, where edges then name the events by their number among all. */
static int gather(app_dag *dag) {
    const size_t ranks = (size_t)app_ranks();
    size_t *events = app_allocate(ranks, sizeof *events, "the numbers of events");
    size_t *edges = app_allocate(ranks, sizeof *edges, "the numbers of events");
    int code = app_ranks_agree(events != NULL && edges != NULL ? APP_DONE : APP_FAILED);
    void *event = dag->event, *edge = dag->edge;
    if (!code) {
        code = app_collect(&event, sizeof *dag->event, &dag->events, events,
                           "the events of all processes");
    }
    if (!code) {
        code = app_collect(&edge, sizeof *dag->edge, &dag->edges, edges,
                           "the dependencies of all processes");
    }
    dag->event = event;
    dag->edge = edge;
    size_t at = 0, before = 0;
    for (size_t rank = 0; rank < ranks && app_rank() == 0 && !code; rank++) {
        for (size_t e = 0; e < edges[rank]; e++, at++) {
            dag->edge[at].before += before;
            dag->edge[at].after += before;
        }
        before += events[rank];
    }
    free(events);
    free(edges);
    app_ranks_max(&dag->seconds, 1);
    return code;
}

/* ------------------------------------------------------------------------------ messages */

static bool is_message(const app_dag_event *e) {
    return e->event.rank >= 0;
}

/* A message as both of its ends know it. */
typedef struct passage {
    size_t segment, sheet;
    int from, to;
    size_t event;
} passage;

static passage passage_of(const app_dag *dag, size_t number) {
    const app_dag_event *e = &dag->event[number];
    return (passage){e->event.segment, e->event.sheet, e->event.received ? e->event.rank : e->rank,
                     e->event.received ? e->rank : e->event.rank, number};
}

static int by_passage(const void *a, const void *b) {
    const passage *x = a, *y = b;
    const size_t left[4] = {x->segment, x->sheet, (size_t)x->from, (size_t)x->to};
    const size_t right[4] = {y->segment, y->sheet, (size_t)y->from, (size_t)y->to};
    for (int m = 0; m < 4; m++) {
        if (left[m] != right[m]) {
            return left[m] < right[m] ? -1 : 1;
        }
    }
    return 0;
}

static int by_after(const void *a, const void *b) {
    const psg_dependency *x = a, *y = b;
    return (x->after > y->after) - (x->after < y->after);
}

/* Those who wrote what a message carried, by an edge each to the one who read it. Edges are in
   the order of their ends. */
static void write_carried(const app_dag *dag, size_t sent, size_t reader, FILE *file) {
    const psg_dependency key = {.after = sent};
    const psg_dependency *found = bsearch(&key, dag->edge, dag->edges, sizeof *dag->edge, by_after);
    while (found != NULL && found > dag->edge && found[-1].after == sent) {
        found--;
    }
    for (; found != NULL && found < dag->edge + dag->edges && found->after == sent; found++) {
        fprintf(file,
                "    t%zu -> t%zu [style=dashed, tooltip=\"message from process %d to %d\"];\n",
                found->before, reader, dag->event[sent].rank, dag->event[reader].rank);
    }
}

static int write_messages(const app_dag *dag, FILE *file) {
    passage *sent = malloc((dag->events + 1) * sizeof *sent);
    size_t count = 0;
    if (sent == NULL) {
        return app_error(APP_FAILED, "out of memory for the messages of %zu events", dag->events);
    }
    for (size_t e = 0; e < dag->events; e++) {
        if (is_message(&dag->event[e]) && !dag->event[e].event.received) {
            sent[count++] = passage_of(dag, e);
        }
    }
    qsort(sent, count, sizeof *sent, by_passage);
    qsort(dag->edge, dag->edges, sizeof *dag->edge, by_after);
    for (size_t e = 0; e < dag->edges; e++) {
        const psg_dependency edge = dag->edge[e];
        if (is_message(&dag->event[edge.before])) {
            const passage came = passage_of(dag, edge.before);
            const passage *went = bsearch(&came, sent, count, sizeof *sent, by_passage);
            if (went != NULL) {
                write_carried(dag, went->event, edge.after, file);
            }
        }
    }
    free(sent);
    return APP_DONE;
}

/* ---------------------------------------------------------------------------- the format */

/* Where a task stands. In a solve: before the z transforms, there, or after. An alltoall is between. In a workload the
   tasks of a kind stand together. */
enum { FORWARD, ALONG_Z, BACK, BETWEEN, OF_A_KIND, CLUSTERS = OF_A_KIND + PSG_STAGE_MOST + 1 };

static int cluster_of(const psg_event *e) {
    if (e->stage >= PSG_STAGE_COUNT) {
        return OF_A_KIND + (int)e->stage;
    }
    if (e->worker < 0) {
        return BETWEEN;
    }
    return e->sheet != SIZE_MAX ? ALONG_Z
           : e->stage == PSG_STAGE_FFT_XY || e->stage == PSG_STAGE_PACK ||
                   e->stage == PSG_STAGE_FORWARD_XY
               ? FORWARD
               : BACK;
}

static void write_node(const app_dag *dag, size_t number, double origin, FILE *file) {
    const app_dag_event *e = &dag->event[number];
    const double shift = e->submitted - origin;
    char name[96], worker[32] = "";
    app_event_name(&e->event, name, sizeof name);
    if (e->event.worker >= 0) {
        snprintf(worker, sizeof worker, "worker %d, ", e->event.worker);
    }
    fprintf(file,
            "        t%zu [label=\"%s\\n%s%.3g ms\", fillcolor=\"%s\", fontcolor=\"%s\", "
            "tooltip=\"%s: from %.6f to %.6f ms\"];\n",
            number, name, worker, 1e3 * (e->event.end - e->event.start),
            app_event_colour(&e->event), app_event_words_colour(&e->event), name,
            1e3 * (e->event.start + shift), 1e3 * (e->event.end + shift));
}

/* The tasks of a process of one cluster, in a frame. */
static void write_cluster(const app_dag *dag, int rank, int cluster, double origin, FILE *file) {
    static const char *const names[OF_A_KIND] = {"x and y", "along z", "back in x and y",
                                                 "exchange"};
    int begun = 0;
    for (size_t e = 0; e < dag->events; e++) {
        if (dag->event[e].rank != rank || is_message(&dag->event[e]) ||
            cluster_of(&dag->event[e].event) != cluster) {
            continue;
        }
        if (!begun) {
            begun = fprintf(file, "    subgraph cluster_%d_%d {\n        label=\"", rank, cluster);
            if (app_ranks() > 1) {
                fprintf(file, "process %d, ", rank);
            }
            fprintf(file, "%s\";\n        color=\"#999999\";\n",
                    cluster < OF_A_KIND ? names[cluster]
                                        : psg_stage_name((psg_stage)(cluster - OF_A_KIND)));
        }
        write_node(dag, e, origin, file);
    }
    if (begun) {
        fputs("    }\n", file);
    }
}

static int write_graph(const app_dag *dag, FILE *file) {
    double origin = INFINITY;
    for (size_t e = 0; e < dag->events; e++) {
        origin = fmin(origin, dag->event[e].submitted);
    }
    const bool solve = dag->events == 0 || dag->event[0].event.stage < PSG_STAGE_COUNT;
    fprintf(file,
            "digraph psg {\n    label=\"%s of %.4g ms\";\n    labelloc=t;\n    rankdir=LR;\n"
            "    fontname=\"sans-serif\";\n"
            "    node [shape=box, style=filled, fontname=\"sans-serif\", fontsize=10];\n",
            solve ? "a solve" : "a run", 1e3 * dag->seconds);
    for (int rank = 0; rank < app_ranks(); rank++) {
        for (int cluster = 0; cluster < CLUSTERS; cluster++) {
            write_cluster(dag, rank, cluster, origin, file);
        }
    }
    for (size_t e = 0; e < dag->edges; e++) {
        const psg_dependency edge = dag->edge[e];
        if (!is_message(&dag->event[edge.before]) && !is_message(&dag->event[edge.after])) {
            fprintf(file, "    t%zu -> t%zu;\n", edge.before, edge.after);
        }
    }
    const int code = write_messages(dag, file);
    fputs("}\n", file);
    return code;
}

static int write_file(const app_dag *dag, const char *path, const char *shown) {
    FILE *file = fopen(path, "w");
    const int code = file != NULL ? write_graph(dag, file) : APP_DONE;
    const int why = file != NULL ? base_close(file) : errno;
    return !code && why != 0
               ? app_error(APP_FAILED, "%s: cannot be written: %s", shown, strerror(why))
               : code;
}

int app_dag_write(app_dag *dag, const char *path, const char *shown) {
    const int code = gather(dag);
    return code ? code : app_ranks_agree(app_rank() == 0 ? write_file(dag, path, shown) : APP_DONE);
}

void app_dag_free(app_dag *dag) {
    free(dag->event);
    free(dag->edge);
    memset(dag, 0, sizeof *dag);
}
