/** @file check.h  What is looked at on the way: f is finite, and its mean is allowed. */
#ifndef PSG_CODELETS_CHECK_H
#define PSG_CODELETS_CHECK_H

#include "codelets/run.h"

/** Fail the run if plane k of f has a NaN or an Inf, and keep max|f| where the mean is judged by it. Costs
 *  nothing when all is well: the mode (0,0) of the plane's spectrum is the sum of the plane.
 *  @param[in] plane     real [ny][nx]
 *  @param[in] spectrum  its transform, complex [ny][nxc] */
void psg_check_plane(psg_run *run, size_t segment, size_t k, const void *plane,
                     const void *spectrum);

/** Keep the sum of f, mode (0,0,0), and fail the run if the mean is refused. */
void psg_check_sum(psg_run *run, double sum);

#endif
