/** @file dependencies.h  Which event of a run needed which other. */
#ifndef PSG_GRAPH_DEPENDENCIES_H
#define PSG_GRAPH_DEPENDENCIES_H

#include "graph/psg_observe.h"
#include "runtime/history.h"

/** psg_history_edges() of the latest run. @return PSG_OK; PSG_ERR_STATE, _MEMORY */
psg_status psg_edges_find(const psg_work *work, psg_edge **list, size_t *count);

#endif
