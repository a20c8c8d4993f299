/* Several nodes of a simulation, of which one is simulated: all are alike and have as much to do,
 * so what it sends is what comes, and what holds for it holds for all. */
#include "runtime/comm_simulated.h"

#include "runtime/comm.h"
#include "runtime/simulation.h"

#include <errno.h>
#include <limits.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct psg_comm_own {
    psg_comm comm;
    struct psg_comm_own *next;
    double rate; /* as asked; 0: the machine's */
};

struct psg_channel {
    int nodes;
    size_t row_bytes;
    double rate;
    double latency;
};

struct psg_operation {
    bool received;  /* it comes, else it goes */
    double seconds; /* that it has the network for itself, this way */
};

/* Messages go one after the other, in the order in which they were posted, and others come at the
 * same time, one after the other, too. */
typedef struct letter {
    struct letter *next;
    psg_request *request;
    psg_operation operation;
} letter;

/* A thread of the simulation for what goes, and one for what comes. */
typedef struct direction {
    starpu_pthread_t thread;
    starpu_pthread_cond_t posted_some;
    letter *first; /* under the lock */
    letter *last;  /* under the lock */
} direction;

typedef struct process_state {
    struct psg_comm_own *nodes; /* of all plans so far */
    unsigned started;           /* what needs the messenger */
    starpu_pthread_mutex_t lock;
    direction direction[2];
    bool stopping; /* under the lock */
} process_state;

static process_state process;

psg_comm *psg_simulated_nodes(unsigned nodes, double rate) {
    struct psg_comm_own *own = process.nodes;
    while (own != NULL && (own->comm.ranks != (int)nodes || own->rate != rate)) {
        own = own->next;
    }
    if (own == NULL && (own = malloc(sizeof *own)) != NULL) {
        *own = (struct psg_comm_own){.comm = {.ranks = (int)nodes, .node_ranks = 1, .own = own},
                                     .next = process.nodes,
                                     .rate = rate};
        process.nodes = own;
    }
    return own != NULL ? &own->comm : NULL;
}

static int cuda_aware(void) {
    const psg_machine *machine = psg_simulation_machine();
    return machine != NULL ? machine->cuda_aware : -1;
}

static psg_comm_result open_comm(psg_comm **comm, const void *mpi_comm, double limit, char *words,
                                 size_t size) {
    (void)mpi_comm;
    (void)comm;
    (void)limit;
    (void)snprintf(words, size,
                   "options.comm is set, and the library simulates: several processes are "
                   "options.nodes");
    return PSG_COMM_ABSENT;
}

static bool find_rate(psg_comm *comm, double *rate) {
    double latency = 0;
    return psg_simulation_network(comm->own->rate, rate, &latency);
}

static size_t most_tags(void) {
    return INT_MAX;
}

/* ------------------------------------------------------------------------------ the channel */

static psg_channel *connect_nodes(psg_comm *comm, size_t row_bytes, unsigned lanes) {
    psg_channel *channel = malloc(sizeof *channel);
    (void)lanes;
    if (channel != NULL) {
        channel->nodes = comm->ranks;
        channel->row_bytes = row_bytes;
        (void)psg_simulation_network(comm->own->rate, &channel->rate,
                                     &channel->latency); /* checked before */
    }
    return channel;
}

static void disconnect(psg_channel *channel) {
    free(channel);
}

static int begin(const psg_channel *channel, const psg_stripes *s, bool received,
                 psg_operation *operation) {
    const size_t rows = s->layers * s->runs * s->rows;
    const size_t row_bytes = s->unit > 0 ? s->unit : channel->row_bytes;
    operation->received = received;
    operation->seconds = channel->latency + (double)(rows * row_bytes) / channel->rate;
    return 0;
}

static int send_rows(const psg_channel *channel, const void *memory, const psg_stripes *stripes,
                     int rank, int tag, psg_operation *operation) {
    (void)memory;
    (void)rank;
    (void)tag;
    return begin(channel, stripes, false, operation);
}

