/** @file lp_bound.h  StarPU's linear program, a lower bound of a run's time. */
#ifndef PSG_GRAPH_LP_BOUND_H
#define PSG_GRAPH_LP_BOUND_H

#include "graph/psg_observe.h"

#include <stdbool.h>

/** Before the tasks of a run are submitted: StarPU is to make a linear program of them.
 *  @return false: not for this work or not now, and psg_lp_bound_submitted() must not follow */
bool psg_lp_bound_begin(psg_work *work);
void psg_lp_bound_submitted(void);
/** A run has been waited for. @param[in] whose  the program is about it */
void psg_lp_bound_waited(psg_work *work, bool whose);
/** Solve the program about the run that was waited for last. @return seconds; 0: not known */
double psg_lp_bound_seconds(const psg_work *work);
void psg_lp_bound_free(psg_work *work);

#endif
