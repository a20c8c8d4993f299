/* Rows of the CSV file. The columns of the lists, with those of the versions, the launcher and
 * the machine, are the identity: they say what was measured. */
#include "bench/result.h"
#include "app/app.h"
#include "base/median.h"
#include "graph/psg_machine.h"
#include "graph/psg_observe.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The columns after those of the lists, up to those of the stages: TEXT, NUMBER, either of them part of the IDENTITY, or the
 * MEDIAN of a member of all samples. Those of the bounds are in the order of psg_bound. */
#define TEXT true, false, 0
#define TEXT_IDENTITY true, true, 0
#define NUMBER false, false, 0
#define NUMBER_IDENTITY false, true, 0
#define MEDIAN(member) false, false, offsetof(bench_sample, member)
#define OWN_COLUMNS(X)                                                                             \
    X(STATUS, "status", TEXT)                                                                      \
    X(SECONDS, "seconds", NUMBER)                                                                  \
    X(SECONDS_MIN, "seconds_min", NUMBER)                                                          \
    X(SECONDS_Q1, "seconds_q1", NUMBER)                                                            \
    X(SECONDS_Q3, "seconds_q3", NUMBER)                                                            \
    X(SECONDS_MAX, "seconds_max", NUMBER)                                                          \
    X(REPEATS, "repeats", NUMBER)                                                                  \
    X(WARM_UP, "warm_up", NUMBER)                                                                  \
    X(SEED, "seed", NUMBER)                                                                        \
    X(MODELS, "models", TEXT)                                                                      \
    X(GFLOPS, "gflops", NUMBER)                                                                    \
    X(POINTS, "points", NUMBER)                                                                    \
    X(ERROR, "error", NUMBER)                                                                      \
    X(TOLERANCE, "tolerance", NUMBER)                                                              \
    X(BUSY, "busy", MEDIAN(busy))                                                                  \
    X(IDLE, "idle", NUMBER)                                                                        \
    X(EXCHANGE_BUSY, "exchange_busy", MEDIAN(exchange_busy))                                       \
    X(BUSIEST, "busiest", MEDIAN(busiest))                                                         \
    X(BUSY_WORKERS, "busy_workers", TEXT)                                                          \
    X(LOAD, "load", NUMBER)                                                                        \
    X(LOAD_AVERAGE, "load_average", NUMBER)                                                        \
    X(TASKS_CPU, "tasks_cpu", MEDIAN(tasks_cpu))                                                   \
    X(TASKS_GPU, "tasks_gpu", MEDIAN(tasks_gpu))                                                   \
    X(KINDS, "kinds", TEXT)                                                                        \
    X(CPU_PLANES, "cpu_planes", MEDIAN(cpu_planes))                                                \
    X(CPU_ROWS, "cpu_rows", MEDIAN(cpu_rows))                                                      \
    X(H2D, "h2d_bytes", MEDIAN(h2d_bytes))                                                         \
    X(D2H, "d2h_bytes", MEDIAN(d2h_bytes))                                                         \
    X(D2D, "d2d_bytes", MEDIAN(d2d_bytes))                                                         \
    X(H2D_SECONDS, "h2d_seconds", MEDIAN(h2d_seconds))                                             \
    X(D2H_SECONDS, "d2h_seconds", MEDIAN(d2h_seconds))                                             \
    X(D2D_SECONDS, "d2d_seconds", MEDIAN(d2d_seconds))                                             \
    X(SENT, "sent_bytes", MEDIAN(sent_bytes))                                                      \
    X(SPECTRUM, "spectrum_bytes", MEDIAN(spectrum_bytes))                                          \
    X(BOUNDS, "bound_path_seconds", NUMBER)                                                        \
    X(BOUND_WORK, "bound_work_seconds", NUMBER)                                                    \
    X(BOUND_MEMORY, "bound_memory_seconds", NUMBER)                                                \
    X(BOUND_OF_LINK, "bound_link_seconds", NUMBER)                                                 \
    X(BOUND_LP, "bound_lp_seconds", NUMBER)                                                        \
    X(BOUND, "bound_seconds", NUMBER)                                                              \
    X(BOUND_BY, "bound_by", TEXT)                                                                  \
    X(BOUND_LINK, "bound_link", TEXT)                                                              \
    X(OF_BOUND, "of_bound", NUMBER)                                                                \
    X(WORKERS_CPU, "workers_cpu", NUMBER)                                                          \
    X(WORKERS_GPU, "workers_gpu", NUMBER)                                                          \
    X(POLICY, "policy", TEXT)                                                                      \
    X(EXCHANGE_USED, "exchange_used", TEXT)                                                        \
    X(SEGMENTS, "segments", NUMBER)                                                                \
    X(PLANES, "planes", NUMBER)                                                                    \
    X(SHEETS_USED, "sheets_used", NUMBER)                                                          \
    X(PLAN_SECONDS, "plan_seconds", NUMBER)                                                        \
    X(VERSIONS, "psg_version", TEXT_IDENTITY)                                                      \
    X(VERSION_STARPU, "starpu_version", TEXT_IDENTITY)                                             \
    X(VERSION_FFTW, "fftw_version", TEXT_IDENTITY)                                                 \
    X(VERSION_CUDA, "cuda_version", TEXT_IDENTITY)                                                 \
    X(VERSION_MPI, "mpi_version", TEXT_IDENTITY)                                                   \
    X(MPIRUN, "mpirun", TEXT_IDENTITY)                                                             \
    X(HOST, "host", TEXT_IDENTITY)                                                                 \
    X(CPU_MODEL, "cpu_model", TEXT_IDENTITY)                                                       \
    X(CORES, "cores", NUMBER_IDENTITY)                                                             \
    X(GPU_MODEL, "gpu_model", TEXT)                                                                \
    X(DATE, "date", TEXT)

