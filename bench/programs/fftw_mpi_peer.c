/* psg beside FFTW's own MPI transform: the same solve, the same planes, the same processes, in
 * one run, alternately. FFTW's solve is what a careful user writes: MEASURE, transposed out and
 * in, in place or out of place (whichever is faster here), the division with 1/N in it; its
 * arrays, padded as it wants them, are filled outside the measured time. The time of a solve is
 * the longest of all processes, between barriers.
 * mpirun -n 2 bench_fftw_mpi_peer [--repeat R] [--cpus N] [--segment-planes N] [--pencils N]
 * [--exchange mpi|alltoall] [--graph fused|staged] [--only fftw|psg] [--no-yield] [--csv FILE]
 * [--rows] GRID ...
 * GRID: N or NXxNYxNZ. --cpus: threads of FFTW and workers of psg in each process. --csv: append
 * the times of all parts to FILE. --rows: those of `psg bench --study peers`. */
#include "bench/programs/cores.h"
#include "bench/programs/peer.h"
#include "graph/psg_machine.h"
#include "graph/psg_observe.h"

#include <fftw3-mpi.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_REPEAT = 201 };
enum { FORWARD, DIVIDE, INVERSE, FFTW_PARTS };
static const char *const part_name[FFTW_PARTS] = {"forward", "divide", "inverse"};
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
    bench_csv peers, parts;
    int has_parts;
    size_t nx, ny, nz;
    int rank, ranks;
    int cpus;
    int repeat;
    int fftw, psg; /* which of them to run */
    psg_options options;
    size_t z0, planes; /* this process' */
    double *f, *u;     /* psg's: [planes][ny][nx] */
    psg_plan *plan;
    peer its;
    int solved_fftw, solved_psg; /* solves, less those to warm up */
    double part[FFTW_PARTS][MAX_REPEAT];
    double stage[PSG_STAGE_COUNT][MAX_REPEAT];
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

/* ------------------------------------------------------------------------------------- lines */

static void say(bench *b, const char *solver, const char *part, const char *over, bench_times t) {
    if (b->rank != 0 || b->settings.rows) {
        return;
    }
    const double ms[5] = {1e3 * t.median, 1e3 * t.min, 1e3 * t.q1, 1e3 * t.q3, 1e3 * t.max};
    printf("  %-5s %-13s %-4s %10.3f ms  (least %.3f, quarters %.3f %.3f, most %.3f)\n", solver,
           part, over, ms[0], ms[1], ms[2], ms[3], ms[4]);
    fflush(stdout);
    if (b->has_parts) {
        psg_statistics p = {0};
        char grid[80];
        if (b->plan != NULL) {
            (void)psg_plan_statistics(b->plan, &p);
        }
        snprintf(grid, sizeof grid, "%zux%zux%zu", b->nx, b->ny, b->nz);
        bench_put_text(&b->parts, grid);
        bench_put_number(&b->parts, b->ranks);
        bench_put_number(&b->parts, b->cpus);
        bench_put_text(&b->parts, getenv(yield_variable));
        bench_put_text(&b->parts, p.exchange == PSG_EXCHANGE_ALLTOALL ? "alltoall" : "mpi");
        bench_put_text(&b->parts, b->options.graph == PSG_GRAPH_STAGED ? "staged" : "fused");
        bench_put_number(&b->parts, (double)p.segments);
        bench_put_number(&b->parts, (double)p.pencils);
        bench_put_number(&b->parts, (double)p.segment_planes);
        bench_put_number(&b->parts, b->repeat);
        bench_put_text(&b->parts, solver);
        bench_put_text(&b->parts, part);
        bench_put_text(&b->parts, over);
        for (int m = 0; m < 5; m++) {
            bench_put_number(&b->parts, ms[m]);
        }
    }
}

/* Where and when, at the head of what is printed and of a new CSV file. */
static void say_machine(bench *b, const char *csv) {
    char model[128] = "unknown";
    char line[256];
    char note[512];
    char date[32] = "";
    const time_t t = time(NULL);
    struct tm day;
    if (b->rank != 0) {
        return;
    }
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "model name : %127[^\n]", model) == 1) {
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    if (localtime_r(&t, &day) != NULL) {
        strftime(date, sizeof date, "%Y-%m-%d", &day);
    }
    printf("%s, %s, %d cores, %d processes of %d, %s=%s\n", date, model, bench_cores(), b->ranks,
           b->cpus, yield_variable, getenv(yield_variable));
    if (csv != NULL) {
        snprintf(note, sizeof note, "# %s, %s, %d cores, %s, FFTW %s; milliseconds", date, model,
                 bench_cores(), psg_component_version(PSG_COMPONENT_MPI), fftw_version);
        bench_csv_open(
            &b->parts, csv, note,
            "grid,ranks,cpus,yield,exchange,graph,segments,pencils,segment_planes,repeat,"
            "solver,part,over_ranks,median,least,quarter,three_quarters,most");
        b->has_parts = 1;
    }
}

