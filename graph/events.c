/* What happened in a run, for traces. */
#include "graph/events.h"
#include "codelets/kinds.h"
#include "graph/plan_struct.h"
#include "graph/status.h"

#include <stdlib.h>

/* Does the event write what the message carries away, or read it last? */
static bool feeds(const psg_layout *l, const psg_label *event, const psg_label *message) {
    const bool packs = event->kind == PSG_TASK_PACK;
    const bool again = message->index[PSG_AXIS_COMPONENT] != PSG_NO_INDEX;
    const size_t s = message->index[PSG_AXIS_SEGMENT];
    const size_t first = message->index[PSG_AXIS_SHEET];
    const size_t p = event->index[PSG_AXIS_SHEET];
    if (first == PSG_NO_INDEX) {
        return event->kind == PSG_TASK_EDGE && event->index[PSG_AXIS_SEGMENT] == s &&
               event->index[PSG_AXIS_COMPONENT] == message->index[PSG_AXIS_COMPONENT];
    }
    if (psg_range_has(l->segments.own, s)) {
        const bool forward = packs || event->kind == PSG_TASK_FORWARD_XY;
        const bool reads =
            event->kind == PSG_TASK_INVERSE_XY ||
            (event->kind == PSG_TASK_GRADIENT_XY && event->index[PSG_AXIS_COMPONENT] < 2);
        return event->index[PSG_AXIS_SEGMENT] == s && (again ? reads : forward);
    }
    for (size_t g = l->bundles.own.first; g < l->bundles.own.end; g++) {
        if (l->bundles.part[g].sheets.first == first) {
            return psg_range_has(l->bundles.part[g].sheets, p) &&
                   (again ? event->kind == PSG_TASK_GRADIENT_Z || psg_label_beside(event)
                          : packs || psg_label_solves(event));
        }
    }
    return false;
}

/* Of a task its part of the spectrum; what a message carries, and an empty one stands for. */
static double event_bytes(const psg_context *c, const psg_run_event *event) {
    const psg_layout *l = &c->layout;
    const size_t s = event->label.index[PSG_AXIS_SEGMENT];
    double field = 0;
    double spectrum = 0;
    if (event->worker >= 0 && event->label.kind >= PSG_TASK_COUNT) {
        return 0; /* it has none of the spectrum */
    }
    if (event->worker >= 0) {
        psg_label_part(c, &event->label, &field, &spectrum);
        return spectrum;
    }
    if (event->bytes > 0) {
        return (double)event->bytes;
    }
    for (size_t g = 0; g < l->bundles.count && s != PSG_NO_INDEX; g++) {
        if (l->bundles.part[g].sheets.first == event->label.index[PSG_AXIS_SHEET]) {
            const psg_box block = psg_layout_block(l, s, &l->bundles.part[g]);
            return (double)(psg_box_rows(&block) * c->engine.row_bytes);
        }
    }
    return 0;
}

/* A message that went away started when the last task that wrote it ended; one that came is
 * known from its end on. */
static double message_start(const psg_plan *plan, const psg_run_event *message) {
    double start = message->received ? message->end : 0;
    for (size_t m = 0; m < plan->work.latest.events.count && !message->received; m++) {
        const psg_run_event *event = &plan->work.latest.events.event[m];
        if (event->rank < 0 && event->end > start &&
            feeds(&plan->context.layout, &event->label, &message->label)) {
            start = event->end;
        }
    }
    return start;
}

void psg_plan_event(const psg_work *work, const psg_run_event *from, psg_event *event) {
    const psg_plan *plan = psg_plan_of(work);
    if (from->rank >= 0) {
        event->start = message_start(plan, from);
    }
    event->bytes = (size_t)event_bytes(&plan->context, from);
}

/* StarPU's number of a worker, as the public lists count. */
static int worker_of(const psg_workers *workers, int id) {
    for (size_t w = 0; w < workers->usable_count; w++) {
        if (workers->usable[w] == id) {
            return (int)w;
        }
    }
    return -1;
}

psg_status psg_work_events(const psg_work *work, psg_event *events, size_t capacity,
                           size_t *count) {
    psg_least least;
    psg_clear_error();
    if (work == NULL || count == NULL || (events == NULL && capacity > 0)) {
        return psg_fail(PSG_ERR_ARG, "work, count or events is NULL");
    }
    if (!psg_history_least(&work->latest, work->engine, work->workers->usable,
                           capacity > 0 ? work->workers->usable_count : 0, &least)) {
        free(least.seconds);
        return psg_fail(PSG_ERR_MEMORY, "no memory for the times of %zu events",
                        work->latest.events.count);
    }
    const psg_run_events *all = &work->latest.events;
    *count = all->lost ? 0 : all->count;
    for (size_t m = 0; m < *count && m < capacity; m++) {
        const psg_run_event *from = &all->event[m];
        events[m] = (psg_event){
            .stage = (psg_stage)from->label.kind,
            .worker = from->worker >= 0 ? worker_of(work->workers, from->worker) : -1,
            .rank = from->rank,
            .received = from->received,
            .segment = from->label.index[0],
            .sheet = from->label.index[1],
            .step = from->label.index[2],
            .count = from->shape.count,
            .pieces = from->shape.pieces,
            .remote = from->shape.remote,
            .dense = from->shape.dense,
            .start = from->start,
            .end = from->end,
            .least = {least.seconds[m][0], least.seconds[m][1]},
            .axis = from->shape.axis,
            .extent = {from->shape.n[0], from->shape.n[1], from->shape.n[2]},
        };
        if (work->rules->event != NULL) {
            work->rules->event(work, from, &events[m]);
        }
    }
    free(least.seconds);
    return all->lost ? psg_fail(PSG_ERR_MEMORY, "there was no memory for all events") : PSG_OK;
}
