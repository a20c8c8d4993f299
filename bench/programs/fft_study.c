/* The study `fft`. What is compared takes turns: the strides of a batch; strided and transposed
 * transforms along z. */
#include "bench/programs/fft_study.h"
#include "bench/program_columns.h"

#include <math.h>
#include <string.h>

enum { STRIDES = 3, NUMBER_BYTES = 16 };

/* What is compared along z. */
enum { Z_STRIDED, Z_TRANSPOSE, Z_CONTIGUOUS, Z_TRANSPOSED, Z_WORKS };

/* A turn takes as long, for the clock's sake. */
static const double least_seconds = 1e-3;

typedef struct study {
    const bench_fft_device *device;
    const bench_settings *settings;
    bench_csv csv;
} study;

/* A work, and the row that it becomes. */
typedef struct work {
    const bench_fft_device *device;
    bench_fft_step step[2];
    int steps;
    bench_fft_spec spec;
    const char *kind, *grid, *layout;
    char why[128]; /* "" = it was measured */
    double over_contiguous, strided_over_transposed, plan_bytes, plan_seconds;
} work;

static double run(void *what, unsigned calls) {
    const work *w = what;
    return w->device->run(w->step, w->steps, calls);
}

/* From the first number to the last. */
static size_t data_bytes(const bench_fft_spec *s) {
    return ((s->n - 1) * s->stride + (s->batch - 1) * s->distance + 1) * NUMBER_BYTES;
}

static double operations(const bench_fft_spec *s) {
    return 5 * (double)s->n * log2((double)s->n) * (double)s->batch;
}

static void tell(study *y, const work *w, const bench_times *times) {
    const bench_fft_spec *s = &w->spec;
    const int transforms = w->steps == 0 || w->step[0].plan != NULL || w->steps > 1;
    const double each = times != NULL && transforms ? times->median / (double)s->batch : NAN;
    const double gflops = transforms && times != NULL ? 1e-9 * operations(s) / times->median : NAN;
    bench_csv *csv = &y->csv;
    if (!y->settings->rows) {
        printf("%s %-5s %-10s n %4zu batch %7zu stride %8zu: ", y->device->name, w->kind, w->layout,
               s->n, s->batch, s->stride);
        if (times != NULL) {
            printf("%10.3f us, %9.4f us each, %7.2f Gflop/s, %.2f of contiguous %s\n",
                   1e6 * times->median, 1e6 * each, gflops, w->over_contiguous, w->why);
        } else {
            printf("%s\n", w->why);
        }
        return;
    }
    bench_put_text(csv, y->device->name);
    bench_put_text(csv, w->kind);
    bench_put_text(csv, w->grid);
    bench_put_text(csv, w->layout);
    bench_put_number(csv, (double)s->n);
    bench_put_number(csv, (double)s->batch);
    bench_put_number(csv, (double)s->stride);
    bench_put_number(csv, y->device->threads ? (double)y->device->threads : (double)NAN);
    bench_put_text(csv, w->why[0] ? w->why : "ok");
    bench_put_times(csv, times);
    bench_put_number(csv, times != NULL ? y->settings->repeat : 0);
    bench_put_number(csv, each);
    bench_put_number(csv, gflops);
    bench_put_number(csv, w->over_contiguous);
    bench_put_number(csv, w->strided_over_transposed);
    bench_put_number(csv, (double)data_bytes(s));
    bench_put_number(csv, w->plan_bytes);
    bench_put_number(csv, w->plan_seconds);
    bench_put_text(csv, y->device->model);
}

/* Time planning, and then make the input what it has to be. */
static void *plan(const bench_fft_device *device, work *w, double *in, double *out) {
    const double start = bench_now();
    void *made = device->plan(&w->spec, in, out, &w->plan_bytes);
    w->plan_seconds = bench_now() - start;
    if (made == NULL) {
        snprintf(w->why, sizeof w->why, "no plan could be made");
    }
    return made;
}

/* Two modes of one FFT of the batch, from the sums that define them. */
static int one_is_right(const work *w, const double *in, const double *out,
                        const bench_fft_spec *to, size_t which) {
    const bench_fft_spec *s = &w->spec;
    for (size_t mode = 0; mode < s->n && mode < 2; mode++) {
        double sum[2] = {0, 0}, number[2], size = 0;
        for (size_t m = 0; m < s->n; m++) {
            const double angle = -2 * M_PI * (double)(mode * m) / (double)s->n;
            w->device->get(in, which * s->distance + m * s->stride, number);
            sum[0] += number[0] * cos(angle) - number[1] * sin(angle);
            sum[1] += number[0] * sin(angle) + number[1] * cos(angle);
            size += fabs(number[0]) + fabs(number[1]);
        }
        w->device->get(out, which * to->distance + mode * to->stride, number);
        if (!(hypot(number[0] - sum[0], number[1] - sum[1]) <= 1e-12 * (1 + size))) {
            return 0;
        }
    }
    return 1;
}

