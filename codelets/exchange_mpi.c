/* Between processes: a message for each block, or one MPI_Ialltoallv for all. StarPU says when a
 * block can go or come, and goes on when it has; the messenger does the rest. */
#include "codelets/codelets.h"
#include "codelets/comm_mpi.h"
#include "codelets/messenger.h"
#include "codelets/task.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void say(psg_run *run, const char *what, int code) {
    char words[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    (void)MPI_Error_string(code, words, &length);
    psg_run_fail(run, PSG_FAULT_MPI, "%s: %s", what, words);
}

/* ------------------------------------------------------------------------- point to point */

typedef struct travel {
    psg_errand errand; /* first: it stands for the whole */
    psg_run *run;
    psg_message message;
    starpu_data_handle_t block;
    psg_run_event event;
} travel;

/* A block that travels is dense. */
static int start_travel(psg_errand *errand, MPI_Request *request) {
    travel *t = (travel *)errand;
    const psg_comm *comm = t->run->context->comm;
    const psg_wire *wire = t->run->context->wire;
    const psg_message *m = &t->message;
    void *memory = starpu_data_handle_to_pointer(t->block, (unsigned)t->message.node);
    if (comm->fake) { /* to nobody, or from nobody */
        *request = MPI_REQUEST_NULL;
        return MPI_SUCCESS;
    }
    return t->event.received
               ? MPI_Irecv(memory, (int)m->rows, wire->row, m->rank, m->tag, wire->mpi, request)
               : MPI_Isend(memory, (int)m->rows, wire->row, m->rank, m->tag, wire->mpi, request);
}

static void end_travel(psg_errand *errand, int code) {
    travel *t = (travel *)errand;
    psg_run *run = t->run;
    if (code != MPI_SUCCESS) {
        say(run, t->event.received ? "a message did not come" : "a message did not go", code);
    }
    t->event.end = starpu_timing_now();
    psg_run_keep_event(run, &t->event);
    if (!t->event.received) {
        psg_run_message_sent(run);
    }
    starpu_data_release_on_node(t->block, t->message.node);
    free(t);
    psg_run_end_task(run);
}

void psg_task_expect(psg_run *run, int rank, psg_way way, size_t sends) {
    starpu_pthread_mutex_lock(&run->mutex);
    run->pairing[rank][way] = (psg_pairing){.sends_left = sends};
    starpu_pthread_mutex_unlock(&run->mutex);
}

/* The oldest receive that waits, taken off the list. */
static psg_errand *oldest_held(psg_pairing *p) {
    psg_errand **at = &p->held;
    while (*at != NULL && (*at)->next != NULL) {
        at = &(*at)->next;
    }
    psg_errand *oldest = *at;
    *at = NULL;
    return oldest;
}

/* On whatever thread had the block last. A receive begins with a send to the same process, if
 * one is to come: so two processes tell each other of their messages before either fills the
 * wire, on which the word that a receiver is ready would queue behind all that (on one TCP
 * connection the two directions would take turns). */
static void ready(void *argument) {
    travel *t = argument;
    psg_run *run = t->run;
    psg_pairing *p = &run->pairing[t->message.rank][t->message.way];
    psg_errand *go[2] = {NULL, NULL};
    starpu_pthread_mutex_lock(&run->mutex);
    if (!t->event.received) {
        go[0] = &t->errand;
        p->sends_left--;
        p->credit++;
    } else {
        t->errand.next = p->held;
        p->held = &t->errand;
    }
    if (p->held != NULL && (p->credit > 0 || p->sends_left == 0)) {
        go[1] = oldest_held(p);
        p->credit -= p->credit > 0 ? 1 : 0;
    }
    /* after the last send, all that are held */
    psg_errand *rest = p->sends_left == 0 ? p->held : NULL;
    p->held = p->sends_left == 0 ? NULL : p->held;
    starpu_pthread_mutex_unlock(&run->mutex);
    for (int m = 0; m < 2; m++) {
        if (go[m] != NULL) {
            psg_messenger_post(go[m]);
        }
    }
    while (rest != NULL) {
        psg_errand *next = rest->next;
        psg_messenger_post(rest);
        rest = next;
    }
}

