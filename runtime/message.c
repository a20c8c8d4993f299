/* Messages between processes: one for each block of a segment and a bundle. StarPU says when a
 * block can go or come, and goes on when it has; the messenger does the rest. */
#include "runtime/message.h"

#include "base/narrow.h"
#include "runtime/nccl.h"
#include "runtime/simulation.h"
#include "runtime/starpu_mpi.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const psg_starpu_mpi_table *const psg_starpu_mpi = PSG_WITH_MPI ? &psg_starpu_mpi_loaded : NULL;
const psg_nccl_table *const psg_nccl = PSG_WITH_MPI ? &psg_nccl_loaded : NULL;

void psg_message_blame(psg_run *run, const char *what, int code) {
    char words[256];
    psg_comms->words(code, words, sizeof words);
    psg_run_fail(run, PSG_FAULT_MPI, "%s: %s", what, words);
}

typedef struct psg_transfer {
    psg_round round; /* first: its request stands for the whole. The rest is of one that begins */
    psg_run *run;
    psg_message message;
    struct psg_transfer *first; /* of its round; NULL: it goes alone */
    starpu_data_handle_t block;
    bool acquired; /* from StarPU */
    atomic_bool busy;
    psg_run_event event;
} transfer;

struct psg_transfer *psg_transfers_create(size_t messages) {
    return calloc(messages, sizeof(transfer));
}

static psg_pairing *pairing_of(const transfer *t) {
    return &t->run->messages.pairing[t->message.rank][t->message.way];
}

static psg_stripes stripes_of(const psg_message *m) {
    return (psg_stripes){.unit = m->unit,
                         .rows = m->rows,
                         .runs = m->runs > 0 ? m->runs : 1,
                         .pitch = m->pitch,
                         .layers = m->layers > 0 ? m->layers : 1,
                         .layer_pitch = m->layer_pitch};
}

static size_t row_bytes(const psg_run *run, const psg_message *m) {
    return m->unit > 0 ? m->unit : run->engine->row_bytes;
}

static size_t bytes_of(const psg_run *run, const psg_message *m) {
    const psg_stripes s = stripes_of(m);
    return s.layers * s.runs * s.rows * row_bytes(run, m);
}

/* Rounded numbers go from the first bytes of their block, and come into its last ones. */
static bool travels_rounded(const transfer *t) {
    return t->message.wide > 0 && t->message.rows > 0 && t->acquired && psg_comms->carries;
}

static size_t numbers_of(const psg_message *m) {
    return m->rows * m->wide / sizeof(double);
}

static size_t number_bytes(const transfer *t) {
    return row_bytes(t->run, &t->message) * sizeof(double) / t->message.wide;
}

static char *memory_of(const transfer *t) {
    return starpu_data_handle_to_pointer(t->block, (unsigned)t->message.node);
}

static int start_transfer(psg_request *request, psg_operation *operation) {
    transfer *t = (transfer *)request;
    const psg_channel *channel = t->run->engine->channel;
    const psg_message *m = &t->message;
    psg_run_under_way(t->run, pairing_of(t), true);
    if (atomic_load(&t->run->messages.given_up)) {
        return PSG_COMM_GIVEN_UP;
    }
    const psg_stripes stripes = stripes_of(m);
    char *memory = m->rows > 0 ? memory_of(t) : NULL;
    memory = memory != NULL ? memory + m->first * row_bytes(t->run, m) : NULL;
    if (m->nccl != NULL) {
        t->event.start = starpu_timing_now();
        return t->event.received ? psg_nccl->receive(m->nccl, memory, bytes_of(t->run, m), m->rank)
                                 : psg_nccl->send(m->nccl, memory, bytes_of(t->run, m), m->rank);
    }
    if (travels_rounded(t) && t->event.received) {
        memory += numbers_of(m) * (sizeof(double) - number_bytes(t));
    }
    return t->event.received
               ? psg_comms->receive(channel, memory, &stripes, m->rank, m->tag, operation)
               : psg_comms->send(channel, memory, &stripes, m->rank, m->tag, operation);
}

static void is_over(void *argument) {
    transfer *t = argument;
    psg_run *run = t->run;
    t->event.end = starpu_timing_now();
    psg_run_keep_event(run, &t->event);
    if (travels_rounded(t) && t->event.received) {
        base_widen(memory_of(t), numbers_of(&t->message), number_bytes(t));
    }
    if (!t->event.received) {
        psg_run_message_sent(run);
    }
    const starpu_data_handle_t block = t->acquired ? t->block : NULL;
    const int node = t->message.node;
    atomic_store(&t->busy, false);
    if (block != NULL) {
        starpu_data_release_on_node(block, node);
    }
    psg_run_end_task(run);
}

