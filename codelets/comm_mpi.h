/** @file comm_mpi.h  What the files that call MPI share. */
#ifndef PSG_CODELETS_COMM_MPI_H
#define PSG_CODELETS_COMM_MPI_H

#include "codelets/comm.h"

#include <mpi.h>

struct psg_comm {
    MPI_Comm mpi;
    int rank;
    int ranks;
    bool fake;
    MPI_Comm node; /**< the processes of this node */
    int node_rank;
    int node_ranks;
    double rate;    /**< see psg_comm_rate(); 0: not measured yet */
    unsigned users; /**< psg_comm_start() without psg_comm_stop() */
    bool orphan;    /**< the caller's communicator is gone */
};

struct psg_wire {
    MPI_Comm mpi; /**< of the messages */
    MPI_Datatype row;
    size_t row_bytes;
    MPI_Comm *lane;
    unsigned lanes;
    bool fake; /**< as the communicator's */
};

struct psg_request {
    MPI_Request mpi; /**< MPI_REQUEST_NULL: it is done */
};

#endif