static int receive_rows(const psg_channel *channel, void *memory, const psg_stripes *stripes,
                        int rank, int tag, psg_operation *operation) {
    (void)memory;
    (void)rank;
    (void)tag;
    return begin(channel, stripes, true, operation);
}

/* Counts as one message to each other node, one after the other. */
static int alltoall(const psg_channel *channel, const psg_alltoall_part *from,
                    const psg_alltoall_part *to, size_t lane, psg_operation *operation) {
    (void)to;
    (void)lane;
    *operation = (psg_operation){.received = false};
    for (int r = 1; r < channel->nodes; r++) {
        operation->seconds += channel->latency +
                              (double)((size_t)from->count[r] * channel->row_bytes) / channel->rate;
    }
    return 0;
}

static void words_of(int code, char *words, size_t size) {
    (void)snprintf(words, size, "%s", strerror(code));
}

/* -------------------------------------------------------------------------------- messages */

/* @return NULL: no more will come */
static letter *take(direction *d) {
    starpu_pthread_mutex_lock(&process.lock);
    while (d->first == NULL && !process.stopping) {
        starpu_pthread_cond_wait(&d->posted_some, &process.lock);
    }
    letter *l = d->first;
    if (l != NULL) {
        d->first = l->next;
    }
    starpu_pthread_mutex_unlock(&process.lock);
    return l;
}

/* What is less than SimGrid's own accuracy it says something about. */
static const double shortest = 1e-9;

static void *carry(void *argument) {
    for (letter *l = take(argument); l != NULL; l = take(argument)) {
        if (l->operation.seconds > shortest) {
            starpu_sleep((float)l->operation.seconds);
        }
        l->request->ended(l->request, 0);
        free(l);
    }
    return NULL;
}

static bool start_threads(void) {
    process.stopping = false;
    starpu_pthread_mutex_init(&process.lock, NULL);
    for (int d = 0; d < 2; d++) {
        process.direction[d].first = NULL;
        starpu_pthread_cond_init(&process.direction[d].posted_some, NULL);
        if (starpu_pthread_create(&process.direction[d].thread, NULL, carry,
                                  &process.direction[d]) != 0) {
            return false; /* which SimGrid never does */
        }
    }
    return true;
}

static void stop_threads(void) {
    starpu_pthread_mutex_lock(&process.lock);
    process.stopping = true;
    for (int d = 0; d < 2; d++) {
        starpu_pthread_cond_signal(&process.direction[d].posted_some);
    }
    starpu_pthread_mutex_unlock(&process.lock);
    for (int d = 0; d < 2; d++) {
        (void)starpu_pthread_join(process.direction[d].thread, NULL);
        starpu_pthread_cond_destroy(&process.direction[d].posted_some);
    }
    starpu_pthread_mutex_destroy(&process.lock);
}

static void post(psg_request *request) {
    letter *l = malloc(sizeof *l);
    if (l == NULL) {
        request->ended(request, ENOMEM);
        return;
    }
    *l = (letter){.request = request};
    (void)request->start(request, &l->operation);
    direction *d = &process.direction[l->operation.received];
    starpu_pthread_mutex_lock(&process.lock);
    if (d->first == NULL) {
        d->first = l;
    } else {
        d->last->next = l;
    }
    d->last = l;
    starpu_pthread_cond_signal(&d->posted_some);
    starpu_pthread_mutex_unlock(&process.lock);
}

static size_t drop(const void *owner) {
    (void)owner; /* nobody is waited for too long */
    return 0;
}

static bool start(psg_comm *comm) {
    (void)comm;
    const bool running = process.started > 0 || start_threads();
    process.started += running ? 1 : 0;
    return running;
}

static void stop(psg_comm *comm) {
    (void)comm;
    if (--process.started == 0) {
        stop_threads();
    }
}

const psg_comm_table psg_simulated_comms = {
    .cuda_aware = cuda_aware,
    .open = open_comm,
    .rate = find_rate,
    .start = start,
    .stop = stop,
    .most_tags = most_tags,
    .connect = connect_nodes,
    .disconnect = disconnect,
    .send = send_rows,
    .receive = receive_rows,
    .alltoall = alltoall,
    .words = words_of,
    .post = post,
    .drop = drop,
};
