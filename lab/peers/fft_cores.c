/* FFTW's transforms of one length, many at once, and transpositions of tiles, on cores. */
#include "lab/peers/fft.h"

#include <fftw3.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/** Complex numbers along each side of a tile that is transposed at a time. */
enum { TILE = 16 };

static void start(void) {
    bench_must(fftw_init_threads() != 0 && fftwf_init_threads() != 0, "FFTW has no threads");
}

static void *allocate(size_t bytes) {
    return bench_array(bytes);
}

static void copy(void *to, const void *from, size_t bytes) {
    memcpy(to, from, bytes);
}

typedef struct plans {
    fftw_plan f64;
    fftwf_plan f32;
} plans;

static double held(void) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    const struct mallinfo2 now = mallinfo2();
    return (double)now.uordblks + (double)now.hblkhd;
#else
    return 0;
#endif
}

#define DEFINE_PLAN(name, fftw)                                                                    \
    static fftw##_plan name(const bench_batch *b, void *array) {                                   \
        const int n = (int)b->n, count = (int)b->count;                                            \
        const int stride = b->strided ? count : 1, distance = b->strided ? 1 : n;                  \
        fftw##_plan_with_nthreads(b->threads);                                                     \
        return fftw##_plan_many_dft(1, &n, count, array, NULL, stride, distance, array, NULL,      \
                                    stride, distance, FFTW_FORWARD, FFTW_MEASURE);                 \
    }
DEFINE_PLAN(plan_f64, fftw)
DEFINE_PLAN(plan_f32, fftwf)

static void *plan(const bench_batch *b, void *array, double *bytes) {
    plans *p = calloc(1, sizeof *p);
    const double before = held();
    bench_must(p != NULL, "no memory for a plan");
    if (b->f32) {
        p->f32 = plan_f32(b, array);
    } else {
        p->f64 = plan_f64(b, array);
    }
    bench_must(p->f32 != NULL || p->f64 != NULL, "FFTW has no plan");
    *bytes = before > 0 ? held() - before : -1;
    return p;
}

static void run(void *what, void *array) {
    const plans *p = what;
    (void)array;
    if (p->f64 != NULL) {
        fftw_execute(p->f64);
    } else {
        fftwf_execute(p->f32);
    }
}

static void destroy(void *what) {
    plans *p = what;
    fftw_destroy_plan(p->f64);
    fftwf_destroy_plan(p->f32);
    free(p);
}

typedef struct pair {
    double re, im;
} pair;

#define DEFINE_TRANSPOSE(name, number)                                                             \
    static void name(number *restrict to, const number *restrict from, size_t rows,                \
                     size_t columns, int threads) {                                                \
        _Pragma("omp parallel for num_threads(threads) collapse(2)") for (size_t r = 0; r < rows;  \
                                                                          r += TILE) {             \
            for (size_t c = 0; c < columns; c += TILE) {                                           \
                const size_t r_end = r + TILE < rows ? r + TILE : rows;                            \
                const size_t c_end = c + TILE < columns ? c + TILE : columns;                      \
                for (size_t x = c; x < c_end; x++) {                                               \
                    for (size_t y = r; y < r_end; y++) {                                           \
                        to[x * rows + y] = from[y * columns + x];                                  \
                    }                                                                              \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }
DEFINE_TRANSPOSE(transpose_f64, pair)
DEFINE_TRANSPOSE(transpose_f32, uint64_t)

static void transpose(const bench_batch *b, void *to, const void *from, int back) {
    const size_t rows = back ? b->count : b->n;
    const size_t columns = back ? b->n : b->count;
    if (b->f32) {
        transpose_f32(to, from, rows, columns, b->threads);
    } else {
        transpose_f64(to, from, rows, columns, b->threads);
    }
}

static const bench_device cores = {start, allocate, free, copy, NULL};
const bench_transforms bench_transforms_cores = {&cores,  plan,      run,
                                                 destroy, transpose, bench_memory};
