/* One MPI_Ialltoallv for all that goes between processes, to compare messages with. */
#include "codelets/codelets.h"
#include "codelets/messenger.h"
#include "codelets/task.h"

#include <stdlib.h>

typedef struct gathering {
    psg_errand errand; /* first: it stands for the whole */
    psg_run *run;
    const psg_alltoall *alltoall;
    psg_way way;
    struct starpu_task *arrival; /* ends when the exchange does */
    size_t number;               /* in the run's record */
    double start;
} gathering;

static int start_gathering(psg_errand *errand, psg_request *request) {
    const gathering *g = (gathering *)errand;
    const psg_wire *wire = g->run->context->wire;
    const psg_alltoall *a = g->alltoall;
    const psg_alltoall_part *from = g->way == PSG_WAY_THERE ? &a->slabs : &a->pencils;
    const psg_alltoall_part *to = g->way == PSG_WAY_THERE ? &a->pencils : &a->slabs;
    return psg_wire_alltoall(wire, from, to, a->lane, request);
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
    if (code != 0) {
        psg_messenger_blame(g->run, "MPI_Ialltoallv", code);
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
#if PSG_SIMULATE /* some policies end the program at a task that took no time */
    starpu_sleep(1e-6F);
#endif
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

void psg_task_alltoall_codelets(struct starpu_codelet codelets[PSG_TASK_PRECISIONS], int *nodes) {
    psg_task_codelet_at(codelets, alltoall_codelet, nodes);
#if PSG_SIMULATE /* there is no time to simulate, but something to begin */
    for (int m = 0; m < PSG_TASK_PRECISIONS; m++) {
        codelets[m].flags |= STARPU_CODELET_SIMGRID_EXECUTE;
        codelets[m].cuda_flags[0] = 0;
    }
#endif
}
