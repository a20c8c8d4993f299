/* psg on cores beside a library's transforms on the same cores, in one process or several: the same
 * solve, the same planes, in one run, in turns of random order.
 *
 *   bench_cores fftw|mkl|fftw_mpi [--cpus N] [--threads LIST] [--effort LIST] [--plan-seconds S]
 *               [--precision f64|f32] [--graph fused|staged] [--exchange mpi|alltoall|direct]
 *               [--segment-planes N] [--sheets N] [--bc SIDES] [--rows] GRID ...
 *
 * The peer solves as a careful user does: the transforms and the division run in the same OpenMP
 * team, and the best of several ways is measured: in place and out of place, planned with each
 * effort and for several numbers of threads (--threads, up to --cpus). Its arrays, padded as it
 * wants them, are filled outside the time. --cpus: of each process. --bc: as of psg solve, with
 * points in cells; the peer has real transforms. GRID: N or NXxNYxNZ. --rows: those of
 * `psg bench --study peers`. */
#include "lab/peers/cores.h"
#include "lab/peers/fft.h"
#include "lab/peers/many.h"
#include "lab/peers/peer.h"
#include "lab/peers/tasks.h"
#include "lab/peers/workload.h"

#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNTS_MOST = 16 };

/* A plan of the peer's may take so long, unless --plan-seconds says, or there are processes. */
static const double seconds_a_point = 3e-5, least_seconds = 0.05, most_seconds = 10;

typedef struct bench {
    const bench_library *library;
    bench_settings settings;
    bench_peer peer;
    psg_options options;
    const char *threads, *efforts, *bc;
    double plan_seconds;
    bench_part part;
    size_t points, real_bytes; /* of this process; of a number */
    void *f, *u;               /* [planes][ny][nx] */
    void *spectrum;            /* complex */
    void *padded;              /* the same as reals */
    double *squares;           /* of wavenumbers along x, y, z */
    float *squares_f32;
    psg_plan *plan;
    bench_way way; /* the one in use */
    void *theirs;
    double norm;    /* what the transforms forward and back leave */
    double seconds; /* of the best way, in its trial */
    double transforms;
} bench;

/* ------------------------------------------------------------------------------- their solve */

/* As psg's own division, for the widest vectors there are. */
#define DEFINE_DIVIDE(real)                                                                        \
    static BENCH_CLONES void divide_##real(real *row, size_t count, const real *square,            \
                                           real others, real scale, int is_complex) {              \
        for (size_t i = 0; i < count && is_complex; i++) {                                         \
            const real sum = square[i] + others;                                                   \
            const real factor = sum != 0 ? -scale / sum : 0;                                       \
            row[2 * i] *= factor;                                                                  \
            row[2 * i + 1] *= factor;                                                              \
        }                                                                                          \
        for (size_t i = 0; i < count && !is_complex; i++) {                                        \
            const real sum = square[i] + others;                                                   \
            row[i] *= sum != 0 ? -scale / sum : 0;                                                 \
        }                                                                                          \
    }
DEFINE_DIVIDE(double)
DEFINE_DIVIDE(float)

/* Numbers in a row of the spectrum. */
static size_t spectrum_row(const bench *b) {
    return b->bc != NULL ? b->way.n[0] : 2 * (b->way.n[0] / 2 + 1);
}

static int is_padded(const bench *b) {
    return b->way.in_place || b->library->processes;
}

static void divide(const bench *b, void *spectrum) {
    const bench_part *part = &b->part;
    const size_t nx = b->way.n[0], numbers = spectrum_row(b), inner = b->way.n[3 - part->outer];
    const int is_complex = b->bc == NULL;
    const size_t count = is_complex ? numbers / 2 : nx;
    const double scale = 1 / b->norm;
    const double *square[3] = {b->squares, b->squares + nx, b->squares + nx + b->way.n[1]};
#pragma omp parallel for num_threads(b->way.threads) schedule(static)
    for (size_t row = 0; row < part->count * inner; row++) {
        const double others =
            square[3 - part->outer][row % inner] + square[part->outer][part->first + row / inner];
        if (b->way.precision == PSG_F64) {
            divide_double((double *)spectrum + row * numbers, count, b->squares, others, scale,
                          is_complex);
        } else {
            divide_float((float *)spectrum + row * numbers, count, b->squares_f32, (float)others,
                         (float)scale, is_complex);
        }
    }
}

/* f of a solve in place, which the solve before has written over; and its u. */
static void copy_rows(const bench *b, const char *from, size_t from_row, char *to, size_t to_row) {
    const size_t rows = b->part.planes * b->way.n[1], row = b->way.n[0] * b->real_bytes;
#pragma omp parallel for num_threads(b->way.threads) schedule(static)
    for (size_t r = 0; r < rows; r++) {
        memcpy(to + r * to_row, from + r * from_row, row);
    }
}

