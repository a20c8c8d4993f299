#include "codelets/comm_mpi.h"
#include "codelets/messenger.h"

#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

#include <pthread.h>
#include <sched.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *psg_comm_version(void) {
    static char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    if (version[0] == '\0' && MPI_Get_library_version(version, &length) == MPI_SUCCESS) {
        version[strcspn(version, ",\n")] = '\0';
    }
    return version;
}

int psg_comm_cuda_aware(void) {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
    return MPIX_Query_cuda_support();
#else
    return 0;
#endif
}

/* ------------------------------------------------------------------------------ communicators */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int attribute = MPI_KEYVAL_INVALID; /* of the caller's communicators: our psg_comm for it */
static unsigned started;                   /* what needs the messenger; under the lock */
static int hook = -1;                      /* StarPU's number of give_way(); under the lock */

static psg_comm_result check_mpi(char *words, size_t size) {
    int is = 0;
    if (MPI_Initialized(&is) != MPI_SUCCESS || !is) {
        (void)snprintf(words, size, "MPI is not initialised: call MPI_Init_thread() first");
        return PSG_COMM_STATE;
    }
    if (MPI_Finalized(&is) != MPI_SUCCESS || is) {
        (void)snprintf(words, size, "MPI is finalised");
        return PSG_COMM_STATE;
    }
    return PSG_COMM_OK;
}

static psg_comm_result check_level(char *words, size_t size) {
    int level = MPI_THREAD_SINGLE;
    if (MPI_Query_thread(&level) != MPI_SUCCESS || level < MPI_THREAD_MULTIPLE) {
        static const char *const names[] = {"SINGLE", "FUNNELED", "SERIALIZED"};
        const int m = level == MPI_THREAD_SERIALIZED ? 2 : level == MPI_THREAD_FUNNELED ? 1 : 0;
        (void)snprintf(words, size,
                       "MPI was initialised with MPI_THREAD_%s, and MPI_THREAD_MULTIPLE is needed: "
                       "messages have a thread of their own",
                       names[m]);
        return PSG_COMM_STATE;
    }
    return PSG_COMM_OK;
}

/* MPI has few communicators, 65536 at most in Open MPI. */
static void close_comm(psg_comm *comm) {
    int finalized = 0;
    if (MPI_Finalized(&finalized) == MPI_SUCCESS && !finalized) {
        MPI_Comm *const both[] = {&comm->node, &comm->mpi};
        for (int m = 0; m < 2; m++) {
            if (*both[m] != MPI_COMM_NULL) {
                (void)MPI_Comm_free(both[m]);
            }
        }
    }
    free(comm);
}

/* MPI calls it where the caller frees theirs, so all processes of it do. */
static int theirs_is_gone(MPI_Comm theirs, int key, void *value, void *extra) {
    psg_comm *comm = value;
    (void)theirs;
    (void)key;
    (void)extra;
    pthread_mutex_lock(&lock);
    comm->orphan = true;
    const bool last = comm->users == 0;
    pthread_mutex_unlock(&lock);
    if (last) {
        close_comm(comm);
    }
    return MPI_SUCCESS;
}

/* A duplicate of the caller's, so that nothing of ours meets anything of theirs. It stays as long as
 * theirs, for the next plan on the same. */
