/** @file partition.h  How the grid is cut. */
#ifndef PSG_GRAPH_PARTITION_H
#define PSG_GRAPH_PARTITION_H

#include "codelets/context.h"
#include "graph/psg.h"

/** Cut planes, of all processes: what the options ask, else what suits the data and the workers.
 *  Then rows, once it is known how blocks are exchanged.
 *  @return PSG_OK; PSG_ERR_MEMORY */
psg_status psg_partition_planes(psg_layout *layout, const psg_plan *plan);
psg_status psg_partition_rows(psg_layout *layout, const psg_plan *plan);
/** For psg_exchange_row.gpu_parts: as many as suit work of this size; one for each GPU, as a second
 *  would wait for the first, and cost a start; so many that messages have a size that suits copies
 *  beside them. */
size_t psg_partition_suiting(const psg_plan *plan, size_t tasks, bool sheets);
size_t psg_partition_one_each(const psg_plan *plan, size_t tasks, bool sheets);
size_t psg_partition_pieces(const psg_plan *plan, size_t tasks, bool sheets);
size_t psg_partition_shared(const psg_plan *plan, size_t tasks, bool sheets);
/** Segments, or sheets, for a team: the finest cut whose busiest member has little more to do than
 * that of the best cut. */
size_t psg_partition_team(const psg_plan *plan, bool sheets);

#endif
