/** @file comm.h  MPI without mpi.h: what the processes that share a plan do together.
 *
 * Functions marked collective are called by all processes of the communicator, in one order. In a
 * simulation this process is the one of several alike nodes that is simulated, and the others do as
 * it does.
 */
#ifndef PSG_RUNTIME_COMM_H
#define PSG_RUNTIME_COMM_H

#include "runtime/request.h"

#include <stdbool.h>
#include <stddef.h>

/** The processes of a communicator; one for each communicator that plans were made on. */
typedef struct psg_comm {
    int rank; /**< of this process */
    int ranks;
    int node_rank; /**< among the processes of this node */
    int node_ranks;
    int *near; /**< [ranks]: the place of each among the processes of this node; -1: on another */
    double limit;    /**< seconds to wait for other processes; 0: as long as it takes */
    bool given_up;   /**< the limit was over once. Each collective function fails at once from then
                        on: a process that missed an answer would take it for the answer to its
                        next question */
    char words[256]; /**< why the latest collective function failed, or what is given up */
    struct psg_comm_own *own; /**< of who made it */
} psg_comm;

typedef enum psg_comm_result {
    PSG_COMM_OK = 0,
    PSG_COMM_ABSENT, /**< the library was built without MPI */
    PSG_COMM_STATE,  /**< MPI is not initialised, or not for threads, or is finalised */
    PSG_COMM_ARG,    /**< no communicator of ours */
    PSG_COMM_MEMORY, /**< a process has no memory for it */
    PSG_COMM_FAILED
} psg_comm_result;

/** The way of a plan's data between processes: a communicator for its messages, which consist of
 *  rows of one length. MPI_Alltoallv has a communicator for each lane, because collectives on one
 *  communicator follow one another. */
typedef struct psg_channel psg_channel;

/** The rows of a message: `layers` times `runs` times `rows` of them. Runs begin `pitch` rows
 *  apart, and layers `layer_pitch`. */
typedef struct psg_stripes {
    size_t unit; /**< bytes of a row; 0: it is the channel's */
    size_t rows, runs, pitch, layers, layer_pitch;
} psg_stripes;

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

enum { PSG_COMM_WORDS = 576 }; /**< bytes of a process' words and their line that others get */

/** Processes by MPI, or the nodes of a simulation. NULL for a function with one of the same name
 * below: alone. */
typedef struct psg_comm_table {
    const char *(*version)(void);
    int (*cuda_aware)(void);
    psg_comm_result (*open)(psg_comm **comm, const void *mpi_comm, double limit, char *words,
                            size_t size);
    const void *(*node_gather)(psg_comm *comm, const void *mine, size_t bytes, const char *what);
    int (*agree)(psg_comm *comm, int code, char *words, size_t size, int *rank);
    bool (*max)(psg_comm *comm, double *values, size_t count);
    bool (*sum)(psg_comm *comm, double *values, size_t count);
    /** Collective: bytes per second that a process sends while all of them send to each other at
     *  once, the fastest process' best of some rounds; measured at the first call for a
     * communicator.
     *  @return false: comm->words */
    bool (*rate)(psg_comm *comm, double *rate);
    /** Start the thread that carries messages, and stop it, for all communicators; counted.
     *  Stop is collective, and may be the end of the communicator.
     *  @return false: no thread could be had */
    bool (*start)(psg_comm *comm);
    void (*stop)(psg_comm *comm);
    /** How many tags there are for messages. */
    size_t (*most_tags)(void);
    /** Messages carry what is in memory; else they take time alone. */
    bool carries;

    /** Collective. @param[in] lanes  0 without MPI_Alltoallv
     *  @return NULL: comm->words */
    psg_channel *(*connect)(psg_comm *comm, size_t row_bytes, unsigned lanes);
    /** Collective. */
    void (*disconnect)(psg_channel *channel);
    /** Begin to send rows to a process, or to receive them from there. Sender and receiver have the
     * same tag, and as many rows. @return 0; a code for words */
    int (*send)(const psg_channel *channel, const void *memory, const psg_stripes *stripes,
                int rank, int tag, psg_operation *operation);
    int (*receive)(const psg_channel *channel, void *memory, const psg_stripes *stripes, int rank,
                   int tag, psg_operation *operation);
    /** Begin MPI_Ialltoallv on a lane. Collective. @return 0; a code for words */
    int (*alltoall)(const psg_channel *channel, const psg_alltoall_part *from,
                    const psg_alltoall_part *to, size_t lane, psg_operation *operation);
    /** What a code says. */
    void (*words)(int code, char *words, size_t size);

    /** Hand a request to the thread that carries messages. From any thread; returns at once. */
    void (*post)(psg_request *request);
    /** End what is under way for an owner, with the code PSG_COMM_GIVEN_UP, though MPI may still
     * read and write its memory. Returns when that is done. @return how many */
    size_t (*drop)(const void *owner);
} psg_comm_table;

/** Those of mpi_comm.c and comm_simulated.c, where these are built. */
extern const psg_comm_table psg_mpi_comms, psg_simulated_comms;

/** NULL: built without MPI, and there is no communicator. */
extern const psg_comm_table *const psg_comms;

/** "Open MPI v4.1.4"; NULL where the library was built without MPI. */
const char *psg_comm_version(void);
/** Does the MPI say that it sends from GPU memory? -1 without MPI. */
int psg_comm_cuda_aware(void);

/** Collective. @param[in]  mpi_comm  the address of an MPI_Comm, which may be freed afterwards
 *  @param[in]  limit  seconds to wait for other processes from now on, in all that is collective;
 * 0: as long as it takes. The largest of all processes' holds
 *  @param[out] comm   NULL after a failure. One failure leaves a communicator, by which the other
 * processes can be told: MPI has no threads in this process. The communicator is the library's, as
 * long as the caller's communicator is there, or somebody who called psg_comm_table.start on it
 *  @param[out] words  why, size bytes */
psg_comm_result psg_comm_open(psg_comm **comm, const void *mpi_comm, double limit, char *words,
                              size_t size);

/** Give up. @param[in] whom  "process 2" @param[in] what  "to agree", after "waited 5 s for process
 * 2" */
void psg_comm_give_up(psg_comm *comm, const char *whom, const char *what);
/** "process 2", "processes 1, 3": those of `ranks` for which is(data, rank). */
void psg_comm_name_ranks(char *text, size_t size, int ranks, bool (*is)(const void *, int),
                         const void *data);

/** Collective over all nodes: `bytes` of each process of the node, at most 512, in the order of
 *  their numbers. @param[in] what  "to agree", after "waited 5 s for process 2"
 *  @return valid until the next collective function; NULL: comm->words */
const void *psg_comm_node_gather(psg_comm *comm, const void *mine, size_t bytes, const char *what);

/** Collective: 0 if `code` is 0 everywhere; else that of the lowest rank where it is not, whose
 *  words replace `words`. @param[out] rank  which one; -1 if `code` is 0 on none
 *  @return as said; -1: comm->words, which are in `words` too */
int psg_comm_agree(psg_comm *comm, int code, char *words, size_t size, int *rank);

/** Collective: each value becomes the largest of, or the sum over, all processes.
 *  @return false: comm->words */
bool psg_comm_max(psg_comm *comm, double *values, size_t count);
bool psg_comm_sum(psg_comm *comm, double *values, size_t count);

#endif
