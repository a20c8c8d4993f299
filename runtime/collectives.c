#include "runtime/collectives.h"

#include "base/tuning.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ROOM = PSG_COMM_ROOM, TAG_TOLD = 1 };

/* Keep words for a result of MPI. */
bool psg_comm_done(psg_comm *comm, int result, const char *call) {
    if (result != MPI_SUCCESS && !comm->given_up) {
        (void)snprintf(comm->words, sizeof comm->words, "%s failed", call);
    }
    return result == MPI_SUCCESS && !comm->given_up;
}

/* The one place where this process waits for others inside of MPI, but for collective calls without
 * a limit. @return 1: all requests are done; 0: the limit is over; -1: MPI failed */
static int finish(const psg_comm *comm, MPI_Request *request, int count) {
    const struct timespec nap = {0, TUNING_AGREE_NAP_NANOSECONDS};
    const double until = MPI_Wtime() + comm->limit;
    int all = 0;
    if (comm->limit == 0) {
        return MPI_Waitall(count, request, MPI_STATUSES_IGNORE) == MPI_SUCCESS ? 1 : -1;
    }
    for (int looks = 0; all == 0; looks++) {
        if (MPI_Testall(count, request, &all, MPI_STATUSES_IGNORE) != MPI_SUCCESS) {
            return -1;
        }
        if (all == 0 && MPI_Wtime() > until) {
            return 0;
        }
        if (all == 0 && looks > TUNING_AGREE_LOOKS) {
            (void)nanosleep(&nap, NULL);
        } else {
            (void)sched_yield();
        }
    }
    return 1;
}

/* Where MPI does not say which process did not come. */
bool psg_comm_wait_for(psg_comm *comm, MPI_Request *request, int count, const char *what) {
    const int result = finish(comm, request, count);
    if (result == 0) {
        psg_comm_give_up(comm, "the other processes", what);
    }
    return psg_comm_done(comm, result > 0 ? MPI_SUCCESS : MPI_ERR_OTHER, "MPI_Testall");
}

/* Has the message of a process not come? The first requests are the receives, from the next process
 * on. */
static bool is_missing(const void *data, int rank) {
    const psg_comm *comm = data;
    int came = 1;
    if (rank != comm->rank) {
        const int turn = (rank - comm->rank + comm->ranks) % comm->ranks - 1;
        (void)MPI_Test(&comm->own->request[turn], &came, MPI_STATUS_IGNORE);
    }
    return came == 0;
}

/* Every process tells every other one: so a limit ends with the names of those who did not. */
bool psg_comm_tell_all(psg_comm *comm, const void *mine, size_t bytes, const char *what) {
    char *own = comm->own->room + (size_t)comm->rank * ROOM;
    int count = 0;
    bool good = true;
    if (comm->given_up) {
        return false;
    }
    memcpy(own, mine, bytes);
    for (int turn = 1; turn < comm->ranks && good; turn++) {
        const int peer = (comm->rank + turn) % comm->ranks;
        good = MPI_Irecv(comm->own->room + (size_t)peer * ROOM, (int)bytes, MPI_BYTE, peer,
                         TAG_TOLD, comm->own->mpi, &comm->own->request[count++]) == MPI_SUCCESS;
    }
    for (int turn = 1; turn < comm->ranks && good; turn++) {
        good = MPI_Isend(own, (int)bytes, MPI_BYTE, (comm->rank + turn) % comm->ranks, TAG_TOLD,
                         comm->own->mpi, &comm->own->request[count++]) == MPI_SUCCESS;
    }
    const int result = good ? finish(comm, comm->own->request, count) : -1;
    if (result == 0) {
        char whom[160];
        psg_comm_name_ranks(whom, sizeof whom, comm->ranks, is_missing, comm);
        psg_comm_give_up(comm, whom, what);
    }
    return psg_comm_done(comm, result > 0 ? MPI_SUCCESS : MPI_ERR_OTHER, "a message of MPI's");
}

/* Each value becomes the largest of, or the sum over, all processes. Sums are the same everywhere:
 * they are made in the order of the processes. */
