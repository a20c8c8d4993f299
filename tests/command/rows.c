/* The rows of psg bench: quartiles of given times, a wrong answer is no "ok", and new rows stand in the order of
 * the sweep after those of the file. */
#include "app/app.h"
#include "bench/result.h"
#include "graph/psg_observe.h"
#include "tests/check.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CONFIGS = 4, SAMPLES = 5 };

static const char *cell(const bench_results *rows, size_t row, const char *column) {
    for (size_t c = 0; c < rows->table.columns; ++c) {
        if (strcmp(rows->table.column[c].name, column) == 0) {
            return bench_table_get(&rows->table, row, c);
        }
    }
    CHECK(0, "no column %s", column);
    return "";
}

static double value(const bench_results *rows, size_t row, const char *column) {
    return strtod(cell(rows, row, column), NULL);
}

static void quartiles(bench_results *rows, const bench_sweep *sweep, const bench_circumstances *at,
                      bench_result *result) {
    static const double seconds[SAMPLES] = {4, 1, 16, 2, 8};
    for (unsigned s = 0; s < SAMPLES; ++s) {
        result[0].sample[s] = (bench_sample){.seconds = seconds[s], .busy = seconds[s] / 32};
        result[0].sample[s].stage[PSG_STAGE_KSPACE] = 32 - seconds[s];
        result[0].sample[s].busy_worker[1] = 0.5F;
    }
    result[0].samples = SAMPLES;
    result[0].facts.workers = 2;
    result[0].tolerance = 1e-13;
    CHECK(bench_results_put(rows, sweep, 0, at, result) == APP_DONE, "no row");
    const size_t row = result[0].row;
    CHECK(strcmp(cell(rows, row, "status"), "ok") == 0, "status %s", cell(rows, row, "status"));
    CHECK_NEAR(value(rows, row, "seconds"), 4, 0, "median");
    CHECK_NEAR(value(rows, row, "seconds_min"), 1, 0, "minimum");
    CHECK_NEAR(value(rows, row, "seconds_q1"), 2, 0, "lower quartile");
    CHECK_NEAR(value(rows, row, "seconds_q3"), 8, 0, "upper quartile");
    CHECK_NEAR(value(rows, row, "seconds_max"), 16, 0, "maximum");
    CHECK_NEAR(value(rows, row, "busy"), 0.125, 0, "busy");
    CHECK_NEAR(value(rows, row, "idle"), 0.875, 0, "idle");
    CHECK_NEAR(value(rows, row, "kspace_seconds"), 28, 0, "stage");
    CHECK(strcmp(cell(rows, row, "busy_workers"), "0.000 0.500") == 0, "workers: %s",
          cell(rows, row, "busy_workers"));
    CHECK(cell(rows, row, "bound_seconds")[0] == '\0' && bench_results_done(rows, row, 5, 0) &&
              !bench_results_done(rows, row, 5, 1),
          "bounds that nobody found: %s", cell(rows, row, "bound_seconds"));
    result[0].samples = 4; /* 1 2 4 16: between two */
    result[0].sample[0].seconds = 4;
    CHECK(bench_results_put(rows, sweep, 0, at, result) == APP_DONE, "no row");
    CHECK(result[0].row == row && rows->table.rows == 1, "the row was not replaced");
    CHECK_NEAR(value(rows, row, "seconds"), 3, 0, "median of four");
    CHECK_NEAR(value(rows, row, "seconds_q1"), 1.75, 0, "lower quartile of four");
}

/** The bound of a row is the largest of the medians, whichever was the largest in each round. */
static void bounds(bench_results *rows, const bench_sweep *sweep, const bench_circumstances *at,
                   bench_result *result) {
    static const double path[] = {1, 2, 9}, work[] = {3, 4, 3}, lp[] = {0.5, 0.25, 0.125};
    for (unsigned s = 0; s < 3; ++s) {
        bench_sample *sample = &result[0].sample[s];
        sample->bound[PSG_BOUND_PATH] = path[s];
        sample->bound[PSG_BOUND_WORK] = work[s];
        sample->lp_bound = lp[s];
        sample->of_bound = path[s] / 16;
    }
    result[0].samples = 3;
    CHECK(bench_results_put(rows, sweep, 0, at, result) == APP_DONE, "no row");
    const size_t row = result[0].row;
    CHECK_NEAR(value(rows, row, "bound_path_seconds"), 2, 0, "path");
    CHECK_NEAR(value(rows, row, "bound_work_seconds"), 3, 0, "work");
    CHECK_NEAR(value(rows, row, "bound_memory_seconds"), 0, 0, "memory");
    CHECK_NEAR(value(rows, row, "bound_lp_seconds"), 0.25, 0, "linear program");
    CHECK_NEAR(value(rows, row, "bound_seconds"), 3, 0, "the largest");
    CHECK_NEAR(value(rows, row, "of_bound"), 0.125, 0, "share");
    CHECK(strcmp(cell(rows, row, "bound_by"), "work") == 0, "by %s", cell(rows, row, "bound_by"));
    CHECK(bench_results_done(rows, row, 3, 1), "it does not count as measured");
    result[0].sample[1].lp_bound = 0;
    CHECK(bench_results_put(rows, sweep, 0, at, result) == APP_DONE, "no row");
    CHECK(cell(rows, row, "bound_lp_seconds")[0] == '\0', "linear program of some rounds only: %s",
          cell(rows, row, "bound_lp_seconds"));
    result[0].samples = 4;
}

