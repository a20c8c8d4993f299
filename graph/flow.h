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
/** Of a flow, give another process the plane that it needs. @return what has the plane below this
 *  process' first one; NULL: none comes */
starpu_data_handle_t psg_flow_edge(psg_run *run, const psg_plan *plan, const psg_arrays *arrays);
/** What the first task of segment s reads: f, or the flow along x, y and z.
 *  @param[in] edge  from psg_flow_edge()
 *  @return of a flow, what ends with the plane below those of s; NULL: nothing else has it */
starpu_data_handle_t psg_flow_fields(const psg_run *run, const psg_arrays *arrays,
                                     starpu_data_handle_t edge, size_t s,
                                     starpu_data_handle_t fields[3]);

#endif
