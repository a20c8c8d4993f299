/** @file collectives.h  What the processes of an MPI communicator tell each other, and how long
 * they wait for that.
 *
 * Without a limit these are MPI's blocking collective functions. With one, every process sends to
 * every other one, and looks at MPI until all has come or the limit is over: so it is known who did
 * not send. A communicator on which the limit was over is given up.
 */
#ifndef PSG_RUNTIME_COLLECTIVES_H
#define PSG_RUNTIME_COLLECTIVES_H

#include "runtime/comm.h"

#include <mpi.h>
#include <stdio.h>

/** What mpi_comm.c keeps for a communicator. */
struct psg_comm_own {
    MPI_Comm mpi;
    double rate;          /**< see psg_comm_table.rate; 0: not measured yet */
    unsigned users;       /**< started and not stopped */
    bool orphan;          /**< the caller's communicator is gone */
    int have;             /**< is there memory for all of it? */
    char *room;           /**< for a few bytes of each process */
    MPI_Request *request; /**< [2 * ranks] */
};

/** Keep words for a failure. */
static inline void psg_comm_say(psg_comm *comm, const char *words) {
    (void)snprintf(comm->words, sizeof comm->words, "%s", words);
}

/** Bytes that a process tells at once, at most. */
enum { PSG_COMM_ROOM = 592 };

/** Keep words for a result of MPI. @return is it a success, of a communicator that is not given up?
 */
bool psg_comm_done(psg_comm *comm, int result, const char *call);
/** Wait for requests, within the limit. @param[in] what  "to agree", after "waited 5 s for process
 * 2"
 *  @return false: comm->words */
bool psg_comm_wait_for(psg_comm *comm, MPI_Request *request, int count, const char *what);
/** Collective: tell all processes at most PSG_COMM_ROOM bytes. What process r tells is at
 *  room + r * PSG_COMM_ROOM then. */
bool psg_comm_tell_all(psg_comm *comm, const void *mine, size_t bytes, const char *what);
/** Collective: MPI_Comm_dup(), within the limit. @return false: comm->words */
bool psg_comm_duplicate(psg_comm *comm, MPI_Comm from, MPI_Comm *copy);

/** As the members of psg_comm_table. */
const void *psg_mpi_node_gather(psg_comm *comm, const void *mine, size_t bytes, const char *what);
int psg_mpi_agree(psg_comm *comm, int code, char *words, size_t size, int *rank);
bool psg_mpi_max(psg_comm *comm, double *values, size_t count);
bool psg_mpi_sum(psg_comm *comm, double *values, size_t count);

#endif
