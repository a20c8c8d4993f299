/* How long the exchange takes, by the tasks around it. */
#include "lab/peers/exchange.h"
#include "graph/psg_observe.h"
#include "lab/peers/program.h"

#include <math.h>

enum { GPUS_MOST = 64 };

/* What a GPU did: along x and y, planes; along z, rows. */
typedef struct part {
    double planes, rows;
    psg_event first, last; /* along z */
    double seconds;
} part;

static double seconds_of(const psg_event *event) {
    return event->end - event->start;
}

static void add_kspace(part *p, const psg_event *event) {
    p->first = p->rows > 0 ? p->first : *event;
    p->last = *event;
    p->rows += (double)event->count;
    p->seconds += seconds_of(event);
}

bench_exchange bench_exchange_of(const psg_event *events, size_t count, int gpus) {
    bench_exchange e = {.there = 0};
    part of[GPUS_MOST] = {{.planes = 0}};
    double begin = INFINITY, end = 0, rows = 0;
    bench_must(gpus <= GPUS_MOST, "%d GPUs are more than %d", gpus, GPUS_MOST);
    for (size_t m = 0; m < count; m++) {
        const psg_event *event = &events[m];
        bench_must(event->worker >= 0 && event->worker < gpus, "a task of worker %d of %d GPUs",
                   event->worker, gpus);
        if (event->stage == PSG_STAGE_FORWARD_XY) {
            begin = fmin(begin, event->start);
            of[event->worker].planes += (double)event->count;
            e.forward_xy += seconds_of(event) / gpus;
        } else if (event->stage == PSG_STAGE_INVERSE_XY) {
            end = fmax(end, event->end);
            e.inverse_xy += seconds_of(event) / gpus;
        } else if (event->stage == PSG_STAGE_KSPACE) {
            add_kspace(&of[event->worker], event);
            rows += (double)event->count;
        }
    }
    for (int g = 0; g < gpus; g++) {
        const part *p = &of[g];
        const double before = p->seconds - seconds_of(&p->last);
        const double after = p->seconds - seconds_of(&p->first);
        if (p->rows > 0) {
            e.there = fmax(e.there, p->last.start - begin - before);
            e.back = fmax(e.back, end - p->first.end - after);
        }
        e.moved_rows += p->planes * (rows - p->rows);
    }
    e.both = e.there + e.back;
    return e;
}
