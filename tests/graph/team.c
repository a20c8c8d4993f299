/* On cores the members of a team share the steps of a solve: StarPU gets no task for each, and
 * every step is told of as a task would be. Solves end in the order of their submission with the
 * right u, from arrays that change, from slabs, by any number of cores, and beside another
 * plan's. */
#include "graph/psg_observe.h"
#include "graph/psg_starpu.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

enum { NX = 12, NY = 35, NZ = 38, SOLVES = 4 };
#define POINTS ((size_t)NX * NY * NZ)

static const oracle_grid box = {{NX, NY, NZ}, {1.0, 1.5, 2.0}};

typedef struct data {
    psg_precision precision;
    void *f[SOLVES], *u[SOLVES];
    double *want[SOLVES], *got;
} data;

static void data_init(data *d, psg_precision precision) {
    FREED double *f = oracle_array(POINTS);
    d->precision = precision;
    for (size_t n = 0; n < SOLVES; ++n) {
        d->f[n] = harness_array(precision, POINTS);
        d->u[n] = harness_array(precision, POINTS);
        d->want[n] = oracle_array(POINTS);
        oracle_random(70 + n, POINTS, f);
        harness_store(precision, POINTS, f, d->f[n]);
        oracle_solve(&box, ORACLE_SPECTRAL, 0, f, d->want[n]);
    }
    d->got = oracle_array(POINTS);
}

static void data_free(data *d) {
    for (size_t n = 0; n < SOLVES; ++n) {
        free(d->f[n]);
        free(d->u[n]);
        free(d->want[n]);
    }
    free(d->got);
}

static void check_u(data *d, size_t u, size_t want, const char *what) {
    harness_load(d->precision, POINTS, d->u[u], d->got);
    CHECK_CLOSE(d->got, d->want[want], NX, NY, NZ, harness_tolerance(d->precision, 1e-12, 1e-4),
                "%s, u %zu of f %zu, %s", what, u, want, harness_precision_name(d->precision));
}

/** Each step once, on a worker, in the order of their ends; and sheets between the segments. */
static void check_events(const psg_plan *plan, const psg_statistics *s, size_t tasks) {
    size_t count = 0;
    double end = 0;
    psg_event *events = calloc(tasks + 1, sizeof *events);
    CHECK_STATUS(psg_plan_events(plan, events, tasks + 1, &count), PSG_OK);
    CHECK(count == tasks, "%zu events of %zu tasks", count, tasks);
    double last[3] = {0}, first[3] = {INFINITY, INFINITY, INFINITY};
    for (size_t m = 0; m < count && m < tasks; ++m) {
        const psg_event *e = &events[m];
        const int phase = e->sheet != SIZE_MAX ? 1 : last[1] > 0 ? 2 : 0;
        CHECK(e->worker >= 0 && (size_t)e->worker < s->workers, "a step on worker %d", e->worker);
        CHECK(e->end >= end, "an end at %g comes after one at %g", e->end, end);
        end = e->end;
        CHECK(e->start >= 0 && e->end >= e->start && e->end <= s->seconds * 1.001,
              "a step from %g to %g of %g s", e->start, e->end, s->seconds);
        last[phase] = fmax(last[phase], e->end);
        first[phase] = fmin(first[phase], e->start);
    }
    CHECK(last[0] <= first[1] && last[1] <= first[2],
          "segments end at %g, sheets go from %g to %g, and segments on from %g", last[0], first[1],
          last[1], first[2]);
    free(events);
}

static void check_told(const psg_plan *plan, const psg_options *options, bool team) {
    psg_statistics s;
    CHECK_STATUS(psg_plan_statistics(plan, &s), PSG_OK);
    size_t tasks = 0;
    for (int stage = 0; stage < PSG_STAGE_COUNT; ++stage) {
        tasks += s.stage[stage].tasks;
    }
    CHECK(s.workers == (size_t)options->cpus, "%zu workers", s.workers);
    CHECK(s.submit.tasks == (team ? 1 : tasks + 2),
          "StarPU was handed %zu tasks, and two gates, of %zu", s.submit.tasks, tasks);
    if (options->graph == PSG_GRAPH_FUSED) {
        CHECK(tasks == 2 * s.segments + s.sheets, "%zu tasks of %zu segments, %zu sheets", tasks,
              s.segments, s.sheets);
    }
    check_events(plan, &s, tasks);
}

