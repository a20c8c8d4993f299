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

typedef struct app_trace_event {
    psg_event event;
    double submitted; /* of its solve, seconds since the epoch */
    unsigned solve;
    int rank; /* where it happened */
} app_trace_event;

int app_trace_take(app_trace *trace, const psg_plan *plan) {
    psg_statistics statistics;
    size_t count = 0;
    if (psg_plan_events(plan, NULL, 0, &count) != PSG_OK ||
        psg_plan_statistics(plan, &statistics) != PSG_OK) {
        return app_error(APP_FAILED, "%s", psg_last_error());
    }
    if (trace->count + count > trace->room) {
        const size_t room = 2 * (trace->count + count);
        app_trace_event *more = realloc(trace->event, room * sizeof *more);
        if (!more) {
            return app_error(APP_FAILED, "no memory for a trace of %zu events", room);
        }
        trace->event = more;
        trace->room = room;
    }
    psg_event *events = app_allocate(count, sizeof *events, "the events of a solve");
    if (!events) {
        return APP_FAILED;
    }
    (void)psg_plan_events(plan, events, count, &count);
    for (size_t e = 0; e < count; e++) {
        trace->event[trace->count++] =
            (app_trace_event){events[e], statistics.submitted, trace->solves, app_rank()};
    }
    free(events);
    trace->solves++;
    return APP_DONE;
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
static double moment(const app_trace_event *e, double origin, double seconds) {
    return (e->submitted - origin + seconds) * 1e6;
}

static json_t *event_base(const app_trace_event *e, const char *phase, double time) {
    char name[96];
    app_event_name(&e->event, name, sizeof name);
    return json_pack("{ss ss ss sf si si}", "name", name, "cat", psg_stage_name(e->event.stage),
                     "ph", phase, "ts", time, "pid", e->rank, "tid",
                     e->event.worker >= 0 ? e->event.worker : 0);
}

static void add_task(json_t *list, const app_trace_event *e, double origin) {
    const double start = moment(e, origin, e->event.start);
    json_t *task = event_base(e, "X", start);
    if (task) {
        json_object_set_new(task, "dur", json_real(moment(e, origin, e->event.end) - start));
        json_object_set_new(task, "cname", json_string(colours[e->event.stage].name));
        json_object_set_new(task, "args", json_pack("{si}", "solve", (int)e->solve));
    }
    json_array_append_new(list, task);
}

/* What is on its way belongs to no worker, and several are at once. */
static void add_message(json_t *list, const app_trace_event *e, double origin, size_t id) {
    const double times[2] = {e->event.start, e->event.end};
    for (int end = 0; end < 2; end++) {
        json_t *half = event_base(e, end ? "e" : "b", moment(e, origin, times[end]));
        if (half) {
            json_object_set_new(half, "id", json_integer((json_int_t)id));
            json_object_set_new(half, "args",
                                json_pack("{si si}", "solve", (int)e->solve, "to", e->event.rank));
        }
        json_array_append_new(list, half);
    }
}

static int same_message(const app_trace_event *a, const app_trace_event *b) {
    return a->event.rank >= 0 && b->event.rank >= 0 && a->solve == b->solve &&
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
        if (e->rank != rank || e->solve != solve || e->event.worker < 0 ||
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
            other->rank == came->event.rank && other->event.rank == came->rank) {
            went = other;
        }
    }
    const app_trace_event *from =
        went ? task_near(trace, went->rank, went->solve, went->event.start, 1) : NULL;
    const app_trace_event *to = task_near(trace, came->rank, came->solve, came->event.end, 0);
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
                      end ? "f" : "s", "ts", moment(task, origin, ends[end]), "pid", task->rank,
                      "tid", task->event.worker, "id", (json_int_t)id);
        if (half && end) {
            json_object_set_new(half, "bp", json_string("e"));
        }
        json_array_append_new(list, half);
    }
}

static void add_names(json_t *list, const app_trace *trace) {
    int *workers = calloc((size_t)app_ranks(), sizeof *workers);
    for (size_t e = 0; workers && e < trace->count; e++) {
        const app_trace_event *event = &trace->event[e];
        if (event->event.worker >= workers[event->rank]) {
            workers[event->rank] = event->event.worker + 1;
        }
    }
    for (int r = 0; workers && r < app_ranks(); r++) {
        char name[48];
        snprintf(name, sizeof name, "process %d", r);
        json_array_append_new(list, json_pack("{ss ss si s{ss}}", "name", "process_name", "ph", "M",
                                              "pid", r, "args", "name", name));
        for (int w = 0; w < workers[r]; w++) {
            snprintf(name, sizeof name, "worker %d", w);
            json_array_append_new(list,
                                  json_pack("{ss ss si si s{ss}}", "name", "thread_name", "ph", "M",
                                            "pid", r, "tid", w, "args", "name", name));
        }
    }
    free(workers);
}

static int write_file(const app_trace *trace, const char *path, const char *shown) {
    double origin = INFINITY;
    json_t *list = json_array();
    for (size_t e = 0; e < trace->count; e++) {
        origin = fmin(origin, trace->event[e].submitted);
    }
    add_names(list, trace);
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
    json_t *root = json_pack("{so ss s{ss}}", "traceEvents", list, "displayTimeUnit", "ms",
                             "otherData", "psg", psg_component_version(PSG_COMPONENT_PSG));
    return app_json_write(root, path, shown);
}

int app_trace_write(app_trace *trace, const char *path, const char *shown) {
    void *events = trace->event;
    const int code = app_collect(&events, sizeof *trace->event, &trace->count, NULL,
                                 "the events of all processes");
    trace->event = events;
    return code ? code
                : app_ranks_agree(app_rank() == 0 ? write_file(trace, path, shown) : APP_DONE);
}

void app_trace_free(app_trace *trace) {
    free(trace->event);
    memset(trace, 0, sizeof *trace);
}
