#include "runtime/team.h"

#include "runtime/task.h"
#include "runtime/teamwork.h"

#include "base/clock.h"
#include "base/tuning.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* By worker of the team. */
typedef struct seat {
    _Alignas(PSG_TEAM_LINE) atomic_int taken; /* by the worker, or by a thread that waits */
    atomic_int wanted;                        /* by a thread that waits: the worker may leave it */
    atomic_int called;                        /* a task of StarPU's brings the worker, or has */
    atomic_int core;                          /* where the worker runs; -1: not known yet */
    int worker;                               /* StarPU's number */
} seat;

struct psg_team {
    size_t seats;
    seat *seat;
    _Atomic(psg_teamwork *) head; /* the work in progress; the members look at nothing else */
    atomic_size_t tasks;          /* of StarPU's that have not ended */
    atomic_size_t asleep;         /* workers without a seat */
    pthread_mutex_t lock;         /* of the order of works, and of what sleepers wait for */
    pthread_cond_t moved;
    psg_teamwork *tail; /* the last work; under the lock */
    atomic_llong ended; /* the latest work, nanoseconds */
    void (*awake)(void);
    void (*rest)(void);
};

/* -------------------------------------------------------------------------------------- working */

/* The last range has ended: what waits for it may go. After that the run may be the caller's next
 * one. */
static void finish(psg_team *team, psg_teamwork *w) {
    psg_run *run = w->run;
    psg_teamwork_count(w);
    pthread_mutex_lock(&team->lock);
    atomic_store(&team->ended, (long long)(1e9 * base_now()));
    atomic_store(&team->head, w->after);
    team->tail = w->after != NULL ? team->tail : NULL;
    atomic_fetch_add(&w->finished, 1);
    pthread_mutex_unlock(&team->lock);
    psg_run_end_task(run);
    if (atomic_load(&team->asleep) > 0) {
        pthread_cond_broadcast(&team->moved);
    }
}

static void do_work(psg_team *team, psg_teamwork *w, size_t rank, int worker) {
    for (size_t m = 0; m < w->phases; m++) {
        const size_t ranges = w->phase[m].end - w->phase[m].first;
        for (size_t p; (p = psg_teamwork_claim(w, m, rank)) != SIZE_MAX;) {
            psg_teamwork_do(w, p, worker);
            if (atomic_fetch_add(&w->done[m], 1) + 1 == ranges && m + 1 == w->phases) {
                finish(team, w);
                return;
            }
        }
        for (unsigned looks = 0; atomic_load(&w->done[m]) < ranges;) {
            psg_team_relax(&looks);
        }
    }
}

/* Join the work in progress, also where it did not ask for so many. @return was there something to
 * do? */
static bool join(psg_team *team, size_t number) {
    psg_teamwork *w = atomic_load(&team->head);
    if (w == NULL) {
        return false;
    }
    atomic_fetch_add(&w->inside, 1); /* from here on it is not used for another solve */
    if (atomic_load(&team->head) == w) {
        const size_t rank = (number + team->seats - w->first_seat) % team->seats;
        do_work(team, w, rank % w->members, team->seat[number].worker);
    }
    atomic_fetch_sub(&w->inside, 1);
    return true;
}

static bool take(seat *s) {
    int none = 0;
    return atomic_compare_exchange_strong(&s->taken, &none, 1);
}

static void leave(psg_team *team, seat *s) {
    atomic_store(&s->taken, 0);
    if (atomic_load(&team->asleep) > 0) {
        pthread_cond_broadcast(&team->moved);
    }
}

/* Has nothing happened for so long? */
static bool is_quiet(psg_team *team) {
    return atomic_load(&team->head) == NULL &&
           base_now() > 1e-9 * (double)atomic_load(&team->ended) + TUNING_MEMBER_LINGERS;
}

