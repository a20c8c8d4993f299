/* Traces: the events of all runs and processes, in the trace-event format of Chrome and
 * Perfetto. */
#include "app/trace.h"
#include "app/collect.h"
#include "app/json.h"
#include "app/processes.h"
#include "graph/psg_observe.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The run and the process that something happened in. */
typedef struct owner {
    double submitted; /* its run, seconds since the epoch */
    unsigned run;
    int rank;
} owner;

typedef struct app_trace_event {
    psg_event event;
    owner at;
} app_trace_event;

typedef struct app_trace_copy {
    psg_copy copy;
    owner at;
} app_trace_copy;

/* Of the data that a task has written and another one reads. */
typedef struct app_trace_arrow {
    psg_event from, to;
    owner at;
} app_trace_arrow;

/* From the beginning of a run until all of its tasks were submitted. */
typedef struct app_trace_submission {
    double seconds;
    size_t tasks, pieces;
    owner at;
} app_trace_submission;

/* Room for so many more items. @return APP_DONE; APP_FAILED after a message */
static int make_room(void **items, size_t bytes, size_t count, size_t more, size_t *room) {
    if (count + more > *room) {
        const size_t wanted = 2 * (count + more);
        void *longer = realloc(*items, wanted * bytes);
        if (longer == NULL) {
            return app_error(APP_FAILED, "no memory for a trace of %zu events", wanted);
        }
        *items = longer;
        *room = wanted;
    }
    return APP_DONE;
}

/* Between tasks. The arrows of messages are found when all processes' events are there. */
static int take_arrows(app_trace *trace, const psg_work *work, const psg_event *events,
                       const owner *at) {
    size_t count = 0;
    const psg_status status = psg_work_dependencies(work, NULL, 0, &count);
    if (status == PSG_ERR_STATE) {
        return APP_DONE; /* none is recorded */
    }
    void *items = trace->arrow;
    int code = status == PSG_OK ? make_room(&items, sizeof *trace->arrow, trace->arrows, count,
                                            &trace->arrows_room)
                                : app_error(APP_FAILED, "%s", psg_last_error());
    trace->arrow = items;
    psg_dependency *list =
        code ? NULL : app_allocate(count, sizeof *list, "the dependencies of a run");
    if (list == NULL) {
        return APP_FAILED;
    }
    if (psg_work_dependencies(work, list, count, &count) != PSG_OK) {
        free(list);
        return app_error(APP_FAILED, "%s", psg_last_error());
    }
    for (size_t d = 0; d < count; d++) {
        const psg_event *from = &events[list[d].before], *to = &events[list[d].after];
        if (from->worker >= 0 && to->worker >= 0) {
            trace->arrow[trace->arrows++] = (app_trace_arrow){*from, *to, *at};
        }
    }
    free(list);
    return APP_DONE;
}

static int take_submission(app_trace *trace, const psg_run_statistics *s, const owner *at) {
    void *items = trace->submission;
    const int code = make_room(&items, sizeof *trace->submission, trace->submissions, 1,
                               &trace->submissions_room);
    trace->submission = items;
    if (!code) {
        trace->submission[trace->submissions++] =
            (app_trace_submission){s->submit_seconds, s->submit_tasks, s->submit_pieces, *at};
    }
    return code;
}

static int take_events(app_trace *trace, const psg_work *work, const owner *at) {
    size_t count = 0;
    if (psg_work_events(work, NULL, 0, &count) != PSG_OK) {
        return app_error(APP_FAILED, "%s", psg_last_error());
    }
    void *items = trace->event;
    const int code = make_room(&items, sizeof *trace->event, trace->count, count, &trace->room);
    trace->event = items;
    psg_event *events = code ? NULL : app_allocate(count, sizeof *events, "the events of a run");
    if (events == NULL) {
        return APP_FAILED;
    }
    (void)psg_work_events(work, events, count, &count);
    for (size_t e = 0; e < count; e++) {
        trace->event[trace->count++] = (app_trace_event){events[e], *at};
    }
    const int failed = take_arrows(trace, work, events, at);
    free(events);
    return failed;
}

