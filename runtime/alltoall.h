/** @file alltoall.h  One MPI_Ialltoallv for all that goes between processes, to compare messages
 * with. */
#ifndef PSG_RUNTIME_ALLTOALL_H
#define PSG_RUNTIME_ALLTOALL_H

#include "runtime/comm.h"
#include "runtime/run.h"

/** Room for the alltoalls of a run; freed by free(). @return NULL: no memory */
struct psg_gathering *psg_gatherings_create(size_t rounds);

/** The blocks that go to other processes, or come from there, and how many bytes they have in
 *  all. */
typedef struct psg_alltoall_data {
    starpu_data_handle_t *block;
    size_t count;
    size_t bytes;
} psg_alltoall_data;

/** All of them at once, one way.
 *  @param[in] alltoall  where they stand in main memory; the caller's until the run has ended
 *  @param[in] label     of its event
 *  @param[in] from, to  the blocks that go, and those that come; the callers' until the run has
 * ended */
void psg_message_alltoall(psg_run *run, const psg_alltoall *alltoall, const psg_label *label,
                          psg_way way, const psg_alltoall_data *from, const psg_alltoall_data *to);

#endif
