/** @file dag.h  The task graph of a record's last run, with its times, as a file for Graphviz. */
#ifndef PSG_APP_DAG_H
#define PSG_APP_DAG_H

#include "app/record.h"

/** Write the graph of all processes: a node for each task (and each alltoall), an edge from each
 *  to those that read what it wrote, dashed if that went by a message. On rank 0, after
 *  app_record_join(). Afterwards the dependencies of the run are in another order.
 *  @param[in] path  the file to write; `shown` is its name in messages
 *  @return APP_DONE; APP_FAILED after a message */
int app_dag_write(const app_record *record, const char *path, const char *shown);

#endif
