/** @file graphs.h  The task graphs of a solve. */
#ifndef PSG_GRAPH_GRAPHS_H
#define PSG_GRAPH_GRAPHS_H

#include "graph/arrays.h"
#include "graph/workspace.h"

/** The plan's of these two. */
void psg_graph_submit(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                      const psg_arrays *arrays);

#endif
