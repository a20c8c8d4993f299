/* replay: the task graph of a file, of another program or of a run of psg's. Its tasks compute
 * nothing: each takes the time that it took. On a core of this machine it waits so long. A
 * simulation takes the time of a core or of a GPU as the file has it, and the links of its machine.
 * */
#include "workloads/replay.h"
#include "base/clock.h"
#include "base/tuning.h"
#include "graph/psg_machine.h"
#include "workloads/workload.h"

#include <math.h>
#include <starpu.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

typedef struct problem {
    workload_head head;
    replay_graph graph;
    psg_data *data;  /* [graph.data] */
    psg_data *input; /* [inputs]: of these what a task reads first, so it is in main memory */
    size_t inputs;
    psg_task_data *uses;  /* of a task that is submitted: room for the most that one has */
    atomic_size_t *ended; /* tasks */
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
    wait_until(start + seconds(p, task->label, false));
    atomic_fetch_add(p->ended, 1);
}

static void shape(const void *owner, const psg_label *label, psg_task_shape *shape) {
    const replay_task *t = task_of(owner, label);
    workload_shape(shape, 1, 1, 1, 1, t->uses);
    shape->variant = 1 + (int)t->of_class;
}

static int priority(const void *owner, const psg_label *label) {
    return task_of(owner, label)->priority;
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
    atomic_store(p->ended, 0);
    for (size_t m = 0; m < p->graph.tasks; m++) {
        const replay_task *t = &p->graph.task[m];
        for (size_t u = 0; u < t->uses; u++) {
            const replay_use *use = &p->graph.use[t->use + u];
            p->uses[u] = (psg_task_data){&p->data[use->data], 1, 1, use->mode};
        }
        psg_run_submit(run, (psg_label){first_kind, {m, PSG_NO_INDEX, PSG_NO_INDEX}}, p->uses,
                       t->uses);
    }
}

/* ---------------------------------------------------------------------------------------- paths */

/* A priority is the longest path from a task to the end, the longest of all having the most. Each
 * task comes after all that it waits for. Of each piece of data there is the longest path from the
 * tasks that use it, and from those that write it. */
static void rank_paths(problem *p) {
    enum { MOST = 1000000 };
    replay_graph *g = &p->graph;
    double *path = workload_memory(&p->head, g->tasks + 2 * g->data, sizeof *path), longest = 0;
    if (path == NULL) {
        return;
    }
    double *all = path + g->tasks, *writes = all + g->data;
    for (size_t m = g->tasks; m-- > 0;) {
        const replay_task *t = &g->task[m];
        const replay_use *use = &g->use[t->use], *end = use + t->uses;
        const double *of = g->of_class[t->of_class].seconds;
        for (const replay_use *u = use; u < end; u++) {
            path[m] = fmax(path[m], (u->mode & STARPU_W) != 0 ? all[u->data] : writes[u->data]);
        }
        path[m] += of[0] > 0 && of[1] > 0 ? fmin(of[0], of[1]) : of[0] + of[1];
        for (const replay_use *u = use; u < end; u++) {
            all[u->data] = fmax(all[u->data], path[m]);
            writes[u->data] = (u->mode & STARPU_W) != 0 ? path[m] : writes[u->data];
        }
        longest = fmax(longest, path[m]);
    }
    for (size_t m = 0; m < g->tasks; m++) {
        g->task[m].priority = (int)(MOST * (path[m] / longest));
    }
}

/* ------------------------------------------------------------------------------------ the size */

static psg_status parse(void *memory, const char *size, const workload_options *how) {
    problem *p = memory;
    (void)how;
    if (size[0] == '\0') {
        return workload_fail(PSG_ERR_ARG, "replay: the size is a file, replay:tasks.rec");
    }
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

static workload_needs needs(const void *memory) {
    const problem *p = memory;
    return (workload_needs){bytes_of(p), (double)p->graph.data, (double)p->graph.tasks, 0};
}

static void tell(const void *memory, char *text, size_t size) {
    const problem *p = memory;
    (void)snprintf(text, size, "%zu tasks of %zu kinds and sizes, %zu pieces of data of %.3g MB",
                   p->graph.tasks, p->graph.classes, p->graph.data, bytes_of(p) * 1e-6);
}

/* ------------------------------------------------------------------------------------ the data */

static void find_inputs(problem *p) {
    const replay_graph *g = &p->graph;
    bool *seen = workload_memory(&p->head, g->data, sizeof *seen);
    p->input = workload_memory(&p->head, g->data, sizeof *p->input);
    for (size_t m = 0; m < g->tasks && !p->head.failed; m++) {
        const replay_use *use = &g->use[g->task[m].use], *end = use + g->task[m].uses;
        for (; use < end; use++) {
            if (!seen[use->data] && (use->mode & STARPU_R) != 0) {
                p->input[p->inputs++] = p->data[use->data];
            }
            seen[use->data] = true;
        }
    }
}

static void make(void *memory) {
    problem *p = memory;
    size_t most = 1;
    p->data = workload_memory(&p->head, p->graph.data, sizeof *p->data);
    p->ended = workload_memory(&p->head, 1, sizeof *p->ended);
    if (p->head.by_path) { /* else the file has the priorities */
        rank_paths(p);
    }
    for (size_t m = 0; m < p->graph.data && !p->head.failed; m++) {
        const size_t bytes = p->graph.bytes[m] > 0 ? p->graph.bytes[m] : 1;
        workload_hold(&p->head, &p->data[m], 1, 1, 1, bytes);
    }
    find_inputs(p);
    for (size_t m = 0; m < p->graph.tasks; m++) {
        most = p->graph.task[m].uses > most ? p->graph.task[m].uses : most;
    }
    p->uses = workload_memory(&p->head, most, sizeof *p->uses);
}

static void destroy(void *memory) {
    replay_free(&((problem *)memory)->graph);
}

static bool prepare(const void *memory) {
    const problem *p = memory;
    return workload_visit(p, p->input, p->inputs, 1, true, NULL, NULL);
}

static size_t answers(void *memory, workload_answer *list) {
    const problem *p = memory;
    list[0] = (workload_answer){.name = "ended",
                                .value = (double)atomic_load(p->ended),
                                .expected = (double)p->graph.tasks};
    return 1;
}

const workload_row workload_replay = {
    .facts = {.name = "replay",
              .about =
                  "the task graph of a file, of another program or of a run of psg's: tasks that "
                  "wait as long as they took",
              .sizes = "FILE: a tasks.rec of StarPU's, or of --dag FILE.rec"},
    WORKLOAD_FIELDS,
    .f32 = true,
    .cut = cut,
    .prepare = prepare,
    .free = destroy,
};