#define COLUMN_NUMBER(column, name, ...) column,
enum { OWN_COLUMNS(COLUMN_NUMBER) STAGES, COLUMNS = STAGES + BENCH_STAGES };
_Static_assert((int)BOUND_LP == BOUNDS + PSG_BOUND_COUNT, "a column for each bound");

#define COLUMN_ROW(column, name, ...) {name, __VA_ARGS__},
static const struct {
    const char *name;
    bool is_text, is_identity;
    size_t median; /* the member's offset; 0: of none */
} own[STAGES] = {OWN_COLUMNS(COLUMN_ROW)};

static size_t columns(void) {
    return bench_lists() + COLUMNS;
}

int bench_results_init(bench_results *results) {
    const bench_config standard = {.grid = {.n = {1, 1, 1}}, .ranks = 1};
    bench_column *column = results->columns = calloc(columns(), sizeof *column);
    results->stage_names = calloc(BENCH_STAGES, sizeof *results->stage_names);
    if (column == NULL || results->stage_names == NULL) {
        return app_error(APP_FAILED, "out of memory");
    }
    for (size_t list = 0; list < bench_lists(); list++) {
        char text[64];
        bench_config_text(&standard, list, text); /* "1x1x1" is no number */
        *column++ =
            (bench_column){.name = bench_list_column(list),
                           .is_text = text[0] == '\0' || text[strspn(text, "0123456789")] != '\0',
                           .is_identity = true};
    }
    for (int c = 0; c < STAGES; c++) {
        *column++ = (bench_column){own[c].name, own[c].is_text, own[c].is_identity};
    }
    for (int g = 0; g < BENCH_STAGES; g++) {
        snprintf(results->stage_names[g], sizeof results->stage_names[0], "%s_seconds",
                 psg_stage_name(g));
        *column++ = (bench_column){.name = results->stage_names[g]};
    }
    bench_table_init(&results->table, results->columns, columns());
    return APP_DONE;
}

void bench_results_free(bench_results *results) {
    bench_table_free(&results->table);
    free(results->columns);
    free(results->stage_names);
}

/* ------------------------------------------------------------------------------- identity */

