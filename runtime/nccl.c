/* NCCL is loaded when it is asked for, and psg needs no header of it.
 *
 *   submission    begin(0) begin(1) begin(2)         the order on all processes
 *   StarPU        ready(0) .. ready(2) .. ready(1)   its blocks are there
 *   messenger     group(0)           group(1) group(2)
 *
 * A group of calls is on the stream as soon as its round is the next one and its blocks are there,
 * though groups before it are under way. No more than PSG_SIDE_MARKS are. The messenger alone calls
 * NCCL, once the communicator is made, and looks at the marks. */
#include "runtime/nccl.h"

#include "base/clock.h"
#include "base/tuning.h"
#include "runtime/collectives.h"
#include "runtime/device.h"
#include "runtime/side_stream.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Of nccl.h, all versions since 2.7. */
enum { NCCL_SUCCESS = 0, NCCL_CUDA_ERROR = 1, NCCL_IN_PROGRESS = 7, NCCL_BYTES = 0 };
enum { FIRST_VERSION = 2700 }; /* 2.7.0; 2.9.0 is 20900 */
typedef struct unique_id {
    char bytes[128];
} unique_id;

/* A code of ours. */
enum { NOT_JOINED = 1000 };

typedef union symbol {
    void *address;
    int (*number)(int *);
    int (*id)(unique_id *);
    int (*join)(void **, int ranks, unique_id, int rank);
    int (*end)(void *);
    int (*error)(void *, int *);
    int (*group)(void);
    int (*send)(const void *, size_t count, int type, int rank, void *comm, void *stream);
    int (*receive)(void *, size_t count, int type, int rank, void *comm, void *stream);
    const char *(*words)(int);
} symbol;

enum { VERSION, ID, JOIN, ABORT, ERROR, START, END, SEND, RECEIVE, WORDS, FUNCTIONS };
static const char *const names[FUNCTIONS] = {"ncclGetVersion",
                                             "ncclGetUniqueId",
                                             "ncclCommInitRank",
                                             "ncclCommAbort",
                                             "ncclCommGetAsyncError",
                                             "ncclGroupStart",
                                             "ncclGroupEnd",
                                             "ncclSend",
                                             "ncclRecv",
                                             "ncclGetErrorString"};

struct psg_nccl_wire {
    symbol function[FUNCTIONS];
    psg_comm *processes;
    int device;
    psg_side_stream stream;
    void *comm; /* NULL: none yet, or aborted */
    int failed; /* why it was aborted */
    size_t marked;
    double rate; /* 0: not measured yet */

    pthread_mutex_t lock;
    psg_round *first; /* that are not on the stream */
    psg_round *last;
    size_t under_way;

    unique_id id;                 /* of the communicator, */
    int (*step)(psg_nccl_wire *); /* a step of making it, on a thread of its own, */
    int code;                     /* and what comes of it */
    atomic_bool done;
    bool left; /* the thread was late, and nobody waits for it */
};

/* ---------------------------------------------------------------------------- one process */

static bool load(psg_nccl_wire *w, char *words, size_t size) {
    int version = 0;
    void *library =
        dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL); /* never closed: it has threads */
    for (int n = 0; n < FUNCTIONS && library != NULL; n++) {
        w->function[n].address = dlsym(library, names[n]);
        library = w->function[n].address != NULL ? library : NULL;
    }
    if (library == NULL) {
        (void)snprintf(words, size, "%s", dlerror());
    } else if (w->function[VERSION].number(&version) != NCCL_SUCCESS || version < FIRST_VERSION) {
        (void)snprintf(words, size, "NCCL %d.%d.%d is too old: 2.7 has ncclSend()", version / 1000,
                       version / 100 % 10, version % 100);
        library = NULL;
    }
    return library != NULL;
}