/* ----------------------------------------------------------------------------------------- FFTW */

static void fill_fftw(bench *b) {
    for (size_t line = 0; line < b->planes * b->ny; line++) {
        memcpy(b->its.real + line * 2 * b->its.nxc, b->f + line * b->nx, b->nx * sizeof *b->f);
    }
}

/* @param[out] part  seconds of each part in this process */
static double solve_fftw(bench *b, double *part) {
    fill_fftw(b);
    meet();
    const double t0 = bench_now();
    fftw_execute(b->its.forward);
    const double t1 = bench_now();
    bench_divide((double *)b->its.spectrum, b->its.nxc, b->nz, b->ny, b->its.y0, b->its.rows,
                 1 / ((double)b->nx * (double)b->ny * (double)b->nz), b->cpus);
    const double t2 = bench_now();
    fftw_execute(b->its.inverse);
    const double t3 = bench_now();
    part[FORWARD] = t1 - t0;
    part[DIVIDE] = t2 - t1;
    part[INVERSE] = t3 - t2;
    return over_ranks(t3 - t0, MPI_MAX);
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
    double part[FFTW_PARTS];
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
            best[in_place] = fmin(best[in_place], solve_fftw(b, part));
        }
        release_transforms(b);
    }
    plan_fftw(b, best[1] < best[0]);
    if (b->rank == 0 && !b->settings.rows) {
        printf("  FFTW in place %.3f ms, out of place %.3f ms (least of 5): %s place taken\n",
               1e3 * best[1], 1e3 * best[0], b->its.in_place ? "in" : "out of");
    }
}

/* What moves the spectrum once, alone: FFTW's transposition, and MPI_Alltoall of as many bytes. */
static void measure_transposition(bench *b) {
    double fftw[MAX_REPEAT], mpi[MAX_REPEAT];
    const size_t most = (size_t)over_ranks(2.0 * (double)b->its.allocated, MPI_MAX);
    const size_t block = (most + (size_t)b->ranks - 1) / (size_t)b->ranks;
    const size_t numbers = block * (size_t)b->ranks;
    double *in = bench_array(numbers * sizeof *in);
    double *out = bench_array(numbers * sizeof *out);
    fftw_plan transpose = fftw_mpi_plan_many_transpose(
        (ptrdiff_t)b->nz, (ptrdiff_t)b->ny, (ptrdiff_t)(2 * b->its.nxc), FFTW_MPI_DEFAULT_BLOCK,
        FFTW_MPI_DEFAULT_BLOCK, in, out, MPI_COMM_WORLD, FFTW_MEASURE | FFTW_DESTROY_INPUT);
    must(transpose != NULL, "FFTW's planner");
    for (int r = -b->settings.warm_up; r < b->repeat; r++) {
        meet();
        const double t0 = bench_now();
        fftw_execute(transpose);
        const double t1 = over_ranks(bench_now() - t0, MPI_MAX);
        meet();
        const double t2 = bench_now();
        must(MPI_Alltoall(in, (int)block, MPI_DOUBLE, out, (int)block, MPI_DOUBLE,
                          MPI_COMM_WORLD) == MPI_SUCCESS,
             "MPI_Alltoall");
        const double t3 = over_ranks(bench_now() - t2, MPI_MAX);
        if (r >= 0) {
            fftw[r] = t1;
            mpi[r] = t3;
        }
    }
    say(b, "fftw", "transpose", "max", bench_quartiles(fftw, b->repeat));
    say(b, "mpi", "alltoall", "max", bench_quartiles(mpi, b->repeat));
    fftw_destroy_plan(transpose);
    free(in);
    free(out);
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
    double part[FFTW_PARTS];
    double largest = 0, apart = 0;
    (void)solve_fftw(b, part);
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
    if (b->rank == 0 && !b->settings.rows) {
        printf("  u of both: %.1e apart, of max|u|\n", b->peer.difference);
    }
    must(b->settings.rows || bench_peer_agrees(&b->peer), "comparing FFTW's u and psg's");
}

