#include "runtime/history.h"

#include "base/memory.h"
#include "runtime/args.h"
#include "runtime/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool psg_history_open(psg_history *history, const psg_engine *engine) {
    history->cell = calloc(engine->workers * engine->kinds + 1, sizeof *history->cell);
    return history->cell != NULL;
}

void psg_history_close(psg_history *history) {
    free(history->events.event);
    psg_record_free(&history->events.record);
    free(history->cell);
    *history = (psg_history){.cell = NULL};
}

static int by_end(const void *a, const void *b) {
    const double x = ((const psg_run_event *)a)->end;
    const double y = ((const psg_run_event *)b)->end;
    return (x > y) - (x < y);
}

/* A worker that loses its core between the end of a task and the telling of it tells late. */
static void sort_events(psg_run_events *events) {
    bool sorted = true;
    for (size_t m = 1; m < events->count && sorted; m++) {
        sorted = events->event[m - 1].end <= events->event[m].end;
    }
    if (!sorted) {
        qsort(events->event, events->count, sizeof *events->event, by_end);
    }
}

void psg_history_take(psg_history *history, psg_run *run) {
    const psg_run_events room = history->events;
    history->events = run->events;
    run->events = room;
    run->events.count = 0;
    sort_events(&history->events);
    for (size_t m = 0; m < history->events.count; m++) {
        psg_run_event *event = &history->events.event[m];
        event->end = (event->end - run->started) * 1e-6;
        event->start = (event->start - run->started) * 1e-6;
    }
    memcpy(history->cell, run->cell,
           run->engine->workers * run->engine->kinds * sizeof *history->cell);
    history->number = run->number;
    history->messages = run->messages.cell;
    history->sent_bytes = run->messages.bytes;
    history->submitted = run->submitted;
    history->seconds = (run->ended - run->started) * 1e-6;
    history->submit_seconds = (run->in - run->started) * 1e-6;
    history->tasks = run->tasks;
    history->pieces = run->pieces;
    history->starpu_tasks = run->handed.tasks;
    history->placed_tasks = run->handed.placed;
    history->executor = run->executor;
}

/* ------------------------------------------------------------------------------------- edges */

/* Data that the record names, numbered by their place among all when sorted. */
typedef struct name {
    const void *data;
    size_t use;
} name;

static int by_data(const void *a, const void *b) {
    const uintptr_t x = (uintptr_t)((const name *)a)->data;
    const uintptr_t y = (uintptr_t)((const name *)b)->data;
    return (x > y) - (x < y);
}

/* @param[out] numbers  by use, the number of its data @return false: no memory */
static bool number_data(const psg_record *record, size_t *numbers) {
    name *names = malloc((record->uses + 1) * sizeof *names);
    size_t number = 0;
    if (names == NULL) {
        return false;
    }
    for (size_t m = 0; m < record->uses; m++) {
        names[m] = (name){record->use[m].data, m};
    }
    qsort(names, record->uses, sizeof *names, by_data);
    for (size_t m = 0; m < record->uses; m++) {
        number += m > 0 && names[m].data != names[m - 1].data;
        numbers[names[m].use] = number;
    }
    free(names);
    return true;
}

/* Who was before, and the bytes that he wrote. */
typedef struct needed {
    size_t number;
    size_t bytes;
} needed;

typedef struct search {
    const psg_record *record;
    size_t *data;   /* [uses] */
    size_t *writer; /* [uses], by data: who wrote them last */
    size_t *adder;  /* [uses], by data: the latest use that added to them since; PSG_RECORD_NONE:
                       there is none */
    size_t *former; /* [uses]: of a use that adds, the one before it that added to the same data */
    size_t *event;  /* [count]: the event of each; PSG_RECORD_NONE: it has none */
    size_t *first;  /* [count + 1]: where what each came after begins in `before` */
    struct needed *before;
    size_t found;
    size_t room;
    size_t *seen; /* [count]: where in `before` each was found last */
} search;

