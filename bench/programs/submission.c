/* What one process of many pays for a task graph: the seconds and the bytes that it needs to make a plan and to
 * submit a solve, when it is one of 64, 256, 1024 processes. One process plays that rank here, alone
 * (PSG_FAKE_RANKS, PSG_FAKE_RANK), and computes nothing (STARPU_DISABLE_KERNELS): tasks and messages are
 * submitted, wait for each other and end, but nothing is sent.
 *
 *   bench_submission [--repeat R] [--cpus N] [--segment-planes N] [--pencils N] [--csv FILE] GRID RANKS ...
 *
 * GRID: N or NXxNYxNZ. Each number of processes is tried in a process of its own.
 *
 * create        psg_plan_create(), less StarPU's start, which a plan of two points pays before
 * submit, wait  psg_submit() until it returns, and psg_wait(); medians, after a first solve, which is apart
 * heap          what malloc has given, less blocks, pencils and scratch: after create, after the first submit,
 *               and after the last solve. HWM: the most memory that the process ever had
 */
#include "bench/programs/measure.h"
#include "graph/psg.h"
#include "graph/psg_observe.h"
#include "graph/psg_starpu.h"

#include <malloc.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_REPEAT = 101 };

typedef struct bench {
    bench_settings settings;
    bench_csv csv;
    int has_csv;
    size_t n[3];
    int ranks;
    int repeat;
    psg_options options;
    psg_plan *plan;
    double *f, *u;
    double create, first_submit, first_wait; /* seconds */
    double submit[MAX_REPEAT], wait[MAX_REPEAT];
    double heap_create, heap_submit, heap_end; /* bytes, above what there was before the plan */
} bench;

static void must(int ok, const char *what) {
    bench_must(ok, "%s", what);
}

/* Bytes that malloc has given to the program and not had back; -1 where nobody counts. */
static double heap(void) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    const struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
#else
    return -1;
#endif
}

/* VmHWM, bytes; 0 where the system does not say. */
static double most_memory(void) {
    char line[256];
    double kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL &&
           sscanf(line, "VmHWM: %lf", &kilobytes) != 1) {
    }
    if (file != NULL) {
        fclose(file);
    }
    return 1e3 * 1.024 * kilobytes;
}

/* Blocks, pencils and scratch are the data, not the graph. */
static double data_bytes(const bench *b) {
    psg_statistics s;
    must(psg_plan_statistics(b->plan, &s) == PSG_OK, "psg_plan_statistics");
    return (double)s.spectrum_bytes + (double)s.scratch_bytes;
}

static psg_plan *make_plan(const psg_options *options, const size_t *n) {
    psg_plan *plan = NULL;
    psg_grid grid;
    psg_grid_init(&grid, n[0], n[1], n[2], 1, 1, 1);
    must(psg_plan_create(&plan, &grid, options) == PSG_OK, psg_last_error());
    return plan;
}

static void *zeros(size_t bytes) {
    void *p = calloc(bytes ? bytes : 1, 1);
    must(p != NULL, "no memory for f and u");
    return p;
}

static void measure(bench *b) {
    const MPI_Comm comm = MPI_COMM_WORLD;
    const size_t least[3] = {1, 1, 2}; /* a plane for the process that is played */
    size_t z0, planes;
    b->options.comm = &comm;
    psg_plan *starter = make_plan(&b->options, least); /* StarPU stays up until it is destroyed */
    const double before = heap();
    const double t0 = bench_now();
    b->plan = make_plan(&b->options, b->n);
    b->create = bench_now() - t0;
    b->heap_create = heap() - before - data_bytes(b);
    must(psg_plan_local_extent(b->plan, &z0, &planes) == PSG_OK, "psg_plan_local_extent");
    must(planes < b->n[2], "this process has all planes: nobody plays one of many");
    const size_t bytes = planes * b->n[1] * b->n[0] * sizeof *b->f;
    b->f = zeros(bytes);
    b->u = zeros(bytes);
    const double arrays = heap();
    for (int r = -1; r < b->repeat; r++) {
        const double t1 = bench_now();
        must(psg_submit(b->plan, b->f, b->u) == PSG_OK, psg_last_error());
        const double t2 = bench_now();
        if (r < 0) {
            b->heap_submit = heap() - arrays + b->heap_create;
        }
        must(psg_wait(b->plan) == PSG_OK, psg_last_error());
        const double t3 = bench_now();
        *(r < 0 ? &b->first_submit : &b->submit[r]) = t2 - t1;
        *(r < 0 ? &b->first_wait : &b->wait[r]) = t3 - t2;
    }
    b->heap_end = heap() - arrays + b->heap_create;
    free(b->f);
    free(b->u);
    psg_plan_destroy(starter);
}

