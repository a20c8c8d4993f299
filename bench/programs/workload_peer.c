/* Workloads beside what one would write for as many cores without tasks, in one run, in turns of random order. A peer checks
 * its own answer. PROGRAM [--cpus N] [--tile B] [--policy P] [--priority] [--precision f64|f32] [--repeat R] NAME:SIZE ... */
#include "base/random.h"
#include "bench/programs/program.h"
#include "cpu/cg.h"
#include "cpu/clones.h"
#include "graph/psg_observe.h"
#include "graph/psg_work.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct peer {
    const struct peer_row *row;
    psg_work *work;
    const char *size; /* behind the colon */
    int n, cpus, is_float;
    size_t points, real_bytes;
    void *array[6]; /* as the row needs them */
    int lwork, steps;
    double answer, shift;
    psg_cpu_cg_matrix matrix;
} peer;

/* A peer. Its run() begins with the input in place, and is timed whole. */
typedef struct peer_row {
    const char *workload;
    const char *peer;
    int arrays; /* of `points` reals */
    void (*make)(peer *p);
    void (*prepare)(const peer *p);
    void (*run)(peer *p);
} peer_row;

static const double pi = 3.14159265358979323846;

/* ---------------------------------------------------------------- ep: a loop over blocks of pairs */

enum { EP_BLOCK_LOG2 = 16, EP_RINGS = 10 };

static void ep_make(peer *p) {
    static const struct {
        char class;
        int log2;
        double sum;
    } classes[] = {{'S', 24, -3.247834652034740e3},
                   {'W', 25, -2.863319731645753e3},
                   {'A', 28, -4.295875165629892e3},
                   {'B', 30, 4.033815542441498e4},
                   {'C', 32, 4.764367927995374e4}};
    for (size_t m = 0; m < sizeof classes / sizeof *classes; m++) {
        if (p->size[0] == classes[m].class) {
            p->n = classes[m].log2;
            p->answer = classes[m].sum;
        }
    }
}

static double ep_block(uint64_t first, double ring[EP_RINGS]) {
    uint64_t x = base_random_after(BASE_RANDOM_SEED, 2 * first);
    double sum[2] = {0, 0};
    for (int pair = 0; pair < 1 << EP_BLOCK_LOG2; pair++) {
        x = base_random_next(x);
        const double u = 2 * base_random_real(x) - 1;
        x = base_random_next(x);
        const double v = 2 * base_random_real(x) - 1;
        const double t = u * u + v * v;
        if (t <= 1) {
            const double scale = sqrt(-2 * log(t) / t);
            ring[(int)fmax(fabs(u * scale), fabs(v * scale))]++;
            sum[0] += u * scale;
            sum[1] += v * scale;
        }
    }
    ring[0] += 1e-30 * sum[1]; /* so that it is computed */
    return sum[0];
}

static void ep_run(peer *p) {
    const int64_t blocks = (int64_t)1 << (p->n - EP_BLOCK_LOG2);
    double sum = 0, ring[EP_RINGS] = {0};
#pragma omp parallel for num_threads(p->cpus) schedule(static) reduction(+ : sum, ring)
    for (int64_t block = 0; block < blocks; block++) {
        sum += ep_block((uint64_t)block << EP_BLOCK_LOG2, ring);
    }
    bench_must(fabs(sum / p->answer - 1) < 1e-8, "the peer of ep: %.15g in place of %.15g", sum,
               p->answer);
}

/* ----------------------------------------------------------- jacobi: sweeps of the whole square */

enum { JACOBI_STEPS = 50 };

static double jacobi_wave(const peer *p, size_t row, size_t column) {
    return sin(2 * pi * (double)row / (p->n - 1)) * sin(3 * pi * (double)column / (p->n - 1));
}

static void jacobi_make(peer *p) {
    p->points = (size_t)p->n * (size_t)p->n;
}

/* Each thread first touches what it works on. */
static void jacobi_prepare(const peer *p) {
    const size_t n = (size_t)p->n;
#pragma omp parallel for num_threads(p->cpus) schedule(static)
    for (size_t m = 0; m < n * n; m++) {
        const bool fixed = m / n == 0 || m / n == n - 1 || m % n == 0 || m % n == n - 1;
        const double value = fixed ? 0 : jacobi_wave(p, m / n, m % n);
        for (int a = 0; a < 2; a++) {
            if (p->is_float) {
                ((float *)p->array[a])[m] = (float)value;
            } else {
                ((double *)p->array[a])[m] = value;
            }
        }
    }
}

