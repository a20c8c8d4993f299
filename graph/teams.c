/* The life of a team. */
#include "graph/teams.h"
#include "graph/plan_struct.h"
#include "graph/start.h"
#include "graph/status.h"
#include "runtime/team.h"

psg_status psg_team_make(psg_engine *e, const psg_plan *plan) {
    const size_t *n = plan->context.layout.n;
    e->team_bytes = (double)(n[0] * n[1] * n[2] * plan->context.cpu->real_bytes);
    psg_runtime_awake();
    e->team = psg_team_create(plan->workers.usable, plan->workers.cpu_count, psg_runtime_awake,
                              psg_runtime_rest);
    psg_runtime_rest();
    return e->team != NULL ? PSG_OK : psg_fail(PSG_ERR_MEMORY, "no memory for a team");
}

void psg_team_end(psg_engine *engine) {
    if (engine->team != NULL) {
        psg_runtime_awake();
        psg_team_destroy(engine->team);
        psg_runtime_rest();
        engine->team = NULL;
    }
}
