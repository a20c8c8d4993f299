/* psg beside FFTW's own MPI transform: the same solve, the same planes, the same processes, in
 * one run, alternately. FFTW's solve is what a careful user writes: MEASURE, transposed out and
 * in, in place or out of place (whichever is faster here), the division with 1/N in it; its
 * arrays, padded as it wants them, are filled outside the measured time. The time of a solve is
 * the longest of all processes, between barriers.
 * mpirun -n 2 bench_cores fftw_mpi [--repeat R] [--cpus N] [--segment-planes N] [--sheets N]
 * [--exchange mpi|alltoall] [--graph fused|staged] [--no-yield] [--rows] GRID ...
 * GRID: N or NXxNYxNZ. --cpus: threads of FFTW and workers of psg in each process. --rows: those of
 * `psg bench --study peers`. */
#include "bench/programs/peer.h"
#include "bench/programs/peers.h"
#include "graph/psg_observe.h"

#include <fftw3-mpi.h>
#include <math.h>
#include <mpi.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

static const char yield_variable[] = "OMPI_MCA_mpi_yield_when_idle";

/* What FFTW works on: planes [planes][ny][2 nxc], and rows of y after its transposition, [rows][nz][nxc]. */
typedef struct peer {
    size_t nxc, y0, rows, allocated;
    double *real;
    fftw_complex *spectrum; /* the same memory as `real` where the transforms are in place */
    fftw_plan forward, inverse;
    int in_place;
} peer;

typedef struct bench {
    bench_settings settings;
    bench_peer peer;
    size_t nx, ny, nz;
    int rank, ranks;
    int cpus;
    psg_options options;
    size_t z0, planes; /* this process' */
    double *f, *u;     /* psg's: [planes][ny][nx] */
    psg_plan *plan;
    peer its;
} bench;

static void must(int ok, const char *what) {
    bench_must(ok, "%s failed", what);
}

/* Whoever ends early takes the others along. */
static void end_all(void) {
    int over = 1;
    if (MPI_Finalized(&over) == MPI_SUCCESS && !over) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void meet(void) {
    must(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS, "MPI_Barrier");
}

static double over_ranks(double value, MPI_Op op) {
    double result = 0;
    must(MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, op, MPI_COMM_WORLD) == MPI_SUCCESS,
         "MPI_Allreduce");
    return result;
}

/* ------------------------------------------------------------------------------------ the division */

static double wavenumber(size_t m, size_t n) {
    return (double)(2 * m > n ? n - m : m);
}

static void divide(const bench *b) {
    const double scale = 1 / ((double)b->nx * (double)b->ny * (double)b->nz);
#pragma omp parallel for num_threads(b->cpus) schedule(static)
    for (size_t j = 0; j < b->its.rows; j++) {
        const double ky = wavenumber(b->its.y0 + j, b->ny);
        for (size_t k = 0; k < b->nz; k++) {
            const double kz = wavenumber(k, b->nz);
            fftw_complex *row = b->its.spectrum + (j * b->nz + k) * b->its.nxc;
            for (size_t i = 0; i < b->its.nxc; i++) {
                const double square = ky * ky + kz * kz + (double)i * (double)i;
                const double factor = square > 0 ? -scale / square : 0;
                row[i][0] *= factor;
                row[i][1] *= factor;
            }
        }
    }
}

/* ----------------------------------------------------------------------------------------- FFTW */

static void fill_fftw(bench *b) {
    for (size_t line = 0; line < b->planes * b->ny; line++) {
        memcpy(b->its.real + line * 2 * b->its.nxc, b->f + line * b->nx, b->nx * sizeof *b->f);
    }
}

static double solve_fftw(bench *b) {
    fill_fftw(b);
    meet();
    const double t0 = bench_now();
    fftw_execute(b->its.forward);
    divide(b);
    fftw_execute(b->its.inverse);
    return over_ranks(bench_now() - t0, MPI_MAX);
}

static void plan_fftw(bench *b, int in_place) {
    const unsigned flags = FFTW_MEASURE | FFTW_DESTROY_INPUT;
    const ptrdiff_t nx = (ptrdiff_t)b->nx, ny = (ptrdiff_t)b->ny, nz = (ptrdiff_t)b->nz;
    b->its.in_place = in_place;
    b->its.spectrum = in_place ? (fftw_complex *)b->its.real
                               : bench_array(b->its.allocated * sizeof *b->its.spectrum);
    b->its.forward = fftw_mpi_plan_dft_r2c_3d(nz, ny, nx, b->its.real, b->its.spectrum,
                                              MPI_COMM_WORLD, flags | FFTW_MPI_TRANSPOSED_OUT);
    b->its.inverse = fftw_mpi_plan_dft_c2r_3d(nz, ny, nx, b->its.spectrum, b->its.real,
                                              MPI_COMM_WORLD, flags | FFTW_MPI_TRANSPOSED_IN);
    must(b->its.forward != NULL && b->its.inverse != NULL, "FFTW's planner");
}

