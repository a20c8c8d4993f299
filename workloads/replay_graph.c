/* From the records of a tasks.rec to a graph. A task waits for those that the file says, and for
 * those that used its data before it, as StarPU orders them: who reads waits for who wrote last,
 * who writes waits for who read. Records without a worker are no tasks: they only order others. */
#include "workloads/replay_record.h"
#include "workloads/workload.h"

#include <math.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE SIZE_MAX

/* Record `after` waits for record `before`. */
typedef struct need {
    size_t after, before;
    bool by_data; /* else the file says so */
} need;

/* A list in `user`: who used a piece of data. */
typedef struct user {
    size_t record, next;
} user;

/* Of a piece of data: those that the next user waits for, and those that use it since, in the same
 * way as one another. */
typedef struct chain {
    size_t before, since;
    bool adds; /* these change it, in no order */
} chain;

typedef struct builder {
    const char *path;
    replay_records records;
    replay_graph *graph;
    size_t *by_order; /* [count]: records, as they were submitted */
    size_t *by_job;   /* [count]: records, by their jobs */
    need *need;
    size_t needs, need_room;
    size_t *first;  /* [count + 1]: where the needs of each record begin, once they are sorted */
    size_t *sorted; /* [count]: records, each after all that it waits for */
    size_t *data;   /* [handle.count]: the number of the piece */
    user *user;
    size_t users, user_room;
    size_t *task_of; /* [count]: the task of a record; NONE: it is no task */
    bool good;       /* there was memory */
} builder;

/* A record by its number. */
static const replay_record *at(const builder *b, size_t record) {
    return &b->records.record[record];
}

static bool is_task(const replay_record *r) {
    return r->worker >= 0;
}

/* -------------------------------------------------------------------------------------- sorting */

