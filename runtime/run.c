#include "runtime/run.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>

void psg_run_fail_at(const char *line, psg_run *run, psg_fault fault, const char *format, ...) {
    int none = PSG_FAULT_NONE;
    if (!atomic_compare_exchange_strong(&run->fault, &none, (int)fault)) {
        return;
    }
    run->line = line;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(run->words, sizeof run->words, format, arguments);
    va_end(arguments);
}

bool psg_run_failed(const psg_run *run) {
    return atomic_load_explicit(&run->fault, memory_order_relaxed) != PSG_FAULT_NONE;
}

bool psg_run_incomplete(const psg_run *run) {
    return atomic_load_explicit(&run->fault, memory_order_relaxed) == PSG_FAULT_SUBMIT;
}

void psg_run_begin_task(psg_run *run) {
    starpu_pthread_mutex_lock(&run->mutex);
    run->pending++;
    starpu_pthread_mutex_unlock(&run->mutex);
}

/* Signalled under the lock: the waiter frees the run as soon as it has the lock itself. */
bool psg_run_end_task(psg_run *run) {
    starpu_pthread_mutex_lock(&run->mutex);
    run->ended = starpu_timing_now();
    const bool last = --run->pending == 0;
    if (last) {
        if (run->engine->run_ended != NULL && run->awake) {
            run->engine->run_ended();
        }
        starpu_pthread_cond_signal(&run->idle);
    }
    starpu_pthread_mutex_unlock(&run->mutex);
    return last;
}

void psg_run_keep_event(psg_run *run, const psg_run_event *event) {
    psg_run_events *e = &run->events;
    starpu_pthread_mutex_lock(&run->mutex);
    if (e->count == e->room) {
        bool good = true;
        const size_t room = 2 * e->room + 64;
        e->event = base_grown(e->event, room, sizeof *e->event, &good);
        e->room = good ? room : e->room;
    }
    if (e->count < e->room) {
        e->event[e->count++] = *event;
    } else {
        e->lost = true;
    }
    starpu_pthread_mutex_unlock(&run->mutex);
}

void psg_run_under_way(psg_run *run, psg_pairing *pairing, bool more) {
    psg_run_messages *m = &run->messages;
    const size_t change = more ? 1 : SIZE_MAX; /* which is one less */
    starpu_pthread_mutex_lock(&run->mutex);
    m->under_way_since = m->under_way == 0 ? starpu_timing_now() : m->under_way_since;
    m->under_way += change;
    if (pairing != NULL) {
        pairing->under_way += change;
    }
    starpu_pthread_mutex_unlock(&run->mutex);
}

void psg_run_message_submitted(psg_run *run, size_t bytes) {
    psg_run_messages *m = &run->messages;
    m->cell.tasks++;
    m->bytes += bytes;
}

void psg_run_messages_ready(psg_run *run, size_t count) {
    psg_run_messages *m = &run->messages;
    if (count == 0) {
        return;
    }
    starpu_pthread_mutex_lock(&run->mutex);
    if (m->on_their_way == 0) {
        m->on_their_way_since = starpu_timing_now();
    }
    m->on_their_way += count;
    starpu_pthread_mutex_unlock(&run->mutex);
}

void psg_run_message_sent(psg_run *run) {
    psg_run_messages *m = &run->messages;
    starpu_pthread_mutex_lock(&run->mutex);
    if (--m->on_their_way == 0) {
        m->cell.seconds += (starpu_timing_now() - m->on_their_way_since) * 1e-6;
    }
    starpu_pthread_mutex_unlock(&run->mutex);
}
