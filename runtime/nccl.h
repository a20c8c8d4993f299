/** @file nccl.h  NCCL as what carries blocks between GPUs of processes. What goes and comes
 * together is a round. All processes have their rounds in the same order, because NCCL's calls at
 * both ends must have it. */
#ifndef PSG_RUNTIME_NCCL_H
#define PSG_RUNTIME_NCCL_H

#include "runtime/comm.h"

/** NCCL's communicator for the blocks of one plan, and the rounds on it. */
typedef struct psg_nccl_wire psg_nccl_wire;

/** Part of its owner's structure. The owner sets put, ended, missing and what is of no other use in
 *  the request: owner and hurried. */
typedef struct psg_round {
    psg_request request; /* first: it stands for the whole */
    psg_nccl_wire *wire;
    struct psg_round *next;
    size_t missing; /**< blocks that StarPU has not given yet; under the wire's lock */
    size_t mark;    /**< on the stream, behind it */
    /** Call send() and receive() for each block. @return 0; the first code that is not 0 */
    int (*put)(struct psg_round *round);
    /** It is over. @param[in] code  0; one for words() */
    void (*ended)(struct psg_round *round, int code);
} psg_round;

typedef struct psg_nccl_table {
    /** Load NCCL, in this process alone. @param[in] device  for all blocks
     *  @return NULL: the words, of `size` bytes, say why */
    psg_nccl_wire *(*open)(int device, char *words, size_t size);
    /** Collective, once all processes have a wire.
     *  @return false, on all of them: the words say why */
    bool (*connect)(psg_nccl_wire *wire, psg_comm *comm, char *words, size_t size);
    /** No round is under way. */
    void (*close)(psg_nccl_wire *wire);
    /** A round comes after those that this was called for before. */
    void (*begin)(psg_nccl_wire *wire, psg_round *round);
    /** StarPU has given one of its blocks. */
    void (*ready)(psg_round *round);
    int (*send)(const psg_nccl_wire *wire, const void *memory, size_t bytes, int rank);
    int (*receive)(const psg_nccl_wire *wire, void *memory, size_t bytes, int rank);
    void (*words)(const psg_nccl_wire *wire, int code, char *words, size_t size);
    /** Collective, while no round is under way: as psg_comm_table.rate, from GPU to GPU. 0: there
     *  is no memory to measure it. @return false: the words of the psg_comm */
    bool (*rate)(psg_nccl_wire *wire, double *rate);
} psg_nccl_table;

extern const psg_nccl_table psg_nccl_loaded;
/** NULL: without MPI, and in simulations. */
extern const psg_nccl_table *const psg_nccl;

#endif
