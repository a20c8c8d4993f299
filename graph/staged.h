/** @file staged.h  The staged graph. */
#ifndef PSG_GRAPH_STAGED_H
#define PSG_GRAPH_STAGED_H

#include "graph/arrays.h"
#include "graph/workspace.h"

void psg_graph_staged(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                      const psg_arrays *arrays);

#endif
