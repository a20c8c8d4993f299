#include "runtime/runs.h"

#include "base/clock.h"
#include "base/tuning.h"
#include "runtime/alltoall.h"
#include "runtime/comm.h"
#include "runtime/device.h"
#include "runtime/message.h"
#include "runtime/simulation.h"
#include "runtime/step_list.h"
#include "runtime/stream_order.h"
#include "runtime/team.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void free_result(psg_run *run) {
    if (run->result != NULL && run->engine->pinned) {
        psg_devices->host_free(run->result);
    } else {
        free(run->result);
    }
}

bool psg_run_want_result(psg_run *run, size_t bytes) {
    if (bytes > run->result_room) {
        free_result(run);
        run->result = run->engine->pinned ? psg_devices->host_alloc(bytes) : malloc(bytes);
        run->result_room = run->result != NULL ? bytes : 0;
    }
    run->result_bytes = run->result != NULL ? bytes : 0;
    return run->result != NULL;
}

static void free_parts(psg_run *run) {
    psg_team_entry_destroy(run->entry);
    psg_step_list_destroy(run->steps);
    if (run->order != NULL) {
        psg_stream_orders->destroy(run->order);
    }
    free_result(run);
    free(run->messages.gathering);
    free(run->messages.transfer);
    free(run->messages.pairing);
    free(run->cell);
    free(run);
}

bool psg_run_want_messages(psg_run *run, size_t messages, size_t rounds) {
    psg_run_messages *m = &run->messages;
    const size_t room = messages * rounds + 1;
    const bool alone = run->engine->comm == NULL || run->engine->comm->ranks == 1;
    if (alone || (room <= m->room && rounds <= m->rounds)) {
        return true;
    }
    struct psg_transfer *transfer = psg_transfers_create(room);
    struct psg_gathering *gathering = psg_gatherings_create(rounds);
    const bool good = transfer != NULL && gathering != NULL;
    if (good) {
        free(m->transfer);
        free(m->gathering);
        m->transfer = transfer;
        m->gathering = gathering;
        m->room = room;
        m->rounds = rounds;
    } else {
        free(transfer);
        free(gathering);
    }
    return good;
}

psg_run *psg_run_create(const psg_engine *engine) {
    psg_run *run = calloc(1, sizeof *run);
    if (run == NULL) {
        return NULL;
    }
    const int ranks = engine->comm != NULL ? engine->comm->ranks : 0;
    psg_run_messages *m = &run->messages;
    run->engine = engine;
    run->cell = calloc(engine->workers * engine->kinds + 1, sizeof *run->cell);
    const bool result = psg_run_want_result(run, engine->result_bytes + 1);
    m->pairing = calloc((size_t)ranks + 1, sizeof *m->pairing);
    const bool room = psg_run_want_messages(run, engine->messages, 1);
    run->steps = psg_step_list_create();
    run->entry = engine->team != NULL ? psg_team_entry_create(engine->team) : NULL;
    if (run->cell == NULL || !result || m->pairing == NULL || !room || run->steps == NULL ||
        (engine->team != NULL && run->entry == NULL)) {
        free_parts(run);
        return NULL;
    }
    starpu_pthread_mutex_init(&run->mutex, NULL);
    starpu_pthread_cond_init(&run->idle, NULL);
    return run;
}

/* A moment of StarPU's clock, in seconds since the epoch. A thread may lose its core between the
 * looks at two clocks, so that the shortest of several looks counts. */
static double since_epoch(double moment) {
    enum { LOOKS = 5 };
    const double good = 1; /* microseconds */
    double shortest = INFINITY;
    double ahead = 0;
    for (int m = 0; m < LOOKS && shortest > good && psg_platform->threads; m++) {
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
    memset(run->result, 0, run->result_bytes);
    memset(run->cell, 0, e->workers * e->kinds * sizeof *run->cell);
    m->cell = (psg_run_cell){0};
    m->bytes = 0;
    m->on_their_way = 0;
    m->transfers = 0;
    m->gatherings = 0;
    m->left = 0;
    memset(m->pairing, 0, (size_t)(e->comm != NULL ? e->comm->ranks : 0) * sizeof *m->pairing);
    m->under_way = 0;
    atomic_store(&m->given_up, false);
    run->events.count = 0;
    run->events.lost = false;
    psg_record_clear(&run->events.record);
    run->started = run->ended = run->in = starpu_timing_now();
    run->tasks = 0;
    run->pieces = 0;
    run->handed = (psg_run_handed){0};
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

/* Waits for so many seconds, or until the run has ended. The caller holds the run's mutex. */
static void wait_a_while(psg_run *run, double seconds) {
    const struct timespec until = base_after(CLOCK_REALTIME, seconds);
    (void)starpu_pthread_cond_timedwait(&run->idle, &run->mutex, &until);
}

bool psg_run_wait_for(psg_run *run, const atomic_size_t *left, double limit) {
    double since = starpu_timing_now();
    bool over = false;
    if (run->entry != NULL && left == &run->pending) {
        psg_team_wait(run);
    }
    const double polled = limit > 0 ? fmin(limit, TUNING_POLL_SECONDS) : INFINITY;
    while (psg_platform->threads && run->engine->polls && atomic_load(left) > 0 &&
           (starpu_timing_now() - since) * 1e-6 < polled) {
        (void)sched_yield();
    }
    starpu_pthread_mutex_lock(&run->mutex);
    while (atomic_load(left) > 0 && !over) {
        if (limit <= 0) {
            starpu_pthread_cond_wait(&run->idle, &run->mutex);
            continue;
        }
        since = run->engine->comm != NULL && run->messages.under_way == 0
                    ? starpu_timing_now()
                    : fmax(since, fmax(run->ended, run->messages.under_way_since));
        const double rest = limit - (starpu_timing_now() - since) * 1e-6;
        over = rest <= 0;
        if (!over) {
            wait_a_while(run, rest);
        }
    }
    starpu_pthread_mutex_unlock(&run->mutex);
    return !over;
}