static psg_comm *duplicate(MPI_Comm theirs) {
    psg_comm *comm = malloc(sizeof *comm);
    if (comm == NULL) {
        return NULL;
    }
    *comm = (psg_comm){.mpi = MPI_COMM_NULL, .node = MPI_COMM_NULL};
    if (MPI_Comm_dup(theirs, &comm->mpi) != MPI_SUCCESS ||
        MPI_Comm_set_errhandler(comm->mpi, MPI_ERRORS_RETURN) != MPI_SUCCESS ||
        MPI_Comm_rank(comm->mpi, &comm->rank) != MPI_SUCCESS ||
        MPI_Comm_size(comm->mpi, &comm->ranks) != MPI_SUCCESS ||
        MPI_Comm_split_type(comm->mpi, MPI_COMM_TYPE_SHARED, comm->rank, MPI_INFO_NULL,
                            &comm->node) != MPI_SUCCESS) {
        close_comm(comm);
        return NULL;
    }
    (void)MPI_Comm_rank(comm->node, &comm->node_rank);
    (void)MPI_Comm_size(comm->node, &comm->node_ranks);
    const char *rank = getenv("PSG_FAKE_RANK");
    const char *ranks = getenv("PSG_FAKE_RANKS");
    if (comm->ranks == 1 && rank != NULL && ranks != NULL && atoi(ranks) > atoi(rank) &&
        atoi(rank) >= 0) {
        comm->fake = true;
        comm->rank = atoi(rank);
        comm->ranks = atoi(ranks);
    }
    return comm;
}

psg_comm_result psg_comm_open(psg_comm **result, const void *mpi_comm, char *words, size_t size) {
    const MPI_Comm theirs = *(const MPI_Comm *)mpi_comm;
    int is = 0;
    *result = NULL;
    const psg_comm_result state = check_mpi(words, size);
    if (state != PSG_COMM_OK) {
        return state;
    }
    if (theirs == MPI_COMM_NULL || MPI_Comm_test_inter(theirs, &is) != MPI_SUCCESS || is) {
        (void)snprintf(words, size, "options.comm is %s",
                       theirs == MPI_COMM_NULL ? "MPI_COMM_NULL" : "an inter-communicator");
        return PSG_COMM_ARG;
    }
    pthread_mutex_lock(&lock);
    if (attribute == MPI_KEYVAL_INVALID) {
        (void)MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, theirs_is_gone, &attribute, NULL);
    }
    pthread_mutex_unlock(&lock); /* what follows may wait for other processes */
    psg_comm *comm = NULL;
    int found = 0;
    if (MPI_Comm_get_attr(theirs, attribute, &comm, &found) != MPI_SUCCESS || !found) {
        comm = duplicate(theirs);
        if (comm != NULL) {
            (void)MPI_Comm_set_attr(theirs, attribute, comm);
        }
    }
    if (comm == NULL) {
        (void)snprintf(words, size, "MPI could not duplicate the communicator");
        return PSG_COMM_FAILED;
    }
    *result = comm;
    return check_level(words, size);
}

int psg_comm_rank(const psg_comm *comm) {
    return comm->rank;
}

int psg_comm_ranks(const psg_comm *comm) {
    return comm->ranks;
}

bool psg_comm_fake(const psg_comm *comm) {
    return comm->fake;
}

void psg_comm_node(const psg_comm *comm, int *rank, int *ranks) {
    *rank = comm->node_rank;
    *ranks = comm->node_ranks;
}

bool psg_comm_node_gather(const psg_comm *comm, const void *mine, void *all, size_t bytes) {
    return MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, comm->node) ==
           MPI_SUCCESS;
}

/* ------------------------------------------------------------------------------- agreement */

int psg_comm_agree(const psg_comm *comm, int code, char *words, size_t size, int *rank) {
    int ranks = 0;
    int mine = 0;
    (void)MPI_Comm_size(comm->mpi, &ranks);
    (void)MPI_Comm_rank(comm->mpi, &mine);
    int least[2] = {code != 0 ? mine : ranks, code != 0 ? 0 : -1};
    if (MPI_Allreduce(MPI_IN_PLACE, least, 2, MPI_INT, MPI_MIN, comm->mpi) != MPI_SUCCESS) {
        *rank = mine;
        (void)snprintf(words, size, "MPI_Allreduce failed");
        return -1;
    }
    if (least[0] == ranks) {
        return 0;
    }
    struct {
        int code;
        char words[512];
    } said = {.code = code};
    (void)snprintf(said.words, sizeof said.words, "%s", words);
    if (MPI_Bcast(&said, (int)sizeof said, MPI_BYTE, least[0], comm->mpi) != MPI_SUCCESS) {
        said.code = -1;
        (void)snprintf(said.words, sizeof said.words, "MPI_Bcast failed");
    }
    (void)snprintf(words, size, "%s", said.words);
    *rank = least[1] == 0 ? -1 : least[0];
    return said.code;
}

