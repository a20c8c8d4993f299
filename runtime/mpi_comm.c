/* Communicators by MPI. */
#include "runtime/collectives.h"
#include "runtime/messenger.h"
#include "runtime/mpi_channel.h"

#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

#include <pthread.h>
#include <sched.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct process_state {
    pthread_mutex_t lock;
    int attribute; /* of the caller's communicators: our psg_comm for it; under the lock, as all */
    unsigned started; /* what needs the messenger */
    int hook;         /* StarPU's number of give_way(); -1: none */
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
} process_state;

static process_state process = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .attribute = MPI_KEYVAL_INVALID, .hook = -1};

static const char *mpi_version(void) {
    int length = 0;
    pthread_mutex_lock(&process.lock);
    if (process.version[0] == '\0' &&
        MPI_Get_library_version(process.version, &length) == MPI_SUCCESS) {
        process.version[strcspn(process.version, ",\n")] = '\0';
    }
    pthread_mutex_unlock(&process.lock);
    return process.version;
}

static int cuda_aware(void) {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
    return MPIX_Query_cuda_support();
#else
    return 0;
#endif
}

/* ------------------------------------------------------------------------------ communicators */

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
static void free_parts(psg_comm *comm) {
    int finalized = 0;
    if (MPI_Finalized(&finalized) == MPI_SUCCESS && !finalized && comm->own->mpi != MPI_COMM_NULL) {
        (void)MPI_Comm_free(&comm->own->mpi);
    }
    free(comm->near);
    free(comm->own->room);
    free(comm->own->request);
}

/* A communicator that was given up is left as it is: MPI may still write to its room. */
static void close_comm(psg_comm *comm) {
    if (!comm->given_up) {
        free_parts(comm);
        free(comm);
    }
}

/* MPI calls it where the caller frees theirs, so all processes of it do. */
static int theirs_is_gone(MPI_Comm theirs, int key, void *value, void *extra) {
    psg_comm *comm = value;
    (void)theirs;
    (void)key;
    (void)extra;
    pthread_mutex_lock(&process.lock);
    comm->own->orphan = true;
    const bool last = comm->own->users == 0;
    pthread_mutex_unlock(&process.lock);
    if (last) {
        close_comm(comm);
    }
    return MPI_SUCCESS;
}

/* Processes that were told the same are on one node. Linux has a number for each start of a
 * machine; where it is not to be read the machine's name has to do. MPI_Comm_split_type() would
 * tell, too, but waits for other processes without a limit. Tests name nodes that they imitate on
 * one machine by PSG_TEST_NODE. */
static bool find_node(psg_comm *comm) {
    char own[MPI_MAX_PROCESSOR_NAME] = "";
    const char *imitated = getenv("PSG_TEST_NODE");
    int length = 0;
    _Static_assert(sizeof own <= PSG_COMM_ROOM, "a process can tell it");
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (file == NULL || fgets(own, sizeof own, file) == NULL) {
        (void)MPI_Get_processor_name(own, &length);
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    if (imitated != NULL) {
        (void)snprintf(own, sizeof own, "%s", imitated);
    }
    if (!psg_comm_tell_all(comm, own, sizeof own, "to tell on which node it is")) {
        return false;
    }
    for (int r = 0; r < comm->ranks; r++) {
        if (memcmp(comm->own->room + (size_t)r * PSG_COMM_ROOM, own, sizeof own) == 0) {
            comm->node_rank = r == comm->rank ? comm->node_ranks : comm->node_rank;
            comm->near[r] = comm->node_ranks++;
        } else {
            comm->near[r] = -1;
        }
    }
    return true;
}

static bool duplicate(psg_comm *comm, MPI_Comm theirs) {
    return psg_comm_duplicate(comm, theirs, &comm->own->mpi) &&
           MPI_Comm_set_errhandler(comm->own->mpi, MPI_ERRORS_RETURN) == MPI_SUCCESS &&
           MPI_Comm_rank(comm->own->mpi, &comm->rank) == MPI_SUCCESS &&
           MPI_Comm_size(comm->own->mpi, &comm->ranks) == MPI_SUCCESS;
}

/* `made` becomes a communicator, or its words say why there is none. */
static psg_comm_result make(psg_comm *made, bool lasts, MPI_Comm theirs) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (!duplicate(made, theirs)) {
        if (made->words[0] == '\0') {
            psg_comm_say(made, "MPI could not duplicate the communicator");
        }
        return PSG_COMM_FAILED;
    }
    made->own->room = malloc((size_t)made->ranks * PSG_COMM_ROOM);
    made->own->request = malloc(2 * (size_t)made->ranks * sizeof(MPI_Request));
    made->near = malloc((size_t)made->ranks * sizeof *made->near);
    made->own->have =
        lasts && made->own->room != NULL && made->own->request != NULL && made->near != NULL;
    if (!psg_comm_done(made,
                       MPI_Iallreduce(MPI_IN_PLACE, &made->own->have, 1, MPI_INT, MPI_MIN,
                                      made->own->mpi, &request),
                       "MPI_Iallreduce") ||
        !psg_comm_wait_for(made, &request, 1, "to tell if there is memory for a communicator")) {
        return PSG_COMM_FAILED;
    }
    if (!made->own->have) {
        psg_comm_say(made, "a process has no memory for a communicator");
        return PSG_COMM_MEMORY;
    }
    return find_node(made) &&
                   psg_comm_done(made, MPI_Comm_set_attr(theirs, process.attribute, made),
                                 "MPI_Comm_set_attr")
               ? PSG_COMM_OK
               : PSG_COMM_FAILED;
}