static void finish(search *s) {
    free(s->data); /* with all that follow it */
    free(s->before);
}

static bool begin(search *s, const psg_run_events *events) {
    const size_t uses = events->record.uses + 1;
    const size_t count = events->record.count + 2;
    size_t *all = calloc(4 * uses + 3 * count, sizeof *all);
    *s = (search){.record = &events->record, .data = all};
    if (all == NULL || !number_data(&events->record, all)) {
        return false;
    }
    s->writer = all + uses;
    s->adder = s->writer + uses;
    s->former = s->adder + uses;
    s->event = s->former + uses;
    s->first = s->event + count;
    s->seen = s->first + count;
    for (size_t m = 0; m < events->record.uses; m++) {
        s->writer[m] = s->adder[m] = PSG_RECORD_NONE;
    }
    for (size_t m = 0; m < events->record.count; m++) {
        s->event[m] = s->seen[m] = PSG_RECORD_NONE;
    }
    for (size_t m = 0; m < events->count; m++) {
        if (events->event[m].number < events->record.count) {
            s->event[events->event[m].number] = m;
        }
    }
    return true;
}

/* `number` comes after `before`, once, and needs all of the data together. */
static bool add(search *s, size_t number, size_t before, size_t bytes) {
    const size_t seen = s->seen[before];
    if (seen != PSG_RECORD_NONE && seen >= s->first[number]) {
        s->before[seen].bytes += bytes;
        return true;
    }
    if (s->found == s->room) {
        bool good = true;
        const size_t room = 2 * s->room + 256;
        s->before = base_grown(s->before, room, sizeof *s->before, &good);
        if (!good) {
            return false;
        }
        s->room = room;
    }
    s->seen[before] = s->found;
    s->before[s->found++] = (needed){before, bytes};
    return true;
}

/* `number` comes after `writer`, the last task that wrote what it reads. Where the writer is no
 * event, `number` comes after all that the writer came after. */
static bool add_writer(search *s, size_t number, size_t writer, size_t bytes) {
    if (writer == PSG_RECORD_NONE || s->event[writer] != PSG_RECORD_NONE) {
        return writer == PSG_RECORD_NONE || add(s, number, writer, bytes);
    }
    bool room = true;
    for (size_t m = s->first[writer]; m < s->first[writer + 1] && room; m++) {
        const needed from = s->before[m]; /* which may move */
        room = add(s, number, from.number, from.bytes);
    }
    return room;
}

/* What reads comes after all that added to the data since they were written; else, and what adds,
 * after who wrote them. */
static bool add_before(search *s, size_t number, size_t use) {
    const size_t data = s->data[use];
    const unsigned how = s->record->use[use].how;
    const size_t bytes = s->record->use[use].bytes;
    const bool reads = (how & PSG_USE_READS) != 0;
    bool room = true;
    for (size_t m = s->adder[data]; reads && m != PSG_RECORD_NONE && room; m = s->former[m]) {
        room = add_writer(s, number, s->record->use[m].number, bytes);
    }
    if ((reads && s->adder[data] == PSG_RECORD_NONE) || (how & PSG_USE_ADDS) != 0) {
        room = room && add_writer(s, number, s->writer[data], bytes);
    }
    return room;
}

static void follow(search *s, size_t number, size_t use) {
    const size_t data = s->data[use];
    if ((s->record->use[use].how & PSG_USE_WRITES) != 0) {
        s->writer[data] = number;
        s->adder[data] = PSG_RECORD_NONE;
    } else if ((s->record->use[use].how & PSG_USE_ADDS) != 0) {
        s->former[use] = s->adder[data];
        s->adder[data] = use;
    }
}

static bool find(search *s) {
    const psg_record *r = s->record;
    size_t use = 0;
    for (size_t number = 0; number < r->count; number++) {
        const size_t first = use;
        s->first[number] = s->found;
        for (; use < r->uses && r->use[use].number == number; use++) {
            if (!add_before(s, number, use)) {
                return false;
            }
        }
        for (size_t m = first; m < use; m++) {
            follow(s, number, m);
        }
        s->first[number + 1] = s->found;
    }
    return true;
}

