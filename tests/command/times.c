/* A machine that is recorded can be read again: whatever its tasks took, each line says a time that a machine may have. */
#include "bench/times.h"
#include "app/app.h"
#include "graph/psg_machine.h"
#include "graph/psg_observe.h"
#include "tests/check.h"

#include <stdio.h>
#include <string.h>

enum { TIMES = 4 };

/** What so many pieces and tasks took, and the seconds of each that are to be found; piece < 0: none are. */
typedef struct costs_case {
    double measured[3][3]; /* pieces, tasks, seconds; tasks 0: it ends there */
    double piece, task;
} costs_case;

static const costs_case cases[] = {
    {{{0}}, -1, 0},
    {{{10, 5, 30}}, 3, 0},                  /* there is nothing to tell them apart by */
    {{{10, 5, 30}, {200, 100, 600}}, 3, 0}, /* nor here */
    {{{10, 5, 50}, {10, 10, 80}, {70, 1, 146}}, 2, 6},
    {{{10, 10, 10}, {20, 10, 40}}, 1.2, 0}, /* a task would take less than nothing */
    {{{10, 10, 40}, {20, 10, 20}}, 0, 2.4}, /* a piece would */
    {{{10, 10, 0}, {10, 5, 30}}, 3, 0},     /* a clock that stood still says nothing */
};

static void find_costs(void) {
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        bench_costs sums = {.pp = 0};
        double piece = -1, task = 0;
        for (int m = 0; m < 3 && cases[c].measured[m][1] > 0; ++m) {
            const double *of = cases[c].measured[m];
            bench_costs_add(&sums, of[0], of[1], of[2]);
        }
        CHECK(bench_costs_find(&sums, &piece, &task) == (cases[c].piece < 0 ? -1 : 0), "case %zu",
              c);
        CHECK_NEAR(piece, cases[c].piece, 1e-12, "seconds a piece, case %zu", c);
        CHECK_NEAR(task, cases[c].task, 1e-12, "seconds a task, case %zu", c);
    }
}

/** A core and two GPUs do tasks in turns, one GPU as many as say what is between them: 1, 2 .. 16 us, of which 8.5 is
 *  the middle one; the other one fewer, with longer gaps. Most of the tasks have 4 pieces. */
static void find_gaps(void) {
    enum { MOST = 17, WORKERS = 3 };
    static const psg_worker workers[WORKERS] = {
        {.kind = PSG_WORKER_CPU}, {.kind = PSG_WORKER_CUDA}, {.kind = PSG_WORKER_CUDA}};
    static const int tasks[WORKERS] = {MOST, MOST - 1, MOST};
    psg_event events[MOST * WORKERS];
    double end[WORKERS] = {1, 2, 3}, piece = -1, task = -1;
    size_t count = 0;
    bench_times times = {.count = 0};
    for (int m = 0; m < MOST; ++m) {
        for (int w = 0; w < WORKERS; ++w) {
            if (m < tasks[w]) {
                const double start = end[w] + (w == 2 ? 1e-6 : 1e-3) * m;
                end[w] = start + 1e-3;
                events[count++] = (psg_event){
                    .worker = w, .pieces = m < 3 ? 1 : 4, .start = start, .end = end[w]};
            }
        }
    }
    bench_times_add_gaps(&times, events, count, workers, WORKERS);
    CHECK(bench_costs_find(&times.gap, &piece, &task) == 0, "no gap");
    CHECK_NEAR(piece, 8.5e-6 / 4, 1e-12, "seconds a piece");
    CHECK_NEAR(task, 0, 1e-12, "seconds a task");
}

int main(void) {
    static const double seconds[TIMES] = {0, 3e-6, 0, 2e-3};
    bench_times times = {.count = 0};
    char line[512], unit[24];
    double read = 0;
    int lines = 0;
    for (int m = 0; m < TIMES; ++m) {
        const bench_time time = {.stage = PSG_STAGE_KSPACE,
                                 .gpu = m < 2,
                                 .n = {8, 8, 8},
                                 .sheet = 1,
                                 .count = (size_t)m + 1,
                                 .pieces = 1,
                                 .seconds = seconds[m]};
        CHECK(bench_times_add(&times, &time) == 0, "time %d", m);
    }
    CHECK(bench_times_write(&times, "times-test.machine", 1, 0) == APP_DONE, "no file");
    FILE *file = fopen("times-test.machine", "r");
    while (CHECK(file != NULL, "no file") && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "time ", 5) == 0) {
            const double want = seconds[lines];
            CHECK(sscanf(line, "time kspace f64 %23s 8x8x8 sheet %*u views 1 0 %lf", unit, &read) ==
                          2 &&
                      read > 0 && read < 1e-8 + want * 1.001 && read > want * 0.999,
                  "%g s are %s", want, line);
            ++lines;
        }
    }
    CHECK(lines == TIMES, "%d times", lines);
    if (file != NULL) {
        (void)fclose(file);
    }
    find_costs();
    find_gaps();
    bench_times_free(&times);
    (void)remove("times-test.machine");
    return check_result();
}