/* What is measured, and the circumstances. @return 0; -1: out of memory */
static int put_identity(bench_table *table, size_t row, const bench_config *config,
                        const bench_circumstances *at) {
    char text[64];
    int failed = bench_circumstances_put(at, table, row);
    for (size_t list = 0; list < bench_lists() && !failed; list++) {
        bench_config_text(config, list, text);
        failed = bench_table_set(table, row, list, text);
    }
    return failed ? failed
                  : bench_table_set(table, row, bench_lists() + MPIRUN,
                                    config->ranks > 1 ? at->mpirun : "");
}

size_t bench_results_find(const bench_results *results, const bench_config *config,
                          const bench_circumstances *circumstances) {
    bench_table wanted;
    bench_table_init(&wanted, results->columns, columns());
    const bool failed =
        bench_table_add(&wanted, 0) == SIZE_MAX || put_identity(&wanted, 0, config, circumstances);
    size_t row = failed ? 0 : results->table.rows; /* the latest one, if somebody joined files */
    while (row > 0 && !bench_table_is_same(&results->table, row - 1, &wanted, 0)) {
        row--;
    }
    bench_table_free(&wanted);
    return row > 0 ? row - 1 : SIZE_MAX;
}

static const char *get(const bench_results *results, size_t row, int column) {
    return bench_table_get(&results->table, row, bench_lists() + (size_t)column);
}

bool bench_results_done(const bench_results *results, size_t row, unsigned repeat, bool bounds) {
    return row != SIZE_MAX && (!bounds || get(results, row, BOUND)[0]) &&
           strcmp(get(results, row, STATUS), "ok") == 0 &&
           strtoul(get(results, row, REPEATS), NULL, 10) >= repeat;
}

const char *bench_results_date(const bench_results *results, size_t row) {
    return get(results, row, DATE);
}

const char *bench_results_status(const bench_results *results, size_t row) {
    return row == SIZE_MAX ? "not measured" : get(results, row, STATUS);
}

static double cell(const bench_results *results, size_t at, int column) {
    const char *text = get(results, at, column);
    return text[0] ? strtod(text, NULL) : NAN;
}

double bench_results_load(const bench_results *results, size_t row) {
    return cell(results, row, LOAD);
}

/* ------------------------------------------------------------------------------------ numbers */

/* The numbers of one member of all samples, sorted. */
static void gather(const bench_result *r, size_t offset, bool is_float, double *sorted) {
    for (unsigned s = 0; s < r->samples; s++) {
        const char *at = (const char *)&r->sample[s] + offset;
        float small;
        if (is_float) {
            memcpy(&small, at, sizeof small);
            sorted[s] = small;
        } else {
            memcpy(&sorted[s], at, sizeof sorted[s]);
        }
    }
    base_sort(sorted, r->samples);
}

void bench_result_quartiles(const bench_result *r, double quartile[3]) {
    double *sorted = malloc((r->samples + 1) * sizeof *sorted);
    quartile[0] = quartile[1] = quartile[2] = NAN;
    if (sorted != NULL && r->samples > 0) {
        gather(r, offsetof(bench_sample, seconds), 0, sorted);
        for (int q = 0; q < 3; q++) {
            quartile[q] = base_quantile(sorted, r->samples, 0.25 * (q + 1));
        }
    }
    free(sorted);
}

bool bench_result_is_good(const bench_result *r) {
    return !r->failed[0] && r->samples > 0 && r->error <= r->tolerance;
}

typedef struct row {
    bench_table *table;
    size_t number;
    bool failed; /* out of memory */
} row;

static void put_text(row *to, int column, const char *text) {
    to->failed |= bench_table_set(to->table, to->number, bench_lists() + (size_t)column, text) != 0;
}

static void put_number(row *to, int column, double value) {
    to->failed |=
        bench_table_set_number(to->table, to->number, bench_lists() + (size_t)column, value) != 0;
}

/* 5 points log2(points) operations for each of the two transforms: 15 N^3 log2(N) each on a
 * cube. */
static double operations(const bench_config *c) {
    const double points = (double)c->grid.n[0] * (double)c->grid.n[1] * (double)c->grid.n[2];
    return 2 * 5 * points * log2(points);
}

