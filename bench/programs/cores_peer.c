/* psg beside a library's transforms on the same cores: the same solve, in one run, in turns of random order.
 * bench_cores fftw|mkl [--cpus N] [--threads LIST] [--effort LIST] [--plan-seconds S] [--precision f64|f32] [--repeat R]
 *         [--graph fused|staged] [--segment-planes N] [--sheets N] [--bc SIDES] [--rows] GRID ...
 * --bc: as of psg solve, with points in cells; the peer has real transforms. GRID: N or NXxNYxNZ. --threads: numbers of the peer's threads, up to --cpus. --rows: those of `psg bench --study
 * peers`. */
#include "bench/programs/cores_peer.h"
#include "bench/programs/peer.h"
#include "graph/psg_observe.h"

#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COUNTS_MOST = 16 };

/* A plan of the peer's may take so long, unless --plan-seconds says. */
static const double seconds_a_point = 3e-5, least_seconds = 0.05, most_seconds = 10;

typedef struct bench {
    const bench_library *library;
    bench_settings settings;
    bench_peer peer;
    psg_options options;
    const char *threads, *efforts, *bc;
    double plan_seconds;
    size_t points, real_bytes;
    void *f, *u;     /* [nz][ny][nx] */
    void *spectrum;  /* complex [nz][ny][nx/2 + 1] */
    void *padded;    /* the same as reals; of solves in place */
    double *squares; /* of wavenumbers along x, y, z */
    float *squares_f32;
    psg_plan *plan;
    bench_way way; /* the one in use */
    void *theirs;
    double norm;    /* what the transforms forward and back leave */
    double seconds; /* of the best way, in its trial */
    double transforms;
} bench;

/* ------------------------------------------------------------------------------------ their solve */

/* As psg's own division, for the widest vectors there are. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__)
#define CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CLONES
#endif

#define DEFINE_DIVIDE(name, real)                                                                  \
    static CLONES void name(real *row, size_t count, const real *square, real others,              \
                            real scale) {                                                          \
        for (size_t i = 0; i < count; i++) {                                                       \
            const real sum = square[i] + others;                                                   \
            const real factor = sum != 0 ? -scale / sum : 0;                                       \
            row[2 * i] *= factor;                                                                  \
            row[2 * i + 1] *= factor;                                                              \
        }                                                                                          \
    }
DEFINE_DIVIDE(divide_f64, double)
DEFINE_DIVIDE(divide_f32, float)

#define DEFINE_DIVIDE_REALS(name, real)                                                            \
    static CLONES void name(real *row, size_t count, const real *square, real others,              \
                            real scale) {                                                          \
        for (size_t i = 0; i < count; i++) {                                                       \
            const real sum = square[i] + others;                                                   \
            row[i] *= sum != 0 ? -scale / sum : 0;                                                 \
        }                                                                                          \
    }
DEFINE_DIVIDE_REALS(divide_reals_f64, double)
DEFINE_DIVIDE_REALS(divide_reals_f32, float)

/* Numbers in a row of the spectrum. */
static size_t spectrum_row(const bench *b) {
    return b->bc != NULL ? b->way.n[0] : 2 * (b->way.n[0] / 2 + 1);
}

static void divide(const bench *b, void *spectrum) {
    const size_t nx = b->way.n[0], ny = b->way.n[1], nz = b->way.n[2], numbers = spectrum_row(b);
    const double scale = 1 / b->norm;
    const double *y = b->squares + nx, *z = y + ny;
#pragma omp parallel for num_threads(b->way.threads) schedule(static)
    for (size_t row = 0; row < ny * nz; row++) {
        const double others = y[row % ny] + z[row / ny];
        if (b->way.precision == PSG_F64) {
            double *values = (double *)spectrum + row * numbers;
            if (b->bc != NULL) {
                divide_reals_f64(values, nx, b->squares, others, scale);
            } else {
                divide_f64(values, numbers / 2, b->squares, others, scale);
            }
        } else {
            float *values = (float *)spectrum + row * numbers;
            if (b->bc != NULL) {
                divide_reals_f32(values, nx, b->squares_f32, (float)others, (float)scale);
            } else {
                divide_f32(values, numbers / 2, b->squares_f32, (float)others, (float)scale);
            }
        }
    }
}

