#include "bench/times.h"
#include "app/app.h"
#include "app/host.h"
#include "app/output.h"
#include "base/median.h"
#include "graph/psg_machine.h"
#include "graph/psg_observe.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench_time_list {
    bench_time of; /* its seconds mean nothing; squares and freedom are those of all */
    double *seconds;
    size_t count, room;
} bench_time_list;

bench_time bench_time_of(const size_t n[3], psg_precision precision, const psg_event *event,
                         bool gpu) {
    return (bench_time){.stage = event->stage,
                        .precision = precision,
                        .gpu = gpu,
                        .n = {n[0], n[1], n[2]},
                        .sheet = event->sheet != SIZE_MAX,
                        .count = event->count,
                        .dense = event->dense,
                        .pieces = event->pieces,
                        .remote = event->remote,
                        .seconds = event->end - event->start};
}

static bool same(const bench_time *a, const bench_time *b) {
    return a->stage == b->stage && a->precision == b->precision && a->gpu == b->gpu &&
           memcmp(a->n, b->n, sizeof a->n) == 0 && a->sheet == b->sheet && a->count == b->count &&
           a->dense == b->dense && a->pieces == b->pieces && a->remote == b->remote;
}

static bench_time_list *find(bench_times *times, const bench_time *time) {
    for (size_t m = times->count; m-- > 0;) { /* the next task is often as the latest */
        if (same(&times->list[m].of, time)) {
            return &times->list[m];
        }
    }
    bench_time_list *more = realloc(times->list, (times->count + 1) * sizeof *more);
    if (more == NULL) {
        return NULL;
    }
    times->list = more;
    more[times->count] = (bench_time_list){.of = *time};
    more[times->count].of.squares = more[times->count].of.freedom = 0;
    return &more[times->count++];
}

int bench_times_add(bench_times *times, const bench_time *time) {
    bench_time_list *list = find(times, time);
    if (list == NULL) {
        return -1;
    }
    if (list->count == list->room) {
        double *more = realloc(list->seconds, (2 * list->room + 8) * sizeof *more);
        if (more == NULL) {
            return -1;
        }
        list->seconds = more;
        list->room = 2 * list->room + 8;
    }
    list->seconds[list->count++] = time->seconds;
    list->of.squares += time->squares;
    list->of.freedom += time->freedom;
    return 0;
}

/* Where the times have been summed up by several processes: the median of these. */
static bench_time median_of(const bench_times *times, size_t which) {
    bench_time_list *list = &times->list[which];
    bench_time median = list->of;
    base_sort(list->seconds, list->count);
    median.seconds = base_median(list->seconds, list->count);
    return median;
}

bench_time bench_times_sum_up(const bench_times *times, size_t which) {
    const bench_time_list *list = &times->list[which];
    bench_time sum = median_of(times, which);
    double mean = 0;
    if (sum.gpu || list->count < 2) {
        return sum;
    }
    for (size_t m = 0; m < list->count; m++) {
        mean += log(fmax(list->seconds[m], 1e-9)) / (double)list->count;
    }
    for (size_t m = 0; m < list->count; m++) {
        sum.squares += pow(log(fmax(list->seconds[m], 1e-9)) - mean, 2);
    }
    sum.freedom = (double)list->count - 1;
    sum.seconds = exp(mean + 0.5 * sum.squares / sum.freedom);
    return sum;
}

void bench_times_free(bench_times *times) {
    for (size_t m = 0; m < times->count; m++) {
        free(times->list[m].seconds);
    }
    free(times->list);
    *times = (bench_times){.count = 0};
}

/* --------------------------------------------------------------------------------------- costs */

void bench_costs_add(bench_costs *costs, double pieces, double tasks, double seconds) {
    const double p = pieces / seconds, t = tasks / seconds;
    if (isfinite(p) && isfinite(t)) {
        bench_costs_join(costs, &(bench_costs){p * p, p * t, t * t, p, t});
    }
}