static void load_theirs(void *what) {
    const bench *b = what;
    if (is_padded(b)) {
        copy_rows(b, b->f, b->way.n[0] * b->real_bytes, b->padded, spectrum_row(b) * b->real_bytes);
    }
}

static void solve_theirs(void *what) {
    bench *b = what;
    const double start = bench_now();
    b->library->execute(b->theirs, 0);
    const double middle = bench_now();
    divide(b, b->way.in_place ? b->padded : b->spectrum);
    const double divided = bench_now();
    b->library->execute(b->theirs, 1);
    b->transforms = bench_now() - start - (divided - middle);
}

/* ------------------------------------------------------------------------------ the best way */

static void make_way(bench *b) {
    omp_set_num_threads(b->way.threads); /* of FFTW's regions, which name no number */
    b->theirs = b->library->plan(&b->way, is_padded(b) ? b->padded : b->f,
                                 b->way.in_place ? b->padded : b->spectrum,
                                 is_padded(b) ? b->padded : b->u);
}

static void fill(const bench *b) {
    for (size_t m = 0; m < b->points; m++) {
        const size_t first = b->part.z0 * b->way.n[1] * b->way.n[0];
        bench_put(b->f, b->way.precision, m, bench_noise(first + m));
    }
}

static void try_way(bench *b, bench_way *best) {
    enum { TRIALS = 5 };
    const bench_job trial = {.what = b, .load = load_theirs, .run = solve_theirs};
    double least = INFINITY;
    make_way(b);
    if (b->theirs == NULL) {
        return;
    }
    fill(b);
    for (int t = 0; t < TRIALS; t++) {
        least = fmin(least, bench_time(&trial));
    }
    b->library->destroy(b->theirs);
    if (least < b->seconds) {
        b->seconds = least;
        *best = b->way;
    }
}

/* Powers of two up to the cores, and the cores. */
static int counts_of(const bench *b, int counts[COUNTS_MOST]) {
    int count = 0;
    if (b->threads != NULL) {
        return bench_read_list(b->threads, counts, COUNTS_MOST);
    }
    for (int t = 1; t < b->peer.threads && count + 1 < COUNTS_MOST; t *= 2) {
        counts[count++] = t;
    }
    counts[count++] = b->peer.threads;
    return count;
}

static void choose_way(bench *b) {
    int counts[COUNTS_MOST];
    const int count = counts_of(b, counts);
    bench_way best = b->way;
    b->seconds = INFINITY;
    for (int e = 0; b->library->efforts[e] != NULL; e++) {
        for (int m = 0; m < 2 * count; m++) {
            const char *effort = b->library->efforts[e];
            b->way.effort = e;
            b->way.in_place = m % 2;
            b->way.threads = counts[m / 2];
            if (b->way.threads <= b->peer.threads &&
                (b->efforts == NULL || strstr(b->efforts, effort) != NULL)) {
                try_way(b, &best);
            }
        }
    }
    bench_must(isfinite(b->seconds), "%s has no plan", b->library->name);
    b->way = best;
    make_way(b); /* again: what was learnt about it is still known */
    bench_must(b->theirs != NULL, "%s has no plan any more", b->library->name);
    fill(b);
}

/* -------------------------------------------------------------------------------------- psg */

static void solve_psg(void *what) {
    const bench *b = what;
    bench_must_psg(psg_solve(b->plan, b->f, b->u));
}

/* Each process has the same planes, whoever deals them out. */
static void make_plan(bench *b) {
    size_t z0 = 0, planes = 0;
    b->options.comm = bench_processes.comm;
    b->plan = bench_plan(b->peer.n, b->bc, &b->options);
    bench_must_psg(psg_plan_local_extent(b->plan, &z0, &planes));
    bench_must(planes == b->part.planes && (planes == 0 || z0 == b->part.z0),
               "%s and psg deal out planes of this grid differently", b->library->name);
}

static void make_squares(bench *b) {
    const size_t *n = b->peer.n;
    double *square = b->squares;
    b->norm = 1;
    for (int d = 0; d < 3; d++) {
        const char *sides = b->bc != NULL ? b->bc + 3 * (ptrdiff_t)d : "PP";
        b->norm *= (double)n[d] * (sides[0] == 'P' ? 1 : 2);
        for (size_t m = 0; m < n[d]; m++, square++) {
            const double periodic = 2 * m > n[d] ? (double)(n[d] - m) : (double)m;
            const double half = (double)m + 0.5 * (sides[0] == 'D') + 0.5 * (sides[1] == 'D');
            const double k = sides[0] == 'P' ? periodic : 0.5 * half;
            *square = k * k;
        }
    }
    for (size_t m = 0; m < n[0]; m++) {
        b->squares_f32[m] = (float)b->squares[m];
    }
}

