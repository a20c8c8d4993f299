/** @file staged.h  The staged graph. */
#ifndef PSG_GRAPH_STAGED_H
#define PSG_GRAPH_STAGED_H

#include "graph/route.h"

extern const psg_graph_row psg_graph_staged;

#endif
