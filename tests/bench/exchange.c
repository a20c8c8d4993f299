/* How long the exchange takes, by the tasks around it. */
#include "tests/bench/exchange.h"
#include "tests/bench/measure.h"

#include <math.h>

enum { GPUS_MOST = 64 };

/* What a GPU did along z. */
typedef struct along_z {
    psg_event first, last;
    double seconds;
    size_t tasks;
} along_z;

static double seconds_of(const psg_event *event) {
    return event->end - event->start;
}

static void add(along_z *z, const psg_event *event) {
    z->first = z->tasks == 0 ? *event : z->first;
    z->last = *event;
    z->seconds += seconds_of(event);
    z->tasks++;
}

bench_exchange bench_exchange_of(const psg_event *events, size_t count, int gpus) {
    bench_exchange e = {.there = 0};
    along_z z[GPUS_MOST] = {{.tasks = 0}};
    double begin = INFINITY, end = 0;
    bench_must(gpus <= GPUS_MOST, "%d GPUs are more than %d", gpus, GPUS_MOST);
    for (size_t m = 0; m < count; m++) {
        const psg_event *event = &events[m];
        bench_must(event->worker >= 0 && event->worker < gpus, "a task of worker %d of %d GPUs",
                   event->worker, gpus);
        if (event->stage == PSG_STAGE_FORWARD_XY) {
            begin = fmin(begin, event->start);
            e.forward_xy += seconds_of(event) / gpus;
        } else if (event->stage == PSG_STAGE_INVERSE_XY) {
            end = fmax(end, event->end);
            e.inverse_xy += seconds_of(event) / gpus;
        } else if (event->stage == PSG_STAGE_KSPACE) {
            add(&z[event->worker], event);
        }
    }
    for (int g = 0; g < gpus; g++) {
        const double before = z[g].seconds - seconds_of(&z[g].last);
        const double after = z[g].seconds - seconds_of(&z[g].first);
        if (z[g].tasks > 0) {
            e.there = fmax(e.there, z[g].last.start - begin - before);
            e.back = fmax(e.back, end - z[g].first.end - after);
        }
    }
    e.both = e.there + e.back;
    return e;
}