/* f of a solve in place, which the solve before has written over. */
static void pad(const bench *b) {
    const size_t rows = b->way.n[1] * b->way.n[2], row = b->way.n[0] * b->real_bytes;
    const size_t padded = spectrum_row(b) * b->real_bytes;
#pragma omp parallel for num_threads(b->way.threads) schedule(static)
    for (size_t r = 0; r < rows; r++) {
        memcpy((char *)b->padded + r * padded, (const char *)b->f + r * row, row);
    }
}

static void unpad(const bench *b) {
    const size_t rows = b->way.n[1] * b->way.n[2], row = b->way.n[0] * b->real_bytes;
    const size_t padded = spectrum_row(b) * b->real_bytes;
    for (size_t r = 0; b->way.in_place && r < rows; r++) {
        memcpy((char *)b->u + r * row, (const char *)b->padded + r * padded, row);
    }
}

static double solve_theirs(bench *b) {
    if (b->way.in_place) {
        pad(b);
    }
    const double start = bench_now();
    b->library->forward(b->theirs);
    const double middle = bench_now();
    divide(b, b->way.in_place ? b->padded : b->spectrum);
    const double divided = bench_now();
    b->library->inverse(b->theirs);
    const double end = bench_now();
    b->transforms = end - start - (divided - middle);
    return end - start;
}

/* Threads of the turn before may still look for work: they get the time to fall asleep. Then a first solve wakes
 * those of this turn. */
static void settle(double (*solve)(bench *b), bench *b, unsigned calls) {
    const struct timespec rest = {.tv_nsec = 10000000};
    nanosleep(&rest, NULL);
    if (calls > 1) {
        (void)solve(b);
    }
}

static double run_calls(double (*solve)(bench *b), bench *b, unsigned calls) {
    double seconds = 0;
    settle(solve, b, calls);
    for (unsigned call = 0; call < calls; call++) {
        seconds += solve(b);
    }
    return seconds;
}

static double run_theirs(void *what, unsigned calls) {
    return run_calls(solve_theirs, what, calls);
}

/* ----------------------------------------------------------------------------------- the best way */

static void make_way(bench *b) {
    void *const f = b->way.in_place ? b->padded : b->f;
    void *const spectrum = b->way.in_place ? b->padded : b->spectrum;
    void *const u = b->way.in_place ? b->padded : b->u;
    omp_set_num_threads(b->way.threads); /* of FFTW's regions, which name no number */
    b->theirs = b->library->plan(&b->way, f, spectrum, u);
}

static void fill(bench *b) {
    for (size_t m = 0; m < b->points; m++) {
        if (b->way.precision == PSG_F64) {
            ((double *)b->f)[m] = bench_noise(m);
        } else {
            ((float *)b->f)[m] = (float)bench_noise(m);
        }
    }
}

static void try_way(bench *b, bench_way *best) {
    enum { TRIALS = 5 };
    double least = INFINITY;
    make_way(b);
    if (b->theirs == NULL) {
        return;
    }
    fill(b);
    for (int t = 0; t < TRIALS; t++) {
        least = fmin(least, solve_theirs(b));
    }
    b->library->destroy(b->theirs);
    b->theirs = NULL;
    if (least < b->seconds) {
        b->seconds = least;
        *best = b->way;
    }
}

/* Powers of two up to the cores, and the cores. */
static int counts_of(const bench *b, int counts[COUNTS_MOST]) {
    int all[COUNTS_MOST], count = 0, kept = 0;
    if (b->threads != NULL) {
        count = bench_read_list(b->threads, all, COUNTS_MOST);
    }
    for (int t = 1; b->threads == NULL && count < COUNTS_MOST; t *= 2) {
        all[count++] = t < b->peer.threads ? t : b->peer.threads;
        if (t >= b->peer.threads) {
            break;
        }
    }
    for (int m = 0; m < count; m++) {
        if (all[m] <= b->peer.threads) {
            counts[kept++] = all[m];
        }
    }
    return kept;
}

static int is_named(const char *list, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strcspn(at, ",") == length && strncmp(at, name, length) == 0) {
            return 1;
        }
    }
    return list == NULL;
}

static void choose_way(bench *b) {
    int counts[COUNTS_MOST];
    const int count = counts_of(b, counts);
    bench_way best = b->way;
    b->seconds = INFINITY;
    for (int e = 0; b->library->efforts[e] != NULL; e++) {
        for (int m = 0; m < 2 * count && is_named(b->efforts, b->library->efforts[e]); m++) {
            b->way.effort = e;
            b->way.in_place = m % 2;
            b->way.threads = counts[m / 2];
            try_way(b, &best);
        }
    }
    bench_must(isfinite(b->seconds), "%s has no plan", b->library->name);
    b->way = best;
    make_way(b); /* again: what was learnt about it is still known */
    bench_must(b->theirs != NULL, "%s has no plan any more", b->library->name);
    fill(b);
}