/* The first and the last FFT of it. @param[in] to  how the result lies */
static void check(work *w, const double *in, const double *out, const bench_fft_spec *to) {
    (void)w->device->run(w->step, w->steps, 1);
    if (!one_is_right(w, in, out, to, 0) || !one_is_right(w, in, out, to, w->spec.batch - 1)) {
        snprintf(w->why, sizeof w->why, "the result is wrong");
    }
}

/* ------------------------------------------------------------------------------------- batches */

/* Those of one batch that there is memory for, in the order of the strides. */
static int choose(study *y, work *works, size_t n, size_t batch, size_t *most_bytes) {
    int count = 0;
    for (int s = 0; s < STRIDES; s++) {
        const size_t stride = s == 0 ? 1 : s == 1 ? n : n * n;
        work w = {.device = y->device,
                  .spec = {n, batch, stride, s == 0 ? n : 1},
                  .kind = "batch",
                  .grid = "",
                  .layout = s == 0 ? "contiguous" : "strided",
                  .over_contiguous = NAN,
                  .strided_over_transposed = NAN,
                  .plan_bytes = NAN,
                  .plan_seconds = NAN};
        const size_t bytes = data_bytes(&w.spec);
        if (s > 0 && (n == 1 || batch > stride)) {
            continue; /* they do not fit beside each other */
        }
        if (!bench_fits(2.0 * (double)bytes, y->device->memory, w.why)) {
            tell(y, &w, NULL);
            continue;
        }
        w.why[0] = '\0';
        *most_bytes = bytes > *most_bytes ? bytes : *most_bytes;
        works[count++] = w;
    }
    return count;
}

static void measure_batch(study *y, size_t n, size_t batch) {
    const bench_fft_device *device = y->device;
    work works[STRIDES];
    bench_job jobs[STRIDES];
    size_t bytes = 0;
    int planned = 0;
    const int count = choose(y, works, n, batch, &bytes);
    if (count == 0) {
        return;
    }
    double *in = device->array(bytes), *out = device->array(bytes);
    for (int s = 0; s < count; s++) {
        work *w = &works[s];
        void *made = plan(device, w, in, out);
        if (made == NULL) {
            tell(y, w, NULL);
            continue;
        }
        w->step[0] = (bench_fft_step){.plan = made, .in = in, .out = out};
        w->steps = 1;
        works[planned++] = *w;
    }
    device->fill(in, bytes / sizeof *in);
    for (int s = 0; s < planned; s++) {
        check(&works[s], in, out, &works[s].spec);
        jobs[s] = (bench_job){.run = run, .what = &works[s]};
    }
    bench_interleave(jobs, (size_t)planned, y->settings, least_seconds);
    for (int s = 0; s < planned; s++) {
        if (works[0].spec.stride == 1) {
            works[s].over_contiguous = jobs[s].times.median / jobs[0].times.median;
        }
        tell(y, &works[s], &jobs[s].times);
        device->destroy(works[s].step[0].plan);
    }
    device->release(in);
    device->release(out);
}

/* ------------------------------------------------------------------------------------------- z */

static void describe_z(work *works, const bench_fft_device *device, const char *grid,
                       const size_t extent[3], double *const array[3]) {
    static const char *const layout[Z_WORKS] = {"strided", "transpose", "contiguous", "transposed"};
    const size_t columns = extent[0] * extent[1], n = extent[2];
    const bench_fft_spec strided = {n, columns, columns, 1}, contiguous = {n, columns, 1, n};
    for (int z = 0; z < Z_WORKS; z++) {
        works[z] = (work){.device = device,
                          .steps = z == Z_TRANSPOSED ? 2 : 1,
                          .spec = z == Z_CONTIGUOUS ? contiguous : strided,
                          .kind = "z",
                          .grid = grid,
                          .layout = layout[z],
                          .over_contiguous = NAN,
                          .strided_over_transposed = NAN,
                          .plan_bytes = NAN,
                          .plan_seconds = NAN};
        memcpy(works[z].step[0].extent, extent, sizeof works[z].step[0].extent);
        works[z].step[0].in = z == Z_CONTIGUOUS ? array[1] : array[0];
        works[z].step[0].out = z == Z_TRANSPOSE || z == Z_TRANSPOSED ? array[1] : array[2];
    }
}