#define JACOBI_ROW(real)                                                                           \
    PSG_CLONES static void jacobi_row_##real(size_t n, const real *u, real *next) {                \
        for (size_t m = 1; m + 1 < n; m++) {                                                       \
            next[m] = (((u[m - n] + u[m + n]) + u[m - 1]) + u[m + 1]) / 4;                         \
        }                                                                                          \
    }
JACOBI_ROW(float)
JACOBI_ROW(double)

static void jacobi_run(peer *p) {
    const size_t n = (size_t)p->n, row = n / 5, column = n / 6, at = row * n + column;
    const double left =
        pow((cos(2 * pi / (p->n - 1)) + cos(3 * pi / (p->n - 1))) / 2, JACOBI_STEPS);
#pragma omp parallel num_threads(p->cpus)
    for (int step = 0; step < JACOBI_STEPS; step++) {
#pragma omp for schedule(static)
        for (size_t m = 1; m < n - 1; m++) {
            if (p->is_float) {
                jacobi_row_float(n, (const float *)p->array[step % 2] + m * n,
                                 (float *)p->array[1 - step % 2] + m * n);
            } else {
                jacobi_row_double(n, (const double *)p->array[step % 2] + m * n,
                                  (double *)p->array[1 - step % 2] + m * n);
            }
        }
    }
    const double value = p->is_float ? ((const float *)p->array[JACOBI_STEPS % 2])[at]
                                     : ((const double *)p->array[JACOBI_STEPS % 2])[at];
    bench_must(fabs(value - left * jacobi_wave(p, row, column)) < (p->is_float ? 1e-5 : 1e-13),
               "the peer of jacobi: %.15g in place of %.15g", value,
               left * jacobi_wave(p, row, column));
}

/* ------------------------------------------------- conjugate gradients without preconditioner */

enum { CG_F = 0, CG_X, CG_R, CG_P, CG_Q, CG_EPS, CG_ARRAYS };

/* Rows `m` of q = A d. @return their part of d.q */
typedef double (*cg_product)(const peer *p, size_t m, const double *d, double *q);

/* From x = 0, until the norm of the residual is so small a part of that of f. @param[in] rows  times of the product */
static void cg_solve(peer *p, cg_product product, size_t rows, double tolerance, int most) {
    const double *f = p->array[CG_F];
    double *x = p->array[CG_X], *r = p->array[CG_R], *d = p->array[CG_P], *q = p->array[CG_Q];
    double rr = 0, dq = 0, rr_new = 0, first = 0;
    p->steps = 0;
#pragma omp parallel num_threads(p->cpus)
    {
#pragma omp for schedule(static) reduction(+ : first)
        for (size_t m = 0; m < p->points; m++) {
            x[m] = 0;
            r[m] = d[m] = f[m];
            first += f[m] * f[m];
        }
#pragma omp single
        rr = first;
        while (rr > tolerance * tolerance * first && p->steps < most) {
#pragma omp for schedule(static) reduction(+ : dq)
            for (size_t m = 0; m < rows; m++) {
                dq += product(p, m, d, q);
            }
            const double alpha = rr / dq;
#pragma omp for schedule(static) reduction(+ : rr_new)
            for (size_t m = 0; m < p->points; m++) {
                x[m] += alpha * d[m];
                r[m] -= alpha * q[m];
                rr_new += r[m] * r[m];
            }
            const double beta = rr_new / rr;
#pragma omp for schedule(static)
            for (size_t m = 0; m < p->points; m++) {
                d[m] = r[m] + beta * d[m];
            }
#pragma omp single
            {
                rr = rr_new;
                rr_new = dq = 0;
                p->steps++;
            }
        }
    }
}

/* ----------------------------------------------------------------- cg: the matrix of NAS by rows */

static void nas_make(peer *p) {
    static const struct {
        char class;
        int n, nonzer, iterations;
        double shift, zeta;
    } classes[] = {{'S', 1400, 7, 15, 10, 8.5971775078648},
                   {'W', 7000, 8, 15, 12, 10.362595087124},
                   {'A', 14000, 11, 15, 20, 17.130235054029},
                   {'B', 75000, 13, 75, 60, 22.712745482631},
                   {'C', 150000, 15, 75, 110, 28.973605592845}};
    size_t m = 0;
    while (classes[m].class != p->size[0]) {
        m++; /* psg has taken the class */
    }
    p->n = classes[m].iterations;
    p->points = (size_t)classes[m].n;
    p->shift = classes[m].shift;
    p->answer = classes[m].zeta;
    bench_must(psg_cpu_cg_make(&p->matrix, p->points, (size_t)classes[m].nonzer, classes[m].shift),
               "no memory for the matrix");
}

