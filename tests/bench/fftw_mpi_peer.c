/* psg beside FFTW's own MPI transform: the same solve, the same planes, the same processes, in one run,
 * alternately. FFTW's solve is what a careful user writes: MEASURE, transposed out and in, in place or out of
 * place (whichever is faster here), the division with 1/N in it; its arrays, padded as it wants them, are filled
 * outside the measured time. The time of a solve is the longest of all processes, between barriers.
 *
 *   mpirun -n 2 bench_fftw_mpi_peer [--repeat R] [--cpus N] [--segment-planes N] [--pencils N]
 *       [--exchange mpi|alltoall] [--graph fused|staged] [--only fftw|psg] [--no-yield] [--csv FILE] GRID ...
 *
 * GRID: N or NX,NY,NZ. --cpus: threads of FFTW and workers of psg in each process. --csv: append to FILE.
 */
#include "graph/psg.h"

#include <fftw3-mpi.h>
#include <getopt.h>
#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MAX_REPEAT = 201, MAX_THREADS = 128, WARM_UP = 2 };
enum { FORWARD, DIVIDE, INVERSE, FFTW_PARTS };
static const char *const part_name[FFTW_PARTS] = {"forward", "divide", "inverse"};
static const char yield_variable[] = "OMPI_MCA_mpi_yield_when_idle";

typedef struct bench {
    size_t nx, ny, nz;
    int rank, ranks;
    int cpus;
    int repeat;
    int fftw, psg; /* which of them to run */
    const char *csv;
    psg_options options;
    size_t z0, planes; /* this process' */
    double *f, *u;     /* psg's: [planes][ny][nx] */
    psg_plan *plan;
    /* FFTW's: planes as above, [planes][ny][2 nxc]; and rows of y after its transposition, [rows][nz][nxc] */
    size_t nxc, y0, rows, allocated;
    double *real;
    fftw_complex *spectrum; /* the same memory as `real` where the transforms are in place */
    fftw_plan forward, inverse;
    int in_place;
    double seconds[2][MAX_REPEAT]; /* of FFTW's and of psg's solves */
    double part[FFTW_PARTS][MAX_REPEAT];
    double stage[PSG_STAGE_COUNT][MAX_REPEAT];
} bench;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(int ok, const char *what) {
    if (!ok) {
        fprintf(stderr, "bench_fftw_mpi_peer: %s failed\n", what);
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

/* The same memory, huge pages and all, for both solvers. */
static void *array(size_t bytes) {
    void *p = NULL;
    must(posix_memalign(&p, (size_t)2 << 20, bytes ? bytes : 1) == 0, "memory");
    (void)madvise(p, bytes, MADV_HUGEPAGE);
    memset(p, 0, bytes);
    return p;
}

/* f at point m of the grid: noise that does not depend on who computes it. */
static double noise(size_t m) {
    uint64_t x = (uint64_t)m + 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (double)((x ^ (x >> 31)) >> 11) / 9007199254740992.0 - 0.5;
}

/* ----------------------------------------------------------------------------------- statistics */

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct summary {
    double least, quarter, median, three_quarters, most; /* ms */
} summary;

static summary summarise(const double *seconds, int count) {
    double sorted[MAX_REPEAT];
    memcpy(sorted, seconds, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, by_value);
    return (summary){1e3 * sorted[0], 1e3 * sorted[count / 4], 1e3 * sorted[count / 2],
                     1e3 * sorted[3 * count / 4], 1e3 * sorted[count - 1]};
}

static void say(const bench *b, const char *solver, const char *part, const char *over, summary s) {
    if (b->rank != 0) {
        return;
    }
    printf("  %-5s %-13s %-4s %10.3f ms  (least %.3f, quarters %.3f %.3f, most %.3f)\n", solver,
           part, over, s.median, s.least, s.quarter, s.three_quarters, s.most);
    FILE *csv = b->csv ? fopen(b->csv, "a") : NULL;
    if (csv) {
        psg_statistics p = {0};
        if (b->plan) {
            (void)psg_plan_statistics(b->plan, &p);
        }
        fprintf(csv,
                "%zux%zux%zu,%d,%d,%s,%s,%s,%zu,%zu,%zu,%d,%s,%s,%s,%.4f,%.4f,%.4f,%.4f,%.4f\n",
                b->nx, b->ny, b->nz, b->ranks, b->cpus, getenv(yield_variable),
                p.exchange == PSG_EXCHANGE_ALLTOALL ? "alltoall" : "mpi",
                b->options.graph == PSG_GRAPH_STAGED ? "staged" : "fused", p.segments, p.pencils,
                p.segment_planes, b->repeat, solver, part, over, s.median, s.least, s.quarter,
                s.three_quarters, s.most);
    }
    must(csv == NULL || fclose(csv) == 0, "writing the CSV file");
    fflush(stdout);
}

/* Where and when, at the head of what is printed and of a new CSV file. */
static void say_machine(const bench *b) {
    char model[128] = "unknown";
    char line[256];
    char date[32] = "";
    const time_t t = time(NULL);
    struct tm day;
    if (b->rank != 0) {
        return;
    }
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "model name : %127[^\n]", model) == 1) {
            break;
        }
    }
    if (file) {
        fclose(file);
    }
    if (localtime_r(&t, &day)) {
        strftime(date, sizeof date, "%Y-%m-%d", &day);
    }
    printf("%s, %s, %ld cores, %d processes of %d, %s=%s\n", date, model,
           sysconf(_SC_NPROCESSORS_ONLN), b->ranks, b->cpus, yield_variable,
           getenv(yield_variable));
    FILE *csv = b->csv ? fopen(b->csv, "a") : NULL;
    must(b->csv == NULL || csv != NULL, "opening the CSV file");
    if (csv && fseek(csv, 0, SEEK_END) == 0 && ftell(csv) == 0) {
        fprintf(csv, "# %s, %s, %ld cores, %s, FFTW %s; milliseconds\n", date, model,
                sysconf(_SC_NPROCESSORS_ONLN), psg_component_version(PSG_COMPONENT_MPI),
                fftw_version);
        fprintf(csv, "grid,ranks,cpus,yield,exchange,graph,segments,pencils,segment_planes,repeat,"
                     "solver,part,over_ranks,median,least,quarter,three_quarters,most\n");
    }
    must(csv == NULL || fclose(csv) == 0, "writing the CSV file");
}

