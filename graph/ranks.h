/** @file ranks.h  What several processes have to agree on. */
#ifndef PSG_GRAPH_RANKS_H
#define PSG_GRAPH_RANKS_H

#include "graph/option_table.h"
#include "runtime/comm.h"

/** The communicator of checked options. Collective.
 *  @return PSG_OK; PSG_ERR_UNSUPPORTED, _STATE, _ARG, _MEMORY, _RUNTIME */
psg_status psg_ranks_open(psg_comm **comm, const psg_options *options);
/** One status for all processes: PSG_OK if it is on all of them, else that of the first that
 *  failed, with its words. Collective; comm NULL: the status as it is. */
psg_status psg_ranks_agree(psg_comm *comm, psg_status status);
/** Do all processes want the same? Collective. @return PSG_OK; PSG_ERR_ARG: the words say what
 *  differs */
psg_status psg_ranks_same(psg_comm *comm, const psg_grid *grid, const psg_options *options);
/** Each value becomes the largest of, the least of, or the sum over all processes. Collective; comm
 *  NULL: nothing is done.
 *  @return PSG_OK; PSG_ERR_RUNTIME */
psg_status psg_ranks_max(psg_comm *comm, double *values, size_t count);
psg_status psg_ranks_min(psg_comm *comm, double *values, size_t count);
psg_status psg_ranks_sum(psg_comm *comm, double *values, size_t count);
/** Is each value the same on all processes? Collective; comm NULL: yes.
 *  @return PSG_OK; PSG_ERR_ARG: the words say what differs; PSG_ERR_RUNTIME */
psg_status psg_ranks_same_values(psg_comm *comm, const psg_option_value *values, size_t count);

#endif
