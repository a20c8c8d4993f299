/* Workloads beside what one would write without tasks, in one run, in turns of random order. The
 * answers of both are checked against the same numbers.
 *
 *   bench_cores|bench_gpus workload [--cpus N] [--gpus N] [--tile B] [--policy P] [--priority]
 *                                   [--precision f64|f32] NAME:SIZE ...
 *   mpirun -n R bench_cores workload_mpi ...
 *
 * The peer is on the first GPU, or on as many cores as psg. --cpus: of each process. */
#include "lab/peers/workload.h"
#include "graph/psg_observe.h"
#include "lab/peers/turns.h"
#include "workloads/jacobi.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A problem. */
typedef struct peer_row {
    const char *workload;
    int arrays;                   /* of `points` reals */
    void (*make)(peer *p);        /* reads the size */
    void (*prepare)(peer *p);     /* the input in main memory; NULL: zeros */
    void (*check)(const peer *p); /* the result in main memory */
} peer_row;

static const double pi = 3.14159265358979323846;

/* The program ends if this is not what psg expects of its own number of this name. */
static void must_be(const peer *p, const char *name, double value) {
    size_t m = 0;
    while (m < p->known_count && strcmp(p->known[m].name, name) != 0) {
        m++;
    }
    bench_must(m < p->known_count, "%s has no answer %s", p->row->workload, name);
    const workload_answer *a = &p->known[m];
    const double of = a->expected != 0 ? fabs(a->expected) : 1;
    bench_must(fabs(value - a->expected) <= a->tolerance * of,
               "the peer of %s: %s is %.15g, and may differ from %.15g by %.3g", p->row->workload,
               name, value, a->expected, a->tolerance * of);
}

/* -------------------------------------------------------------------------- ep: pairs by class */

static void ep_make(peer *p) {
    static const char classes[] = "SWABC";
    static const int log2_of[] = {24, 25, 28, 30, 32};
    p->n = log2_of[strchr(classes, p->size[0]) - classes]; /* psg has taken the class */
}

static void ep_check(const peer *p) {
    must_be(p, "sum_x", p->number[0]);
    must_be(p, "sum_y", p->number[1]);
    for (int ring = 0; ring < PEER_EP_RINGS; ring++) {
        const char name[] = {'c', 'o', 'u', 'n', 't', '_', (char)('0' + ring), '\0'};
        must_be(p, name, p->number[2 + ring]);
    }
}

/* -------------------------------------------------------- jacobi: a wave and a plane, as psg's */

static double jacobi_start(const peer *p, size_t row, size_t column) {
    const double last = p->n - 1, i = (double)row, j = (double)column;
    const double wave = i > 0 && i < last && j > 0 && j < last ? sin(2 * pi * i / last) : 0;
    return wave * sin(3 * pi * j / last) + (i + 2 * j) / last;
}

static void jacobi_make(peer *p) {
    bench_must_or(BENCH_USAGE, strchr(p->size, ':') == NULL && p->n > 4,
                  "the peer of jacobi has %d steps, and sizes N from 5", PEER_JACOBI_STEPS);
    p->side[0] = p->side[1] = (size_t)p->n;
    if (p->way->deal != NULL) {
        p->way->deal(p);
    }
    p->points = p->side[0] * p->side[1];
}

/* Each thread first touches what it works on. */
void peer_jacobi_prepare(peer *p) {
    const size_t columns = p->side[1];
#pragma omp parallel for num_threads(p->cpus) schedule(static)
    for (size_t m = 0; m < p->points; m++) {
        const size_t row = p->first[0] + m / columns, column = p->first[1] + m % columns;
        const double value = jacobi_start(p, row, column);
        bench_put(p->array[0], p->precision, m, value);
        bench_put(p->array[1], p->precision, m, value);
    }
}

void peer_jacobi_row(const peer *p, int step, size_t row, size_t first, size_t end) {
    const size_t at = row * p->side[1];
    jacobi_cpu_row(p->precision == PSG_F32, p->side[1], at + first, at + end, p->array[step % 2],
                   p->array[1 - step % 2]);
}

