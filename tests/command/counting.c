/* A scheduling policy that counts the tasks which StarPU gives it to place: one queue for all
 * workers. At the end it adds a line with the count to the file that PSG_TEST_COUNTS names. */
#include <starpu.h>
#include <starpu_scheduler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct starpu_task_list queue;
static starpu_pthread_mutex_t mutex;
static unsigned long placed;

static void begin(unsigned context) {
    (void)context;
    starpu_task_list_init(&queue);
    STARPU_PTHREAD_MUTEX_INIT(&mutex, NULL);
}

static void end(unsigned context) {
    const char *path = getenv("PSG_TEST_COUNTS");
    FILE *file = path != NULL ? fopen(path, "a") : NULL;
    (void)context;
    if (file != NULL) {
        fprintf(file, "%lu\n", placed);
        fclose(file);
    }
}

/* A worker that waits for the lock says so: StarPU may wait for the worker meanwhile. */
static void lock(void) {
    starpu_worker_relax_on();
    STARPU_PTHREAD_MUTEX_LOCK(&mutex);
    starpu_worker_relax_off();
}

static int push(struct starpu_task *task) {
    struct starpu_worker_collection *workers =
        starpu_sched_ctx_get_worker_collection(task->sched_ctx);
    struct starpu_sched_ctx_iterator next;
    lock();
    placed++;
    starpu_task_list_push_back(&queue, task);
    starpu_push_task_end(task);
    STARPU_PTHREAD_MUTEX_UNLOCK(&mutex);
    for (workers->init_iterator(workers, &next); workers->has_next(workers, &next);) {
        starpu_wake_worker_relax_light((unsigned)workers->get_next(workers, &next));
    }
    return 0;
}

static struct starpu_task *pop(unsigned context) {
    const unsigned worker = starpu_worker_get_id_check();
    struct starpu_task *task = NULL;
    (void)context;
    lock();
    for (task = starpu_task_list_begin(&queue); task != starpu_task_list_end(&queue);
         task = starpu_task_list_next(task)) {
        if (starpu_worker_can_execute_task_first_impl(worker, task, NULL)) {
            starpu_task_list_erase(&queue, task);
            break;
        }
    }
    STARPU_PTHREAD_MUTEX_UNLOCK(&mutex);
    return task;
}

static struct starpu_sched_policy counting = {.policy_name = "counting",
                                              .policy_description = "one queue, counted",
                                              .worker_type = STARPU_WORKER_LIST,
                                              .init_sched = begin,
                                              .deinit_sched = end,
                                              .push_task = push,
                                              .pop_task = pop};
static struct starpu_sched_policy *all[] = {&counting, NULL};

#define EXPORTED __attribute__((visibility("default")))
EXPORTED struct starpu_sched_policy *starpu_get_sched_lib_policy(const char *name);
EXPORTED struct starpu_sched_policy **starpu_get_sched_lib_policies(void);

struct starpu_sched_policy *starpu_get_sched_lib_policy(const char *name) {
    return strcmp(name, counting.policy_name) == 0 ? &counting : NULL;
}

struct starpu_sched_policy **starpu_get_sched_lib_policies(void) {
    return all;
}
