/* An NCCL of main memory, by MPI between all processes of the world. As with NCCL a group begins
 * when those before it on its stream have ended, and messages between two processes are matched in
 * their order: a process with another order, or other sizes, ends the test.
 *
 * FAKE_VERSION   of ncclGetVersion()
 * FAKE_LACKS     there is no ncclSend()
 * FAKE_FAILS     the process cannot join a communicator */
#include "tests/mpi/nccl_fake.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef FAKE_VERSION
#define FAKE_VERSION 22307
#endif

enum { SUCCESS = 0, SYSTEM_ERROR = 2, CALLS = 64 };

typedef struct call {
    int receives, rank;
    void *memory;
    size_t bytes;
} call;

typedef struct fake_group {
    struct fake_group *next;
    int started, count;
    call call[CALLS];
    MPI_Request request[CALLS];
} fake_group;

typedef struct communicator {
    MPI_Comm mpi;
    fake_stream *stream; /* the first one */
} communicator;

typedef struct unique_id {
    char bytes[128];
} unique_id;

int ncclGetVersion(int *version);
int ncclGetUniqueId(unique_id *id);
int ncclCommInitRank(communicator **comm, int ranks, unique_id id, int rank);
int ncclCommAbort(communicator *comm);
int ncclCommGetAsyncError(communicator *comm, int *error);
int ncclGroupStart(void);
int ncclGroupEnd(void);
int ncclSend(const void *memory, size_t count, int type, int rank, communicator *comm,
             fake_stream *stream);
int ncclRecv(void *memory, size_t count, int type, int rank, communicator *comm,
             fake_stream *stream);
const char *ncclGetErrorString(int code);

/* The group that is being made. */
static fake_group *made;
static fake_stream *on;

static void broken(const char *rule) {
    fprintf(stderr, "NCCL: %s\n", rule);
    abort();
}

int ncclGetVersion(int *version) {
    *version = FAKE_VERSION;
    return SUCCESS;
}

int ncclGetUniqueId(unique_id *id) {
    snprintf(id->bytes, sizeof id->bytes, "fake");
    return SUCCESS;
}

int ncclCommInitRank(communicator **comm, int ranks, unique_id id, int rank) {
    int size = 0, own = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    if (size != ranks || own != rank || id.bytes[0] != 'f') {
        broken("not the number of this process, or not the first one's id");
    }
    *comm = calloc(1, sizeof **comm);
    PMPI_Comm_dup(MPI_COMM_WORLD, &(*comm)->mpi); /* errors end the program */
#ifdef FAKE_FAILS
    return SYSTEM_ERROR;
#else
    return SUCCESS;
#endif
}

int ncclCommAbort(communicator *comm) {
    fake_stream *s = comm->stream;
    while (s && s->first) {
        fake_group *group = s->first;
        for (int m = 0; group->started && m < group->count; ++m) {
            if (group->request[m] != MPI_REQUEST_NULL) {
                MPI_Cancel(&group->request[m]);
                MPI_Request_free(&group->request[m]);
            }
        }
        s->first = group->next;
        free(group);
    }
    if (s) {
        s->ended = s->put;
    }
    free(comm); /* its communicator of MPI stays: others may never free theirs */
    return SUCCESS;
}

int ncclCommGetAsyncError(communicator *comm, int *error) {
    (void)comm;
    *error = SUCCESS;
    return SUCCESS;
}

int ncclGroupStart(void) {
    if (made) {
        broken("a group in a group");
    }
    made = calloc(1, sizeof *made);
    on = NULL;
    return SUCCESS;
}

static MPI_Comm mpi_of_calls;

static void go_on(fake_stream *s) {
    int ended = 1;
    while (s->first && ended) {
        fake_group *group = s->first;
        for (int m = 0; !group->started && m < group->count; ++m) {
            call *c = &group->call[m];
            if (c->receives) {
                PMPI_Irecv(c->memory, (int)c->bytes, MPI_BYTE, c->rank, 0, mpi_of_calls,
                           &group->request[m]);
            } else {
                PMPI_Isend(c->memory, (int)c->bytes, MPI_BYTE, c->rank, 0, mpi_of_calls,
                           &group->request[m]);
            }
        }
        MPI_Status status[CALLS];
        group->started = 1;
        PMPI_Testall(group->count, group->request, &ended, status);
        for (int m = 0; ended && m < group->count; ++m) {
            int bytes = 0;
            PMPI_Get_count(&status[m], MPI_BYTE, &bytes);
            if (group->call[m].receives && (size_t)bytes != group->call[m].bytes) {
                broken("a block of another size came");
            }
        }
        if (ended) {
            s->first = group->next;
            s->ended++;
            free(group);
        }
    }
}

int ncclGroupEnd(void) {
    if (!made || !on) {
        broken("a group without calls");
        return SYSTEM_ERROR;
    }
    *(on->first ? &on->last->next : &on->first) = made;
    on->last = made;
    on->put++;
    on->go_on = go_on;
    made = NULL;
    go_on(on);
    return SUCCESS;
}

static int add(void *memory, size_t count, int type, int rank, communicator *comm,
               fake_stream *stream, int receives) {
    if (!made || type != 0 || made->count == CALLS || (on && on != stream)) {
        broken("a call outside of a group, not of bytes, too many, or on another stream");
        return SYSTEM_ERROR;
    }
    on = stream;
    comm->stream = comm->stream ? comm->stream : stream;
    mpi_of_calls = comm->mpi;
    made->call[made->count++] = (call){receives, rank, memory, count};
    return SUCCESS;
}

#ifndef FAKE_LACKS
int ncclSend(const void *memory, size_t count, int type, int rank, communicator *comm,
             fake_stream *stream) {
    return add((void *)(size_t)memory, count, type, rank, comm, stream, 0);
}
#endif

int ncclRecv(void *memory, size_t count, int type, int rank, communicator *comm,
             fake_stream *stream) {
    return add(memory, count, type, rank, comm, stream, 1);
}

const char *ncclGetErrorString(int code) {
    return code == SUCCESS ? "no error" : "the fake cannot join";
}
