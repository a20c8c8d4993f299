#include "runtime/team.h"

#include "base/clock.h"
#include "base/tuning.h"
#include "runtime/step_list.h"
#include "runtime/task.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a cache line: two members never write the same one. */
enum { LINE = 64 };
/* The most phases that the steps of a run have. */
enum { PHASES = 16 };

/* A range of steps, which follow one another; or a phase of ranges, which may go at once, in any
 * order. */
typedef struct span {
    size_t first;
    size_t end;
} span;

/* The ranges of a phase that are a member's, as long as nobody else has taken them. */
typedef struct counter {
    _Alignas(LINE) atomic_size_t next;
    size_t end;
} counter;

typedef struct psg_team_entry entry;
struct psg_team_entry {
    psg_run *run;
    entry *after; /* in the team's order */
    bool by_task; /* a task of StarPU's enters it */
    span *range;  /* [steps] */
    size_t ranges;
    span phase[PHASES];
    size_t phases;
    counter *counter;           /* [phases][members] */
    atomic_size_t done[PHASES]; /* ranges, by phase */
    size_t first_seat;          /* of the members: that one and those that follow */
    size_t members;
    int own_seat;         /* of the thread that waits; -1: it has none */
    atomic_size_t inside; /* members that have not left yet */
    atomic_size_t entered, finished;
};

/* Each worker of the team has one. */
typedef struct seat {
    _Alignas(LINE) atomic_int taken; /* by the worker, or by a thread that waits */
    atomic_int wanted;               /* by a thread that waits: the worker may leave it */
    atomic_int called;               /* a task of StarPU's brings the worker, or has */
    atomic_int core;                 /* where the worker runs; -1: not known yet */
    int worker;                      /* StarPU's number */
} seat;

struct psg_team {
    size_t seats;
    seat *seat;
    _Atomic(entry *) head; /* the work in progress; the members look at nothing else */
    atomic_size_t tasks;   /* of StarPU's that have not ended */
    atomic_size_t asleep;  /* workers without a seat */
    pthread_mutex_t lock;  /* of the order of works, and of what sleepers wait for */
    pthread_cond_t moved;
    entry *tail;        /* the last work; under the lock */
    atomic_llong ended; /* the latest work, nanoseconds */
    void (*awake)(void);
    void (*rest)(void);
};

/* Look away for a moment; who has looked often offers its core to other threads. */
static void relax(unsigned *looks) {
    if (++*looks < TUNING_TEAM_LOOKS) {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        __asm__ volatile("yield");
#endif
    } else {
        (void)sched_yield();
    }
}

/* -------------------------------------------------------------------------------------- sharing */

/* Steps of the same part that were submitted in a row are a range. Ranges along the same axis, each
 * with a higher number than the one before it, are a phase. */
static bool find_phases(entry *e) {
    const psg_step_list *list = e->run->steps;
    span *range = realloc(e->range, list->steps * sizeof *range);
    e->ranges = e->phases = 0;
    if (range == NULL) {
        return false;
    }
    e->range = range;
    for (size_t s = 0; s < list->steps; s++) {
        const psg_label *label = &list->step[s].args.label;
        const psg_label *before = s > 0 ? &list->step[s - 1].args.label : NULL;
        const int axis = psg_label_axis(label);
        const bool same_phase = before != NULL && psg_label_axis(before) == axis &&
                                before->index[axis] <= label->index[axis];
        if (!same_phase || before->index[axis] != label->index[axis]) {
            range[e->ranges++] = (span){s, s};
        }
        if (!same_phase) {
            e->phase[e->phases++] = (span){e->ranges - 1, e->ranges - 1};
        }
        e->phase[e->phases - 1].end = e->ranges;
        range[e->ranges - 1].end = s + 1;
    }
    return true;
}