bool psg_comm_max(const psg_comm *comm, double *values, size_t count) {
    return MPI_Allreduce(MPI_IN_PLACE, values, (int)count, MPI_DOUBLE, MPI_MAX, comm->mpi) ==
           MPI_SUCCESS;
}

bool psg_comm_sum(const psg_comm *comm, double *values, size_t count) {
    return MPI_Allreduce(MPI_IN_PLACE, values, (int)count, MPI_DOUBLE, MPI_SUM, comm->mpi) ==
           MPI_SUCCESS;
}

/* ------------------------------------------------------------------------------- the rate */

/* To each other process, and from each: one round. */
static bool send_to_all(const psg_comm *comm, char *from, char *to, int bytes,
                        MPI_Request *request) {
    int count = 0;
    bool good = true;
    for (int d = 1; d < comm->ranks && good; d++) {
        const int source = (comm->rank + comm->ranks - d) % comm->ranks;
        good = MPI_Irecv(to + (size_t)source * (size_t)bytes, bytes, MPI_BYTE, source, 0, comm->mpi,
                         &request[count]) == MPI_SUCCESS;
        count += good ? 1 : 0;
    }
    for (int d = 1; d < comm->ranks && good; d++) {
        const int target = (comm->rank + d) % comm->ranks;
        good = MPI_Isend(from + (size_t)target * (size_t)bytes, bytes, MPI_BYTE, target, 0,
                         comm->mpi, &request[count]) == MPI_SUCCESS;
        count += good ? 1 : 0;
    }
    return MPI_Waitall(count, request, MPI_STATUSES_IGNORE) == MPI_SUCCESS && good;
}

/* Into comm->rate, this process' best. */
static bool measure_rate(psg_comm *comm) {
    enum { ROUNDS = 8, BYTES = 16 << 20, BYTES_MIN = 64 << 10 };
    const int each = BYTES / comm->ranks > BYTES_MIN ? BYTES / comm->ranks : BYTES_MIN;
    const size_t all = (size_t)each * (size_t)comm->ranks;
    char *from = calloc(all, 1);
    char *to = calloc(all, 1);
    MPI_Request *request = malloc(2 * (size_t)comm->ranks * sizeof *request);
    int good = from != NULL && to != NULL && request != NULL;
    good =
        MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, comm->mpi) == MPI_SUCCESS && good;
    for (int m = 0; m < ROUNDS && good; m++) {
        good = MPI_Barrier(comm->mpi) == MPI_SUCCESS;
        const double start = MPI_Wtime();
        good = good && send_to_all(comm, from, to, each, request);
        const double here = (double)each * (comm->ranks - 1) / (MPI_Wtime() - start);
        comm->rate = m > 0 && here > comm->rate ? here : comm->rate; /* the first one sets up */
    }
    free(from);
    free(to);
    free(request);
    return good && psg_comm_max(comm, &comm->rate, 1);
}

bool psg_comm_rate(psg_comm *comm, double *rate) {
    const bool known = comm->rate > 0 || measure_rate(comm);
    *rate = comm->rate;
    return known;
}

/* ------------------------------------------------------------------------------ the thread */

/* An idle worker of StarPU spins. Where the messages' thread has to share its core it would wait
 * for time slices, since MPI gives way while it looks; so the worker, which calls this whenever
 * it found nothing to do, gives way too. */
static unsigned give_way(void *argument) {
    (void)argument;
    (void)sched_yield();
    return 1;
}

bool psg_comm_start(psg_comm *comm) {
    pthread_mutex_lock(&lock);
    const bool running = started > 0 || psg_messenger_start();
    if (running && hook < 0) {
        hook = starpu_progression_hook_register(give_way, NULL);
    }
    started += running ? 1 : 0;
    comm->users += running ? 1 : 0;
    pthread_mutex_unlock(&lock);
    return running;
}

