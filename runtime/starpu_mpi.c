/* StarPU-MPI is loaded when it is asked for, and in a scope of its own. StarPU looks for
 * starpu_mpi_world_rank() in what the program is linked with, calls it before anybody has started
 * StarPU-MPI, and so ends the program. */
#include "runtime/starpu_mpi.h"

#include "runtime/collectives.h"

#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct psg_starpu_wire {
    struct psg_starpu_wire *next;
    MPI_Comm mpi;
};

typedef int transfer(starpu_data_handle_t block, int rank, int64_t tag, MPI_Comm comm,
                     void (*ended)(void *), void *argument);

typedef union symbol {
    void *address;
    int (*init)(int *argc, char ***argv, int initialize_mpi, MPI_Comm comm);
    int (*shutdown)(MPI_Comm comm);
    transfer *carry;
    int (*finalized)(int *flag);
    int (*starpu)(struct starpu_conf *conf);
} symbol;

enum { INIT, SHUTDOWN, SEND, RECEIVE, FUNCTIONS };
static const char *const names[FUNCTIONS] = {"starpu_mpi_init_comm", "starpu_mpi_shutdown_comm",
                                             "starpu_mpi_isend_detached",
                                             "starpu_mpi_irecv_detached"};

typedef struct process_state {
    pthread_mutex_t lock;
    symbol function[FUNCTIONS]; /* stay, once they are found */
    unsigned users;
    /* Of plans that are gone. Until it stops, StarPU-MPI waits for messages on each communicator
     * that it has seen. */
    psg_starpu_wire *gone;
} process_state;

static process_state process = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The one of the StarPU that runs lies beside it. @return NULL: dlerror() has words */
static void *open_library(void) {
    static const char *const files[] = {"libstarpumpi-1.4.so", "libstarpumpi-1.4.so.3"};
    const symbol starpu = {.starpu = starpu_init};
    Dl_info beside = {.dli_fname = ""};
    void *library = NULL;
    (void)dladdr(starpu.address, &beside);
    const char *slash = strrchr(beside.dli_fname, '/');
    for (size_t n = 0; library == NULL && n < sizeof files / sizeof *files; n++) {
        char path[1024];
        (void)snprintf(path, sizeof path, "%.*s%s",
                       slash != NULL ? (int)(slash + 1 - beside.dli_fname) : 0, beside.dli_fname,
                       files[n]);
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL); /* never closed: it has had threads */
    }
    return library;
}

/* @return NULL: the functions are there; else why not */
static const char *load(void) {
    const symbol mpi = {.finalized = PMPI_Finalized};
    if (process.function[INIT].address != NULL) {
        return NULL;
    }
    if (dlsym(RTLD_DEFAULT, names[INIT]) != NULL) {
        return "this program has StarPU-MPI for itself";
    }
    void *library = open_library();
    if (library == NULL) {
        return dlerror();
    }
    if (dlsym(library, "PMPI_Finalized") != mpi.address) {
        return "the StarPU-MPI beside StarPU was built with another MPI";
    }
    for (int n = FUNCTIONS - 1; n >= 0; n--) { /* the first one says that all are there */
        process.function[n].address = dlsym(library, names[n]);
        if (process.function[n].address == NULL) {
            return dlerror();
        }
    }
    return NULL;
}

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
static const char *start(void) {
    (void)setenv("STARPU_MPI_NOBIND", "1", 0);
    const char *why = load();
    if (why == NULL && process.users == 0 &&
        process.function[INIT].init(NULL, NULL, 0, MPI_COMM_SELF) != 0) {
        why = "StarPU-MPI did not start";
    }
    process.users += why == NULL ? 1 : 0;
    return why;
}

static psg_starpu_wire *open_wire(char *words, size_t size) {
    psg_starpu_wire *wire = malloc(sizeof *wire);
    pthread_mutex_lock(&process.lock);
    const char *why = wire != NULL ? start() : "no memory for a communicator";
    (void)snprintf(words, size, "%s", why != NULL ? why : "");
    pthread_mutex_unlock(&process.lock);
    if (why != NULL) {
        free(wire);
        return NULL;
    }
    *wire = (psg_starpu_wire){.mpi = MPI_COMM_NULL};
    return wire;
}

static bool connect_wire(psg_starpu_wire *wire, psg_comm *comm) {
    return psg_comm_duplicate(comm, comm->own->mpi, &wire->mpi);
}

static void close_wire(psg_starpu_wire *wire) {
    psg_starpu_wire *gone = NULL;
    pthread_mutex_lock(&process.lock);
    wire->next = process.gone;
    process.gone = wire;
    if (--process.users == 0) {
        (void)process.function[SHUTDOWN].shutdown(MPI_COMM_SELF);
        gone = process.gone;
        process.gone = NULL;
    }
    pthread_mutex_unlock(&process.lock);
    free_wires(gone);
}

static int send(const psg_starpu_wire *wire, starpu_data_handle_t block, int rank, int tag,
                void (*ended)(void *), void *argument) {
    return process.function[SEND].carry(block, rank, tag, wire->mpi, ended, argument);
}

static int receive(const psg_starpu_wire *wire, starpu_data_handle_t block, int rank, int tag,
                   void (*ended)(void *), void *argument) {
    return process.function[RECEIVE].carry(block, rank, tag, wire->mpi, ended, argument);
}

const psg_starpu_mpi_table psg_starpu_mpi_loaded = {open_wire, connect_wire, close_wire, send,
                                                    receive};