static psg_nccl_wire *open_wire(int device, char *words, size_t size) {
    psg_nccl_wire *w = calloc(1, sizeof *w);
    if (w == NULL || !load(w, words, size)) {
        (void)(w == NULL ? snprintf(words, size, "no memory for a communicator") : 0);
        free(w);
        return NULL;
    }
    w->device = device;
    pthread_mutex_init(&w->lock, NULL);
    return w;
}

static void words_of(const psg_nccl_wire *w, int code, char *words, size_t size) {
    (void)snprintf(words, size, "%s",
                   code == PSG_COMM_GIVEN_UP ? "it was given up"
                   : code == NOT_JOINED      ? "the others did not join the communicator in time"
                                             : w->function[WORDS].words(code));
}

static int send(const psg_nccl_wire *w, const void *memory, size_t bytes, int rank) {
    return w->comm == NULL
               ? w->failed
               : w->function[SEND].send(memory, bytes, NCCL_BYTES, rank, w->comm, w->stream.stream);
}

static int receive(const psg_nccl_wire *w, void *memory, size_t bytes, int rank) {
    return w->comm == NULL ? w->failed
                           : w->function[RECEIVE].receive(memory, bytes, NCCL_BYTES, rank, w->comm,
                                                          w->stream.stream);
}

/* Set the next mark, behind a group. @return a code */
static int end_group(psg_nccl_wire *w, int code, size_t *mark) {
    const int ended = w->function[END].group();
    code = code != 0 ? code : ended;
    *mark = w->marked++ % PSG_SIDE_MARKS;
    return code != 0 || psg_side_streams->set(&w->stream, *mark) ? code : NCCL_CUDA_ERROR;
}

/* @return a code; PSG_COMM_UNDER_WAY */
static int look_at(const psg_nccl_wire *w, size_t mark) {
    const int passed = psg_side_streams->passed(&w->stream, mark);
    int error = NCCL_SUCCESS;
    if (passed == 0) {
        const int code = w->function[ERROR].error(w->comm, &error);
        error = code != 0 ? code : error;
    }
    return passed > 0                                           ? 0
           : passed < 0                                         ? NCCL_CUDA_ERROR
           : error == NCCL_SUCCESS || error == NCCL_IN_PROGRESS ? PSG_COMM_UNDER_WAY
                                                                : error;
}

/* ------------------------------------------------------------------------------- all of them */

/* Rounds on the stream end now, whatever the other processes do. Solves that ended well have none
 * on any process. */
static void give_up(psg_nccl_wire *w, int code) {
    if (w->comm != NULL) {
        w->failed = code;
        (void)w->function[ABORT].end(w->comm);
        w->comm = NULL;
    }
}

static void nap(void) {
    (void)nanosleep(&(struct timespec){0, 100000}, NULL);
}

/* Seconds of a step that all processes take. */
static double limit_of(const psg_comm *comm) {
    return comm->limit > 0 ? comm->limit / 2 : TUNING_NCCL_JOIN_SECONDS;
}

/* So many bytes to each process and from each, so many times. */
static int greet_all(psg_nccl_wire *w, size_t bytes, int times) {
    const psg_comm *comm = w->processes;
    size_t mark = 0;
    int code = 0;
    for (int m = 0; m < times && code == 0; m++) {
        code = w->function[START].group();
        for (int r = 0; r < comm->ranks && code == 0; r++) {
            char *memory = (char *)w->stream.memory + 2 * (size_t)r * bytes;
            code = r != comm->rank ? send(w, memory, bytes, r) : 0;
            code = r != comm->rank && code == 0 ? receive(w, memory + bytes, bytes, r) : code;
        }
        code = end_group(w, code, &mark);
    }
    const double until = base_now() + limit_of(comm);
    for (code = code == 0 ? PSG_COMM_UNDER_WAY : code; code == PSG_COMM_UNDER_WAY;) {
        code = look_at(w, mark);
        code = code == PSG_COMM_UNDER_WAY && base_now() > until ? NOT_JOINED : code;
    }
    return code;
}

/* The first byte connects two processes: no group of a solve waits on the messenger's thread. */
static int greet(psg_nccl_wire *w) {
    return greet_all(w, 1, 1);
}