/* Strided and transposed in turns. */
static void compare_z(study *y, work *works, double *const array[3]) {
    bench_job jobs[Z_WORKS];
    works[Z_TRANSPOSED].step[1] = works[Z_CONTIGUOUS].step[0];
    check(&works[Z_TRANSPOSED], array[0], array[2], &works[Z_CONTIGUOUS].spec);
    check(&works[Z_STRIDED], array[0], array[2], &works[Z_STRIDED].spec);
    for (int z = 0; z < Z_WORKS; z++) {
        jobs[z] = (bench_job){.run = run, .what = &works[z]};
    }
    bench_interleave(jobs, Z_WORKS, y->settings, least_seconds);
    works[Z_TRANSPOSED].strided_over_transposed =
        jobs[Z_STRIDED].times.median / jobs[Z_TRANSPOSED].times.median;
    for (int z = 0; z < Z_WORKS; z++) {
        works[z].over_contiguous = jobs[z].times.median / jobs[Z_CONTIGUOUS].times.median;
        tell(y, &works[z], &jobs[z].times);
    }
}

static void measure_z(study *y, const size_t grid[3]) {
    const bench_fft_device *device = y->device;
    const size_t extent[3] = {grid[0] / 2 + 1, grid[1], grid[2]};
    const size_t bytes = extent[0] * extent[1] * extent[2] * NUMBER_BYTES;
    double *array[3]; /* as it is, transposed, the result */
    char name[80], why[128];
    work works[Z_WORKS];
    const int fits = bench_fits(3.0 * (double)bytes, device->memory, why);
    for (int a = 0; a < 3; a++) {
        array[a] = fits ? device->array(bytes) : NULL;
    }
    snprintf(name, sizeof name, "%zux%zux%zu", grid[0], grid[1], grid[2]);
    describe_z(works, device, name, extent, array);
    if (!fits) {
        memcpy(works[Z_TRANSPOSED].why, why, sizeof why);
        tell(y, &works[Z_TRANSPOSED], NULL);
        return;
    }
    int planned = 0;
    for (int z = Z_STRIDED; z <= Z_CONTIGUOUS; z += Z_CONTIGUOUS - Z_STRIDED) {
        works[z].step[0].plan = plan(device, &works[z], works[z].step[0].in, array[2]);
        planned += works[z].step[0].plan != NULL;
        if (works[z].step[0].plan == NULL) {
            tell(y, &works[z], NULL);
        }
    }
    device->fill(array[0], bytes / sizeof *array[0]);
    if (planned == 2) {
        compare_z(y, works, array);
    }
    for (int z = Z_STRIDED; z <= Z_CONTIGUOUS; z += Z_CONTIGUOUS - Z_STRIDED) {
        if (works[z].step[0].plan != NULL) {
            device->destroy(works[z].step[0].plan);
        }
    }
    for (int a = 0; a < 3; a++) {
        device->release(array[a]);
    }
}

/* ---------------------------------------------------------------------------------- the program */

int bench_fft_main(int argc, char **argv, bench_fft_device *device, int *cpus,
                   void (*start)(bench_fft_device *device, const bench_settings *settings)) {
    static const bench_word kinds[] = {{"batch", 0}, {"z", 1}, {NULL, 0}};
    bench_settings settings = {.repeat = 9, .warm_up = 2, .seed = 1};
    study y = {.device = device, .settings = &settings};
    int z = 0, most = 100000;
    const bench_option options[] = {{"kind", BENCH_WORD, &z, kinds},
                                    {"most", BENCH_COUNT, &most, NULL},
                                    {cpus != NULL ? "cpus" : NULL, BENCH_COUNT, cpus, NULL},
                                    {NULL, BENCH_FLAG, NULL, NULL}};
    const int first = bench_arguments(argc, argv, options, "N|NXxNYxNZ ...", &settings);
    start(device, &settings);
    if (settings.rows) {
        bench_csv_open(&y.csv, NULL, NULL, BENCH_FFT_COLUMNS);
    }
    for (int g = first; g < argc; g++) {
        size_t n[3];
        bench_read_grid(argv[g], n);
        if (z) {
            measure_z(&y, n);
        }
        for (size_t batch = 1; !z && batch <= (size_t)most; batch *= 10) {
            measure_batch(&y, n[0], batch);
        }
    }
    return 0;
}
