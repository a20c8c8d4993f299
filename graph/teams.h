/** @file teams.h  The life of a team. */
#ifndef PSG_GRAPH_TEAMS_H
#define PSG_GRAPH_TEAMS_H

#include "graph/workers.h"
#include "runtime/run.h"

/** A team of all the plan's cores. @return PSG_OK; PSG_ERR_MEMORY */
psg_status psg_team_make(psg_engine *engine, const psg_plan *plan);
/** Before anything that its members use is freed. Nothing without a team. */
void psg_team_end(psg_engine *engine);

#endif
