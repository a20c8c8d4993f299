/** @file staged.h  The staged graph, and that of free sides and kernels of the caller's. */
#ifndef PSG_GRAPH_STAGED_H
#define PSG_GRAPH_STAGED_H

#include "graph/route.h"

extern const psg_graph_row psg_graph_staged;
extern const psg_graph_row psg_graph_staged_xy;

#endif
