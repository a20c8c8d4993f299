/* Traces: the events of all runs and processes, in the trace-event format of Chrome and
 * Perfetto. */
#include "app/trace.h"
#include "app/json.h"
#include "app/processes.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

typedef struct writer {
    const app_record *record;
    json_t *list;
    double origin; /* the first submission of all, seconds since the epoch */
} writer;

/* What every entry has. @return borrowed; NULL when out of memory, which jansson takes for an
 * object */
static json_t *add(const writer *w, const char *phase, const char *name, const char *category,
                   const app_record_run *run, double seconds, int track) {
    json_t *entry = json_pack("{ss ss ss sf si si}", "name", name, "cat", category, "ph", phase,
                              "ts", (run->statistics.submitted - w->origin + seconds) * 1e6, "pid",
                              run->rank, "tid", track);
    json_array_append_new(w->list, entry);
    return entry;
}

static json_t *add_span(const writer *w, const char *name, const char *category,
                        const app_record_run *run, double start, double end, int track,
                        json_t *arguments) {
    json_t *span = add(w, "X", name, category, run, start, track);
    json_object_set_new(span, "dur", json_real(1e6 * (end - start)));
    json_object_set_new(span, "args", arguments);
    return span;
}

static void put_count(json_t *args, const char *name, size_t count) {
    if (count != SIZE_MAX) {
        json_object_set_new(args, name, json_integer((json_int_t)count));
    }
}

/* What a task or a message is about. */
static json_t *arguments_of(const app_record_run *run, const psg_event *e) {
    json_t *args = json_pack("{si}", "run", (int)run->number);
    for (int m = 0; m < 3; m++) {
        put_count(args, app_event_index_name(e, m), app_event_index(e, m));
    }
    if (e->stage >= PSG_STAGE_COUNT) {
        put_count(args, "count", e->count);
    } else if (e->worker >= 0) {
        put_count(args, e->sheet != SIZE_MAX ? "rows" : "planes", e->count);
        put_count(args, "pieces", e->pieces);
        put_count(args, "remote", e->remote);
    } else {
        json_object_set_new(args, "to", json_integer(e->rank));
    }
    put_count(args, "bytes", e->bytes > 0 ? e->bytes : SIZE_MAX);
    return args;
}

static void add_task(const writer *w, const app_record_run *run, const psg_event *e) {
    const char *name = psg_stage_name(e->stage);
    json_t *task = add_span(w, name, name, run, e->start, e->end, e->worker, arguments_of(run, e));
    json_object_set_new(task, "cname", json_string(app_event_colours_of(e)->chrome));
}

/* What is on its way belongs to no worker, and several are at once. */
static void add_message(const writer *w, const app_record_run *run, const psg_event *e) {
    const char *name = psg_stage_name(e->stage);
    for (int end = 0; end < 2; end++) {
        json_t *half = add(w, end ? "e" : "b", name, name, run, end ? e->end : e->start, 0);
        put_count(half, "id", app_record_number(w->record, e));
        json_object_set_new(half, "args", arguments_of(run, e));
    }
}

/* ------------------------------------------------------------------------------------- arrows */

/* A viewer binds an end of an arrow to the task around its moment, so that arrows begin just
 * before the end of one task and end just after the beginning of another one. */
static void add_arrow(const writer *w, const char *kind, const app_record_run *const runs[2],
                      const psg_event *const tasks[2], size_t id) {
    const double inside = 2e-9; /* seconds: viewers count in nanoseconds */
    for (int end = 0; end < 2; end++) {
        const psg_event *task = tasks[end];
        const double step = fmin(inside, 0.5 * (task->end - task->start));
        json_t *half = add(w, end ? "f" : "s", kind, kind, runs[end],
                           end ? task->start + step : task->end - step, task->worker);
        put_count(half, "id", id);
        if (end) {
            json_object_set_new(half, "bp", json_string("e"));
        }
    }
}

/* The task of a run that ended, or began, nearest to a moment: before it, or not before it. */
static const psg_event *task_near(const app_record_run *run, double time, bool before) {
    const psg_event *nearest = NULL;
    double best = INFINITY;
    for (const psg_event *e = run->event; e < run->event + run->events; e++) {
        const double away = before ? time - e->end : e->start - time;
        if (e->worker >= 0 && away >= -1e-9 && away < best) {
            nearest = e;
            best = away;
        }
    }
    return nearest;
}

/* From the task that had written the message to the one that could begin then. */
static void add_message_arrow(const writer *w, const app_record_run *run, const psg_event *came) {
    const app_message *went = app_record_sent(w->record, run, came);
    const psg_event *from = went != NULL ? task_near(went->run, went->event->start, true) : NULL;
    const psg_event *to = task_near(run, came->end, false);
    if (from != NULL && to != NULL) {
        add_arrow(w, "message", (const app_record_run *[2]){went->run, run},
                  (const psg_event *[2]){from, to}, app_record_number(w->record, came));
    }
}

static void add_dependency(const writer *w, const app_record_run *run, const psg_dependency *d) {
    const psg_event *from = &run->event[d->before], *to = &run->event[d->after];
    const psg_dependency *first = w->record->table[APP_RECORD_DEPENDENCIES];
    if (from->worker >= 0 && to->worker >= 0) {
        add_arrow(w, "dependency", (const app_record_run *[2]){run, run},
                  (const psg_event *[2]){from, to},
                  w->record->rows[APP_RECORD_EVENTS] + (size_t)(d - first));
    }
}