void bench_costs_join(bench_costs *costs, const bench_costs *others) {
    costs->pp += others->pp;
    costs->pt += others->pt;
    costs->tt += others->tt;
    costs->p += others->p;
    costs->t += others->t;
}

int bench_costs_find(const bench_costs *c, double *piece, double *task) {
    const double least = 1e-3; /* below it all tasks had about as many pieces */
    const double determinant = c->pp * c->tt - c->pt * c->pt;
    if (c->pp <= 0) {
        return -1;
    }
    *piece = c->p / c->pp;
    *task = 0;
    if (determinant > least * c->pp * c->tt) {
        const double pieces = (c->p * c->tt - c->t * c->pt) / determinant;
        const double tasks = (c->t * c->pp - c->p * c->pt) / determinant;
        if (pieces < 0) {
            *piece = 0;
            *task = c->t / c->tt;
        } else if (tasks > 0) {
            *piece = pieces;
            *task = tasks;
        }
    }
    return 0;
}

/* Of a GPU that has so many tasks most are ready before it is. What waits for it is the middle one of
 * them all, with the pieces that most have. */
void bench_times_add_gaps(bench_times *times, const psg_event *events, size_t count,
                          const psg_worker *workers, size_t of) {
    enum { MANY = 16 };
    double *gap = calloc(count + 1, sizeof *gap), *pieces = calloc(count + 1, sizeof *pieces);
    for (size_t w = 0; gap != NULL && pieces != NULL && w < of; w++) {
        size_t tasks = 0;
        double end = 0;
        for (size_t e = 0; e < count && workers[w].kind == PSG_WORKER_CUDA; e++) {
            if (events[e].worker == (int)w) {
                pieces[tasks] = (double)events[e].pieces;
                gap[tasks++] = fmax(events[e].start - end, 0); /* the first one's is none */
                end = events[e].end;
            }
        }
        if (tasks > MANY) {
            base_sort(pieces, tasks);
            base_sort(gap + 1, tasks - 1);
            bench_costs_add(&times->gap, base_median(pieces, tasks), 1,
                            base_median(gap + 1, tasks - 1));
        }
    }
    free(pieces);
    free(gap);
}

/* ------------------------------------------------------------------------------------ the file */

enum { GPUS_MOST = 64, ROUTES_MOST = GPUS_MOST * (GPUS_MOST + 1) };

/* The slowest of the routes of a kind. @return its rate */
static double put_link(FILE *file, const char *name, const psg_route *routes, size_t count,
                       bool from_gpu, bool to_gpu) {
    double rate = INFINITY, seconds = 0;
    for (size_t r = 0; r < count; r++) {
        if ((routes[r].from >= 0) == from_gpu && (routes[r].to >= 0) == to_gpu) {
            rate = fmin(rate, routes[r].rate);
            seconds = fmax(seconds, routes[r].latency_seconds);
        }
    }
    if (isfinite(rate)) {
        fprintf(file, "link %s %.4g %.3g\n", name, rate, seconds);
    }
    return rate;
}

static void put_gpus(FILE *file, const psg_worker *workers, size_t gpus, const psg_route *routes,
                     size_t count) {
    double memory = INFINITY;
    for (size_t g = 0; g < gpus && g < GPUS_MOST; g++) {
        memory = fmin(memory, workers[g].memory);
    }
    if (gpus > 0) { /* StarPU tells of the nine tenths that it takes */
        fprintf(file, "gpu_memory %.4g\n", memory / 0.9);
    }
    put_link(file, "to-gpu", routes, count, 0, 1);
    put_link(file, "from-gpu", routes, count, 1, 0);
    put_link(file, "between", routes, count, 1, 1);
    int peers = 0;
    for (size_t r = 0; r < count; r++) {
        peers |= routes[r].peer;
    }
    if (peers) { /* what a kernel reaches is in its time; of others, as much as a copy */
        fprintf(file, "recorded peer %.4g\n", put_link(file, "peer", routes, count, 1, 1));
    }
}

static void put_costs(FILE *file, const char *word, const bench_costs *costs) {
    double piece, task;
    if (bench_costs_find(costs, &piece, &task) == 0) {
        fprintf(file, task > 0 ? "%s %.3g %.3g\n" : "%s %.3g\n", word, piece, task);
    }
}