/** Seconds of copies: the median; empty where not known, and 0 where nothing was copied. */
static void links(bench_results *rows, const bench_sweep *sweep, const bench_circumstances *at,
                  bench_result *result) {
    static const double seconds[] = {0.5, 0.125, 0.25, 1, 0.0625};
    for (unsigned s = 0; s < SAMPLES; ++s) {
        bench_sample *sample = &result[0].sample[s];
        sample->h2d_bytes = 1 << 20;
        sample->h2d_seconds = seconds[s];
        sample->d2h_seconds = NAN;
        sample->d2d_seconds = 0;
    }
    result[0].samples = SAMPLES;
    CHECK(bench_results_put(rows, sweep, 0, at, result) == APP_DONE, "no row");
    const size_t row = result[0].row;
    CHECK_NEAR(value(rows, row, "h2d_bytes"), 1 << 20, 0, "bytes to GPUs");
    CHECK_NEAR(value(rows, row, "h2d_seconds"), 0.25, 0, "to GPUs");
    CHECK(cell(rows, row, "d2h_seconds")[0] == '\0', "from GPUs, not known: %s",
          cell(rows, row, "d2h_seconds"));
    CHECK(strcmp(cell(rows, row, "d2d_seconds"), "0") == 0, "between GPUs: %s",
          cell(rows, row, "d2d_seconds"));
    for (unsigned s = 0; s < SAMPLES; ++s) {
        result[0].sample[s].h2d_seconds = NAN;
        CHECK(bench_results_put(rows, sweep, 0, at, result) == APP_DONE, "no row");
        CHECK(cell(rows, row, "h2d_seconds")[0] == '\0', "not known in a round: %s",
              cell(rows, row, "h2d_seconds"));
        result[0].sample[s].h2d_seconds = seconds[s];
    }
    result[0].samples = 4;
}

static void wrong_answers(bench_results *rows, const bench_sweep *sweep,
                          const bench_circumstances *at, bench_result *result) {
    static const double errors[] = {0.25, NAN, INFINITY};
    for (size_t e = 0; e < sizeof errors / sizeof errors[0]; ++e) {
        result[0].error = errors[e];
        CHECK(bench_results_put(rows, sweep, 0, at, result) == APP_DONE, "no row");
        CHECK(strstr(cell(rows, 0, "status"), "wrong") != NULL, "error %g: status %s", errors[e],
              cell(rows, 0, "status"));
        CHECK(!bench_results_done(rows, 0, 1, 0), "error %g: it counts as measured", errors[e]);
    }
}

/** Rows of this run come in any order, here 2 0 3 1 beside one of the file. */
static void order(const bench_sweep *sweep, const bench_circumstances *at, bench_result *result) {
    static const size_t times[] = {2, 0, 3, 1};
    bench_results rows;
    CHECK(bench_results_init(&rows) == APP_DONE, "no table");
    bench_table_add(&rows.table, 0);
    for (size_t n = 0; n < CONFIGS; ++n) {
        result[n].row = SIZE_MAX;
        result[n].added = 0;
    }
    for (size_t n = 0; n < CONFIGS; ++n) {
        CHECK(bench_results_put(&rows, sweep, times[n], at, result) == APP_DONE, "no row");
    }
    CHECK(rows.table.rows == CONFIGS + 1, "%zu rows", rows.table.rows);
    for (size_t n = 0; n < CONFIGS; ++n) {
        char text[64];
        bench_config_text(&sweep->config[n], BENCH_LIST_GRID, text);
        CHECK(result[n].row == n + 1, "configuration %zu is in row %zu", n, result[n].row);
        CHECK(strcmp(cell(&rows, n + 1, "grid"), text) == 0, "row %zu has %s", n + 1,
              cell(&rows, n + 1, "grid"));
        CHECK(bench_results_find(&rows, &sweep->config[n], at) == n + 1, "%s is not found", text);
    }
    bench_results_free(&rows);
}

int main(void) {
    const char *lists[BENCH_LISTS_MOST] = {[BENCH_LIST_GRID] = "3,4,5,6"};
    bench_sweep sweep = {.count = 0};
    bench_result result[CONFIGS];
    bench_results rows;
    bench_circumstances at = {.warm_up = 2};
    memset(result, 0, sizeof result);
    app_machine_find(&at.machine);
    CHECK(bench_sweep_add(&sweep, lists) == APP_DONE && sweep.count == CONFIGS,
          "%zu configurations", sweep.count);
    CHECK(bench_results_init(&rows) == APP_DONE, "no table");
    for (size_t n = 0; n < CONFIGS; ++n) {
        result[n].row = SIZE_MAX;
        result[n].sample = calloc(SAMPLES, sizeof *result[n].sample);
    }
    quartiles(&rows, &sweep, &at, result);
    bounds(&rows, &sweep, &at, result);
    links(&rows, &sweep, &at, result);
    wrong_answers(&rows, &sweep, &at, result);
    order(&sweep, &at, result);
    for (size_t n = 0; n < CONFIGS; ++n) {
        free(result[n].sample);
    }
    bench_results_free(&rows);
    bench_sweep_free(&sweep);
    return check_result();
}