static void prepare(bench *b) {
    const size_t *n = b->peer.n;
    const double planning =
        b->library->processes
            ? -1 /* without limit */
            : fmin(most_seconds, fmax(least_seconds, seconds_a_point * (double)n[0] * (double)n[1] *
                                                         (double)n[2]));
    b->part = (bench_part){
        .planes = n[2], .outer = 2, .count = n[2], .modes = (n[0] / 2 + 1) * n[1] * n[2]};
    if (b->library->deal != NULL) {
        b->library->deal(n, &b->part);
    }
    b->points = n[0] * n[1] * b->part.planes;
    b->real_bytes = b->peer.precision == PSG_F64 ? sizeof(double) : sizeof(float);
    b->f = bench_array(b->points * b->real_bytes);
    b->u = bench_array(b->points * b->real_bytes);
    b->spectrum = bench_array(b->part.modes * 2 * b->real_bytes);
    b->padded = bench_array(b->part.modes * 2 * b->real_bytes);
    b->squares = bench_array((n[0] + n[1] + n[2]) * sizeof *b->squares);
    b->squares_f32 = bench_array(n[0] * sizeof *b->squares_f32);
    make_squares(b);
    b->way = (bench_way){.n = {n[0], n[1], n[2]},
                         .bc = b->bc,
                         .precision = b->peer.precision,
                         .seconds = b->plan_seconds > 0 ? b->plan_seconds : planning};
    choose_way(b);
    make_plan(b);
}

static void release(bench *b) {
    psg_plan_destroy(b->plan);
    b->library->destroy(b->theirs);
    free(b->f);
    free(b->u);
    free(b->spectrum);
    free(b->padded);
    free(b->squares);
    free(b->squares_f32);
}

/* One u, whoever solves. */
static void compare(bench *b) {
    void *theirs = bench_array(b->points * b->real_bytes);
    double apart = 0, largest = 0;
    load_theirs(b);
    solve_theirs(b);
    if (is_padded(b)) {
        copy_rows(b, b->padded, spectrum_row(b) * b->real_bytes, b->u, b->way.n[0] * b->real_bytes);
    }
    memcpy(theirs, b->u, b->points * b->real_bytes);
    memset(b->u, 0xff, b->points * b->real_bytes); /* a solve that writes nothing is seen */
    solve_psg(b);
    for (size_t m = 0; m < b->points; m++) {
        const double u = bench_get(theirs, b->peer.precision, m);
        const double difference = fabs(u - bench_get(b->u, b->peer.precision, m));
        apart = difference <= apart ? apart : difference; /* a NaN stays */
        largest = fmax(largest, fabs(u));
    }
    largest = bench_largest(largest);
    apart = bench_largest(isnan(apart) ? INFINITY : apart);
    b->peer.difference = largest > 0 ? apart / largest : apart;
    free(theirs);
}

static double busiest(const bench *b) {
    double most = 0, seconds[PSG_STAGE_COUNT];
    for (size_t w = 0; w < b->peer.statistics.workers; w++) {
        double here = 0;
        bench_must_psg(psg_plan_worker_seconds(b->plan, w, seconds));
        for (int stage = 0; stage < PSG_STAGE_COUNT; stage++) {
            here += seconds[stage];
        }
        most = fmax(most, here);
    }
    return most;
}

static void say(const bench *b) {
    const bench_peer *p = &b->peer;
    const psg_statistics *s = &p->statistics;
    printf("%zux%zux%zu %s, %d x %d cores: %s %.4f ms (%s, transforms alone %.4f)  psg "
           "%.4f ms (%zu x %zu)  %s / psg %.2f  busiest core / solve %.2f  difference %.1e%s\n",
           p->n[0], p->n[1], p->n[2], p->precision == PSG_F64 ? "f64" : "f32",
           bench_processes.ranks, p->threads, p->name, 1e3 * p->theirs.median, p->variant,
           1e3 * b->transforms, 1e3 * p->ours.median, s->segments, s->sheets, p->name,
           p->theirs.median / p->ours.median, busiest(b) / s->seconds, p->difference,
           bench_verdict(p));
    for (int m = 0; m < PSG_STAGE_COUNT; m++) {
        if (s->stage[m].tasks > 0) {
            printf("  %s %.4f ms a worker", psg_stage_name((psg_stage)m),
                   1e3 * s->stage[m].seconds / (double)s->workers);
        }
    }
    printf("\n");
    fflush(stdout);
}

