/* A library's complex transforms of one length, many at once: of contiguous numbers, of strided
 * ones, and of strided ones that are transposed before and after it. Which is faster decides
 * whether a solver transposes its spectrum for the transforms along z. All are in place but the
 * transpositions, forward, in turns.
 *
 *   bench_cores fft [--cpus N] [--f32] [--count N,N,...] LENGTH,LENGTH,...
 *   bench_gpus  fft [--f32] [--count N,N,...] LENGTH,LENGTH,...
 *
 * --cpus: threads of FFTW and of the transpositions; default 1. --count: transforms at once;
 * default 1 to 65536 in steps of 16. A line for each length and count: microseconds for each
 * transform, the quartiles of the contiguous ones, the other two over it, and what the plan holds
 * beside the array. A count for which there is no memory is left out.
 */
#include "lab/peers/fft.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_MOST = 32 };

/** A way to the transforms of one array. */
typedef struct way {
    const bench_transforms *by;
    bench_batch batch;
    void *plan;
    double plan_bytes;
    void *array;      /**< in place */
    void *transposed; /**< NULL: they are not transposed */
    const void *given;
    size_t bytes;
} way;

static void load(void *what) {
    const way *w = what;
    w->by->device->copy(w->array, w->given, w->bytes);
}

static void run(void *what) {
    const way *w = what;
    const bench_batch *b = &w->batch;
    if (w->transposed == NULL) {
        w->by->run(w->plan, w->array);
        return;
    }
    w->by->transpose(b, w->transposed, w->array, 0);
    w->by->run(w->plan, w->transposed);
    w->by->transpose(b, w->array, w->transposed, 1);
}

/** @return the largest difference of two results [n][count] from one given array, over the largest
 *  number */
static double difference(const way *a, const way *b, void *first, void *second) {
    const size_t numbers = 2 * a->batch.n * a->batch.count;
    const psg_precision precision = a->batch.f32 ? PSG_F32 : PSG_F64;
    double off = 0;
    double most = 0;
    a->by->device->copy(first, a->array, a->bytes);
    b->by->device->copy(second, b->array, b->bytes);
    for (size_t m = 0; m < numbers; m++) {
        const double x = bench_get(first, precision, m);
        off = fmax(off, fabs(x - bench_get(second, precision, m)));
        most = fmax(most, fabs(x));
    }
    return off / most;
}

enum { CONTIGUOUS, STRIDED, TRANSPOSED, WAYS };

static void measure(const bench_transforms *by, const bench_batch *batch,
                    const bench_settings *settings) {
    static const char *const names[WAYS] = {"contiguous", "strided", "transposed"};
    const size_t n = batch->n, count = batch->count;
    const int f32 = batch->f32;
    const size_t bytes = n * count * 2 * (f32 ? sizeof(float) : sizeof(double));
    char why[128];
    if (!bench_fits(5 * (double)bytes, by->memory(settings), why)) {
        printf("%zu x %zu: left out: %s\n", n, count, why);
        return;
    }
    way ways[WAYS];
    bench_job jobs[WAYS];
    char *given = bench_array(3 * bytes);
    void *given_there = by->device->allocate(bytes);
    memset(jobs, 0, sizeof jobs);
    for (size_t m = 0; m < 2 * n * count; m++) {
        bench_put(given, f32 ? PSG_F32 : PSG_F64, m, bench_noise(m));
    }
    for (int w = 0; w < WAYS; w++) {
        way *o = &ways[w];
        *o = (way){.by = by, .batch = *batch, .given = given_there, .bytes = bytes};
        o->batch.strided = w == STRIDED;
        o->array = by->device->allocate(bytes);
        o->transposed = w == TRANSPOSED ? by->device->allocate(bytes) : NULL;
        o->plan =
            by->plan(&o->batch, o->transposed != NULL ? o->transposed : o->array, &o->plan_bytes);
        jobs[w] = (bench_job){.name = names[w], .what = o, .load = load, .run = run};
    }
    by->device->copy(given_there, given, bytes);
    bench_interleave(jobs, WAYS, settings);
    const double off =
        difference(&ways[STRIDED], &ways[TRANSPOSED], given + bytes, given + 2 * bytes);
    bench_must(off < (f32 ? 1e-5 : 1e-13), "%zu x %zu: strided and transposed differ by %g", n,
               count, off);
    const bench_times *t = &jobs[CONTIGUOUS].times;
    const double each = 1e6 / (double)count;
    printf("%zu x %zu: %.4g us (%.4g to %.4g), strided %.2f, transposed %.2f; plan bytes %.3g, "
           "strided "
           "%.3g; difference %.1e\n",
           n, count, each * t->median, each * t->q1, each * t->q3,
           jobs[STRIDED].times.median / t->median, jobs[TRANSPOSED].times.median / t->median,
           ways[CONTIGUOUS].plan_bytes, ways[STRIDED].plan_bytes, off);
    (void)fflush(stdout);
    for (int w = 0; w < WAYS; w++) {
        by->destroy(ways[w].plan);
        by->device->release(ways[w].array);
        by->device->release(ways[w].transposed);
    }
    by->device->release(given_there);
    free(given);
}

int bench_fft(int argc, char **argv, const void *transforms) {
    bench_settings settings = {15, 3, 1, 0, 0, 1e-3, 0};
    int threads = 1;
    int f32 = 0;
    const char *list = "1,16,256,4096,65536";
    const bench_option options[] = {{"cpus", BENCH_COUNT, &threads, NULL},
                                    {"f32", BENCH_FLAG, &f32, NULL},
                                    {"count", BENCH_TEXT, &list, NULL},
                                    {NULL, BENCH_FLAG, NULL, NULL}};
    const bench_transforms *by = transforms;
    int lengths[LIST_MOST];
    int counts[LIST_MOST];
    const int first = bench_arguments(argc, argv, options, "LENGTH,LENGTH,...", &settings);
    bench_must_or(BENCH_USAGE, !settings.rows, "--rows: there are none, it is in no study");
    bench_must_or(BENCH_USAGE, argc == first + 1, "lengths are one list, with commas between");
    const int of_lengths = bench_read_list(argv[first], lengths, LIST_MOST);
    const int of_counts = bench_read_list(list, counts, LIST_MOST);
    by->device->start();
    for (int m = 0; m < of_lengths * of_counts; m++) {
        const bench_batch batch = {(size_t)lengths[m / of_counts], (size_t)counts[m % of_counts],
                                   f32, 0, threads};
        measure(by, &batch, &settings);
    }
    return 0;
}