static int join(psg_nccl_wire *w) {
    return psg_side_streams->open(&w->stream, 2 * (size_t)w->processes->ranks)
               ? w->function[JOIN].join(&w->comm, w->processes->ranks, w->id, w->processes->rank)
               : NCCL_CUDA_ERROR;
}

static void *do_step(void *argument) {
    psg_nccl_wire *w = argument;
    (void)psg_device_current(w->device);
    w->code = w->step(w);
    atomic_store(&w->done, true);
    return NULL;
}

/* On a thread of its own, because NCCL waits for the other processes as long as it takes. Then all
 * processes agree how it went, within the time limit. @return false: the words say why */
static bool step_in_time(psg_nccl_wire *w, int (*step)(psg_nccl_wire *), char *words, size_t size) {
    psg_comm *comm = w->processes;
    const double until = base_now() + limit_of(comm);
    char said[160] = "";
    int rank = 0;
    pthread_t thread;
    w->step = step;
    w->code = NCCL_CUDA_ERROR;
    atomic_store(&w->done, false);
    if (pthread_create(&thread, NULL, do_step, w) == 0) {
        while (!atomic_load(&w->done) && base_now() < until) {
            nap();
        }
        w->left = !atomic_load(&w->done);
        (void)(w->left ? pthread_detach(thread) : pthread_join(thread, NULL));
    }
    const int code = w->left ? NOT_JOINED : w->code;
    words_of(w, code, said, sizeof said);
    const int all = psg_mpi_agree(comm, code, said, sizeof said, &rank);
    if (all > 0 && rank >= 0) {
        (void)snprintf(words, size, "process %d: %s", rank, said);
    } else {
        (void)snprintf(words, size, "%s", said);
    }
    return all == 0;
}

/* What each process tells all. */
typedef struct card {
    int code;
    unsigned char gpu[PSG_SIDE_IDENTITY];
    unique_id id;
} card;

static const card *card_of(const psg_comm *comm, int rank) {
    return (const card *)(const void *)(comm->own->room + (size_t)rank * PSG_COMM_ROOM);
}

static bool share_gpu(const psg_comm *comm, char *words, size_t size) {
    for (int a = 0; a < comm->ranks; a++) {
        for (int b = a + 1; b < comm->ranks; b++) {
            if (memcmp(card_of(comm, a)->gpu, card_of(comm, b)->gpu, PSG_SIDE_IDENTITY) == 0) {
                (void)snprintf(words, size, "processes %d and %d have the same GPU", a, b);
                return true;
            }
        }
    }
    return false;
}

static bool connect_wire(psg_nccl_wire *w, psg_comm *comm, char *words, size_t size) {
    card mine;
    memset(&mine, 0, sizeof mine);
    w->processes = comm;
    mine.code = comm->rank == 0 ? w->function[ID].id(&mine.id) : 0;
    mine.code = psg_side_streams->identify(w->device, mine.gpu) ? mine.code : NCCL_CUDA_ERROR;
    if (!psg_comm_tell_all(comm, &mine, sizeof mine, "to join NCCL's communicator")) {
        (void)snprintf(words, size, "%s", comm->words);
        return false;
    }
    if (share_gpu(comm, words, size)) {
        return false;
    }
    for (int r = 0; r < comm->ranks; r++) {
        if (card_of(comm, r)->code != 0) {
            words_of(w, card_of(comm, r)->code, words, size);
            return false;
        }
    }
    w->id = card_of(comm, 0)->id;
    return step_in_time(w, join, words, size) && step_in_time(w, greet, words, size);
}

/* Of several groups the next one is launched while those before it are under way, as in a solve. No
 * round is, so the calling thread may call NCCL. */