static bool reduce(psg_comm *comm, double *values, size_t count, MPI_Op op, const char *what) {
    enum { PIECE = ROOM / sizeof(double) };
    if (comm->limit == 0 && !comm->given_up) {
        return psg_comm_done(
            comm, MPI_Allreduce(MPI_IN_PLACE, values, (int)count, MPI_DOUBLE, op, comm->own->mpi),
            "MPI_Allreduce");
    }
    for (size_t first = 0; first < count; first += PIECE) {
        const size_t piece = count - first < PIECE ? count - first : PIECE;
        if (!psg_comm_tell_all(comm, values + first, piece * sizeof *values, what)) {
            return false;
        }
        memcpy(values + first, comm->own->room, piece * sizeof *values);
        for (int r = 1; r < comm->ranks; r++) {
            double its[PIECE];
            memcpy(its, comm->own->room + (size_t)r * ROOM, piece * sizeof *its);
            for (size_t m = 0; m < piece; m++) {
                double *value = &values[first + m];
                *value = op == MPI_SUM ? *value + its[m] : its[m] > *value ? its[m] : *value;
            }
        }
    }
    return true;
}

bool psg_comm_duplicate(psg_comm *comm, MPI_Comm from, MPI_Comm *copy) {
    MPI_Request request = MPI_REQUEST_NULL;
    return !comm->given_up &&
           psg_comm_done(comm, MPI_Comm_idup(from, copy, &request), "MPI_Comm_idup") &&
           psg_comm_wait_for(comm, &request, 1, "to duplicate a communicator");
}

/* ------------------------------------------------------------------------------- agreement */

const void *psg_mpi_node_gather(psg_comm *comm, const void *mine, size_t bytes, const char *what) {
    const bool waits = comm->limit == 0 && !comm->given_up;
    const size_t stride = waits ? bytes : ROOM;
    if (waits ? !psg_comm_done(comm,
                               MPI_Allgather(mine, (int)bytes, MPI_BYTE, comm->own->room,
                                             (int)bytes, MPI_BYTE, comm->own->mpi),
                               "MPI_Allgather")
              : !psg_comm_tell_all(comm, mine, bytes, what)) {
        return NULL;
    }
    for (int r = 0; r < comm->ranks; r++) {
        if (comm->near[r] >= 0) {
            memmove(comm->own->room + (size_t)comm->near[r] * bytes,
                    comm->own->room + (size_t)r * stride, bytes);
        }
    }
    return comm->own->room;
}

static bool broadcast(psg_comm *comm, void *data, size_t bytes, int root) {
    if (comm->limit == 0 && !comm->given_up) {
        return psg_comm_done(comm, MPI_Bcast(data, (int)bytes, MPI_BYTE, root, comm->own->mpi),
                             "MPI_Bcast");
    }
    const bool told = psg_comm_tell_all(comm, data, bytes, "to tell why it failed");
    if (told) {
        memcpy(data, comm->own->room + (size_t)root * ROOM, bytes);
    }
    return told;
}

/* Each number becomes the least of all processes. */
static bool take_least(psg_comm *comm, int least[2]) {
    if (comm->limit == 0 && !comm->given_up) {
        return psg_comm_done(
            comm, MPI_Allreduce(MPI_IN_PLACE, least, 2, MPI_INT, MPI_MIN, comm->own->mpi),
            "MPI_Allreduce");
    }
    if (!psg_comm_tell_all(comm, least, 2 * sizeof *least, "to agree how it went")) {
        return false;
    }
    for (int r = 0; r < comm->ranks; r++) {
        int its[2];
        memcpy(its, comm->own->room + (size_t)r * ROOM, sizeof its);
        least[0] = its[0] < least[0] ? its[0] : least[0];
        least[1] = its[1] < least[1] ? its[1] : least[1];
    }
    return true;
}

int psg_mpi_agree(psg_comm *comm, int code, char *words, size_t size, int *rank) {
    struct {
        int code;
        char words[PSG_COMM_WORDS];
    } said = {.code = code};
    _Static_assert(sizeof said <= ROOM, "there is room for the words of each process");
    int least[2] = {code != 0 ? comm->rank : comm->ranks, code != 0 ? 0 : -1};
    (void)snprintf(said.words, sizeof said.words, "%s", words);
    *rank = comm->rank;
    const bool known = take_least(comm, least);
    if (known && least[0] == comm->ranks) {
        return 0;
    }
    if (!known || !broadcast(comm, &said, sizeof said, least[0])) {
        (void)snprintf(words, size, "%s", comm->words);
        return -1;
    }
    (void)snprintf(words, size, "%s", said.words);
    *rank = least[1] == 0 ? -1 : least[0];
    return said.code;
}

bool psg_mpi_max(psg_comm *comm, double *values, size_t count) {
    return reduce(comm, values, count, MPI_MAX, "for its part of a maximum");
}

bool psg_mpi_sum(psg_comm *comm, double *values, size_t count) {
    return reduce(comm, values, count, MPI_SUM, "for its part of a sum");
}
