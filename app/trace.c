/* Traces: the events of all solves and processes, in the trace-event format of Chrome and
 * Perfetto. */
#include "app/trace.h"
#include "app/collect.h"
#include "app/ranks.h"
#include "app/report.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* When and where something happened. */
typedef struct place {
    double submitted; /* its solve, seconds since the epoch */
    unsigned solve;
    int rank;
} place;

typedef struct app_trace_event {
    psg_event event;
    place at;
} app_trace_event;

typedef struct app_trace_copy {
    psg_copy copy;
    place at;
} app_trace_copy;

/* Room for so many more items. @return APP_DONE; APP_FAILED after a message */
static int make_room(void **items, size_t bytes, size_t count, size_t more, size_t *room) {
    if (count + more > *room) {
        const size_t wanted = 2 * (count + more);
        void *longer = realloc(*items, wanted * bytes);
        if (!longer) {
            return app_error(APP_FAILED, "no memory for a trace of %zu events", wanted);
        }
        *items = longer;
        *room = wanted;
    }
    return APP_DONE;
}

static int take_events(app_trace *trace, const psg_plan *plan, const place *at) {
    size_t count = 0;
    if (psg_plan_events(plan, NULL, 0, &count) != PSG_OK) {
        return app_error(APP_FAILED, "%s", psg_last_error());
    }
    void *items = trace->event;
    const int code = make_room(&items, sizeof *trace->event, trace->count, count, &trace->room);
    trace->event = items;
    psg_event *events = code ? NULL : app_allocate(count, sizeof *events, "the events of a solve");
    if (!events) {
        return APP_FAILED;
    }
    (void)psg_plan_events(plan, events, count, &count);
    for (size_t e = 0; e < count; e++) {
        trace->event[trace->count++] = (app_trace_event){events[e], *at};
    }
    free(events);
    return APP_DONE;
}

static int take_copies(app_trace *trace, const psg_plan *plan, const place *at) {
    size_t count = 0;
    if (psg_plan_copies(plan, NULL, 0, &count) != PSG_OK) {
        return app_error(APP_FAILED, "%s", psg_last_error());
    }
    void *items = trace->copy;
    const int code =
        make_room(&items, sizeof *trace->copy, trace->copies, count, &trace->copies_room);
    trace->copy = items;
    psg_copy *copies = code ? NULL : app_allocate(count, sizeof *copies, "the copies of a solve");
    if (!copies) {
        return APP_FAILED;
    }
    (void)psg_plan_copies(plan, copies, count, &count);
    for (size_t c = 0; c < count; c++) {
        trace->copy[trace->copies++] = (app_trace_copy){copies[c], *at};
    }
    free(copies);
    return APP_DONE;
}

int app_trace_take(app_trace *trace, const psg_plan *plan) {
    psg_statistics statistics;
    if (psg_plan_statistics(plan, &statistics) != PSG_OK) {
        return app_error(APP_FAILED, "%s", psg_last_error());
    }
    const place at = {statistics.submitted, trace->solves, app_rank()};
    int code = take_events(trace, plan, &at);
    if (!code) {
        code = take_copies(trace, plan, &at);
    }
    trace->solves++;
    return code;
}

/* ------------------------------------------------------------------------------- the format */

/* Chrome has a name for each of its colours; Perfetto chooses its own. */
static const struct {
    const char *name;
    const char *rgb;
} colours[PSG_STAGE_COUNT] = {
    [PSG_STAGE_FFT_XY] = {"thread_state_running", "#7ec894"},
    [PSG_STAGE_PACK] = {"thread_state_iowait", "#ff8c00"},
    [PSG_STAGE_UNPACK] = {"thread_state_runnable", "#85a0d2"},
    [PSG_STAGE_FFT_Z] = {"rail_response", "#4387fd"},
    [PSG_STAGE_DIVIDE] = {"rail_animation", "#f44a3f"},
    [PSG_STAGE_IFFT_Z] = {"rail_idle", "#ee8e00"},
    [PSG_STAGE_IFFT_XY] = {"rail_load", "#0da861"},
    [PSG_STAGE_NORMALIZE] = {"good", "#007d00"},
    [PSG_STAGE_FORWARD_XY] = {"thread_state_running", "#7ec894"},
    [PSG_STAGE_KSPACE] = {"rail_animation", "#f44a3f"},
    [PSG_STAGE_INVERSE_XY] = {"rail_load", "#0da861"},
    [PSG_STAGE_EXCHANGE] = {"bad", "#b47d00"},
};

const char *app_event_colour(const psg_event *event) {
    return colours[event->stage].rgb;
}

void app_event_name(const psg_event *e, char *text, size_t size) {
    size_t length = (size_t)snprintf(text, size, "%s", psg_stage_name(e->stage));
    if (e->segment != SIZE_MAX && length < size) {
        length += (size_t)snprintf(text + length, size - length, " s%zu", e->segment);
    }
    if (e->pencil != SIZE_MAX && length < size) {
        snprintf(text + length, size - length, " p%zu", e->pencil);
    }
}

