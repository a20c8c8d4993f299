/* Scheduling policies: those that StarPU has, by their names. */
#include "graph/policy.h"
#include "base/nearest.h"
#include "graph/psg_machine.h"
#include "graph/status.h"
#include "runtime/starpu_inside.h"

#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* @return NULL: there are no more */
static const struct starpu_sched_policy *policy_at(size_t index) {
    struct starpu_sched_policy **policies = starpu_sched_get_predefined_policies();
    for (size_t m = 0; policies[m] != NULL; m++) {
        if (m == index) {
            return policies[m];
        }
    }
    return NULL;
}

const char *psg_policy_name(size_t index) {
    const struct starpu_sched_policy *policy = policy_at(index);
    return policy != NULL ? policy->policy_name : NULL;
}

const char *psg_policy_description(size_t index) {
    const struct starpu_sched_policy *policy = policy_at(index);
    return policy != NULL ? policy->policy_description : NULL;
}

psg_status psg_policy_check(const char *policy, const char *where) {
    enum { MOST = 63 };
    const char *names[MOST + 1] = {NULL};
    char list[768] = "";
    size_t used = 0;
    for (size_t m = 0; psg_policy_name(m) != NULL; m++) {
        if (strcmp(policy, psg_policy_name(m)) == 0) {
            return PSG_OK;
        }
        names[m < MOST ? m : MOST - 1] = psg_policy_name(m);
        const int more = snprintf(list + used, sizeof list - used, " %s", psg_policy_name(m));
        used += more > 0 && (size_t)more < sizeof list - used ? (size_t)more : 0;
    }
    const char *near = base_nearest(policy, names);
    return near != NULL
               ? psg_fail(PSG_ERR_ARG, "unknown scheduling policy '%s'%s: did you mean '%s'?",
                          policy, where, near)
               : psg_fail(PSG_ERR_ARG, "unknown scheduling policy '%s'%s; there are:%s", policy,
                          where, list);
}

const char *psg_policy_environment(void) {
    const char *policy = getenv("STARPU_SCHED");
    return policy != NULL && policy[0] != '\0' ? policy : NULL;
}

int psg_policy_uses_models(const char *policy) {
    return psg_starpu_uses_models(policy);
}