/* All steps of the whole square by psg's loop for one core. @return to be freed */
static void *jacobi_expected(const peer *p) {
    const size_t n = (size_t)p->n;
    peer all = *p;
    all.first[0] = all.first[1] = 0;
    all.side[0] = all.side[1] = n;
    all.points = n * n;
    for (int a = 0; a < 2; a++) {
        all.array[a] = bench_array(all.points * p->real_bytes);
    }
    peer_jacobi_prepare(&all);
    for (int step = 0; step < PEER_JACOBI_STEPS; step++) {
        jacobi_cpu_all(p->precision == PSG_F32, n, all.array[step % 2], all.array[1 - step % 2]);
    }
    free(all.array[1 - PEER_JACOBI_STEPS % 2]);
    return all.array[PEER_JACOBI_STEPS % 2];
}

/* Of the points expected psg itself has checked the wave. */
static void jacobi_check(const peer *p) {
    void *expected = jacobi_expected(p);
    const void *u = p->array[PEER_JACOBI_STEPS % 2];
    double differing = 0;
#pragma omp parallel for num_threads(p->cpus) schedule(static) reduction(+ : differing)
    for (size_t i = 1; i < p->side[0] - 1; i++) {
        const size_t row = (p->first[0] + i) * (size_t)p->n + p->first[1];
        for (size_t j = 1; j < p->side[1] - 1; j++) {
            differing += !(bench_get(u, p->precision, i * p->side[1] + j) ==
                           bench_get(expected, p->precision, row + j));
        }
    }
    free(expected);
    must_be(p, "differing", bench_sum(differing));
}

/* ---------------------------------------------------------------- cg: the matrix of NAS by rows */

static void cg_make(peer *p) {
    const cg_class *class = cg_class_of(p->size); /* psg has taken the class */
    p->n = (int)class->iterations;
    p->points = class->n;
    p->shift = class->shift;
    bench_must(cg_matrix_make(&p->matrix, class->n, class->nonzer, class->shift),
               "no memory for the matrix of cg");
}

static void cg_check(const peer *p) {
    must_be(p, "zeta", p->number[0]);
}

/* ---------------------------------------------------------------------------- pcg: smooth eps */

static void pcg_make(peer *p) {
    const char *contrast = strrchr(p->size, ':');
    bench_must_or(BENCH_USAGE, strstr(p->size, "ball") == NULL, "the peer of pcg has smooth eps");
    p->points = (size_t)p->n * (size_t)p->n * (size_t)p->n;
    p->contrast =
        contrast != NULL && strtod(contrast + 1, NULL) >= 1 ? strtod(contrast + 1, NULL) : 10;
    p->real_bytes = sizeof(double);
}

static double pcg_u(const peer *p, size_t m) {
    const size_t n = (size_t)p->n;
    const double x = ((double)(m % n) + .5) / p->n, y = ((double)(m / n % n) + .5) / p->n;
    const double z = ((double)(m / n / n) + .5) / p->n;
    return sin(2 * pi * x) * cos(4 * pi * y) * sin(2 * pi * z + .3);
}