static void nas_prepare(const peer *p) {
    for (size_t m = 0; m < p->points; m++) {
        ((double *)p->array[CG_F])[m] = 1;
    }
}

static double nas_product(const peer *p, size_t m, const double *d, double *q) {
    double sum = 0;
    for (size_t at = p->matrix.start[m]; at < p->matrix.start[m + 1]; at++) {
        sum += p->matrix.value[at] * d[p->matrix.column[at]];
    }
    q[m] = sum;
    return d[m] * sum;
}

static void nas_run(peer *p) {
    double *f = p->array[CG_F], zeta = 0;
    const double *x = p->array[CG_X];
    for (int iteration = 0; iteration < p->n; iteration++) {
        double fx = 0, xx = 0;
        cg_solve(p, nas_product, p->points, 0, 25);
        for (size_t m = 0; m < p->points; m++) {
            fx += f[m] * x[m];
            xx += x[m] * x[m];
        }
        for (size_t m = 0; m < p->points; m++) {
            f[m] = x[m] / sqrt(xx);
        }
        zeta = p->shift + 1 / fx;
    }
    bench_must(fabs(zeta / p->answer - 1) < 1e-10, "the peer of cg: %.15g in place of %.15g", zeta,
               p->answer);
}

/* ---------------------------------------------------------------------------- pcg: smooth eps */

static void pcg_make(peer *p) {
    const char *contrast = strrchr(p->size, ':');
    bench_must_or(BENCH_USAGE, strstr(p->size, "ball") == NULL, "the peer of pcg has smooth eps");
    p->points = (size_t)p->n * (size_t)p->n * (size_t)p->n;
    p->answer =
        contrast != NULL && strtod(contrast + 1, NULL) >= 1 ? strtod(contrast + 1, NULL) : 10;
    p->real_bytes = sizeof(double);
}

/* A u of row (j, k): what flows out through the six faces of each cell. @return the row's part of u.q */
PSG_CLONES static double pcg_row(size_t n, size_t j, size_t k, const double *eps, const double *u,
                                 double *q) {
    const size_t row = (k * n + j) * n;
    const size_t rows[4] = {(k * n + (j + 1) % n) * n, (k * n + (j + n - 1) % n) * n,
                            ((k + 1) % n * n + j) * n, ((k + n - 1) % n * n + j) * n};
    double product = 0;
    for (size_t i = 0; i < n; i++) {
        const double e = eps[row + i], v = u[row + i];
        const size_t east = i + 1 < n ? i + 1 : 0, west = i > 0 ? i - 1 : n - 1;
        double sum = (u[row + east] - v) * eps[row + east] / (e + eps[row + east]) +
                     (u[row + west] - v) * eps[row + west] / (e + eps[row + west]);
        for (int m = 0; m < 4; m++) {
            sum += (u[rows[m] + i] - v) * eps[rows[m] + i] / (e + eps[rows[m] + i]);
        }
        q[row + i] = 2 * e * (double)(n * n) * sum;
        product += v * q[row + i];
    }
    return product;
}

/* eps and f = A u of a known u, as the workload has them. */
static void pcg_prepare(const peer *p) {
    const size_t n = (size_t)p->n;
    double *eps = p->array[CG_EPS], *u = p->array[CG_P], mean = 0, *f = p->array[CG_F];
#pragma omp parallel for num_threads(p->cpus) schedule(static)
    for (size_t m = 0; m < p->points; m++) {
        const double x = ((double)(m % n) + .5) / p->n, y = ((double)(m / n % n) + .5) / p->n;
        const double z = ((double)(m / n / n) + .5) / p->n;
        eps[m] = exp(log(p->answer) / 2 * sin(2 * pi * x) * sin(2 * pi * y) * sin(2 * pi * z));
        u[m] = sin(2 * pi * x) * cos(4 * pi * y) * sin(2 * pi * z + .3);
        for (int a = CG_F; a < CG_EPS; a++) {
            ((double *)p->array[a])[m] = a == CG_P ? u[m] : 0;
        }
    }
    for (size_t m = 0; m < n * n; m++) {
        (void)pcg_row(n, m % n, m / n, eps, u, f);
    }
    for (size_t m = 0; m < p->points; m++) {
        mean += f[m] / (double)p->points;
    }
    for (size_t m = 0; m < p->points; m++) {
        f[m] -= mean;
    }
}

