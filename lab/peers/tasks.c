/* What a task of StarPU costs on cores: a solve by tasks beside one by a team, which does the same
 * steps without StarPU between them. Both take turns.
 *
 *   bench_cores tasks [--cpus N] [--sched POLICY] [--parts N[,N...]] [--f32] N|NXxNYxNZ ...
 *
 * A line for each way: the team, tasks with their default cut, and tasks in each number of segments
 * and of sheets of --parts. Medians over the rounds, in microseconds, of:
 *   submit   to submit a task
 *   wake     from the submission until the first task begins, and until the last worker has one
 *   between  two tasks that a worker does one after the other, in one phase
 *   phase    from the end of a phase to the begin of the next one
 *   end      from the end of the last task until psg_solve() returns
 * and the seconds in tasks over those in the team's steps: what a cut, or cold caches, cost. */
#include "lab/peers/tasks.h"

#include "graph/psg_observe.h"
#include "lab/peers/turns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_MOST = 14, WAYS_MOST = PARTS_MOST + 2, WORKERS_MOST = 1024 };

enum { SUBMIT, WAKE, WAKE_LAST, BETWEEN, PHASE, END, WORK, COSTS };

typedef struct way {
    char name[32];
    psg_plan *plan;
    const void *f;
    void *u;
    psg_event *event;
    double *gap; /* [events] */
    size_t events, rounds;
    double seconds;      /* of the latest solve */
    double *cost[COSTS]; /* [rounds] */
} way;

static double median(double *values, size_t count) {
    return count > 0 ? bench_quartiles(values, (int)count).median : 0;
}

/* The costs of the latest solve, in seconds. Events are in the order of their ends. */
static void find_costs(way *w) {
    double last[WORKERS_MOST], phase_end = 0, phases = 0, waits = 0, end = 0, work = 0;
    int stage[WORKERS_MOST], before = -1;
    double first = INFINITY, latest = 0, begin = INFINITY;
    size_t count = 0, gaps = 0;
    psg_statistics s;
    bench_must_psg(psg_plan_statistics(w->plan, &s));
    bench_must_psg(psg_plan_events(w->plan, w->event, w->events, &count));
    memset(stage, -1, sizeof stage);
    for (size_t m = 0; m < count && m < w->events; m++) {
        const psg_event *e = &w->event[m];
        const int worker = e->worker >= 0 && e->worker < WORKERS_MOST ? e->worker : 0;
        if ((int)e->stage != before) { /* all tasks of a phase end before others begin */
            phase_end = end;
            begin = INFINITY;
            for (size_t k = m; k < count && w->event[k].stage == e->stage; k++) {
                begin = fmin(begin, w->event[k].start);
            }
            waits += before >= 0 ? begin - phase_end : 0;
            phases += before >= 0;
            before = (int)e->stage;
        }
        if (stage[worker] < 0) {
            first = fmin(first, e->start);
            latest = fmax(latest, e->start);
        } else if (stage[worker] == (int)e->stage) {
            w->gap[gaps++] = e->start - last[worker];
        }
        stage[worker] = (int)e->stage;
        last[worker] = e->end;
        end = fmax(end, e->end);
        work += e->end - e->start;
    }
    const double costs[COSTS] = {[SUBMIT] = s.submit.seconds / (double)s.submit.tasks,
                                 [WAKE] = first,
                                 [WAKE_LAST] = latest,
                                 [BETWEEN] = median(w->gap, gaps),
                                 [PHASE] = phases > 0 ? waits / phases : 0,
                                 [END] = w->seconds - end,
                                 [WORK] = work};
    for (int c = 0; c < COSTS; c++) {
        w->cost[c][w->rounds] = costs[c];
    }
    w->rounds++;
}

static void run(void *what) {
    way *w = what;
    bench_must_psg(psg_solve(w->plan, w->f, w->u)); /* the threads of the turn before fall asleep */
    const double start = bench_now();
    bench_must_psg(psg_solve(w->plan, w->f, w->u));
    w->seconds = bench_now() - start;
    find_costs(w);
}

static double seconds(void *what) {
    return ((way *)what)->seconds;
}

static void make(way *w, const size_t n[3], const psg_options *options, int rounds) {
    psg_statistics s;
    psg_grid grid;
    psg_grid_init(&grid, n[0], n[1], n[2], 1, 1, 1);
    bench_must_psg(psg_plan_create(&w->plan, &grid, options));
    bench_must_psg(psg_solve(w->plan, w->f, w->u));
    bench_must_psg(psg_plan_statistics(w->plan, &s));
    w->events = 2 * s.segments + s.sheets;
    w->event = bench_array(w->events * sizeof *w->event);
    w->gap = bench_array(w->events * sizeof *w->gap);
    for (int c = 0; c < COSTS; c++) {
        w->cost[c] = bench_array((size_t)rounds * sizeof *w->cost[c]);
    }
}

