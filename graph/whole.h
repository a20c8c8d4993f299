/** @file whole.h  The graph of several right-hand sides. */
#ifndef PSG_GRAPH_WHOLE_H
#define PSG_GRAPH_WHOLE_H

#include "graph/arrays.h"
#include "graph/workspace.h"

/** Submit every task of such a run. Failures are latched in the run. */
void psg_graph_whole(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                     const psg_arrays *arrays);

#endif
