/** @file forward_xy.h  From a segment of f to its spectrum, or to its blocks. */
#ifndef PSG_CODELETS_FORWARD_XY_H
#define PSG_CODELETS_FORWARD_XY_H

#include "codelets/context.h"

#include <starpu.h>

/** f[s], real [z][ny][nx] -> spectrum, complex [z][ny][nxc]; and back. */
void psg_task_fft_xy(psg_run *run, size_t s, starpu_data_handle_t f, starpu_data_handle_t spectrum);
/** fft_xy and pack: f[s] -> blocks, one per bundle.
 *  @param[in] fields  f, or on cores a flow along x, y and z, whose divergence f is
 *  @param[in] below   of a flow along z, the part of another segment that has the plane below; else
 *                     NULL */
void psg_task_forward_xy(psg_run *run, size_t s, const starpu_data_handle_t *fields,
                         starpu_data_handle_t below, const starpu_data_handle_t *blocks);
/** Make each of them.
 *  @param[in] nodes  [3 + bundles]: STARPU_SPECIFIC_NODE_LOCAL for f or u, then the memory node of
 *                    each bundle's blocks, then STARPU_SPECIFIC_NODE_LOCAL for components of the
 *                    gradient; the caller's as long as the codelets. NULL: StarPU brings all */
void psg_task_forward_xy_codelet(struct starpu_codelet codelet[PSG_TASK_PRECISIONS], int *nodes);

#endif