static void sleep_a_little(psg_team *team) {
    const struct timespec until = base_after(CLOCK_REALTIME, TUNING_MEMBER_NAP);
    pthread_mutex_lock(&team->lock);
    atomic_fetch_add(&team->asleep, 1);
    (void)pthread_cond_timedwait(&team->moved, &team->lock, &until);
    atomic_fetch_sub(&team->asleep, 1);
    pthread_mutex_unlock(&team->lock);
}

/* Work until nothing has happened for a while, or the thread that waits wants the seat. */
static void sit(psg_team *team, size_t number) {
    seat *s = &team->seat[number];
    for (unsigned looks = 0; atomic_load(&s->wanted) == 0; psg_team_relax(&looks)) {
        if (join(team, number)) {
            looks = 0;
        } else if (looks % 64 == 63 && is_quiet(team)) {
            break;
        }
    }
    atomic_store(&s->wanted, 0);
    leave(team, s);
}

/* Who finds the seat taken sleeps. Between two solves it is left to the thread that waits, which
 * will be back. */
static void help(psg_team *team, size_t number) {
    seat *s = &team->seat[number];
    bool seated = take(s);
    do {
        if (seated) {
            sit(team, number);
        } else {
            sleep_a_little(team);
        }
        seated = atomic_load(&team->head) != NULL && take(s);
    } while (seated || !is_quiet(team));
}

/* --------------------------------------------------------------------------------- StarPU's tasks
 */

typedef struct call {
    psg_team *team;
    size_t number;
} call;

/* A solve that is pushed before the worker's last look is found by it. One that is pushed later
 * finds the seat empty, and calls the worker again. */
static void help_cpu(void *buffers[], void *argument) {
    const call *c = argument;
    seat *s = &c->team->seat[c->number];
    (void)buffers;
    for (int none = 0;; none = 0) {
        help(c->team, c->number);
        atomic_store(&s->called, 0);
        const psg_teamwork *w = atomic_load(&c->team->head);
        if (w == NULL || !atomic_compare_exchange_strong(&s->called, &none, 1)) {
            break;
        }
    }
    c->team->rest();
    atomic_fetch_sub(&c->team->tasks, 1); /* the team may be gone from here on, and StarPU stop */
}

static struct starpu_codelet help_codelet = {.name = "team",
                                             .cpu_funcs = {help_cpu},
                                             .cpu_funcs_name = {"help_cpu"},
                                             .type = STARPU_FORKJOIN,
                                             .max_parallelism = 1};

static void call_worker(psg_team *team, size_t number) {
    seat *s = &team->seat[number];
    int none = 0;
    if (!atomic_compare_exchange_strong(&s->called, &none, 1)) {
        return;
    }
    struct starpu_task *task = starpu_task_create();
    call *argument = malloc(sizeof *argument);
    task->destroy = argument != NULL;
    if (argument != NULL) {
        *argument = (call){team, number};
        task->cl = &help_codelet;
        task->cl_arg = argument;
        task->cl_arg_size = sizeof *argument;
        task->cl_arg_free = 1;
        task->execute_on_a_specific_worker = 1;
        task->workerid = (unsigned)s->worker;
        atomic_fetch_add(&team->tasks, 1);
        team->awake();
        if (starpu_task_submit(task) == 0) {
            return;
        }
        team->rest();
        atomic_fetch_sub(&team->tasks, 1);
        task->destroy = 0;
    }
    starpu_task_destroy(task); /* the others do without this one */
    atomic_store(&s->called, 0);
}

/* The worker on the core of the thread that waits has no seat, and is called to sleep. */
static void call_members(psg_team *team, const psg_teamwork *w) {
    const size_t first = w->first_seat;
    const size_t count = w->members;
    if (w->own_seat >= 0) {
        call_worker(team, (size_t)w->own_seat);
    }
    for (size_t m = 0; m < count; m++) {
        call_worker(team, (first + m) % team->seats);
    }
}

/* ----------------------------------------------------------------------------------- entering */

