/** @file solve.h  Solves: submitted and waited for. */
#ifndef PSG_GRAPH_SOLVE_H
#define PSG_GRAPH_SOLVE_H

#include "codelets/context.h"
#include "graph/psg.h"

/** Submit a solve that the caller waits for by psg_wait().
 *  @param[in]  args   of any version of the struct; those of all processes
 *  @param[in]  parts  NULL; or the pieces of several right-hand sides, see pieces.h
 *  @param[out] means  of f, of each right-hand side; borrowed until psg_wait(); NULL is fine
 *  @param[in]  waits  the calling thread does nothing else until the solve has ended
 *  @return as psg_submit_arrays() */
psg_status psg_solve_start(psg_plan *plan, const psg_array *f, const psg_array *u,
                           const psg_solve_args *args, const psg_parts *parts, double *means,
                           bool waits);

#endif
