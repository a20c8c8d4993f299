#include "runtime/starpu_mpi.h"

#include "runtime/collectives.h"

#include <pthread.h>
#include <starpu_mpi.h>
#include <stdlib.h>

struct psg_starpu_wire {
    struct psg_starpu_wire *next;
    MPI_Comm mpi;
};

typedef struct process_state {
    pthread_mutex_t lock;
    unsigned users;
    /* Of plans that are gone. Until it stops, StarPU-MPI waits for messages on each communicator
     * that it has seen. */
    psg_starpu_wire *gone;
} process_state;

static process_state process = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void free_wires(psg_starpu_wire *wire) {
    int finalized = 0;
    (void)MPI_Finalized(&finalized);
    while (wire != NULL) {
        psg_starpu_wire *next = wire->next;
        if (!finalized && wire->mpi != MPI_COMM_NULL) {
            (void)MPI_Comm_free(&wire->mpi);
        }
        free(wire);
        wire = next;
    }
}

/* Processes start and stop StarPU-MPI at different times, as each has other plans: so its own
 * communicator is that of this process alone. Its thread has no core of its own, as the cores are
 * psg's workers'. */
static bool start(void) {
    (void)setenv("STARPU_MPI_NOBIND", "1", 0);
    pthread_mutex_lock(&process.lock);
    const bool good = process.users > 0 || starpu_mpi_init_comm(NULL, NULL, 0, MPI_COMM_SELF) == 0;
    process.users += good ? 1 : 0;
    pthread_mutex_unlock(&process.lock);
    return good;
}

static void disconnect(psg_starpu_wire *wire) {
    psg_starpu_wire *gone = NULL;
    pthread_mutex_lock(&process.lock);
    wire->next = process.gone;
    process.gone = wire;
    if (--process.users == 0) {
        (void)starpu_mpi_shutdown_comm(MPI_COMM_SELF);
        gone = process.gone;
        process.gone = NULL;
    }
    pthread_mutex_unlock(&process.lock);
    free_wires(gone);
}

static psg_starpu_wire *connect_wire(psg_comm *comm) {
    psg_starpu_wire *wire = malloc(sizeof *wire);
    double missing = wire == NULL || !start();
    const bool started = missing == 0;
    if (wire != NULL) {
        *wire = (psg_starpu_wire){.mpi = MPI_COMM_NULL};
    }
    bool good = psg_mpi_max(comm, &missing, 1);
    if (good && missing > 0) {
        psg_comm_say(comm, "StarPU-MPI did not start");
        good = false;
    }
    if (good && wire != NULL && psg_comm_duplicate(comm, comm->own->mpi, &wire->mpi)) {
        return wire;
    }
    if (started) {
        disconnect(wire);
    } else {
        free(wire);
    }
    return NULL;
}

static int send(const psg_starpu_wire *wire, starpu_data_handle_t block, int rank, int tag,
                void (*ended)(void *), void *argument) {
    return starpu_mpi_isend_detached(block, rank, tag, wire->mpi, ended, argument);
}

static int receive(const psg_starpu_wire *wire, starpu_data_handle_t block, int rank, int tag,
                   void (*ended)(void *), void *argument) {
    return starpu_mpi_irecv_detached(block, rank, tag, wire->mpi, ended, argument);
}

const psg_starpu_mpi_table psg_starpu_mpi_built = {connect_wire, disconnect, send, receive};