static void end_transfer(psg_request *request, int code) {
    transfer *t = (transfer *)request;
    psg_run_under_way(t->run, pairing_of(t), false);
    if (code != 0) {
        psg_message_blame(
            t->run, t->event.received ? "a message did not come" : "a message did not go", code);
    }
    is_over(t);
}

/* The transfers of a round follow one another. */
static int put_round(psg_round *round) {
    transfer *t = (transfer *)round;
    int first = 0;
    for (size_t m = 0; m < t->message.begins; m++) {
        const int code = start_transfer(&t[m].round.request, NULL);
        first = first != 0 ? first : code;
    }
    return first;
}

static void end_round(psg_round *round, int code) {
    transfer *t = (transfer *)round;
    const size_t count = t->message.begins; /* with its last transfer the run may end */
    char words[160];
    if (code != 0) {
        psg_nccl->words(round->wire, code, words, sizeof words);
        psg_run_fail(t->run, PSG_FAULT_MPI, "NCCL did not carry blocks: %s", words);
    }
    for (size_t m = 0; m < count; m++) {
        end_transfer(&t[m].round.request, 0);
    }
}

void psg_message_expect(psg_run *run, int rank, psg_way way, size_t sends, size_t receives) {
    starpu_pthread_mutex_lock(&run->mutex);
    psg_pairing *p = &run->messages.pairing[rank][way];
    p->sends = sends;
    p->receives = receives;
    starpu_pthread_mutex_unlock(&run->mutex);
}

/* How many receives may have begun: one for each send, and with the last send of a time all. */
static size_t may_have_gone(const psg_pairing *p) {
    const size_t part = p->sends > 0 ? p->begun % p->sends : 0;
    return p->sends == 0
               ? SIZE_MAX
               : p->begun / p->sends * p->receives + (part < p->receives ? part : p->receives);
}

/* The oldest receive that waits, taken off the list. */
static psg_request *oldest_held(psg_pairing *p) {
    psg_request **at = &p->held;
    while ((*at)->next != NULL) {
        at = &(*at)->next;
    }
    psg_request *oldest = *at;
    *at = NULL;
    return oldest;
}

/* What begins with a message that is ready: itself, or receives that waited, oldest first. */
static psg_request *take_ready(psg_pairing *p, transfer *t) {
    psg_request *first = NULL;
    psg_request **end = &first;
    t->round.request.next = NULL;
    if (!t->event.received) {
        p->begun++;
        *end = &t->round.request;
        end = &t->round.request.next;
    } else {
        t->round.request.next = p->held;
        p->held = &t->round.request;
    }
    while (p->held != NULL && p->gone < may_have_gone(p)) {
        p->gone++;
        *end = oldest_held(p);
        end = &(*end)->next;
    }
    return first;
}

/* Runs on the thread that had the block last. A receive begins when a send to the same process
 * does, if one is to come. So two processes tell each other of their messages before either fills
 * the network. Otherwise the word that a receiver is ready would queue behind all data (on one TCP
 * connection the two directions would take turns). */
static void ready(void *argument) {
    transfer *t = argument;
    psg_run *run = t->run;
    if (travels_rounded(t) && !t->event.received) {
        base_narrow(memory_of(t), numbers_of(&t->message), number_bytes(t));
    }
    if (t->first != NULL) {
        psg_nccl->ready(&t->first->round);
        return;
    }
    t->event.start = starpu_timing_now();
    if (t->message.counts && !t->event.received) {
        psg_run_messages_ready(run, 1);
    }
    if (t->message.rows == 0 || t->message.alone) { /* the first fills no network */
        psg_comms->post(&t->round.request);
        return;
    }
    starpu_pthread_mutex_lock(&run->mutex);
    psg_request *go = take_ready(pairing_of(t), t);
    starpu_pthread_mutex_unlock(&run->mutex);
    while (go != NULL) {
        psg_request *next = go->next;
        psg_comms->post(go);
        go = next;
    }
}

