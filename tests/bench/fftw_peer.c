/* psg beside FFTW's own threaded 3-D transform: the same solve, the same arrays, the same cores,
 * in one run, in turns of random order. FFTW's solve is what a careful user writes:
 * fftw_plan_with_nthreads, MEASURE, out of place, and a division shared by as many threads.
 * bench_fftw_peer [--cpus N] [--repeat R] [--graph fused|staged] [--segment-planes N] [--pencils
 * N] [--rows] GRID ...
 * GRID: N or NX,NY,NZ. --rows: those of `psg bench --study peers`. */
#include "tests/bench/cores.h"
#include "tests/bench/peer.h"

#include <fftw3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REPEAT_MOST = 1001 };

typedef struct bench {
    bench_settings settings;
    bench_csv csv;
    bench_peer peer;
    psg_options options;
    double *f, *u;
    fftw_complex *spectrum;
    fftw_plan forward, inverse;
    psg_plan *plan;
    double transforms[REPEAT_MOST]; /* seconds of FFTW's alone, in its latest solves */
    size_t solves;
} bench;

static double run_fftw(void *what, unsigned calls) {
    bench *b = what;
    const size_t *n = b->peer.n;
    double seconds = 0;
    for (unsigned call = 0; call < calls; call++) {
        const double t0 = bench_now();
        fftw_execute(b->forward);
        const double t1 = bench_now();
        bench_divide((double *)b->spectrum, n[0] / 2 + 1, n[1], n[2], 0, n[2],
                     1 / ((double)n[0] * (double)n[1] * (double)n[2]), b->peer.threads);
        const double t2 = bench_now();
        fftw_execute(b->inverse);
        const double t3 = bench_now();
        b->transforms[b->solves++ % (size_t)b->settings.repeat] = t1 - t0 + (t3 - t2);
        seconds += t3 - t0;
    }
    return seconds;
}

static double run_psg(void *what, unsigned calls) {
    const bench *b = what;
    const double start = bench_now();
    for (unsigned call = 0; call < calls; call++) {
        bench_must(psg_solve(b->plan, b->f, b->u) == PSG_OK, "%s", psg_last_error());
    }
    return bench_now() - start;
}

static void prepare(bench *b) {
    const size_t *n = b->peer.n, points = n[0] * n[1] * n[2];
    const int nx = (int)n[0], ny = (int)n[1], nz = (int)n[2];
    const double box = 6.283185307179586;
    psg_grid grid;
    b->f = bench_array(points * sizeof *b->f);
    b->u = bench_array(points * sizeof *b->u);
    b->spectrum = bench_array((n[0] / 2 + 1) * n[1] * n[2] * sizeof *b->spectrum);
    fftw_plan_with_nthreads(b->peer.threads);
    b->forward =
        fftw_plan_dft_r2c_3d(nz, ny, nx, b->f, b->spectrum, FFTW_MEASURE | FFTW_PRESERVE_INPUT);
    b->inverse = fftw_plan_dft_c2r_3d(nz, ny, nx, b->spectrum, b->u, FFTW_MEASURE);
    fftw_plan_with_nthreads(1);
    bench_must(b->forward != NULL && b->inverse != NULL, "FFTW has no plan");
    psg_grid_init(&grid, n[0], n[1], n[2], box, box, box);
    bench_must(psg_plan_create(&b->plan, &grid, &b->options) == PSG_OK, "%s", psg_last_error());
    for (size_t m = 0; m < points; m++) {
        b->f[m] = bench_noise(m);
    }
}

static void release(bench *b) {
    psg_plan_destroy(b->plan);
    fftw_destroy_plan(b->forward);
    fftw_destroy_plan(b->inverse);
    free(b->f);
    free(b->u);
    free(b->spectrum);
}

/* One u, whoever solves. */
static void compare(bench *b) {
    const size_t points = b->peer.n[0] * b->peer.n[1] * b->peer.n[2];
    double *theirs = bench_array(points * sizeof *theirs), apart = 0, largest = 0;
    (void)run_fftw(b, 1);
    memcpy(theirs, b->u, points * sizeof *theirs);
    (void)run_psg(b, 1);
    for (size_t m = 0; m < points; m++) {
        const double difference = fabs(theirs[m] - b->u[m]);
        apart = difference > apart || isnan(difference) ? difference : apart; /* a NaN stays */
        largest = fmax(largest, fabs(theirs[m]));
    }
    b->peer.difference = largest > 0 ? apart / largest : apart;
    free(theirs);
}

