/** @file policy.h  StarPU's scheduling policies. */
#ifndef PSG_GRAPH_POLICY_H
#define PSG_GRAPH_POLICY_H

#include "graph/psg.h"

/** Has StarPU the scheduling policy? @param[in] where  it is asked for, in the words; may be ""
 *  @return PSG_OK; PSG_ERR_ARG: the words name the one that was probably meant, or all */
psg_status psg_policy_check(const char *policy, const char *where);

/** @return the policy that STARPU_SCHED in the environment names; NULL: it names none */
const char *psg_policy_environment(void);

#endif
