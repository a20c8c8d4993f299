/* StarPU's linear program: the least time in which its workers can do the tasks that it heard of
 * between begin and end, by its performance models. It hears of everybody's, so two plans take
 * turns. */
#include "graph/internal.h"

#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* By their names, which is all that StarPU tells of them. */
int psg_policy_uses_models(const char *policy) {
    return policy != NULL &&
           (strncmp(policy, "dm", 2) == 0 || strstr(policy, "-dm") != NULL ||
            strstr(policy, "heft") != NULL || strstr(policy, "modular-heteroprio") != NULL ||
            strcmp(policy, "modular-gemm") == 0);
}

/* A model that is asked for a time it does not have makes StarPU calibrate from then on, and say
 * so: only where it does that anyway it is asked. */
bool psg_program_begin(const psg_plan *plan) {
    const struct starpu_sched_policy *policy = starpu_sched_get_sched_policy();
    if (plan->options.record == 0 ||
        (plan->options.calibrate == 0 &&
         !psg_policy_uses_models(policy != NULL ? policy->policy_name : NULL))) {
        return false;
    }
    pthread_mutex_lock(&lock);
    starpu_bound_start(0, 0);
    return true;
}

double psg_program_end(void) {
    double milliseconds = 0; /* stays where a task has no model, or StarPU no GLPK */
    starpu_bound_stop();
    starpu_bound_compute(&milliseconds, NULL, 0);
    pthread_mutex_unlock(&lock);
    return milliseconds * 1e-3;
}
