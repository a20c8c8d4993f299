/** @file starpu_mpi.h  StarPU-MPI as what carries blocks to other processes: it gets a block from
 * StarPU itself, and sends it by a thread of its own. */
#ifndef PSG_RUNTIME_STARPU_MPI_H
#define PSG_RUNTIME_STARPU_MPI_H

#include "runtime/comm.h"

#include <starpu.h>

/** A communicator for the messages of one plan. */
typedef struct psg_starpu_wire psg_starpu_wire;

typedef struct psg_starpu_mpi_table {
    /** Load StarPU-MPI and start it, in this process alone. StarPU runs. The first wire does, and
     *  others find it.
     *  @return NULL: the words, of `size` bytes, say why */
    psg_starpu_wire *(*open)(char *words, size_t size);
    /** Collective, once all processes have a wire. @return false: comm->words */
    bool (*connect)(psg_starpu_wire *wire, psg_comm *comm);
    /** Nothing is under way on the wire. The last wire of this process stops StarPU-MPI, which
     *  waits for all of StarPU's tasks. */
    void (*close)(psg_starpu_wire *wire);
    /** Submit that a block goes to another process, or comes from there, after the tasks that were
     *  submitted before. @param[in] ended  called when the block is StarPU's again
     *  @return 0; a negative error of StarPU's, and `ended` is not called */
    int (*send)(const psg_starpu_wire *wire, starpu_data_handle_t block, int rank, int tag,
                void (*ended)(void *), void *argument);
    int (*receive)(const psg_starpu_wire *wire, starpu_data_handle_t block, int rank, int tag,
                   void (*ended)(void *), void *argument);
} psg_starpu_mpi_table;

extern const psg_starpu_mpi_table psg_starpu_mpi_loaded;
/** NULL: without MPI, and in simulations. */
extern const psg_starpu_mpi_table *const psg_starpu_mpi;

#endif