static int take_copies(app_trace *trace, const psg_work *work, const owner *at) {
    size_t count = 0;
    if (psg_work_copies(work, NULL, 0, &count) != PSG_OK) {
        return app_error(APP_FAILED, "%s", psg_last_error());
    }
    void *items = trace->copy;
    const int code =
        make_room(&items, sizeof *trace->copy, trace->copies, count, &trace->copies_room);
    trace->copy = items;
    psg_copy *copies = code ? NULL : app_allocate(count, sizeof *copies, "the copies of a run");
    if (copies == NULL) {
        return APP_FAILED;
    }
    (void)psg_work_copies(work, copies, count, &count);
    for (size_t c = 0; c < count; c++) {
        trace->copy[trace->copies++] = (app_trace_copy){copies[c], *at};
    }
    free(copies);
    return APP_DONE;
}

int app_trace_take(app_trace *trace, const psg_work *work) {
    psg_run_statistics statistics;
    if (psg_work_statistics(work, &statistics) != PSG_OK) {
        return app_error(APP_FAILED, "%s", psg_last_error());
    }
    const owner at = {statistics.submitted, trace->runs, app_rank()};
    int code = take_events(trace, work, &at);
    if (!code) {
        code = take_copies(trace, work, &at);
    }
    if (!code) {
        code = take_submission(trace, &statistics, &at);
    }
    trace->runs++;
    return code;
}

/* ------------------------------------------------------------------------------- the format */

/* Chrome has a name for each of its colours; Perfetto chooses its own. Those of graphs are Okabe and Ito's, which
   the colour-blind can tell apart, with the colour of words that can be read on them. */
static const struct {
    const char *name;
    const char *rgb, *words;
} colours[PSG_STAGE_COUNT] = {
    [PSG_STAGE_FFT_XY] = {"thread_state_running", "#0072b2", "white"},
    [PSG_STAGE_PACK] = {"thread_state_iowait", "#d55e00", "black"},
    [PSG_STAGE_UNPACK] = {"thread_state_runnable", "#009e73", "black"},
    [PSG_STAGE_FFT_Z] = {"rail_response", "#cc79a7", "black"},
    [PSG_STAGE_DIVIDE] = {"rail_animation", "#e69f00", "black"},
    [PSG_STAGE_IFFT_Z] = {"rail_idle", "#56b4e9", "black"},
    [PSG_STAGE_IFFT_XY] = {"rail_load", "#7f3c8d", "white"},
    [PSG_STAGE_NORMALIZE] = {"good", "#999999", "black"},
    [PSG_STAGE_FORWARD_XY] = {"thread_state_running", "#0072b2", "white"},
    [PSG_STAGE_KSPACE] = {"rail_animation", "#e69f00", "black"},
    [PSG_STAGE_INVERSE_XY] = {"rail_load", "#7f3c8d", "white"},
    [PSG_STAGE_EXCHANGE] = {"bad", "#f0e442", "black"},
    [PSG_STAGE_EDGE] = {"thread_state_iowait", "#d55e00", "black"},
    [PSG_STAGE_GRADIENT] = {"good", "#999999", "black"},
    [PSG_STAGE_GRADIENT_Z] = {"thread_state_runnable", "#009e73", "black"},
    [PSG_STAGE_GRADIENT_XY] = {"good", "#999999", "black"},
};

/* The kinds of a workload have the colours of the staged graph, in turn. */
static size_t colour_of(psg_stage stage) {
    return stage < PSG_STAGE_COUNT ? stage : (stage - PSG_STAGE_COUNT) % PSG_STAGE_FORWARD_XY;
}

const char *app_event_colour(const psg_event *event) {
    return colours[colour_of(event->stage)].rgb;
}

const char *app_event_words_colour(const psg_event *event) {
    return colours[colour_of(event->stage)].words;
}

/* What the indices of a task are: of a solve's, and of a workload's. */
static const struct {
    const char *index[3];
    const char *mark[3];
} words[3] = {{{"segment", "sheet", "axis"}, {" s", " p", " d"}},
              {{"row", "column", "step"}, {" ", " ", " "}},
              {{"segment", "sheet", "derivatives"}, {" s", " p", " +"}}}; /* of inverse_xy */

static int words_of(const psg_event *e) {
    return e->stage >= PSG_STAGE_COUNT ? 1 : e->stage == PSG_STAGE_INVERSE_XY ? 2 : 0;
}