static int compare(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

/* Records, with what they are sorted by. */
typedef struct key {
    uint64_t key, second;
    size_t of;
} key;

static int by_key(const void *a, const void *b) {
    const key *x = a, *y = b;
    const int order = compare(x->key, y->key);
    return order != 0 ? order : compare(x->second, y->second);
}

/* @param[out] of  [count]: in the order of the keys, which are sorted, too */
static void sort(key *keys, size_t count, size_t *of) {
    qsort(keys, count, sizeof *keys, by_key);
    for (size_t m = 0; m < count; m++) {
        of[m] = keys[m].of;
    }
}

/* Two of one job are an error. */
static psg_status sort_records(builder *b) {
    const size_t count = b->records.count;
    key *keys = calloc(count + 1, sizeof *keys);
    psg_status status = keys != NULL ? PSG_OK : PSG_ERR_MEMORY;
    for (size_t m = 0; m < count && keys != NULL; m++) {
        const uint64_t order = at(b, m)->order;
        keys[m] = (key){order > 0 ? order : UINT64_MAX, m, m};
    }
    if (status == PSG_OK) {
        sort(keys, count, b->by_order);
        for (size_t m = 0; m < count; m++) {
            keys[m] = (key){at(b, m)->job, m, m};
        }
        sort(keys, count, b->by_job);
    }
    for (size_t m = 1; m < count && status == PSG_OK; m++) {
        if (keys[m].key == keys[m - 1].key) {
            status = workload_fail(PSG_ERR_ARG,
                                   "%s: the records from lines %zu and %zu on have one "
                                   "JobId, %llu",
                                   b->path, at(b, keys[m - 1].of)->line, at(b, keys[m].of)->line,
                                   (unsigned long long)keys[m].key);
        }
    }
    free(keys);
    return status;
}

/* @return NONE: the file has no such job */
static size_t find_job(const builder *b, replay_job job) {
    size_t low = 0, high = b->records.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (at(b, b->by_job[middle])->job < job) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < b->records.count && at(b, b->by_job[low])->job == job ? b->by_job[low] : NONE;
}

/* ----------------------------------------------------------------------------------------- data */

/* Number the handles, in the order of their numbers in the file. A piece that has several sizes has
 * the largest. */
static bool number_data(builder *b) {
    const replay_records *r = &b->records;
    const size_t uses = r->handle.count;
    key *keys = calloc(uses + 1, sizeof *keys);
    size_t *of = calloc(uses + 1, sizeof *of);
    b->graph->bytes = calloc(uses + r->count + 1, sizeof *b->graph->bytes);
    const bool good = keys != NULL && of != NULL && b->graph->bytes != NULL;
    for (size_t m = 0; m < uses && good; m++) {
        keys[m] = (key){r->handle.item[m], m, m};
    }
    if (good) {
        sort(keys, uses, of);
    }
    for (size_t m = 0; m < uses && good; m++) {
        const bool other = m == 0 || keys[m].key != keys[m - 1].key;
        b->graph->data += other;
        size_t *bytes = &b->graph->bytes[b->graph->data - 1];
        const size_t size = (size_t)r->size.item[of[m]];
        b->data[of[m]] = b->graph->data - 1;
        *bytes = size > *bytes ? size : *bytes;
    }
    free(keys);
    free(of);
    return good;
}

/* ---------------------------------------------------------------------------------------- needs */

static void add_need(builder *b, size_t after, size_t before, bool by_data) {
    need *longer = replay_grown(b->need, b->needs, &b->need_room, sizeof *b->need);
    b->good = b->good && longer != NULL;
    if (longer != NULL) {
        b->need = longer;
        b->need[b->needs++] = (need){after, before, by_data};
    }
}

static size_t add_user(builder *b, size_t record, size_t next) {
    user *longer = replay_grown(b->user, b->users, &b->user_room, sizeof *b->user);
    b->good = b->good && longer != NULL;
    if (longer == NULL) {
        return next;
    }
    b->user = longer;
    b->user[b->users] = (user){record, next};
    return b->users++;
}

/* Who reads waits for who wrote before, and not for others that read. */
static void use_data(builder *b, chain *c, size_t record, int mode) {
    const bool adds = (mode & STARPU_COMMUTE) != 0;
    const bool alone = (mode & STARPU_W) != 0 && !adds;
    if (c->since != NONE && (alone || adds != c->adds)) {
        c->before = c->since;
        c->since = NONE;
    }
    for (size_t m = c->before; m != NONE; m = b->user[m].next) {
        if (b->user[m].record != record) {
            add_need(b, record, b->user[m].record, true);
        }
    }
    c->adds = adds;
    if (alone) {
        c->before = add_user(b, record, NONE);
        c->since = NONE;
    } else {
        c->since = add_user(b, record, c->since);
    }
}

static void follow_data(builder *b) {
    chain *chains = malloc((b->graph->data + 1) * sizeof *chains);
    b->good = b->good && chains != NULL;
    for (size_t m = 0; m < b->graph->data && b->good; m++) {
        chains[m] = (chain){.before = NONE, .since = NONE};
    }
    for (size_t m = 0; m < b->records.count && b->good; m++) {
        const replay_record *r = at(b, b->by_order[m]);
        for (size_t u = r->data; u < r->data + r->data_count; u++) {
            if (b->records.mode.item[u] != 0) {
                use_data(b, &chains[b->data[u]], b->by_order[m], (int)b->records.mode.item[u]);
            }
        }
    }
    free(chains);
}

static psg_status follow_file(builder *b) {
    for (size_t m = 0; m < b->records.count; m++) {
        const replay_record *r = at(b, m);
        for (size_t d = r->depends; d < r->depends + r->depend_count; d++) {
            const size_t before = find_job(b, b->records.depends.item[d]);
            if (before == NONE) {
                return workload_fail(
                    PSG_ERR_ARG,
                    "%s: job %llu, from line %zu on, depends on job %llu, which is "
                    "not there",
                    b->path, (unsigned long long)r->job, r->line,
                    (unsigned long long)b->records.depends.item[d]);
            }
            add_need(b, m, before, false);
        }
    }
    return PSG_OK;
}

/* Those by data come first. */
static int by_after(const void *a, const void *b) {
    const need *x = a, *y = b;
    const int order = compare(x->after, y->after);
    return order != 0 ? order : (int)y->by_data - (int)x->by_data;
}

static void sort_needs(builder *b) {
    if (b->needs > 0) {
        qsort(b->need, b->needs, sizeof *b->need, by_after);
    }
    size_t m = 0;
    for (size_t record = 0; record <= b->records.count; record++) {
        while (m < b->needs && b->need[m].after < record) {
            m++;
        }
        b->first[record] = m;
    }
}

/* -------------------------------------------------------------------------------------- circles */

/* A record that is visited: the next of its needs to look at. */
typedef struct visit {
    size_t record, next;
} visit;

/* The jobs from `first` on the way that is visited. */
static psg_status tell_circle(const builder *b, const visit *way, size_t length, size_t first) {
    enum { SHOWN = 4 };
    char jobs[128] = "";
    size_t begin = length - 1;
    while (way[begin].record != first) {
        begin--;
    }
    for (size_t m = begin; m < length && m < begin + SHOWN; m++) {
        const size_t used = strlen(jobs);
        (void)snprintf(jobs + used, sizeof jobs - used, "%s%llu", used > 0 ? ", " : "",
                       (unsigned long long)at(b, way[m].record)->job);
    }
    return workload_fail(PSG_ERR_ARG, "%s: tasks wait for one another in a circle: JobId %s%s",
                         b->path, jobs, length - begin > SHOWN ? " ..." : "");
}

/* All that a record waits for, and then the record. */
static psg_status visit_from(builder *b, size_t record, visit *way, char *state, size_t *count) {
    enum { NEW, ON_THE_WAY, DONE };
    size_t length = 0;
    way[length++] = (visit){record, b->first[record]};
    state[record] = ON_THE_WAY;
    while (length > 0) {
        visit *v = &way[length - 1];
        if (v->next == b->first[v->record + 1]) {
            state[v->record] = DONE;
            b->sorted[(*count)++] = v->record;
            length--;
            continue;
        }
        const size_t before = b->need[v->next++].before;
        if (state[before] == ON_THE_WAY) {
            return tell_circle(b, way, length, before);
        }
        if (state[before] == NEW) {
            state[before] = ON_THE_WAY;
            way[length++] = (visit){before, b->first[before]};
        }
    }
    return PSG_OK;
}

static psg_status sort_graph(builder *b) {
    const size_t count = b->records.count;
    visit *way = malloc((count + 1) * sizeof *way);
    char *state = calloc(count + 1, 1);
    psg_status status = way != NULL && state != NULL ? PSG_OK : PSG_ERR_MEMORY;
    size_t sorted = 0;
    for (size_t m = 0; m < count && status == PSG_OK; m++) {
        if (state[b->by_order[m]] == 0) {
            status = visit_from(b, b->by_order[m], way, state, &sorted);
        }
    }
    free(way);
    free(state);
    return status;
}

/* ---------------------------------------------------------------------------------------- tasks */

/* Lists of the graph that grow. */
typedef struct room {
    size_t needs, uses;
} room;

static void add_task_need(builder *b, room *r, size_t before) {
    replay_graph *g = b->graph;
    size_t *longer = replay_grown(g->need, g->needs, &r->needs, sizeof *g->need);
    b->good = b->good && longer != NULL;
    if (longer != NULL) {
        g->need = longer;
        g->need[g->needs++] = before;
    }
}

/* Data that a task has twice, StarPU gets once. @param[in] first  of the task's uses */
static void add_task_use(builder *b, room *r, size_t first, size_t data, int mode) {
    replay_graph *g = b->graph;
    for (size_t m = first; m < g->uses; m++) {
        if (g->use[m].data == data) {
            g->use[m].mode |= mode;
            return;
        }
    }
    replay_use *longer = replay_grown(g->use, g->uses, &r->uses, sizeof *g->use);
    b->good = b->good && longer != NULL;
    if (longer != NULL) {
        g->use = longer;
        g->use[g->uses++] = (replay_use){data, mode};
    }
}

/* The tasks that each record waits for, each once. A record that is no task stands for all that it
 * waits for. */
typedef struct resolved {
    replay_list list;       /* records */
    size_t *from, *by_data; /* [count]: where those of a record begin, and where those end that it
                               shares data with */
    size_t *to;             /* [count] */
    size_t *seen;           /* [count]: 1 + the last record that found it */
    size_t *token; /* [count]: the data by which others wait for it; NONE: there are none */
} resolved;

static void add_resolved(builder *b, resolved *r, size_t record, size_t before) {
    if (r->seen[before] != record + 1) {
        r->seen[before] = record + 1;
        b->good = b->good && replay_list_add(&r->list, before);
    }
}

/* Those before it are resolved. */
static void resolve(builder *b, resolved *r, size_t record) {
    r->from[record] = r->by_data[record] = r->list.count;
    for (size_t m = b->first[record]; m < b->first[record + 1] && b->good; m++) {
        const size_t before = b->need[m].before;
        if (is_task(at(b, before))) {
            add_resolved(b, r, record, before);
        }
        r->by_data[record] = b->need[m].by_data ? r->list.count : r->by_data[record];
    }
    for (size_t m = b->first[record]; m < b->first[record + 1] && b->good; m++) {
        const size_t before = b->need[m].before;
        const bool stands = !is_task(at(b, before));
        for (size_t k = r->from[before]; stands && k < r->to[before]; k++) {
            add_resolved(b, r, record, (size_t)r->list.item[k]);
        }
    }
    r->to[record] = r->list.count;
    for (size_t k = r->by_data[record]; k < r->to[record] && is_task(at(b, record)); k++) {
        size_t *token = &r->token[r->list.item[k]];
        if (*token == NONE) {
            *token = b->graph->data++;
            b->graph->bytes[*token] = 1;
        }
    }
}

static void fill_task(builder *b, const resolved *r, room *lists, size_t record) {
    const replay_record *from = at(b, record);
    replay_graph *g = b->graph;
    replay_task *t = &g->task[b->task_of[record]];
    (void)snprintf(t->name, sizeof t->name, "%s", from->name);
    t->priority = from->priority;
    t->use = g->uses;
    t->need = g->needs;
    for (size_t u = from->data; u < from->data + from->data_count; u++) {
        if (b->records.mode.item[u] != 0) {
            add_task_use(b, lists, t->use, b->data[u], (int)b->records.mode.item[u]);
        }
    }
    if (r->token[record] != NONE) {
        add_task_use(b, lists, t->use, r->token[record], STARPU_W);
    }
    for (size_t k = r->from[record]; k < r->to[record]; k++) {
        const size_t before = (size_t)r->list.item[k];
        add_task_need(b, lists, b->task_of[before]);
        if (k >= r->by_data[record]) {
            add_task_use(b, lists, t->use, r->token[before], STARPU_R);
        }
    }
    t->uses = g->uses - t->use;
    t->needs = g->needs - t->need;
}

static psg_status fill_tasks(builder *b) {
    const size_t count = b->records.count;
    resolved r = {.from = calloc(5 * count + 1, sizeof *r.from)};
    room lists = {0, 0};
    b->good = b->good && r.from != NULL;
    r.by_data = r.from + count;
    r.to = r.by_data + count;
    r.seen = r.to + count;
    r.token = r.seen + count;
    for (size_t m = 0; m < count && b->good; m++) {
        r.token[m] = NONE;
    }
    for (size_t m = 0; m < count && b->good; m++) {
        resolve(b, &r, b->sorted[m]);
    }
    for (size_t m = 0; m < count && b->good; m++) {
        if (is_task(at(b, b->sorted[m]))) {
            fill_task(b, &r, &lists, b->sorted[m]);
        }
    }
    free(r.from);
    free(r.list.item);
    return b->good ? PSG_OK : PSG_ERR_MEMORY;
}

/* ------------------------------------------------------------------------------------ the whole */

static psg_status begin(builder *b) {
    const size_t count = b->records.count + 1;
    b->by_order = calloc(count, sizeof *b->by_order);
    b->by_job = calloc(count, sizeof *b->by_job);
    b->first = calloc(count, sizeof *b->first);
    b->sorted = calloc(count, sizeof *b->sorted);
    b->task_of = calloc(count, sizeof *b->task_of);
    b->data = calloc(b->records.handle.count + 1, sizeof *b->data);
    b->graph->task = calloc(count, sizeof *b->graph->task);
    b->graph->of_class = calloc(count, sizeof *b->graph->of_class);
    b->good = b->by_order != NULL && b->by_job != NULL && b->first != NULL && b->sorted != NULL &&
              b->task_of != NULL && b->data != NULL && b->graph->task != NULL &&
              b->graph->of_class != NULL;
    return b->good ? PSG_OK : PSG_ERR_MEMORY;
}

static psg_status find_needs(builder *b) {
    const psg_status status = follow_file(b);
    if (status == PSG_OK && b->good) {
        b->good = number_data(b);
    }
    if (status == PSG_OK && b->good) {
        follow_data(b);
    }
    if (status == PSG_OK && b->good) {
        sort_needs(b);
    }
    return status != PSG_OK || b->good ? status : PSG_ERR_MEMORY;
}

static psg_status number_tasks(builder *b) {
    for (size_t m = 0; m < b->records.count; m++) {
        b->task_of[b->sorted[m]] = is_task(at(b, b->sorted[m])) ? b->graph->tasks++ : NONE;
    }
    return b->graph->tasks > 0
               ? PSG_OK
               : workload_fail(PSG_ERR_ARG, "%s has no task that a worker did", b->path);
}

static psg_status classify(builder *b) {
    return replay_find_classes(b->graph, &b->records, b->task_of, b->path);
}

static void finish(builder *b) {
    replay_records_free(&b->records);
    free(b->by_order);
    free(b->by_job);
    free(b->first);
    free(b->sorted);
    free(b->task_of);
    free(b->data);
    free(b->need);
    free(b->user);
}

psg_status replay_read(replay_graph *graph, const char *path) {
    static psg_status (*const steps[])(builder *) = {
        begin, sort_records, find_needs, sort_graph, number_tasks, classify, fill_tasks};
    builder b = {.path = path, .graph = graph};
    psg_status status = replay_records_read(&b.records, path);
    for (size_t m = 0; m < sizeof steps / sizeof *steps && status == PSG_OK; m++) {
        status = steps[m](&b);
        if (status == PSG_ERR_MEMORY) {
            status = workload_fail(status, "no memory for the tasks of %s", path);
        }
    }
    finish(&b);
    return status;
}

void replay_free(replay_graph *graph) {
    free(graph->task);
    free(graph->of_class);
    free(graph->use);
    free(graph->need);
    free(graph->bytes);
    memset(graph, 0, sizeof *graph);
}
