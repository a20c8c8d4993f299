/** @file plan_bounds.h  What bounds a plan's solve beside its tasks. */
#ifndef PSG_GRAPH_PLAN_BOUNDS_H
#define PSG_GRAPH_PLAN_BOUNDS_H

#include "graph/psg_observe.h"
#include "runtime/history.h"

bool psg_plan_path(const psg_work *work, const psg_least *least, const psg_edge *edges,
                   size_t count, double *seconds);
psg_status psg_plan_links(const psg_work *work, psg_bounds *bounds);

#endif
