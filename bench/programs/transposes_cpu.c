/* The six permutations of a 3-D array on the cores, beside a plain copy: of elements of 4, 8 and
 * 16 bytes, by one thread and by all. What is compared takes turns. Bandwidths count bytes read
 * and bytes written.
 * bench_transposes_cpu [--cpus 1,2,...] [--repeat R] [--rows] GRID ... */
#include "bench/program_columns.h"
#include "bench/programs/cores.h"
#include "bench/programs/transposes.h"

#include <stdlib.h>
#include <string.h>

enum { COUNTS_MOST = 32 };

/* A turn takes as long, for the threads' sake. */
static const double least_seconds = 2e-3;

typedef struct work {
    bench_transposition transposition;
    int threads;
    int is_copy;
} work;

static void copy_part(void *transposition, int t, int threads) {
    const bench_transposition *b = transposition;
    const size_t bytes = b->n[0] * b->n[1] * b->n[2] * b->element_bytes;
    const size_t begin = bytes * (size_t)t / (size_t)threads;
    memcpy((char *)b->out + begin, (const char *)b->in + begin,
           bytes * (size_t)(t + 1) / (size_t)threads - begin);
}

static double run(void *what, unsigned calls) {
    work *w = what;
    return bench_threads_seconds(w->threads, calls, w->is_copy ? copy_part : bench_transpose,
                                 &w->transposition);
}

static void measure(bench_transposes *b, const bench_settings *settings, bench_csv *csv) {
    const size_t bytes = bench_transposes_bytes(b);
    work works[BENCH_WORKS];
    char why[128];
    if (!bench_fits(2.0 * (double)bytes, bench_memory(settings), why)) {
        bench_transposes_tell(b, settings, csv, why);
        return;
    }
    void *in = bench_array(bytes), *out = bench_array(bytes);
    bench_transposes_fill(b, in);
    for (int w = 0; w < BENCH_WORKS; w++) {
        works[w] =
            (work){{b->element_bytes, w == BENCH_COPY ? PSG_XYZ : (psg_permutation)w, {0}, in, out},
                   b->threads,
                   w == BENCH_COPY};
        memcpy(works[w].transposition.n, b->n, sizeof b->n);
        b->job[w] = (bench_job){.run = run, .what = &works[w]};
        memset(out, 0xff, bytes);
        (void)run(&works[w], 1);
        b->right[w] = bench_transposes_right(b, w, out);
    }
    bench_interleave(b->job, BENCH_WORKS, settings, least_seconds);
    bench_transposes_tell(b, settings, csv, NULL);
    free(in);
    free(out);
}

int main(int argc, char **argv) {
    bench_settings settings = {.repeat = 9, .warm_up = 2, .seed = 1};
    bench_transposes b = {.device = "cpu", .gpu_model = ""};
    bench_csv csv;
    char all[32];
    snprintf(all, sizeof all, bench_cores() > 1 ? "1,%d" : "%d", bench_cores());
    const char *cpus = all;
    const bench_option options[] = {{"cpus", BENCH_TEXT, &cpus, NULL}, {0}};
    int counts[COUNTS_MOST];
    const int first = bench_arguments(argc, argv, options, "N|NXxNYxNZ ...", &settings);
    const int kinds = bench_read_list(cpus, counts, COUNTS_MOST);
    if (settings.rows) {
        bench_csv_open(&csv, NULL, NULL, BENCH_TRANSPOSES_COLUMNS);
    }
    for (int g = first; g < argc; g++) {
        bench_read_grid(argv[g], b.n);
        for (int k = 0; k < kinds; k++) {
            b.threads = counts[k];
            for (b.element_bytes = 4; b.element_bytes <= 16; b.element_bytes *= 2) {
                measure(&b, &settings, &csv);
            }
        }
    }
    return 0;
}