static void report(bench *b) {
    psg_statistics s;
    uint64_t tasks = 0;
    size_t segments, pencils;
    must(psg_plan_statistics(b->plan, &s) == PSG_OK, "psg_plan_statistics");
    must(psg_plan_segments(b->plan, &segments, &pencils) == PSG_OK, "psg_plan_segments");
    for (int m = 0; m < PSG_STAGE_COUNT; m++) {
        tasks += m == PSG_STAGE_EXCHANGE ? 0 : s.stage[m].tasks;
    }
    const size_t messages = (size_t)s.stage[PSG_STAGE_EXCHANGE].tasks;
    const double submit = 1e3 * bench_quartiles(b->submit, b->repeat).median;
    const double wait = 1e3 * bench_quartiles(b->wait, b->repeat).median;
    printf("%6d %5zu %5zu %6zu %8zu %10.2f %10.3f %10.3f %10.3f %10.3f %9.2f %9.2f %9.2f %9.1f\n",
           b->ranks, segments, pencils, (size_t)tasks, messages, 1e3 * b->create,
           1e3 * b->first_submit, 1e3 * b->first_wait, submit, wait, 1e-6 * b->heap_create,
           1e-6 * b->heap_submit, 1e-6 * b->heap_end, 1e-6 * most_memory());
    if (b->has_csv) {
        char grid[80];
        const double numbers[] = {b->ranks,
                                  (double)segments,
                                  (double)pencils,
                                  (double)tasks,
                                  (double)messages,
                                  1e3 * b->create,
                                  1e3 * b->first_submit,
                                  1e3 * b->first_wait,
                                  submit,
                                  wait,
                                  b->heap_create,
                                  b->heap_submit,
                                  b->heap_end,
                                  most_memory()};
        snprintf(grid, sizeof grid, "%zux%zux%zu", b->n[0], b->n[1], b->n[2]);
        bench_put_text(&b->csv, grid);
        for (size_t m = 0; m < sizeof numbers / sizeof *numbers; m++) {
            bench_put_number(&b->csv, numbers[m]);
        }
    }
}

static void say_head(const bench *b) {
    printf("%zu x %zu x %zu; ms and MB; of one process of so many\n", b->n[0], b->n[1], b->n[2]);
    printf("%6s %5s %5s %6s %8s %10s %10s %10s %10s %10s %9s %9s %9s %9s\n", "ranks", "segs",
           "penc", "tasks", "messages", "create", "1st submit", "1st wait", "submit", "wait",
           "heap plan", "submitted", "at end", "HWM");
    fflush(stdout);
}

static const char *const columns =
    "grid,ranks,segments,pencils,tasks,messages,create_ms,first_submit_ms,first_wait_ms,submit_ms,"
    "wait_ms,heap_create,heap_submit,heap_end,hwm";

/* One number of processes, in a process of its own, for its memory. */
static int play(bench *b, const char *ranks) {
    int level = 0;
    b->ranks = atoi(ranks);
    must(b->ranks >= 2, "RANKS has to be 2 or more");
    must(setenv("PSG_FAKE_RANKS", ranks, 1) == 0 && setenv("PSG_FAKE_RANK", "1", 1) == 0 &&
             setenv("STARPU_DISABLE_KERNELS", "1", 1) == 0,
         "the environment cannot be set");
    must(MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level) == MPI_SUCCESS &&
             level == MPI_THREAD_MULTIPLE,
         "MPI_Init_thread failed");
    measure(b);
    report(b);
    psg_plan_destroy(b->plan);
    return MPI_Finalize() == MPI_SUCCESS ? 0 : 1;
}

int main(int argc, char **argv) {
    static bench b; /* zero */
    const char *csv = NULL;
    b.settings = (bench_settings){.repeat = 15, .warm_up = 1};
    psg_options_init(&b.options);
    b.options.tuned = 0; /* the default is the default */
    b.options.cpus = 1;
    b.options.gpus = 0;
    b.options.effort = PSG_EFFORT_ESTIMATE; /* FFTW's search is not what is measured */
    const bench_option options[] = {{"cpus", BENCH_COUNT, &b.options.cpus, NULL},
                                    {"segment-planes", BENCH_SIZE, &b.options.segment_planes, NULL},
                                    {"pencils", BENCH_SIZE, &b.options.pencils, NULL},
                                    {"csv", BENCH_TEXT, &csv, NULL},
                                    {NULL, BENCH_FLAG, NULL, NULL}};
    const int first = bench_arguments(argc, argv, options, "N|NXxNYxNZ RANKS ...", &b.settings);
    bench_must_or(BENCH_USAGE, !b.settings.rows, "its rows are no study's: --csv FILE");
    b.repeat = b.settings.repeat;
    bench_must_or(BENCH_USAGE, b.repeat <= MAX_REPEAT && first + 1 < argc,
                  "a grid, numbers of processes, and at most %d repeats", MAX_REPEAT);
    bench_read_grid(argv[first], b.n);
    if (csv != NULL) {
        bench_csv_open(&b.csv, csv, NULL, columns);
        b.has_csv = 1;
    }
    say_head(&b);
    for (int m = first + 1; m < argc; m++) {
        int status = 0;
        const pid_t child = fork();
        must(child >= 0, "no process can be started");
        if (child == 0) {
            return play(&b, argv[m]);
        }
        must(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0,
             "a process that played one of many failed");
    }
    return 0;
}
