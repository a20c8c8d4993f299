/** @file gradient.h  The gradient of u. */
#ifndef PSG_GRAPH_GRADIENT_H
#define PSG_GRAPH_GRADIENT_H

#include "graph/arrays.h"
#include "graph/workspace.h"

#include <starpu.h>

/** What a solve is to make of u, besides.
 *  @param[in] args  from psg_terms_read(), with terms that were checked @return PSG_OK;
 *  PSG_ERR_UNSUPPORTED, _MEMORY */
psg_status psg_gradient_take(psg_gradient_terms *gradient, const psg_plan *plan,
                             const psg_arrays *arrays, const psg_solve_args *args);
/** Make the other blocks that the derivative along z needs, in the workspace of the solve; or
 *  without memory choose a way that needs none. Collective.
 *  @return PSG_OK; PSG_ERR_ARG: that way needs u, and the solve has none */
psg_status psg_gradient_place(psg_gradient_terms *gradient, const psg_plan *plan,
                              const psg_arrays *arrays, psg_workspace *workspace);
/** Which derivatives along x and y the task is to write that writes u of a segment: all that the
 * solve wants, or none.
 *  @param[out] components  them @return how many */
size_t psg_gradient_with_u(const psg_run *run, const psg_plan *plan, const psg_arrays *arrays,
                           size_t s, starpu_data_handle_t components[2]);
/** The blocks that `kspace` of own sheet p writes besides those of u: the derivative along z.
 *  @return NULL: the solve does not want it, or makes it otherwise */
const starpu_data_handle_t *psg_gradient_beside(const psg_run *run, const psg_workspace *workspace,
                                                const psg_arrays *arrays, size_t p);
/** The blocks of u go back to the segments, and those of the derivative along z beside them. */
void psg_graph_gradient_back(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                             const psg_arrays *arrays);
/** After the task that writes u of a segment: those that write derivatives by the modes of u, if
 *  the solve wants any. They come next, while the blocks may be in a cache.
 *  @param[in] made  components that the task of u writes itself */
void psg_graph_gradient_of(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                           const psg_arrays *arrays, size_t s, size_t made);
/** After all tasks that write u: those that write the other components of its gradient, if the
 * solve wants any. */
void psg_graph_gradient(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                        const psg_arrays *arrays);

#endif