/* ----------------------------------------------------------------------------------------- FFTW */

typedef struct share {
    const bench *b;
    size_t j0, j1;
} share;

static void *divide_share(void *argument) {
    const share *mine = argument;
    const bench *b = mine->b;
    const double scale = 1 / ((double)b->nx * (double)b->ny * (double)b->nz);
    for (size_t j = mine->j0; j < mine->j1; j++) {
        const size_t y = b->y0 + j;
        const double ky = (double)(2 * y > b->ny ? b->ny - y : y);
        for (size_t k = 0; k < b->nz; k++) {
            const double kz = (double)(2 * k > b->nz ? b->nz - k : k);
            double *row = (double *)(b->spectrum + (j * b->nz + k) * b->nxc);
            for (size_t i = 0; i < b->nxc; i++) {
                const double square = kz * kz + ky * ky + (double)i * (double)i;
                const double factor = square > 0 ? -scale / square : 0;
                row[2 * i] *= factor;
                row[2 * i + 1] *= factor;
            }
        }
    }
    return NULL;
}

static void divide(const bench *b) {
    pthread_t thread[MAX_THREADS];
    share shares[MAX_THREADS];
    for (int t = 0; t < b->cpus; t++) {
        shares[t] = (share){b, b->rows * (size_t)t / (size_t)b->cpus,
                            b->rows * (size_t)(t + 1) / (size_t)b->cpus};
        must(t == 0 || pthread_create(&thread[t], NULL, divide_share, &shares[t]) == 0,
             "pthread_create");
    }
    divide_share(&shares[0]);
    for (int t = 1; t < b->cpus; t++) {
        pthread_join(thread[t], NULL);
    }
}

static void fill_fftw(bench *b) {
    for (size_t line = 0; line < b->planes * b->ny; line++) {
        memcpy(b->real + line * 2 * b->nxc, b->f + line * b->nx, b->nx * sizeof *b->f);
    }
}

/* @param[out] part  seconds of each part in this process */
static double solve_fftw(bench *b, double *part) {
    fill_fftw(b);
    meet();
    const double t0 = now();
    fftw_execute(b->forward);
    const double t1 = now();
    divide(b);
    const double t2 = now();
    fftw_execute(b->inverse);
    const double t3 = now();
    part[FORWARD] = t1 - t0;
    part[DIVIDE] = t2 - t1;
    part[INVERSE] = t3 - t2;
    return over_ranks(t3 - t0, MPI_MAX);
}