static void release_transforms(bench *b) {
    fftw_destroy_plan(b->its.forward);
    fftw_destroy_plan(b->its.inverse);
    if (!b->its.in_place) {
        free(b->its.spectrum);
    }
}

/* Plans for the faster of in place and out of place. */
static void prepare_fftw(bench *b) {
    double best[2] = {INFINITY, INFINITY};
    ptrdiff_t planes, z0, rows, y0;
    const ptrdiff_t size =
        fftw_mpi_local_size_3d_transposed((ptrdiff_t)b->nz, (ptrdiff_t)b->ny, (ptrdiff_t)b->its.nxc,
                                          MPI_COMM_WORLD, &planes, &z0, &rows, &y0);
    must((size_t)planes == b->planes && (planes == 0 || (size_t)z0 == b->z0),
         "a grid on which FFTW's processes own the same planes as psg's");
    b->its.rows = (size_t)rows;
    b->its.y0 = (size_t)y0;
    b->its.allocated = (size_t)size;
    b->its.real = bench_array(b->its.allocated * sizeof(fftw_complex));
    for (int in_place = 0; in_place < 2; in_place++) {
        plan_fftw(b, in_place);
        for (int r = 0; r < 5; r++) {
            best[in_place] = fmin(best[in_place], solve_fftw(b));
        }
        release_transforms(b);
    }
    plan_fftw(b, best[1] < best[0]);
}

/* ------------------------------------------------------------------------------------------ psg */

static void prepare_psg(bench *b) {
    const double length = 6.283185307179586;
    psg_grid grid;
    psg_grid_init(&grid, b->nx, b->ny, b->nz, length, length, length);
    const MPI_Comm comm = MPI_COMM_WORLD;
    b->options.comm = &comm;
    const psg_status status = psg_plan_create(&b->plan, &grid, &b->options);
    b->options.comm = NULL;
    must(status == PSG_OK, psg_last_error());
    size_t z0, planes;
    must(psg_plan_local_extent(b->plan, &z0, &planes) == PSG_OK, "psg_plan_local_extent");
    must(planes == b->planes && (planes == 0 || z0 == b->z0), "psg's own rule for its planes");
}

static double solve_psg(bench *b) {
    meet();
    const double t0 = bench_now();
    const psg_status status = psg_solve(b->plan, b->f, b->u);
    const double seconds = bench_now() - t0;
    must(status == PSG_OK, psg_last_error());
    return over_ranks(seconds, MPI_MAX);
}

/* The first solves of both: one u. */
static void compare(bench *b) {
    double largest = 0, apart = 0;
    (void)solve_fftw(b);
    (void)solve_psg(b);
    for (size_t line = 0; line < b->planes * b->ny; line++) {
        const double *theirs = b->its.real + line * 2 * b->its.nxc;
        const double *ours = b->u + line * b->nx;
        for (size_t i = 0; i < b->nx; i++) {
            const double difference = fabs(theirs[i] - ours[i]);
            apart = isnan(difference) ? INFINITY : fmax(apart, difference);
            largest = fmax(largest, fabs(theirs[i]));
        }
    }
    largest = over_ranks(largest, MPI_MAX);
    apart = over_ranks(apart, MPI_MAX);
    b->peer.difference = largest > 0 ? apart / largest : apart;
    must(b->settings.rows || bench_peer_agrees(&b->peer), "comparing FFTW's u and psg's");
}

/* ----------------------------------------------------------------------------------------- runs */

static double run_fftw(void *what, unsigned calls) {
    double seconds = 0;
    for (unsigned call = 0; call < calls; call++) {
        seconds += solve_fftw(what);
    }
    return seconds;
}

static double run_psg(void *what, unsigned calls) {
    double seconds = 0;
    for (unsigned call = 0; call < calls; call++) {
        seconds += solve_psg(what);
    }
    return seconds;
}

static void say(const bench *b) {
    const bench_peer *p = &b->peer;
    printf("%zux%zux%zu on %d processes of %d, %s=%s: FFTW %.3f ms (%s place)  psg %.3f ms (%zu x "
           "%zu)  FFTW / psg %.2f (of the least %.2f)  difference %.1e\n",
           b->nx, b->ny, b->nz, b->ranks, b->cpus, yield_variable, getenv(yield_variable),
           1e3 * p->theirs.median, b->its.in_place ? "in" : "out of", 1e3 * p->ours.median,
           p->statistics.segments, p->statistics.sheets, p->theirs.median / p->ours.median,
           p->theirs.min / p->ours.min, p->difference);
    fflush(stdout);
}