/* The link that takes longest by the medians, if any. */
static void put_link(row *to, const bench_result *r, double *sorted) {
    double largest = 0;
    for (int link = 0; link < PSG_LINK_COUNT; link++) {
        gather(r, offsetof(bench_sample, link) + (size_t)link * sizeof(double), 0, sorted);
        const double value = base_quantile(sorted, r->samples, 0.5);
        if (value > largest) {
            put_text(to, BOUND_LINK, psg_link_name((psg_link)link));
            largest = value;
        }
    }
}

/* The medians, of which the largest is the bound of the row. */
static void put_bounds(row *to, const bench_result *r, double *sorted) {
    double largest = 0;
    int by = 0;
    for (int bound = 0; bound < PSG_BOUND_COUNT; bound++) {
        gather(r, offsetof(bench_sample, bound) + (size_t)bound * sizeof(double), 0, sorted);
        const double value = base_quantile(sorted, r->samples, 0.5);
        put_number(to, BOUNDS + bound, value);
        by = value > largest ? bound : by;
        largest = value > largest ? value : largest;
    }
    put_number(to, BOUND, largest);
    put_text(to, BOUND_BY, psg_bound_name((psg_bound)by));
    put_link(to, r, sorted);
    gather(r, offsetof(bench_sample, of_bound), 0, sorted);
    put_number(to, OF_BOUND, base_quantile(sorted, r->samples, 0.5));
    gather(r, offsetof(bench_sample, lp_bound), 0, sorted);
    if (sorted[0] > 0) { /* else there was none in some round */
        put_number(to, BOUND_LP, base_quantile(sorted, r->samples, 0.5));
    }
}

/* "ep_chunk:256:0.2349;ep_add:255:6.7e-06": what the tasks of a kind took, summed over the workers. */
static void put_kinds(row *to, const bench_result *r, double *sorted) {
    char text[2048] = "";
    size_t length = 0;
    for (size_t k = 0; k < BENCH_KINDS && length < sizeof text; k++) {
        gather(r, offsetof(bench_sample, kind_tasks) + k * sizeof(double), 0, sorted);
        const double tasks = base_quantile(sorted, r->samples, 0.5);
        gather(r, offsetof(bench_sample, kind_seconds) + k * sizeof(double), 0, sorted);
        if (tasks > 0) {
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%s:%.0f:%.4g",
                                       length > 0 ? ";" : "", psg_stage_name((psg_stage)k), tasks,
                                       base_quantile(sorted, r->samples, 0.5));
        }
    }
    put_text(to, KINDS, text);
}

static void put_samples(row *to, const bench_config *config, const bench_result *r,
                        double *sorted) {
    gather(r, offsetof(bench_sample, seconds), 0, sorted);
    const double median = base_quantile(sorted, r->samples, 0.5);
    put_number(to, SECONDS, median);
    put_number(to, SECONDS_MIN, sorted[0]);
    put_number(to, SECONDS_Q1, base_quantile(sorted, r->samples, 0.25));
    put_number(to, SECONDS_Q3, base_quantile(sorted, r->samples, 0.75));
    put_number(to, SECONDS_MAX, sorted[r->samples - 1]);
    put_kinds(to, r, sorted);
    if (!bench_config_is_workload(config)) {
        put_number(to, GFLOPS, operations(config) / median / 1e9);
    }
    for (int c = 0; c < STAGES; c++) {
        if (own[c].median > 0) {
            gather(r, own[c].median, 0, sorted);
            const bool known = !isnan(sorted[r->samples - 1]); /* in all rounds */
            put_number(to, c, known ? base_quantile(sorted, r->samples, 0.5) : NAN);
        }
    }
    gather(r, own[BUSY].median, 0, sorted);
    put_number(to, IDLE, 1 - base_quantile(sorted, r->samples, 0.5));
    for (int g = 0; g < BENCH_STAGES; g++) {
        gather(r, offsetof(bench_sample, stage) + (size_t)g * sizeof(double), 0, sorted);
        put_number(to, STAGES + g, base_quantile(sorted, r->samples, 0.5));
    }
    char text[BENCH_BUSY_MOST * 8] = "";
    size_t length = 0;
    for (unsigned w = 0; w < r->facts.workers && length < sizeof text; w++) {
        gather(r, offsetof(bench_sample, busy_worker) + w * sizeof(float), 1, sorted);
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%.3f", w ? " " : "",
                                   base_quantile(sorted, r->samples, 0.5));
    }
    put_text(to, BUSY_WORKERS, text);
}

