/* Tasks that only move data: a slab to or from an array, and data to a memory node. */
#include "codelets/copy.h"
#include "runtime/task.h"
#if PSG_WITH_CUDA
#include "runtime/copies_cuda.h"
#endif

#include <pthread.h>
#include <string.h>

static void copy_cpu(void *buffers[], void *argument) {
    const psg_slab_copy *copy = argument;
    void *slab = psg_task_pointer(buffers, 0);
    memcpy(copy->put ? slab : copy->array, copy->put ? copy->array : slab, copy->bytes);
}

#if PSG_WITH_CUDA
static void copy_cuda(void *buffers[], void *argument) {
    psg_slab_copy *copy = argument;
    void *slab = psg_task_pointer(buffers, 0);
    copy->failed = psg_cuda_copy(copy->put ? slab : copy->array, copy->put ? copy->array : slab,
                                 copy->bytes, copy->put) != 0;
}
#endif

/* No time of theirs is asked for, so they have no model. */
#define COPY_CODELET(mode)                                                                         \
    {                                                                                              \
        .name = "copy", .cpu_funcs = {copy_cpu}, PSG_CODELET_CUDA(copy).nbuffers = 1,              \
        .modes = {mode}, .type = STARPU_FORKJOIN, .max_parallelism = 1                             \
    }
static struct starpu_codelet put_codelet = COPY_CODELET(STARPU_W);
static struct starpu_codelet get_codelet = COPY_CODELET(STARPU_R);

struct starpu_task *psg_task_copy(starpu_data_handle_t slab, int worker, psg_slab_copy *copy) {
    struct starpu_task *task = starpu_task_create();
    if (task == NULL) {
        return NULL;
    }
    task->cl = copy->put ? &put_codelet : &get_codelet;
    task->handles[0] = slab;
    task->cl_arg = copy;
    task->execute_on_a_specific_worker = 1;
    task->workerid = (unsigned)worker;
    task->detach = 0;
    if (starpu_task_submit(task) != 0) {
        starpu_task_destroy(task);
        return NULL;
    }
    return task;
}

/* ----------------------------------------------------------------------------------- fetch */

/* By memory node. Of a task's data the first come there, the second are only waited for. */
static struct starpu_codelet fetch_codelet[STARPU_MAXNODES];
static pthread_once_t fetch_made = PTHREAD_ONCE_INIT;

static void make_fetch(void) {
    for (int node = 0; node < STARPU_MAXNODES; node++) {
        fetch_codelet[node] = (struct starpu_codelet){.name = "fetch",
                                                      .where = STARPU_NOWHERE,
                                                      .nbuffers = STARPU_VARIABLE_NBUFFERS,
                                                      .specific_nodes = 1,
                                                      .nodes = {node, STARPU_SPECIFIC_NODE_LOCAL}};
    }
}

static void fetched(void *run) {
    psg_run_end_task(run);
}

void psg_task_fetch(psg_run *run, int node, starpu_data_handle_t data, starpu_data_handle_t after) {
    (void)pthread_once(&fetch_made, make_fetch);
    struct starpu_task *task = starpu_task_create();
    task->cl = &fetch_codelet[node];
    task->nbuffers = after != NULL ? 2 : 1;
    psg_task_use(task, 0, data, STARPU_R);
    if (after != NULL) {
        psg_task_use(task, 1, after, STARPU_R);
    }
    task->epilogue_callback_func = fetched;
    task->epilogue_callback_arg = run;
    psg_run_begin_task(run);
    if (!psg_task_hand_over(run, task)) {
        psg_run_end_task(run);
    }
}
