/* psg beside FFTW's own threaded 3-D transform: the same solve, the same arrays, the same cores, in one run,
 * alternately; medians. FFTW's solve is what a careful user writes: fftw_plan_with_nthreads, MEASURE, out of
 * place, and a division shared by as many threads.
 *
 *   bench_fftw_peer [--cpus N] [--repeat R] [--f32] [--graph staged] N ...      N^3 points each
 */
#include "graph/psg.h"

#include <fftw3.h>
#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { MAX_REPEAT = 101, MAX_THREADS = 128 };

typedef struct bench {
    size_t n;
    int cpus;
    int repeat;
    psg_options options;
    double *f;
    double *u;
    fftw_complex *spectrum;
    fftw_plan forward;
    fftw_plan inverse;
    psg_plan *plan;
} bench;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, by_value);
    return values[count / 2];
}

static void *array(size_t bytes) {
    void *p = NULL;
    if (posix_memalign(&p, (size_t)2 << 20, bytes) != 0) {
        fprintf(stderr, "no memory: %zu bytes\n", bytes);
        exit(1);
    }
    (void)madvise(p, bytes, MADV_HUGEPAGE); /* for both alike */
    memset(p, 0, bytes);
    return p;
}

typedef struct share {
    const bench *b;
    size_t k0, k1;
} share;

static void *divide_share(void *argument) {
    const share *mine = argument;
    const size_t n = mine->b->n;
    const size_t nxc = n / 2 + 1;
    const double scale = 1 / ((double)n * (double)n * (double)n);
    for (size_t k = mine->k0; k < mine->k1; k++) {
        const double kz = (double)(2 * k > n ? n - k : k);
        for (size_t j = 0; j < n; j++) {
            const double ky = (double)(2 * j > n ? n - j : j);
            double *row = (double *)(mine->b->spectrum + (k * n + j) * nxc);
            for (size_t i = 0; i < nxc; i++) {
                const double square = kz * kz + ky * ky + (double)i * (double)i;
                const double factor = square > 0 ? -scale / square : 0;
                row[2 * i] *= factor;
                row[2 * i + 1] *= factor;
            }
        }
    }
    return NULL;
}

/* @return seconds of the transforms alone */
static double fftw_solve(const bench *b) {
    pthread_t thread[MAX_THREADS];
    share shares[MAX_THREADS];
    const double t0 = now();
    fftw_execute(b->forward);
    const double t1 = now();
    for (int t = 0; t < b->cpus; t++) {
        shares[t] = (share){b, b->n * (size_t)t / (size_t)b->cpus,
                            b->n * (size_t)(t + 1) / (size_t)b->cpus};
        if (t > 0 && pthread_create(&thread[t], NULL, divide_share, &shares[t]) != 0) {
            exit(1);
        }
    }
    divide_share(&shares[0]);
    for (int t = 1; t < b->cpus; t++) {
        pthread_join(thread[t], NULL);
    }
    const double t2 = now();
    fftw_execute(b->inverse);
    return now() - t2 + (t1 - t0);
}

static void prepare(bench *b) {
    const int n = (int)b->n;
    const size_t points = b->n * b->n * b->n;
    b->f = array(points * sizeof *b->f);
    b->u = array(points * sizeof *b->u);
    b->spectrum = array(b->n * b->n * (b->n / 2 + 1) * sizeof *b->spectrum);
    fftw_plan_with_nthreads(b->cpus);
    b->forward =
        fftw_plan_dft_r2c_3d(n, n, n, b->f, b->spectrum, FFTW_MEASURE | FFTW_PRESERVE_INPUT);
    b->inverse = fftw_plan_dft_c2r_3d(n, n, n, b->spectrum, b->u, FFTW_MEASURE);
    fftw_plan_with_nthreads(1);
    psg_grid grid;
    psg_grid_init(&grid, b->n, b->n, b->n, 6.283185307179586, 6.283185307179586, 6.283185307179586);
    if (psg_plan_create(&b->plan, &grid, &b->options) != PSG_OK || b->forward == NULL ||
        b->inverse == NULL) {
        fprintf(stderr, "%zu^3: %s\n", b->n, psg_last_error());
        exit(1);
    }
    srand(7);
    for (size_t m = 0; m < points; m++) {
        b->f[m] = rand() / (double)RAND_MAX - 0.5;
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

static void measure(bench *b) {
    double whole[MAX_REPEAT];
    double transforms[MAX_REPEAT];
    double ours[MAX_REPEAT];
    prepare(b);
    for (int r = -2; r < b->repeat; r++) { /* two to warm up */
        const double t0 = now();
        const double bare = fftw_solve(b);
        const double t1 = now();
        if (psg_solve(b->plan, b->f, b->u) != PSG_OK) {
            fprintf(stderr, "%zu^3: %s\n", b->n, psg_last_error());
            exit(1);
        }
        const double t2 = now();
        if (r >= 0) {
            whole[r] = t1 - t0;
            transforms[r] = bare;
            ours[r] = t2 - t1;
        }
    }
    psg_statistics s;
    (void)psg_plan_statistics(b->plan, &s);
    const double theirs = median(whole, b->repeat);
    const double mine = median(ours, b->repeat);
    printf("%4zu^3  FFTW %9.3f ms (transforms alone %9.3f)   psg %9.3f ms (%zu x %zu)   FFTW / psg "
           "%.2f\n",
           b->n, 1e3 * theirs, 1e3 * median(transforms, b->repeat), 1e3 * mine, s.segments,
           s.pencils, theirs / mine);
    for (int m = 0; m < PSG_STAGE_COUNT; m++) {
        if (s.stage[m].tasks > 0) {
            printf("         %-10s %3zu tasks %9.3f ms a worker\n", psg_stage_name((psg_stage)m),
                   (size_t)s.stage[m].tasks, 1e3 * s.stage[m].seconds / (double)s.workers);
        }
    }
    fflush(stdout);
    release(b);
}

int main(int argc, char **argv) {
    static const struct option known[] = {
        {"cpus", required_argument, NULL, 'c'},    {"repeat", required_argument, NULL, 'r'},
        {"graph", required_argument, NULL, 'g'},   {"segment-planes", required_argument, NULL, 's'},
        {"pencils", required_argument, NULL, 'p'}, {0}};
    bench b = {.cpus = (int)sysconf(_SC_NPROCESSORS_ONLN), .repeat = 15};
    psg_options_init(&b.options);
    b.options.tuned = 0; /* the default is the default */
    for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        switch (c) {
        case 'c':
            b.cpus = atoi(optarg);
            break;
        case 'r':
            b.repeat = atoi(optarg);
            break;
        case 'g':
            b.options.graph = strcmp(optarg, "staged") == 0 ? PSG_GRAPH_STAGED : PSG_GRAPH_FUSED;
            break;
        case 's':
            b.options.segment_planes = (size_t)atol(optarg);
            break;
        case 'p':
            b.options.pencils = (size_t)atol(optarg);
            break;
        default:
            return 2;
        }
    }
    if (b.cpus < 1 || b.cpus > MAX_THREADS || b.repeat < 1 || b.repeat > MAX_REPEAT ||
        optind == argc) {
        fprintf(stderr,
                "usage: %s [--cpus N] [--repeat R] [--graph staged|fused] [--segment-planes N] "
                "[--pencils N] N ...\n",
                argv[0]);
        return 2;
    }
    b.options.cpus = b.cpus;
    if (fftw_init_threads() == 0) {
        return 1;
    }
    for (int m = optind; m < argc; m++) {
        b.n = (size_t)atol(argv[m]);
        measure(&b);
    }
    return 0;
}
