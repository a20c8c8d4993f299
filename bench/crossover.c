/* The table after that of the rows: the configurations that differ in their workers and tile alone become a line for each tile. */
#include "bench/crossover.h"
#include "app/words.h"
#include "graph/psg_observe.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct view {
    const bench_results *results;
    const bench_sweep *sweep;
    const bench_result *result;
} view;

/* One size of a task. */
typedef struct point {
    unsigned tile;    /* 0: the workload's own */
    size_t config;    /* one that has it */
    double core, gpu; /* seconds; NAN: not known */
} point;

static const char *cell(const view *v, size_t config, const char *column) {
    const bench_table *table = &v->results->table;
    const size_t row = v->result[config].row;
    return row != SIZE_MAX ? bench_table_get(table, row, bench_table_column(table, column)) : "";
}

static bool is_of_gpus(const view *v, size_t config) {
    return strtod(cell(v, config, "workers_gpu"), NULL) > 0;
}

/* Seconds of a task of a kind, "name:tasks:seconds;..." in a row; of the run where `kind` is NULL. @return NAN: not known */
static double seconds_of(const view *v, size_t config, const char *kind) {
    if (strcmp(cell(v, config, "status"), "ok") != 0) {
        return NAN;
    }
    if (kind == NULL) {
        return strtod(cell(v, config, "seconds"), NULL);
    }
    const size_t length = strlen(kind);
    const char *at = cell(v, config, "kinds");
    while (strncmp(at, kind, length) != 0 || at[length] != ':') {
        at = strchr(at, ';');
        if (at == NULL) {
            return NAN;
        }
        at++;
    }
    char *end = NULL;
    const double tasks = strtod(at + length + 1, &end);
    return strtod(end + 1, NULL) / tasks;
}

/* Do the configurations differ in their workers and tile alone? */
static bool alike(const view *v, size_t config, size_t other) {
    static const char *const workers[] = {"cpus", "gpus"};
    bench_config c = v->sweep->config[config];
    const bench_config *from = &v->sweep->config[other];
    for (int m = 0; m < 2; m++) {
        const size_t index = bench_list_index(bench_list(workers[m]));
        memcpy(c.value[index], from->value[index], sizeof c.value[index]);
    }
    c.workload.tile = from->workload.tile;
    return bench_config_same_but(&c, from, SIZE_MAX);
}

static int by_tile(const void *a, const void *b) {
    const point *x = a, *y = b;
    return x->tile < y->tile ? -1 : x->tile > y->tile;
}

/* @param[out] list  [sweep->count] @return how many tiles have a time on a core or on a GPU */
static size_t list_points(const view *v, size_t first, const char *kind, point *list) {
    size_t count = 0;
    for (size_t c = first; c < v->sweep->count; c++) {
        const double seconds = seconds_of(v, c, kind);
        const unsigned tile = v->sweep->config[c].workload.tile;
        if (!alike(v, first, c) || isnan(seconds)) {
            continue;
        }
        size_t at = 0;
        while (at < count && list[at].tile != tile) {
            at++;
        }
        if (at == count) {
            list[count++] = (point){tile, c, NAN, NAN};
        }
        *(is_of_gpus(v, c) ? &list[at].gpu : &list[at].core) = seconds;
    }
    qsort(list, count, sizeof *list, by_tile);
    return count;
}

static void print_microseconds(double seconds) {
    const double microseconds = 1e6 * seconds;
    if (isnan(microseconds)) {
        printf(" %10s", "-");
    } else {
        printf(" %10.*f", microseconds < 100 ? 2 : 0, microseconds);
    }
}

/* From the largest tile down, as long as a GPU is faster. Tiles without both times do not count. */
static void print_crossing(const point *list, size_t count) {
    unsigned from = 0, least = 0;
    bool faster = true;
    for (size_t m = count; m-- > 0;) {
        if (!isnan(list[m].core) && !isnan(list[m].gpu)) {
            faster = faster && list[m].gpu < list[m].core;
            from = faster ? list[m].tile : from;
            least = list[m].tile;
        }
    }
    if (from > 0) {
        app_say("    a GPU is faster from tile %u on%s\n", from,
                from == least ? ", the smallest one" : "");
    } else if (least > 0) {
        app_say("    a core is faster at the largest tile\n");
    }
}

static void print_series(const view *v, size_t first, const char *kind, point *list) {
    const size_t count = list_points(v, first, kind, list);
    if (count == 0) {
        return;
    }
    app_say("%s of %s, %s\n", kind != NULL ? kind : "a run with its copies",
            cell(v, first, "workload"), cell(v, first, "precision"));
    for (size_t m = 0; m < count; m++) {
        printf("    %10s", cell(v, list[m].config, "tile"));
        print_microseconds(list[m].core);
        print_microseconds(list[m].gpu);
        printf("\n");
    }
    print_crossing(list, count);
}

void bench_crossover_print(const bench_results *results, const bench_sweep *sweep,
                           const bench_result *result) {
    const view v = {results, sweep, result};
    point *list = calloc(sweep->count + 1, sizeof *list);
    bool gpus = false;
    printf("\nMicroseconds of a task, without copies, by tile:\n    %10s %10s %10s\n", "tile",
           "a core", "a GPU");
    for (size_t first = 0; first < sweep->count && list != NULL; first++) {
        size_t before = 0;
        while (before < first && !alike(&v, before, first)) {
            before++;
        }
        gpus |= is_of_gpus(&v, first);
        for (int stage = 0; stage <= PSG_STAGE_MOST && before == first; stage++) {
            if (psg_stage_name((psg_stage)stage) != NULL) {
                print_series(&v, first, psg_stage_name((psg_stage)stage), list);
            }
        }
        if (before == first) {
            print_series(&v, first, NULL, list);
        }
    }
    if (!gpus) {
        app_say(
            "No GPU was measured: there is none, --gpus 0 leaves it out, or its rows say why they "
            "failed.\n");
    }
    free(list);
}
