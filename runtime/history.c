#include "runtime/history.h"

#include "base/memory.h"

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

typedef struct search {
    const psg_record *record;
    size_t *data;   /* [uses] */
    size_t *writer; /* [uses], by data: who wrote them last */
    size_t *adder;  /* [uses], by data: the latest use that added to them since; PSG_RECORD_NONE:
                       there is none */
    size_t *former; /* [uses]: of a use that adds, the one before it that added to the same data */
    size_t *event;  /* [count]: the event of each; PSG_RECORD_NONE: it has none */
    size_t *first;  /* [count + 1]: where what each came after begins in `before` */
    size_t *before;
    size_t found;
    size_t room;
    size_t *seen; /* [count]: for whom each was found last */
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

/* `number` comes after `before`, once. */
static bool add(search *s, size_t number, size_t before) {
    if (s->seen[before] == number) {
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
    s->seen[before] = number;
    s->before[s->found++] = before;
    return true;
}

/* `number` comes after `writer`, the last task that wrote what it reads. Where the writer is no
 * event, `number` comes after all that the writer came after. */
static bool add_writer(search *s, size_t number, size_t writer) {
    if (writer == PSG_RECORD_NONE || s->event[writer] != PSG_RECORD_NONE) {
        return writer == PSG_RECORD_NONE || add(s, number, writer);
    }
    bool room = true;
    for (size_t m = s->first[writer]; m < s->first[writer + 1] && room; m++) {
        room = add(s, number, s->before[m]);
    }
    return room;
}

/* What reads comes after all that added to the data since they were written; else, and what adds,
 * after who wrote them. */
static bool add_before(search *s, size_t number, size_t use) {
    const size_t data = s->data[use];
    const unsigned how = s->record->use[use].how;
    const bool reads = (how & PSG_USE_READS) != 0;
    bool room = true;
    for (size_t m = s->adder[data]; reads && m != PSG_RECORD_NONE && room; m = s->former[m]) {
        room = add_writer(s, number, s->record->use[m].number);
    }
    if ((reads && s->adder[data] == PSG_RECORD_NONE) || (how & PSG_USE_ADDS) != 0) {
        room = room && add_writer(s, number, s->writer[data]);
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
            list[(*count)++] =
                (psg_edge){.before = s->event[s->before[m]], .after = s->event[number]};
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

static double seconds_of(const psg_run_event *event) {
    return event->worker >= 0 ? event->end - event->start : 0;
}

/* @param[out] shortest  by event: the shortest time of one like it; 0: between processes */
static bool find_shortest(const psg_run_events *events, double *shortest) {
    const psg_run_event **all = malloc((events->count + 1) * sizeof *all);
    for (size_t m = 0; all != NULL && m < events->count; m++) {
        all[m] = &events->event[m];
    }
    if (all != NULL && events->count > 0) {
        qsort(all, events->count, sizeof *all, by_likeness);
    }
    for (size_t first = 0, end; all != NULL && first < events->count; first = end) {
        double least = INFINITY;
        for (end = first; end < events->count && by_likeness(&all[first], &all[end]) == 0; end++) {
            least = fmin(least, seconds_of(all[end]));
        }
        for (size_t m = first; m < end; m++) {
            shortest[all[m] - events->event] = least;
        }
    }
    free(all);
    return all != NULL;
}

double psg_history_work(const psg_history *history) {
    double sum = 0;
    for (size_t m = 0; m < history->events.count; m++) {
        sum += seconds_of(&history->events.event[m]);
    }
    return sum;
}

static double counted(const psg_chain_rule *rule, const psg_run_event *event, double seconds) {
    return rule->counts == NULL || rule->counts(rule->owner, event) ? seconds : 0;
}

static double edge_of(const psg_chain_rule *rule,
                      double (*edge)(const void *owner, const psg_run_event *event),
                      const psg_run_event *event) {
    return edge != NULL ? edge(rule->owner, event) : 0;
}

bool psg_history_chain(const psg_history *history, const psg_edge *edges, size_t count,
                       const psg_chain_rule *rule, double *seconds) {
    const psg_run_events *events = &history->events;
    double *shortest = calloc(events->count + 1, sizeof *shortest);
    double *before = calloc(events->count + 1, sizeof *before);
    const bool good = shortest != NULL && before != NULL && find_shortest(events, shortest);
    *seconds = 0;
    for (size_t m = 0; good && m < events->count; m++) {
        before[m] = edge_of(rule, rule->lead, &events->event[m]);
    }
    for (size_t m = 0; good && m < count; m++) {
        const psg_edge *e = &edges[m];
        const double chain =
            before[e->before] + counted(rule, &events->event[e->before], shortest[e->before]);
        before[e->after] = fmax(before[e->after], chain);
    }
    for (size_t m = 0; good && m < events->count; m++) {
        const psg_run_event *event = &events->event[m];
        *seconds = fmax(*seconds, before[m] + counted(rule, event, shortest[m]) +
                                      edge_of(rule, rule->tail, event));
    }
    free(shortest);
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