static void measure(bench *b) {
    bench_job jobs[2] = {{.what = b, .load = load_theirs, .run = solve_theirs},
                         {.what = b, .run = solve_psg}};
    char why[128], variant[64];
    const size_t *n = b->peer.n;
    /* f, u, two spectra and a copy of u; psg's spectrum and scratch; of all processes */
    const double bytes =
        8 * (b->peer.precision == PSG_F64 ? 8.0 : 4.0) * (double)n[0] * (double)n[1] * (double)n[2];
    if (!bench_fits(bytes, -bench_largest(-bench_memory(&b->settings)), why)) {
        bench_left_out(&b->peer, &b->settings, why);
        return;
    }
    prepare(b);
    snprintf(variant, sizeof variant, "%s %s %d threads",
             b->way.in_place ? "in place" : "out of place", b->library->efforts[b->way.effort],
             b->way.threads);
    b->peer.variant = variant;
    compare(b);
    bench_interleave(jobs, 2, &b->settings);
    b->peer.theirs = jobs[0].times;
    b->peer.ours = jobs[1].times;
    bench_must_psg(psg_plan_statistics(b->plan, &b->peer.statistics));
    if (b->settings.rows) {
        bench_row(&b->peer, &b->settings);
    } else if (bench_processes.rank == 0) {
        say(b);
    }
    b->peer.variant = NULL;
    release(b);
}

static int is_sides(const char *text) {
    return strlen(text) == 8 && strspn(text, "PDN,") == 8 && text[2] == ',' && text[5] == ',';
}

/* @return the place of the first grid in argv */
static int read_options(bench *b, int argc, char **argv) {
    const bench_option options[] = {{"cpus", BENCH_COUNT, &b->peer.threads, NULL},
                                    {"threads", BENCH_TEXT, &b->threads, NULL},
                                    {"effort", BENCH_TEXT, &b->efforts, NULL},
                                    {"plan-seconds", BENCH_REAL, &b->plan_seconds, NULL},
                                    {"precision", BENCH_SOLVER, &b->options, "precision"},
                                    {"graph", BENCH_SOLVER, &b->options, "graph"},
                                    {"exchange", BENCH_SOLVER, &b->options, "exchange"},
                                    {"segment-planes", BENCH_SOLVER, &b->options, "segment_planes"},
                                    {"sheets", BENCH_SOLVER, &b->options, "sheets"},
                                    {"bc", BENCH_TEXT, &b->bc, NULL},
                                    {NULL, BENCH_FLAG, NULL, NULL}};
    const int first = bench_arguments(argc, argv, options, "N|NXxNYxNZ ...", &b->settings);
    bench_must(b->bc == NULL || is_sides(b->bc), "--bc '%s': expected as PP,DN,NN", b->bc);
    bench_must(b->bc == NULL || b->library->sides, "--bc: %s has no such transforms here",
               b->library->name);
    bench_must(!b->library->processes || b->options.precision == PSG_F64,
               "--precision: %s has f64 alone here", b->library->name);
    b->options.cpus = b->peer.threads;
    b->peer.precision = b->options.precision;
    return first;
}

static int beside(int argc, char **argv, const void *library) {
    static bench b; /* zero */
    b.library = library;
    b.settings =
        (bench_settings){.repeat = 15, .warm_up = 2, .seed = 1, .turn = 0.02, .rest = 0.01};
    b.peer = (bench_peer){.name = b.library->name,
                          .threads = b.library->processes ? 1 : bench_cores(),
                          .gpu_model = ""};
    psg_options_init(&b.options);
    b.options.tuned = 0; /* the default is the default */
    b.options.gpus = 0;
    const int first = read_options(&b, argc, argv);
    if (b.library->processes) {
        bench_processes_start(&argc, &argv, 1);
    }
    b.library->start();
    for (int m = first; m < argc; m++) {
        bench_read_grid(argv[m], b.peer.n);
        measure(&b);
    }
    bench_processes_end();
    return 0;
}

int main(int argc, char **argv) {
    static const bench_program peers[] = {
        {"fftw", beside, &bench_library_fftw, ""},
        {"mkl", beside, &bench_library_mkl, ""},
#ifdef PSG_FFTW_MPI
        {"fftw_mpi", beside, &bench_library_fftw_mpi, ""},
#else
        {"fftw_mpi", NULL, NULL, "MPI, and FFTW's MPI library"},
#endif
        {"many", bench_many, NULL, ""},
        {"free", bench_free, NULL, ""},
        {"stretched", bench_stretched, NULL, ""},
#ifdef PSG_HYPRE
        {"hypre", bench_hypre, NULL, ""},
#else
        {"hypre", NULL, NULL, "MPI and hypre"},
#endif
        {"fft", bench_fft, &bench_transforms_cores, ""},
        {"tasks", bench_tasks, NULL, ""},
        {"workload", bench_workload, &peer_ways_cores, ""},
#if PSG_WITH_MPI
        {"workload_mpi", bench_workload, &peer_ways_mpi, ""},
#else
        {"workload_mpi", NULL, NULL, "MPI"},
#endif
        {NULL, NULL, NULL, ""},
    };
    return bench_main(argc, argv, peers);
}
