/* Task graphs in Graphviz' language: dot -Tsvg FILE.dot -o FILE.svg draws one. */
#include "app/dag_graph.h"
#include "app/output.h"
#include "app/processes.h"

#include <math.h>
#include <stdint.h>

typedef struct writer {
    const app_graph *graph;
    FILE *file;
} writer;

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

/* What the task takes on each kind of worker, for programs. */
static void write_least(FILE *file, const psg_event *e) {
    static const char *const names[2] = {"core_ms", "gpu_ms"};
    for (int gpu = 0; gpu < 2 && e->worker >= 0; gpu++) {
        if (isfinite(e->least[gpu])) {
            fprintf(file, ", %s=%.6g", names[gpu], 1e3 * e->least[gpu]);
        }
    }
}

static void write_node(const writer *w, const app_record_run *run, size_t number) {
    const psg_event *e = &run->event[number];
    const double shift = run->statistics.submitted - w->graph->origin;
    char name[96], worker[32] = "";
    app_event_name(e, name, sizeof name);
    if (e->worker >= 0) {
        snprintf(worker, sizeof worker, "worker %d, ", e->worker);
    }
    fprintf(w->file,
            "        t%zu [label=\"%s\\n%s%.3g ms\", fillcolor=\"%s\", fontcolor=\"%s\", "
            "tooltip=\"%s: from %.6f to %.6f ms\"",
            app_graph_node(w->graph, run, number), name, worker, 1e3 * (e->end - e->start),
            app_event_colours_of(e)->rgb, app_event_colours_of(e)->words, name,
            1e3 * (e->start + shift), 1e3 * (e->end + shift));
    write_least(w->file, e);
    fputs("];\n", w->file);
}

/* The tasks of a process of one cluster, in a frame. */
static void write_cluster(const writer *w, const app_record_run *run, int cluster) {
    static const char *const names[OF_A_KIND] = {"x and y", "along z", "back in x and y",
                                                 "exchange"};
    int begun = 0;
    for (size_t e = 0; e < run->events; e++) {
        if (app_graph_is_message(&run->event[e]) || cluster_of(&run->event[e]) != cluster) {
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

static void write_edge(const void *argument, const app_graph_edge *edge) {
    const writer *w = argument;
    char bytes[32];
    app_bytes_text(bytes, sizeof bytes, (double)edge->bytes);
    fprintf(w->file, "    t%zu -> t%zu [bytes=%zu, ", edge->before, edge->after, edge->bytes);
    if (edge->from != edge->to) {
        fprintf(w->file, "style=dashed, tooltip=\"message from process %d to %d: %s\"];\n",
                edge->from, edge->to, bytes);
    } else {
        fprintf(w->file, "tooltip=\"%s\"];\n", bytes);
    }
}

/* ----------------------------------------------------------------------------------- the graph */

static void write_graph(const writer *w) {
    const app_record_run *run = app_graph_run(w->graph, NULL);
    const bool solve = run->events == 0 || run->event->stage < PSG_STAGE_COUNT;
    size_t handed = 0;
    const double seconds = app_graph_seconds(w->graph, &handed);
    fprintf(w->file,
            "digraph psg {\n    label=\"%s of %.4g ms: %zu task%s of StarPU's\";\n    "
            "labelloc=t;\n    rankdir=LR;\n"
            "    fontname=\"sans-serif\";\n"
            "    node [shape=box, style=filled, fontname=\"sans-serif\", fontsize=10];\n",
            solve ? "a solve" : "a run", 1e3 * seconds, handed, handed == 1 ? "" : "s");
    for (; run != NULL; run = app_graph_run(w->graph, run)) {
        for (int cluster = 0; cluster < CLUSTERS; cluster++) {
            write_cluster(w, run, cluster);
        }
    }
    app_graph_edges(w->graph, write_edge, w);
    fputs("}\n", w->file);
}

int app_dag_write_dot(const app_graph *graph, const char *path, const char *shown) {
    writer w = {graph, fopen(path, "w")};
    if (w.file != NULL) {
        write_graph(&w);
    }
    return app_output_close(w.file, shown);
}
