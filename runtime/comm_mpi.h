/** @file comm_mpi.h  What the files that call MPI share. */
#ifndef PSG_RUNTIME_COMM_MPI_H
#define PSG_RUNTIME_COMM_MPI_H

#include "runtime/comm.h"
#include "runtime/request_mpi.h"

#include <stdio.h>

struct psg_comm {
    MPI_Comm mpi;
    int rank; /**< this process of mpi */
    int ranks;
    int *
        node; /**< [ranks] the processes of this node by their numbers in mpi, node_ranks of them */
    int node_rank;
    int node_ranks;
    double rate;          /**< see psg_comm_rate(); 0: not measured yet */
    unsigned users;       /**< psg_comm_start() without psg_comm_stop() */
    bool orphan;          /**< the caller's communicator is gone */
    double limit;         /**< seconds to wait for other processes; 0: as long as it takes */
    bool given_up;        /**< the limit was over once: nothing is asked of MPI any more */
    int have;             /**< is there memory for all of it? */
    char *room;           /**< for a few bytes of each process */
    MPI_Request *request; /**< [2 * ranks] */
    char words[256];      /**< of the latest failure */
};

/** Keep words for psg_comm_why(). */
static inline void psg_comm_say(psg_comm *comm, const char *words) {
    (void)snprintf(comm->words, sizeof comm->words, "%s", words);
}

/** Bytes that a process tells at once, at most. */
enum { PSG_COMM_ROOM = 592 };

/** Keep words for a result of MPI. @return is it a success, of a communicator that is not given up? */
bool psg_comm_done(psg_comm *comm, int result, const char *call);
/** Wait for requests, within the limit. @param[in] what  "to agree", after "waited 5 s for process 2"
 *  @return false: psg_comm_why() */
bool psg_comm_wait_for(psg_comm *comm, MPI_Request *request, int count, const char *what);
/** Collective: tell all processes at most PSG_COMM_ROOM bytes. What process r tells is at
 *  room + r * PSG_COMM_ROOM then. */
bool psg_comm_tell_all(psg_comm *comm, const void *mine, size_t bytes, const char *what);
/** Collective: MPI_Comm_dup(), within the limit. @return false: psg_comm_why() */
bool psg_comm_duplicate(psg_comm *comm, MPI_Comm from, MPI_Comm *copy);

struct psg_wire {
    MPI_Comm mpi; /**< of the messages */
    MPI_Datatype row;
    size_t row_bytes;
    MPI_Comm *lane;
    unsigned lanes;
};

#endif
