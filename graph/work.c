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

bool psg_work_wait_for(psg_run *run, const atomic_size_t *left) {
    const psg_comm *comm = run->engine->comm;
    if ((comm != NULL && comm->given_up) ||
        !psg_run_wait_for(run, left, comm != NULL ? comm->limit : 0)) {
        psg_message_give_up(run);
        (void)psg_run_wait_for(run, left, 0);
    }
    return run->messages.left > 0;
}

typedef struct arrival {
    psg_run *run;
    atomic_size_t left;
} arrival;

static void arrived(void *argument) {
    arrival *a = argument;
    psg_run *run = a->run;
    starpu_pthread_mutex_lock(&run->mutex);
    atomic_store(&a->left, 0);
    starpu_pthread_cond_signal(&run->idle);
    starpu_pthread_mutex_unlock(&run->mutex);
}

bool psg_work_acquire(psg_run *run, starpu_data_handle_t data, enum starpu_data_access_mode mode) {
    arrival a = {.run = run, .left = 1};
    const bool taken =
        starpu_data_acquire_on_node_cb(data, STARPU_MAIN_RAM, mode, arrived, &a) == 0;
    if (!taken) {
        psg_run_fail(run, PSG_FAULT_SUBMIT, "StarPU did not bring data of a solve");
    } else {
        (void)psg_work_wait_for(run, &a.left);
    }
    return taken;
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
