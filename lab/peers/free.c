/* Three free axes on cores: psg beside FFTW by hand, in turns. FFTW transforms a grid of twice as
 * many points along each axis, as a careful user does: real transforms, a kernel transformed
 * before, f's planes alone along x and y, and u's planes alone on the way back. The kernel is psg's
 * own u of a charge at a corner, so that both answers are the same, up to rounding.
 *
 *   bench_cores free [--cpus N] [--symbol fd2] N|NXxNYxNZ ...
 *
 * --cpus: psg's workers, and FFTW's threads; default 1. A line for each grid: ms of both, their
 * ratio, and the largest difference of u over the largest u. */
#include "lab/peers/fft.h"

#include <fftw3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct problem {
    size_t n[3], points;
    size_t row;   /**< complex numbers of a row of the spectrum: nx + 1 */
    size_t plane; /**< and of a plane: 2 ny rows */
    int threads;
    psg_plan *plan;
    double *f, *u, *hand_u;
    double *kernel;         /**< [2 nz][2 ny][nx + 1], over the number of points */
    fftw_complex *spectrum; /**< [2 nz][2 ny][nx + 1], and real planes in place */
    fftw_plan planes[2], lines[2];
} problem;

/* Rows of real planes in place have two numbers more than points. */
static double *row_of(const problem *p, size_t y, size_t z) {
    return (double *)(p->spectrum + z * p->plane + y * p->row);
}

static void take(const problem *p, const double *from, size_t from_y, size_t y, size_t z) {
    const size_t nx = p->n[0];
    double *row = row_of(p, y, z);
    memset(row, 0, 2 * p->row * sizeof *row);
    memcpy(row, from + from_y * nx, nx * sizeof *row);
}

static void by_hand(void *what) {
    const problem *p = what;
    const size_t nx = p->n[0], ny = p->n[1], nz = p->n[2];
#pragma omp parallel for num_threads(p->threads)
    for (size_t z = 0; z < 2 * nz; z++) {
        for (size_t y = 0; y < 2 * ny && z < nz; y++) {
            if (y < ny) {
                take(p, p->f + z * nx * ny, y, y, z);
            } else {
                memset(row_of(p, y, z), 0, 2 * p->row * sizeof(double));
            }
        }
        if (z >= nz) {
            memset(p->spectrum + z * p->plane, 0, p->plane * sizeof *p->spectrum);
        }
    }
    fftw_execute(p->planes[0]);
    fftw_execute(p->lines[0]);
#pragma omp parallel for num_threads(p->threads)
    for (size_t z = 0; z < 2 * nz; z++) {
        for (size_t m = z * p->plane; m < (z + 1) * p->plane; m++) {
            p->spectrum[m][0] *= p->kernel[m];
            p->spectrum[m][1] *= p->kernel[m];
        }
    }
    fftw_execute(p->lines[1]);
    fftw_execute(p->planes[1]);
#pragma omp parallel for num_threads(p->threads)
    for (size_t z = 0; z < nz; z++) {
        for (size_t y = 0; y < ny; y++) {
            memcpy(p->hand_u + (z * ny + y) * nx, row_of(p, y, z), nx * sizeof(double));
        }
    }
}

static void by_psg(void *what) {
    const problem *p = what;
    bench_must_psg(psg_solve(p->plan, p->f, p->u));
}

/* Planes of f alone along x and y, all lines along z. */
static void make_plans(problem *p) {
    const int nx = 2 * (int)p->n[0], ny = 2 * (int)p->n[1], nz = 2 * (int)p->n[2];
    const int sizes[2] = {ny, nx}, real[2] = {ny, 2 * (int)p->row}, modes[2] = {ny, (int)p->row};
    const int plane = (int)p->plane, some = nz / 2;
    double *reals = (double *)p->spectrum;
    fftw_complex *s = p->spectrum;
    fftw_plan_with_nthreads(p->threads);
    p->planes[0] = fftw_plan_many_dft_r2c(2, sizes, some, reals, real, 1, 2 * plane, s, modes, 1,
                                          plane, FFTW_MEASURE);
    p->planes[1] = fftw_plan_many_dft_c2r(2, sizes, some, s, modes, 1, plane, reals, real, 1,
                                          2 * plane, FFTW_MEASURE);
    for (int m = 0; m < 2; m++) {
        p->lines[m] = fftw_plan_many_dft(1, &nz, plane, s, NULL, plane, 1, s, NULL, plane, 1,
                                         m == 0 ? FFTW_FORWARD : FFTW_BACKWARD, FFTW_MEASURE);
    }
    bench_must(p->planes[0] && p->planes[1] && p->lines[0] && p->lines[1], "FFTW has no plan");
}

/* The modes of the kernel, which is even along each axis: the octant of u of a charge at point 0,
 * mirrored. What is n points away from a point no other one sees. */