/* A process without memory for the structure takes part in all of it, with one that ends with this
 * function. MPI writes to the structure when others have come, so that process waits for them
 * without a limit. */
static psg_comm_result create(psg_comm **result, MPI_Comm theirs, double limit, char *words,
                              size_t size) {
    struct {
        psg_comm comm; /* first: who frees it frees all */
        struct psg_comm_own own;
    } on_stack, *lasting = calloc(1, sizeof *lasting),
                *whole = lasting != NULL ? lasting : &on_stack;
    psg_comm *made = &whole->comm;
    whole->own = (struct psg_comm_own){.mpi = MPI_COMM_NULL};
    *made = (psg_comm){.limit = lasting != NULL ? limit : 0, .own = &whole->own};
    const psg_comm_result state = make(made, lasting != NULL, theirs);
    *result = NULL;
    if (state == PSG_COMM_OK) {
        *result = made;
        // cppcheck-suppress memleak
        return state;
    }
    (void)snprintf(words, size, "%s", made->words);
    if (made->given_up) { /* MPI still writes to it */
        // cppcheck-suppress memleak
        return state;
    }
    free_parts(made);
    free(lasting);
    return state;
}

/* The longest limit of all: where they differ, all processes wait in the same way until that is
 * found. So this is told in the same way with a limit and without one. */
static bool agree_on_limit(psg_comm *comm, double limit) {
    comm->limit = limit;
    if (!psg_comm_tell_all(comm, &limit, sizeof limit, "to begin a plan")) {
        return false;
    }
    for (int r = 0; r < comm->ranks; r++) {
        double its = 0;
        memcpy(&its, comm->own->room + (size_t)r * PSG_COMM_ROOM, sizeof its);
        comm->limit = its > comm->limit ? its : comm->limit;
    }
    return true;
}

static psg_comm_result open_comm(psg_comm **result, const void *mpi_comm, double limit, char *words,
                                 size_t size) {
    const MPI_Comm theirs = *(const MPI_Comm *)mpi_comm;
    int is = 0;
    limit = limit > 0 ? limit : 0; /* one that is none of this process is refused later, by all */
    *result = NULL;
    psg_comm_result state = check_mpi(words, size);
    if (state != PSG_COMM_OK) {
        return state;
    }
    if (theirs == MPI_COMM_NULL || MPI_Comm_test_inter(theirs, &is) != MPI_SUCCESS || is) {
        (void)snprintf(words, size, "options.comm is %s",
                       theirs == MPI_COMM_NULL ? "MPI_COMM_NULL" : "an inter-communicator");
        return PSG_COMM_ARG;
    }
    pthread_mutex_lock(&process.lock);
    if (process.attribute == MPI_KEYVAL_INVALID) {
        (void)MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, theirs_is_gone, &process.attribute,
                                     NULL);
    }
    pthread_mutex_unlock(&process.lock); /* what follows may wait for other processes */
    psg_comm *comm = NULL;
    int found = 0;
    if (MPI_Comm_get_attr(theirs, process.attribute, &comm, &found) != MPI_SUCCESS || !found) {
        state = create(&comm, theirs, limit, words, size);
        if (state != PSG_COMM_OK) {
            return state;
        }
    }
    if (!agree_on_limit(comm, limit)) {
        (void)snprintf(words, size, "%s", comm->words);
        return PSG_COMM_FAILED;
    }
    *result = comm;
    return check_level(words, size);
}

/* ------------------------------------------------------------------------------- the rate */