static void nap(long nanoseconds) {
    const struct timespec time = {0, nanoseconds};
    nanosleep(&time, NULL);
}

static void in_turn(psg_plan *plan, data *d) {
    for (size_t n = 0; n < 5 * SOLVES; ++n) {
        const size_t u = n % 3;
        CHECK_STATUS(psg_solve(plan, d->f[n % SOLVES], d->u[u]), PSG_OK);
        check_u(d, u, n % SOLVES, "in turn");
        if (n % 7 == 6) {
            nap(20000000); /* the team has gone */
        }
    }
}

/** Waited for at once, so that the caller is one of the team; or late, when all is done. */
static void in_flight(psg_plan *plan, data *d) {
    for (int late = 0; late < 2; ++late) {
        for (size_t n = 0; n < SOLVES; ++n) {
            CHECK_STATUS(psg_submit(plan, d->f[n], d->u[n]), PSG_OK);
        }
        nap(late ? 30000000 : 0);
        for (size_t n = 0; n < SOLVES; ++n) {
            CHECK_STATUS(psg_wait(plan), PSG_OK);
            check_u(d, n, n, late ? "waited for late" : "in flight");
        }
    }
}

static void from_slabs(psg_plan *plan, data *d) {
    for (size_t n = 0; n < 2 * SOLVES; ++n) {
        CHECK_STATUS(psg_slabs_put(plan, d->f[n % SOLVES]), PSG_OK);
        CHECK_STATUS(psg_submit_slabs(plan), PSG_OK);
        CHECK_STATUS(psg_submit(plan, d->f[1], d->u[1]), PSG_OK);
        CHECK_STATUS(psg_wait(plan), PSG_OK);
        CHECK_STATUS(psg_slabs_get(plan, d->u[0]), PSG_OK);
        check_u(d, 0, n % SOLVES, "from slabs");
        CHECK_STATUS(psg_wait(plan), PSG_OK);
        check_u(d, 1, 1, "from arrays beside slabs");
    }
}

/** What is not finite is found, and the next solve is right. */
static void with_nan(psg_plan *plan, data *d) {
    FREED double *f = oracle_array(POINTS);
    FREED void *bad = harness_array(d->precision, POINTS);
    f[POINTS / 2] = NAN;
    harness_store(d->precision, POINTS, f, bad);
    CHECK_STATUS(psg_solve(plan, bad, d->u[0]), PSG_ERR_DATA);
    CHECK_STATUS(psg_solve(plan, d->f[2], d->u[0]), PSG_OK);
    check_u(d, 0, 2, "after a NaN");
}

static void check_variant(data *d, const harness_variant *variant, int cpus, int record) {
    const psg_grid grid = harness_grid(&box);
    psg_options options = harness_options(d->precision);
    harness_set_variant(&options, variant);
    options.cpus = cpus;
    options.gpus = 0;
    options.record = record;
    DESTROYED psg_plan *plan = harness_plan(&grid, &options);
    in_turn(plan, d);
    check_told(plan, &options, true);
    if (record) {
        size_t count = 0;
        CHECK_STATUS(psg_plan_dependencies(plan, NULL, 0, &count), PSG_OK);
        CHECK(count > 0, "%s: no dependencies", variant->name);
    }
    in_flight(plan, d);
    with_nan(plan, d);
    from_slabs(plan, d);
    in_turn(plan, d);
}

/** The steps of the gradient come after all that write u. Between solves f changes, and u with
 * it. */