static void plan_fftw(bench *b, int in_place) {
    const unsigned flags = FFTW_MEASURE | FFTW_DESTROY_INPUT;
    const ptrdiff_t nx = (ptrdiff_t)b->nx, ny = (ptrdiff_t)b->ny, nz = (ptrdiff_t)b->nz;
    b->in_place = in_place;
    b->spectrum = in_place ? (fftw_complex *)b->real : array(b->allocated * sizeof *b->spectrum);
    b->forward = fftw_mpi_plan_dft_r2c_3d(nz, ny, nx, b->real, b->spectrum, MPI_COMM_WORLD,
                                          flags | FFTW_MPI_TRANSPOSED_OUT);
    b->inverse = fftw_mpi_plan_dft_c2r_3d(nz, ny, nx, b->spectrum, b->real, MPI_COMM_WORLD,
                                          flags | FFTW_MPI_TRANSPOSED_IN);
    must(b->forward != NULL && b->inverse != NULL, "FFTW's planner");
}

static void release_transforms(bench *b) {
    fftw_destroy_plan(b->forward);
    fftw_destroy_plan(b->inverse);
    if (!b->in_place) {
        free(b->spectrum);
    }
}

/* Plans for the faster of in place and out of place. */
static void prepare_fftw(bench *b) {
    double best[2] = {INFINITY, INFINITY};
    double part[FFTW_PARTS];
    ptrdiff_t planes, z0, rows, y0;
    const ptrdiff_t size =
        fftw_mpi_local_size_3d_transposed((ptrdiff_t)b->nz, (ptrdiff_t)b->ny, (ptrdiff_t)b->nxc,
                                          MPI_COMM_WORLD, &planes, &z0, &rows, &y0);
    must((size_t)planes == b->planes && (planes == 0 || (size_t)z0 == b->z0),
         "a grid on which FFTW's processes own the same planes as psg's");
    b->rows = (size_t)rows;
    b->y0 = (size_t)y0;
    b->allocated = (size_t)size;
    b->real = array(b->allocated * sizeof(fftw_complex));
    for (int in_place = 0; in_place < 2; in_place++) {
        plan_fftw(b, in_place);
        for (int r = 0; r < 5; r++) {
            best[in_place] = fmin(best[in_place], solve_fftw(b, part));
        }
        release_transforms(b);
    }
    plan_fftw(b, best[1] < best[0]);
    if (b->rank == 0) {
        printf("  FFTW in place %.3f ms, out of place %.3f ms (least of 5): %s place taken\n",
               1e3 * best[1], 1e3 * best[0], b->in_place ? "in" : "out of");
    }
}

/* What moves the spectrum once, alone: FFTW's transposition, and MPI_Alltoall of as many bytes. */
static void measure_transposition(const bench *b) {
    double fftw[MAX_REPEAT], mpi[MAX_REPEAT];
    const size_t most = (size_t)over_ranks(2.0 * (double)b->allocated, MPI_MAX);
    const size_t block = (most + (size_t)b->ranks - 1) / (size_t)b->ranks;
    const size_t numbers = block * (size_t)b->ranks;
    double *in = array(numbers * sizeof *in);
    double *out = array(numbers * sizeof *out);
    fftw_plan transpose = fftw_mpi_plan_many_transpose(
        (ptrdiff_t)b->nz, (ptrdiff_t)b->ny, (ptrdiff_t)(2 * b->nxc), FFTW_MPI_DEFAULT_BLOCK,
        FFTW_MPI_DEFAULT_BLOCK, in, out, MPI_COMM_WORLD, FFTW_MEASURE | FFTW_DESTROY_INPUT);
    must(transpose != NULL, "FFTW's planner");
    for (int r = -WARM_UP; r < b->repeat; r++) {
        meet();
        const double t0 = now();
        fftw_execute(transpose);
        const double t1 = over_ranks(now() - t0, MPI_MAX);
        meet();
        const double t2 = now();
        must(MPI_Alltoall(in, (int)block, MPI_DOUBLE, out, (int)block, MPI_DOUBLE,
                          MPI_COMM_WORLD) == MPI_SUCCESS,
             "MPI_Alltoall");
        const double t3 = over_ranks(now() - t2, MPI_MAX);
        if (r >= 0) {
            fftw[r] = t1;
            mpi[r] = t3;
        }
    }
    say(b, "fftw", "transpose", "max", summarise(fftw, b->repeat));
    say(b, "mpi", "alltoall", "max", summarise(mpi, b->repeat));
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
    const double t0 = now();
    const psg_status status = psg_solve(b->plan, b->f, b->u);
    const double seconds = now() - t0;
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
        const double *theirs = b->real + line * 2 * b->nxc;
        const double *ours = b->u + line * b->nx;
        for (size_t i = 0; i < b->nx; i++) {
            const double difference = fabs(theirs[i] - ours[i]);
            if (difference > apart || isnan(difference)) { /* a NaN stays */
                apart = difference;
            }
            largest = fmax(largest, fabs(theirs[i]));
        }
    }
    const int wrong =
        !(over_ranks(apart, MPI_MAX) <= 1e-10 * over_ranks(largest, MPI_MAX)) || isnan(apart);
    if (b->rank == 0) {
        printf("  u of both: %.1e apart, of max|u|\n", apart / largest);
    }
    must(over_ranks(wrong, MPI_MAX) == 0, "comparing FFTW's u and psg's");
}

