/** @file executors.h  Who runs the tasks of a solve. */
#ifndef PSG_GRAPH_EXECUTORS_H
#define PSG_GRAPH_EXECUTORS_H

#include "graph/route.h"

/** StarPU schedules each task. */
extern const psg_executor_row psg_executor_tasks;
/** One of StarPU's tasks has all of them, on the GPU that has all of the grid. */
extern const psg_executor_row psg_executor_chain;
/** Cores share the steps, see runtime/team.h. */
extern const psg_executor_row psg_executor_team;

#endif
