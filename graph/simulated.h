/** @file simulated.h  What is special about a simulation. */
#ifndef PSG_GRAPH_SIMULATED_H
#define PSG_GRAPH_SIMULATED_H

#include "graph/psg.h"

/** Is it known how long all tasks take on the machine that is simulated, and messages? StarPU ends
 *  the program at a task whose time is not known. */
psg_status psg_simulation_check(const psg_plan *plan);
/** The same of tasks of kinds `first` to `last`, of any size. */
psg_status psg_simulation_knows(const psg_plan *plan, int first, int last);
/** Has each node of a simulation a part of the grid? @return PSG_OK; PSG_ERR_ARG */
psg_status psg_simulation_nodes_check(const psg_options *options, const psg_grid *grid);

#endif