static void say_stages(const bench *b) {
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
            say(b, "psg", psg_stage_name((psg_stage)m), "max", summarise(most, b->repeat));
            say(b, "psg", psg_stage_name((psg_stage)m), "mean", summarise(mean, b->repeat));
        }
        if (tasks > 0 && b->rank == 0) {
            printf("        %.0f tasks or messages, all processes\n", tasks);
        }
    }
    const double sent = over_ranks((double)s.sent_bytes, MPI_SUM);
    const double sent_most = over_ranks((double)s.sent_bytes, MPI_MAX);
    if (b->rank == 0) {
        printf("  psg sent %.3f MB a solve, at most %.3f MB from one process; spectrum %.1f MB, "
               "scratch %.1f MB in process 0\n",
               1e-6 * sent, 1e-6 * sent_most, 1e-6 * (double)s.spectrum_bytes,
               1e-6 * (double)s.scratch_bytes);
    }
}

/* ----------------------------------------------------------------------------------------- runs */

static void run_solves(bench *b) {
    double part[FFTW_PARTS];
    psg_statistics s;
    for (int r = -WARM_UP; r < b->repeat; r++) {
        double seconds[2] = {0, 0};
        for (int turn = 0; turn < 2; turn++) {
            const int psg = (turn + r + WARM_UP) % 2; /* both go first equally often */
            if (psg && b->psg) {
                seconds[1] = solve_psg(b);
            } else if (!psg && b->fftw) {
                seconds[0] = solve_fftw(b, part);
            }
        }
        if (r < 0) {
            continue;
        }
        b->seconds[0][r] = seconds[0];
        b->seconds[1][r] = seconds[1];
        for (int p = 0; p < FFTW_PARTS && b->fftw; p++) {
            b->part[p][r] = over_ranks(part[p], MPI_MAX);
        }
        if (b->psg) {
            must(psg_plan_statistics(b->plan, &s) == PSG_OK, "psg_plan_statistics");
            for (int m = 0; m < PSG_STAGE_COUNT; m++) {
                b->stage[m][r] = s.stage[m].seconds;
            }
        }
    }
}

static void report(const bench *b) {
    const summary theirs = summarise(b->seconds[0], b->repeat);
    const summary ours = summarise(b->seconds[1], b->repeat);
    if (b->fftw) {
        say(b, "fftw", "solve", "max", theirs);
        for (int p = 0; p < FFTW_PARTS; p++) {
            say(b, "fftw", part_name[p], "max", summarise(b->part[p], b->repeat));
        }
        measure_transposition(b);
    }
    if (b->psg) {
        psg_statistics s;
        must(psg_plan_statistics(b->plan, &s) == PSG_OK, "psg_plan_statistics");
        say(b, "psg", "solve", "max", ours);
        say_stages(b);
        if (b->rank == 0) {
            printf("  psg: %zu segments of up to %zu planes x %zu pencils\n", s.segments,
                   s.segment_planes, s.pencils);
        }
    }
    if (b->fftw && b->psg && b->rank == 0) {
        printf("%zux%zux%zu  FFTW %.3f ms  psg %.3f ms  FFTW/psg %.2f (of the least %.2f)\n", b->nx,
               b->ny, b->nz, theirs.median, ours.median, theirs.median / ours.median,
               theirs.least / ours.least);
    }
    fflush(stdout);
}

