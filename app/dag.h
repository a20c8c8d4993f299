/** @file dag.h  The task graph of a solve, or of another run, with its times, as a file for Graphviz. */
#ifndef PSG_APP_DAG_H
#define PSG_APP_DAG_H

#include "app/app.h"
#include "graph/psg_observe.h"

/** All zero before the first use. */
typedef struct app_dag {
    struct app_dag_event *event;
    size_t events;
    psg_dependency *edge;
    size_t edges;
    double seconds; /**< of the run */
} app_dag;

/** Take over what the latest run did, on this process. @return APP_DONE; APP_FAILED
 *  after a message */
int app_dag_take(app_dag *dag, const psg_work *work);

/** Write the graph of all processes: a node for each task (and each alltoall), an edge from each
 *  to those that read what it wrote, dashed if that went by a message. Rank 0 writes. Collective.
 *  @param[in] path  the file to write; `shown` is its name in messages
 *  @return APP_DONE; APP_FAILED after a message, perhaps of another process */
int app_dag_write(app_dag *dag, const char *path, const char *shown);

void app_dag_free(app_dag *dag);

#endif
