/** @file inverse_xy.h  From a segment's spectrum, or its blocks, to u and to components of its
 * gradient. */
#ifndef PSG_CODELETS_INVERSE_XY_H
#define PSG_CODELETS_INVERSE_XY_H

#include "codelets/context.h"

#include <starpu.h>

void psg_task_ifft_xy(psg_run *run, size_t s, starpu_data_handle_t spectrum,
                      starpu_data_handle_t u);
/** unpack and ifft_xy: blocks, one per bundle -> u[s].
 *  @param[in] components  [count]: the same part of each component of the gradient that is wanted
 *                         along x and y, in this order; count is 0 where the task makes u alone */
void psg_task_inverse_xy(psg_run *run, size_t s, const starpu_data_handle_t *blocks,
                         starpu_data_handle_t u, const starpu_data_handle_t *components,
                         size_t count);
/** A component of the gradient.
 *  @param[in] also  what is not written before this task has ended; or NULL */
void psg_task_gradient_xy(psg_run *run, size_t s, size_t component,
                          const starpu_data_handle_t *blocks, const starpu_data_handle_t *also,
                          starpu_data_handle_t result);
void psg_task_inverse_xy_codelet(struct starpu_codelet codelet[PSG_TASK_PRECISIONS], int *nodes);
void psg_task_gradient_xy_codelet(struct starpu_codelet codelet[PSG_TASK_PRECISIONS], int *nodes);

#endif
