/* replay: the task graph of a file, of another program or of a run of psg's. Its tasks compute
 * nothing: each takes the time that it took. On a core of this machine it waits so long. A
 * simulation takes the time of a core or of a GPU as the file has it, and the links of its machine.
 * */
#include "workloads/replay.h"
#include "base/clock.h"
#include "base/tuning.h"
#include "graph/psg_machine.h"
#include "workloads/workload.h"

#include <starpu.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What the tasks change. */
typedef struct tally {
    atomic_size_t ended; /* tasks */
    atomic_size_t early; /* those that began before one that they wait for had ended */
} tally;

typedef struct problem {
    replay_graph graph;
    psg_data *data;    /* [graph.data] */
    atomic_bool *done; /* [graph.tasks] */
    tally *tally;
    int *rank;    /* [graph.tasks]: the place of its path to the end among all, from the shortest
                         on */
    bool by_path; /* a task's priority is its rank; else the file has it */
} problem;

static const replay_task *task_of(const problem *p, const psg_label *label) {
    return &p->graph.task[label->index[0]];
}

/* ------------------------------------------------------------------------------------ the task */

static double seconds(const void *owner, const psg_label *label, bool gpu) {
    const problem *p = owner;
    return p->graph.of_class[task_of(p, label)->of_class].seconds[gpu];
}

/* The core sleeps, and looks at the clock at the end, because a sleep ends late. */
static void wait_until(double end) {
    for (double left = end - base_now(); left > 0; left = end - base_now()) {
        if (left > TUNING_REPLAY_AWAKE_SECONDS) {
            const double nap = left - TUNING_REPLAY_AWAKE_SECONDS;
            const struct timespec time = {(time_t)nap, (long)((nap - (double)(time_t)nap) * 1e9)};
            (void)nanosleep(&time, NULL);
        }
    }
}

static void on_core(const psg_task *task) {
    const double start = base_now();
    const problem *p = task->owner;
    const size_t number = task->label->index[0];
    const replay_task *t = task_of(p, task->label);
    for (size_t m = t->need; m < t->need + t->needs; m++) {
        if (!atomic_load(&p->done[p->graph.need[m]])) {
            atomic_fetch_add(&p->tally->early, 1);
        }
    }
    wait_until(start + seconds(p, task->label, false));
    atomic_store(&p->done[number], true);
    atomic_fetch_add(&p->tally->ended, 1);
}

static void shape(const void *owner, const psg_label *label, psg_task_shape *shape) {
    const replay_task *t = task_of(owner, label);
    workload_shape(shape, 1, 1, 1, 1, t->uses);
    shape->variant = 1 + (int)t->of_class;
}

static int priority(const void *owner, const psg_label *label) {
    const problem *p = owner;
    return p->by_path ? p->rank[label->index[0]] : task_of(p, label)->priority;
}

static const psg_kind kinds[] = {{.name = "replay",
                                  .cores = true,
                                  .core = on_core,
                                  .shape = shape,
                                  .seconds = seconds,
                                  .priority = priority}};
static int first_kind;

static void submit(psg_run *run, const void *memory) {
    const problem *p = memory;
    size_t most = 1;
    for (size_t m = 0; m < p->graph.tasks; m++) {
        most = p->graph.task[m].uses > most ? p->graph.task[m].uses : most;
        atomic_store(&p->done[m], false);
    }
    atomic_store(&p->tally->ended, 0);
    atomic_store(&p->tally->early, 0);
    psg_task_data *data = malloc(most * sizeof *data);
    for (size_t m = 0; m < p->graph.tasks && data != NULL; m++) {
        const replay_task *t = &p->graph.task[m];
        for (size_t u = 0; u < t->uses; u++) {
            const replay_use *use = &p->graph.use[t->use + u];
            data[u] = (psg_task_data){&p->data[use->data], 1, 1, use->mode};
        }
        psg_run_submit(run, (psg_label){first_kind, {m, PSG_NO_INDEX, PSG_NO_INDEX}}, data,
                       t->uses);
    }
    free(data);
}

/* ---------------------------------------------------------------------------------------- paths */

typedef struct path {
    double seconds; /* from the task to the end */
    size_t task;
} path;

static int by_seconds(const void *a, const void *b) {
    const path *x = a, *y = b;
    return x->seconds != y->seconds ? (x->seconds > y->seconds) - (x->seconds < y->seconds)
                                    : (x->task < y->task) - (x->task > y->task);
}

/* Each task comes after all that it waits for. */
static bool rank_paths(problem *p) {
    const replay_graph *g = &p->graph;
    path *paths = calloc(g->tasks, sizeof *paths);
    p->rank = calloc(g->tasks, sizeof *p->rank);
    for (size_t m = g->tasks; m-- > 0 && paths != NULL && p->rank != NULL;) {
        const replay_task *t = &g->task[m];
        const double *of = g->of_class[t->of_class].seconds;
        paths[m].seconds += of[0] > 0 && (of[1] <= 0 || of[0] < of[1]) ? of[0] : of[1];
        paths[m].task = m;
        for (size_t n = t->need; n < t->need + t->needs; n++) {
            path *before = &paths[g->need[n]];
            before->seconds =
                paths[m].seconds > before->seconds ? paths[m].seconds : before->seconds;
        }
    }
    const bool good = paths != NULL && p->rank != NULL;
    if (good) {
        qsort(paths, g->tasks, sizeof *paths, by_seconds);
    }
    for (size_t m = 0; m < g->tasks && good; m++) {
        p->rank[paths[m].task] = (int)m;
    }
    free(paths);
    return good;
}

