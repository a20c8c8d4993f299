/** @file comm_mpi.h  What comm.c and exchange_mpi.c share. */
#ifndef PSG_CODELETS_COMM_MPI_H
#define PSG_CODELETS_COMM_MPI_H

#include "codelets/comm.h"
#include "codelets/run.h"

#include <mpi.h>
#include <starpu_mpi.h>

struct psg_comm {
    MPI_Comm mpi;
    int rank;
    int ranks;
    bool fake;
    MPI_Comm node; /**< the processes of this node */
    int node_rank;
    int node_ranks;
    int64_t next_tag;
};

typedef struct psg_alltoall_mpi {
    struct psg_alltoall_mpi *next; /**< among those under way, as are the following */
    MPI_Comm comm;
    MPI_Datatype row;
    MPI_Request request;
    struct starpu_task *task;
    struct psg_run *run;
} psg_alltoall_mpi;

/** Have StarPU's workers look after the MPI_Ialltoallv that are on their way, or stop that. */
void psg_exchange_hook(bool on);

#endif
