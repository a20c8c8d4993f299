#include "runtime/run.h"

#include "runtime/chain.h"
#include "runtime/device.h"
#include "runtime/message.h"
#include "runtime/simulation.h"
#include "runtime/team.h"
#include "runtime/teamwork.h"

#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void free_parts(psg_run *run) {
    psg_chain_destroy(run->chain);
    psg_teamwork_destroy(run->work);
    if (run->result != NULL && run->engine->pinned) {
        psg_device_host_free(run->result);
    } else {
        free(run->result);
    }
    free(run->messages.gathering);
    free(run->messages.travel);
    free(run->messages.pairing);
    free(run->cell);
    free(run);
}

psg_run *psg_run_create(const psg_engine *engine) {
    psg_run *run = calloc(1, sizeof *run);
    if (run == NULL) {
        return NULL;
    }
    const size_t bytes = engine->result_bytes + 1;
    const int ranks = engine->comm != NULL ? psg_comm_ranks(engine->comm) : 0;
    psg_run_messages *m = &run->messages;
    run->engine = engine;
    run->cell = calloc(engine->workers * engine->kinds + 1, sizeof *run->cell);
    run->result = engine->pinned ? psg_device_host_alloc(bytes) : malloc(bytes);
    m->pairing = calloc((size_t)ranks + 1, sizeof *m->pairing);
    m->travel = ranks > 1 ? psg_travels_create(engine->messages) : NULL;
    m->gathering = ranks > 1 ? psg_gatherings_create() : NULL;
    run->chain = engine->chain_steps > 0 ? psg_chain_create(engine) : NULL;
    run->work = engine->team != NULL
                    ? psg_teamwork_create(engine->team_steps, psg_team_seats(engine->team))
                    : NULL;
    if (run->cell == NULL || run->result == NULL || m->pairing == NULL ||
        (ranks > 1 && (m->travel == NULL || m->gathering == NULL)) ||
        (engine->chain_steps > 0 && run->chain == NULL) ||
        (engine->team != NULL && run->work == NULL)) {
        free_parts(run);
        return NULL;
    }
    starpu_pthread_mutex_init(&run->mutex, NULL);
    starpu_pthread_cond_init(&run->idle, NULL);
    return run;
}

/* A moment of StarPU's clock, in seconds since the epoch. A thread may lose its core between the looks at
 * two clocks, so that the shortest of several looks counts. */
static double since_epoch(double moment) {
    enum { LOOKS = 5 };
    const double good = 1; /* microseconds */
    double shortest = INFINITY;
    double ahead = 0;
    for (int m = 0; m < LOOKS && shortest > good && !psg_simulated(); m++) {
        struct timespec clock = {0, 0};
        const double before = starpu_timing_now();
        (void)clock_gettime(CLOCK_REALTIME, &clock);
        const double after = starpu_timing_now();
        if (after - before < shortest) {
            shortest = after - before;
            ahead = (double)clock.tv_sec + 1e-9 * (double)clock.tv_nsec - 0.5e-6 * (before + after);
        }
    }
    return moment * 1e-6 + ahead;
}

void psg_run_start(psg_run *run, uint64_t number) {
    const psg_engine *e = run->engine;
    psg_run_messages *m = &run->messages;
    run->number = number;
    atomic_store(&run->fault, PSG_FAULT_NONE);
    memset(run->words, 0, sizeof run->words);
    memset(run->result, 0, e->result_bytes);
    memset(run->cell, 0, e->workers * e->kinds * sizeof *run->cell);
    m->cell = (psg_run_cell){0};
    m->bytes = 0;
    m->on_their_way = 0;
    m->travels = 0;
    m->under_way = 0;
    atomic_store(&m->given_up, false);
    run->events.count = 0;
    run->events.lost = false;
    psg_record_clear(&run->events.record);
    run->started = run->ended = run->in = starpu_timing_now();
    run->tasks = run->pieces = 0;
    run->submitted = since_epoch(run->started);
    run->pending = 1;
}

void psg_run_destroy(psg_run *run) {
    if (run == NULL) {
        return;
    }
    starpu_pthread_mutex_destroy(&run->mutex);
    starpu_pthread_cond_destroy(&run->idle);
    psg_record_free(&run->events.record);
    free(run->events.event);
    free_parts(run);
}

void psg_run_fail(psg_run *run, psg_fault fault, const char *format, ...) {
    int none = PSG_FAULT_NONE;
    if (!atomic_compare_exchange_strong(&run->fault, &none, (int)fault)) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(run->words, sizeof run->words, format, arguments);
    va_end(arguments);
}

bool psg_run_failed(const psg_run *run) {
    return atomic_load_explicit(&run->fault, memory_order_relaxed) != PSG_FAULT_NONE;
}

void psg_run_begin_task(psg_run *run) {
    starpu_pthread_mutex_lock(&run->mutex);
    run->pending++;
    starpu_pthread_mutex_unlock(&run->mutex);
}

/* Signalled under the lock: the waiter frees the run as soon as it has the lock itself. */
void psg_run_end_task(psg_run *run) {
    starpu_pthread_mutex_lock(&run->mutex);
    run->ended = starpu_timing_now();
    if (--run->pending == 0) {
        if (run->engine->run_ended != NULL && run->awake) {
            run->engine->run_ended();
        }
        starpu_pthread_cond_signal(&run->idle);
    }
    starpu_pthread_mutex_unlock(&run->mutex);
}

/* For so many seconds, or until the run has ended; under its mutex. */
static void wait_a_while(psg_run *run, double seconds) {
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    const double fraction = fmod(seconds, 1);
    until.tv_sec += (time_t)(seconds - fraction);
    until.tv_nsec += (long)(1e9 * fraction);
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    (void)starpu_pthread_cond_timedwait(&run->idle, &run->mutex, &until);
}

bool psg_run_wait(psg_run *run, double limit) {
    double since = starpu_timing_now();
    bool over = false;
    if (run->work != NULL) {
        psg_team_wait(run);
    }
    while (run->engine->polls && atomic_load(&run->pending) > 0) {
        (void)sched_yield();
    }
    starpu_pthread_mutex_lock(&run->mutex);
    while (run->pending > 0 && !over) {
        if (limit <= 0) {
            starpu_pthread_cond_wait(&run->idle, &run->mutex);
            continue;
        }
        since = run->messages.under_way == 0
                    ? starpu_timing_now()
                    : fmax(since, fmax(run->ended, run->messages.under_way_since));
        const double left = limit - (starpu_timing_now() - since) * 1e-6;
        over = left <= 0;
        if (!over) {
            wait_a_while(run, left);
        }
    }
    starpu_pthread_mutex_unlock(&run->mutex);
    return !over;
}

void psg_run_keep_event(psg_run *run, const psg_run_event *event) {
    psg_run_events *e = &run->events;
    starpu_pthread_mutex_lock(&run->mutex);
    if (e->count == e->room) {
        const size_t room = e->room > 0 ? 2 * e->room : 64;
        psg_run_event *more = realloc(e->event, room * sizeof *more);
        if (more != NULL) {
            e->event = more;
            e->room = room;
        }
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
