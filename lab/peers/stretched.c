/* A stretched z between Neumann sides on cores: psg beside FFTW along x and y with Thomas'
 * algorithm along z, in turns, and psg's periodic solve of as many points.
 *
 *   bench_cores stretched [--cpus N] [--precision f32] [--stretch S] N|NXxNYxNZ ...
 *
 * By hand is what a careful user writes: real transforms of each plane, then each row of columns
 * down and up with a work array of its own, so that all columns of the row are side by side in a
 * vector. The column of mode 0 has no solution of its own: its last u is 0. --cpus: psg's workers,
 * and threads of FFTW and of the columns; default 1. --stretch: of faces tanh(S s); default 2; 0:
 * uniform. A line for each grid: ms of all three, both ratios, and the largest difference of u,
 * without its mean, over the largest u. */
#include "lab/peers/fft.h"

#include <fftw3.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct problem {
    size_t n[3], points, row; /**< complex numbers of a row of the spectrum */
    int threads, f32;
    double *faces;                 /**< [nz + 1] */
    double *below, *above, *along; /**< [nz], [nz] of the matrix; [ny + row] of eigenvalues */
    void *f, *u, *hand_u, *spectrum;
    void *work; /**< [threads][nz][row] */
    psg_plan *stretched, *periodic;
    fftw_plan planes[2];
    fftwf_plan planes_f32[2];
} problem;

/* One row of columns [nz][row], each `plane` numbers after the one before. */
#define DEFINE_COLUMNS(real)                                                                       \
    static BENCH_CLONES void columns_##real(const problem *p, real *mode, real *work, double y) {  \
        const size_t nz = p->n[2], row = p->row, plane = 2 * row * p->n[1];                        \
        const double scale = 1 / ((double)p->n[0] * (double)p->n[1]);                              \
        for (size_t k = 0; k < nz; k++) {                                                          \
            const real a = (real)p->below[k], c = (real)p->above[k];                               \
            const real *before = mode + k * plane - (k > 0 ? plane : 0);                           \
            real *here = mode + k * plane, *pivot = work + k * row;                                \
            const real *pivots = k > 0 ? pivot - row : pivot;                                      \
            for (size_t i = 0; i < row; i++) {                                                     \
                const real x = (real)(p->along[i] + y);                                            \
                const real b = -a - c - x - (k > 0 ? a * pivots[i] : 0);                           \
                const real over = b != 0 ? 1 / b : 0;                                              \
                pivot[i] = c * over;                                                               \
                for (int part = 0; part < 2; part++) {                                             \
                    const real low = k > 0 ? a * before[2 * i + (size_t)part] : 0;                 \
                    here[2 * i + (size_t)part] =                                                   \
                        ((real)scale * here[2 * i + (size_t)part] - low) * over;                   \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        for (size_t k = nz - 1; k-- > 0;) {                                                        \
            real *here = mode + k * plane;                                                         \
            const real *pivot = work + k * row;                                                    \
            for (size_t i = 0; i < row; i++) {                                                     \
                here[2 * i] -= pivot[i] * here[plane + 2 * i];                                     \
                here[2 * i + 1] -= pivot[i] * here[plane + 2 * i + 1];                             \
            }                                                                                      \
        }                                                                                          \
    }
DEFINE_COLUMNS(double)
DEFINE_COLUMNS(float)

static void all_columns(const problem *p) {
    const size_t size = p->row * p->n[2];
#pragma omp parallel num_threads(p->threads)
    {
        const size_t own = (size_t)omp_get_thread_num() * size;
#pragma omp for schedule(static)
        for (size_t j = 0; j < p->n[1]; j++) {
            const double y = p->along[p->row + j];
            if (p->f32) {
                columns_float(p, (float *)p->spectrum + 2 * j * p->row, (float *)p->work + own, y);
            } else {
                columns_double(p, (double *)p->spectrum + 2 * j * p->row, (double *)p->work + own,
                               y);
            }
        }
    }
}

static void by_hand(void *what) {
    const problem *p = what;
    if (p->f32) {
        fftwf_execute(p->planes_f32[0]);
        all_columns(p);
        fftwf_execute(p->planes_f32[1]);
    } else {
        fftw_execute(p->planes[0]);
        all_columns(p);
        fftw_execute(p->planes[1]);
    }
}

static void by_psg(void *what) {
    const problem *p = what;
    bench_must_psg(psg_solve(p->stretched, p->f, p->u));
}

static void by_psg_periodic(void *what) {
    const problem *p = what;
    bench_must_psg(psg_solve(p->periodic, p->f, p->u));
}

#define DEFINE_PLANS(name, fftw)                                                                   \
    static void name(problem *p, fftw##_plan both[2]) {                                            \
        const int sizes[2] = {(int)p->n[1], (int)p->n[0]}, nz = (int)p->n[2];                      \
        const int modes = (int)(p->row * p->n[1]), plane = sizes[0] * sizes[1];                    \
        fftw##_plan_with_nthreads(p->threads);                                                     \
        both[0] = fftw##_plan_many_dft_r2c(2, sizes, nz, p->f, NULL, 1, plane, p->spectrum, NULL,  \
                                           1, modes, FFTW_MEASURE | FFTW_PRESERVE_INPUT);          \
        both[1] = fftw##_plan_many_dft_c2r(2, sizes, nz, p->spectrum, NULL, 1, modes, p->hand_u,   \
                                           NULL, 1, plane, FFTW_MEASURE);                          \
        fftw##_plan_with_nthreads(1);                                                              \
        bench_must(both[0] && both[1], "FFTW has no plan");                                        \
    }
