/* From the records of a tasks.rec to a graph. A task waits for those that the file says, and for
 * those that used its data before it, as StarPU orders them. Records without a worker are no tasks:
 * they only order others. */
#include "base/hash.h"
#include "base/memory.h"
#include "workloads/replay.h"
#include "workloads/workload.h"

#include <limits.h>
#include <math.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE SIZE_MAX

/* What is sorted, with what it is sorted by. */
typedef struct key {
    uint64_t key;
    size_t of;
} key;

typedef struct keys {
    key *key;
    size_t count;
} keys;

typedef struct builder {
    const char *path;
    replay_records records;
    replay_graph *graph;
    keys order;         /* records, as they were submitted. It has the memory of all keys */
    keys job;           /* records, by their jobs */
    keys handle, model; /* each once */
    size_t *task_of;    /* [count]: the task of a record; NONE: none yet */
    size_t *piece;     /* [count]: the data by which others wait for a task; NONE: there are none */
    size_t *seen;      /* [count]: 1 + the task that found a record last */
    size_t *stack;     /* [values]: records that are to be looked at */
    int column[2];     /* of the estimates the one of a core, and of a GPU; -1: there is none */
    size_t uses, room; /* places for uses: how many were given away, and how many there are */
} builder;

/* -------------------------------------------------------------------------------------- sorting */

static int by_key(const void *a, const void *b) {
    const key *x = a, *y = b;
    const int order = (x->key > y->key) - (x->key < y->key);
    return order != 0 ? order : (x->of > y->of) - (x->of < y->of);
}

static void sort(keys *all) {
    qsort(all->key, all->count, sizeof *all->key, by_key);
}

static void sort_once(keys *all) {
    size_t count = 0;
    sort(all);
    for (size_t m = 0; m < all->count; m++) {
        if (count == 0 || all->key[count - 1].key != all->key[m].key) {
            all->key[count++] = (key){all->key[m].key, 0};
        }
    }
    all->count = count;
}

/* @return where it stands, of those that are there once; NONE: it is not there */
static size_t place_of(const keys *all, uint64_t wanted) {
    size_t low = 0, high = all->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        low = all->key[middle].key < wanted ? middle + 1 : low;
        high = all->key[middle].key < wanted ? high : middle;
    }
    return low < all->count && all->key[low].key == wanted ? low : NONE;
}

static const replay_record *at(const builder *b, size_t record) {
    return &b->records.record[record];
}

static uint64_t number(const builder *b, size_t record, int field) {
    return replay_number(&b->records, record, field);
}

static unsigned long long job_of(const builder *b, size_t record) {
    return number(b, record, REPLAY_JOB);
}

/* Tasks that have a model and a footprint in common take the same time. */
static uint64_t class_key(const builder *b, size_t record) {
    const char *model = at(b, record)->model;
    const uint64_t footprint = number(b, record, REPLAY_KIND);
    return base_hash(base_hash(BASE_HASH_NOTHING, model, strlen(model)), &footprint,
                     sizeof footprint);
}

static psg_status sort_all(builder *b) {
    for (size_t m = 0; m < b->records.count; m++) {
        const uint64_t order = number(b, m, REPLAY_ORDER);
        b->order.key[b->order.count++] = (key){order > 0 ? order : UINT64_MAX, m};
        b->job.key[b->job.count++] = (key){job_of(b, m), m};
        if (replay_is_task(&b->records, m)) {
            b->model.key[b->model.count++] = (key){class_key(b, m), 0};
        }
        for (size_t u = 0; u < at(b, m)->field[REPLAY_HANDLES].count; u++) {
            b->handle.key[b->handle.count++] =
                (key){replay_at(&b->records, m, REPLAY_HANDLES, u).number, 0};
        }
        b->task_of[m] = b->piece[m] = NONE;
    }
    sort(&b->order);
    sort(&b->job);
    sort_once(&b->handle);
    sort_once(&b->model);
    b->graph->data = b->handle.count;
    b->graph->classes = b->model.count;
    for (size_t m = 1; m < b->job.count; m++) {
        const key *one = &b->job.key[m - 1], *other = &b->job.key[m];
        if (one->key == other->key) {
            return workload_fail(
                PSG_ERR_ARG, "%s: the records from lines %zu and %zu on have one JobId, %llu",
                b->path, at(b, one->of)->line, at(b, other->of)->line, job_of(b, one->of));
        }
    }
    return PSG_OK;
}

/* ----------------------------------------------------------------------------- classes of tasks */

/* Which workers are GPUs: as the file begins by saying, or those whose tasks had another memory
 * than main memory. */
