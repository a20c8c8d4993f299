/** @file solve.h  Solves: submitted and waited for. */
#ifndef PSG_GRAPH_SOLVE_H
#define PSG_GRAPH_SOLVE_H

#include "codelets/context.h"
#include "graph/psg.h"

/** Solve several right-hand sides by one run, in pieces. @param[in] many  count and each @return as
 * psg_solve() */
psg_status psg_solve_pieces(psg_plan *plan, const psg_array *f, const psg_array *u,
                            const psg_many *many);

#endif
