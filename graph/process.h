/** @file process.h  StarPU in this process, and what it agrees on with the others. */
#ifndef PSG_GRAPH_PROCESS_H
#define PSG_GRAPH_PROCESS_H

#include "graph/fail.h"
#include "graph/options.h"
#include "runtime/comm.h"

/* --------------------------------------------------------------------------------- start.c */

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

/** Choose what there is to simulate, before anything is asked about it; psg_simulation_end() has to follow.
 *  @param[in] machine  NULL: the environment says */
psg_status psg_runtime_simulate(const char *machine);

/* --------------------------------------------------------------------------------- ranks.c */

/** The communicator of checked options. Collective.
 *  @return PSG_OK; PSG_ERR_UNSUPPORTED, _STATE, _ARG, _MEMORY, _RUNTIME */
psg_status psg_ranks_open(psg_comm **comm, const psg_options *options);
/** One status for all processes: PSG_OK if it is on all of them, else that of the first that
 *  failed, with its words. Collective; comm NULL: the status as it is. */
psg_status psg_ranks_agree(psg_comm *comm, psg_status status);
/** Do all processes want the same? Collective. @return PSG_OK; PSG_ERR_ARG: the words say what
 *  differs */
psg_status psg_ranks_same(psg_comm *comm, const psg_grid *grid, const psg_options *options);
/** Each value becomes the largest of, or the sum over, all processes. Collective; comm NULL:
 *  nothing is done.
 *  @return PSG_OK; PSG_ERR_RUNTIME */
psg_status psg_ranks_max(psg_comm *comm, double *values, size_t count);
psg_status psg_ranks_sum(psg_comm *comm, double *values, size_t count);

/** Is each value the same on all processes? Collective; comm NULL: yes.
 *  @return PSG_OK; PSG_ERR_ARG: the words say what differs; PSG_ERR_RUNTIME */
psg_status psg_ranks_same_values(psg_comm *comm, const psg_option_value *values, size_t count);

#endif