void psg_comm_stop(psg_comm *comm) {
    pthread_mutex_lock(&lock);
    const bool last = --comm->users == 0 && comm->orphan;
    if (--started == 0) {
        starpu_progression_hook_deregister(hook);
        hook = -1;
        psg_messenger_stop();
    }
    pthread_mutex_unlock(&lock);
    if (last) {
        close_comm(comm);
    }
}

size_t psg_comm_most_tags(void) {
    const int *most = NULL;
    int found = 0;
    return MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &found) == MPI_SUCCESS && found
               ? (size_t)*most
               : 32767; /* which the standard warrants */
}

/* -------------------------------------------------------------------------------- the wire */

psg_wire *psg_wire_open(const psg_comm *comm, size_t row_bytes, unsigned lanes) {
    psg_wire *wire = calloc(1, sizeof *wire);
    if (wire == NULL) {
        return NULL;
    }
    wire->row_bytes = row_bytes;
    wire->fake = comm->fake;
    wire->row = MPI_DATATYPE_NULL;
    wire->mpi = MPI_COMM_NULL;
    wire->lane = calloc(lanes + 1, sizeof *wire->lane);
    bool good = MPI_Comm_dup(comm->mpi, &wire->mpi) == MPI_SUCCESS && wire->lane != NULL &&
                MPI_Type_contiguous((int)row_bytes, MPI_BYTE, &wire->row) == MPI_SUCCESS &&
                MPI_Type_commit(&wire->row) == MPI_SUCCESS;
    for (; good && wire->lanes < lanes; wire->lanes += good ? 1 : 0) {
        good = MPI_Comm_dup(comm->mpi, &wire->lane[wire->lanes]) == MPI_SUCCESS;
    }
    if (!good) {
        psg_wire_close(wire);
        return NULL;
    }
    return wire;
}

void psg_wire_close(psg_wire *wire) {
    int finalized = 0;
    if (wire == NULL) {
        return;
    }
    if (MPI_Finalized(&finalized) == MPI_SUCCESS && !finalized) {
        if (wire->row != MPI_DATATYPE_NULL) {
            (void)MPI_Type_free(&wire->row);
        }
        if (wire->mpi != MPI_COMM_NULL) {
            (void)MPI_Comm_free(&wire->mpi);
        }
        for (unsigned m = 0; m < wire->lanes; m++) {
            (void)MPI_Comm_free(&wire->lane[m]);
        }
    }
    free(wire->lane);
    free(wire);
}

size_t psg_wire_row_bytes(const psg_wire *wire) {
    return wire->row_bytes;
}

/* One that plays a rank of many sends to nobody, and receives from nobody. */
int psg_wire_send(const psg_wire *wire, const void *memory, size_t rows, int rank, int tag,
                  psg_request *request) {
    request->mpi = MPI_REQUEST_NULL;
    return wire->fake
               ? MPI_SUCCESS
               : MPI_Isend(memory, (int)rows, wire->row, rank, tag, wire->mpi, &request->mpi);
}

int psg_wire_receive(const psg_wire *wire, void *memory, size_t rows, int rank, int tag,
                     psg_request *request) {
    request->mpi = MPI_REQUEST_NULL;
    return wire->fake
               ? MPI_SUCCESS
               : MPI_Irecv(memory, (int)rows, wire->row, rank, tag, wire->mpi, &request->mpi);
}

int psg_wire_alltoall(const psg_wire *wire, const psg_alltoall_part *from,
                      const psg_alltoall_part *to, size_t lane, psg_request *request) {
    return MPI_Ialltoallv(from->memory, from->count, from->first, wire->row, to->memory, to->count,
                          to->first, wire->row, wire->lane[lane], &request->mpi);
}

void psg_comm_words(int code, char *words, size_t size) {
    char said[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    (void)MPI_Error_string(code, said, &length);
    (void)snprintf(words, size, "%s", said);
}
