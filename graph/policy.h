/** @file policy.h  The scheduling policy that is asked for; which there are: psg_machine.h. */
#ifndef PSG_GRAPH_POLICY_H
#define PSG_GRAPH_POLICY_H

/** @return the policy that STARPU_SCHED in the environment names; NULL: it names none */
const char *psg_policy_environment(void);

#endif
