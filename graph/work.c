/* Runs, from their start until something is told of them: solves of a plan, and runs of a
 * workload. */
#include "graph/work.h"
#include "graph/lp_bound.h"
#include "graph/start.h"
#include "runtime/comm.h"
#include "runtime/message.h"
#include "runtime/runs.h"

#include <stdlib.h>

psg_submission psg_work_start(psg_work *work, psg_run *run, uint64_t number) {
    psg_submission s = {.program = false};
    psg_run_start(run, number);
    if (run->awake) {
        psg_runtime_awake();
        s.program = psg_lp_bound_begin(work);
    }
    s.locale = psg_c_locale_begin(); /* StarPU reads a model with its first task */
    return s;
}

void psg_work_submitted(psg_run *run, psg_submission submission) {
    const bool awake = run->awake; /* the run may end now, and be another one's */
    psg_c_locale_end(submission.locale);
    if (submission.program) {
        psg_lp_bound_submitted();
    }
    psg_run_end_task(run); /* the submission itself */
    if (awake) {
        starpu_do_schedule(); /* for policies that wait to see the whole graph */
    }
}

bool psg_work_wait(psg_run *run) {
    const psg_comm *comm = run->engine->comm;
    if ((comm == NULL || !comm->given_up) && psg_run_wait(run, comm != NULL ? comm->limit : 0)) {
        return false;
    }
    const bool left = psg_message_give_up(run) > 0;
    (void)psg_run_wait(run, 0);
    return left;
}

void psg_work_keep(psg_work *work, psg_run *run, bool program) {
    psg_history_take(&work->latest, run);
    work->runs++;
    psg_lp_bound_waited(work, program);
}

void psg_work_forget(psg_work *work) {
    psg_lp_bound_free(work);
    psg_history_close(&work->latest);
    free(work->moved.record);
    free(work->copy);
    free(work->memory_files);
}
