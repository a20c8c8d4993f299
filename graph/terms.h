/** @file terms.h  The terms of a solve: lambda, the factor and the rule for the mean. */
#ifndef PSG_GRAPH_TERMS_H
#define PSG_GRAPH_TERMS_H

#include "codelets/context.h"
#include "graph/psg.h"

/** The plan's own. As in all args, axes are in the caller's order: psg_grid_turn(). */
psg_solve_args psg_terms_of_plan(const psg_plan *plan);
/** What a program gave, whatever version of the struct it is. @param[in] args  not NULL
 *  @return PSG_OK; PSG_ERR_ARG: no version of this library's, or epsilon at points and on faces,
 *          or on the faces of some axes */
psg_status psg_terms_read(psg_solve_args *full, const psg_plan *plan, const psg_solve_args *args);
/** Is epsilon known on faces? `epsilon` of what psg_terms_read() read is then one of these.
 *  @return a bit for each axis that has some */
int psg_terms_faces(const psg_solve_args *args);
/** The terms of a solve, checked as those of a plan are, and the plan's tables for its box.
 *  @param[in]  args   from psg_terms_read()
 *  @param[out] terms  without its overlap and sides
 *  @return PSG_OK; PSG_ERR_ARG, _UNSUPPORTED, _STATE, _RUNTIME */
psg_status psg_terms_take(psg_plan *plan, const psg_solve_args *args, psg_terms *terms,
                          psg_mean *mean);
/** lambda of the modes, or 0 where that is nearer to u. @param[in] scaled  for the plan's unit of
 *  length */
double psg_terms_lambda(const psg_plan *plan, double scaled);
/** Have all processes the same? Collective. @param[in] args  checked @param[in] to_u  u is wanted
 *  @param[in] flow  it is a projection @return PSG_OK; PSG_ERR_ARG, _RUNTIME */
psg_status psg_terms_same(const psg_plan *plan, const psg_solve_args *args, bool to_u, bool flow);
/** The terms of a solve without any of its own. @return PSG_OK; PSG_ERR_ARG: out of the range of
 * the precision */
psg_status psg_terms_make(psg_terms *terms, const psg_plan *plan);
/** A box in which nothing fixes u: may f have this mean?
 *  @param[in] largest  of |f|, and of what the sides add @param[in] sides  they add something
 *  @return PSG_OK; PSG_ERR_MEAN: it is above mean_tolerance times `largest` */
psg_status psg_terms_judge_mean(const psg_plan *plan, double mean, double largest, bool sides);

#endif
