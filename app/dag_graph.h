/** @file dag_graph.h  What the formats of task graphs share: the last run of all processes, as
 * nodes and edges. */
#ifndef PSG_APP_DAG_GRAPH_H
#define PSG_APP_DAG_GRAPH_H

#include "app/rank_workers.h"
#include "app/record.h"

#include <stdio.h>

/** Behind the name of a tasks.rec: the folder with the models beside it. */
#define APP_DAG_MODELS ".models"

/** A graph that is written. */
typedef struct app_graph {
    const app_record *record;
    const app_workers *workers; /**< of all processes */
    const psg_options *options;
    unsigned last; /**< number of the last run */
    double origin; /**< when it was submitted first, seconds since the epoch */
} app_graph;

/** The next of the last runs, one of each process. @param[in] run  NULL: the first @return NULL:
 * there is none */
const app_record_run *app_graph_run(const app_graph *graph, const app_record_run *run);

/** The number of a node. */
size_t app_graph_node(const app_graph *graph, const app_record_run *run, size_t event);

/** Is the event a message? Then it is no node. */
bool app_graph_is_message(const psg_event *event);

/** The longest of the last runs, and StarPU's tasks in all of them. */
double app_graph_seconds(const app_graph *graph, size_t *starpu_tasks);

/** A node read what another one wrote. */
typedef struct app_graph_edge {
    size_t before, after; /**< nodes */
    size_t bytes;
    int from, to; /**< processes; the same: the edge is no message */
} app_graph_edge;

/** Visit all edges: those within the processes, then messages, one from each node that wrote a part
 * of one. */
void app_graph_edges(const app_graph *graph,
                     void (*visit)(const void *argument, const app_graph_edge *edge),
                     const void *argument);

/** Write the graph in a format. @param[in] path  the file to write; `shown` is its name in messages
 *  @return APP_DONE; APP_FAILED after a message */
int app_dag_write_dot(const app_graph *graph, const char *path, const char *shown);
int app_dag_write_json(const app_graph *graph, const char *path, const char *shown);
int app_dag_write_rec(const app_graph *graph, const char *path, const char *shown);

#endif
