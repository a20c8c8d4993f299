/** @file modes.h  f or u of a solve as modes. */
#ifndef PSG_GRAPH_MODES_H
#define PSG_GRAPH_MODES_H

#include "graph/arrays.h"
#include "graph/psg_modes.h"

/** Has a solve what it is from and to: f or its modes, u or its modes or both? Has it the modes?
 *  @param[in] args   from psg_terms_read()
 *  @param[in] count  arrays that are f, and that are u
 *  @return PSG_OK; PSG_ERR_ARG, _UNSUPPORTED */
psg_status psg_modes_check(const psg_plan *plan, const psg_solve_args *args, size_t count,
                           const psg_array *f, const psg_array *u);
/** After a solve of modes, of which one, or one of u, is not finite. Collective. @return
 *  PSG_ERR_DATA, _RUNTIME */
psg_status psg_modes_find_nonfinite(const psg_plan *plan, const psg_arrays *arrays);

#endif
