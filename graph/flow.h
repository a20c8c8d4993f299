/** @file flow.h  The flow of a projection. */
#ifndef PSG_GRAPH_FLOW_H
#define PSG_GRAPH_FLOW_H

#include "graph/arrays.h"

#include <starpu.h>

/** What a solve is to do with the flow that it has in place of f; all 0 where it has f.
 *  @param[in] args  from psg_terms_read(), with terms that were checked
 *  @return PSG_OK; PSG_ERR_ARG, _UNSUPPORTED */
psg_status psg_flow_take(psg_flow_terms *flow, const psg_plan *plan, const psg_arrays *arrays,
                         const psg_solve_args *args);
/** What the first task of segment s reads: f, or the flow along x, y and z.
 *  @return of a flow, the other segment's part along z with the plane below; NULL: none has it */
starpu_data_handle_t psg_flow_fields(const psg_run *run, const psg_arrays *arrays, size_t s,
                                     starpu_data_handle_t fields[3]);

#endif