DEFINE_PLANS(plan_f64, fftw)
DEFINE_PLANS(plan_f32, fftwf)

/* The matrix of cells, and eigenvalues of the second difference along x and y. */
static void make_matrix(problem *p, double stretch, const double length[3]) {
    const size_t nz = p->n[2];
    const double pi = 3.14159265358979323846;
    for (size_t k = 0; k <= nz; k++) {
        const double s = 2 * (double)k / (double)nz - 1;
        p->faces[k] = length[2] / 2 * (1 + (stretch > 0 ? tanh(stretch * s) / tanh(stretch) : s));
    }
    for (size_t k = 0; k < nz; k++) {
        const double *z = p->faces + k, width = z[1] - z[0];
        p->below[k] = k > 0 ? 2 / (width * (z[1] - z[-1])) : 0;
        p->above[k] = k + 1 < nz ? 2 / (width * (z[2] - z[0])) : 0;
    }
    for (size_t m = 0; m < p->row + p->n[1]; m++) {
        const int d = m >= p->row;
        const double h = length[d] / (double)p->n[d];
        const double s = 2 / h * sin(pi * (double)(m - (d ? p->row : 0)) / (double)p->n[d]);
        p->along[m] = s * s;
    }
}

static void make_psg(problem *p, const psg_options *options, const double length[3]) {
    psg_grid grid;
    psg_grid_init(&grid, p->n[0], p->n[1], p->n[2], length[0], length[1], length[2]);
    bench_must_psg(psg_plan_create(&p->periodic, &grid, options));
    grid.axis[2].bc[0] = grid.axis[2].bc[1] = PSG_BC_NEUMANN;
    grid.axis[2].faces = p->faces;
    bench_must_psg(psg_plan_create(&p->stretched, &grid, options));
}

/* Of both u without their means, weighted by cells: the largest difference over the largest u. */
static double difference(const problem *p) {
    const psg_precision precision = p->f32 ? PSG_F32 : PSG_F64;
    const size_t plane = p->n[0] * p->n[1];
    double mean = 0, off = 0, most = 0;
    for (size_t m = 0; m < p->points; m++) {
        const double weight = p->faces[m / plane + 1] - p->faces[m / plane];
        mean += weight * (bench_get(p->hand_u, precision, m) - bench_get(p->u, precision, m));
    }
    mean /= (double)plane * (p->faces[p->n[2]] - p->faces[0]);
    for (size_t m = 0; m < p->points; m++) {
        const double u = bench_get(p->u, precision, m);
        const double apart = fabs(bench_get(p->hand_u, precision, m) - mean - u);
        off = apart <= off ? off : apart; /* a NaN stays */
        most = fmax(most, fabs(u));
    }
    return off / most;
}

/* f has the mean 0, weighted by cells: Thomas' algorithm has no answer for another one. */
static void fill(problem *p) {
    const psg_precision precision = p->f32 ? PSG_F32 : PSG_F64;
    const size_t plane = p->n[0] * p->n[1];
    for (size_t k = 0; k < p->n[2]; k++) {
        double mean = 0;
        for (size_t m = 0; m < plane; m++) {
            mean += bench_noise(k * plane + m) / (double)plane;
        }
        for (size_t m = k * plane; m < (k + 1) * plane; m++) {
            bench_put(p->f, precision, m, bench_noise(m) - mean);
        }
    }
}