void app_event_name(const psg_event *e, char *text, size_t size) {
    size_t length = (size_t)snprintf(text, size, "%s", psg_stage_name(e->stage));
    const size_t index[3] = {e->segment, e->sheet, e->step};
    for (int m = 0; m < 3; m++) {
        if (index[m] != SIZE_MAX && length < size) {
            length += (size_t)snprintf(text + length, size - length, "%s%zu",
                                       words[words_of(e)].mark[m], index[m]);
        }
    }
}

/* Microseconds since the first submission of all. */
static double moment(const owner *at, double origin, double seconds) {
    return (at->submitted - origin + seconds) * 1e6;
}

static void put_count(json_t *args, const char *name, size_t count) {
    if (count != SIZE_MAX) {
        json_object_set_new(args, name, json_integer((json_int_t)count));
    }
}

/* What a task or a message is about. */
static json_t *arguments_of(const app_trace_event *e) {
    const psg_event *event = &e->event;
    const size_t index[3] = {event->segment, event->sheet, event->step};
    json_t *args = json_pack("{si}", "run", (int)e->at.run);
    for (int m = 0; m < 3; m++) {
        put_count(args, words[words_of(event)].index[m], index[m]);
    }
    if (event->stage >= PSG_STAGE_COUNT) {
        put_count(args, "count", event->count);
    } else if (event->worker >= 0) {
        put_count(args, event->sheet != SIZE_MAX ? "rows" : "planes", event->count);
        put_count(args, "pieces", event->pieces);
        put_count(args, "remote", event->remote);
    } else {
        json_object_set_new(args, "to", json_integer(event->rank));
    }
    put_count(args, "bytes", event->bytes > 0 ? event->bytes : SIZE_MAX);
    return args;
}

static json_t *event_base(const app_trace_event *e, const char *phase, double time) {
    const char *name = psg_stage_name(e->event.stage);
    return json_pack("{ss ss ss sf si si so}", "name", name, "cat", name, "ph", phase, "ts", time,
                     "pid", e->at.rank, "tid", e->event.worker >= 0 ? e->event.worker : 0, "args",
                     arguments_of(e));
}

static void add_task(json_t *list, const app_trace_event *e, double origin) {
    const double start = moment(&e->at, origin, e->event.start);
    json_t *task = event_base(e, "X", start);
    if (task != NULL) {
        json_object_set_new(task, "dur", json_real(moment(&e->at, origin, e->event.end) - start));
        json_object_set_new(task, "cname", json_string(colours[colour_of(e->event.stage)].name));
    }
    json_array_append_new(list, task);
}

/* What is on its way belongs to no worker, and several are at once. */
static void add_message(json_t *list, const app_trace_event *e, double origin, size_t id) {
    const double times[2] = {e->event.start, e->event.end};
    for (int end = 0; end < 2; end++) {
        json_t *half = event_base(e, end ? "e" : "b", moment(&e->at, origin, times[end]));
        if (half != NULL) {
            json_object_set_new(half, "id", json_integer((json_int_t)id));
        }
        json_array_append_new(list, half);
    }
}

static bool same_message(const app_trace_event *a, const app_trace_event *b) {
    return a->event.rank >= 0 && b->event.rank >= 0 && a->at.run == b->at.run &&
           a->event.segment == b->event.segment && a->event.sheet == b->event.sheet &&
           a->event.step == b->event.step;
}

/* The task of a process in a solve that ended, or began, nearest to a moment: before it, or not
 * before it. */
static const app_trace_event *task_near(const app_trace *trace, int rank, unsigned solve,
                                        double time, int before) {
    const app_trace_event *nearest = NULL;
    for (size_t t = 0; t < trace->count; t++) {
        const app_trace_event *e = &trace->event[t];
        const double at = before ? e->event.end : e->event.start;
        if (e->at.rank != rank || e->at.run != solve || e->event.worker < 0 ||
            (before ? at > time + 1e-9 : at < time - 1e-9)) {
            continue;
        }
        const double best =
            nearest != NULL ? (before ? nearest->event.end : nearest->event.start) : 0;
        nearest = nearest == NULL || (before ? at > best : at < best) ? e : nearest;
    }
    return nearest;
}

