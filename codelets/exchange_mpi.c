/* Messages between processes: StarPU-MPI's, one for each block; or one MPI_Ialltoallv for all. */
#include "codelets/codelets.h"
#include "codelets/comm_mpi.h"
#include "codelets/task.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

/* ------------------------------------------------------------------------- point to point */

/* On StarPU-MPI's thread, with the block released. */
static void sent(void *argument) {
    psg_run *run = argument;
    psg_run_message_sent(run);
    psg_run_end_task(run);
}

static void received(void *argument) {
    psg_run_end_task(argument);
}

/* A message that one process which plays a rank of many has to nobody. StarPU-MPI then does nothing at all; this
 * is what it does around MPI's part: it has the block when its turn comes, and calls back. */
typedef struct pretence {
    starpu_data_handle_t block;
    void (*ended)(void *run);
    psg_run *run;
} pretence;

static void pretend_end(void *argument) {
    pretence *p = argument;
    starpu_data_release_on_node(p->block, STARPU_MAIN_RAM);
    p->ended(p->run);
    free(p);
}

static int pretend(psg_run *run, starpu_data_handle_t block, enum starpu_data_access_mode mode,
                   void (*ended)(void *run)) {
    pretence *p = malloc(sizeof *p);
    if (p == NULL) {
        return -ENOMEM;
    }
    *p = (pretence){.block = block, .ended = ended, .run = run};
    return starpu_data_acquire_on_node_cb(block, STARPU_MAIN_RAM, mode, pretend_end, p);
}

void psg_task_send(psg_run *run, starpu_data_handle_t block, int rank, int64_t tag, size_t bytes) {
    const psg_comm *comm = run->context->comm;
    psg_run_begin_task(run);
    psg_run_message_submitted(run, bytes);
    const int result = comm->fake
                           ? pretend(run, block, STARPU_R, sent)
                           : starpu_mpi_isend_detached(block, rank, tag, comm->mpi, sent, run);
    if (result != 0) {
        psg_run_fail(run, PSG_FAULT_SUBMIT, "StarPU-MPI did not take a message to process %d",
                     rank);
        psg_run_end_task(run);
    }
}

void psg_task_receive(psg_run *run, starpu_data_handle_t block, int rank, int64_t tag) {
    const psg_comm *comm = run->context->comm;
    psg_run_begin_task(run);
    const int result = comm->fake
                           ? pretend(run, block, STARPU_W, received)
                           : starpu_mpi_irecv_detached(block, rank, tag, comm->mpi, received, run);
    if (result != 0) {
        psg_run_fail(run, PSG_FAULT_SUBMIT, "StarPU-MPI did not take a message from process %d",
                     rank);
        psg_run_end_task(run);
    }
}

/* ------------------------------------------------------------------------------- alltoall */

/* A task has started its MPI_Ialltoallv, and ends when that does. Until then its worker does other things, and every
 * idle worker looks whether it is time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static psg_alltoall_mpi *under_way;
static int hook = -1;

static unsigned look(void *argument) {
    psg_alltoall_mpi *ended = NULL;
    (void)argument;
    if (pthread_mutex_trylock(&lock) != 0) {
        return 1;
    }
    for (psg_alltoall_mpi **at = &under_way; *at != NULL;) {
        psg_alltoall_mpi *mpi = *at;
        int done = 0;
        const int code = MPI_Test(&mpi->request, &done, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS) {
            psg_run_fail(mpi->run, PSG_FAULT_MPI, "MPI_Ialltoallv failed");
        }
        if (!done && code == MPI_SUCCESS) {
            at = &mpi->next;
            continue;
        }
        *at = mpi->next;
        mpi->next = ended;
        ended = mpi;
    }
    pthread_mutex_unlock(&lock);
    while (ended != NULL) {
        psg_alltoall_mpi *mpi = ended;
        ended = mpi->next; /* once its task has ended it may be started again */
        psg_run_message_sent(mpi->run);
        starpu_task_end_dep_release(mpi->task);
    }
    return 1;
}

