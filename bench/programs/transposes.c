/* What the programs of the study `transposes` have in common. */
#include "bench/programs/transposes.h"
#include "bench/program_columns.h"

#include <math.h>
#include <string.h>

const int bench_axes[BENCH_COPY][3] = {{0, 1, 2}, {1, 0, 2}, {2, 1, 0},
                                       {0, 2, 1}, {1, 2, 0}, {2, 0, 1}};
static const char *const names[BENCH_WORKS] = {"xyz", "yxz", "zyx", "xzy", "yzx", "zxy", "copy"};

size_t bench_transposes_bytes(const bench_transposes *b) {
    return b->n[0] * b->n[1] * b->n[2] * b->element_bytes;
}

/* The first four bytes of an element are its number. */
void bench_transposes_fill(const bench_transposes *b, void *in) {
    for (size_t m = 0; m < b->n[0] * b->n[1] * b->n[2]; m++) {
        const uint32_t number = (uint32_t)m;
        memcpy((char *)in + m * b->element_bytes, &number, sizeof number);
    }
}

int bench_transposes_right(const bench_transposes *b, int work, const void *out) {
    const int *axis = bench_axes[work == BENCH_COPY ? 0 : work];
    const size_t *n = b->n, stride[3] = {1, n[0], n[0] * n[1]};
    const char *at = out;
    for (size_t r = 0; r < n[axis[2]]; r++) {
        for (size_t q = 0; q < n[axis[1]]; q++) {
            for (size_t p = 0; p < n[axis[0]]; p++, at += b->element_bytes) {
                uint32_t found;
                memcpy(&found, at, sizeof found);
                if (found !=
                    (uint32_t)(p * stride[axis[0]] + q * stride[axis[1]] + r * stride[axis[2]])) {
                    return 0;
                }
            }
        }
    }
    return 1;
}

static void tell_row(const bench_transposes *b, const bench_settings *settings, bench_csv *csv,
                     const char *name, const char *status, const bench_times *times,
                     double of_copy) {
    const double bandwidth =
        times != NULL ? 1e-9 * 2.0 * (double)bench_transposes_bytes(b) / times->median : NAN;
    char grid[80];
    snprintf(grid, sizeof grid, "%zux%zux%zu", b->n[0], b->n[1], b->n[2]);
    if (!settings->rows) {
        printf("%s %s, %zu bytes, %d %s, %-4s ", b->device, grid, b->element_bytes,
               b->threads ? b->threads : b->elements_per_thread,
               b->threads ? "threads" : "elements a thread", name);
        if (times != NULL) {
            printf("%9.3f ms %8.2f GB/s %.3f of copy ", 1e3 * times->median, bandwidth, of_copy);
        }
        printf("%s\n", status);
        return;
    }
    bench_put_text(csv, b->device);
    bench_put_text(csv, grid);
    bench_put_number(csv, (double)b->element_bytes);
    bench_put_text(csv, name);
    bench_put_number(csv, b->threads ? (double)b->threads : (double)NAN);
    bench_put_number(csv, b->elements_per_thread ? (double)b->elements_per_thread : (double)NAN);
    bench_put_text(csv, status);
    bench_put_times(csv, times);
    bench_put_number(csv, times != NULL ? settings->repeat : 0);
    bench_put_number(csv, bandwidth);
    bench_put_number(csv, of_copy);
    bench_put_text(csv, b->gpu_model);
}

void bench_transposes_tell(const bench_transposes *b, const bench_settings *settings,
                           bench_csv *csv, const char *why) {
    if (why != NULL) {
        tell_row(b, settings, csv, "", why, NULL, NAN);
        return;
    }
    const double copy = b->job[BENCH_COPY].times.median;
    for (int turn = 0; turn < BENCH_WORKS; turn++) {
        const int w = (turn + BENCH_COPY) % BENCH_WORKS; /* the copy first */
        tell_row(b, settings, csv, names[w], b->right[w] ? "ok" : "the result is wrong",
                 &b->job[w].times, copy / b->job[w].times.median);
    }
}
