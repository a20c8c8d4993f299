#include "runtime/run.h"

#include "runtime/chain.h"
#include "codelets/codelets.h"
#include "runtime/device.h"
#include "runtime/simulation.h"
#include "runtime/team.h"

#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What tasks find out about f, in memory that GPUs write too. */
typedef struct findings {
    double mode0[2]; /* room for either precision */
    atomic_int nonfinite;
} findings;

static void free_findings(psg_run *run) {
    if (run->mode0 != NULL && run->context->on_gpus) {
        psg_device_host_free(run->mode0);
    } else {
        free(run->mode0);
    }
}

static void free_parts(psg_run *run) {
    psg_chain_destroy(run->chain);
    psg_teamwork_destroy(run->work);
    free_findings(run);
    free(run->gathering);
    free(run->travel);
    free(run->pairing);
    free(run->cell);
    free(run);
}

psg_run *psg_run_create(const psg_context *context, size_t workers) {
    psg_run *run = calloc(1, sizeof *run);
    if (run == NULL) {
        return NULL;
    }
    run->context = context;
    run->workers = workers;
    run->cell = calloc(workers * PSG_TASK_COUNT, sizeof *run->cell);
    run->mode0 =
        context->on_gpus ? psg_device_host_alloc(sizeof(findings)) : malloc(sizeof(findings));
    const int ranks = context->comm != NULL ? psg_comm_ranks(context->comm) : 0;
    run->pairing = calloc((size_t)ranks + 1, sizeof *run->pairing);
    run->travel = ranks > 1 ? psg_travels_create(context) : NULL;
    run->gathering = ranks > 1 ? psg_gatherings_create() : NULL;
    run->chain = context->chained > 0 ? psg_chain_create(context) : NULL;
    run->work = context->team != NULL ? psg_teamwork_create(context) : NULL;
    if (run->cell == NULL || run->mode0 == NULL || run->pairing == NULL ||
        (ranks > 1 && (run->travel == NULL || run->gathering == NULL)) ||
        (context->chained > 0 && run->chain == NULL) ||
        (context->team != NULL && run->work == NULL)) {
        free_parts(run);
        return NULL;
    }
    run->nonfinite = &((findings *)run->mode0)->nonfinite;
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

void psg_run_start(psg_run *run, uint64_t solve) {
    run->solve = solve;
    atomic_store(&run->fault, PSG_FAULT_NONE);
    memset(run->words, 0, sizeof run->words);
    memset(run->mode0, 0, sizeof(findings));
    memset(run->cell, 0, run->workers * PSG_TASK_COUNT * sizeof *run->cell);
    run->exchange = (psg_run_cell){0};
    run->sent_bytes = 0;
    run->on_their_way = 0;
    run->travels = 0;
    run->under_way = 0;
    atomic_store(&run->given_up, false);
    run->events = 0;
    run->events_lost = false;
    psg_record_clear(&run->record);
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
    psg_record_free(&run->record);
    free(run->event);
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
        if (run->context->run_ended != NULL && run->awake) {
            run->context->run_ended();
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
    while (run->context->polls && atomic_load(&run->pending) > 0) {
        (void)sched_yield();
    }
    starpu_pthread_mutex_lock(&run->mutex);
    while (run->pending > 0 && !over) {
        if (limit <= 0) {
            starpu_pthread_cond_wait(&run->idle, &run->mutex);
            continue;
        }
        since = run->under_way == 0 ? starpu_timing_now()
                                    : fmax(since, fmax(run->ended, run->under_way_since));
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
    starpu_pthread_mutex_lock(&run->mutex);
    if (run->events == run->events_room) {
        const size_t room = run->events_room > 0 ? 2 * run->events_room : 64;
        psg_run_event *more = realloc(run->event, room * sizeof *more);
        if (more != NULL) {
            run->event = more;
            run->events_room = room;
        }
    }
    if (run->events < run->events_room) {
        run->event[run->events++] = *event;
    } else {
        run->events_lost = true;
    }
    starpu_pthread_mutex_unlock(&run->mutex);
}

void psg_run_under_way(psg_run *run, psg_pairing *pairing, bool more) {
    const size_t change = more ? 1 : SIZE_MAX; /* which is one less */
    starpu_pthread_mutex_lock(&run->mutex);
    run->under_way_since = run->under_way == 0 ? starpu_timing_now() : run->under_way_since;
    run->under_way += change;
    if (pairing != NULL) {
        pairing->under_way += change;
    }
    starpu_pthread_mutex_unlock(&run->mutex);
}

void psg_run_message_submitted(psg_run *run, size_t bytes) {
    run->exchange.tasks++;
    run->sent_bytes += bytes;
}

void psg_run_messages_ready(psg_run *run, size_t count) {
    if (count == 0) {
        return;
    }
    starpu_pthread_mutex_lock(&run->mutex);
    if (run->on_their_way == 0) {
        run->on_their_way_since = starpu_timing_now();
    }
    run->on_their_way += count;
    starpu_pthread_mutex_unlock(&run->mutex);
}

void psg_run_message_sent(psg_run *run) {
    starpu_pthread_mutex_lock(&run->mutex);
    if (--run->on_their_way == 0) {
        run->exchange.seconds += (starpu_timing_now() - run->on_their_way_since) * 1e-6;
    }
    starpu_pthread_mutex_unlock(&run->mutex);
}
