/** @file options.h  Checks of options and of grids. */
#ifndef PSG_GRAPH_OPTIONS_H
#define PSG_GRAPH_OPTIONS_H

#include "graph/psg.h"

#include <stdbool.h>

/** The caller's options on top of the defaults, whatever version of the struct they are; all
 *  checked.
 *  @return PSG_OK; PSG_ERR_ARG, _UNSUPPORTED */
psg_status psg_options_check(psg_options *checked, const psg_options *options);
/** What is AUTO, and does not depend on the machine, becomes its default. */
void psg_options_settle(psg_options *options);
/** Are lambda, factor and mean of options what those of a plan can be? @return PSG_OK; PSG_ERR_ARG,
 * _UNSUPPORTED */
psg_status psg_options_check_terms(const psg_options *options);
/** The axis of the caller's grid, args and arrays that is axis d of the plan's, and the other way
 *  round. A solve shares planes among cores, GPUs and processes. So the rows of arrays of two axes
 *  are planes of one row each: the caller's y is the plan's z, and the plan's y has one point. */
static inline int psg_grid_turn(const psg_grid *grid, int d) {
    return grid->axes == 2 && d > 0 ? 3 - d : d;
}
/** What the caller calls axis d of the plan's. */
static inline char psg_grid_letter(const psg_grid *grid, int d) {
    return "xyz"[psg_grid_turn(grid, d)];
}
/** The plan's grid of the caller's, and the other way round. */
psg_grid psg_grid_turned(const psg_grid *grid);
/** A Robin side with k = 0 is a Neumann side: make it one. */
void psg_grid_settle(psg_grid *grid);
/** Are the faces right? Before psg_grid_check(). @return PSG_OK; PSG_ERR_ARG, _UNSUPPORTED */
psg_status psg_grid_check_faces(const psg_grid *grid);
/** @param[in] grid  the caller's
 *  @return PSG_OK; PSG_ERR_ARG, also where sizes overflow; PSG_ERR_UNSUPPORTED */
psg_status psg_grid_check(const psg_grid *grid, psg_precision precision);
/** Do these checked options want CPU cores beside GPUs? */
bool psg_options_want_cores(const psg_options *options);

#endif
