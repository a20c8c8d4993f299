/** @file sides.h  The values on the sides of the box. */
#ifndef PSG_GRAPH_SIDES_H
#define PSG_GRAPH_SIDES_H

#include "graph/transforms.h"

/** Memory for what the values on the sides add to f in a solve. */
typedef struct psg_sides_room psg_sides_room;

/** Check the values on the sides, and make the tables of what they add.
 *  @param[in]  args     from psg_terms_read(), with terms that were checked
 *  @param[in]  count    right-hand sides
 *  @param[out] largest  the largest absolute value that is added to f here
 *  @param[out] room     to be given back when the solve has ended, or after a failure; untouched
 *  without values
 *  @return PSG_OK; PSG_ERR_ARG, _UNSUPPORTED, _DATA, _MEMORY */
psg_status psg_sides_take(psg_plan *plan, const psg_solve_args *args, size_t count,
                          psg_sides *sides, double *largest, psg_sides_room **room);
/** Are there values that may be other than 0? */
bool psg_sides_given(const psg_solve_args *args);
/** What a value of 1 on a side that is not periodic adds to f. 0 or infinite: out of the range of
 * f64. */
double psg_sides_weight(const psg_problem *problem, int axis, int side, double factor);
/** NULL is fine. */
void psg_sides_give_back(psg_plan *plan, psg_sides_room *room);
/** Free what was given back. */
void psg_sides_free(psg_plan *plan);

#endif
