/** @file teams.h  Which plans have a team, and its life. */
#ifndef PSG_GRAPH_TEAMS_H
#define PSG_GRAPH_TEAMS_H

#include "graph/workers.h"
#include "runtime/run.h"

/** Do this plan's cores share the steps of a solve? Its workers and options are known. */
bool psg_team_wanted(const psg_workers *workers, const psg_plan *plan);
/** The team of a plan that wants one. @return PSG_OK; PSG_ERR_MEMORY */
psg_status psg_team_make(psg_engine *engine, const psg_plan *plan);
/** Before anything that its members use is freed. Nothing without a team. */
void psg_team_end(psg_engine *engine);

#endif