/* The end of a GPU's step in a chain may be known too late, see psg_device_moments(): then the next one
 * takes no time, which is none that a machine has. */
static void put_time(FILE *file, const bench_time *t) {
    const double shortest = 1e-9;
    const double least = 0.01; /* no more than noise, or how the clock ticks */
    const double spread = t->freedom > 0 ? sqrt(expm1(t->squares / t->freedom)) : 0;
    fprintf(file, "time %s %s %s %zux%zux%zu %s %zu %s %zu %zu %.4g", psg_stage_name(t->stage),
            app_precision_name(t->precision), t->gpu ? "gpu" : "cpu", t->n[0], t->n[1], t->n[2],
            t->sheet ? "sheet" : "segment", t->count, t->dense ? "dense" : "views", t->pieces,
            t->remote, fmax(t->seconds, shortest));
    if (spread >= least) {
        fprintf(file, " %.3g", fmin(spread, 10));
    }
    putc('\n', file);
}

/* A word: what else a host may be called would end it. */
static void put_name(FILE *file, const char *host) {
    fputs("machine ", file);
    for (const char *c = host; *c; c++) {
        putc(isalnum((unsigned char)*c) || strchr("-_.", *c) != NULL ? *c : '-', file);
    }
    fputs(host[0] ? "\n" : "here\n", file);
}

static int put_machine(FILE *file, const bench_times *times, unsigned cpus, unsigned gpus) {
    app_machine machine;
    psg_options options;
    psg_worker *workers = calloc(GPUS_MOST, sizeof *workers);
    psg_route *routes = calloc(ROUTES_MOST, sizeof *routes);
    size_t found = 0, count = 0;
    char date[32];
    psg_options_init(&options);
    options.gpus = gpus > 0 ? -1 : 0;
    if (workers == NULL || routes == NULL ||
        psg_machine_workers(&options, workers, GPUS_MOST, &found, NULL, 0) != PSG_OK ||
        psg_machine_routes(&options, routes, ROUTES_MOST, &count) != PSG_OK) {
        free(workers);
        free(routes);
        return app_error(APP_FAILED, "the machine cannot be described: %s", psg_last_error());
    }
    app_machine_find(&machine);
    app_utc_date(date, sizeof date);
    put_name(file, machine.host);
    fprintf(file, "about %s, %ld cores%s%s; psg %s, StarPU %s, FFTW %s, %s\n", machine.cpu_model,
            machine.cores, gpus > 0 ? ", " : "", gpus > 0 ? workers[0].name : "",
            psg_component_version(PSG_COMPONENT_PSG), psg_component_version(PSG_COMPONENT_STARPU),
            psg_component_version(PSG_COMPONENT_FFTW), date);
    fprintf(file, "cpus %u\ngpus %u\n", cpus > gpus ? cpus : gpus, gpus);
    put_gpus(file, workers, gpus, routes, count < ROUTES_MOST ? count : ROUTES_MOST);
    put_costs(file, "submit", &times->submission);
    put_costs(file, "gap", &times->gap);
    for (size_t m = 0; m < times->count; m++) {
        const bench_time median = median_of(times, m);
        put_time(file, &median);
    }
    free(workers);
    free(routes);
    return APP_DONE;
}

int bench_times_write(const bench_times *times, const char *path, unsigned cpus, unsigned gpus) {
    app_output output;
    int code = app_output_begin(&output, path, APP_OUTPUT_ANY, 0);
    if (code) {
        return code;
    }
    FILE *file = fopen(output.temporary, "w");
    code = file != NULL ? put_machine(file, times, cpus, gpus) : APP_DONE;
    const bool failed = file == NULL || ferror(file);
    if (file == NULL || fclose(file) || failed) {
        code = app_error(APP_FAILED, "%s: cannot be written: %s", path, strerror(errno));
    }
    if (code) {
        app_output_discard(&output);
        return code;
    }
    return app_output_commit(&output);
}