static double pcg_product(const peer *p, size_t m, const double *d, double *q) {
    const size_t n = (size_t)p->n;
    return pcg_row(n, m % n, m / n, p->array[CG_EPS], d, q);
}

static void pcg_run(peer *p) {
    const size_t n = (size_t)p->n;
    const double *x = p->array[CG_X];
    cg_solve(p, pcg_product, n * n, 1e-10, INT_MAX);
    double worst = 0;
    for (size_t m = 0; m < p->points; m++) {
        const double a = ((double)(m % n) + .5) / p->n, b = ((double)(m / n % n) + .5) / p->n;
        const double c = ((double)(m / n / n) + .5) / p->n;
        worst = fmax(worst, fabs(x[m] - sin(2 * pi * a) * cos(4 * pi * b) * sin(2 * pi * c + .3)));
    }
    bench_must(worst < 1e-8, "the peer of pcg: u is off by %g", worst);
}

/* ------------------------------------------------------------- qr: LAPACK's of the whole matrix */
#ifdef PSG_LAPACK
enum { QR_A = 0, QR_TAU, QR_WORKSPACE, QR_ARRAYS };

void dgeqrf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work,
             const int *lwork, int *info);
void sgeqrf_(const int *m, const int *n, float *a, const int *lda, float *tau, float *work,
             const int *lwork, int *info);

/* Not there with another BLAS, whose threads its own environment sets. */
__attribute__((weak)) void openblas_set_num_threads(int threads);

/* psg has set the number of threads to 1, as long as there is a workload. */
static void set_threads(int threads) {
    if (openblas_set_num_threads != NULL) {
        openblas_set_num_threads(threads);
    }
}

static void factor(const peer *p, void *workspace, int lwork) {
    int info = 0;
    if (p->is_float) {
        sgeqrf_(&p->n, &p->n, p->array[QR_A], &p->n, p->array[QR_TAU], workspace, &lwork, &info);
    } else {
        dgeqrf_(&p->n, &p->n, p->array[QR_A], &p->n, p->array[QR_TAU], workspace, &lwork, &info);
    }
    bench_must(info == 0, "geqrf: %d", info);
}

/* LAPACK says how much room it works in best, which is less than the matrix. */
static void qr_make(peer *p) {
    union {
        float f32;
        double f64;
    } best;
    p->points = (size_t)p->n * (size_t)p->n;
    factor(p, &best, -1);
    p->lwork = p->is_float ? (int)best.f32 : (int)best.f64;
    p->points = (size_t)p->lwork > p->points ? (size_t)p->lwork : p->points;
}

static void qr_prepare(const peer *p) {
    const size_t count = (size_t)p->n * (size_t)p->n;
    uint64_t x = BASE_RANDOM_SEED;
    for (size_t m = 0; m < count; m++) {
        x = base_random_next(x);
        if (p->is_float) {
            ((float *)p->array[QR_A])[m] = (float)(2 * base_random_real(x) - 1);
        } else {
            ((double *)p->array[QR_A])[m] = 2 * base_random_real(x) - 1;
        }
    }
    set_threads(p->cpus);
}

static void qr_run(peer *p) {
    factor(p, p->array[QR_WORKSPACE], p->lwork);
}
#endif

static const peer_row rows[] = {
    {"ep", "an OpenMP loop", 0, ep_make, NULL, ep_run},
    {"jacobi", "OpenMP sweeps of the whole square", 2, jacobi_make, jacobi_prepare, jacobi_run},
    {"cg", "OpenMP conjugate gradients", CG_EPS, nas_make, nas_prepare, nas_run},
    {"pcg", "OpenMP conjugate gradients without preconditioner", CG_ARRAYS, pcg_make, pcg_prepare,
     pcg_run},
#ifdef PSG_LAPACK
    {"qr", "LAPACK's geqrf", QR_ARRAYS, qr_make, qr_prepare, qr_run},
#endif
};

/* ------------------------------------------------------------------------------------ measuring */

