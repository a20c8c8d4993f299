/* A solve with epsilon between a program's StarPU data. */
#include "graph/options.h"
#include "graph/pcg.h"
#include "graph/pcg_fields.h"
#include "graph/pending.h"
#include "graph/plan_struct.h"
#include "graph/psg_starpu.h"
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
    full.epsilon = &any;
    if (status == PSG_OK) {
        status = psg_terms_take(plan, &full, &pending->terms, &pending->mean);
    }
    return status == PSG_OK ? psg_pcg_take(pending, plan, &full) : status;
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
    const psg_status status = psg_fail_run(pending->run);
    const psg_pcg_result *r = &pending->pcg;
    return status != PSG_OK                   ? status
           : !r->bad_eps && !isfinite(r->sum) ? psg_fail(PSG_ERR_DATA, "f is not finite")
                                              : psg_pcg_judge(plan, pending);
}

psg_status psg_solve_epsilon(psg_plan *plan, struct _starpu_data_state *const *f,
                             struct _starpu_data_state *const *epsilon,
                             struct _starpu_data_state *const *u, const psg_solve_args *args) {
    psg_pending pending = {.next = NULL};
    const psg_pcg_given given = {f, epsilon, u};
    psg_clear_error();
    if (plan == NULL || f == NULL || epsilon == NULL || u == NULL) {
        return psg_fail(PSG_ERR_ARG, "plan, f, epsilon or u is NULL");
    }
    if (plan->pending.oldest != NULL) {
        return psg_fail(PSG_ERR_STATE, "a solve is in flight: psg_wait() for it first");
    }
    psg_status status = read_args(&pending, plan, args);
    if (status != PSG_OK) {
        return status;
    }
    psg_run *run = pending.run = psg_run_create(&plan->context.engine);
    if (run == NULL) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for a run");
    }
    pending.workspace = plan->storage.workspaces[0];
    pending.terms.overlap = pending.workspace->overlap;
    run->phases = psg_workspace_phases(pending.workspace);
    run->user = &pending.terms;
    run->awake = true;
    psg_transfers_begin(&plan->work, true);
    const psg_submission submission = psg_work_start(&plan->work, run, plan->pending.launched++);
    psg_pcg_submit(run, plan, &pending, &given);
    psg_work_submitted(run, submission);
    (void)psg_run_wait(run, 0);
    psg_work_keep(&plan->work, run, submission.program);
    psg_transfers_end(&plan->work, run);
    if (run->engine->run_ended == NULL) { /* as after psg_wait() */
        psg_runtime_rest();
    }
    keep(&plan->past, &pending);
    status = judge(plan, &pending);
    psg_run_destroy(run);
    return status;
}