static void make_kernel(problem *p) {
    const size_t nx = p->n[0], ny = p->n[1], nz = p->n[2], modes = 2 * nz * p->plane;
    fftw_complex *s = p->spectrum;
    memset(p->f, 0, p->points * sizeof *p->f);
    p->f[0] = 1;
    bench_must_psg(psg_solve(p->plan, p->f, p->u));
    memset(s, 0, modes * sizeof *s);
    const int sizes[3] = {2 * (int)nz, 2 * (int)ny, 2 * (int)nx};
    fftw_plan all = fftw_plan_dft_r2c(3, sizes, (double *)s, s, FFTW_ESTIMATE);
    bench_must(all != NULL, "FFTW has no plan");
    for (size_t z = 0; z < 2 * nz; z++) {
        for (size_t y = 0; y < 2 * ny; y++) {
            for (size_t x = 0; x < 2 * nx; x++) {
                const size_t far[3] = {x <= nx ? x : 2 * nx - x, y <= ny ? y : 2 * ny - y,
                                       z <= nz ? z : 2 * nz - z};
                row_of(p, y, z)[x] = far[0] < nx && far[1] < ny && far[2] < nz
                                         ? p->u[(far[2] * ny + far[1]) * nx + far[0]]
                                         : 0;
            }
        }
    }
    fftw_execute(all);
    for (size_t m = 0; m < modes; m++) {
        p->kernel[m] = s[m][0] / (8 * (double)p->points);
    }
    fftw_destroy_plan(all);
}

static void measure(const size_t n[3], const psg_options *options, int threads,
                    const bench_settings *settings) {
    problem p = {.n = {n[0], n[1], n[2]},
                 .points = n[0] * n[1] * n[2],
                 .row = n[0] + 1,
                 .plane = 2 * n[1] * (n[0] + 1),
                 .threads = threads};
    const size_t modes = 2 * n[2] * p.plane;
    psg_grid grid;
    char why[128];
    double off = 0;
    double most = 0;
    if (!bench_fits(24.0 * (double)modes + 40.0 * (double)p.points, bench_memory(settings), why)) {
        printf("%zux%zux%zu: left out: %s\n", n[0], n[1], n[2], why);
        return;
    }
    psg_grid_init(&grid, n[0], n[1], n[2], 1, 1, 1);
    for (int d = 0; d < 3; d++) {
        grid.axis[d].bc[0] = grid.axis[d].bc[1] = PSG_BC_FREE;
    }
    bench_must_psg(psg_plan_create(&p.plan, &grid, options));
    p.f = bench_array(p.points * sizeof(double));
    p.u = bench_array(p.points * sizeof(double));
    p.hand_u = bench_array(p.points * sizeof(double));
    p.kernel = bench_array(modes * sizeof(double));
    p.spectrum = bench_array(modes * sizeof *p.spectrum);
    make_plans(&p);
    make_kernel(&p);
    for (size_t m = 0; m < p.points; m++) {
        p.f[m] = bench_noise(m);
    }
    bench_job jobs[] = {{.name = "FFTW", .what = &p, .run = by_hand},
                        {.name = "psg", .what = &p, .run = by_psg}};
    bench_interleave(jobs, 2, settings);
    for (size_t m = 0; m < p.points; m++) {
        off = fmax(off, fabs(p.u[m] - p.hand_u[m]));
        most = fmax(most, fabs(p.u[m]));
    }
    bench_must(off <= 1e-12 * most, "%zux%zux%zu: u by hand differs by %g", n[0], n[1], n[2],
               off / most);
    const bench_times *hand = &jobs[0].times, *psg = &jobs[1].times;
    printf("%zux%zux%zu %d cores: FFTW %.4g ms (%.4g to %.4g), psg %.4g (%.4g to %.4g), FFTW / psg "
           "%.2f, difference %.1e\n",
           n[0], n[1], n[2], threads, 1e3 * hand->median, 1e3 * hand->q1, 1e3 * hand->q3,
           1e3 * psg->median, 1e3 * psg->q1, 1e3 * psg->q3, hand->median / psg->median, off / most);
    for (int m = 0; m < 2; m++) {
        fftw_destroy_plan(p.planes[m]);
        fftw_destroy_plan(p.lines[m]);
    }
    psg_plan_destroy(p.plan);
    free(p.f);
    free(p.u);
    free(p.hand_u);
    free(p.kernel);
    free(p.spectrum);
}

int bench_free(int argc, char **argv, const void *unused) {
    bench_settings settings = {9, 2, 1, 0, 0, 0, 0};
    int threads = 1;
    psg_options options;
    (void)unused;
    psg_options_init(&options);
    options.tuned = 0;
    options.gpus = 0;
    const bench_option list[] = {{"cpus", BENCH_COUNT, &threads, NULL},
                                 {"symbol", BENCH_SOLVER, &options, "symbol"},
                                 {NULL, BENCH_FLAG, NULL, NULL}};
    const int first = bench_arguments(argc, argv, list, "N|NXxNYxNZ ...", &settings);
    size_t n[3];
    bench_must_or(BENCH_USAGE, !settings.rows, "--rows: there are none, it is in no study");
    for (int m = first; m < argc; m++) {
        bench_read_grid(argv[m], n);
    }
    options.cpus = threads;
    bench_must(fftw_init_threads() != 0, "FFTW has no threads");
    for (int m = first; m < argc; m++) {
        bench_read_grid(argv[m], n);
        measure(n, &options, threads, &settings);
    }
    return 0;
}
