/* How a plan's data go between processes, by MPI. */
#include "runtime/comm_mpi.h"

#include <stdio.h>
#include <stdlib.h>

/* No process begins to duplicate communicators that another one has no memory for. */
psg_wire *psg_wire_open(psg_comm *comm, size_t row_bytes, unsigned lanes) {
    psg_wire *wire = calloc(1, sizeof *wire);
    MPI_Comm *lane = calloc((size_t)lanes + 1, sizeof *lane);
    double missing = wire == NULL || lane == NULL;
    const bool told = psg_comm_max(comm, &missing, 1);
    if (!told || missing > 0 || wire == NULL) {
        if (told) {
            psg_comm_say(comm, "a process has no memory for a wire");
        }
        free(wire);
        free(lane);
        return NULL;
    }
    *wire = (psg_wire){
        .row_bytes = row_bytes, .row = MPI_DATATYPE_NULL, .mpi = MPI_COMM_NULL, .lane = lane};
    bool good = psg_comm_duplicate(comm, comm->mpi, &wire->mpi);
    for (; good && wire->lanes < lanes; wire->lanes += good ? 1 : 0) {
        good = psg_comm_duplicate(comm, comm->mpi, &lane[wire->lanes]);
    }
    if (good && (MPI_Type_contiguous((int)row_bytes, MPI_BYTE, &wire->row) != MPI_SUCCESS ||
                 MPI_Type_commit(&wire->row) != MPI_SUCCESS)) {
        psg_comm_say(comm, "MPI made no datatype");
        good = false;
    }
    if (!good && !comm->given_up) {
        psg_wire_close(wire);
    }
    return good ? wire : NULL;
}

void psg_wire_close(psg_wire *wire) {
    int finalized = 0;
    if (wire == NULL) {
        return;
    }
    if (MPI_Finalized(&finalized) == MPI_SUCCESS && !finalized) {
        if (wire->row != MPI_DATATYPE_NULL) {
            (void)MPI_Type_free(&wire->row);
        }
        if (wire->mpi != MPI_COMM_NULL) {
            (void)MPI_Comm_free(&wire->mpi);
        }
        for (unsigned m = 0; m < wire->lanes; m++) {
            (void)MPI_Comm_free(&wire->lane[m]);
        }
    }
    free(wire->lane);
    free(wire);
}

size_t psg_wire_row_bytes(const psg_wire *wire) {
    return wire->row_bytes;
}

int psg_wire_send(const psg_wire *wire, const void *memory, size_t rows, int rank, int tag,
                  psg_request *request) {
    request->mpi = MPI_REQUEST_NULL;
    return MPI_Isend(memory, (int)rows, wire->row, rank, tag, wire->mpi, &request->mpi);
}

int psg_wire_receive(const psg_wire *wire, void *memory, size_t rows, int rank, int tag,
                     psg_request *request) {
    request->mpi = MPI_REQUEST_NULL;
    return MPI_Irecv(memory, (int)rows, wire->row, rank, tag, wire->mpi, &request->mpi);
}

int psg_wire_alltoall(const psg_wire *wire, const psg_alltoall_part *from,
                      const psg_alltoall_part *to, size_t lane, psg_request *request) {
    return MPI_Ialltoallv(from->memory, from->count, from->first, wire->row, to->memory, to->count,
                          to->first, wire->row, wire->lane[lane], &request->mpi);
}

void psg_comm_words(int code, char *words, size_t size) {
    char said[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (code == PSG_COMM_GIVEN_UP) {
        (void)snprintf(said, sizeof said, "it was given up");
    } else {
        (void)MPI_Error_string(code, said, &length);
    }
    (void)snprintf(words, size, "%s", said);
}
