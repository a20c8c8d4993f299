/* Task graphs in Graphviz' language: dot -Tsvg FILE.dot -o FILE.svg draws one. */
#include "app/dag.h"
#include "app/output.h"
#include "app/processes.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct writer {
    const app_record *record;
    FILE *file;
    unsigned last; /* number of the last run */
    double origin; /* when it was submitted first */
} writer;

static bool is_message(const psg_event *e) {
    return e->rank >= 0;
}

/* The next of the last runs, one of each process; NULL: there is none. @param[in] run  NULL: the
 * first */
static const app_record_run *next_run(const writer *w, const app_record_run *run) {
    const app_record_run *all = app_record_runs(w->record);
    for (run = run != NULL ? run + 1 : all; run < all + w->record->rows[APP_RECORD_RUNS]; run++) {
        if (run->number == w->last) {
            return run;
        }
    }
    return NULL;
}

static size_t node_of(const writer *w, const app_record_run *run, size_t event) {
    return app_record_number(w->record, &run->event[event]);
}

/* --------------------------------------------------------------------------------------- nodes */

/* Where a task stands. In a solve: before the z transforms, there, or after. An alltoall is
 * between. In a workload the
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

static void write_node(const writer *w, const app_record_run *run, size_t number) {
    const psg_event *e = &run->event[number];
    const double shift = run->statistics.submitted - w->origin;
    char name[96], worker[32] = "";
    app_event_name(e, name, sizeof name);
    if (e->worker >= 0) {
        snprintf(worker, sizeof worker, "worker %d, ", e->worker);
    }
    fprintf(w->file,
            "        t%zu [label=\"%s\\n%s%.3g ms\", fillcolor=\"%s\", fontcolor=\"%s\", "
            "tooltip=\"%s: from %.6f to %.6f ms\"];\n",
            node_of(w, run, number), name, worker, 1e3 * (e->end - e->start),
            app_event_colours_of(e)->rgb, app_event_colours_of(e)->words, name,
            1e3 * (e->start + shift), 1e3 * (e->end + shift));
}

/* The tasks of a process of one cluster, in a frame. */
static void write_cluster(const writer *w, const app_record_run *run, int cluster) {
    static const char *const names[OF_A_KIND] = {"x and y", "along z", "back in x and y",
                                                 "exchange"};
    int begun = 0;
    for (size_t e = 0; e < run->events; e++) {
        if (is_message(&run->event[e]) || cluster_of(&run->event[e]) != cluster) {
            continue;
        }
        if (!begun) {
            begun = fprintf(w->file, "    subgraph cluster_%d_%d {\n        label=\"", run->rank,
                            cluster);
            if (app_ranks() > 1) {
                fprintf(w->file, "process %d, ", run->rank);
            }
            fprintf(w->file, "%s\";\n        color=\"#999999\";\n",
                    cluster < OF_A_KIND ? names[cluster]
                                        : psg_stage_name((psg_stage)(cluster - OF_A_KIND)));
        }
        write_node(w, run, e);
    }
    if (begun) {
        fputs("    }\n", w->file);
    }
}

/* --------------------------------------------------------------------------------------- edges */

static int by_after(const void *a, const void *b) {
    const psg_dependency *x = a, *y = b;
    return (x->after > y->after) - (x->after < y->after);
}

/* The edges within a process. */
static void write_edges(const writer *w, const app_record_run *run) {
    for (size_t d = 0; d < run->dependencies; d++) {
        const psg_dependency edge = run->dependency[d];
        if (!is_message(&run->event[edge.before]) && !is_message(&run->event[edge.after])) {
            fprintf(w->file, "    t%zu -> t%zu;\n", node_of(w, run, edge.before),
                    node_of(w, run, edge.after));
        }
    }
    qsort(run->dependency, run->dependencies, sizeof *run->dependency, by_after);
}

/* An edge to the reader of a message from each task that wrote what it carried. */
static void write_carried(const writer *w, const app_message *sent, size_t reader, int rank) {
    const app_record_run *run = sent->run;
    const psg_dependency key = {.after = (size_t)(sent->event - run->event)},
                         *end = run->dependency + run->dependencies;
    const psg_dependency *found =
        bsearch(&key, run->dependency, run->dependencies, sizeof key, by_after);
    while (found != NULL && found > run->dependency && found[-1].after == key.after) {
        found--;
    }
    for (; found != NULL && found < end && found->after == key.after; found++) {
        fprintf(w->file,
                "    t%zu -> t%zu [style=dashed, tooltip=\"message from process %d to %d\"];\n",
                node_of(w, run, found->before), reader, run->rank, rank);
    }
}

static void write_messages(const writer *w, const app_record_run *run) {
    for (size_t d = 0; d < run->dependencies; d++) {
        const psg_event *came = &run->event[run->dependency[d].before];
        const app_message *sent = is_message(came) ? app_record_sent(w->record, run, came) : NULL;
        if (sent != NULL) {
            write_carried(w, sent, node_of(w, run, run->dependency[d].after), run->rank);
        }
    }
}

/* ----------------------------------------------------------------------------------- the graph */

static void write_graph(const writer *w) {
    const app_record_run *run = next_run(w, NULL);
    const bool solve = run->events == 0 || run->event->stage < PSG_STAGE_COUNT;
    double seconds = 0;
    size_t handed = 0;
    for (; run != NULL; run = next_run(w, run)) {
        seconds = fmax(seconds, run->statistics.seconds);
        handed += run->statistics.submit.starpu_tasks;
    }
    fprintf(w->file,
            "digraph psg {\n    label=\"%s of %.4g ms: %zu task%s of StarPU's\";\n    "
            "labelloc=t;\n    rankdir=LR;\n"
            "    fontname=\"sans-serif\";\n"
            "    node [shape=box, style=filled, fontname=\"sans-serif\", fontsize=10];\n",
            solve ? "a solve" : "a run", 1e3 * seconds, handed, handed == 1 ? "" : "s");
    while ((run = next_run(w, run)) != NULL) {
        for (int cluster = 0; cluster < CLUSTERS; cluster++) {
            write_cluster(w, run, cluster);
        }
    }
    while ((run = next_run(w, run)) != NULL) {
        write_edges(w, run);
    }
    while ((run = next_run(w, run)) != NULL) {
        write_messages(w, run);
    }
    fputs("}\n", w->file);
}

int app_dag_write(const app_record *record, const char *path, const char *shown) {
    const unsigned last = app_record_runs(record)[record->rows[APP_RECORD_RUNS] - 1].number;
    const writer w = {record, fopen(path, "w"), last, app_record_origin(record, last)};
    if (w.file != NULL) {
        write_graph(&w);
    }
    return app_output_close(w.file, shown);
}
