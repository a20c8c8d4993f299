#include "runtime/mpi_channel.h"

#include "runtime/collectives.h"

#include <stdio.h>
#include <stdlib.h>

struct psg_channel {
    MPI_Comm mpi; /* of the messages */
    MPI_Datatype row;
    size_t row_bytes;
    MPI_Comm *lane;
    unsigned lanes;
};

/* No process begins to duplicate communicators that another one has no memory for. */
psg_channel *psg_mpi_connect(psg_comm *comm, size_t row_bytes, unsigned lanes) {
    psg_channel *channel = calloc(1, sizeof *channel);
    MPI_Comm *lane = calloc((size_t)lanes + 1, sizeof *lane);
    double missing = channel == NULL || lane == NULL;
    const bool told = psg_mpi_max(comm, &missing, 1);
    if (!told || missing > 0 || channel == NULL) {
        if (told) {
            psg_comm_say(comm, "a process has no memory for a wire");
        }
        free(channel);
        free(lane);
        return NULL;
    }
    *channel = (psg_channel){
        .row = MPI_DATATYPE_NULL, .row_bytes = row_bytes, .mpi = MPI_COMM_NULL, .lane = lane};
    bool good = psg_comm_duplicate(comm, comm->own->mpi, &channel->mpi);
    for (; good && channel->lanes < lanes; channel->lanes += good ? 1 : 0) {
        good = psg_comm_duplicate(comm, comm->own->mpi, &lane[channel->lanes]);
    }
    if (good && (MPI_Type_contiguous((int)row_bytes, MPI_BYTE, &channel->row) != MPI_SUCCESS ||
                 MPI_Type_commit(&channel->row) != MPI_SUCCESS)) {
        psg_comm_say(comm, "MPI made no datatype");
        good = false;
    }
    if (!good && !comm->given_up) {
        psg_mpi_disconnect(channel);
    }
    return good ? channel : NULL;
}

void psg_mpi_disconnect(psg_channel *channel) {
    int finalized = 0;
    if (MPI_Finalized(&finalized) == MPI_SUCCESS && !finalized) {
        if (channel->row != MPI_DATATYPE_NULL) {
            (void)MPI_Type_free(&channel->row);
        }
        if (channel->mpi != MPI_COMM_NULL) {
            (void)MPI_Comm_free(&channel->mpi);
        }
        for (unsigned m = 0; m < channel->lanes; m++) {
            (void)MPI_Comm_free(&channel->lane[m]);
        }
    }
    free(channel->lane);
    free(channel);
}

/* One run of the channel's rows needs no type of its own. */
static int begin_type(const psg_channel *channel, const psg_stripes *s, MPI_Datatype *type) {
    const MPI_Datatype row = s->unit > 0 ? MPI_BYTE : channel->row;
    const MPI_Aint unit = s->unit > 0 ? (MPI_Aint)s->unit : (MPI_Aint)channel->row_bytes;
    const int rows = (int)(s->unit > 0 ? s->rows * s->unit : s->rows);
    MPI_Datatype run = MPI_DATATYPE_NULL;
    MPI_Datatype layer = MPI_DATATYPE_NULL;
    *type = channel->row;
    if (s->unit == 0 && s->runs <= 1 && s->layers <= 1) {
        return MPI_SUCCESS;
    }
    int code = MPI_Type_contiguous(rows, row, &run);
    code = code == MPI_SUCCESS
               ? MPI_Type_create_hvector((int)s->runs, 1, (MPI_Aint)s->pitch * unit, run, &layer)
               : code;
    code = code == MPI_SUCCESS
               ? MPI_Type_create_hvector((int)s->layers, 1, (MPI_Aint)s->layer_pitch * unit, layer,
                                         type)
               : code;
    code = code == MPI_SUCCESS ? MPI_Type_commit(type) : code;
    if (run != MPI_DATATYPE_NULL) {
        (void)MPI_Type_free(&run);
    }
    if (layer != MPI_DATATYPE_NULL) {
        (void)MPI_Type_free(&layer);
    }
    return code;
}

/* What MPI has begun keeps the type. */
static void end_type(const psg_channel *channel, MPI_Datatype *type) {
    if (*type != channel->row && *type != MPI_DATATYPE_NULL) {
        (void)MPI_Type_free(type);
    }
}

static int count_of(const psg_channel *channel, const psg_stripes *s, MPI_Datatype type) {
    return type == channel->row ? (int)s->rows : 1;
}

int psg_mpi_send(const psg_channel *channel, const void *memory, const psg_stripes *stripes,
                 int rank, int tag, psg_operation *operation) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    int code = begin_type(channel, stripes, &type);
    operation->mpi = MPI_REQUEST_NULL;
    if (code == MPI_SUCCESS) {
        code = MPI_Isend(memory, count_of(channel, stripes, type), type, rank, tag, channel->mpi,
                         &operation->mpi);
    }
    end_type(channel, &type);
    return code;
}

int psg_mpi_receive(const psg_channel *channel, void *memory, const psg_stripes *stripes, int rank,
                    int tag, psg_operation *operation) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    int code = begin_type(channel, stripes, &type);
    operation->mpi = MPI_REQUEST_NULL;
    if (code == MPI_SUCCESS) {
        code = MPI_Irecv(memory, count_of(channel, stripes, type), type, rank, tag, channel->mpi,
                         &operation->mpi);
    }
    end_type(channel, &type);
    return code;
}

int psg_mpi_alltoall(const psg_channel *channel, const psg_alltoall_part *from,
                     const psg_alltoall_part *to, size_t lane, psg_operation *operation) {
    return MPI_Ialltoallv(from->memory, from->count, from->first, channel->row, to->memory,
                          to->count, to->first, channel->row, channel->lane[lane], &operation->mpi);
}

void psg_mpi_words(int code, char *words, size_t size) {
    char said[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (code == PSG_COMM_GIVEN_UP) {
        (void)snprintf(said, sizeof said, "it was given up");
    } else {
        (void)MPI_Error_string(code, said, &length);
    }
    (void)snprintf(words, size, "%s", said);
}