static void submit(psg_run *run, starpu_data_handle_t block, const psg_message *m, bool receive) {
    travel *t = malloc(sizeof *t);
    psg_run_begin_task(run);
    int result = -ENOMEM;
    if (t != NULL) {
        *t = (travel){.errand = {.start = start_travel, .ended = end_travel},
                      .run = run,
                      .message = *m,
                      .block = block,
                      .event = {.kind = PSG_TASK_EXCHANGE,
                                .worker = -1,
                                .rank = m->rank,
                                .received = receive,
                                .segment = m->segment,
                                .pencil = m->pencil,
                                .number = PSG_RECORD_NONE}};
        if (run->context->record) {
            t->event.number = psg_record_add(&run->record);
            psg_record_use_data(&run->record, block, !receive, receive);
        }
        result =
            starpu_data_acquire_on_node_cb(block, m->node, receive ? STARPU_W : STARPU_R, ready, t);
    }
    if (result != 0) {
        psg_run_fail(run, PSG_FAULT_SUBMIT, "StarPU did not take a message %s process %d: %s",
                     receive ? "from" : "to", m->rank, strerror(-result));
        free(t);
        psg_run_end_task(run);
    }
}

void psg_task_send(psg_run *run, starpu_data_handle_t block, const psg_message *message) {
    psg_run_message_submitted(run, message->rows * run->context->wire->row_bytes);
    submit(run, block, message, false);
}

void psg_task_receive(psg_run *run, starpu_data_handle_t block, const psg_message *message) {
    submit(run, block, message, true);
}

/* Of tasks that no worker runs: StarPU waits for their data and goes on. */
static struct starpu_codelet nowhere = {
    .name = "nowhere", .where = STARPU_NOWHERE, .nbuffers = STARPU_VARIABLE_NBUFFERS};

/* ------------------------------------------------------------------------------- alltoall */

typedef struct gathering {
    psg_errand errand; /* first: it stands for the whole */
    psg_run *run;
    const psg_alltoall *alltoall;
    psg_way way;
    struct starpu_task *arrival; /* ends when the exchange does */
    size_t number;               /* in the run's record */
    double start;
} gathering;

static int start_gathering(psg_errand *errand, MPI_Request *request) {
    const gathering *g = (gathering *)errand;
    const psg_wire *wire = g->run->context->wire;
    const psg_alltoall *a = g->alltoall;
    const psg_alltoall_part *from = g->way == PSG_WAY_THERE ? &a->slabs : &a->pencils;
    const psg_alltoall_part *to = g->way == PSG_WAY_THERE ? &a->pencils : &a->slabs;
    return MPI_Ialltoallv(from->memory, from->count, from->first, wire->row, to->memory, to->count,
                          to->first, wire->row, wire->lane[a->lane], request);
}

static void end_gathering(psg_errand *errand, int code) {
    gathering *g = (gathering *)errand;
    struct starpu_task *arrival = g->arrival;
    const psg_run_event event = {.kind = PSG_TASK_EXCHANGE,
                                 .worker = -1,
                                 .rank = -1,
                                 .segment = SIZE_MAX,
                                 .pencil = SIZE_MAX,
                                 .number = g->number,
                                 .start = g->start,
                                 .end = starpu_timing_now()};
    if (code != MPI_SUCCESS) {
        say(g->run, "MPI_Ialltoallv", code);
    }
    psg_run_keep_event(g->run, &event);
    psg_run_message_sent(g->run);
    free(g);
    if (arrival != NULL) {
        starpu_task_end_dep_release(arrival);
    }
}

static void alltoall_cpu(void *buffers[], void *argument) {
    const psg_task_args *args = argument;
    gathering *g = args->gathering;
    (void)buffers; /* they stand in the two arrays, end to end */
    g->number = args->number;
    g->start = starpu_timing_now();
    psg_run_messages_ready(g->run, 1);
    psg_messenger_post(&g->errand);
}

#if PSG_WITH_CUDA
/* On the thread that drives a GPU, with the blocks in main memory. */
static void alltoall_cuda(void *buffers[], void *argument) {
    alltoall_cpu(buffers, argument);
}
#endif

