/* Several right-hand sides by one call beside one after the other: the same solves in one run, in
 * turns of random order; wall-clock times of a right-hand side.
 *
 *   bench_cores|bench_gpus many [--cpus N] [--count C] [--batch N[,N...]] [--host] [--f32]
 *                               N|NXxNYxNZ ...
 *
 * Ways: solve (a loop of psg_solve()), submit (psg_submit(), with two in flight), many
 * (psg_solve_many()), many with each batch of --batch. On the first GPU, with the arrays there,
 * also cuFFT by hand: one after the other, and all at once (cufftPlanMany). --host: arrays in main
 * memory though a GPU solves. Every u is compared with that of `solve`. */
#include "lab/peers/many.h"
#include "lab/peers/peer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES_MOST = 8, WAYS_MOST = BATCHES_MOST + 5 };

typedef struct way {
    const bench_sides *s;
    char name[32];
    psg_plan *plan;
} way;

/* --------------------------------------------------------------------------------- ways */

static void solve(void *what) {
    const way *w = what;
    for (size_t m = 0; m < w->s->count; m++) {
        const size_t at = m * w->s->bytes;
        bench_must_psg(psg_solve(w->plan, w->s->f + at, w->s->u + at));
    }
}

static void submit(void *what) {
    const way *w = what;
    for (size_t m = 0; m < w->s->count; m++) {
        const size_t at = m * w->s->bytes;
        bench_must_psg(psg_submit(w->plan, w->s->f + at, w->s->u + at));
        bench_must_psg(m > 0 ? psg_wait(w->plan) : PSG_OK);
    }
    bench_must_psg(psg_wait(w->plan));
}

static void solve_many(void *what) {
    const way *w = what;
    bench_must_psg(psg_solve_many(w->plan, w->s->count, w->s->f, w->s->u));
}

/* The first three are of one plan. */
static size_t find_ways(const bench_sides *s, const int *batch, int batches, way *ways,
                        bench_job *jobs) {
    static void (*const run[3])(void *) = {solve, submit, solve_many};
    static const char *const names[3] = {"solve", "submit", "many"};
    const size_t count = 3 + (size_t)batches;
    for (size_t m = 0; m < count; m++) {
        way *w = &ways[m];
        psg_options options = s->options;
        w->s = s;
        options.batch = m < 3 ? 0 : (size_t)batch[m - 3];
        w->plan = m > 0 && m < 3 ? ways[0].plan : bench_plan(s->n, NULL, &options);
        if (m < 3) {
            snprintf(w->name, sizeof w->name, "%s", names[m]);
        } else {
            snprintf(w->name, sizeof w->name, "many, batch %d", batch[m - 3]);
        }
        jobs[m] = (bench_job){.name = w->name, .what = w, .run = run[m < 3 ? m : 2]};
    }
    return count;
}

/* --------------------------------------------------------------------------------- measuring */

static void copy(void *to, const void *from, size_t bytes) {
    memcpy(to, from, bytes);
}

static const bench_device main_memory = {.allocate = bench_array, .release = free, .copy = copy};

static void fill(const bench_sides *s, const bench_device *place) {
    const size_t points = s->count * s->n[0] * s->n[1] * s->n[2];
    for (size_t k = 0; k < points; k++) {
        bench_put(s->latest_u, s->options.precision, k, bench_noise(k));
    }
    place->copy(s->f, s->latest_u, s->count * s->bytes);
}

/* The largest difference from u of the first way, over the largest number there. */
static double difference(const bench_sides *s, const bench_device *place) {
    const size_t points = s->count * s->n[0] * s->n[1] * s->n[2];
    double off = 0, most = 0;
    place->copy(s->latest_u, s->u, s->count * s->bytes);
    for (size_t k = 0; k < points; k++) {
        const double first = bench_get(s->first_u, s->options.precision, k);
        const double now = fabs(bench_get(s->latest_u, s->options.precision, k) - first);
        off = now <= off ? off : now;
        most = fmax(most, fabs(first));
    }
    return off / most;
}

static void say(const bench_sides *s, const bench_job *jobs, size_t count) {
    const int f64 = s->options.precision == PSG_F64;
    const double each = 1e3 / (double)s->count;
    for (size_t m = 0; m < count; m++) {
        const bench_times *t = &jobs[m].times;
        printf("%zux%zux%zu %s x %zu, %-18s %9.4f ms each (%.4f to %.4f), solve / this %.2f, "
               "difference %.1e%s\n",
               s->n[0], s->n[1], s->n[2], f64 ? "f64" : "f32", s->count, jobs[m].name,
               each * t->median, each * t->q1, each * t->q3, jobs[0].times.median / t->median,
               jobs[m].difference, jobs[m].difference <= (f64 ? 1e-12 : 1e-4) ? "" : " WRONG");
    }
    fflush(stdout);
}

static void measure(bench_sides *s, const int *batch, int batches, const bench_device *place,
                    const bench_settings *settings) {
    way ways[WAYS_MOST];
    bench_job jobs[WAYS_MOST];
    const size_t all = s->count * s->bytes;
    s->f = place->allocate(all);
    s->u = place->allocate(all);
    s->first_u = bench_array(all);
    s->latest_u = bench_array(all);
    fill(s, place);
    const size_t own = find_ways(s, batch, batches, ways, jobs);
    const size_t count = own + (place->peers != NULL ? place->peers(s, jobs + own, 1) : 0);
    for (size_t m = 0; m < count; m++) {
        jobs[m].run(jobs[m].what);
        if (m == 0) {
            place->copy(s->first_u, s->u, all);
        }
        jobs[m].difference = difference(s, place);
    }
    bench_interleave(jobs, count, settings);
    say(s, jobs, count);
    if (place->peers != NULL) {
        (void)place->peers(s, jobs + own, 0);
    }
    for (size_t m = 2; m < own; m++) {
        psg_plan_destroy(ways[m].plan);
    }
    place->release(s->f);
    place->release(s->u);
    free(s->first_u);
    free(s->latest_u);
}

int bench_many(int argc, char **argv, const void *what) {
    const bench_device *device = what;
    bench_settings settings = {.repeat = 11, .warm_up = 3, .seed = 1};
    bench_sides s = {.count = 0};
    int count = 32, host = 0, f32 = 0, batch[BATCHES_MOST];
    const char *list = NULL;
    psg_options_init(&s.options);
    s.options.tuned = 0; /* the default is the default */
    const bench_option own[] = {{"cpus", BENCH_SOLVER, &s.options, "cpus"},
                                {"count", BENCH_COUNT, &count, NULL},
                                {"batch", BENCH_TEXT, &list, NULL},
                                {"host", BENCH_FLAG, &host, NULL},
                                {"f32", BENCH_FLAG, &f32, NULL},
                                {NULL, BENCH_FLAG, NULL, NULL}};
    const int first = bench_arguments(argc, argv, own, "N|NXxNYxNZ ...", &settings);
    const int batches = list != NULL ? bench_read_list(list, batch, BATCHES_MOST) : 0;
    if (device != NULL) {
        device->start();
    }
    s.count = (size_t)count;
    s.options.gpus = device != NULL;
    s.options.precision = f32 ? PSG_F32 : PSG_F64;
    for (int m = first; m < argc; m++) {
        bench_read_grid(argv[m], s.n);
        s.bytes = s.n[0] * s.n[1] * s.n[2] * (f32 ? 4 : 8);
        measure(&s, batch, batches, device != NULL && !host ? device : &main_memory, &settings);
    }
    return 0;
}