static void put_facts(row *to, const bench_facts *facts) {
    put_number(to, WORKERS_CPU, facts->cpus);
    put_number(to, WORKERS_GPU, facts->gpus);
    put_text(to, POLICY, facts->policy);
    if (facts->segments > 0) { /* else there is no grid */
        put_text(to, EXCHANGE_USED, app_exchange_name(facts->exchange));
        put_number(to, SEGMENTS, (double)facts->segments);
        put_number(to, PLANES, (double)facts->segment_planes);
        put_number(to, SHEETS_USED, (double)facts->sheets);
    }
    put_number(to, PLAN_SECONDS, facts->plan_seconds);
    put_text(to, GPU_MODEL, facts->gpu_model);
}

/* "ok", or why not: an answer that is wrong has failed, too. */
static void put_status(row *to, const bench_result *r) {
    char text[600];
    if (r->failed[0]) {
        put_text(to, STATUS, r->failed);
    } else if (!(r->error <= r->tolerance)) {
        snprintf(text, sizeof text,
                 "the result is wrong: its error is %.3g of what is right, the tolerance %.0e",
                 r->error, r->tolerance);
        put_text(to, STATUS, text);
    } else {
        put_text(to, STATUS, "ok");
    }
}

/* A row before those of this run that come later in the sweep. */
static void add_row(bench_results *results, size_t count, size_t number, bench_result *result) {
    size_t at = results->table.rows;
    for (size_t c = number + 1; c < count; c++) {
        at = result[c].added && result[c].row < at ? result[c].row : at;
    }
    result[number].row = bench_table_add(&results->table, at);
    result[number].added = result[number].row != SIZE_MAX;
    for (size_t c = 0; c < count && result[number].added; c++) {
        result[c].row += c != number && result[c].row != SIZE_MAX && result[c].row >= at;
    }
}

int bench_results_put(bench_results *results, const bench_sweep *sweep, size_t number,
                      const bench_circumstances *circumstances, bench_result *result) {
    const bench_config *config = &sweep->config[number];
    bench_result *r = &result[number];
    static const char *const models[] = {"unused", "calibrated", "as found"};
    double *sorted = malloc((r->samples + 1) * sizeof *sorted);
    if (r->row == SIZE_MAX) {
        add_row(results, sweep->count, number, result);
    }
    row to = {
        .table = &results->table, .number = r->row, .failed = sorted == NULL || r->row == SIZE_MAX};
    for (size_t c = 0; c < columns() && !to.failed; c++) {
        to.failed = bench_table_set(to.table, to.number, c, "") != 0;
    }
    if (!to.failed) {
        to.failed = put_identity(to.table, to.number, config, circumstances) != 0;
        put_status(&to, r);
        put_number(&to, REPEATS, r->samples);
        put_text(&to, MODELS, models[circumstances->models]);
        if (!bench_config_is_workload(config)) {
            put_number(&to, POINTS,
                       (double)config->grid.n[0] * (double)config->grid.n[1] *
                           (double)config->grid.n[2]);
        }
        if (r->samples > 0) {
            put_number(&to, LOAD, r->load);
        }
        if (r->has_facts) {
            put_facts(&to, &r->facts);
        }
        if (r->samples > 0) {
            put_samples(&to, config, r, sorted);
            if (r->sample[0].of_bound > 0) {
                put_bounds(&to, r, sorted);
            }
            if (r->tolerance > 0) { /* there was something to compare with */
                put_number(&to, ERROR, r->error);
                put_number(&to, TOLERANCE, r->tolerance);
            }
        }
    }
    free(sorted);
    r->put = !to.failed;
    return to.failed ? app_error(APP_FAILED, "out of memory for the results") : APP_DONE;
}

