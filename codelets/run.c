#include "codelets/run.h"

#include "codelets/chain.h"
#include "codelets/device.h"

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
    run->chain = context->chained > 0 ? psg_chain_create(context) : NULL;
    if (run->cell == NULL || run->mode0 == NULL || run->pairing == NULL ||
        (context->chained > 0 && run->chain == NULL)) {
        psg_chain_destroy(run->chain);
        free_findings(run);
        free(run->pairing);
        free(run->cell);
        free(run);
        return NULL;
    }
    run->nonfinite = &((findings *)run->mode0)->nonfinite;
    starpu_pthread_mutex_init(&run->mutex, NULL);
    starpu_pthread_cond_init(&run->idle, NULL);
    return run;
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
    run->events = 0;
    psg_record_clear(&run->record);
    run->started = run->ended = run->in = starpu_timing_now();
    run->tasks = run->pieces = 0;
    struct timespec clock = {0, 0};
    (void)clock_gettime(CLOCK_REALTIME, &clock);
    run->submitted = (double)clock.tv_sec + 1e-9 * (double)clock.tv_nsec;
    run->pending = 1;
}

void psg_run_destroy(psg_run *run) {
    if (run == NULL) {
        return;
    }
    starpu_pthread_mutex_destroy(&run->mutex);
    starpu_pthread_cond_destroy(&run->idle);
    psg_chain_destroy(run->chain);
    free_findings(run);
    psg_record_free(&run->record);
    free(run->event);
    free(run->pairing);
    free(run->cell);
    free(run);
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
        if (run->context->run_ended != NULL) {
            run->context->run_ended();
        }
        starpu_pthread_cond_signal(&run->idle);
    }
    starpu_pthread_mutex_unlock(&run->mutex);
}

void psg_run_wait(psg_run *run) {
    while (run->context->polls && atomic_load(&run->pending) > 0) {
        (void)sched_yield();
    }
    starpu_pthread_mutex_lock(&run->mutex);
    while (run->pending > 0) {
        starpu_pthread_cond_wait(&run->idle, &run->mutex);
    }
    starpu_pthread_mutex_unlock(&run->mutex);
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