static void say_stages(bench *b) {
    psg_statistics s;
    must(psg_plan_statistics(b->plan, &s) == PSG_OK, "psg_plan_statistics");
    for (int m = 0; m < PSG_STAGE_COUNT; m++) {
        double most[MAX_REPEAT], mean[MAX_REPEAT];
        for (int r = 0; r < b->repeat; r++) {
            most[r] = over_ranks(b->stage[m][r], MPI_MAX);
            mean[r] = over_ranks(b->stage[m][r], MPI_SUM) / b->ranks;
        }
        const double tasks = over_ranks((double)s.stage[m].tasks, MPI_SUM);
        if (tasks > 0) {
            say(b, "psg", psg_stage_name((psg_stage)m), "max", bench_quartiles(most, b->repeat));
            say(b, "psg", psg_stage_name((psg_stage)m), "mean", bench_quartiles(mean, b->repeat));
        }
        if (tasks > 0 && b->rank == 0) {
            printf("        %.0f tasks or messages, all processes\n", tasks);
        }
    }
    const double sent = over_ranks((double)s.link[PSG_LINK_MESSAGE].bytes, MPI_SUM);
    const double sent_most = over_ranks((double)s.link[PSG_LINK_MESSAGE].bytes, MPI_MAX);
    if (b->rank == 0) {
        printf("  psg sent %.3f MB a solve, at most %.3f MB from one process; spectrum %.1f MB, "
               "scratch %.1f MB in process 0\n",
               1e-6 * sent, 1e-6 * sent_most, 1e-6 * (double)s.spectrum_bytes,
               1e-6 * (double)s.scratch_bytes);
    }
}

/* ----------------------------------------------------------------------------------------- runs */

static double run_fftw(void *what, unsigned calls) {
    bench *b = what;
    double part[FFTW_PARTS], seconds = 0;
    for (unsigned call = 0; call < calls; call++) {
        seconds += solve_fftw(b, part);
    }
    const int r = b->solved_fftw++;
    for (int p = 0; p < FFTW_PARTS && r >= 0; p++) {
        b->part[p][r] = over_ranks(part[p], MPI_MAX);
    }
    return seconds;
}

static double run_psg(void *what, unsigned calls) {
    bench *b = what;
    psg_statistics s;
    double seconds = 0;
    for (unsigned call = 0; call < calls; call++) {
        seconds += solve_psg(b);
    }
    const int r = b->solved_psg++;
    must(psg_plan_statistics(b->plan, &s) == PSG_OK, "psg_plan_statistics");
    for (int m = 0; m < PSG_STAGE_COUNT && r >= 0; m++) {
        b->stage[m][r] = s.stage[m].seconds;
    }
    return seconds;
}

/* All processes draw the same order from the same seed. */
static void run_solves(bench *b) {
    bench_job jobs[2];
    size_t count = 0;
    b->solved_fftw = b->solved_psg = -b->settings.warm_up;
    if (b->fftw) {
        jobs[count++] = (bench_job){.run = run_fftw, .what = b};
    }
    if (b->psg) {
        jobs[count++] = (bench_job){.run = run_psg, .what = b};
    }
    bench_interleave(jobs, count, &b->settings, 0);
    b->peer.theirs = jobs[0].times;
    b->peer.ours = jobs[count - 1].times;
}

static void report(bench *b) {
    const bench_times *theirs = &b->peer.theirs, *ours = &b->peer.ours;
    if (b->fftw) {
        say(b, "fftw", "solve", "max", *theirs);
        for (int p = 0; p < FFTW_PARTS; p++) {
            say(b, "fftw", part_name[p], "max", bench_quartiles(b->part[p], b->repeat));
        }
        measure_transposition(b);
    }
    if (b->psg) {
        const psg_statistics *s = &b->peer.statistics;
        say(b, "psg", "solve", "max", *ours);
        say_stages(b);
        if (b->rank == 0) {
            printf("  psg: %zu segments of up to %zu planes x %zu pencils\n", s->segments,
                   s->segment_planes, s->pencils);
        }
    }
    if (b->fftw && b->psg && b->rank == 0) {
        printf("%zux%zux%zu  FFTW %.3f ms  psg %.3f ms  FFTW/psg %.2f (of the least %.2f)\n", b->nx,
               b->ny, b->nz, 1e3 * theirs->median, 1e3 * ours->median,
               theirs->median / ours->median, theirs->min / ours->min);
    }
    fflush(stdout);
}