/* A viewer binds an end of an arrow to the task around its moment, so that arrows begin just before the end
 * of one task and end just after the beginning of another one. */
static void add_arrow(json_t *list, const char *kind, const app_trace_event ends[2], double origin,
                      size_t id) {
    const double inside = 2e-9; /* seconds: viewers count in nanoseconds */
    for (int end = 0; end < 2; end++) {
        const psg_event *task = &ends[end].event;
        const double step = fmin(inside, 0.5 * (task->end - task->start));
        const double time =
            moment(&ends[end].at, origin, end ? task->start + step : task->end - step);
        json_t *half = json_pack("{ss ss ss sf si si sI}", "name", kind, "cat", kind, "ph",
                                 end ? "f" : "s", "ts", time, "pid", ends[end].at.rank, "tid",
                                 task->worker, "id", (json_int_t)id);
        if (half != NULL && end) {
            json_object_set_new(half, "bp", json_string("e"));
        }
        json_array_append_new(list, half);
    }
}

/* From the task that had written the message to the one that could begin then. */
static void add_message_arrow(json_t *list, const app_trace *trace, const app_trace_event *came,
                              double origin, size_t id) {
    const app_trace_event *went = NULL;
    for (size_t e = 0; e < trace->count && went == NULL; e++) {
        const app_trace_event *other = &trace->event[e];
        if (!other->event.received && same_message(other, came) &&
            other->at.rank == came->event.rank && other->event.rank == came->at.rank) {
            went = other;
        }
    }
    const app_trace_event *from =
        went != NULL ? task_near(trace, went->at.rank, went->at.run, went->event.start, 1) : NULL;
    const app_trace_event *to = task_near(trace, came->at.rank, came->at.run, came->event.end, 0);
    if (from != NULL && to != NULL) {
        add_arrow(list, "message", (app_trace_event[2]){*from, *to}, origin, id);
    }
}

/* The tracks of the submission and of links have numbers past those of workers. */
enum { SUBMISSION_TRACK = 1 << 15 };

/* One for each way between two memories. */
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

static void add_copy(json_t *list, const app_trace_copy *c, double origin) {
    const psg_copy *copy = &c->copy;
    const char *name = copy->data == 'f'   ? "f"
                       : copy->data == 'u' ? "u"
                       : copy->data == 's' ? "spectrum"
                                           : "copy";
    json_t *args = json_pack("{si}", "run", (int)c->at.run);
    put_count(args, "segment", copy->segment);
    put_count(args, "sheet", copy->sheet);
    put_count(args, "bytes", copy->bytes);
    json_array_append_new(list, json_pack("{ss ss ss sf sf si si so}", "name", name, "cat",
                                          psg_link_name(copy->link), "ph", "X", "ts",
                                          moment(&c->at, origin, copy->start), "dur",
                                          1e6 * (copy->end - copy->start), "pid", c->at.rank, "tid",
                                          link_track(copy), "args", args));
}

static void add_submission(json_t *list, const app_trace_submission *s, double origin) {
    json_array_append_new(list,
                          json_pack("{ss ss ss sf sf si si s{si sI sI}}", "name", "submission",
                                    "cat", "submission", "ph", "X", "ts", moment(&s->at, origin, 0),
                                    "dur", 1e6 * s->seconds, "pid", s->at.rank, "tid",
                                    SUBMISSION_TRACK, "args", "run", (int)s->at.run, "tasks",
                                    (json_int_t)s->tasks, "pieces", (json_int_t)s->pieces));
}

static void add_name(json_t *list, int rank, int track, const char *name) {
    json_array_append_new(list, json_pack("{ss ss si si s{ss}}", "name", "thread_name", "ph", "M",
                                          "pid", rank, "tid", track, "args", "name", name));
}

