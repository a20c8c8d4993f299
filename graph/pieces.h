/** @file pieces.h  Several right-hand sides that one run solves, in pieces. */
#ifndef PSG_GRAPH_PIECES_H
#define PSG_GRAPH_PIECES_H

#include "graph/arrays.h"

/** Room for what the tasks find out, and back. @param[in] wanted  count and each; NULL: one
 * right-hand side
 *  @return false: no memory */
bool psg_many_open(psg_many *many, const psg_plan *plan, const psg_many *wanted);
void psg_many_close(psg_many *many, const psg_plan *plan);
/** Nothing is found yet: before the tasks of a run are submitted. */
void psg_many_begin(const psg_many *many, const psg_plan *plan);
/** The right-hand sides of piece k. */
psg_range psg_many_piece(const psg_many *many, size_t k);
/** StarPU's number of the worker that solves piece k; -1: any. */
int psg_many_worker(const psg_plan *plan, const psg_arrays *arrays, size_t k);
/** The sum of f of right-hand side m. */
double psg_many_sum(const psg_many *many, const psg_plan *plan, size_t m);
/** The first right-hand side that is not finite; count: all are. */
size_t psg_many_nonfinite(const psg_many *many, const psg_plan *plan);

#endif