/* f, u, FFTW's arrays, psg's spectrum and scratch, of all processes of this machine. */
static int has_memory(bench *b) {
    char why[128];
    const double bytes = 8.0 * sizeof(double) * (double)b->nx * (double)b->ny * (double)b->nz;
    const int fits = bench_fits(bytes, over_ranks(bench_memory(&b->settings), MPI_MIN), why);
    if (!fits && b->rank == 0) {
        if (b->settings.rows) {
            bench_peer_row(&b->peers, &b->peer, &b->settings, why);
        } else {
            printf("%zux%zux%zu %s\n", b->nx, b->ny, b->nz, why);
        }
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
    if (b->rank == 0 && !b->settings.rows) {
        printf("%zux%zux%zu on %d processes\n", b->nx, b->ny, b->nz, b->ranks);
    }
    if (b->fftw) {
        prepare_fftw(b);
    }
    if (b->psg) {
        prepare_psg(b);
    }
    if (b->fftw && b->psg) {
        compare(b);
    }
    run_solves(b);
    if (b->psg) {
        must(psg_plan_statistics(b->plan, &b->peer.statistics) == PSG_OK, "psg_plan_statistics");
    }
    if (!b->settings.rows) {
        report(b);
    } else if (b->rank == 0) {
        bench_peer_row(&b->peers, &b->peer, &b->settings, NULL);
    }
    if (b->fftw) {
        release_transforms(b);
        free(b->its.real);
    }
    psg_plan_destroy(b->plan);
    b->plan = NULL;
    free(b->f);
    free(b->u);
}

/* @return the place of the first grid in argv */
static int read_options(bench *b, int argc, char **argv, const char **csv) {
    static const bench_word graphs[] = {
        {"fused", PSG_GRAPH_FUSED}, {"staged", PSG_GRAPH_STAGED}, {NULL, 0}};
    static const bench_word exchanges[] = {
        {"mpi", PSG_EXCHANGE_MPI}, {"alltoall", PSG_EXCHANGE_ALLTOALL}, {NULL, 0}};
    static const bench_word solvers[] = {{"fftw", 1}, {"psg", 2}, {NULL, 0}};
    int graph = PSG_GRAPH_FUSED, exchange = PSG_EXCHANGE_AUTO, only = 0, no_yield = 0;
    const bench_option options[] = {
        {"cpus", BENCH_COUNT, &b->cpus, NULL},
        {"graph", BENCH_WORD, &graph, graphs},
        {"segment-planes", BENCH_SIZE, &b->options.segment_planes, NULL},
        {"pencils", BENCH_SIZE, &b->options.pencils, NULL},
        {"exchange", BENCH_WORD, &exchange, exchanges},
        {"only", BENCH_WORD, &only, solvers},
        {"no-yield", BENCH_FLAG, &no_yield, NULL},
        {"csv", BENCH_TEXT, csv, NULL},
        {NULL, BENCH_FLAG, NULL, NULL}};
    const int first = bench_arguments(argc, argv, options, "N|NXxNYxNZ ...", &b->settings);
    bench_must_or(BENCH_USAGE, b->settings.repeat <= MAX_REPEAT, "at most %d repeats", MAX_REPEAT);
    bench_must_or(BENCH_USAGE, !only || !b->settings.rows, "--rows are of both: not with --only");
    bench_must_or(BENCH_USAGE, *csv == NULL || !b->settings.rows, "--csv or --rows");
    b->fftw = only != 2;
    b->psg = only != 1;
    b->repeat = b->settings.repeat;
    b->options.graph = (psg_graph)graph;
    b->options.exchange = (psg_exchange)exchange;
    b->options.cpus = b->cpus;
    /* Open MPI reads it in MPI_Init: more threads than cores have to give way to each other. */
    (void)setenv(yield_variable, no_yield ? "0" : "1", no_yield);
    return first;
}

int main(int argc, char **argv) {
    bench *b = calloc(1, sizeof *b);
    const char *csv = NULL;
    int level = 0;
    bench_must(b != NULL, "no memory");
    b->cpus = 1;
    b->settings = (bench_settings){.repeat = 15, .warm_up = 2, .seed = 1};
    psg_options_init(&b->options);
    b->options.tuned = 0; /* the default is the default */
    b->options.gpus = 0;
    const int first = read_options(b, argc, argv, &csv);
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
    fftw_make_planner_thread_safe(); /* psg's workers plan too */
    if (!b->settings.rows) {
        say_machine(b, csv);
    } else if (b->rank == 0) {
        bench_peer_begin(&b->peers);
    }
    for (int m = first; m < argc; m++) {
        fftw_plan_with_nthreads(b->cpus);
        bench_read_grid(argv[m], b->peer.n);
        b->nx = b->peer.n[0];
        b->ny = b->peer.n[1];
        b->nz = b->peer.n[2];
        measure(b);
    }
    if (b->has_parts) {
        bench_csv_close(&b->parts);
    }
    fftw_mpi_cleanup();
    free(b);
    return MPI_Finalize() == MPI_SUCCESS ? 0 : 1;
}