/* The ranges are shared among the members; none is done. */
static void deal(entry *e) {
    for (size_t m = 0; m < e->phases; m++) {
        const size_t first = e->phase[m].first;
        const size_t ranges = e->phase[m].end - first;
        atomic_store(&e->done[m], 0);
        for (size_t r = 0; r < e->members; r++) {
            counter *c = &e->counter[m * e->members + r];
            atomic_store(&c->next, first + ranges * r / e->members);
            c->end = first + ranges * (r + 1) / e->members;
        }
    }
}

/* -------------------------------------------------------------------------------------- working */

/* The next of a member's own ranges, or else of another's. A member's own ranges are the same ones
 * in each solve, so that its core may have them in its caches. @return SIZE_MAX: all are taken */
static size_t claim(entry *e, size_t phase, size_t rank) {
    counter *all = &e->counter[phase * e->members];
    for (size_t m = 0; m < e->members; m++) {
        counter *c = &all[rank + m < e->members ? rank + m : rank + m - e->members];
        if (atomic_load_explicit(&c->next, memory_order_relaxed) < c->end) {
            const size_t p = atomic_fetch_add(&c->next, 1);
            if (p < c->end) {
                return p;
            }
        }
    }
    return SIZE_MAX;
}

/* The steps of a range, each as a task of that worker. */
static void do_range(entry *e, size_t p, int worker) {
    psg_step_list *list = e->run->steps;
    for (size_t s = e->range[p].first; s < e->range[p].end; s++) {
        psg_step *step = &list->step[s];
        step->args.as_worker = 1 + worker;
        step->between[0] = starpu_timing_now();
        step->on_cpu(&list->buffer[step->first], &step->args);
        step->between[1] = starpu_timing_now();
    }
}

/* The last range has ended: what waits for it may go. After that the run may be the caller's next
 * one. */
static void finish(psg_team *team, entry *e) {
    psg_run *run = e->run;
    for (size_t s = 0; s < run->steps->steps; s++) {
        psg_task_count(&run->steps->step[s].args, run->steps->step[s].between);
    }
    pthread_mutex_lock(&team->lock);
    atomic_store(&team->ended, (long long)(1e9 * base_now()));
    atomic_store(&team->head, e->after);
    team->tail = e->after != NULL ? team->tail : NULL;
    atomic_fetch_add(&e->finished, 1);
    pthread_mutex_unlock(&team->lock);
    psg_run_end_task(run);
    if (atomic_load(&team->asleep) > 0) {
        pthread_cond_broadcast(&team->moved);
    }
}

static void do_work(psg_team *team, entry *e, size_t rank, int worker) {
    for (size_t m = 0; m < e->phases; m++) {
        const size_t ranges = e->phase[m].end - e->phase[m].first;
        for (size_t p; (p = claim(e, m, rank)) != SIZE_MAX;) {
            do_range(e, p, worker);
            if (atomic_fetch_add(&e->done[m], 1) + 1 == ranges && m + 1 == e->phases) {
                finish(team, e);
                return;
            }
        }
        for (unsigned looks = 0; atomic_load(&e->done[m]) < ranges;) {
            relax(&looks);
        }
    }
}

/* Join the work in progress, also where it did not ask for so many. @return was there something to
 * do? */
static bool join(psg_team *team, size_t number) {
    entry *e = atomic_load(&team->head);
    if (e == NULL) {
        return false;
    }
    atomic_fetch_add(&e->inside, 1); /* from here on it is not used for another solve */
    if (atomic_load(&team->head) == e) {
        const size_t rank = (number + team->seats - e->first_seat) % team->seats;
        do_work(team, e, rank % e->members, team->seat[number].worker);
    }
    atomic_fetch_sub(&e->inside, 1);
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
    for (unsigned looks = 0; atomic_load(&s->wanted) == 0; relax(&looks)) {
        if (join(team, number)) {
            looks = 0;
        } else if (looks % 64 == 63 && is_quiet(team)) {
            break;
        }
    }
    atomic_store(&s->wanted, 0);
    leave(team, s);
}

