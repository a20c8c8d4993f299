/** @file fused.h  The fused graph. */
#ifndef PSG_GRAPH_FUSED_H
#define PSG_GRAPH_FUSED_H

#include "graph/route.h"

extern const psg_graph_row psg_graph_fused;

#endif