BENCH_CLONES double peer_pcg_row(size_t n, size_t j, size_t k, const double *eps, const double *u,
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
static void pcg_prepare(peer *p) {
    const size_t n = (size_t)p->n;
    double *eps = p->array[CG_EPS], *u = p->array[CG_P], mean = 0, *f = p->array[CG_F];
#pragma omp parallel for num_threads(p->cpus) schedule(static)
    for (size_t m = 0; m < p->points; m++) {
        const double x = ((double)(m % n) + .5) / p->n, y = ((double)(m / n % n) + .5) / p->n;
        const double z = ((double)(m / n / n) + .5) / p->n;
        eps[m] = exp(log(p->contrast) / 2 * sin(2 * pi * x) * sin(2 * pi * y) * sin(2 * pi * z));
        for (int a = CG_F; a < CG_EPS; a++) {
            ((double *)p->array[a])[m] = a == CG_P ? pcg_u(p, m) : 0;
        }
    }
#pragma omp parallel for num_threads(p->cpus) schedule(static)
    for (size_t m = 0; m < n * n; m++) {
        (void)peer_pcg_row(n, m % n, m / n, eps, u, f);
    }
    for (size_t m = 0; m < p->points; m++) {
        mean += f[m] / (double)p->points;
    }
    for (size_t m = 0; m < p->points; m++) {
        f[m] -= mean;
    }
}

/* Largest difference over largest u, and the residual, whose stencil is that of the iteration. */
static void pcg_check(const peer *p) {
    const size_t n = (size_t)p->n;
    const double *x = p->array[CG_X], *f = p->array[CG_F];
    double *q = p->array[CG_Q], worst = 0, most = 0, off = 0, all = 0;
#pragma omp parallel for num_threads(p->cpus) schedule(static)
    for (size_t m = 0; m < n * n; m++) {
        (void)peer_pcg_row(n, m % n, m / n, p->array[CG_EPS], x, q);
    }
    for (size_t m = 0; m < p->points; m++) {
        const double u = pcg_u(p, m), difference = fabs(x[m] - u);
        worst = difference <= worst ? worst : difference; /* a NaN stays */
        most = fmax(most, fabs(u));
        off += (q[m] - f[m]) * (q[m] - f[m]);
        all += f[m] * f[m];
    }
    must_be(p, "error", worst / most);
    must_be(p, "residual", sqrt(off / all));
}

/* ------------------------------------------------------------ qr: the factors of a whole matrix */
enum { QR_VECTORS = 16 };

static void qr_make(peer *p) {
    bench_must_or(BENCH_USAGE, strchr(p->size, 'x') == NULL, "the peer of qr has square matrices");
    p->points = (size_t)p->n * (size_t)p->n;
}

static double qr_element(const peer *p, uint64_t x) {
    const double value = 2 * random_real(x) - 1;
    return p->precision == PSG_F32 ? (float)value : value;
}

void peer_qr_prepare(peer *p) {
    const size_t n = (size_t)p->n;
#pragma omp parallel for num_threads(p->cpus) schedule(static)
    for (size_t column = 0; column < n; column++) {
        uint64_t x = random_after(RANDOM_SEED, column * n);
        for (size_t m = column * n; m < (column + 1) * n; m++) {
            x = random_next(x);
            bench_put(p->array[QR_A], p->precision, m, qr_element(p, x));
        }
    }
}

static double qr_number(const peer *p, int array, size_t m) {
    return bench_get(p->array[array], p->precision, m);
}

/* y = Q y or Q^T y, reflector by reflector. */
static void qr_apply(const peer *p, bool transposed, double *y) {
    const size_t n = (size_t)p->n;
    for (size_t step = 0; step < n; step++) {
        const size_t k = transposed ? step : n - 1 - step;
        double product = y[k];
        for (size_t i = k + 1; i < n; i++) {
            product += qr_number(p, QR_A, k * n + i) * y[i];
        }
        product *= qr_number(p, QR_TAU, k);
        y[k] -= product;
        for (size_t i = k + 1; i < n; i++) {
            y[i] -= qr_number(p, QR_A, k * n + i) * product;
        }
    }
}

/* |A x - Q R x|^2, |A|^2 and |Q^T Q x - x|^2 of a vector x of random signs. */
static void qr_squares(const peer *p, size_t vector, double square[3]) {
    const size_t n = (size_t)p->n;
    double *ax = calloc(3 * n, sizeof *ax), *y = ax + n, *x = y + n;
    bench_must(ax != NULL, "no memory to check qr");
    uint64_t number = RANDOM_SEED;
    for (size_t j = 0; j < n; j++) {
        x[j] = bench_noise(vector * n + j) < 0 ? -1 : 1;
        for (size_t i = 0; i < n; i++) {
            number = random_next(number);
            const double a = qr_element(p, number);
            ax[i] += a * x[j];
            square[1] += a * a;
        }
        for (size_t i = 0; i <= j; i++) {
            y[i] += qr_number(p, QR_A, j * n + i) * x[j];
        }
    }
    qr_apply(p, false, y);
    for (size_t i = 0; i < n; i++) {
        square[0] += (ax[i] - y[i]) * (ax[i] - y[i]);
        y[i] = x[i];
    }
    qr_apply(p, false, y);
    qr_apply(p, true, y);
    for (size_t i = 0; i < n; i++) {
        square[2] += (y[i] - x[i]) * (y[i] - x[i]);
    }
    free(ax);
}

/* As psg does: the mean of |E x|^2 is the sum of squares of E. */
static void qr_check(const peer *p) {
    const double unit = p->n * (p->precision == PSG_F32 ? 0x1p-24 : 0x1p-53);
    double square[3] = {0, 0, 0};
#pragma omp parallel for num_threads(p->cpus) schedule(static) reduction(+ : square)
    for (size_t vector = 0; vector < QR_VECTORS; vector++) {
        qr_squares(p, vector, square);
    }
    must_be(p, "residual", sqrt(square[0] / square[1]) / unit);
    must_be(p, "orthogonal", sqrt(square[2] / QR_VECTORS) / unit);
}
/* ------------------------------------------------------------------------------------ measuring */

static const peer_row rows[PEER_PROBLEMS] = {
    [PEER_EP] = {"ep", 0, ep_make, NULL, ep_check},
    [PEER_JACOBI] = {"jacobi", 2, jacobi_make, peer_jacobi_prepare, jacobi_check},
    [PEER_CG] = {"cg", CG_EPS, cg_make, NULL, cg_check},
    [PEER_PCG] = {"pcg", CG_ARRAYS, pcg_make, pcg_prepare, pcg_check},
    [PEER_QR] = {"qr", QR_ARRAYS, qr_make, peer_qr_prepare, qr_check},
};

static void call(void (*step)(peer *p), peer *p) {
    if (step != NULL) {
        step(p);
    }
}

static void leave_peer(void *what) {
    peer *p = what;
    call(p->way->leave, p);
}

static void run_psg(void *what) {
    const peer *p = what;
    bench_must_psg(workload_run(p->work));
}

static double seconds_of_psg(void *what) {
    const peer *p = what;
    psg_run_statistics s;
    bench_must_psg(psg_work_statistics(workload_work(p->work), &s));
    return s.seconds;
}

static void bring(void *what) {
    peer *p = what;
    call(p->way->bring, p);
}

static void run_peer(void *what) {
    peer *p = what;
    p->way->run(p);
}

static void bring_and_run(void *what) {
    bring(what);
    run_peer(what);
}

/* The row of NAME:SIZE, and its way; p->size is its size. */
static void choose(peer *p, const char *name, const peer_ways *ways) {
    const char *colon = strchr(name, ':');
    for (size_t m = 0; m < PEER_PROBLEMS && colon != NULL; m++) {
        if (strlen(rows[m].workload) == (size_t)(colon - name) &&
            strncmp(name, rows[m].workload, (size_t)(colon - name)) == 0) {
            p->row = &rows[m];
            p->way = ways->of[m];
            p->size = colon + 1;
            p->n = atoi(p->size);
        }
    }
    bench_must_or(BENCH_USAGE, p->row != NULL, "%s is no workload with a peer", name);
    bench_must_or(BENCH_NOT_HERE, p->way != NULL,
                  "there is no peer of %s here: on cores qr needs LAPACK, on GPUs cg and qr need "
                  "cuBLAS, cuSPARSE and cuSOLVER, and over processes jacobi alone has one",
                  p->row->workload);
}

static void report(const peer *p, const char *name, const psg_options *options,
                   const bench_job *jobs, size_t count) {
    printf("%s: %s on %d cores and %d GPUs; peer: %s", name, workload_about(p->work), options->cpus,
           options->gpus, p->way->about);
    printf(p->steps > 0 ? ", %d steps\n" : "\n", p->steps);
    for (size_t j = 0; j < count; j++) {
        const bench_times *t = &jobs[j].times;
        printf("  %-5s %.4g s median, %.4g s minimum, %.4g to %.4g s the middle half\n",
               jobs[j].name, t->median, t->min, t->q1, t->q3);
    }
    for (size_t j = 1; j < count; j++) {
        printf("  the time of the %s over psg's: %.3g by medians, %.3g by minima\n", jobs[j].name,
               jobs[j].times.median / jobs[0].times.median, jobs[j].times.min / jobs[0].times.min);
    }
    fflush(stdout);
}

static void measure(peer *p, const char *name, const workload_options *how,
                    const psg_options *options, const bench_settings *settings) {
    bench_job jobs[] = {
        {.name = "psg", .what = p, .load = leave_peer, .run = run_psg, .seconds = seconds_of_psg},
        {.name = "peer", .what = p, .load = bring, .run = run_peer},
        {.name = "peer, with the copy of its input", .what = p, .run = bring_and_run}};
    bench_must_psg(workload_create(&p->work, name, how, options));
    p->row->make(p);
    for (int a = 0; a < p->row->arrays; a++) {
        p->array[a] = bench_array(p->points * p->real_bytes);
    }
    call(p->row->prepare, p);
    call(p->way->open, p);
    const size_t count = options->gpus > 0 && p->way->bring != NULL ? 3 : 2;
    bench_interleave(jobs, count, settings);
    call(p->way->fetch, p);
    bench_must_psg(workload_check(p->work));
    bench_must_psg(workload_answers(p->work, p->known, PEER_ANSWERS, &p->known_count));
    p->row->check(p);
    if (bench_processes.rank == 0) {
        report(p, name, options, jobs, count);
    }
    call(p->way->close, p);
    workload_destroy(p->work);
    for (int a = 0; a < p->row->arrays; a++) {
        free(p->array[a]);
    }
    cg_matrix_free(&p->matrix);
}

int bench_workload(int argc, char **argv, const void *what) {
    const peer_ways *ways = what;
    psg_options options;
    workload_options how = {.tile = 0};
    bench_settings settings = {.repeat = 9, .warm_up = 1, .seed = 1, .turn = 0.2, .rest = 0.1};
    int cpus = bench_cores(), gpus = ways->gpus, tile = 0, by_path = 0;
    psg_options_init(&options);

    const bench_option table[] = {{"cpus", BENCH_NUMBER, &cpus, NULL},
                                  {"gpus", BENCH_NUMBER, &gpus, NULL},
                                  {"tile", BENCH_NUMBER, &tile, NULL},
                                  {"priority", BENCH_FLAG, &by_path, NULL},
                                  {"policy", BENCH_SOLVER, &options, "policy"},
                                  {"precision", BENCH_SOLVER, &options, "precision"},
                                  {NULL, BENCH_FLAG, NULL, NULL}};
    const int first = bench_arguments(argc, argv, table, "NAME:SIZE ...", &settings);
    if (ways->processes) {
        bench_processes_start(&argc, &argv, 1);
        options.comm = bench_processes.comm;
    }
    options.cpus = cpus;
    options.gpus = gpus;
    how.tile = (size_t)tile;
    how.priority = by_path ? WORKLOAD_PATH : WORKLOAD_EQUAL;
    for (int operand = first; operand < argc; operand++) {
        const int f32 = options.precision == PSG_F32;
        peer p = {.cpus = cpus > 0 ? cpus : bench_cores(),
                  .precision = options.precision,
                  .real_bytes = f32 ? sizeof(float) : sizeof(double)};
        choose(&p, argv[operand], ways);
        if (ways->start != NULL) {
            ways->start();
        }
        measure(&p, argv[operand], &how, &options, &settings);
    }
    bench_processes_end();
    return 0;
}