/* ------------------------------------------------------------------------------------ the size */

static psg_status parse(void *memory, const char *size, const workload_options *how,
                        psg_precision precision) {
    problem *p = memory;
    (void)precision;
    if (size[0] == '\0') {
        return workload_fail(PSG_ERR_ARG, "replay: the size is a file, replay:tasks.rec");
    }
    p->by_path = how->priority == WORKLOAD_PATH;
    const psg_status status = replay_read(&p->graph, size);
    if (status != PSG_OK) {
        replay_free(&p->graph);
    }
    return status;
}

/* Tasks on GPUs exist in simulations alone. */
static psg_status cut(void *memory, const psg_engine_workers *workers) {
    const problem *p = memory;
    for (size_t c = 0; c < p->graph.classes; c++) {
        const replay_class *of = &p->graph.of_class[c];
        const bool gpu = of->seconds[1] > 0 && workers->simulated && workers->gpus > 0;
        if (!gpu && !(of->seconds[0] > 0 && workers->cpus > 0)) {
            return workload_fail(PSG_ERR_UNSUPPORTED,
                                 "replay: it is not known how long %s takes on a %s, and there "
                                 "is no other worker for it",
                                 of->model[0] != '\0' ? of->model : "a task without a model",
                                 workers->cpus > 0 ? "core" : "GPU");
        }
    }
    return PSG_OK;
}

static double bytes_of(const problem *p) {
    double sum = 0;
    for (size_t m = 0; m < p->graph.data; m++) {
        sum += (double)p->graph.bytes[m];
    }
    return sum;
}

static workload_needs needs(const void *memory, const psg_engine_workers *workers) {
    const problem *p = memory;
    (void)workers;
    return (workload_needs){bytes_of(p) + (double)p->graph.data * TUNING_HANDLE_BYTES,
                            (double)p->graph.tasks * TUNING_TASK_BYTES};
}

static void tell(const void *memory, char *text, size_t size) {
    const problem *p = memory;
    (void)snprintf(text, size, "%zu tasks of %zu kinds and sizes, %zu pieces of data of %.3g MB",
                   p->graph.tasks, p->graph.classes, p->graph.data, bytes_of(p) * 1e-6);
}

/* ------------------------------------------------------------------------------------ the data */

static psg_status make(void *memory, const psg_work *work) {
    problem *p = memory;
    p->data = calloc(p->graph.data + 1, sizeof *p->data);
    p->done = calloc(p->graph.tasks, sizeof *p->done);
    p->tally = calloc(1, sizeof *p->tally);
    psg_status status =
        p->data != NULL && p->done != NULL && p->tally != NULL && rank_paths(p)
            ? PSG_OK
            : workload_fail(PSG_ERR_MEMORY, "no memory for %zu tasks", p->graph.tasks);
    for (size_t m = 0; m < p->graph.data && status == PSG_OK; m++) {
        const size_t bytes = p->graph.bytes[m] > 0 ? p->graph.bytes[m] : 1;
        status = workload_hold(&p->data[m], work, 1, 1, 1, bytes);
    }
    return status;
}

static void destroy(void *memory) {
    problem *p = memory;
    psg_data_free(p->data, p->data != NULL ? p->graph.data : 0);
    free(p->data);
    free(p->done);
    free(p->tally);
    free(p->rank);
    replay_free(&p->graph);
}

/* What a task reads first begins in main memory. */
static bool prepare(const void *memory) {
    const problem *p = memory;
    bool *seen = calloc(p->graph.data + 1, sizeof *seen);
    bool good = seen != NULL;
    for (size_t m = 0; m < p->graph.uses && good; m++) {
        const replay_use *use = &p->graph.use[m];
        if (!seen[use->data] && (use->mode & STARPU_R) != 0) {
            good = psg_data_acquire(p->data[use->data], true) != NULL || psg_simulation();
            if (good) {
                psg_data_release(p->data[use->data]);
            }
        }
        seen[use->data] = true;
    }
    free(seen);
    return good;
}

static size_t answers(void *memory, workload_answer *list) {
    const problem *p = memory;
    list[0] = (workload_answer){.name = "ended",
                                .value = (double)atomic_load(&p->tally->ended),
                                .expected = (double)p->graph.tasks};
    list[1] = (workload_answer){.name = "early", .value = (double)atomic_load(&p->tally->early)};
    return 2;
}

const workload_row workload_replay = {
    .facts = {.name = "replay",
              .about =
                  "the task graph of a file, of another program or of a run of psg's: tasks that "
                  "wait as long as they took",
              .sizes = "FILE: a tasks.rec of StarPU's, or of --dag FILE.rec"},
    .bytes = sizeof(problem),
    .f32 = true,
    .kinds = kinds,
    .kind_count = 1,
    .first = &first_kind,
    .parse = parse,
    .cut = cut,
    .needs = needs,
    .tell = tell,
    .make = make,
    .prepare = prepare,
    .submit = submit,
    .answers = answers,
    .free = destroy,
};
