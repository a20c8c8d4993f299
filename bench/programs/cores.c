/* What the programs that measure do on the cores. */
#include "bench/programs/cores.h"
#include "bench/programs/measure.h"
#include "bench/programs/transposes.h"

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

void bench_threads(int threads, void (*work)(void *what, int t, int threads), void *what) {
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

typedef struct repeated {
    void (*work)(void *what, int t, int threads);
    void *what;
    unsigned calls;
    pthread_barrier_t barrier;
    double seconds;
} repeated;

static void repeat_work(void *what, int t, int threads) {
    repeated *r = what;
    pthread_barrier_wait(&r->barrier);
    const double start = bench_now();
    for (unsigned call = 0; call < r->calls; call++) {
        r->work(r->what, t, threads);
        pthread_barrier_wait(&r->barrier);
    }
    if (t == 0) {
        r->seconds = bench_now() - start;
    }
}

double bench_threads_seconds(int threads, unsigned calls,
                             void (*work)(void *what, int t, int threads), void *what) {
    repeated r = {.work = work, .what = what, .calls = calls};
    bench_must(pthread_barrier_init(&r.barrier, NULL, (unsigned)threads) == 0, "no barrier");
    bench_threads(threads, repeat_work, &r);
    pthread_barrier_destroy(&r.barrier);
    return r.seconds;
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

void bench_transpose(void *transposition, int t, int threads) {
    const bench_transposition *b = transposition;
    const int *axis = bench_axes[b->permutation];
    const size_t *n = b->n;
    const size_t into[3] = {1, n[0], n[0] * n[1]};
    const psg_pitch in_pitch = {n[0], n[0] * n[1]};
    const psg_pitch out_pitch = {n[axis[0]], n[axis[0]] * n[axis[1]]};
    /* an axis that is the fastest one on neither side, so that every thread has whole lines of
     * both */
    const int cut = axis[0] == 2 ? 1 : 2;
    const size_t begin = from(n[cut], t, threads);
    const size_t outof = cut == axis[1] ? out_pitch.row : out_pitch.plane;
    size_t mine[3] = {n[0], n[1], n[2]};
    mine[cut] = from(n[cut], t + 1, threads) - begin;
    psg_cpu_transpose(b->element_bytes, b->permutation, mine,
                      (const char *)b->in + begin * into[cut] * b->element_bytes, in_pitch,
                      (char *)b->out + begin * outof * b->element_bytes, out_pitch);
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
    bench_threads(threads, divide_part, &d);
}
