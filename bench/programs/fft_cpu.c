/* FFTW's 1-D transforms in batches and strides, and along z of 3-D grids, strided or after a
 * transposition: the study `fft` on the cores. FFTW plans by MEASURE, for at most 10 s each.
 * bench_fft_cpu [--kind batch|z] [--most BATCH] [--cpus N] [--repeat R] [--rows] N|NXxNYxNZ ...
 * --kind batch: FFTs of N (NX) points; z: those of the spectrum of a grid. --cpus: threads of
 * FFTW and of the transposition; default: 1. Memory of a plan is what it takes of the heap. */
#include "bench/programs/cores.h"
#include "bench/programs/fft_study.h"

#include <fftw3.h>
#include <limits.h>
#include <malloc.h>
#include <math.h>
#include <stdlib.h>

static int cpus = 1;

/* Bytes that malloc has given to the program and not had back; NAN where nobody counts. */
static double heap(void) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    const struct mallinfo2 info = mallinfo2();
    const double bytes = (double)info.uordblks + (double)info.hblkhd;
    return bytes > 0 ? bytes : NAN; /* another malloc than glibc's */
#else
    return NAN;
#endif
}

static double *array(size_t bytes) {
    return bench_array(bytes);
}

static void release(double *numbers) {
    free(numbers);
}

static void fill(double *numbers, size_t count) {
    for (size_t m = 0; m < count; m++) {
        numbers[m] = bench_noise(m + 1);
    }
}

static void get(const double *numbers, size_t at, double number[2]) {
    number[0] = numbers[2 * at];
    number[1] = numbers[2 * at + 1];
}

static void *plan(const bench_fft_spec *s, double *in, double *out, double *bytes) {
    const int n = (int)s->n;
    const double before = heap();
    if (s->n > INT_MAX || s->batch > INT_MAX || s->stride > INT_MAX || s->distance > INT_MAX) {
        return NULL; /* FFTW's numbers are int */
    }
    const fftw_plan made =
        fftw_plan_many_dft(1, &n, (int)s->batch, (fftw_complex *)in, NULL, (int)s->stride,
                           (int)s->distance, (fftw_complex *)out, NULL, (int)s->stride,
                           (int)s->distance, FFTW_FORWARD, FFTW_MEASURE | FFTW_PRESERVE_INPUT);
    *bytes = heap() - before;
    return made;
}

static void destroy(void *made) {
    fftw_destroy_plan(made);
}

static double run(const bench_fft_step *steps, int count, unsigned calls) {
    const double start = bench_now();
    for (unsigned call = 0; call < calls; call++) {
        for (int s = 0; s < count; s++) {
            const bench_fft_step *step = &steps[s];
            bench_transposition t = {16,
                                     PSG_ZXY,
                                     {step->extent[0], step->extent[1], step->extent[2]},
                                     step->in,
                                     step->out};
            if (step->plan != NULL) {
                fftw_execute(step->plan);
            } else {
                bench_threads(cpus, bench_transpose, &t);
            }
        }
    }
    return bench_now() - start;
}

static void start(bench_fft_device *device, const bench_settings *settings) {
    bench_must(fftw_init_threads() != 0, "FFTW has no threads");
    fftw_plan_with_nthreads(cpus);
    fftw_set_timelimit(10);
    device->threads = cpus;
    device->memory = bench_memory(settings);
}

int main(int argc, char **argv) {
    bench_fft_device cores = {.name = "cpu",
                              .model = "",
                              .array = array,
                              .release = release,
                              .fill = fill,
                              .get = get,
                              .plan = plan,
                              .destroy = destroy,
                              .run = run};
    return bench_fft_main(argc, argv, &cores, &cpus, start);
}