/* @return NULL: no memory */
static psg_edge *list_found(const search *s, size_t *count) {
    psg_edge *list = malloc((s->found + 1) * sizeof *list);
    for (size_t number = 0; list != NULL && number < s->record->count; number++) {
        for (size_t m = s->first[number];
             s->event[number] != PSG_RECORD_NONE && m < s->first[number + 1]; m++) {
            list[(*count)++] = (psg_edge){.before = s->event[s->before[m].number],
                                          .after = s->event[number],
                                          .bytes = s->before[m].bytes};
        }
    }
    return list;
}

/* A split of a bundle into blocks has no worker and is no event. Its readers come after the tasks
 * that the bundle came from. */
bool psg_history_edges(const psg_history *history, psg_edge **list, size_t *count) {
    *list = NULL;
    *count = 0;
    if (!history->events.record.lost && !history->events.lost) {
        search s;
        if (begin(&s, &history->events) && find(&s)) {
            *list = list_found(&s, count);
        }
        finish(&s);
    }
    return *list != NULL;
}

bool psg_history_uses(const psg_history *history, psg_event_use **list, size_t *count) {
    const psg_record *r = &history->events.record;
    search s = {.data = NULL};
    *list = NULL;
    *count = 0;
    if (r->lost || history->events.lost || !begin(&s, &history->events)) {
        finish(&s);
        return false;
    }
    *list = malloc((r->uses + 1) * sizeof **list);
    for (size_t m = 0; *list != NULL && m < r->uses; m++) {
        const size_t event = s.event[r->use[m].number];
        if (event != PSG_RECORD_NONE) {
            (*list)[(*count)++] = (psg_event_use){event, s.data[m], r->use[m].how, r->use[m].bytes};
        }
    }
    finish(&s);
    return *list != NULL;
}

/* ------------------------------------------------------------------------------------- times */

enum { LIKENESS = 11 };

/* What tasks of the same kind and shape have in common. */
static void find_likeness(const psg_run_event *event, double of[LIKENESS]) {
    const psg_task_shape *s = &event->shape;
    const double all[LIKENESS] = {event->label.kind, s->axis,           (double)s->n[0],
                                  (double)s->n[1],   (double)s->n[2],   (double)s->count,
                                  (double)s->pieces, (double)s->remote, s->moved,
                                  s->variant,        s->dense};
    memcpy(of, all, sizeof all);
}

static int by_likeness(const void *a, const void *b) {
    const psg_run_event *x = *(const psg_run_event *const *)a;
    const psg_run_event *y = *(const psg_run_event *const *)b;
    double of_x[LIKENESS], of_y[LIKENESS];
    find_likeness(x, of_x);
    find_likeness(y, of_y);
    for (int m = 0; m < LIKENESS; m++) {
        if (of_x[m] != of_y[m]) {
            return of_x[m] < of_y[m] ? -1 : 1;
        }
    }
    return 0;
}

/* Of each event, in which its worker did nothing else: StarPU starts a task on a GPU while the one
 * before runs there. Events are in the order of their ends. */
static void find_seconds(const psg_run_events *events, double *seconds) {
    double ended[STARPU_NMAXWORKERS] = {0};
    for (size_t m = 0; m < events->count; m++) {
        const psg_run_event *event = &events->event[m];
        if (event->worker >= 0) {
            seconds[m] = event->end - fmax(event->start, ended[event->worker]);
            ended[event->worker] = event->end;
        }
    }
}

/* Looks for the least seconds of the tasks of a run. */
typedef struct finder {
    const psg_history *history;
    const psg_engine *engine;
    const int *usable; /* [count] */
    size_t count;
    double *seconds; /* [events]: as they were in this run */
    double (*least)[2];
    double *speed; /* [count]: of a worker as the fastest task on it says, beside the least of its
                      kind; 0: not known */
} finder;

