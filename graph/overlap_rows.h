/** @file overlap_rows.h  The rows that kspace moves between GPUs itself: which they are, and where they stand. */
#ifndef PSG_GRAPH_OVERLAP_ROWS_H
#define PSG_GRAPH_OVERLAP_ROWS_H

#include "graph/workspace.h"

/** Which rows does kspace relay, on all processes? Rows are cut, and form.strip is known. Collective.
 *  @return PSG_OK; PSG_ERR_MEMORY, _RUNTIME */
psg_status psg_relay_choose(psg_relay *relay, const psg_plan *plan);
/** Room for the addresses of a lane's relayed rows. Memory of other processes has one for each GPU that reaches it.
 *  @return false: no memory */
bool psg_relay_allocate(psg_lane *lane, const psg_plan *plan);
/** The addresses, once all processes have the lane. */
void psg_relay_fill(psg_lane *lane, const psg_plan *plan);
void psg_relay_free(psg_lane *lane, const psg_plan *plan);

#endif
