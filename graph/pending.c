/* What a solve in flight gets of the plan: a workspace, and a run with room for its terms. */
#include "graph/pending.h"
#include "base/tuning.h"
#include "graph/plan_struct.h"
#include "graph/storage.h"
#include "graph/workspace.h"
#include "runtime/runs.h"
#include "runtime/step_list.h"

#include <stdlib.h>

size_t psg_plan_in_flight(const psg_plan *plan) {
    size_t count = 0;
    for (const psg_pending *f = plan != NULL ? plan->pending.oldest : NULL; f != NULL;
         f = f->next) {
        count++;
    }
    return count;
}

/* The workspace with the fewest solves in it. */
static psg_workspace *idlest_lane(const psg_plan *plan) {
    psg_workspace *workspace = plan->storage.workspaces[0];
    for (size_t m = 1; m < plan->storage.workspace_count; m++) {
        workspace = plan->storage.workspaces[m]->users < workspace->users
                        ? plan->storage.workspaces[m]
                        : workspace;
    }
    return workspace;
}

psg_workspace *psg_pending_choose_workspace(psg_plan *plan) {
    psg_workspace *workspace = idlest_lane(plan);
    psg_workspace *another = NULL;
    if (workspace->users > 0 && plan->storage.workspace_count < plan->problem.options.in_flight &&
        psg_storage_another(&another, plan, plan->storage.workspace_count) == PSG_OK) {
        plan->storage.workspaces[plan->storage.workspace_count++] = another;
        workspace = another;
    }
    return workspace;
}

/* @return NULL: no memory */
static psg_pending *create(const psg_engine *engine) {
    psg_pending *pending = calloc(1, sizeof *pending);
    psg_run *run = pending != NULL ? psg_run_create(engine) : NULL;
    if (run == NULL) {
        free(pending);
        return NULL;
    }
    pending->run = run;
    return pending;
}

psg_pending *psg_pending_take(psg_plan *plan, const psg_arrays *arrays) {
    const psg_engine *engine = &plan->context.engine;
    const bool gathers = arrays != NULL && plan->route.executor->gathers;
    const size_t key[2] = {idlest_lane(plan)->number, arrays != NULL ? arrays->number : 0};
    psg_pending **chosen = NULL;
    psg_pending **last = NULL;
    size_t idle = 0;
    for (psg_pending **at = &plan->pending.idle; *at != NULL; at = &(*at)->next) {
        chosen = chosen == NULL && psg_step_list_repeats((*at)->run, key) ? at : chosen;
        last = at;
        idle++;
    }
    if (chosen == NULL && idle >= (gathers ? TUNING_ARRAYS_KEPT : 1)) {
        chosen = last;
    }
    psg_pending *pending = chosen == NULL ? create(engine) : *chosen;
    if (chosen != NULL) {
        *chosen = pending->next;
        *pending = (psg_pending){.run = pending->run};
    }
    const size_t right_hand_sides = arrays != NULL ? psg_arrays_right_hand_sides(plan, arrays) : 1;
    if (pending != NULL &&
        !psg_run_want_result(pending->run, psg_findings_bytes(right_hand_sides))) {
        psg_pending_destroy(pending);
        pending = NULL;
    }
    return pending;
}

void psg_pending_give_back(psg_pending_list *list, psg_pending *pending) {
    pending->next = list->idle;
    list->idle = pending;
}

void psg_pending_destroy(psg_pending *pending) {
    if (pending != NULL) {
        psg_run_destroy(pending->run);
        free(pending);
    }
}

void psg_pending_free(psg_pending_list *list) {
    while (list->idle != NULL) {
        psg_pending *next = list->idle->next;
        psg_pending_destroy(list->idle);
        list->idle = next;
    }
}