static bool is_gpu(int worker) {
    return starpu_worker_get_type(worker) == STARPU_CUDA_WORKER;
}

/* What is known without the run. @return INFINITY: nothing */
static void find_known(finder *f, const psg_run_event *event, double least[2]) {
    psg_run run = {.engine = f->engine, .number = f->history->number};
    const psg_task_args args = {.run = &run, .label = event->label};
    double seconds[STARPU_NMAXWORKERS];
    for (size_t w = 0; w < f->count; w++) {
        seconds[w] = psg_simulation_task(&args, f->usable[w]);
        double *of = &least[is_gpu(f->usable[w])];
        *of = fmin(*of, seconds[w] > 0 ? seconds[w] : INFINITY);
    }
    for (size_t w = 0; w < f->count; w++) {
        if (seconds[w] > 0) {
            f->speed[w] = fmax(f->speed[w], least[is_gpu(f->usable[w])] / seconds[w]);
        }
    }
}

/* What is known without the run, else the shortest of those that are alike. */
static void find_class(finder *f, const psg_run_event *const *all, size_t count) {
    const bool task = all[0]->worker >= 0;
    double of[2] = {task ? INFINITY : 0, task ? INFINITY : 0};
    if (task) {
        find_known(f, all[0], of);
    }
    const bool known[2] = {isfinite(of[0]), isfinite(of[1])};
    for (size_t m = 0; m < count && task; m++) {
        const bool gpu = is_gpu(all[m]->worker);
        const double seconds = f->seconds[all[m] - f->history->events.event];
        of[gpu] = known[gpu] ? of[gpu] : fmin(of[gpu], seconds);
    }
    for (size_t m = 0; m < count; m++) {
        memcpy(f->least[all[m] - f->history->events.event], of, sizeof of);
    }
}

static void find_least(finder *f, const psg_run_event **all) {
    const psg_run_events *events = &f->history->events;
    for (size_t m = 0; m < events->count; m++) {
        all[m] = &events->event[m];
    }
    if (events->count > 0) {
        qsort(all, events->count, sizeof *all, by_likeness);
    }
    for (size_t first = 0, end; first < events->count; first = end) {
        for (end = first; end < events->count && by_likeness(&all[first], &all[end]) == 0; end++) {
        }
        find_class(f, &all[first], end - first);
    }
}

bool psg_history_least(const psg_history *history, const psg_engine *engine, const int *usable,
                       size_t count, psg_least *least) {
    const size_t events = history->events.count;
    finder f = {.history = history, .engine = engine, .usable = usable, .count = count};
    const psg_run_event **all = malloc((events + 1) * sizeof *all);
    f.speed = calloc(count + 1, sizeof *f.speed);
    f.seconds = calloc(events + 1, sizeof *f.seconds);
    f.least = calloc(events + 1, sizeof *f.least);
    const bool good = all != NULL && f.speed != NULL && f.seconds != NULL && f.least != NULL;
    *least = (psg_least){.seconds = f.least};
    if (good) {
        find_seconds(&history->events, f.seconds);
        find_least(&f, all);
    }
    for (size_t w = 0; w < count && good; w++) {
        least->workers[is_gpu(usable[w])] += f.speed[w] > 0 ? f.speed[w] : 1;
    }
    free(all);
    free(f.speed);
    free(f.seconds);
    return good;
}

/* Tasks that a GPU takes rather than a core come first. */
static int by_gain(const void *a, const void *b) {
    const double *x = *(const double *const *)a, *y = *(const double *const *)b;
    const double left = x[1] > 0 ? x[0] / x[1] : 0, right = y[1] > 0 ? y[0] / y[1] : 0;
    return (left < right) - (left > right);
}

/* The linear program for two kinds of worker: all tasks are on cores, and go to GPUs in the order
 * of what that gains, until both kinds end at once. A share of the last one goes. */
