/* The workload qr beside LAPACK's QR of the whole matrix on as many cores: the same factors, in one run, in turns of random order.
 * PROGRAM [--cpus N] [--tile B] [--policy P] [--priority] [--precision f64|f32] [--repeat R] N ... */
#include "base/random.h"
#include "bench/programs/program.h"
#include "graph/psg_observe.h"
#include "graph/psg_work.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

void dgeqrf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work,
             const int *lwork, int *info);
void sgeqrf_(const int *m, const int *n, float *a, const int *lda, float *tau, float *work,
             const int *lwork, int *info);

/* Not there with another BLAS, whose threads its own environment sets. */
__attribute__((weak)) void openblas_set_num_threads(int threads);

typedef struct peer {
    psg_work *work;
    int n, cpus, is_float;
    size_t real_bytes;
    int lwork;
    void *matrix, *a, *tau, *workspace;
} peer;

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

static void factor(const peer *p, int lwork) {
    int info = 0;
    if (p->is_float) {
        sgeqrf_(&p->n, &p->n, p->a, &p->n, p->tau, p->workspace, &lwork, &info);
    } else {
        dgeqrf_(&p->n, &p->n, p->a, &p->n, p->tau, p->workspace, &lwork, &info);
    }
    bench_must(info == 0, "geqrf: %d", info);
}

/* psg has set the number of threads to 1, as long as there is a workload. */
static void set_threads(int threads) {
    if (openblas_set_num_threads != NULL) {
        openblas_set_num_threads(threads);
    }
}

/* OpenBLAS' threads look for work for some time. */
static double run_lapack(void *what, unsigned calls) {
    const struct timespec rest = {.tv_nsec = 100000000};
    const peer *p = what;
    double seconds = 0;
    set_threads(p->cpus);
    for (unsigned call = 0; call < calls; call++) {
        memcpy(p->a, p->matrix, (size_t)p->n * (size_t)p->n * p->real_bytes);
        const double start = bench_now();
        factor(p, p->lwork);
        seconds += bench_now() - start;
    }
    set_threads(1);
    nanosleep(&rest, NULL);
    return seconds;
}

static void fill(const peer *p) {
    const size_t count = (size_t)p->n * (size_t)p->n;
    uint64_t x = BASE_RANDOM_SEED;
    for (size_t m = 0; m < count; m++) {
        x = base_random_next(x);
        if (p->is_float) {
            ((float *)p->matrix)[m] = (float)(2 * base_random_real(x) - 1);
        } else {
            ((double *)p->matrix)[m] = 2 * base_random_real(x) - 1;
        }
    }
}

/* LAPACK says how much room it works in best. */
static void make_lapack(peer *p) {
    const size_t count = (size_t)p->n * (size_t)p->n;
    double best = 0;
    p->matrix = bench_array(count * p->real_bytes);
    p->a = bench_array(count * p->real_bytes);
    p->tau = bench_array((size_t)p->n * p->real_bytes);
    p->workspace = &best;
    factor(p, -1);
    p->lwork = (int)(p->is_float ? *(float *)p->workspace : *(double *)p->workspace);
    p->workspace = bench_array((size_t)p->lwork * p->real_bytes);
    fill(p);
}

static void measure(peer *p, const char *size, const psg_work_options *how,
                    const psg_options *options, const bench_settings *settings) {
    char name[64];
    bench_job jobs[2] = {{.run = run_psg, .what = p}, {.run = run_lapack, .what = p}};
    size_t n[3];
    bench_read_grid(size, n);
    snprintf(name, sizeof name, "qr:%zu", n[0]);
    bench_must(psg_work_create(&p->work, name, how, options) == PSG_OK, "%s", psg_last_error());
    p->n = (int)n[0];
    make_lapack(p);
    bench_interleave(jobs, 2, settings, 0.2);
    bench_must(psg_work_check(p->work) == PSG_OK, "%s", psg_last_error());
    const double ours = jobs[0].times.median, theirs = jobs[1].times.median;
    const double giga = 4e-9 / 3 * (double)n[0] * (double)n[0] * (double)n[0];
    printf("%s on %d cores\n", psg_work_about(p->work), p->cpus);
    for (int j = 0; j < 2; j++) {
        const bench_times *t = &jobs[j].times;
        printf(
            "  %-6s %.4g s median, %.4g s minimum, %.4g to %.4g s the middle half; %.3g Gflop/s\n",
            j == 0 ? "psg" : "LAPACK", t->median, t->min, t->q1, t->q3, giga / t->median);
    }
    printf("  LAPACK's time over psg's: %.3g by medians, %.3g by minima\n", theirs / ours,
           jobs[1].times.min / jobs[0].times.min);
    psg_work_destroy(p->work);
    free(p->matrix);
    free(p->a);
    free(p->tau);
    free(p->workspace);
}

int main(int argc, char **argv) {
    psg_options options;
    psg_work_options how;
    bench_settings settings = {.repeat = 9, .warm_up = 1, .seed = 1};
    peer p = {.cpus = bench_cores()};
    int tile = 0, by_path = 0;
    psg_options_init(&options);
    psg_work_options_init(&how);
    const bench_option table[] = {{"cpus", BENCH_COUNT, &p.cpus, NULL},
                                  {"tile", BENCH_NUMBER, &tile, NULL},
                                  {"priority", BENCH_FLAG, &by_path, NULL},
                                  {"policy", BENCH_SOLVER, &options, "policy"},
                                  {"precision", BENCH_SOLVER, &options, "precision"},
                                  {NULL, BENCH_FLAG, NULL, NULL}};
    const int first = bench_arguments(argc, argv, table, "N ...", &settings);
    options.cpus = p.cpus;
    options.gpus = 0;
    how.tile = (size_t)tile;
    how.priority = by_path ? PSG_PRIORITY_PATH : PSG_PRIORITY_NONE;
    p.is_float = options.precision == PSG_F32;
    p.real_bytes = p.is_float ? sizeof(float) : sizeof(double);
    for (int operand = first; operand < argc; operand++) {
        measure(&p, argv[operand], &how, &options, &settings);
    }
    return 0;
}