/* Microseconds since the first submission of all. */
static double moment(const place *at, double origin, double seconds) {
    return (at->submitted - origin + seconds) * 1e6;
}

static json_t *event_base(const app_trace_event *e, const char *phase, double time) {
    char name[96];
    app_event_name(&e->event, name, sizeof name);
    return json_pack("{ss ss ss sf si si}", "name", name, "cat", psg_stage_name(e->event.stage),
                     "ph", phase, "ts", time, "pid", e->at.rank, "tid",
                     e->event.worker >= 0 ? e->event.worker : 0);
}

static void add_task(json_t *list, const app_trace_event *e, double origin) {
    const double start = moment(&e->at, origin, e->event.start);
    json_t *task = event_base(e, "X", start);
    if (task) {
        json_object_set_new(task, "dur", json_real(moment(&e->at, origin, e->event.end) - start));
        json_object_set_new(task, "cname", json_string(colours[e->event.stage].name));
        json_object_set_new(task, "args", json_pack("{si}", "solve", (int)e->at.solve));
    }
    json_array_append_new(list, task);
}

/* What is on its way belongs to no worker, and several are at once. */
static void add_message(json_t *list, const app_trace_event *e, double origin, size_t id) {
    const double times[2] = {e->event.start, e->event.end};
    for (int end = 0; end < 2; end++) {
        json_t *half = event_base(e, end ? "e" : "b", moment(&e->at, origin, times[end]));
        if (half) {
            json_object_set_new(half, "id", json_integer((json_int_t)id));
            json_object_set_new(
                half, "args", json_pack("{si si}", "solve", (int)e->at.solve, "to", e->event.rank));
        }
        json_array_append_new(list, half);
    }
}

static int same_message(const app_trace_event *a, const app_trace_event *b) {
    return a->event.rank >= 0 && b->event.rank >= 0 && a->at.solve == b->at.solve &&
           a->event.segment == b->event.segment && a->event.pencil == b->event.pencil;
}

/* The task of a process in a solve that ended, or began, nearest to a moment: before it, or not
 * before it. */
static const app_trace_event *task_near(const app_trace *trace, int rank, unsigned solve,
                                        double time, int before) {
    const app_trace_event *nearest = NULL;
    for (size_t t = 0; t < trace->count; t++) {
        const app_trace_event *e = &trace->event[t];
        const double at = before ? e->event.end : e->event.start;
        if (e->at.rank != rank || e->at.solve != solve || e->event.worker < 0 ||
            (before ? at > time + 1e-9 : at < time - 1e-9)) {
            continue;
        }
        const double best = nearest ? (before ? nearest->event.end : nearest->event.start) : 0;
        nearest = !nearest || (before ? at > best : at < best) ? e : nearest;
    }
    return nearest;
}

/* From the task that had written it to the one that could begin then. */
static void add_arrow(json_t *list, const app_trace *trace, const app_trace_event *came,
                      double origin, size_t id) {
    const app_trace_event *went = NULL;
    for (size_t e = 0; e < trace->count && !went; e++) {
        const app_trace_event *other = &trace->event[e];
        if (!other->event.received && same_message(other, came) &&
            other->at.rank == came->event.rank && other->event.rank == came->at.rank) {
            went = other;
        }
    }
    const app_trace_event *from =
        went ? task_near(trace, went->at.rank, went->at.solve, went->event.start, 1) : NULL;
    const app_trace_event *to = task_near(trace, came->at.rank, came->at.solve, came->event.end, 0);
    if (!from || !to) {
        return;
    }
    /* an arrow is bound to the task around its moment */
    const double ends[2] = {0.5 * (from->event.start + from->event.end),
                            0.5 * (to->event.start + to->event.end)};
    for (int end = 0; end < 2; end++) {
        const app_trace_event *task = end ? to : from;
        json_t *half =
            json_pack("{ss ss ss sf si si sI}", "name", "message", "cat", "message", "ph",
                      end ? "f" : "s", "ts", moment(&task->at, origin, ends[end]), "pid",
                      task->at.rank, "tid", task->event.worker, "id", (json_int_t)id);
        if (half && end) {
            json_object_set_new(half, "bp", json_string("e"));
        }
        json_array_append_new(list, half);
    }
}

/* Tracks of links have numbers past those of workers, one for each way between two memories. */
static int link_track(const psg_copy *copy) {
    enum { FIRST = 1 << 16, DEVICES = 256 };
    return FIRST + (copy->link * DEVICES + copy->from + 1) * DEVICES + copy->to + 1;
}

static void link_name(const psg_copy *copy, char *text, size_t size) {
    if (copy->link == PSG_LINK_D2D) {
        snprintf(text, size, "GPU %d to GPU %d", copy->from, copy->to);
    } else if (copy->link == PSG_LINK_H2D) {
        snprintf(text, size, "main memory to GPU %d", copy->to);
    } else {
        snprintf(text, size, "GPU %d to main memory", copy->from);
    }
}

