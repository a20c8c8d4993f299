/** @file whole.h  The graph of several right-hand sides. */
#ifndef PSG_GRAPH_WHOLE_H
#define PSG_GRAPH_WHOLE_H

#include "graph/route.h"

extern const psg_graph_row psg_graph_whole;

#endif
