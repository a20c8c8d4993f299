/** @file mpi_channel.h  How a plan's data go between processes, by MPI: as the members of
 * psg_comm_table. */
#ifndef PSG_RUNTIME_MPI_CHANNEL_H
#define PSG_RUNTIME_MPI_CHANNEL_H

#include "runtime/comm.h"

#include <mpi.h>

struct psg_operation {
    MPI_Request mpi; /**< MPI_REQUEST_NULL: it is done */
};

psg_channel *psg_mpi_connect(psg_comm *comm, size_t row_bytes, unsigned lanes);
void psg_mpi_disconnect(psg_channel *channel);
int psg_mpi_send(const psg_channel *channel, const void *memory, const psg_stripes *stripes,
                 int rank, int tag, psg_operation *operation);
int psg_mpi_receive(const psg_channel *channel, void *memory, const psg_stripes *stripes, int rank,
                    int tag, psg_operation *operation);
int psg_mpi_alltoall(const psg_channel *channel, const psg_alltoall_part *from,
                     const psg_alltoall_part *to, size_t lane, psg_operation *operation);
void psg_mpi_words(int code, char *words, size_t size);

#endif
