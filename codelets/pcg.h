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

/** What tasks on a segment use. f64 but `f`, `u`, `source` and `solution`, which may be f32. Their
 *  names are those of base_pcg_task. */
typedef struct psg_task_pcg_data {
    starpu_data_handle_t eps[3], x, r, p, q, b, outside, scale, low, high, part;
    starpu_data_handle_t below, above; /**< the planes of p next to the segment */
    starpu_data_handle_t scalars, f, source, solution, u;
} psg_task_pcg_data;

/** A task of the kinds PSG_TASK_PCG_MEASURE to _END: what it does is what the function of its name
 *  in cpu/pcg.h does. D is used where base_pcg_terms.scaled says so.
 *  @param[in] step  of the iteration; PSG_NO_INDEX before and after steps: _DIRECTION makes p of
 *                   `solution` alone. 0, of _DIRECTION: p is x after the last step. An axis, of
 *                   _MEASURE and faces: p -> eps[0] alone */
void psg_task_pcg(psg_run *run, int kind, size_t s, size_t step, const psg_task_pcg_data *data);
/** The sums of all segments -> scalars, which BASE_PCG_MEASURED writes as the first.
 *  @param[in]  data     [segments]: `part` of each, and `scalars` of the first
 *  @param[in]  scratch  BASE_PCG_MEASURES x BASE_PCG_SUM_LANES doubles, nobody's
 *  @param[out] report   a copy of the scalars; not of BASE_PCG_SOLVED, _APPLIED and _NORMED */
void psg_task_pcg_scalars(psg_run *run, base_pcg_stage stage, size_t step,
                          const psg_task_pcg_data *data, starpu_data_handle_t scratch,
                          starpu_data_handle_t report);

#endif
