#define _GNU_SOURCE /* sched_getaffinity() */
#include "app/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { THREADS_MOST = 256, RUNS_PER_THREAD = 4 }; /* a core that is late does fewer runs */

typedef struct team {
    void (*work)(void *context, size_t first, size_t end);
    void *context;
    size_t count, run;
    atomic_size_t next;
} team;

static void *help(void *argument) {
    team *t = argument;
    for (;;) {
        const size_t first = atomic_fetch_add(&t->next, t->run);
        if (first >= t->count) {
            return NULL;
        }
        t->work(t->context, first, t->count - first < t->run ? t->count : first + t->run);
    }
}

/* A launcher may have bound this process to some of the machine's cores. */
static size_t own_cores(void) {
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores)) {
        return 1;
    }
    const int count = CPU_COUNT(&cores);
    return count < 1 ? 1 : count > THREADS_MOST ? THREADS_MOST : (size_t)count;
}

void app_parallel(size_t count, void (*work)(void *context, size_t first, size_t end),
                  void *context) {
    pthread_t thread[THREADS_MOST];
    const size_t cores = own_cores();
    const size_t runs = RUNS_PER_THREAD * cores;
    team t = {.work = work, .context = context, .count = count, .run = (count + runs - 1) / runs};
    size_t started = 0;
    atomic_init(&t.next, 0);
    while (started + 1 < cores && started + 1 < count &&
           pthread_create(&thread[started], NULL, help, &t) == 0) {
        started++;
    }
    (void)help(&t);
    while (started > 0) {
        pthread_join(thread[--started], NULL);
    }
}