static void measure(bench *b) {
    b->nxc = b->nx / 2 + 1;
    must(psg_local_extent(b->nz, b->ranks, b->rank, &b->z0, &b->planes) == PSG_OK,
         "psg_local_extent");
    const size_t points = b->planes * b->ny * b->nx;
    b->f = array(points * sizeof *b->f);
    b->u = array(points * sizeof *b->u);
    for (size_t m = 0; m < points; m++) {
        b->f[m] = noise(b->z0 * b->ny * b->nx + m);
    }
    if (b->rank == 0) {
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
    report(b);
    if (b->fftw) {
        release_transforms(b);
        free(b->real);
    }
    psg_plan_destroy(b->plan);
    b->plan = NULL;
    free(b->f);
    free(b->u);
}

static int read_grid(bench *b, const char *text) {
    char end;
    if (sscanf(text, "%zu,%zu,%zu%c", &b->nx, &b->ny, &b->nz, &end) == 3) {
        return b->nx > 0 && b->ny > 0 && b->nz > 0;
    }
    const int one = sscanf(text, "%zu%c", &b->nx, &end) == 1;
    b->ny = b->nz = b->nx;
    return one && b->nx > 0;
}

static int read_options(bench *b, int argc, char **argv) {
    static const struct option known[] = {
        {"repeat", required_argument, NULL, 'r'},  {"cpus", required_argument, NULL, 'c'},
        {"graph", required_argument, NULL, 'g'},   {"segment-planes", required_argument, NULL, 's'},
        {"pencils", required_argument, NULL, 'p'}, {"exchange", required_argument, NULL, 'e'},
        {"only", required_argument, NULL, 'o'},    {"no-yield", no_argument, NULL, 'n'},
        {"csv", required_argument, NULL, 'f'},     {0}};
    const char *yield = NULL;
    for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        switch (c) {
        case 'r':
            b->repeat = atoi(optarg);
            break;
        case 'c':
            b->cpus = atoi(optarg);
            break;
        case 'g':
            b->options.graph = strcmp(optarg, "staged") == 0 ? PSG_GRAPH_STAGED : PSG_GRAPH_FUSED;
            break;
        case 's':
            b->options.segment_planes = (size_t)atol(optarg);
            break;
        case 'p':
            b->options.pencils = (size_t)atol(optarg);
            break;
        case 'e':
            b->options.exchange =
                strcmp(optarg, "alltoall") == 0 ? PSG_EXCHANGE_ALLTOALL : PSG_EXCHANGE_MPI;
            break;
        case 'o':
            b->fftw = strcmp(optarg, "psg") != 0;
            b->psg = !b->fftw;
            break;
        case 'n':
            yield = "0";
            break;
        case 'f':
            b->csv = optarg;
            break;
        default:
            return 0;
        }
    }
    /* Open MPI reads it in MPI_Init: more threads than cores have to give way to each other. */
    (void)setenv(yield_variable, yield ? yield : "1", yield != NULL);
    b->options.cpus = b->cpus;
    return b->cpus >= 1 && b->cpus <= MAX_THREADS && b->repeat >= 1 && b->repeat <= MAX_REPEAT &&
           optind < argc;
}

int main(int argc, char **argv) {
    bench *b = calloc(1, sizeof *b);
    int level = 0;
    if (b == NULL) {
        return 1;
    }
    b->cpus = b->fftw = b->psg = 1;
    b->repeat = 15;
    psg_options_init(&b->options);
    b->options.tuned = 0; /* the default is the default */
    b->options.gpus = 0;
    if (!read_options(b, argc, argv)) {
        fprintf(stderr,
                "usage: mpirun -n RANKS %s [--repeat R] [--cpus N] [--segment-planes N] "
                "[--pencils N] [--exchange mpi|alltoall] [--graph fused|staged] [--only fftw|psg] "
                "[--no-yield] [--csv FILE] N|NX,NY,NZ ...\n",
                argv[0]);
        free(b);
        return 2;
    }
    must(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level) == MPI_SUCCESS &&
             level == MPI_THREAD_MULTIPLE,
         "MPI_Init_thread");
    must(MPI_Comm_rank(MPI_COMM_WORLD, &b->rank) == MPI_SUCCESS &&
             MPI_Comm_size(MPI_COMM_WORLD, &b->ranks) == MPI_SUCCESS,
         "MPI_Comm_rank");
    must(fftw_init_threads() != 0, "fftw_init_threads");
    fftw_mpi_init();
    fftw_make_planner_thread_safe(); /* psg's workers plan too */
    say_machine(b);
    for (int m = optind; m < argc; m++) {
        fftw_plan_with_nthreads(b->cpus);
        must(read_grid(b, argv[m]), "reading a grid: N or NX,NY,NZ");
        measure(b);
    }
    fftw_mpi_cleanup();
    free(b);
    return MPI_Finalize() == MPI_SUCCESS ? 0 : 1;
}