/* f, u, FFTW's arrays, psg's spectrum and scratch, of all processes of this machine. */
static int has_memory(bench *b) {
    char why[128];
    const double bytes = 8.0 * sizeof(double) * (double)b->nx * (double)b->ny * (double)b->nz;
    const int fits = bench_fits(bytes, over_ranks(bench_memory(&b->settings), MPI_MIN), why);
    if (!fits && b->rank == 0) {
        bench_peer_left_out(&b->peer, &b->settings, why);
    }
    return fits;
}

static void measure(bench *b) {
    b->its.nxc = b->nx / 2 + 1;
    if (!has_memory(b)) {
        return;
    }
    must(psg_local_extent(b->nz, b->ranks, b->rank, &b->z0, &b->planes) == PSG_OK,
         "psg_local_extent");
    const size_t points = b->planes * b->ny * b->nx;
    b->f = bench_array(points * sizeof *b->f);
    b->u = bench_array(points * sizeof *b->u);
    for (size_t m = 0; m < points; m++) {
        b->f[m] = bench_noise(b->z0 * b->ny * b->nx + m);
    }
    prepare_fftw(b);
    prepare_psg(b);
    compare(b);
    /* all processes draw the same order from the same seed */
    bench_job jobs[] = {{.run = run_fftw, .what = b}, {.run = run_psg, .what = b}};
    bench_interleave(jobs, 2, &b->settings, 0);
    b->peer.theirs = jobs[0].times;
    b->peer.ours = jobs[1].times;
    must(psg_plan_statistics(b->plan, &b->peer.statistics) == PSG_OK, "psg_plan_statistics");
    if (b->rank == 0 && b->settings.rows) {
        bench_peer_row(&b->peer, &b->settings, NULL);
    } else if (b->rank == 0) {
        say(b);
    }
    release_transforms(b);
    free(b->its.real);
    psg_plan_destroy(b->plan);
    b->plan = NULL;
    free(b->f);
    free(b->u);
}

/* @return the place of the first grid in argv */
static int read_options(bench *b, int argc, char **argv) {
    int no_yield = 0;
    const bench_option options[] = {{"cpus", BENCH_COUNT, &b->cpus, NULL},
                                    {"graph", BENCH_SOLVER, &b->options, "graph"},
                                    {"segment-planes", BENCH_SOLVER, &b->options, "segment_planes"},
                                    {"sheets", BENCH_SOLVER, &b->options, "sheets"},
                                    {"exchange", BENCH_SOLVER, &b->options, "exchange"},
                                    {"no-yield", BENCH_FLAG, &no_yield, NULL},
                                    {NULL, BENCH_FLAG, NULL, NULL}};
    const int first = bench_arguments(argc, argv, options, "N|NXxNYxNZ ...", &b->settings);
    b->options.cpus = b->cpus;
    /* Open MPI reads it in MPI_Init: more threads than cores have to give way to each other. */
    (void)setenv(yield_variable, no_yield ? "0" : "1", no_yield);
    return first;
}

int bench_fftw_mpi(int argc, char **argv) {
    bench *b = calloc(1, sizeof *b);
    int level = 0;
    bench_must(b != NULL, "no memory");
    b->cpus = 1;
    b->settings = (bench_settings){.repeat = 15, .warm_up = 2, .seed = 1};
    psg_options_init(&b->options);
    b->options.tuned = 0; /* the default is the default */
    b->options.gpus = 0;
    const int first = read_options(b, argc, argv);
    bench_must(b->cpus <= BENCH_THREADS_MOST, "--cpus %d: more than %d", b->cpus,
               BENCH_THREADS_MOST);
    must(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level) == MPI_SUCCESS &&
             level == MPI_THREAD_MULTIPLE && atexit(end_all) == 0,
         "MPI_Init_thread");
    must(MPI_Comm_rank(MPI_COMM_WORLD, &b->rank) == MPI_SUCCESS &&
             MPI_Comm_size(MPI_COMM_WORLD, &b->ranks) == MPI_SUCCESS,
         "MPI_Comm_rank");
    b->peer =
        (bench_peer){.name = "fftw_mpi", .ranks = b->ranks, .threads = b->cpus, .gpu_model = ""};
    must(fftw_init_threads() != 0, "fftw_init_threads");
    fftw_mpi_init();
    if (b->rank == 0 && b->settings.rows) {
        bench_peer_begin(BENCH_PEERS_COLUMNS);
    }
    for (int m = first; m < argc; m++) {
        fftw_plan_with_nthreads(b->cpus);
        omp_set_num_threads(b->cpus); /* of FFTW's regions, which name no number */
        bench_read_grid(argv[m], b->peer.n);
        b->nx = b->peer.n[0];
        b->ny = b->peer.n[1];
        b->nz = b->peer.n[2];
        measure(b);
    }
    fftw_mpi_cleanup();
    free(b);
    return MPI_Finalize() == MPI_SUCCESS ? 0 : 1;
}
