/* StarPU's linear program: the least time in which its workers can do the tasks that it heard of
 * between two calls, by its performance models. It hears of everybody's, and remembers one program,
 * so plans take turns: a plan has it from a submission until it has asked, or submits again. It is
 * solved when somebody asks, which takes longer than many a solve. */
#include "graph/psg_machine.h"
#include "graph/solving.h"

#include <stdlib.h>

/* A plan has StarPU's program. */
static atomic_flag taken = ATOMIC_FLAG_INIT;

struct psg_program {
    bool held;      /* by this plan */
    bool of_latest; /* it is about the solve that was waited for last */
    double seconds; /* of that one; 0: not known */
};

/* A model that is asked for a time it does not have makes StarPU calibrate from then on, and say
 * so: only where it does that anyway it is asked. */
bool psg_program_begin(psg_plan *plan) {
    const struct starpu_sched_policy *policy = starpu_sched_get_sched_policy();
    if (plan->problem.options.record == 0 ||
        (plan->problem.options.calibrate == 0 &&
         !psg_policy_uses_models(policy != NULL ? policy->policy_name : NULL))) {
        return false;
    }
    if (plan->past.program == NULL) {
        plan->past.program = calloc(1, sizeof *plan->past.program);
    }
    if (plan->past.program == NULL ||
        (!plan->past.program->held && atomic_flag_test_and_set(&taken))) {
        return false;
    }
    plan->past.program->held = true;
    plan->past.program->of_latest = false;
    starpu_bound_start(0, 0);
    return true;
}

void psg_program_submitted(void) {
    starpu_bound_stop();
}

void psg_program_waited(psg_plan *plan, bool whose) {
    if (plan->past.program != NULL) {
        plan->past.program->of_latest = whose && plan->past.program->held;
        plan->past.program->seconds = 0;
    }
}

static void let_go(struct psg_program *program) {
    if (program->held) {
        program->held = false;
        program->of_latest = false;
        atomic_flag_clear(&taken);
    }
}

double psg_program_seconds(const psg_plan *plan) {
    double milliseconds = 0; /* stays where a task has no model, or StarPU no GLPK */
    if (plan->past.program == NULL) {
        return 0;
    }
    if (plan->past.program->of_latest) {
        starpu_bound_compute(&milliseconds, NULL, 0);
        plan->past.program->seconds = milliseconds * 1e-3;
        let_go(plan->past.program);
    }
    return plan->past.program->seconds;
}

void psg_program_free(psg_plan *plan) {
    if (plan->past.program != NULL) {
        let_go(plan->past.program);
        free(plan->past.program);
    }
}