void psg_exchange_hook(bool on) {
    if (on && hook < 0) {
        hook = starpu_progression_hook_register(look, NULL);
    } else if (!on && hook >= 0) {
        starpu_progression_hook_deregister(hook);
        hook = -1;
    }
}

/* Of an alltoall task the index says which way. */
enum { TO_PENCILS = 0, TO_SEGMENTS };

static void alltoall_cpu(void *buffers[], void *argument) {
    const psg_task_args *args = argument;
    const psg_alltoall *a = args->alltoall;
    const psg_alltoall_part *from = args->index == TO_PENCILS ? &a->slabs : &a->pencils;
    const psg_alltoall_part *to = args->index == TO_PENCILS ? &a->pencils : &a->slabs;
    psg_alltoall_mpi *mpi = a->mpi;
    (void)buffers; /* they stand in the two arrays, end to end */
    psg_run_messages_ready(args->run, 1);
    mpi->task = starpu_task_get_current();
    mpi->run = args->run;
    starpu_task_end_dep_add(mpi->task, 1);
    if (MPI_Ialltoallv(from->memory, from->count, from->first, mpi->row, to->memory, to->count,
                       to->first, mpi->row, mpi->comm, &mpi->request) != MPI_SUCCESS) {
        psg_run_fail(args->run, PSG_FAULT_MPI, "MPI_Ialltoallv failed");
        mpi->request = MPI_REQUEST_NULL;
    }
    pthread_mutex_lock(&lock);
    mpi->next = under_way;
    under_way = mpi;
    pthread_mutex_unlock(&lock);
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

void psg_task_alltoall(psg_run *run, const psg_alltoall *alltoall, bool forward,
                       const psg_alltoall_data *slabs, const psg_alltoall_data *pencils) {
    const psg_task_args args = {.run = run,
                                .kind = PSG_TASK_EXCHANGE,
                                .index = forward ? TO_PENCILS : TO_SEGMENTS,
                                .alltoall = alltoall};
    struct starpu_task *task =
        psg_task_create(run->context->exchange->alltoall, &args, slabs->count + pencils->count);
    if (task != NULL) {
        use(task, 0, slabs, forward ? STARPU_R : STARPU_W);
        use(task, slabs->count, pencils, forward ? STARPU_W : STARPU_R);
        psg_run_message_submitted(run, (forward ? slabs : pencils)->bytes);
    }
    psg_task_submit(run, task);
}

/* -------------------------------------------------------------------------------- bundles */

static struct starpu_codelet regroup = {
    .name = "regroup", .where = STARPU_NOWHERE, .nbuffers = STARPU_VARIABLE_NBUFFERS};

/* Nothing runs: StarPU takes the one for the other, which stand in the same memory. */
void psg_task_regroup(psg_run *run, psg_regroup_way way, bool foreign, starpu_data_handle_t bundle,
                      const starpu_data_handle_t *blocks, size_t count) {
    const psg_task_args args = {
        .run = run,
        .kind = PSG_TASK_EXCHANGE,
        .messages = run->context->messages && foreign && way == PSG_REGROUP_JOIN ? 1 : 0};
    struct starpu_task *task = psg_task_create(run->context->exchange->regroup, &args, count + 1);
    if (task != NULL) {
        task->where = STARPU_NOWHERE;
        psg_task_use(task, 0, bundle, way == PSG_REGROUP_SPLIT ? STARPU_R : STARPU_W);
        for (size_t m = 0; m < count; m++) {
            psg_task_use(task, m + 1, blocks[m], way == PSG_REGROUP_SPLIT ? STARPU_W : STARPU_R);
        }
    }
    psg_task_submit(run, task);
}

void psg_task_exchange_codelets(psg_exchange_codelets *codelets, int *nodes) {
    for (int m = 0; m < PSG_TASK_PRECISIONS; m++) {
        codelets->regroup[m] = regroup;
        codelets->alltoall[m] = alltoall_codelet[m];
        codelets->regroup[m].specific_nodes = codelets->alltoall[m].specific_nodes = 1;
        codelets->regroup[m].dyn_nodes = codelets->alltoall[m].dyn_nodes = nodes;
    }
}