/* ---------------------------------------------------------------------------------- for people */

/* Which lists have more than one value in the sweep. */
static void find_varying(const bench_sweep *sweep, bool varying[BENCH_LISTS_MOST]) {
    char one[64], other[64];
    for (size_t list = 0; list < bench_lists(); list++) {
        bench_config_text(&sweep->config[0], list, one);
        varying[list] =
            (list == BENCH_LIST_GRID || list == bench_list("workload")) && one[0] != '\0';
        for (size_t c = 1; c < sweep->count; c++) {
            bench_config_text(&sweep->config[0], list, one);
            bench_config_text(&sweep->config[c], list, other);
            varying[list] |= strcmp(one, other) != 0;
        }
    }
}

/* @param[in] old  the row was there already */
static void print_row(const bench_results *results, size_t at, bool old) {
    char status[700];
    snprintf(status, sizeof status, "%s%s%.10s", get(results, at, STATUS), old ? ", measured " : "",
             old ? bench_results_date(results, at) : "");
    if (!get(results, at, SECONDS)[0]) {
        app_say("%65s %s\n", "", status);
        return;
    }
    char gflops[16] = "-", error[16] = "-",
         load[16] = "-"; /* a simulation has no error and no load */
    if (get(results, at, GFLOPS)[0]) {
        snprintf(gflops, sizeof gflops, "%.3g", cell(results, at, GFLOPS));
    }
    printf("%10.4g %10.4g %10.4g %8s %5.0f%% %5.0f%% ", 1e3 * cell(results, at, SECONDS),
           1e3 * cell(results, at, SECONDS_MIN), 1e3 * cell(results, at, SECONDS_MAX), gflops,
           100 * cell(results, at, BUSY), 100 * cell(results, at, BUSIEST));
    if (get(results, at, ERROR)[0]) {
        snprintf(error, sizeof error, "%.0e", cell(results, at, ERROR));
    }
    if (get(results, at, LOAD)[0]) {
        snprintf(load, sizeof load, "%.2g", cell(results, at, LOAD));
    }
    app_say("%5s %5s %s\n", error, load, status);
}

size_t bench_results_print(const bench_results *results, const bench_sweep *sweep,
                           const bench_result *result) {
    bool varying[BENCH_LISTS_MOST];
    int width[BENCH_LISTS_MOST];
    char text[64];
    size_t good = 0;
    const char *separator = "";
    find_varying(sweep, varying);
    for (size_t list = 0; list < bench_lists(); list++) {
        width[list] = (int)strlen(bench_list_option(list));
        for (size_t c = 0; c < sweep->count; c++) {
            bench_config_text(&sweep->config[c], list, text);
            width[list] = (int)strlen(text) > width[list] ? (int)strlen(text) : width[list];
        }
        bench_config_text(&sweep->config[0], list, text);
        if (!varying[list] && text[0]) {
            printf("%s%s %s", separator, bench_list_option(list), text);
            separator = ", ";
        }
    }
    printf("\n\n");
    for (size_t list = 0; list < bench_lists(); list++) {
        if (varying[list]) {
            printf("%-*s ", width[list], bench_list_option(list));
        }
    }
    printf("%10s %10s %10s %8s %6s %6s %5s %5s %s\n", "ms", "min", "max", "Gflop/s", "busy", "most",
           "error", "load", "status");
    for (size_t c = 0; c < sweep->count; c++) {
        if (result[c].row == SIZE_MAX) {
            continue;
        }
        for (size_t list = 0; list < bench_lists(); list++) {
            bench_config_text(&sweep->config[c], list, text);
            if (varying[list]) {
                printf("%-*s ", width[list], text);
            }
        }
        print_row(results, result[c].row, result[c].skip);
        good += strcmp(get(results, result[c].row, STATUS), "ok") == 0;
    }
    return good;
}