static void find_columns(builder *b) {
    const replay_records *r = &b->records;
    int seen[2] = {-1, -1}, most_gpu = -1, last = -1;
    for (size_t m = 0; m < r->count; m++) {
        const bool gpu = number(b, m, REPLAY_MEMORY) > 0;
        const int worker = (int)number(b, m, REPLAY_WORKER);
        const int estimates = (int)r->record[m].field[REPLAY_ESTIMATES].count;
        if (replay_is_task(r, m)) {
            seen[gpu] = worker;
            most_gpu = gpu && worker > most_gpu ? worker : most_gpu;
            last = estimates - 1 > last ? estimates - 1 : last;
        }
    }
    b->column[0] = seen[0] >= 0 ? seen[0] : last > most_gpu ? last : -1;
    b->column[1] = seen[1];
    if (r->gpus >= 0) {
        b->column[0] = r->cpus > 0 ? r->gpus : -1;
        b->column[1] = r->gpus > 0 ? 0 : -1;
    }
}

static double time_of(const builder *b, size_t record, int field, size_t m) {
    const double time =
        m < at(b, record)->field[field].count ? replay_at(&b->records, record, field, m).real : 0;
    return isfinite(time) ? time : 0;
}

/* What was estimated; else the mean of those that ran. */
static void add_times(builder *b, size_t record, size_t of_class) {
    replay_class *c = &b->graph->of_class[of_class];
    const double seconds =
        1e-3 * (time_of(b, record, REPLAY_END, 0) - time_of(b, record, REPLAY_START, 0));
    const int gpus = b->records.gpus;
    const bool gpu = gpus >= 0 ? number(b, record, REPLAY_WORKER) < (uint64_t)gpus
                               : number(b, record, REPLAY_MEMORY) > 0;
    (void)snprintf(c->model, sizeof c->model, "%s", at(b, record)->model);
    for (int m = 0; m < 2; m++) {
        const double estimate = time_of(b, record, REPLAY_ESTIMATES, (size_t)b->column[m]);
        c->seconds[m] = estimate > 0 ? 1e-6 * estimate : c->seconds[m];
    }
    if (seconds > 0) {
        c->measured[gpu] += seconds;
        c->ran[gpu]++;
    }
}

static psg_status find_times(builder *b) {
    for (size_t m = 0; m < 2 * b->graph->classes; m++) {
        replay_class *c = &b->graph->of_class[m / 2];
        if (c->seconds[m % 2] <= 0 && c->ran[m % 2] > 0) {
            c->seconds[m % 2] = c->measured[m % 2] / (double)c->ran[m % 2];
        }
    }
    for (size_t m = 0; m < b->records.count; m++) {
        const size_t task = b->task_of[m];
        const replay_class *c =
            &b->graph->of_class[task != NONE ? b->graph->task[task].of_class : 0];
        if (task != NONE && c->seconds[0] <= 0 && c->seconds[1] <= 0) {
            return workload_fail(PSG_ERR_ARG,
                                 "%s: the task from line %zu on, %s, has no time: neither "
                                 "StartTime and EndTime nor EstimatedTime",
                                 b->path, at(b, m)->line, at(b, m)->name);
        }
    }
    return PSG_OK;
}

/* ---------------------------------------------------------------------------------------- tasks */

static bool make_room(builder *b, size_t more) {
    bool good = true;
    if (b->uses + more > b->room) {
        b->room = 2 * (b->uses + more);
        b->graph->use = base_grown(b->graph->use, b->room, sizeof *b->graph->use, &good);
    }
    return good;
}

/* Data that a task has twice, StarPU gets once. */
static void add_use(replay_graph *g, replay_task *t, size_t data, int mode) {
    replay_use *use = &g->use[t->use];
    size_t m = 0;
    while (m < t->uses && use[m].data != data) {
        m++;
    }
    use[m] = (replay_use){data, mode | (m < t->uses ? use[m].mode : 0)};
    t->uses += m == t->uses;
}

