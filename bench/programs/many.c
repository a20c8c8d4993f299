/* Several right-hand sides by one call beside one after the other: the same solves in one run, in turns of random order;
 * wall-clock times of a right-hand side.
 *
 *   bench_cores|bench_gpus many [--cpus N] [--count C] [--batch N[,N...]] [--host] [--f32] [--repeat R]
 *                               N|NXxNYxNZ ...
 *
 * Ways: solve (a loop of psg_solve()), submit (psg_submit(), with two in flight), many (psg_solve_many()), many with each batch of
 * --batch. On the first GPU, with the arrays there, also cuFFT by hand: one after the other, and all at once
 * (cufftPlanMany). --host: arrays in main memory though a GPU solves. Every u is compared with that of `solve`.
 */
#include "bench/programs/peers.h"
#include "bench/programs/program.h"
#include "graph/psg.h"
#ifdef PSG_GPU_PEERS
#include "bench/programs/many.h"
#endif

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { WAYS_MOST = 16, BATCHES_MOST = 8 };

static void must(psg_status status) {
    bench_must(status == PSG_OK, "%s", psg_last_error());
}

/* What is measured. */
typedef struct setting {
    psg_options options;
    size_t n[3], count;
    size_t bytes; /* of a right-hand side */
    bool on_gpu;  /* the arrays */
    char *f, *u;
    char *u_first, *u_now; /* on the host */
} setting;

typedef struct way {
    const setting *at;
    char name[32];
    psg_plan *plan;
    void *peer; /* not NULL: the way is this one's */
    double difference;
} way;

/* ------------------------------------------------------------------------------------- memory */

static void *allocate(const setting *s, size_t bytes) {
#ifdef PSG_GPU_PEERS
    if (s->on_gpu) {
        return bench_many_allocate(bytes);
    }
#else
    (void)s;
#endif
    void *memory = bench_array(bytes);
    bench_must(memory != NULL, "no memory: %zu bytes were asked for", bytes);
    return memory;
}

static void release(const setting *s, void *memory) {
#ifdef PSG_GPU_PEERS
    if (s->on_gpu) {
        bench_many_free(memory);
        return;
    }
#else
    (void)s;
#endif
    free(memory);
}

static void copy(const setting *s, void *to, const void *from, size_t bytes) {
#ifdef PSG_GPU_PEERS
    if (s->on_gpu) {
        bench_many_copy(to, from, bytes);
        return;
    }
#else
    (void)s;
#endif
    memcpy(to, from, bytes);
}

static void fill(const setting *s) {
    const bool f64 = s->options.precision == PSG_F64;
    const size_t points = s->bytes / (f64 ? 8 : 4);
    for (size_t m = 0; m < s->count; m++) {
        for (size_t k = 0; k < points; k++) {
            const double value = bench_noise(m * points + k);
            if (f64) {
                ((double *)(void *)s->u_now)[k] = value;
            } else {
                ((float *)(void *)s->u_now)[k] = (float)value;
            }
        }
        copy(s, s->f + m * s->bytes, s->u_now, s->bytes);
    }
}

static double number(const setting *s, const char *values, size_t k) {
    return s->options.precision == PSG_F64 ? ((const double *)(const void *)values)[k]
                                           : ((const float *)(const void *)values)[k];
}

/* The largest difference from u of the first way, over the largest number there. */
static double difference(const setting *s) {
    const size_t points = s->bytes / (s->options.precision == PSG_F64 ? 8 : 4) * s->count;
    double off = 0;
    double most = 0;
    copy(s, s->u_now, s->u, s->count * s->bytes);
    for (size_t k = 0; k < points; k++) {
        const double now = fabs(number(s, s->u_now, k) - number(s, s->u_first, k));
        off = now <= off ? off : now;
        most = fmax(most, fabs(number(s, s->u_first, k)));
    }
    return off / most;
}

/* --------------------------------------------------------------------------------------- ways */

static double run_solve(void *what, unsigned calls) {
    const way *w = what;
    const setting *s = w->at;
    const double start = bench_now();
    for (unsigned call = 0; call < calls; call++) {
        for (size_t m = 0; m < s->count; m++) {
            must(psg_solve(w->plan, s->f + m * s->bytes, s->u + m * s->bytes));
        }
    }
    return bench_now() - start;
}

static double run_submit(void *what, unsigned calls) {
    const way *w = what;
    const setting *s = w->at;
    const double start = bench_now();
    for (unsigned call = 0; call < calls; call++) {
        for (size_t m = 0; m < s->count; m++) {
            must(psg_submit(w->plan, s->f + m * s->bytes, s->u + m * s->bytes));
            if (m > 0) {
                must(psg_wait(w->plan));
            }
        }
        must(psg_wait(w->plan));
    }
    return bench_now() - start;
}

static double run_many(void *what, unsigned calls) {
    const way *w = what;
    const double start = bench_now();
    for (unsigned call = 0; call < calls; call++) {
        must(psg_solve_many(w->plan, w->at->count, w->at->f, w->at->u));
    }
    return bench_now() - start;
}