/* A worker sleeps while its seat is taken by a thread that waits. It does not take the seat between
 * two solves, because that thread will be back. */
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

/* The task that calls a worker into the team. The worker's last look finds a solve that was pushed
 * before. A solve that is pushed later finds the seat empty, and calls the worker again. */
static void help_cpu(void *buffers[], void *argument) {
    const call *c = argument;
    seat *s = &c->team->seat[c->number];
    (void)buffers;
    for (int none = 0;; none = 0) {
        help(c->team, c->number);
        atomic_store(&s->called, 0);
        const entry *e = atomic_load(&c->team->head);
        if (e == NULL || !atomic_compare_exchange_strong(&s->called, &none, 1)) {
            break;
        }
    }
    c->team->rest();
    atomic_fetch_sub(&c->team->tasks, 1); /* the team may be gone from here on, and StarPU stop */
}

#define TEAM_CODELET(function, buffers)                                                            \
    {                                                                                              \
        .name = "team", .cpu_funcs = {function}, .cpu_funcs_name = {#function},                    \
        .nbuffers = (buffers), .type = STARPU_FORKJOIN, .max_parallelism = 1                       \
    }

static struct starpu_codelet help_codelet = TEAM_CODELET(help_cpu, 0);

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
static void call_members(psg_team *team, const entry *e) {
    const size_t first = e->first_seat;
    const size_t count = e->members;
    if (e->own_seat >= 0) {
        call_worker(team, (size_t)e->own_seat);
    }
    for (size_t m = 0; m < count; m++) {
        call_worker(team, (first + m) % team->seats);
    }
}

/* ----------------------------------------------------------------------------------- entering */

psg_team_entry *psg_team_entry_create(const psg_team *team) {
    entry *e = calloc(1, sizeof *e);
    counter *counters = aligned_alloc(LINE, PHASES * team->seats * sizeof *counters);
    if (e == NULL || counters == NULL) {
        free(e);
        free(counters);
        return NULL;
    }
    e->counter = counters;
    e->own_seat = -1;
    return e;
}

/* They may still be on their way out of the solve before. */
static void wait_for_members(entry *e) {
    for (unsigned looks = 0; atomic_load(&e->inside) > 0;) {
        relax(&looks);
    }
}

void psg_team_entry_destroy(psg_team_entry *e) {
    if (e != NULL) {
        wait_for_members(e);
        free(e->range);
        free(e->counter);
        free(e);
    }
}

static size_t seat_here(const psg_team *team) {
    const int core = sched_getcpu();
    for (size_t m = 0; m < team->seats; m++) {
        if (core >= 0 && atomic_load(&team->seat[m].core) == core) {
            return m;
        }
    }
    return team->seats - 1;
}

size_t psg_team_members(double bytes, size_t seats) {
    const size_t most =
        bytes <= (double)TUNING_TEAM_BYTES ? 1 : (size_t)(bytes / (double)TUNING_MEMBER_BYTES);
    return most < 1 ? 1 : most < seats ? most : seats;
}

static void push(psg_team *team, entry *e) {
    pthread_mutex_lock(&team->lock);
    e->after = NULL;
    if (team->tail != NULL) {
        team->tail->after = e;
    } else {
        atomic_store(&team->head, e);
    }
    team->tail = e;
    pthread_mutex_unlock(&team->lock);
}

/* Is a member away? */
static bool needs_workers(const psg_team *team, const entry *e) {
    for (size_t m = e->own_seat >= 0 ? 1 : 0; m < e->members; m++) {
        if (atomic_load(&team->seat[(e->first_seat + m) % team->seats].called) == 0) {
            return true;
        }
    }
    return false;
}

static void enter(psg_run *run, bool waits) {
    psg_team *team = run->engine->team;
    entry *e = run->entry;
    const size_t here = seat_here(team);
    wait_for_members(e);
    e->run = run;
    if (!find_phases(e)) {
        psg_run_fail(run, PSG_FAULT_SUBMIT, "no memory for a step");
        return;
    }
    /* where nobody waits for others, each range is about an array of its own */
    const size_t arrays = e->phases > 1 ? 1 : e->ranges;
    e->members = psg_team_members(run->engine->team_bytes * (double)arrays, team->seats);
    e->own_seat = waits && take(&team->seat[here]) ? (int)here : -1;
    atomic_store(&team->seat[here].wanted, waits && e->own_seat < 0); /* for the next solve */
    e->first_seat = e->own_seat >= 0 ? here : (here + 1) % team->seats;
    deal(e);
    psg_run_begin_task(run);
    atomic_fetch_add(&e->entered, 1);
    push(team, e);
    if (needs_workers(team, e)) {
        call_members(team, e);
    }
}

void psg_team_enter(psg_run *run, bool waits) {
    run->entry->by_task = false;
    run->tasks++;
    enter(run, waits);
    run->in = starpu_timing_now();
}

void psg_team_wait(psg_run *run) {
    psg_team *team = run->engine->team;
    entry *e = run->entry;
    if (e->by_task) {
        return; /* it may have to wait for data */
    }
    if (e->own_seat < 0) {
        const size_t here = seat_here(team);
        e->own_seat = take(&team->seat[here]) ? (int)here : -1;
    }
    if (e->own_seat < 0) {
        return;
    }
    const size_t ticket = atomic_load(&e->entered);
    for (unsigned looks = 0; atomic_load(&e->finished) < ticket;) {
        if (!join(team, (size_t)e->own_seat)) {
            relax(&looks);
        }
    }
    atomic_store(&team->seat[e->own_seat].taken, 0); /* the worker sleeps on, for the next solve */
    e->own_seat = -1;
}

/* Runs once the slabs are there, and keeps them until the run has ended. */
static void enter_cpu(void *buffers[], void *argument) {
    psg_run *run = ((const psg_task_args *)argument)->run;
    psg_team *team = run->engine->team;
    entry *e = run->entry;
    const int worker = starpu_worker_get_id();
    size_t number = 0;
    (void)buffers;
    enter(run, false);
    const size_t ticket = atomic_load(&e->entered);
    while (number + 1 < team->seats && team->seat[number].worker != worker) {
        number++;
    }
    bool seated = false;
    for (unsigned looks = 0; atomic_load(&e->finished) < ticket;) {
        seated = seated || take(&team->seat[number]);
        if (!seated) {
            sleep_a_little(team);
        } else if (!join(team, number)) {
            relax(&looks);
        }
    }
    if (seated) {
        leave(team, &team->seat[number]);
    }
    team->rest();
    atomic_fetch_sub(&team->tasks, 1);
}

static struct starpu_codelet enter_codelet[PSG_TASK_PRECISIONS] = {
    [PSG_TASK_F64] = TEAM_CODELET(enter_cpu, STARPU_VARIABLE_NBUFFERS),
    [PSG_TASK_F32] = TEAM_CODELET(enter_cpu, STARPU_VARIABLE_NBUFFERS),
};

static void entered(void *argument) {
    const struct starpu_task *task = argument;
    psg_run_end_task(((const psg_task_args *)task->cl_arg)->run);
}

void psg_team_enter_after(psg_run *run, const starpu_data_handle_t *read,
                          const starpu_data_handle_t *written, size_t count) {
    psg_team *team = run->engine->team;
    entry *e = run->entry;
    psg_task_args args = run->steps->step[0].args;
    e->by_task = true;
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

/* Each worker notes the core that it runs on. */
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
    seat *seats = aligned_alloc(LINE, (count + 1) * sizeof *seats);
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
        relax(&looks);
    }
    pthread_cond_destroy(&team->moved);
    pthread_mutex_destroy(&team->lock);
    free(team->seat);
    free(team);
}