static void say(const way *w, const bench_job *job, const bench_job *team, double team_work,
                const size_t n[3]) {
    double c[COSTS];
    psg_statistics s;
    bench_must_psg(psg_plan_statistics(w->plan, &s));
    for (int k = 0; k < COSTS; k++) {
        c[k] = 1e6 * median(w->cost[k], w->rounds);
    }
    printf("%zux%zux%zu %-6s %3zu segments %3zu sheets %9.4f ms (%.4f to %.4f), over the team's "
           "%.2f; us: submit %.2f wake %.0f to %.0f between %.1f phase %.1f end %.0f; work %.2f\n",
           n[0], n[1], n[2], w->name, (size_t)s.segments, (size_t)s.sheets, 1e3 * job->times.median,
           1e3 * job->times.q1, 1e3 * job->times.q3, job->times.median / team->times.median,
           c[SUBMIT], c[WAKE], c[WAKE_LAST], c[BETWEEN], c[PHASE], c[END], c[WORK] / team_work);
}

static void measure(const size_t n[3], const psg_options *asked, const int *parts, int count,
                    const bench_settings *settings) {
    way ways[WAYS_MOST];
    bench_job jobs[WAYS_MOST];
    const int rounds = settings->repeat + settings->warm_up, all = count + 2;
    const size_t points = n[0] * n[1] * n[2];
    void *f = bench_array(points * sizeof(double)), *u = bench_array(points * sizeof(double));
    for (size_t k = 0; k < points; k++) {
        bench_put(f, asked->precision, k, bench_noise(k));
    }
    for (int m = all - 1; m >= 0; m--) { /* the team last: tasks' options start StarPU */
        psg_options options = *asked;
        options.executor = m == 0 ? PSG_EXECUTOR_TEAM : PSG_EXECUTOR_TASKS;
        options.policy = m == 0 ? NULL : asked->policy;
        if (m > 1) {
            options.sheets = (size_t)parts[m - 2];
            options.segment_planes = (n[2] + options.sheets - 1) / options.sheets;
        }
        ways[m] = (way){.f = f, .u = u};
        (void)snprintf(ways[m].name, sizeof ways[m].name, "%s", m == 0 ? "team" : "tasks");
        make(&ways[m], n, &options, rounds);
        jobs[m] =
            (bench_job){.name = ways[m].name, .what = &ways[m], .run = run, .seconds = seconds};
    }
    bench_interleave(jobs, (size_t)all, settings);
    const double team_work = 1e6 * median(ways[0].cost[WORK], ways[0].rounds);
    for (int m = 0; m < all; m++) {
        say(&ways[m], &jobs[m], &jobs[0], team_work, n);
    }
    (void)fflush(stdout);
    for (int m = 0; m < all; m++) {
        psg_plan_destroy(ways[m].plan);
        free(ways[m].event);
        free(ways[m].gap);
        for (int c = 0; c < COSTS; c++) {
            free(ways[m].cost[c]);
        }
    }
    free(f);
    free(u);
}

int bench_tasks(int argc, char **argv, const void *unused) {
    bench_settings settings = {.repeat = 101, .warm_up = 5, .seed = 1};
    int f32 = 0, parts[PARTS_MOST];
    const char *list = NULL;
    psg_options options;
    (void)unused;
    psg_options_init(&options);
    options.tuned = 0; /* the default is the default */
    options.gpus = 0;
    options.policy = "lws";
    const bench_option own[] = {{"cpus", BENCH_SOLVER, &options, "cpus"},
                                {"sched", BENCH_TEXT, &options.policy, NULL},
                                {"parts", BENCH_TEXT, &list, NULL},
                                {"f32", BENCH_FLAG, &f32, NULL},
                                {NULL, BENCH_FLAG, NULL, NULL}};
    const int first = bench_arguments(argc, argv, own, "N|NXxNYxNZ ...", &settings);
    const int count = list != NULL ? bench_read_list(list, parts, PARTS_MOST) : 0;
    options.precision = f32 ? PSG_F32 : PSG_F64;
    for (int m = first; m < argc; m++) {
        size_t n[3];
        bench_read_grid(argv[m], n);
        measure(n, &options, parts, count, &settings);
    }
    return 0;
}