static psg_plan *plan_of(const setting *s, size_t batch) {
    const double length = 6.283185307179586;
    psg_options options = s->options;
    psg_plan *plan = NULL;
    psg_grid grid;
    options.batch = batch;
    psg_grid_init(&grid, s->n[0], s->n[1], s->n[2], length, length, length);
    must(psg_plan_create(&plan, &grid, &options));
    return plan;
}

/* The ways, and the works that they are. @return how many */
static size_t find_ways(const setting *s, const int *batch, int batches, way *ways,
                        bench_job *jobs) {
    psg_plan *plan = plan_of(s, 0);
    size_t count = 0;
    jobs[count] = (bench_job){.run = run_solve};
    ways[count++] = (way){.at = s, .name = "solve", .plan = plan};
    jobs[count] = (bench_job){.run = run_submit};
    ways[count++] = (way){.at = s, .name = "submit", .plan = plan};
    jobs[count] = (bench_job){.run = run_many};
    ways[count++] = (way){.at = s, .name = "many", .plan = plan};
    for (int b = 0; b < batches; b++) {
        jobs[count] = (bench_job){.run = run_many};
        ways[count] = (way){.at = s, .plan = plan_of(s, (size_t)batch[b])};
        (void)snprintf(ways[count].name, sizeof ways->name, "many, batch %d", batch[b]);
        count++;
    }
#ifdef PSG_GPU_PEERS
    for (int together = 0; together < 2 && s->on_gpu; together++) {
        jobs[count] = (bench_job){.run = bench_many_cufft_run};
        ways[count] = (way){.at = s,
                            .name = "cuFFT",
                            .peer = bench_many_cufft_create(s->options.precision == PSG_F64, s->n,
                                                            s->count, together == 1, s->f, s->u)};
        if (together == 1) {
            (void)snprintf(ways[count].name, sizeof ways->name, "cuFFT, all at once");
        }
        count++;
    }
#endif
    for (size_t m = 0; m < count; m++) {
        jobs[m].what = ways[m].peer != NULL ? ways[m].peer : (void *)&ways[m];
    }
    return count;
}

static void free_ways(way *ways, size_t count) {
    for (size_t m = 0; m < count; m++) {
#ifdef PSG_GPU_PEERS
        if (ways[m].peer != NULL) {
            bench_many_cufft_destroy(ways[m].peer);
        }
#endif
        if (m == 0 || ways[m].plan != ways[0].plan) {
            psg_plan_destroy(ways[m].plan);
        }
    }
}

static void measure(setting *s, const int *batch, int batches, const bench_settings *settings) {
    way ways[WAYS_MOST];
    bench_job jobs[WAYS_MOST];
    const size_t all = s->count * s->bytes;
    s->f = allocate(s, all);
    s->u = allocate(s, all);
    s->u_first = bench_array(all);
    s->u_now = bench_array(all);
    bench_must(s->u_first != NULL && s->u_now != NULL, "no memory for %zu right-hand sides",
               s->count);
    fill(s);
    const size_t count = find_ways(s, batch, batches, ways, jobs);
    for (size_t m = 0; m < count; m++) {
        (void)jobs[m].run(jobs[m].what, 1);
        if (m == 0) {
            copy(s, s->u_first, s->u, all);
        }
        ways[m].difference = difference(s);
    }
    bench_interleave(jobs, count, settings, 0);
    for (size_t m = 0; m < count; m++) {
        const bench_times *t = &jobs[m].times;
        const double each = 1e3 / (double)s->count;
        const double bound = s->options.precision == PSG_F64 ? 1e-12 : 1e-4;
        printf("%zux%zux%zu %s x %zu, %-18s %9.4f ms each (%.4f to %.4f), solve / this %.2f, "
               "difference %.1e%s\n",
               s->n[0], s->n[1], s->n[2], s->options.precision == PSG_F64 ? "f64" : "f32", s->count,
               ways[m].name, each * t->median, each * t->q1, each * t->q3,
               jobs[0].times.median / t->median, ways[m].difference,
               ways[m].difference <= bound ? "" : " WRONG");
    }
    fflush(stdout);
    free_ways(ways, count);
    release(s, s->f);
    release(s, s->u);
    free(s->u_first);
    free(s->u_now);
}

int bench_many(int argc, char **argv) {
    bench_settings settings = {11, 3, 1, 0, 0};
    setting s = {.count = 32};
    int count = 32;
    int host = 0;
    int f32 = 0;
    int batch[BATCHES_MOST];
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
    s.options.gpus = 0;
#ifdef PSG_GPU_PEERS
    bench_many_start();
    s.options.gpus = 1;
    s.on_gpu = host == 0;
#endif
    s.count = (size_t)count;
    s.options.precision = f32 ? PSG_F32 : PSG_F64;
    for (int m = first; m < argc; m++) {
        bench_read_grid(argv[m], s.n);
        s.bytes = s.n[0] * s.n[1] * s.n[2] * (f32 ? 4 : 8);
        measure(&s, batch, batches, &settings);
    }
    return 0;
}