static void with_gradient(int cpus, psg_symbol symbol) {
    const psg_grid grid = harness_grid(&box);
    FREED double *f = oracle_array(POINTS), *u = oracle_array(POINTS), *g = oracle_array(POINTS);
    FREED double *want = oracle_array(POINTS);
    psg_options options = harness_with(PSG_F64, "gpus=0");
    psg_array from = harness_view(f), to = harness_view(u), gradient = harness_view(g);
    options.cpus = cpus;
    options.symbol = symbol;
    DESTROYED psg_plan *plan = harness_plan(&grid, &options);
    psg_solve_args args = harness_args(plan);
    for (size_t n = 0; n < 40; ++n) {
        double off = 0;
        oracle_random(n, POINTS, f);
        args.gradient[2] = n % 4 == 3 ? NULL : &gradient; /* and solves without */
        CHECK_STATUS(psg_solve_arrays(plan, 1, &from, &to, &args), PSG_OK);
        oracle_derivative(&box, 2, u, want);
        for (size_t p = 0; p < POINTS && n % 4 != 3; ++p) {
            const double next = u[(p + (size_t)NX * NY) % POINTS];
            const double difference = (next - u[p]) * NZ / box.length[2];
            off = check_worse(off, fabs(g[p] - (symbol == PSG_SYMBOL_FD2 ? difference : want[p])));
        }
        CHECK(off < 1e-12, "%d cores, symbol %d, solve %zu: the gradient is off by %g", cpus,
              (int)symbol, n, off);
    }
}

/** Who cuts the grid or names a policy gets a task of StarPU's for each step. */
static void check_tasks(data *d) {
    const psg_grid grid = harness_grid(&box);
    for (int m = 0; m < 3; ++m) {
        psg_options options = harness_with(d->precision, "cpus=2 gpus=0 graph=fused");
        options.segment_planes = m == 0 ? 9 : 0;
        options.sheets = m == 1 ? 5 : 0;
        options.policy = m == 2 ? "lws" : NULL;
        DESTROYED psg_plan *plan = harness_plan(&grid, &options);
        CHECK_STATUS(psg_solve(plan, d->f[0], d->u[0]), PSG_OK);
        check_u(d, 0, 0, "by tasks");
        check_told(plan, &options, false);
    }
}

typedef struct beside {
    data d;
    psg_status worst;
} beside;

/** Checks nothing: the counts of checks are the main thread's. */
static void *solve_beside(void *what) {
    beside *b = what;
    const psg_grid grid = harness_grid(&box);
    psg_options options = harness_with(b->d.precision, "cpus=2 gpus=0");
    psg_plan *plan = NULL;
    b->worst = psg_plan_create(&plan, &grid, &options);
    for (size_t n = 0; n < 8 * SOLVES && b->worst == PSG_OK; ++n) {
        b->worst = psg_solve(plan, b->d.f[n % SOLVES], b->d.u[n % SOLVES]);
    }
    psg_plan_destroy(plan);
    return NULL;
}

static void check_beside(void) {
    pthread_t thread[2];
    beside b[2];
    for (int t = 0; t < 2; ++t) {
        data_init(&b[t].d, t ? PSG_F32 : PSG_F64);
        CHECK(pthread_create(&thread[t], NULL, solve_beside, &b[t]) == 0, "no thread");
    }
    for (int t = 0; t < 2; ++t) {
        pthread_join(thread[t], NULL);
        CHECK_STATUS(b[t].worst, PSG_OK);
        for (size_t n = 0; n < SOLVES; ++n) {
            check_u(&b[t].d, n, n, "beside another plan");
        }
        data_free(&b[t].d);
    }
}

int main(void) {
    const psg_precision precision[2] = {PSG_F64, PSG_F32};
    for (int p = 0; p < 2; ++p) {
        data d;
        data_init(&d, precision[p]);
        for (size_t v = 0; v < HARNESS_VARIANTS; ++v) {
            for (int cpus = 1; cpus <= 3; ++cpus) {
                check_variant(&d, &harness_variants[v], cpus, cpus == 2);
            }
        }
        check_tasks(&d);
        data_free(&d);
    }
    for (int cpus = 1; cpus <= 3; ++cpus) {
        with_gradient(cpus, PSG_SYMBOL_FD2);
        with_gradient(cpus, PSG_SYMBOL_SPECTRAL);
    }
    check_beside();
    return check_result();
}
