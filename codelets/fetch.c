#include "codelets/codelets.h"
#include "runtime/task.h"

#include <pthread.h>

/* By memory node. Of a task's data the first come there, the second are only waited for. */
static struct starpu_codelet fetch_codelet[STARPU_MAXNODES];
static pthread_once_t made = PTHREAD_ONCE_INIT;

static void make(void) {
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
    (void)pthread_once(&made, make);
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
