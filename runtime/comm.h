/** @file comm.h  MPI without mpi.h: what the processes that share a plan do together.
 *
 * Built without MPI (comm_absent.c), psg_comm_open() says so, and nothing below it is ever called. In a simulation
 * (comm_simulated.c) this is the one of several alike nodes that is simulated, and the others do as it does.
 * Functions marked collective are called by all processes of the communicator, in one order.
 */
#ifndef PSG_RUNTIME_COMM_H
#define PSG_RUNTIME_COMM_H

#include "runtime/request.h"

#include <stdbool.h>
#include <stddef.h>

/** "Open MPI v4.1.4"; NULL where the library was built without MPI. */
const char *psg_comm_version(void);
/** Does the MPI say that it sends from GPU memory? -1 without MPI. */
int psg_comm_cuda_aware(void);

/** The processes of a communicator; one for each communicator that plans were made on. */
typedef struct psg_comm psg_comm;

typedef enum psg_comm_result {
    PSG_COMM_OK = 0,
    PSG_COMM_ABSENT, /**< the library was built without MPI */
    PSG_COMM_STATE,  /**< MPI is not initialised, or not for threads, or is finalised */
    PSG_COMM_ARG,    /**< no communicator of ours */
    PSG_COMM_MEMORY, /**< a process has no memory for it */
    PSG_COMM_FAILED
} psg_comm_result;

/** Collective. @param[in]  mpi_comm  the address of an MPI_Comm, which may be freed afterwards
 *  @param[in]  limit  seconds to wait for other processes from now on, in all that is collective; 0:
 *                     as long as it takes. The largest of all processes' holds
 *  @param[out] comm   NULL after a failure. One failure leaves a communicator, by which the other processes can be told: MPI
 *                     has no threads in this process. The communicator is the library's, as long as the caller's communicator is there,
 *                     or somebody who called psg_comm_start() on it
 *  @param[out] words  why, size bytes */
psg_comm_result psg_comm_open(psg_comm **comm, const void *mpi_comm, double limit, char *words,
                              size_t size);

double psg_comm_limit(const psg_comm *comm);
/** Is the limit over? Then each collective function fails at once. A process that missed an answer would take it for the
 *  answer to its next question. */
bool psg_comm_given_up(const psg_comm *comm);
/** Give up. @param[in] whom  "process 2" @param[in] what  "to agree", after "waited 5 s for process 2" */
void psg_comm_give_up(psg_comm *comm, const char *whom, const char *what);
/** Why the latest collective function failed, or what is given up. */
const char *psg_comm_why(const psg_comm *comm);
/** "process 2", "processes 1, 3": those of `ranks` for which is(data, rank). */
void psg_comm_name_ranks(char *text, size_t size, int ranks, bool (*is)(const void *, int),
                         const void *data);

int psg_comm_rank(const psg_comm *comm);
int psg_comm_ranks(const psg_comm *comm);
/** Among the processes of this node: this one's number, and how many there are. */
void psg_comm_node(const psg_comm *comm, int *rank, int *ranks);
/** Collective over all nodes: `bytes` of each process of the node, at most 512, in the order of
 *  their numbers. @param[in] what  "to agree", after "waited 5 s for process 2"
 *  @return valid until the next collective function; NULL: psg_comm_why() */
const void *psg_comm_node_gather(psg_comm *comm, const void *mine, size_t bytes, const char *what);

enum { PSG_COMM_WORDS = 576 }; /**< bytes of a process' words and their line that others get */

/** Collective: 0 if `code` is 0 everywhere; else that of the lowest rank where it is not, whose
 *  words replace `words`. @param[out] rank  which one; -1 if `code` is 0 on none
 *  @return as said; -1: psg_comm_why(), which is in `words` too */
int psg_comm_agree(psg_comm *comm, int code, char *words, size_t size, int *rank);

/** Collective: each value becomes the largest of, or the sum over, all processes.
 *  @return false: psg_comm_why() */
bool psg_comm_max(psg_comm *comm, double *values, size_t count);
bool psg_comm_sum(psg_comm *comm, double *values, size_t count);

/** Collective: bytes per second that a process sends while all of them send to each other at
 *  once, the fastest process' best of some rounds; measured at the first call for a communicator.
 *  @return false: psg_comm_why() */
bool psg_comm_rate(psg_comm *comm, double *rate);

/** Start the thread that talks to MPI, and stop it, for all communicators; counted.
 *  psg_comm_stop() is collective, and may be the end of the communicator.
 *  @return false: no thread could be had */
bool psg_comm_start(psg_comm *comm);
void psg_comm_stop(psg_comm *comm);

/** How many tags MPI has for messages. */
size_t psg_comm_most_tags(void);

/** How a plan's data go between processes: a communicator of its own, rows of one length, and for
 *  MPI_Alltoallv a communicator for each lane, as collectives on one follow one another. */
typedef struct psg_wire psg_wire;

/** Collective. @param[in] lanes  0 without MPI_Alltoallv
 *  @return NULL: psg_comm_why() */
psg_wire *psg_wire_open(psg_comm *comm, size_t row_bytes, unsigned lanes);
/** Collective. NULL is fine. */
void psg_wire_close(psg_wire *wire);

/** Bytes of a row. */
size_t psg_wire_row_bytes(const psg_wire *wire);

/** Begin to send rows, end to end, to a process, or to receive them from there. Sender and receiver
 *  have the same tag. @return 0; a code for psg_comm_words() */
int psg_wire_send(const psg_wire *wire, const void *memory, size_t rows, int rank, int tag,
                  psg_request *request);
int psg_wire_receive(const psg_wire *wire, void *memory, size_t rows, int rank, int tag,
                     psg_request *request);

/** For MPI_Alltoallv: what goes to and from each process, in rows, and where it stands. [ranks]
 *  numbers each. */
typedef struct psg_alltoall_part {
    void *memory;
    int *count;
    int *first;
} psg_alltoall_part;

typedef struct psg_alltoall {
    psg_alltoall_part end[2]; /**< all goes from the first there, and from the second back */
    size_t lane;
} psg_alltoall;

/** Begin MPI_Ialltoallv on a lane. Collective. @return 0; a code for psg_comm_words() */
int psg_wire_alltoall(const psg_wire *wire, const psg_alltoall_part *from,
                      const psg_alltoall_part *to, size_t lane, psg_request *request);

/** What a code says. */
void psg_comm_words(int code, char *words, size_t size);

#endif
