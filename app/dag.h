/** @file dag.h  The task graph of a record's last run, with its times and bytes, as a file: for
 *  Graphviz, as JSON, or as tasks.rec of StarPU's tools. */
#ifndef PSG_APP_DAG_H
#define PSG_APP_DAG_H

#include "app/output.h"
#include "app/rank_workers.h"
#include "app/record.h"

/** The format by the end of a name: .json, .rec, or any other for Graphviz. @return what a file of
 * it is known by */
app_output_kind app_dag_kind(const char *path);

/** Can such a graph be written? To be asked before the work is done. Collective.
 *  @param[in] path   NULL: none is wanted
 *  @param[in] force  a folder beside it that is there already may be written into
 *  @return APP_DONE; APP_USAGE after a message */
int app_dag_check(const char *path, bool force);

/** Write the graph of all processes: a node for each task (and each alltoall), an edge from each
 *  to those that read what it wrote. On rank 0, after app_record_join(). Afterwards the
 * dependencies of the run are in another order.
 *  @param[in] workers  of all processes @param[in] options  of the run
 *  @param[in] path     the file to write; `shown` is its name in messages. Beside tasks.rec there
 * is a folder, by the name `shown`
 *  @return APP_DONE; APP_FAILED after a message */
int app_dag_write(const app_record *record, const app_workers *workers, const psg_options *options,
                  const char *path, const char *shown);

#endif
