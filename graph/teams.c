/* Which plans have a team, and its life. */
#include "graph/teams.h"
#include "graph/plan_struct.h"
#include "graph/psg_machine.h"
#include "graph/start.h"
#include "graph/status.h"
#include "runtime/simulation.h"
#include "runtime/team.h"

#include <stdlib.h>

/* StarPU can be told to run no task's function, and then its workers never come to a team. */
static bool runs_kernels(void) {
    const char *disabled = getenv("STARPU_DISABLE_KERNELS");
    return disabled == NULL || atoi(disabled) == 0;
}

/* Who cuts the grid, or names a policy, wants to see tasks; and only tasks fit performance models
 * and a linear program. */
bool psg_team_wanted(const psg_workers *w, const psg_plan *plan) {
    const struct starpu_sched_policy *policy = starpu_sched_get_sched_policy();
    const psg_options *o = &plan->problem.options;
    return w->gpu_count == 0 && plan->processes.ranks == 1 && !w->copies && !psg_simulated() &&
           runs_kernels() && o->segment_planes == 0 && o->sheets == 0 &&
           !plan->problem.policy_asked && o->calibrate == 0 &&
           !psg_policy_uses_models(policy != NULL ? policy->policy_name : NULL);
}

psg_status psg_team_make(psg_engine *e, const psg_plan *plan) {
    if (!plan->workers.teams) {
        return PSG_OK;
    }
    const size_t *n = plan->context.layout.n;
    e->team_steps = psg_task_most(&plan->context);
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
