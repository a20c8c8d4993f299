/** @file whole.h  The graph of several right-hand sides. */
#ifndef PSG_GRAPH_WHOLE_H
#define PSG_GRAPH_WHOLE_H

#include "graph/arrays.h"

/** Submit the tasks of all pieces. */
void psg_graph_many(psg_run *run, const psg_plan *plan, const psg_arrays *arrays);

#endif
