/** @file pcg.h  The tasks of conjugate gradients with a plan's solve as preconditioner: base/pcg.h
 * has the method.
 *
 * Data of segment s are StarPU blocks of nx x ny x (its planes), f64, unless something else stands
 * here. The scalars are BASE_PCG_SCALARS numbers, `sums` base_pcg_blocks() x planes x
 * BASE_PCG_MEASURES. `source` is the plan's f, `solution` its u.
 */
#ifndef PSG_CODELETS_PCG_H
#define PSG_CODELETS_PCG_H

#include "codelets/context.h"

#include <starpu.h>

/** given[s], f32 or f64, and its neighbours' -> eps[s], with two planes more; f[s], f32 or f64, and
 * eps[s] -> sums.
 *  @param[in] given  [segments] */
void psg_task_pcg_measure(psg_run *run, size_t s, starpu_data_handle_t f,
                          const starpu_data_handle_t *given, starpu_data_handle_t eps,
                          starpu_data_handle_t sums);
/** f -> r, source; 0 -> x, p. */
void psg_task_pcg_start(psg_run *run, size_t s, starpu_data_handle_t f,
                        starpu_data_handle_t scalars, const starpu_data_handle_t xrp[3],
                        starpu_data_handle_t source, starpu_data_handle_t sums);
/** r.solution, in step `step`. */
void psg_task_pcg_dot(psg_run *run, size_t s, size_t step, starpu_data_handle_t r,
                      starpu_data_handle_t solution, starpu_data_handle_t sums);
/** solution + beta p -> p; its first plane -> low, its last one -> high. */
void psg_task_pcg_direction(psg_run *run, size_t s, size_t step, starpu_data_handle_t scalars,
                            starpu_data_handle_t solution, starpu_data_handle_t p,
                            starpu_data_handle_t low, starpu_data_handle_t high);
/** A p -> q; p.q. @param[in] below, above  the planes of p next to the segment */
void psg_task_pcg_apply(psg_run *run, size_t s, size_t step, starpu_data_handle_t eps,
                        starpu_data_handle_t p, starpu_data_handle_t below,
                        starpu_data_handle_t above, starpu_data_handle_t q,
                        starpu_data_handle_t sums);
/** x + alpha p -> x; r - alpha q -> r, source; r.r. */
void psg_task_pcg_update(psg_run *run, size_t s, size_t step, starpu_data_handle_t scalars,
                         const starpu_data_handle_t xrpq[4], starpu_data_handle_t source,
                         starpu_data_handle_t sums);
/** x -> u, f32 or f64. */
void psg_task_pcg_end(psg_run *run, size_t s, starpu_data_handle_t scalars, starpu_data_handle_t x,
                      starpu_data_handle_t u);
/** The sums of all segments -> scalars, which BASE_PCG_MEASURED writes as the first.
 *  @param[in]  sums     [segments]
 *  @param[in]  scratch  BASE_PCG_MEASURES x BASE_PCG_SUM_LANES doubles, nobody's
 *  @param[out] report   a copy of the scalars; not of BASE_PCG_SOLVED, _APPLIED and _NORMED */
void psg_task_pcg_scalars(psg_run *run, base_pcg_stage stage, size_t step,
                          const starpu_data_handle_t *sums, starpu_data_handle_t scalars,
                          starpu_data_handle_t scratch, starpu_data_handle_t report);

#endif
