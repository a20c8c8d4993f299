/* A library of scheduling policies that psg has to cope with. */
#include <starpu.h>
#include <starpu_scheduler.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void start(unsigned context) {
    (void)context;
}

static void crash(unsigned context) {
    (void)context;
    abort();
}

static int take(struct starpu_task *task) {
    starpu_push_task_end(task);
    return 0;
}

static struct starpu_task *give_none(unsigned context) {
    (void)context;
    return NULL;
}

#define POLICY(name, begin)                                                                        \
    {                                                                                              \
        .policy_name = name, .worker_type = STARPU_WORKER_LIST, .init_sched = begin,               \
        .push_task = take, .pop_task = give_none                                                   \
    }

static struct starpu_sched_policy crashes = POLICY("crashes", crash);
static struct starpu_sched_policy never = POLICY("never", start);        /* schedules a task */
static struct starpu_sched_policy not_given = POLICY("notgiven", start); /* by its name */
static struct starpu_sched_policy replaced, unlisted, late; /* StarPU's eager under other names */
static struct starpu_task *(*pop_eager)(unsigned context);
static atomic_bool open;

/* late gives no task before, and none while it is closed again. */
void faulty_open(bool is_open);

void faulty_open(bool is_open) {
    atomic_store(&open, is_open);
}

static struct starpu_task *pop_late(unsigned context) {
    return atomic_load(&open) ? pop_eager(context) : NULL;
}

static struct starpu_sched_policy *listed[] = {&crashes, &never, &not_given, &replaced, NULL};

struct starpu_sched_policy *starpu_get_sched_lib_policy(const char *name) {
    struct starpu_sched_policy *given[] = {&crashes, &never, &replaced, &unlisted, &late};
    for (size_t m = 0; m < sizeof given / sizeof *given; m++) {
        if (strcmp(name, given[m]->policy_name) == 0) {
            return given[m];
        }
    }
    return NULL;
}

struct starpu_sched_policy **starpu_get_sched_lib_policies(void) {
    return listed;
}

__attribute__((constructor)) static void find_eager(void) {
    struct starpu_sched_policy **own = starpu_sched_get_predefined_policies();
    while (strcmp((*own)->policy_name, "eager") != 0) {
        own++;
    }
    replaced = unlisted = late = **own;
    pop_eager = late.pop_task;
    late.pop_task = pop_late;
    late.policy_name = "late";
    replaced.policy_name = "prio";
    replaced.policy_description = "eager in the place of prio";
    unlisted.policy_name = "unlisted";
}