/* Of each link where it is first met. */
static void add_link_names(json_t *list, const app_trace *trace) {
    for (size_t c = 0; c < trace->copies; c++) {
        const app_trace_copy *copy = &trace->copy[c];
        bool met = false;
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

/* "GPU 0", "core 3": what a worker of a process is. */
static void worker_name(const app_workers *workers, int rank, int worker, char *text, size_t size) {
    size_t before = 0;
    for (int r = 0; r < rank && workers != NULL; r++) {
        before += workers->of_rank[r];
    }
    if (workers == NULL || (size_t)worker >= workers->of_rank[rank]) {
        snprintf(text, size, "worker %d", worker);
        return;
    }
    const psg_worker *w = &workers->list[before + (size_t)worker];
    snprintf(text, size, "%s %d", w->kind == PSG_WORKER_CUDA ? "GPU" : "core", w->device);
}

static int add_names(json_t *list, const app_trace *trace, const app_workers *workers) {
    int *used = calloc((size_t)app_ranks(), sizeof *used);
    if (used == NULL) {
        return app_error(APP_FAILED, "out of memory for the names of a trace");
    }
    for (size_t e = 0; e < trace->count; e++) {
        const app_trace_event *event = &trace->event[e];
        if (event->event.worker >= used[event->at.rank]) {
            used[event->at.rank] = event->event.worker + 1;
        }
    }
    for (int r = 0; r < app_ranks(); r++) {
        char name[64];
        snprintf(name, sizeof name, "process %d", r);
        json_array_append_new(list, json_pack("{ss ss si s{ss}}", "name", "process_name", "ph", "M",
                                              "pid", r, "args", "name", name));
        add_name(list, r, SUBMISSION_TRACK, "submission");
        for (int w = 0; w < used[r]; w++) {
            worker_name(workers, r, w, name, sizeof name);
            add_name(list, r, w, name);
        }
    }
    free(used);
    return APP_DONE;
}

static int write_file(const app_trace *trace, const char *path, const char *shown,
                      const app_workers *workers, json_t *about) {
    double origin = INFINITY;
    json_t *list = json_array();
    for (size_t s = 0; s < trace->submissions; s++) {
        origin = fmin(origin, trace->submission[s].at.submitted);
    }
    if (add_names(list, trace, workers)) {
        json_decref(list);
        return APP_FAILED;
    }
    add_link_names(list, trace);
    for (size_t s = 0; s < trace->submissions; s++) {
        add_submission(list, &trace->submission[s], origin);
    }
    for (size_t e = 0; e < trace->count; e++) {
        const app_trace_event *event = &trace->event[e];
        if (event->event.worker >= 0) {
            add_task(list, event, origin);
        } else if (event->event.received) {
            add_message_arrow(list, trace, event, origin, e);
        } else {
            add_message(list, event, origin, e);
        }
    }
    for (size_t a = 0; a < trace->arrows; a++) {
        const app_trace_arrow *arrow = &trace->arrow[a];
        const app_trace_event ends[2] = {{arrow->from, arrow->at}, {arrow->to, arrow->at}};
        add_arrow(list, "dependency", ends, origin, trace->count + a);
    }
    for (size_t c = 0; c < trace->copies; c++) {
        add_copy(list, &trace->copy[c], origin);
    }
    json_t *root = json_pack("{so ss}", "traceEvents", list, "displayTimeUnit", "ms");
    if (about != NULL) {
        json_object_set(root, "otherData", about);
    }
    return app_json_write(root, path, shown);
}

/* Those of all processes, on rank 0. */
static int collect(app_trace *trace) {
    void *lists[4] = {trace->event, trace->copy, trace->arrow, trace->submission};
    const size_t bytes[4] = {sizeof *trace->event, sizeof *trace->copy, sizeof *trace->arrow,
                             sizeof *trace->submission};
    size_t *counts[4] = {&trace->count, &trace->copies, &trace->arrows, &trace->submissions};
    int code = APP_DONE;
    for (int m = 0; m < 4 && !code; m++) {
        code = app_collect(&lists[m], bytes[m], counts[m], NULL, "the trace of all processes");
    }
    trace->event = lists[0];
    trace->copy = lists[1];
    trace->arrow = lists[2];
    trace->submission = lists[3];
    return code;
}

int app_trace_write(app_trace *trace, const char *path, const char *shown,
                    const app_workers *workers, json_t *about) {
    int code = collect(trace);
    if (!code) {
        code = app_ranks_agree(app_rank() == 0 ? write_file(trace, path, shown, workers, about)
                                               : APP_DONE);
    }
    json_decref(about);
    return code;
}

void app_trace_free(app_trace *trace) {
    free(trace->event);
    free(trace->copy);
    free(trace->arrow);
    free(trace->submission);
    memset(trace, 0, sizeof *trace);
}
