/* A solve with epsilon between a program's StarPU data. */
#include "graph/green.h"
#include "graph/options.h"
#include "graph/pcg.h"
#include "graph/pcg_fields.h"
#include "graph/pending.h"
#include "graph/plan_struct.h"
#include "graph/psg_starpu.h"
#include "graph/ranks.h"
#include "graph/sides.h"
#include "graph/start.h"
#include "graph/status.h"
#include "graph/terms.h"
#include "graph/transfer_log.h"
#include "runtime/runs.h"

#include <math.h>

static psg_status read_args(psg_pending *pending, psg_plan *plan, const psg_solve_args *args) {
    const psg_array any = {.data = NULL}; /* the program's data stand for it */
    psg_solve_args full = psg_terms_of_plan(plan);
    psg_status status = args != NULL ? psg_terms_read(&full, plan, args) : PSG_OK;
    if (status == PSG_OK && psg_terms_faces(&full) != 0) {
        status = psg_fail(PSG_ERR_UNSUPPORTED, "psg_solve_epsilon() has epsilon at points alone");
    }
    full.epsilon = &any;
    if (status == PSG_OK) {
        status = psg_terms_take(plan, &full, &pending->terms, &pending->mean);
    }
    status = status == PSG_OK ? psg_pcg_take(pending, plan, &full) : status;
    if (status == PSG_OK) {
        status = psg_green_take(&plan->pending.kept, plan, pending->terms.lambda, &pending->green);
        pending->terms.table = pending->green != NULL ? &pending->green->table : NULL;
    }
    return status == PSG_OK ? psg_sides_take(plan, &full, 1, &pending->terms.sides,
                                             &pending->side_largest, &pending->sides)
                            : status;
}

static void keep(psg_past *past, const psg_pending *pending) {
    const base_pcg_terms *t = &pending->terms.pcg;
    const bool dropped = t->drops || pending->pcg.regions > 0;
    past->mean = dropped ? pending->pcg.sum / t->points : 0;
    past->mean_count = 0;
    past->from_memory = false;
    past->copied_bytes = 0;
    past->pcg = pending->pcg;
}

static psg_status judge(const psg_plan *plan, const psg_pending *pending) {
    const psg_status status = psg_ranks_agree(plan->processes.comm, psg_fail_run(pending->run));
    const psg_pcg_result *r = &pending->pcg;
    return status != PSG_OK ? status
           : !r->bad_eps && !isfinite(r->sum)
               ? psg_fail(PSG_ERR_DATA, "f%s is not finite",
                          pending->terms.sides.apart ? " with epsilon times the values on sides"
                                                     : "")
               : psg_pcg_judge(plan, pending);
}

static psg_status begin(psg_pending *pending, psg_plan *plan, const psg_solve_args *args) {
    pending->run = psg_run_create(&plan->context.engine);
    return pending->run != NULL ? read_args(pending, plan, args)
                                : psg_fail(PSG_ERR_MEMORY, "no memory for a run");
}

static void solve(psg_pending *pending, psg_plan *plan, const psg_pcg_given *given) {
    psg_run *run = pending->run;
    pending->workspace = plan->storage.workspaces[0];
    pending->terms.overlap = pending->workspace->overlap;
    run->phases = psg_workspace_phases(pending->workspace);
    run->user = &pending->terms;
    run->awake = true;
    psg_transfers_begin(&plan->work, true);
    const psg_submission submission = psg_work_start(&plan->work, run, plan->pending.launched++);
    psg_pcg_submit(run, plan, pending, given);
    psg_work_submitted(run, submission);
    plan->storage.left = psg_work_wait(run) || plan->storage.left;
    psg_work_keep(&plan->work, run, submission.program);
    psg_transfers_end(&plan->work, run);
    if (run->engine->run_ended == NULL) { /* as after psg_wait() */
        psg_runtime_rest();
    }
    keep(&plan->past, pending);
}

psg_status psg_solve_epsilon(psg_plan *plan, struct _starpu_data_state *const *f,
                             struct _starpu_data_state *const *epsilon,
                             struct _starpu_data_state *const *u, const psg_solve_args *args) {
    psg_pending pending = {.next = NULL};
    const psg_pcg_given given = {f, {epsilon}, u};
    psg_clear_error();
    if (plan == NULL) {
        return psg_fail(PSG_ERR_ARG, "plan is NULL");
    }
    const bool some = psg_range_count(plan->context.layout.segments.own) > 0;
    psg_status status =
        some && (f == NULL || epsilon == NULL || u == NULL)
            ? psg_fail(PSG_ERR_ARG, "f, epsilon or u is NULL")
        : plan->pending.oldest != NULL
            ? psg_fail(PSG_ERR_STATE, "a solve is in flight: psg_wait() for it first")
            : begin(&pending, plan, args);
    status = psg_ranks_agree(plan->processes.comm, status);
    if (status == PSG_OK) {
        psg_solve_args full = psg_terms_of_plan(plan);
        if (args != NULL) {
            (void)psg_terms_read(&full, plan, args); /* it was fine before */
        }
        status = psg_terms_same(plan, &full, true, false);
    }
    if (status == PSG_OK) {
        solve(&pending, plan, &given);
        status = judge(plan, &pending);
    }
    psg_green_give_back(pending.green);
    psg_sides_give_back(plan, pending.sides);
    psg_run_destroy(pending.run);
    return status;
}
