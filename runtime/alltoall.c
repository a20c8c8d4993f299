#include "runtime/alltoall.h"

#include "runtime/message.h"
#include "runtime/simulation.h"

#include <stdlib.h>
#include <string.h>

enum { FROM = 0, TO, ENDS };

typedef struct psg_gathering {
    psg_request request; /* first: it stands for the whole */
    psg_run *run;
    const psg_alltoall *alltoall;
    psg_label label;
    psg_way way;
    const psg_alltoall_data *data[ENDS];
    atomic_size_t missing; /* blocks that StarPU has not given yet, and one */
    size_t acquired[ENDS]; /* blocks that StarPU gives, the first ones of each */
    size_t number;         /* in the run's record */
    double start;
} gathering;

struct psg_gathering *psg_gatherings_create(size_t rounds) {
    return calloc(rounds * PSG_WAYS, sizeof(gathering));
}

static int start_gathering(psg_request *request, psg_operation *operation) {
    const gathering *g = (gathering *)request;
    const psg_channel *channel = g->run->engine->channel;
    const psg_alltoall *a = g->alltoall;
    const psg_alltoall_part *from = &a->end[psg_way_is_back(g->way) ? 1 : 0];
    const psg_alltoall_part *to = &a->end[psg_way_is_back(g->way) ? 0 : 1];
    psg_run_under_way(g->run, NULL, true);
    return atomic_load(&g->run->messages.given_up)
               ? PSG_COMM_GIVEN_UP
               : psg_comms->alltoall(channel, from, to, a->lane, operation);
}

static void end_gathering(psg_request *request, int code) {
    gathering *g = (gathering *)request;
    psg_run *run = g->run;
    const psg_run_event event = {.label = g->label,
                                 .worker = -1,
                                 .rank = -1,
                                 .number = g->number,
                                 .start = g->start,
                                 .end = starpu_timing_now()};
    psg_run_under_way(run, NULL, false);
    if (code != 0) {
        psg_message_blame(run, "MPI_Ialltoallv", code);
    }
    psg_run_keep_event(run, &event);
    psg_run_message_sent(run);
    for (int end = FROM; end < ENDS; end++) {
        for (size_t m = 0; m < g->acquired[end]; m++) {
            starpu_data_release_on_node(g->data[end]->block[m], STARPU_MAIN_RAM);
        }
    }
    psg_run_end_task(run);
}

/* StarPU gives a block, on whatever thread had it last. */
static void ready(void *argument) {
    gathering *g = argument;
    if (atomic_fetch_sub(&g->missing, 1) == 1) {
        g->start = starpu_timing_now();
        psg_run_messages_ready(g->run, 1);
        psg_comms->post(&g->request);
    }
}

/* The blocks of one end. Without some of them the exchange begins all the same, as every other
 * process waits for it, and the run fails. */
static void acquire(gathering *g, int end) {
    psg_run *run = g->run;
    const psg_alltoall_data *data = g->data[end];
    const enum starpu_data_access_mode mode = end == FROM ? STARPU_R : STARPU_W;
    int result = 0;
    for (size_t m = 0; m < data->count && result == 0; m++) {
        atomic_fetch_add(&g->missing, 1);
        if (run->engine->record) {
            psg_record_use_data(&run->events.record, data->block[m],
                                end == FROM ? PSG_USE_READS : PSG_USE_WRITES,
                                starpu_data_get_size(data->block[m]));
        }
        result = starpu_data_acquire_on_node_cb(data->block[m], STARPU_MAIN_RAM, mode, ready, g);
        if (result == 0) {
            g->acquired[end]++;
        } else {
            psg_run_fail(run, PSG_FAULT_SUBMIT, "StarPU gave no block for MPI_Ialltoallv: %s",
                         strerror(-result));
            ready(g);
        }
    }
    run->pieces += data->count;
}

/* StarPU gives the blocks, and the exchange holds them until it has ended. The messenger begins it
 * and sees its end, so that no worker waits for it. */
void psg_message_alltoall(psg_run *run, const psg_alltoall *alltoall, const psg_label *label,
                          psg_way way, const psg_alltoall_data *from, const psg_alltoall_data *to) {
    psg_run_messages *m = &run->messages;
    gathering *g = &m->gathering[m->gatherings++ % (m->rounds * PSG_WAYS)];
    memset(g, 0, sizeof *g);
    g->request = (psg_request){.owner = run, .start = start_gathering, .ended = end_gathering};
    g->run = run;
    g->alltoall = alltoall;
    g->label = *label;
    g->way = way;
    g->data[FROM] = from;
    g->data[TO] = to;
    g->number = run->engine->record ? psg_record_add(&run->events.record) : PSG_RECORD_NONE;
    atomic_store(&g->missing, 1);
    psg_run_message_submitted(run, from->bytes);
    psg_run_begin_task(run);
    psg_simulation_submit(from->count + to->count);
    acquire(g, FROM);
    acquire(g, TO);
    run->tasks++;
    run->in = starpu_timing_now();
    ready(g);
}