static double divide(double *const *task, size_t count, const double workers[2]) {
    double load[2] = {0, 0};
    size_t next = 0;
    for (size_t m = 0; m < count; m++) {
        load[0] += isfinite(task[m][0]) ? task[m][0] : 0;
    }
    for (; next < count && isfinite(task[next][1]); next++) {
        const double *t = task[next];
        if (!isfinite(t[0])) {
            load[1] += t[1];
        } else if (load[0] * workers[1] > load[1] * workers[0]) {
            const double both = t[0] * workers[1] + t[1] * workers[0];
            const double share =
                both > 0 ? (load[0] * workers[1] - load[1] * workers[0]) / both : 1;
            load[0] -= fmin(share, 1) * t[0];
            load[1] += fmin(share, 1) * t[1];
        }
    }
    return fmax(workers[0] > 0 ? load[0] / workers[0] : 0,
                workers[1] > 0 ? load[1] / workers[1] : 0);
}

double psg_history_area(const psg_history *history, const psg_least *least) {
    const size_t events = history->events.count;
    double **task = malloc((events + 1) * sizeof *task);
    size_t count = 0;
    for (size_t m = 0; m < events && task != NULL; m++) {
        if (history->events.event[m].worker >= 0) {
            task[count++] = least->seconds[m];
        }
    }
    if (count > 0) {
        qsort(task, count, sizeof *task, by_gain);
    }
    const double seconds = task != NULL ? divide(task, count, least->workers) : -1;
    free(task);
    return seconds;
}

static double counted(const psg_chain_rule *rule, const psg_run_event *event, double seconds) {
    return rule->counts == NULL || rule->counts(rule->owner, event) ? seconds : 0;
}

static double edge_of(const psg_chain_rule *rule,
                      double (*edge)(const void *owner, const psg_run_event *event),
                      const psg_run_event *event) {
    return edge != NULL ? edge(rule->owner, event) : 0;
}

static double shortest(const psg_least *least, size_t event) {
    return fmin(least->seconds[event][0], least->seconds[event][1]);
}

bool psg_history_chain(const psg_history *history, const psg_least *least, const psg_edge *edges,
                       size_t count, const psg_chain_rule *rule, double *seconds) {
    const psg_run_events *events = &history->events;
    double *before = calloc(events->count + 1, sizeof *before);
    const bool good = before != NULL;
    *seconds = 0;
    for (size_t m = 0; good && m < events->count; m++) {
        before[m] = edge_of(rule, rule->lead, &events->event[m]);
    }
    for (size_t m = 0; good && m < count; m++) {
        const psg_edge *e = &edges[m];
        const double chain = before[e->before] +
                             counted(rule, &events->event[e->before], shortest(least, e->before));
        before[e->after] = fmax(before[e->after], chain);
    }
    for (size_t m = 0; good && m < events->count; m++) {
        const psg_run_event *event = &events->event[m];
        *seconds = fmax(*seconds, before[m] + counted(rule, event, shortest(least, m)) +
                                      edge_of(rule, rule->tail, event));
    }
    free(before);
    return good;
}

double psg_history_traffic(const psg_history *history, const psg_engine *engine,
                           double cache_bytes) {
    psg_traffic moved[PSG_PHASES_MOST] = {{0, 0}};
    double bytes = 0;
    for (size_t m = 0; m < history->events.count; m++) {
        const psg_run_event *event = &history->events.event[m];
        const psg_kind *kind = psg_kind_at(event->label.kind);
        if (event->worker >= 0 && kind->traffic != NULL) {
            const psg_traffic here = kind->traffic(engine->owner, &event->label);
            const int phase = kind->phase != NULL ? kind->phase(&event->label) : 0;
            moved[phase].reads += here.reads;
            moved[phase].writes += here.writes;
        }
    }
    for (int phase = 0; phase < PSG_PHASES_MOST; phase++) {
        bytes +=
            fmax(0, moved[phase].reads - cache_bytes) + fmax(0, moved[phase].writes - cache_bytes);
    }
    return bytes;
}