static size_t seat_here(const psg_team *team) {
    const int core = sched_getcpu();
    for (size_t m = 0; m < team->seats; m++) {
        if (core >= 0 && atomic_load(&team->seat[m].core) == core) {
            return m;
        }
    }
    return team->seats - 1;
}

size_t psg_team_seats(const psg_team *team) {
    return team->seats;
}

size_t psg_team_members(double bytes, size_t seats) {
    const size_t most =
        bytes <= (double)TUNING_TEAM_BYTES ? 1 : (size_t)(bytes / (double)TUNING_MEMBER_BYTES);
    return most < 1 ? 1 : most < seats ? most : seats;
}

static void push(psg_team *team, psg_teamwork *w) {
    pthread_mutex_lock(&team->lock);
    w->after = NULL;
    if (team->tail != NULL) {
        team->tail->after = w;
    } else {
        atomic_store(&team->head, w);
    }
    team->tail = w;
    pthread_mutex_unlock(&team->lock);
}

/* Is a member away? */
static bool needs_workers(const psg_team *team, const psg_teamwork *w) {
    for (size_t m = w->own_seat >= 0 ? 1 : 0; m < w->members; m++) {
        if (atomic_load(&team->seat[(w->first_seat + m) % team->seats].called) == 0) {
            return true;
        }
    }
    return false;
}

static void enter(psg_run *run, bool waits) {
    psg_team *team = run->engine->team;
    psg_teamwork *w = run->work;
    const size_t here = seat_here(team);
    psg_teamwork_wait(w);
    w->run = run;
    /* where nobody waits for others, each range is about an array of its own */
    const size_t arrays = w->phases > 1 ? 1 : w->ranges;
    w->members = psg_team_members(run->engine->team_bytes * (double)arrays, team->seats);
    w->own_seat = waits && take(&team->seat[here]) ? (int)here : -1;
    atomic_store(&team->seat[here].wanted, waits && w->own_seat < 0); /* for the next solve */
    w->first_seat = w->own_seat >= 0 ? here : (here + 1) % team->seats;
    psg_teamwork_deal(w);
    psg_run_begin_task(run);
    atomic_fetch_add(&w->entered, 1);
    push(team, w);
    if (needs_workers(team, w)) {
        call_members(team, w);
    }
}

void psg_team_enter(psg_run *run, bool waits) {
    run->gather = NULL;
    run->work->by_task = false;
    run->tasks++;
    enter(run, waits);
    run->in = starpu_timing_now();
}

void psg_team_wait(psg_run *run) {
    psg_team *team = run->engine->team;
    psg_teamwork *w = run->work;
    if (w->by_task) {
        return; /* it may have to wait for data */
    }
    if (w->own_seat < 0) {
        const size_t here = seat_here(team);
        w->own_seat = take(&team->seat[here]) ? (int)here : -1;
    }
    if (w->own_seat < 0) {
        return;
    }
    const size_t ticket = atomic_load(&w->entered);
    for (unsigned looks = 0; atomic_load(&w->finished) < ticket;) {
        if (!join(team, (size_t)w->own_seat)) {
            psg_team_relax(&looks);
        }
    }
    atomic_store(&team->seat[w->own_seat].taken, 0); /* the worker sleeps on, for the next solve */
    w->own_seat = -1;
}

/* Runs once the slabs are there, and keeps them until the run has ended. */
static void enter_cpu(void *buffers[], void *argument) {
    psg_run *run = ((const psg_task_args *)argument)->run;
    psg_team *team = run->engine->team;
    psg_teamwork *w = run->work;
    const int worker = starpu_worker_get_id();
    size_t number = 0;
    (void)buffers;
    enter(run, false);
    const size_t ticket = atomic_load(&w->entered);
    while (number + 1 < team->seats && team->seat[number].worker != worker) {
        number++;
    }
    bool seated = false;
    for (unsigned looks = 0; atomic_load(&w->finished) < ticket;) {
        seated = seated || take(&team->seat[number]);
        if (!seated) {
            sleep_a_little(team);
        } else if (!join(team, number)) {
            psg_team_relax(&looks);
        }
    }
    if (seated) {
        leave(team, &team->seat[number]);
    }
    team->rest();
    atomic_fetch_sub(&team->tasks, 1);
}