PSG_CODELET(alltoall);

static void use(struct starpu_task *task, size_t from, const psg_alltoall_data *data,
                enum starpu_data_access_mode mode) {
    for (size_t m = 0; m < data->count; m++) {
        psg_task_use(task, from + m, data->block[m], mode);
    }
}

/* One of the two tasks: both have all the blocks, as the exchange has. */
static struct starpu_task *create(psg_run *run, struct starpu_codelet *codelet, gathering *g,
                                  const psg_alltoall_data *slabs, const psg_alltoall_data *pencils,
                                  bool continues) {
    const psg_task_args args = {
        .run = run, .kind = PSG_TASK_EXCHANGE, .gathering = g, .continues = continues};
    struct starpu_task *task = psg_task_create(codelet, &args, slabs->count + pencils->count);
    if (task != NULL) {
        use(task, 0, slabs, g->way == PSG_WAY_THERE ? STARPU_R : STARPU_W);
        use(task, slabs->count, pencils, g->way == PSG_WAY_THERE ? STARPU_W : STARPU_R);
    }
    return task;
}

/* A task on a worker begins the exchange, and goes. One that nobody runs holds the blocks until it
 * has ended, which the messenger tells it: scheduling policies want to hear of the end of a task
 * only from the worker that ran it. */
void psg_task_alltoall(psg_run *run, const psg_alltoall *alltoall, psg_way way,
                       const psg_alltoall_data *slabs, const psg_alltoall_data *pencils) {
    gathering *g = malloc(sizeof *g);
    if (g == NULL) {
        psg_run_fail(run, PSG_FAULT_SUBMIT, "no memory for MPI_Ialltoallv");
        return;
    }
    *g = (gathering){.errand = {.start = start_gathering, .ended = end_gathering},
                     .run = run,
                     .alltoall = alltoall,
                     .way = way};
    struct starpu_task *begin =
        create(run, run->context->exchange->alltoall, g, slabs, pencils, false);
    g->arrival = create(run, run->context->exchange->nowhere, g, slabs, pencils, true);
    if (g->arrival != NULL) {
        g->arrival->where = STARPU_NOWHERE;
        starpu_task_end_dep_add(g->arrival, 1);
    }
    struct starpu_task *arrival = g->arrival; /* g is gone when the exchange has ended */
    psg_run_message_submitted(run, (way == PSG_WAY_THERE ? slabs : pencils)->bytes);
    psg_task_submit(run, begin);
    psg_task_submit(run, arrival);
}

/* -------------------------------------------------------------------------------- bundles */

/* Nothing runs: StarPU takes the one for the other, which stand in the same memory. */
void psg_task_regroup(psg_run *run, psg_way way, bool foreign, starpu_data_handle_t bundle,
                      const starpu_data_handle_t *blocks, size_t count) {
    const psg_task_args args = {
        .run = run,
        .kind = PSG_TASK_EXCHANGE,
        .messages = run->context->messages && foreign && way == PSG_WAY_BACK ? 1 : 0};
    struct starpu_task *task = psg_task_create(run->context->exchange->nowhere, &args, count + 1);
    if (task != NULL) {
        task->where = STARPU_NOWHERE;
        psg_task_use(task, 0, bundle, way == PSG_WAY_THERE ? STARPU_R : STARPU_W);
        for (size_t m = 0; m < count; m++) {
            psg_task_use(task, m + 1, blocks[m], way == PSG_WAY_THERE ? STARPU_W : STARPU_R);
        }
    }
    psg_task_submit(run, task);
}

void psg_task_exchange_codelets(psg_exchange_codelets *codelets, int *nodes) {
    for (int m = 0; m < PSG_TASK_PRECISIONS; m++) {
        codelets->nowhere[m] = nowhere;
        codelets->alltoall[m] = alltoall_codelet[m];
        codelets->nowhere[m].specific_nodes = codelets->alltoall[m].specific_nodes = 1;
        codelets->nowhere[m].dyn_nodes = codelets->alltoall[m].dyn_nodes = nodes;
    }
}