static void copy_name(const psg_copy *copy, char *text, size_t size) {
    const char *what = copy->data == 'f'   ? "f"
                       : copy->data == 'u' ? "u"
                       : copy->data == 's' ? "spectrum"
                                           : "copy";
    size_t length = (size_t)snprintf(text, size, "%s", what);
    if (copy->segment != SIZE_MAX) {
        length += (size_t)snprintf(text + length, size - length, " s%zu", copy->segment);
    }
    if (copy->pencil != SIZE_MAX) {
        snprintf(text + length, size - length, " p%zu", copy->pencil);
    }
}

static void add_copy(json_t *list, const app_trace_copy *c, double origin) {
    char name[96];
    copy_name(&c->copy, name, sizeof name);
    json_array_append_new(list, json_pack("{ss ss ss sf sf si si s{si sI}}", "name", name, "cat",
                                          psg_link_name(c->copy.link), "ph", "X", "ts",
                                          moment(&c->at, origin, c->copy.start), "dur",
                                          1e6 * (c->copy.end - c->copy.start), "pid", c->at.rank,
                                          "tid", link_track(&c->copy), "args", "solve",
                                          (int)c->at.solve, "bytes", (json_int_t)c->copy.bytes));
}

static void add_name(json_t *list, int rank, int track, const char *name) {
    json_array_append_new(list, json_pack("{ss ss si si s{ss}}", "name", "thread_name", "ph", "M",
                                          "pid", rank, "tid", track, "args", "name", name));
}

/* Of each link where it is first met. */
static void add_link_names(json_t *list, const app_trace *trace) {
    for (size_t c = 0; c < trace->copies; c++) {
        const app_trace_copy *copy = &trace->copy[c];
        int met = 0;
        for (size_t d = 0; d < c && !met; d++) {
            met = trace->copy[d].at.rank == copy->at.rank &&
                  link_track(&trace->copy[d].copy) == link_track(&copy->copy);
        }
        if (!met) {
            char name[64];
            link_name(&copy->copy, name, sizeof name);
            add_name(list, copy->at.rank, link_track(&copy->copy), name);
        }
    }
}

static void add_names(json_t *list, const app_trace *trace) {
    int *workers = calloc((size_t)app_ranks(), sizeof *workers);
    for (size_t e = 0; workers && e < trace->count; e++) {
        const app_trace_event *event = &trace->event[e];
        if (event->event.worker >= workers[event->at.rank]) {
            workers[event->at.rank] = event->event.worker + 1;
        }
    }
    for (int r = 0; workers && r < app_ranks(); r++) {
        char name[48];
        snprintf(name, sizeof name, "process %d", r);
        json_array_append_new(list, json_pack("{ss ss si s{ss}}", "name", "process_name", "ph", "M",
                                              "pid", r, "args", "name", name));
        for (int w = 0; w < workers[r]; w++) {
            snprintf(name, sizeof name, "worker %d", w);
            add_name(list, r, w, name);
        }
    }
    free(workers);
}

static int write_file(const app_trace *trace, const char *path, const char *shown, json_t *about) {
    double origin = INFINITY;
    json_t *list = json_array();
    for (size_t e = 0; e < trace->count; e++) {
        origin = fmin(origin, trace->event[e].at.submitted);
    }
    add_names(list, trace);
    add_link_names(list, trace);
    for (size_t e = 0; e < trace->count; e++) {
        const app_trace_event *event = &trace->event[e];
        if (event->event.worker >= 0) {
            add_task(list, event, origin);
        } else if (event->event.received) {
            add_arrow(list, trace, event, origin, e);
        } else {
            add_message(list, event, origin, e);
        }
    }
    for (size_t c = 0; c < trace->copies; c++) {
        add_copy(list, &trace->copy[c], origin);
    }
    json_t *root = json_pack("{so ss}", "traceEvents", list, "displayTimeUnit", "ms");
    if (about) {
        json_object_set(root, "otherData", about);
    }
    return app_json_write(root, path, shown);
}

int app_trace_write(app_trace *trace, const char *path, const char *shown, json_t *about) {
    void *events = trace->event, *copies = trace->copy;
    int code = app_collect(&events, sizeof *trace->event, &trace->count, NULL,
                           "the events of all processes");
    if (!code) {
        code = app_collect(&copies, sizeof *trace->copy, &trace->copies, NULL,
                           "the copies of all processes");
    }
    trace->event = events;
    trace->copy = copies;
    if (!code) {
        code = app_ranks_agree(app_rank() == 0 ? write_file(trace, path, shown, about) : APP_DONE);
    }
    json_decref(about);
    return code;
}

void app_trace_free(app_trace *trace) {
    free(trace->event);
    free(trace->copy);
    memset(trace, 0, sizeof *trace);
}
