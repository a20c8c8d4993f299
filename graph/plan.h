/** @file plan.h  The end of a plan that is part of something else. */
#ifndef PSG_GRAPH_PLAN_H
#define PSG_GRAPH_PLAN_H

#include "graph/psg.h"

/** psg_plan_destroy() of a plan that is part of something else: the words of the latest error stay. */
void psg_plan_end(psg_plan *plan);

#endif
