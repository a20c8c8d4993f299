#include "codelets/codelets.h"
#include "runtime/task.h"
#if PSG_WITH_CUDA
#include "runtime/copies_cuda.h"
#endif

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