/* One round: each process sends to every other one, and receives from it. */
static bool send_to_all(psg_comm *comm, char *from, char *to, int bytes, MPI_Request *request) {
    int count = 0;
    bool good = true;
    for (int d = 1; d < comm->ranks && good; d++) {
        const int source = (comm->rank + comm->ranks - d) % comm->ranks;
        good = MPI_Irecv(to + (size_t)source * (size_t)bytes, bytes, MPI_BYTE, source, 0,
                         comm->own->mpi, &request[count]) == MPI_SUCCESS;
        count += good ? 1 : 0;
    }
    for (int d = 1; d < comm->ranks && good; d++) {
        const int target = (comm->rank + d) % comm->ranks;
        good = MPI_Isend(from + (size_t)target * (size_t)bytes, bytes, MPI_BYTE, target, 0,
                         comm->own->mpi, &request[count]) == MPI_SUCCESS;
        count += good ? 1 : 0;
    }
    return psg_comm_wait_for(comm, request, count, "for messages that are measured") && good;
}

/* Processes wait for one another, so that all begin a round together. */
static bool meet(psg_comm *comm) {
    double nothing = 0;
    return comm->limit == 0 ? psg_comm_done(comm, MPI_Barrier(comm->own->mpi), "MPI_Barrier")
                            : psg_mpi_max(comm, &nothing, 1);
}

/* comm->own->rate becomes the rate of the fastest process in its best round. */
static bool measure_rate(psg_comm *comm) {
    enum { ROUNDS = 8, BYTES = 16 << 20, BYTES_MIN = 64 << 10 };
    const int each = BYTES / comm->ranks > BYTES_MIN ? BYTES / comm->ranks : BYTES_MIN;
    const size_t all = (size_t)each * (size_t)comm->ranks;
    char *from = calloc(all, 1);
    char *to = calloc(all, 1);
    MPI_Request *request = malloc(2 * (size_t)comm->ranks * sizeof *request);
    double missing = from == NULL || to == NULL || request == NULL;
    bool good = psg_mpi_max(comm, &missing, 1);
    if (good && missing > 0) {
        (void)snprintf(comm->words, sizeof comm->words, "no memory to measure messages");
        good = false;
    }
    for (int m = 0; m < ROUNDS && good; m++) {
        good = meet(comm);
        const double start = MPI_Wtime();
        good = good && send_to_all(comm, from, to, each, request);
        const double now = (double)each * (comm->ranks - 1) / (MPI_Wtime() - start);
        comm->own->rate =
            m > 0 && now > comm->own->rate ? now : comm->own->rate; /* the first one sets up */
    }
    if (comm->given_up) { /* MPI still has these */
        return false;
    }
    free(from);
    free(to);
    free(request);
    return good && psg_mpi_max(comm, &comm->own->rate, 1);
}

static bool find_rate(psg_comm *comm, double *rate) {
    const bool known = comm->own->rate > 0 || measure_rate(comm);
    *rate = comm->own->rate;
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

static bool start(psg_comm *comm) {
    pthread_mutex_lock(&process.lock);
    const bool running = process.started > 0 || psg_messenger_start();
    if (running && process.hook < 0) {
        process.hook = starpu_progression_hook_register(give_way, NULL);
    }
    process.started += running ? 1 : 0;
    comm->own->users += running ? 1 : 0;
    pthread_mutex_unlock(&process.lock);
    return running;
}

static void stop(psg_comm *comm) {
    pthread_mutex_lock(&process.lock);
    const bool last = --comm->own->users == 0 && comm->own->orphan;
    if (--process.started == 0) {
        starpu_progression_hook_deregister(process.hook);
        process.hook = -1;
        psg_messenger_stop();
    }
    pthread_mutex_unlock(&process.lock);
    if (last) {
        close_comm(comm);
    }
}

static size_t most_tags(void) {
    const int *most = NULL;
    int found = 0;
    return MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &found) == MPI_SUCCESS && found
               ? (size_t)*most
               : 32767; /* which the standard warrants */
}

const psg_comm_table psg_mpi_comms = {
    .version = mpi_version,
    .cuda_aware = cuda_aware,
    .open = open_comm,
    .node_gather = psg_mpi_node_gather,
    .agree = psg_mpi_agree,
    .max = psg_mpi_max,
    .sum = psg_mpi_sum,
    .rate = find_rate,
    .start = start,
    .stop = stop,
    .most_tags = most_tags,
    .carries = true,
    .connect = psg_mpi_connect,
    .disconnect = psg_mpi_disconnect,
    .send = psg_mpi_send,
    .receive = psg_mpi_receive,
    .alltoall = psg_mpi_alltoall,
    .words = psg_mpi_words,
    .post = psg_messenger_post,
    .drop = psg_messenger_drop,
};
