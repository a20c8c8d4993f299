/* StarPU's linear program gives the least time in which its workers can do a set of tasks, by its
 * performance models. The set is all tasks that anybody submits between starpu_bound_start() and
 * starpu_bound_stop(), and StarPU keeps one set. So plans and workloads take turns: one has it from
 * a submission until it has asked for the time, or submits again. To solve the program takes longer
 * than many a solve, so that is done when somebody asks. */
#include "graph/lp_bound.h"
#include "graph/psg_machine.h"
#include "graph/work.h"

#include <stdlib.h>

/* Somebody has StarPU's program. */
static atomic_flag taken = ATOMIC_FLAG_INIT;

struct psg_lp_bound {
    bool held;      /* by this work */
    bool of_latest; /* it is about the run that was waited for last */
    double seconds; /* of that one; 0: not known */
};

/* A model that is asked for a time it does not have makes StarPU calibrate from then on, and say
 * so: only where it does that anyway it is asked. */
bool psg_lp_bound_begin(psg_work *work) {
    const struct starpu_sched_policy *policy = starpu_sched_get_sched_policy();
    if (!work->engine->record ||
        (!work->calibrate &&
         !psg_policy_uses_models(policy != NULL ? policy->policy_name : NULL))) {
        return false;
    }
    if (work->lp == NULL) {
        work->lp = calloc(1, sizeof *work->lp);
    }
    if (work->lp == NULL || (!work->lp->held && atomic_flag_test_and_set(&taken))) {
        return false;
    }
    work->lp->held = true;
    work->lp->of_latest = false;
    starpu_bound_start(0, 0);
    return true;
}

void psg_lp_bound_submitted(void) {
    starpu_bound_stop();
}

void psg_lp_bound_waited(psg_work *work, bool whose) {
    if (work->lp != NULL) {
        work->lp->of_latest = whose && work->lp->held;
        work->lp->seconds = 0;
    }
}

static void let_go(struct psg_lp_bound *lp) {
    if (lp->held) {
        lp->held = false;
        lp->of_latest = false;
        atomic_flag_clear(&taken);
    }
}

double psg_lp_bound_seconds(const psg_work *work) {
    double milliseconds = 0; /* stays where a task has no model, or StarPU no GLPK */
    if (work->lp == NULL) {
        return 0;
    }
    if (work->lp->of_latest) {
        starpu_bound_compute(&milliseconds, NULL, 0);
        work->lp->seconds = milliseconds * 1e-3;
        let_go(work->lp);
    }
    return work->lp->seconds;
}

void psg_lp_bound_free(psg_work *work) {
    if (work->lp != NULL) {
        let_go(work->lp);
        free(work->lp);
    }
}
