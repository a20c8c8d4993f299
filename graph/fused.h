/** @file fused.h  The fused graph. */
#ifndef PSG_GRAPH_FUSED_H
#define PSG_GRAPH_FUSED_H

#include "graph/arrays.h"
#include "graph/workspace.h"

/** Submit every task of one solve. Failures are latched in the run. */
void psg_graph_fused(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                     const psg_arrays *arrays);

#endif