/* Does StarPU order two tasks by their data? */
static bool ordered(const replay_graph *g, const replay_task *x, const replay_task *y) {
    for (const replay_use *u = &g->use[x->use]; u < &g->use[x->use + x->uses]; u++) {
        for (const replay_use *v = &g->use[y->use]; v < &g->use[y->use + y->uses]; v++) {
            if (u->data == v->data && ((u->mode | v->mode) & STARPU_W) != 0 &&
                (u->mode & v->mode & STARPU_COMMUTE) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* A task waits for one before it. There is room for one use before those of each. */
static psg_status wait_for(builder *b, size_t record, size_t before) {
    replay_graph *g = b->graph;
    replay_task *t = &g->task[b->task_of[record]];
    if (b->task_of[before] == NONE || before == record) {
        return workload_fail(PSG_ERR_ARG,
                             "%s: job %llu waits for job %llu, which is not submitted before it: "
                             "they wait in a circle, or the order of submission is wrong",
                             b->path, job_of(b, record), job_of(b, before));
    }
    replay_task *other = &g->task[b->task_of[before]];
    if (ordered(g, other, t)) {
        return PSG_OK;
    }
    if (!make_room(b, 1)) {
        return PSG_ERR_MEMORY;
    }
    if (b->piece[before] == NONE) {
        b->piece[before] = g->data++;
        other->uses++;
        g->use[--other->use] = (replay_use){b->piece[before], STARPU_W};
    }
    add_use(g, t, b->piece[before], STARPU_R);
    b->uses++;
    return PSG_OK;
}

/* Those that the file says. A record that is no task stands for all that it waits for. */
static psg_status add_needs(builder *b, size_t record) {
    size_t depth = 0;
    psg_status status = PSG_OK;
    b->stack[depth++] = record;
    while (depth > 0 && status == PSG_OK) {
        const size_t from = b->stack[--depth];
        for (size_t m = 0; m < at(b, from)->field[REPLAY_DEPENDS].count && status == PSG_OK; m++) {
            const uint64_t wanted = replay_at(&b->records, from, REPLAY_DEPENDS, m).number;
            const size_t place = place_of(&b->job, wanted);
            const size_t before = place != NONE ? b->job.key[place].of : NONE;
            if (before == NONE) {
                status = workload_fail(PSG_ERR_ARG,
                                       "%s: job %llu, from line %zu on, depends on job %llu, which "
                                       "is not there",
                                       b->path, job_of(b, from), at(b, from)->line,
                                       (unsigned long long)wanted);
            } else if (replay_is_task(&b->records, before)) {
                status = wait_for(b, record, before);
            } else if (b->seen[before] != record + 1) {
                b->seen[before] = record + 1;
                b->stack[depth++] = before;
            }
        }
    }
    return status;
}

static psg_status add_task(builder *b, size_t record) {
    const replay_records *r = &b->records;
    replay_graph *g = b->graph;
    replay_task *t = &g->task[g->tasks];
    const int64_t priority = (int64_t)number(b, record, REPLAY_PRIORITY);
    b->task_of[record] = g->tasks++;
    t->priority = (int)(priority < INT_MIN ? INT_MIN : priority > INT_MAX ? INT_MAX : priority);
    t->of_class = place_of(&b->model, class_key(b, record));
    t->use = b->uses + 1;
    if (!make_room(b, 1 + at(b, record)->field[REPLAY_HANDLES].count)) {
        return PSG_ERR_MEMORY;
    }
    add_times(b, record, t->of_class);
    for (size_t u = 0; u < at(b, record)->field[REPLAY_HANDLES].count; u++) {
        const size_t data = place_of(&b->handle, replay_at(r, record, REPLAY_HANDLES, u).number);
        const size_t bytes = replay_at(r, record, REPLAY_SIZES, u).number;
        const int mode = (int)replay_at(r, record, REPLAY_MODES, u).number;
        if (mode != 0) {
            g->bytes[data] = bytes > g->bytes[data] ? bytes : g->bytes[data];
            add_use(g, t, data, mode);
        }
    }
    b->uses += 1 + t->uses;
    return add_needs(b, record);
}

static psg_status add_tasks(builder *b) {
    psg_status status = PSG_OK;
    find_columns(b);
    for (size_t m = 0; m < b->records.count && status == PSG_OK; m++) {
        const size_t record = b->order.key[m].of;
        status = replay_is_task(&b->records, record) ? add_task(b, record) : status;
    }
    return status == PSG_OK && b->graph->tasks == 0
               ? workload_fail(PSG_ERR_ARG, "%s has no task that a worker did", b->path)
               : status;
}

/* ------------------------------------------------------------------------------------ the whole */

static psg_status begin(builder *b) {
    const size_t count = b->records.count + 1, values = b->records.values + 1;
    replay_graph *g = b->graph;
    b->order.key = calloc(3 * count + values, sizeof *b->order.key);
    b->task_of = calloc(4 * count, sizeof *b->task_of);
    g->task = calloc(count, sizeof *g->task);
    g->of_class = calloc(count, sizeof *g->of_class);
    g->bytes = calloc(values + count, sizeof *g->bytes);
    if (b->order.key == NULL || b->task_of == NULL || g->task == NULL || g->of_class == NULL ||
        g->bytes == NULL) {
        return PSG_ERR_MEMORY;
    }
    b->job.key = b->order.key + count;
    b->model.key = b->job.key + count;
    b->handle.key = b->model.key + count;
    b->piece = b->task_of + count;
    b->seen = b->piece + count;
    b->stack = b->seen + count;
    return PSG_OK;
}

psg_status replay_read(replay_graph *graph, const char *path) {
    static psg_status (*const steps[])(builder *) = {begin, sort_all, add_tasks, find_times};
    builder b = {.path = path, .graph = graph};
    psg_status status = replay_records_read(&b.records, path);
    for (size_t m = 0; m < sizeof steps / sizeof *steps && status == PSG_OK; m++) {
        status = steps[m](&b);
    }
    free(b.order.key);
    free(b.task_of);
    replay_records_free(&b.records);
    return status != PSG_ERR_MEMORY ? status
                                    : workload_fail(status, "no memory for the tasks of %s", path);
}

void replay_free(replay_graph *graph) {
    free(graph->task);
    free(graph->of_class);
    free(graph->use);
    free(graph->bytes);
    memset(graph, 0, sizeof *graph);
}