static struct starpu_codelet enter_codelet[PSG_TASK_PRECISIONS] = {
    [PSG_TASK_F64] = {.name = "team",
                      .cpu_funcs = {enter_cpu},
                      .cpu_funcs_name = {"enter_cpu"},
                      .nbuffers = STARPU_VARIABLE_NBUFFERS,
                      .type = STARPU_FORKJOIN,
                      .max_parallelism = 1},
    [PSG_TASK_F32] = {.name = "team",
                      .cpu_funcs = {enter_cpu},
                      .cpu_funcs_name = {"enter_cpu"},
                      .nbuffers = STARPU_VARIABLE_NBUFFERS,
                      .type = STARPU_FORKJOIN,
                      .max_parallelism = 1},
};

static void entered(void *argument) {
    const struct starpu_task *task = argument;
    psg_run_end_task(((const psg_task_args *)task->cl_arg)->run);
}

void psg_team_enter_after(psg_run *run, const starpu_data_handle_t *read,
                          const starpu_data_handle_t *written, size_t count) {
    psg_team *team = run->engine->team;
    psg_teamwork *w = run->work;
    psg_task_args args = w->step[0].args;
    run->gather = NULL;
    w->by_task = true;
    args.continues = true; /* the run's record has the steps */
    args.as_worker = 0;
    struct starpu_task *task = psg_task_create(enter_codelet, &args, 2 * count);
    if (task == NULL) {
        psg_run_fail(run, PSG_FAULT_SUBMIT, "no memory for a task");
        return;
    }
    task->epilogue_callback_func = entered;
    for (size_t m = 0; m < count; m++) {
        psg_task_use(task, m, read[m], STARPU_R);
        psg_task_use(task, count + m, written[m], STARPU_W);
    }
    psg_run_begin_task(run);
    atomic_fetch_add(&team->tasks, 1);
    team->awake();
    if (!psg_task_hand_over(run, task)) {
        psg_run_end_task(run);
        team->rest();
        atomic_fetch_sub(&team->tasks, 1);
    }
}

/* ------------------------------------------------------------------------------------ the team */

/* By each worker: where it is. */
static void find_core(void *argument) {
    psg_team *team = argument;
    for (size_t m = 0; m < team->seats; m++) {
        if (team->seat[m].worker == starpu_worker_get_id()) {
            atomic_store(&team->seat[m].core, sched_getcpu());
        }
    }
}

psg_team *psg_team_create(const int *workers, size_t count, void (*awake)(void),
                          void (*rest)(void)) {
    psg_team *team = calloc(1, sizeof *team);
    seat *seats = aligned_alloc(PSG_TEAM_LINE, (count + 1) * sizeof *seats);
    if (team == NULL || seats == NULL) {
        free(team);
        free(seats);
        return NULL;
    }
    memset(seats, 0, (count + 1) * sizeof *seats);
    for (size_t m = 0; m < count; m++) {
        seats[m].worker = workers[m];
        atomic_store(&seats[m].core, -1);
    }
    team->seats = count;
    team->seat = seats;
    team->awake = awake;
    team->rest = rest;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->moved, NULL);
    starpu_execute_on_each_worker(find_core, team, STARPU_CPU);
    return team;
}

void psg_team_destroy(psg_team *team) {
    if (team == NULL) {
        return;
    }
    for (unsigned looks = 0; atomic_load(&team->tasks) > 0;) {
        pthread_cond_broadcast(&team->moved);
        psg_team_relax(&looks);
    }
    pthread_cond_destroy(&team->moved);
    pthread_mutex_destroy(&team->lock);
    free(team->seat);
    free(team);
}