static bool find_rate(psg_nccl_wire *w, double *rate) {
    enum { TIMES = 5, GROUPS = 4 };
    psg_comm *comm = w->processes;
    const size_t bytes = psg_side_streams->rate_bytes / (size_t)(comm->ranks - 1);
    const psg_side_stream own = w->stream;
    *rate = w->rate;
    if (w->rate > 0) {
        return true;
    }
    const int before = psg_device_current(w->device);
    double missing = !psg_side_streams->open(&w->stream, 2 * (size_t)comm->ranks * bytes);
    bool good = psg_mpi_max(comm, &missing, 1);
    for (int m = 0; m < TIMES && good && missing == 0; m++) {
        const double since = base_now();
        const int code = greet_all(w, bytes, GROUPS);
        const double now = GROUPS * (double)bytes * (comm->ranks - 1) / (base_now() - since);
        if (code != 0) {
            give_up(w, code); /* what is on the stream would hold up its end */
        }
        missing = code != 0;
        good = psg_mpi_max(comm, &missing, 1);
        w->rate = m > 0 && now > w->rate ? now : w->rate; /* the first one sets up */
    }
    if (w->stream.stream != NULL) {
        psg_side_streams->close(&w->stream);
    }
    (void)psg_device_current(before);
    w->stream = own;
    good = good && missing == 0;
    if (!good && !comm->given_up) {
        psg_comm_say(comm, "NCCL did not carry what was to be timed");
    }
    good = psg_mpi_max(comm, &w->rate, 1) && good;
    *rate = w->rate;
    return good;
}

static void close_wire(psg_nccl_wire *w) {
    if (w->left) {
        return; /* its thread may still come back */
    }
    const int before = psg_device_current(w->device);
    give_up(w, PSG_COMM_GIVEN_UP);
    if (w->stream.stream != NULL) {
        psg_side_streams->close(&w->stream);
    }
    (void)psg_device_current(before);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

/* ------------------------------------------------------------------------------------ rounds */

/* Under the lock, so that the messenger gets them in their order. */
static void advance(psg_nccl_wire *w) {
    while (w->first != NULL && w->first->missing == 0 && w->under_way < PSG_SIDE_MARKS) {
        psg_round *round = w->first;
        w->first = round->next;
        w->under_way++;
        psg_comms->post(&round->request);
    }
}

static int start_round(psg_request *request, psg_operation *operation) {
    psg_round *round = (psg_round *)request;
    psg_nccl_wire *w = round->wire;
    (void)operation; /* it is not MPI's */
    (void)psg_device_current(w->device);
    const int began = w->comm != NULL ? w->function[START].group() : w->failed;
    const int put = round->put(round);
    const int code = began != 0 ? began : put;
    return w->comm != NULL ? end_group(w, code, &round->mark) : code;
}

static int look_at_round(psg_request *request) {
    const psg_round *round = (psg_round *)request;
    const psg_nccl_wire *w = round->wire;
    return w->comm != NULL ? look_at(w, round->mark) : w->failed;
}

static void end_round(psg_request *request, int code) {
    psg_round *round = (psg_round *)request;
    psg_nccl_wire *w = round->wire;
    if (code != 0) {
        give_up(w, code);
    }
    pthread_mutex_lock(&w->lock);
    w->under_way--;
    advance(w);
    pthread_mutex_unlock(&w->lock);
    round->ended(round, code);
}

static void begin_round(psg_nccl_wire *w, psg_round *round) {
    round->request.start = start_round;
    round->request.look = look_at_round;
    round->request.ended = end_round;
    round->wire = w;
    round->next = NULL;
    pthread_mutex_lock(&w->lock);
    *(w->first != NULL ? &w->last->next : &w->first) = round;
    w->last = round;
    pthread_mutex_unlock(&w->lock);
}

static void ready(psg_round *round) {
    psg_nccl_wire *w = round->wire;
    pthread_mutex_lock(&w->lock);
    round->missing--;
    advance(w);
    pthread_mutex_unlock(&w->lock);
}

const psg_nccl_table psg_nccl_loaded = {open_wire, connect_wire, close_wire, begin_round, ready,
                                        send,      receive,      words_of,   find_rate};