/* StarPU-MPI acquires the block itself. @return 0; an error of StarPU's */
static int hand_over(transfer *t) {
    const psg_message *m = &t->message;
    if (m->wire != NULL) {
        t->acquired = false;
        return (t->event.received ? psg_starpu_mpi->receive : psg_starpu_mpi->send)(
            m->wire, t->block, m->rank, m->tag, is_over, t);
    }
    const bool writes = m->read || m->wide > 0;
    const enum starpu_data_access_mode mode = t->event.received ? STARPU_W
                                              : writes          ? STARPU_RW
                                                                : STARPU_R;
    return t->acquired ? starpu_data_acquire_on_node_cb(t->block, m->node, mode, ready, t) : 0;
}

/* The other process waits for a message in any case, and so it goes, also of a run that has failed.
 */
static void submit(psg_run *run, starpu_data_handle_t block, const psg_message *m, bool receive) {
    psg_run_messages *all = &run->messages;
    const size_t at = all->transfers % all->room;
    all->transfers += at + m->begins > all->room ? all->room - at : 0; /* a round is in one piece */
    transfer *t = &all->transfer[all->transfers++ % all->room];
    const bool writes = m->read || m->wide > 0;
    while (atomic_load(&t->busy)) {
        (void)sched_yield(); /* its end has begun: there is room for all that have not ended */
    }
    psg_run_begin_task(run);
    *t = (transfer){.round = {.request = {.owner = run,
                                          .hurried = run->engine->polls,
                                          .start = start_transfer,
                                          .ended = end_transfer},
                              .missing = m->begins,
                              .put = put_round,
                              .ended = end_round},
                    .run = run,
                    .message = *m,
                    .first = m->nccl == NULL ? NULL
                             : m->begins > 0 ? t
                                             : t[-1].first,
                    .block = block,
                    .acquired = block != NULL,
                    .busy = true,
                    .event = {.label = m->label,
                              .worker = -1,
                              .rank = m->rank,
                              .received = receive,
                              .bytes = bytes_of(run, m),
                              .number = PSG_RECORD_NONE}};
    if (run->engine->record && block != NULL) {
        t->event.number = psg_record_add(&run->events.record);
        psg_record_use_data(&run->events.record, block,
                            receive  ? PSG_USE_WRITES
                            : writes ? PSG_USE_READS | PSG_USE_WRITES
                                     : PSG_USE_READS,
                            starpu_data_get_size(block));
    }
    psg_simulation_submit(1); /* as a task with one piece of data */
    if (m->begins > 0) {
        psg_nccl->begin(m->nccl, &t->round);
    }
    const int result = hand_over(t);
    run->pieces++;
    run->tasks++;
    run->in = starpu_timing_now();
    if (result != 0) {
        psg_run_fail(run, PSG_FAULT_SUBMIT, "StarPU did not take a message %s process %d: %s",
                     receive ? "from" : "to", m->rank, strerror(-result));
        t->acquired = false;
    }
    if (block == NULL || result != 0) {
        ready(t);
    }
}

void psg_message_send(psg_run *run, starpu_data_handle_t block, const psg_message *message) {
    psg_run_message_submitted(run, bytes_of(run, message));
    submit(run, block, message, false);
}

void psg_message_receive(psg_run *run, starpu_data_handle_t block, const psg_message *message) {
    submit(run, block, message, true);
}

/* ------------------------------------------------------------------------------- giving up */

/* Messages of a run that go one way. */
typedef struct direction {
    const psg_run *run;
    psg_way way;
} direction;

static bool under_way(const void *data, int rank) {
    const direction *d = data;
    return d->run->messages.pairing[rank][d->way].under_way > 0;
}

/* A process sends blocks back only after all blocks have come to it. So the first way with a
 * missing message names the silent process. */
static void name_the_silent(psg_run *run, char *whom, size_t size) {
    const int ranks = run->engine->comm->ranks;
    bool found = false;
    (void)snprintf(whom, size, "the other processes");
    starpu_pthread_mutex_lock(&run->mutex);
    for (int way = 0; way < PSG_WAYS && !found; way++) {
        const direction d = {run, (psg_way)way};
        for (int r = 0; r < ranks && !found; r++) {
            found = under_way(&d, r);
        }
        if (found) {
            psg_comm_name_ranks(whom, size, ranks, under_way, &d);
        }
    }
    starpu_pthread_mutex_unlock(&run->mutex);
}

void psg_message_give_up(psg_run *run) {
    psg_comm *comm = run->engine->comm;
    char whom[160];
    name_the_silent(run, whom, sizeof whom);
    psg_comm_give_up(comm, whom, "to send and receive messages of a solve");
    psg_run_fail(run, PSG_FAULT_MPI, "%s", comm->words);
    atomic_store(&run->messages.given_up, true);
    run->messages.left += psg_comms->drop(run);
}