static double run_psg(void *what, unsigned calls) {
    const peer *p = what;
    double seconds = 0;
    for (unsigned call = 0; call < calls; call++) {
        psg_run_statistics s;
        bench_must(psg_work_run(p->work) == PSG_OK && psg_work_statistics(p->work, &s) == PSG_OK,
                   "%s", psg_last_error());
        seconds += s.seconds;
    }
    return seconds;
}

/* Threads of OpenMP and of OpenBLAS look for work for some time. */
static double run_peer(void *what, unsigned calls) {
    const struct timespec rest = {.tv_nsec = 100000000};
    peer *p = what;
    double seconds = 0;
    for (unsigned call = 0; call < calls; call++) {
        if (p->row->prepare != NULL) {
            p->row->prepare(p);
        }
        const double start = bench_now();
        p->row->run(p);
        seconds += bench_now() - start;
    }
#ifdef PSG_LAPACK
    set_threads(1);
#endif
    nanosleep(&rest, NULL);
    return seconds;
}

/* @return the row of NAME:SIZE; p->size is its size */
static const peer_row *row_of(peer *p, const char *name) {
    const char *colon = strchr(name, ':');
    for (size_t m = 0; m < sizeof rows / sizeof *rows && colon != NULL; m++) {
        if (strlen(rows[m].workload) == (size_t)(colon - name) &&
            strncmp(name, rows[m].workload, (size_t)(colon - name)) == 0) {
            p->size = colon + 1;
            p->n = atoi(p->size);
            return &rows[m];
        }
    }
    bench_must_or(BENCH_USAGE, 0, "%s is no workload with a peer", name);
    return NULL;
}

static void measure(peer *p, const char *name, const psg_work_options *how,
                    const psg_options *options, const bench_settings *settings) {
    bench_job jobs[2] = {{.run = run_psg, .what = p}, {.run = run_peer, .what = p}};
    p->row = row_of(p, name);
    bench_must(psg_work_create(&p->work, name, how, options) == PSG_OK, "%s", psg_last_error());
    p->row->make(p);
    for (int a = 0; a < p->row->arrays; a++) {
        p->array[a] = bench_array(p->points * p->real_bytes);
    }
    bench_interleave(jobs, 2, settings, 0.2);
    bench_must(psg_work_check(p->work) == PSG_OK, "%s", psg_last_error());
    printf("%s: %s on %d cores; peer: %s", name, psg_work_about(p->work), p->cpus, p->row->peer);
    printf(p->steps > 0 ? ", %d steps\n" : "\n", p->steps);
    for (int j = 0; j < 2; j++) {
        const bench_times *t = &jobs[j].times;
        printf("  %-5s %.4g s median, %.4g s minimum, %.4g to %.4g s the middle half\n",
               j == 0 ? "psg" : "peer", t->median, t->min, t->q1, t->q3);
    }
    printf("  the peer's time over psg's: %.3g by medians, %.3g by minima\n",
           jobs[1].times.median / jobs[0].times.median, jobs[1].times.min / jobs[0].times.min);
    psg_work_destroy(p->work);
    for (int a = 0; a < p->row->arrays; a++) {
        free(p->array[a]);
    }
    psg_cpu_cg_free(&p->matrix);
}

int main(int argc, char **argv) {
    psg_options options;
    psg_work_options how;
    bench_settings settings = {.repeat = 9, .warm_up = 1, .seed = 1};
    int cpus = bench_cores(), tile = 0, by_path = 0;
    psg_options_init(&options);
    psg_work_options_init(&how);
    const bench_option table[] = {{"cpus", BENCH_COUNT, &cpus, NULL},
                                  {"tile", BENCH_NUMBER, &tile, NULL},
                                  {"priority", BENCH_FLAG, &by_path, NULL},
                                  {"policy", BENCH_SOLVER, &options, "policy"},
                                  {"precision", BENCH_SOLVER, &options, "precision"},
                                  {NULL, BENCH_FLAG, NULL, NULL}};
    const int first = bench_arguments(argc, argv, table, "NAME:SIZE ...", &settings);
    options.cpus = cpus;
    options.gpus = 0;
    how.tile = (size_t)tile;
    how.priority = by_path ? PSG_PRIORITY_PATH : PSG_PRIORITY_NONE;
    for (int operand = first; operand < argc; operand++) {
        const int is_float = options.precision == PSG_F32;
        peer p = {.cpus = cpus,
                  .is_float = is_float,
                  .real_bytes = is_float ? sizeof(float) : sizeof(double)};
        measure(&p, argv[operand], &how, &options, &settings);
    }
    return 0;
}