/* ----------------------------------------------------------------------------------------- psg */

static double solve_psg(bench *b) {
    const double start = bench_now();
    bench_must(psg_solve(b->plan, b->f, b->u) == PSG_OK, "%s", psg_last_error());
    return bench_now() - start;
}

static double run_psg(void *what, unsigned calls) {
    return run_calls(solve_psg, what, calls);
}

static void prepare(bench *b) {
    const size_t *n = b->peer.n;
    const double box = 6.283185307179586;
    psg_grid grid;
    b->points = n[0] * n[1] * n[2];
    b->real_bytes = b->peer.precision == PSG_F64 ? sizeof(double) : sizeof(float);
    b->f = bench_array(b->points * b->real_bytes);
    b->u = bench_array(b->points * b->real_bytes);
    b->spectrum = bench_array((n[0] / 2 + 1) * n[1] * n[2] * 2 * b->real_bytes);
    b->padded = bench_array((n[0] / 2 + 1) * n[1] * n[2] * 2 * b->real_bytes);
    b->squares = bench_array((n[0] + n[1] + n[2]) * sizeof *b->squares);
    b->squares_f32 = bench_array(n[0] * sizeof *b->squares_f32);
    double *square = b->squares;
    psg_grid_init(&grid, n[0], n[1], n[2], box, box, box);
    b->norm = 1;
    for (int d = 0; d < 3; d++) {
        const char *sides = b->bc != NULL ? b->bc + 3 * (ptrdiff_t)d : "PP";
        for (int side = 0; side < 2; side++) {
            grid.axis[d].bc[side] = sides[side] == 'P'   ? PSG_BC_PERIODIC
                                    : sides[side] == 'D' ? PSG_BC_DIRICHLET
                                                         : PSG_BC_NEUMANN;
        }
        b->norm *= (double)n[d] * (sides[0] == 'P' ? 1 : 2);
        for (size_t m = 0; m < n[d]; m++, square++) {
            const double periodic = 2 * m > n[d] ? (double)(n[d] - m) : (double)m;
            const double half = (double)m + 0.5 * (sides[0] == 'D') + 0.5 * (sides[1] == 'D');
            const double k = sides[0] == 'P' ? periodic : half / 2;
            *square = k * k;
        }
    }
    for (size_t m = 0; m < n[0]; m++) {
        b->squares_f32[m] = (float)b->squares[m];
    }
    const double seconds =
        fmin(most_seconds, fmax(least_seconds, seconds_a_point * (double)b->points));
    b->way = (bench_way){.n = {n[0], n[1], n[2]},
                         .bc = b->bc,
                         .precision = b->peer.precision,
                         .seconds = b->plan_seconds > 0 ? b->plan_seconds : seconds};
    choose_way(b);
    bench_must(psg_plan_create(&b->plan, &grid, &b->options) == PSG_OK, "%s", psg_last_error());
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

static double at(const bench *b, const void *array, size_t m) {
    return b->peer.precision == PSG_F64 ? ((const double *)array)[m] : ((const float *)array)[m];
}

/* One u, whoever solves. */
static void compare(bench *b) {
    void *theirs = bench_array(b->points * b->real_bytes);
    double apart = 0, largest = 0;
    (void)solve_theirs(b);
    unpad(b);
    memcpy(theirs, b->u, b->points * b->real_bytes);
    memset(b->u, 0xff, b->points * b->real_bytes); /* a solve that writes nothing is seen */
    (void)solve_psg(b);
    for (size_t m = 0; m < b->points; m++) {
        const double difference = fabs(at(b, theirs, m) - at(b, b->u, m));
        apart = difference > apart || isnan(difference) ? difference : apart; /* a NaN stays */
        largest = fmax(largest, fabs(at(b, theirs, m)));
    }
    b->peer.difference = largest > 0 ? apart / largest : apart;
    free(theirs);
}

static double busiest(const bench *b) {
    double most = 0, seconds[PSG_STAGE_COUNT];
    for (size_t w = 0; w < b->peer.statistics.workers; w++) {
        double here = 0;
        bench_must(psg_plan_worker_seconds(b->plan, w, seconds) == PSG_OK, "%s", psg_last_error());
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
    printf(
        "%zux%zux%zu %s, %d cores: %s %.4f ms (%s, transforms alone %.4f)  psg %.4f ms (%zu x %zu)"
        "  %s / psg %.2f  busiest core / solve %.2f  difference %.1e%s\n",
        p->n[0], p->n[1], p->n[2], p->precision == PSG_F64 ? "f64" : "f32", p->threads, p->name,
        1e3 * p->theirs.median, p->variant, 1e3 * b->transforms, 1e3 * p->ours.median, s->segments,
        s->sheets, p->name, p->theirs.median / p->ours.median, busiest(b) / s->seconds,
        p->difference, bench_peer_agrees(p) ? "" : " WRONG");
    for (int m = 0; m < PSG_STAGE_COUNT; m++) {
        if (s->stage[m].tasks > 0) {
            printf("  %s %.4f ms a worker", psg_stage_name((psg_stage)m),
                   1e3 * s->stage[m].seconds / (double)s->workers);
        }
    }
    printf("\n");
    fflush(stdout);
}

/* f, u, two spectra and a copy of u; psg's spectrum and scratch. */
static double needed_bytes(const bench *b) {
    const size_t *n = b->peer.n;
    return 7.0 * (double)(b->peer.precision == PSG_F64 ? sizeof(double) : sizeof(float)) *
           (double)n[0] * (double)n[1] * (double)n[2];
}

static void measure(bench *b) {
    const double turn_seconds = 0.02;
    bench_job jobs[2] = {{.run = run_theirs, .what = b}, {.run = run_psg, .what = b}};
    char why[128], variant[64];
    if (!bench_fits(needed_bytes(b), bench_memory(&b->settings), why)) {
        bench_peer_left_out(&b->peer, &b->settings, why);
        return;
    }
    prepare(b);
    snprintf(variant, sizeof variant, "%s %s %d threads",
             b->way.in_place ? "in place" : "out of place", b->library->efforts[b->way.effort],
             b->way.threads);
    b->peer.variant = variant;
    compare(b);
    bench_interleave(jobs, 2, &b->settings, turn_seconds);
    b->peer.theirs = jobs[0].times;
    b->peer.ours = jobs[1].times;
    bench_must(psg_plan_statistics(b->plan, &b->peer.statistics) == PSG_OK, "%s", psg_last_error());
    if (b->settings.rows) {
        bench_peer_row(&b->peer, &b->settings, NULL);
    } else {
        say(b);
    }
    b->peer.variant = NULL;
    release(b);
}

static int is_sides(const char *text) {
    return strlen(text) == 8 && strspn(text, "PDN,") == 8 && text[2] == ',' && text[5] == ',';
}

int bench_cores_peer_main(int argc, char **argv, const bench_library *library) {
    static bench b; /* zero */
    b.library = library;
    b.settings = (bench_settings){.repeat = 15, .warm_up = 2, .seed = 1};
    b.peer =
        (bench_peer){.name = library->name, .ranks = 1, .threads = bench_cores(), .gpu_model = ""};
    psg_options_init(&b.options);
    b.options.tuned = 0; /* the default is the default */
    const bench_option options[] = {{"cpus", BENCH_COUNT, &b.peer.threads, NULL},
                                    {"threads", BENCH_TEXT, &b.threads, NULL},
                                    {"effort", BENCH_TEXT, &b.efforts, NULL},
                                    {"plan-seconds", BENCH_REAL, &b.plan_seconds, NULL},
                                    {"precision", BENCH_SOLVER, &b.options, "precision"},
                                    {"graph", BENCH_SOLVER, &b.options, "graph"},
                                    {"segment-planes", BENCH_SOLVER, &b.options, "segment_planes"},
                                    {"sheets", BENCH_SOLVER, &b.options, "sheets"},
                                    {"bc", BENCH_TEXT, &b.bc, NULL},
                                    {NULL, BENCH_FLAG, NULL, NULL}};
    const int first = bench_arguments(argc, argv, options, "N|NXxNYxNZ ...", &b.settings);
    bench_must(b.bc == NULL || is_sides(b.bc), "--bc '%s': expected as PP,DN,NN", b.bc);
    bench_must(b.bc == NULL || library->has_sides, "--bc: %s has no such transforms here",
               library->name);
    b.options.cpus = b.peer.threads;
    b.options.gpus = 0;
    b.peer.precision = b.options.precision;
    library->start();
    if (b.settings.rows) {
        bench_peer_begin(BENCH_PEERS_COLUMNS);
    }
    for (int m = first; m < argc; m++) {
        bench_read_grid(argv[m], b.peer.n);
        measure(&b);
    }
    return 0;
}
