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

void psg_event_part(const psg_context *c, const psg_run_event *event, double *field,
                    double *spectrum) {
    const double real = (double)c->cpu->real_bytes;
    const size_t s = event->segment;
    const size_t p = event->pencil;
    if (p != SIZE_MAX) {
        *field = 0;
        *spectrum = 2 * real * (double)(c->y0[p + 1] - c->y0[p]) * (double)(c->nxc * c->n[2]);
    } else {
        const double rows = (double)(c->z0[s + 1] - c->z0[s]) * (double)c->n[1];
        *field = real * rows * (double)c->n[0];
        *spectrum = 2 * real * rows * (double)c->nxc;
    }
}

/* Of a task its part of the spectrum; what a message carries. */
static double event_bytes(const psg_context *c, const psg_run_event *event) {
    double field = 0;
    double spectrum = 0;
    if (event->worker >= 0) {
        psg_event_part(c, event, &field, &spectrum);
        return spectrum;
    }
    for (size_t g = 0; g < c->bundles && event->segment != SIZE_MAX; g++) {
        if (c->bundle_p0[g] == event->pencil) {
            const size_t planes = c->z0[event->segment + 1] - c->z0[event->segment];
            const size_t rows = c->bundle_y0[g + 1] - c->bundle_y0[g];
            return (double)(planes * rows * psg_wire_row_bytes(c->wire));
        }
    }
    return 0;
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
    plan->events_lost = run->events_lost;
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

psg_status psg_events_check(const psg_plan *plan) {
    return plan->events_lost
               ? psg_fail(PSG_ERR_MEMORY, "there was no memory for all events of the solve")
               : PSG_OK;
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
    const psg_status status = psg_events_check(plan);
    if (status != PSG_OK) {
        *count = 0;
        return status;
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
            .bytes = (size_t)event_bytes(&plan->context, from),
        };
    }
    return PSG_OK;
}
