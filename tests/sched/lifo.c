/* A scheduling policy of one's own: a stack for all workers. A worker takes the youngest task that
 * it can execute, because the data of that task are more likely to be in its cache. */
#include <starpu.h>
#include <starpu_scheduler.h>
#include <string.h>

static starpu_pthread_mutex_t mutex;
static struct starpu_task_list stack; /* the youngest task first; under the mutex */

static void begin(unsigned context) {
    (void)context;
    STARPU_PTHREAD_MUTEX_INIT(&mutex, NULL);
    starpu_task_list_init(&stack);
}

static void end(unsigned context) {
    (void)context;
    STARPU_PTHREAD_MUTEX_DESTROY(&mutex);
}

/* A task is ready: all that it depends on has ended. */
static int push(struct starpu_task *task) {
    struct starpu_sched_ctx_iterator at;
    struct starpu_worker_collection *w = starpu_sched_ctx_get_worker_collection(task->sched_ctx);
    STARPU_PTHREAD_MUTEX_LOCK(&mutex);
    starpu_task_list_push_front(&stack, task);
    starpu_push_task_end(task);
    STARPU_PTHREAD_MUTEX_UNLOCK(&mutex); /* from here on the task may have ended, and be gone */
    for (w->init_iterator(w, &at); w->has_next(w, &at);) {
        starpu_wake_worker_relax_light(w->get_next(w, &at));
    }
    return 0;
}

/* A worker asks for a task. NULL: there is none for it. */
static struct starpu_task *pop(unsigned context) {
    const unsigned worker = starpu_worker_get_id_check();
    (void)context;
    STARPU_PTHREAD_MUTEX_LOCK(&mutex);
    struct starpu_task *task = starpu_task_list_begin(&stack);
    while (task != NULL && !starpu_worker_can_execute_task_first_impl(worker, task, NULL)) {
        task = starpu_task_list_next(task);
    }
    if (task != NULL) {
        starpu_task_list_erase(&stack, task);
    }
    STARPU_PTHREAD_MUTEX_UNLOCK(&mutex);
    return task;
}

static struct starpu_sched_policy lifo = {.policy_name = "mylifo",
                                          .policy_description = "one stack for all workers",
                                          .worker_type = STARPU_WORKER_LIST,
                                          .init_sched = begin,
                                          .deinit_sched = end,
                                          .push_task = push,
                                          .pop_task = pop};
static struct starpu_sched_policy *all[] = {&lifo, NULL};

/* StarPU gets a policy by its name. */
struct starpu_sched_policy *starpu_get_sched_lib_policy(const char *name) {
    return strcmp(name, lifo.policy_name) == 0 ? &lifo : NULL;
}

/* psg lists them all. */
struct starpu_sched_policy **starpu_get_sched_lib_policies(void) {
    return all;
}
