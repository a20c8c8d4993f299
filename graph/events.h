/** @file events.h  What happened in a run. */
#ifndef PSG_GRAPH_EVENTS_H
#define PSG_GRAPH_EVENTS_H

#include "graph/psg_observe.h"
#include "runtime/run.h"

void psg_plan_event(const psg_work *work, const psg_run_event *from, psg_event *event);

#endif