/* ------------------------------------------------------------------------------------- tracks */

/* The tracks of the submission and of links have numbers past those of workers. */
enum { SUBMISSION_TRACK = 1 << 15 };

/* One for each way between two memories. */
static int link_track(const psg_copy *copy) {
    enum { FIRST = 1 << 16, DEVICES = 256 };
    return FIRST + (copy->link * DEVICES + copy->from + 1) * DEVICES + copy->to + 1;
}

static void add_name(const writer *w, int rank, int track, const char *name) {
    json_array_append_new(w->list, json_pack("{ss ss si si s{ss}}", "name", "thread_name", "ph",
                                             "M", "pid", rank, "tid", track, "args", "name", name));
}

/* A copy, with the name of its link where that is first met. */
static void add_copy(const writer *w, const app_record_run *run, const psg_copy *copy,
                     json_t *met) {
    char name[64];
    const char *data = copy->data == 'f'   ? "f"
                       : copy->data == 'u' ? "u"
                       : copy->data == 's' ? "spectrum"
                                           : "copy";
    json_t *args = json_pack("{si}", "run", (int)run->number);
    put_count(args, "segment", copy->segment);
    put_count(args, "sheet", copy->sheet);
    put_count(args, "bytes", copy->bytes);
    add_span(w, data, psg_link_name(copy->link), run, copy->start, copy->end, link_track(copy),
             args);
    snprintf(name, sizeof name, "%d %d", run->rank, link_track(copy));
    if (json_object_get(met, name) != NULL) {
        return;
    }
    json_object_set_new(met, name, json_true());
    if (copy->link == PSG_LINK_D2D) {
        snprintf(name, sizeof name, "GPU %d to GPU %d", copy->from, copy->to);
    } else if (copy->link == PSG_LINK_H2D) {
        snprintf(name, sizeof name, "main memory to GPU %d", copy->to);
    } else {
        snprintf(name, sizeof name, "GPU %d to main memory", copy->from);
    }
    add_name(w, run->rank, link_track(copy), name);
}

static void add_submission(const writer *w, const app_record_run *run) {
    const psg_run_statistics *s = &run->statistics;
    add_span(w, "submission", "submission", run, 0, s->submit.seconds, SUBMISSION_TRACK,
             json_pack("{si sI sI}", "run", (int)run->number, "tasks", (json_int_t)s->submit.tasks,
                       "pieces", (json_int_t)s->submit.pieces));
}

/* How many workers of a process have a track. */
static int workers_of(const app_record *record, int rank) {
    const app_record_run *run = app_record_runs(record);
    int used = 0;
    for (size_t r = 0; r < record->rows[APP_RECORD_RUNS]; r++) {
        for (size_t e = 0; run[r].rank == rank && e < run[r].events; e++) {
            used = run[r].event[e].worker >= used ? run[r].event[e].worker + 1 : used;
        }
    }
    return used;
}

/* "GPU 0", "core 3": what a worker of a process is. @param[in] first  of the process' workers */
static void worker_name(const psg_worker *first, size_t count, int worker, char *text,
                        size_t size) {
    if ((size_t)worker >= count) {
        snprintf(text, size, "worker %d", worker);
        return;
    }
    snprintf(text, size, "%s %d", first[worker].kind == PSG_WORKER_CUDA ? "GPU" : "core",
             first[worker].device);
}

static void add_names(const writer *w, const app_workers *workers) {
    const psg_worker *first = workers->list;
    for (int rank = 0; rank < app_ranks(); first += workers->of_rank[rank++]) {
        char name[64];
        snprintf(name, sizeof name, "process %d", rank);
        json_array_append_new(w->list, json_pack("{ss ss si s{ss}}", "name", "process_name", "ph",
                                                 "M", "pid", rank, "args", "name", name));
        add_name(w, rank, SUBMISSION_TRACK, "submission");
        for (int worker = 0; worker < workers_of(w->record, rank); worker++) {
            worker_name(first, workers->of_rank[rank], worker, name, sizeof name);
            add_name(w, rank, worker, name);
        }
    }
}

int app_trace_write(const app_record *record, const char *path, const char *shown,
                    const app_workers *workers, json_t *about) {
    const writer w = {record, json_array(), app_record_origin(record, 0)};
    const app_record_run *run = app_record_runs(record);
    json_t *met = json_object();
    add_names(&w, workers);
    for (size_t r = 0; r < record->rows[APP_RECORD_RUNS]; r++, run++) {
        add_submission(&w, run);
        for (const psg_event *e = run->event; e < run->event + run->events; e++) {
            (e->worker >= 0 ? add_task : e->received ? add_message_arrow : add_message)(&w, run, e);
        }
        for (size_t d = 0; d < run->dependencies; d++) {
            add_dependency(&w, run, &run->dependency[d]);
        }
        for (size_t c = 0; c < run->copies; c++) {
            add_copy(&w, run, &run->copy[c], met);
        }
    }
    json_decref(met);
    json_t *root = json_pack("{so ss}", "traceEvents", w.list, "displayTimeUnit", "ms");
    if (about != NULL) {
        json_object_set_new(root, "otherData", about);
    }
    return app_json_write(root, path, shown);
}