static void measure(const size_t n[3], const psg_options *options, int threads, double stretch,
                    const bench_settings *settings) {
    const double length[3] = {6, 3, 2};
    problem p = {.n = {n[0], n[1], n[2]},
                 .points = n[0] * n[1] * n[2],
                 .row = n[0] / 2 + 1,
                 .threads = threads,
                 .f32 = options->precision == PSG_F32};
    const size_t bytes = p.f32 ? sizeof(float) : sizeof(double);
    const size_t modes = p.row * n[1] * n[2];
    char why[128];
    if (!bench_fits((double)bytes * (9.0 * (double)p.points), bench_memory(settings), why)) {
        printf("%zux%zux%zu: left out: %s\n", n[0], n[1], n[2], why);
        return;
    }
    void **arrays[] = {(void **)&p.faces,
                       (void **)&p.below,
                       (void **)&p.above,
                       (void **)&p.along,
                       &p.f,
                       &p.u,
                       &p.hand_u,
                       &p.spectrum,
                       &p.work};
    const size_t sizes[] = {(n[2] + 1) * sizeof(double),
                            n[2] * sizeof(double),
                            n[2] * sizeof(double),
                            (p.row + n[1]) * sizeof(double),
                            p.points * bytes,
                            p.points * bytes,
                            p.points * bytes,
                            2 * modes * bytes,
                            (size_t)threads * p.row * n[2] * bytes};
    const size_t count = sizeof sizes / sizeof sizes[0];
    for (size_t m = 0; m < count; m++) {
        *arrays[m] = bench_array(sizes[m]);
    }
    make_matrix(&p, stretch, length);
    if (p.f32) {
        plan_f32(&p, p.planes_f32);
    } else {
        plan_f64(&p, p.planes);
    }
    make_psg(&p, options, length);
    fill(&p);
    bench_job jobs[] = {{.name = "FFTW", .what = &p, .run = by_hand},
                        {.name = "psg", .what = &p, .run = by_psg},
                        {.name = "periodic", .what = &p, .run = by_psg_periodic}};
    bench_interleave(jobs, 3, settings);
    by_psg(&p);
    const double off = difference(&p);
    bench_must(off <= (p.f32 ? 1e-2 : 1e-10), "%zux%zux%zu: u by hand differs by %g", n[0], n[1],
               n[2], off);
    const bench_times *hand = &jobs[0].times, *psg = &jobs[1].times;
    printf("%zux%zux%zu %s %d cores: FFTW and Thomas %.4g ms (%.4g to %.4g), psg %.4g (%.4g to "
           "%.4g), FFTW / psg %.2f, psg / periodic %.2f, difference %.1e\n",
           n[0], n[1], n[2], p.f32 ? "f32" : "f64", threads, 1e3 * hand->median, 1e3 * hand->q1,
           1e3 * hand->q3, 1e3 * psg->median, 1e3 * psg->q1, 1e3 * psg->q3,
           hand->median / psg->median, psg->median / jobs[2].times.median, off);
    for (int m = 0; m < 2; m++) {
        fftw_destroy_plan(p.planes[m]);
        fftwf_destroy_plan(p.planes_f32[m]);
    }
    psg_plan_destroy(p.stretched);
    psg_plan_destroy(p.periodic);
    for (size_t m = 0; m < count; m++) {
        free(*arrays[m]);
    }
}

int bench_stretched(int argc, char **argv, const void *unused) {
    bench_settings settings = {9, 2, 1, 0, 0, 0, 0};
    int threads = 1;
    double stretch = 2;
    psg_options options;
    (void)unused;
    psg_options_init(&options);
    options.tuned = 0;
    options.gpus = 0;
    options.symbol = PSG_SYMBOL_FD2;
    const bench_option list[] = {{"cpus", BENCH_COUNT, &threads, NULL},
                                 {"precision", BENCH_SOLVER, &options, "precision"},
                                 {"stretch", BENCH_REAL, &stretch, NULL},
                                 {NULL, BENCH_FLAG, NULL, NULL}};
    const int first = bench_arguments(argc, argv, list, "N|NXxNYxNZ ...", &settings);
    size_t n[3];
    bench_must_or(BENCH_USAGE, !settings.rows, "--rows: there are none, it is in no study");
    for (int m = first; m < argc; m++) {
        bench_read_grid(argv[m], n);
    }
    options.cpus = threads;
    bench_must(fftw_init_threads() != 0 && fftwf_init_threads() != 0, "FFTW has no threads");
    for (int m = first; m < argc; m++) {
        bench_read_grid(argv[m], n);
        measure(n, &options, threads, stretch, &settings);
    }
    return 0;
}
