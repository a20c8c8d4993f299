/** @file psg_starpu.h  For programs that use StarPU themselves: f and u as StarPU data.
 *
 * The calls follow the rules of psg.h.
 */
#ifndef PSG_STARPU_H
#define PSG_STARPU_H

#include "psg.h"

#ifdef __cplusplus
extern "C" {
#endif

struct _starpu_data_state; /* StarPU's starpu_data_handle_t points to this */

/** The number of segments and sheets of this process; either pointer may be NULL.
 *  @return PSG_OK; PSG_ERR_ARG: plan is NULL */
PSG_API psg_status psg_plan_segments(const psg_plan *plan, size_t *segments, size_t *sheets);

/** f and u as StarPU data, one handle for each segment. Tasks of the program write f and read u
 *  wherever the data are. The first call that asks for handles makes them, without initial values.
 *  The plan owns them, and their user data (starpu_data_set_user_data()). Each is a StarPU block of
 *  nx x ny x (planes of the segment) elements of the precision.
 *  @param[out] f     psg_plan_segments() handles; may be NULL
 *  @param[out] u     as many; may be NULL
 *  @param[out] z0    segments + 1 numbers: segment s has the planes z0[s] .. z0[s+1]-1 of the grid;
 *                    may be NULL
 *  @return PSG_OK; PSG_ERR_ARG: plan is NULL; PSG_ERR_MEMORY: no handles were made.
 *          On cores they have memory in main memory from this call on; with GPUs where they are
 *          written */
PSG_API psg_status psg_plan_slab_handles(psg_plan *plan, struct _starpu_data_state **f,
                                         struct _starpu_data_state **u, size_t *z0);

/** Start a solve from the handles of f to those of u. A task that was submitted before has to write
 *  each handle of f: StarPU aborts on data that nobody wrote. Tasks that are submitted later and
 *  read u wait for the solve by themselves. psg_wait() returns the status. It leaves the data where
 *  they are, unless it has to look at f (PSG_ERR_DATA, PSG_MEAN_ERROR).
 *  On one GPU with f, u and all tasks, and the default cut, StarPU gets the solve as one task, from
 *  the second solve on: the first one makes the room for u.
 *  StarPU also gets one task where cores work as a team, see docs/decisions/007-teams.md.
 *  @return PSG_OK; PSG_ERR_ARG, _MEMORY; PSG_ERR_RUNTIME: another process failed; PSG_ERR_STATE:
 *          psg_plan_slab_handles() was never called */
PSG_API psg_status psg_submit_slabs(psg_plan *plan);

/** Copy this process' planes of f into the handles, or u out of them. Not collective. The call
 *  waits for the tasks that use the data. The first call makes the handles.
 *  f and u are [planes][ny][nx] as in psg_solve(), in main memory, borrowed until return; take u
 *  after the psg_wait() for its solve.
 *  @return PSG_OK; PSG_ERR_ARG, _MEMORY, _RUNTIME; PSG_ERR_STATE: the latest solve left no u */
PSG_API psg_status psg_slabs_put(psg_plan *plan, const void *f);
PSG_API psg_status psg_slabs_get(psg_plan *plan, void *u);

/** Solve div(epsilon grad u) - lambda u = factor f, as psg_solve_args.epsilon has it, between
 *  StarPU data of the program, and wait. Collective. Lists have psg_plan_segments() handles, which
 *  are blocks as those of psg_plan_slab_handles(), of f64 or f32 whatever the plan's precision
 *  is: that is the preconditioner's. StarPU's workers may sleep again when it returns: a program
 *  reads u by psg_data_acquire(), or between psg_engine_awake() and psg_engine_rest() (psg_task.h).
 *  @param[in]  f        not written
 *  @param[in]  epsilon  not written
 *  @param[out] u        no piece of f or epsilon
 *  @param[in]  args        lambda, factor, mean, box, value, side, tolerance, iterations and guess
 *                          count; NULL: the plan's
 *  @return PSG_OK; PSG_ERR_ARG, _UNSUPPORTED, _MEMORY, _RUNTIME, _MEAN; PSG_ERR_STATE: a solve is
 *          in flight; PSG_ERR_DATA: f is not finite, epsilon not 0 or from 1e-75 to 1e75, or there
 *          were too few iterations */
PSG_API psg_status psg_solve_epsilon(psg_plan *plan, struct _starpu_data_state *const *f,
                                     struct _starpu_data_state *const *epsilon,
                                     struct _starpu_data_state *const *u,
                                     const psg_solve_args *args);

#ifdef __cplusplus
}
#endif
#endif
