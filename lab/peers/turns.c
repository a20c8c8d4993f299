#include "lab/peers/turns.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>
#if PSG_WITH_MPI
#include <mpi.h>
#endif

/* --------------------------------------------------------------------------------- processes */

struct bench_processes bench_processes = {.ranks = 1};

#if PSG_WITH_MPI
static MPI_Comm world;

static void must(int code, const char *what) {
    bench_must(code == MPI_SUCCESS, "%s failed", what);
}

static void end_all(void) {
    int over = 1;
    if (MPI_Finalized(&over) == MPI_SUCCESS && !over) {
        MPI_Abort(world, 1);
    }
}
#endif

void bench_processes_start(int *argc, char ***argv, int alone) {
#if PSG_WITH_MPI
    struct bench_processes *p = &bench_processes;
    int level = 0;
    /* Open MPI reads it in MPI_Init: on cores, more threads than these give way to each other. */
    (void)(alone && setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0));
    if (alone || getenv("OMPI_COMM_WORLD_SIZE") != NULL || getenv("PMI_SIZE") != NULL) {
        must(MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level), "MPI_Init_thread");
        bench_must(level == MPI_THREAD_MULTIPLE && atexit(end_all) == 0, "MPI has no threads");
        world = MPI_COMM_WORLD;
        p->comm = &world;
        must(MPI_Comm_rank(world, &p->rank), "MPI_Comm_rank");
        must(MPI_Comm_size(world, &p->ranks), "MPI_Comm_size");
    }
#else
    (void)argc, (void)argv, (void)alone;
#endif
}

void bench_processes_end(void) {
#if PSG_WITH_MPI
    must(bench_processes.comm != NULL ? MPI_Finalize() : MPI_SUCCESS, "MPI_Finalize");
#endif
}

void bench_meet(void) {
#if PSG_WITH_MPI
    must(bench_processes.ranks > 1 ? MPI_Barrier(world) : MPI_SUCCESS, "MPI_Barrier");
#endif
}

#if PSG_WITH_MPI
static double of_all(double value, MPI_Op operation) {
    if (bench_processes.ranks > 1) {
        must(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, operation, world), "MPI_Allreduce");
    }
    return value;
}
#else
#define of_all(value, operation) (value)
#endif

double bench_largest(double value) {
    return of_all(value, MPI_MAX);
}

double bench_sum(double value) {
    return of_all(value, MPI_SUM);
}

/* ------------------------------------------------------------------------------------- turns */

static void *array(size_t count, size_t bytes) {
    void *values = calloc(count + 1, bytes);
    bench_must(values != NULL, "no memory for the times");
    return values;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return isnan(x) || isnan(y) ? (isnan(x) != 0) - (isnan(y) != 0) : (x > y) - (x < y);
}

static double quantile(const double *sorted, int count, double share) {
    const double place = share * (count - 1);
    const int below = (int)place, next = below + 1 < count ? below + 1 : below;
    return sorted[below] + (place - below) * (sorted[next] - sorted[below]);
}

bench_times bench_quartiles(const double *seconds, int count) {
    double *sorted = array((size_t)count, sizeof *sorted);
    for (int m = 0; m < count; m++) {
        sorted[m] = seconds[m];
    }
    qsort(sorted, (size_t)count, sizeof *sorted, by_size);
    const bench_times times = {sorted[0],
                               quantile(sorted, count, 0.25),
                               quantile(sorted, count, 0.5),
                               quantile(sorted, count, 0.75),
                               sorted[count - 1],
                               seconds};
    free(sorted);
    return times;
}

double bench_time(const bench_job *job) {
    if (job->load != NULL) {
        job->load(job->what);
    }
    bench_meet();
    const double start = bench_now();
    job->run(job->what);
    const double seconds = bench_now() - start;
    return bench_largest(job->seconds != NULL ? job->seconds(job->what) : seconds);
}

/* After a rest a first call wakes the threads of this turn. @return the seconds of so many more */
static double turn(const bench_job *job, unsigned calls, double rest) {
    const struct timespec pause = {.tv_nsec = (long)(1e9 * rest)};
    double seconds = 0;
    if (rest > 0) {
        nanosleep(&pause, NULL);
    }
    if (rest > 0 && calls > 1) {
        (void)bench_time(job);
    }
    for (unsigned call = 0; call < calls; call++) {
        seconds += bench_time(job);
    }
    return seconds;
}

static unsigned choose_calls(const bench_job *job, const bench_settings *s) {
    unsigned calls = 1;
    while (s->turn > 0 && calls < 1u << 24 && turn(job, calls, s->rest) < s->turn) {
        calls *= 2;
    }
    return calls;
}

/* All processes draw the same order from the same seed. */
void bench_interleave(bench_job *jobs, size_t count, const bench_settings *settings) {
    const size_t repeat = (size_t)settings->repeat;
    size_t drawn = (size_t)settings->seed << 32;
    static double *seconds;
    free(seconds);
    seconds = array(count * repeat, sizeof *seconds);
    size_t *order = array(count, sizeof *order);
    unsigned *calls = array(count, sizeof *calls);
    for (size_t j = 0; j < count; j++) {
        order[j] = j;
        calls[j] = choose_calls(&jobs[j], settings);
    }
    for (int r = -settings->warm_up; r < settings->repeat; r++) {
        for (size_t left = count; left > 1; left--) {
            const size_t other = (size_t)((bench_noise(drawn++) + 0.5) * (double)left);
            const size_t taken = order[other];
            order[other] = order[left - 1];
            order[left - 1] = taken;
        }
        for (size_t m = 0; m < count; m++) {
            const size_t j = order[m];
            const double took = turn(&jobs[j], calls[j], settings->rest) / calls[j];
            if (r >= 0) {
                seconds[j * repeat + (size_t)r] = took;
            }
        }
    }
    for (size_t j = 0; j < count; j++) {
        jobs[j].times = bench_quartiles(seconds + j * repeat, settings->repeat);
    }
    free(calls);
    free(order);
}
