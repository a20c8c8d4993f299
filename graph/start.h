/** @file start.h  StarPU in this process. */
#ifndef PSG_GRAPH_START_H
#define PSG_GRAPH_START_H

#include "graph/psg.h"
#include "runtime/comm.h"

/** Start StarPU for these options, or join the one that runs; counted. With comm, on this
 *  process' part of the node's cores and GPUs, where the thread for messages starts too.
 *  @param[in] advice  the policy to start with where nobody says another; "" = StarPU's
 *  @return PSG_OK; PSG_ERR_STATE, _NODEV, _ARG, _RUNTIME: nothing to release */
psg_status psg_runtime_acquire(const psg_options *options, psg_comm *comm, const char *advice);
void psg_runtime_release(psg_comm *comm);
/** Bracket what needs workers: each solve (launch() to psg_engine.run_ended, or where that is NULL
 *  to psg_wait()), the life of slab handles, and what StarPU is asked to unregister or fetch.
 *  Between, a StarPU that the library started sleeps. */
void psg_runtime_awake(void);
void psg_runtime_rest(void);
/** psg_runtime_rest() for psg_engine.run_ended, where the last task calls psg_runtime_stay() by
 *  psg_engine.last_left: workers stay awake for a while, for the next run. One of them sleeps
 *  meanwhile, so that whoever waits for the run finds a core. */
void psg_runtime_rest_soon(void);
void psg_runtime_stay(void *unused);
/** In a library for simulation, choose what there is to simulate, before anything is asked about
 * it. psg_simulation_end() has to follow.
 *  @param[in] machine  NULL: the environment says */
psg_status psg_runtime_simulate(const char *machine);

#endif
