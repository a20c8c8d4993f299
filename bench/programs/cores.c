/* What the programs that measure do on the cores. */
#include "bench/programs/cores.h"
#include "bench/programs/measure.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int bench_cores(void) {
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > BENCH_THREADS_MOST ? BENCH_THREADS_MOST : (int)cores;
}

/* ------------------------------------------------------------------------------------- threads */

typedef struct part {
    void (*work)(void *what, int t, int threads);
    void *what;
    int t, threads;
} part;

static void *do_part(void *argument) {
    const part *mine = argument;
    mine->work(mine->what, mine->t, mine->threads);
    return NULL;
}

/* Call work(what, t, threads) for t = 0 .. threads-1, at once, t = 0 in this thread; return when all have. */
static void run_threads(int threads, void (*work)(void *what, int t, int threads), void *what) {
    pthread_t thread[BENCH_THREADS_MOST];
    part parts[BENCH_THREADS_MOST];
    bench_must(threads <= BENCH_THREADS_MOST, "more than %d threads", BENCH_THREADS_MOST);
    for (int t = 1; t < threads; t++) {
        parts[t] = (part){work, what, t, threads};
        bench_must(pthread_create(&thread[t], NULL, do_part, &parts[t]) == 0,
                   "thread %d cannot be started", t);
    }
    work(what, 0, threads);
    for (int t = 1; t < threads; t++) {
        pthread_join(thread[t], NULL);
    }
}

/* -------------------------------------------------------------------------------------- works */

void *bench_array(size_t bytes) {
    void *p = NULL;
    bench_must(posix_memalign(&p, (size_t)2 << 20, bytes ? bytes : 1) == 0,
               "no memory for %zu bytes", bytes);
    (void)madvise(p, bytes, MADV_HUGEPAGE);
    memset(p, 0, bytes);
    return p;
}

static size_t from(size_t n, int t, int threads) {
    return n * (size_t)t / (size_t)threads;
}

typedef struct division {
    double *spectrum;
    size_t nxc, inner, outer, first, count;
    double scale;
} division;

static double wavenumber(size_t m, size_t n) {
    return (double)(2 * m > n ? n - m : m);
}

static void divide_part(void *what, int t, int threads) {
    const division *d = what;
    for (size_t a = from(d->count, t, threads); a < from(d->count, t + 1, threads); a++) {
        const double ka = wavenumber(d->first + a, d->outer);
        for (size_t b = 0; b < d->inner; b++) {
            const double kb = wavenumber(b, d->inner);
            double *row = d->spectrum + 2 * (a * d->inner + b) * d->nxc;
            for (size_t i = 0; i < d->nxc; i++) {
                const double square = ka * ka + kb * kb + (double)i * (double)i;
                const double factor = square > 0 ? -d->scale / square : 0;
                row[2 * i] *= factor;
                row[2 * i + 1] *= factor;
            }
        }
    }
}

void bench_divide(double *spectrum, size_t nxc, size_t inner, size_t outer, size_t first,
                  size_t count, double scale, int threads) {
    division d = {spectrum, nxc, inner, outer, first, count, scale};
    run_threads(threads, divide_part, &d);
}
