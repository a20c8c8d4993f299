/* What happened in a solve, for traces. */
#include "graph/internal.h"

/* Does the event write what the message carries away? */
static bool feeds(const psg_plan *plan, const psg_run_event *event, const psg_run_event *message) {
    const psg_context *c = &plan->context;
    const bool packs = event->kind == PSG_TASK_PACK;
    if (message->segment >= c->own_segments.first && message->segment < c->own_segments.end) {
        return event->segment == message->segment && (packs || event->kind == PSG_TASK_FORWARD_XY);
    }
    for (size_t g = c->own_bundles.first; g < c->own_bundles.end; g++) {
        if (c->bundle_p0[g] == message->pencil) {
            return event->pencil >= message->pencil && event->pencil < c->bundle_p0[g + 1] &&
                   (packs || event->kind == PSG_TASK_KSPACE);
        }
    }
    return false;
}

/* A message that went away started when the last task that wrote it ended; one that came is
 * known from its end on. */
static double message_start(const psg_plan *plan, const psg_run_event *message) {
    double start = message->received ? message->end : 0;
    for (size_t m = 0; m < plan->events && !message->received; m++) {
        const psg_run_event *event = &plan->event[m];
        if (event->rank < 0 && event->end > start && feeds(plan, event, message)) {
            start = event->end;
        }
    }
    return start;
}

void psg_events_take(psg_plan *plan, psg_run *run) {
    psg_run_event *room = plan->event;
    const size_t size = plan->events_room;
    plan->event = run->event;
    plan->events = run->events;
    plan->events_room = run->events_room;
    run->event = room;
    run->events = 0;
    run->events_room = size;
    const psg_record record = plan->record;
    plan->record = run->record;
    run->record = record;
    for (size_t m = 0; m < plan->events; m++) {
        plan->event[m].end = (plan->event[m].end - run->started) * 1e-6;
        plan->event[m].start = (plan->event[m].start - run->started) * 1e-6;
    }
}

static int worker_of(const psg_plan *plan, int id) {
    for (size_t w = 0; w < plan->usable_workers; w++) {
        if (plan->usable[w] == id) {
            return (int)w;
        }
    }
    return -1;
}

psg_status psg_plan_events(const psg_plan *plan, psg_event *events, size_t capacity,
                           size_t *count) {
    psg_clear_error();
    if (plan == NULL || count == NULL || (events == NULL && capacity > 0)) {
        return psg_fail(PSG_ERR_ARG, "plan, count or events is NULL");
    }
    *count = plan->events;
    for (size_t m = 0; m < plan->events && m < capacity; m++) {
        const psg_run_event *from = &plan->event[m];
        events[m] = (psg_event){
            .stage = (psg_stage)from->kind,
            .worker = from->worker >= 0 ? worker_of(plan, from->worker) : -1,
            .rank = from->rank,
            .received = from->received,
            .segment = from->segment,
            .pencil = from->pencil,
            .count = from->shape.count,
            .pieces = from->shape.pieces,
            .remote = from->shape.remote,
            .dense = from->shape.dense,
            .start = from->rank >= 0 ? message_start(plan, from) : from->start,
            .end = from->end,
        };
    }
    return PSG_OK;
}