static void say(const bench *b) {
    const bench_peer *p = &b->peer;
    const psg_statistics *s = &p->statistics;
    const bench_times transforms = bench_quartiles(b->transforms, b->settings.repeat);
    printf("%zux%zux%zu  FFTW %9.3f ms (transforms alone %9.3f)   psg %9.3f ms (%zu x %zu)   FFTW "
           "/ psg "
           "%.2f   difference %.1e%s\n",
           p->n[0], p->n[1], p->n[2], 1e3 * p->theirs.median, 1e3 * transforms.median,
           1e3 * p->ours.median, s->segments, s->pencils, p->theirs.median / p->ours.median,
           p->difference, bench_peer_agrees(p) ? "" : " WRONG");
    for (int m = 0; m < PSG_STAGE_COUNT; m++) {
        if (s->stage[m].tasks > 0) {
            printf("         %-10s %3zu tasks %9.3f ms a worker\n", psg_stage_name((psg_stage)m),
                   (size_t)s->stage[m].tasks, 1e3 * s->stage[m].seconds / (double)s->workers);
        }
    }
    fflush(stdout);
}

/* f, u, the spectrum and a copy of u; psg's spectrum and scratch, a third. */
static double needed_bytes(const size_t n[3]) {
    return 6.0 * sizeof(double) * (double)n[0] * (double)n[1] * (double)n[2];
}

static void measure(bench *b) {
    bench_job jobs[2] = {{.run = run_fftw, .what = b}, {.run = run_psg, .what = b}};
    char why[128];
    if (!bench_fits(needed_bytes(b->peer.n), bench_memory(&b->settings), why)) {
        if (b->settings.rows) {
            bench_peer_row(&b->csv, &b->peer, &b->settings, why);
        } else {
            printf("%zux%zux%zu  %s\n", b->peer.n[0], b->peer.n[1], b->peer.n[2], why);
        }
        return;
    }
    prepare(b);
    compare(b);
    bench_interleave(jobs, 2, &b->settings, 0);
    b->peer.theirs = jobs[0].times;
    b->peer.ours = jobs[1].times;
    bench_must(psg_plan_statistics(b->plan, &b->peer.statistics) == PSG_OK, "%s", psg_last_error());
    if (b->settings.rows) {
        bench_peer_row(&b->csv, &b->peer, &b->settings, NULL);
    } else {
        say(b);
    }
    release(b);
}

int main(int argc, char **argv) {
    static bench b; /* zero */
    static const bench_word graphs[] = {
        {"fused", PSG_GRAPH_FUSED}, {"staged", PSG_GRAPH_STAGED}, {NULL, 0}};
    int graph = PSG_GRAPH_FUSED;
    b.settings = (bench_settings){.repeat = 15, .warm_up = 2, .seed = 1};
    b.peer = (bench_peer){.name = "fftw", .ranks = 1, .threads = bench_cores(), .gpu_model = ""};
    psg_options_init(&b.options);
    b.options.tuned = 0; /* the default is the default */
    const bench_option options[] = {{"cpus", BENCH_COUNT, &b.peer.threads, NULL},
                                    {"graph", BENCH_WORD, &graph, graphs},
                                    {"segment-planes", BENCH_SIZE, &b.options.segment_planes, NULL},
                                    {"pencils", BENCH_SIZE, &b.options.pencils, NULL},
                                    {NULL, BENCH_FLAG, NULL, NULL}};
    const int first = bench_arguments(argc, argv, options, "N|NX,NY,NZ ...", &b.settings);
    bench_must_or(BENCH_USAGE, b.settings.repeat <= REPEAT_MOST, "at most %d repeats", REPEAT_MOST);
    b.options.graph = (psg_graph)graph;
    b.options.cpus = b.peer.threads;
    b.options.gpus = 0;
    bench_must(fftw_init_threads() != 0, "FFTW has no threads");
    if (b.settings.rows) {
        bench_peer_begin(&b.csv);
    }
    for (int m = first; m < argc; m++) {
        bench_read_grid(argv[m], b.peer.n);
        measure(&b);
    }
    return 0;
}
