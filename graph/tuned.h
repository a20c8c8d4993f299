/** @file tuned.h  What `psg tune` stored for a grid on this machine. */
#ifndef PSG_GRAPH_TUNED_H
#define PSG_GRAPH_TUNED_H

#include "graph/psg_machine.h"

#include <stdbool.h>

/** What `psg tune` stored for this machine, grid and the options' workers; StarPU may run or not.
 *  @param[out] tuned  where there is nothing all defaults
 *  @return is there something? */
bool psg_tuned_find(psg_tuned *tuned, const psg_grid *grid, const psg_options *options);
/** Settle checked options, StarPU running: what was found goes into those at their default.
 *  @param[in] tuned  found before StarPU started
 *  @return does any of the options, or the policy in force, come from it? */
bool psg_tuned_apply(psg_options *options, const psg_grid *grid, const psg_tuned *tuned);

#endif
