/** @file overlap_rows.h  The rows that kspace moves between GPUs itself: which they are, and where
 * they stand. */
#ifndef PSG_GRAPH_OVERLAP_ROWS_H
#define PSG_GRAPH_OVERLAP_ROWS_H

#include "graph/workspace.h"

/** Which rows does kspace move itself, on all processes? Rows are cut, and form.strip is known.
 *  Collective.
 *  @return PSG_OK; PSG_ERR_MEMORY, _RUNTIME */
psg_status psg_overlap_choose(psg_overlap *overlap, const psg_plan *plan);
/** Room for the addresses of a workspace's overlap rows. Memory of other processes has one for each
 * GPU that reaches it.
 *  @return false: no memory */
bool psg_overlap_allocate(psg_workspace *workspace, const psg_plan *plan);
/** The addresses, once all processes have the workspace. */
void psg_overlap_fill(psg_workspace *workspace, const psg_plan *plan);
/** The rows of the derivative along z are those of workspace->beside. */
void psg_overlap_beside(psg_workspace *workspace, const psg_plan *plan);
void psg_overlap_free(psg_workspace *workspace, const psg_plan *plan);

#endif
