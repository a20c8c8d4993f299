/** @file request_mpi.h  A request of the messenger's that talks to MPI. */
#ifndef PSG_RUNTIME_REQUEST_MPI_H
#define PSG_RUNTIME_REQUEST_MPI_H

#include "runtime/request.h"

#include <mpi.h>

struct psg_request {
    MPI_Request mpi; /**< MPI_REQUEST_NULL: it is done */
};

#endif
