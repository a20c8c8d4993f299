/** @file gradient.h  The gradient of u by differences. */
#ifndef PSG_CODELETS_GRADIENT_H
#define PSG_CODELETS_GRADIENT_H

#include "codelets/context.h"

#include <starpu.h>

/** The first plane of u[s], or with `last` the last plane of a flow along z, real [ny][nx], into a
 *  block of one plane for another process. The label is psg_edge_label(). */
void psg_task_edge(psg_run *run, size_t s, bool last, starpu_data_handle_t slab,
                   starpu_data_handle_t edge);
/** The components of the gradient that the solve wants of u[s], each like u[s].
 *  @param[in] above       what begins with the plane above u[s], if that is another segment's and
 *                         the component along z is wanted; else NULL
 *  @param[in] components  those that are wanted, from x to z */
void psg_task_gradient(psg_run *run, size_t s, starpu_data_handle_t u, starpu_data_handle_t above,
                       const starpu_data_handle_t *components);

#endif
