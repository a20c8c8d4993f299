/* Rows of the CSV file. The columns of the lists, with those of the versions, the launcher and
 * the machine, say what was measured; a row of the same is the same measurement. */
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

/* The columns after those of the lists, up to those of the stages: TEXT, NUMBER, or the MEDIAN of a member of all samples.
 * Those of the bounds and of the versions are in the order of psg_bound and of psg_component. */
#define TEXT true, 0
#define NUMBER false, 0
#define MEDIAN(member) false, offsetof(bench_sample, member)
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
    X(VERSIONS, "psg_version", TEXT)                                                               \
    X(VERSION_STARPU, "starpu_version", TEXT)                                                      \
    X(VERSION_FFTW, "fftw_version", TEXT)                                                          \
    X(VERSION_CUDA, "cuda_version", TEXT)                                                          \
    X(VERSION_MPI, "mpi_version", TEXT)                                                            \
    X(MPIRUN, "mpirun", TEXT)                                                                      \
    X(HOST, "host", TEXT)                                                                          \
    X(CPU_MODEL, "cpu_model", TEXT)                                                                \
    X(CORES, "cores", NUMBER)                                                                      \
    X(GPU_MODEL, "gpu_model", TEXT)                                                                \
    X(DATE, "date", TEXT)

#define COLUMN_NUMBER(column, name, ...) column,
enum { OWN_COLUMNS(COLUMN_NUMBER) STAGES, COLUMNS = STAGES + PSG_STAGE_COUNT };
_Static_assert((int)BOUND_LP == BOUNDS + PSG_BOUND_COUNT, "a column for each bound");
_Static_assert((int)MPIRUN == VERSIONS + BENCH_VERSIONS, "a column for each version");

#define COLUMN_ROW(column, name, ...) {name, __VA_ARGS__},
static const struct {
    const char *name;
    bool is_text;
    size_t median; /* the member's offset; 0: of none */
} own[STAGES] = {OWN_COLUMNS(COLUMN_ROW)};

static size_t columns(void) {
    return bench_lists() + COLUMNS;
}

int bench_results_init(bench_results *results) {
    const size_t lists = bench_lists();
    results->names = calloc(columns(), sizeof *results->names);
    results->stage_names = calloc(PSG_STAGE_COUNT, sizeof *results->stage_names);
    if (results->names == NULL || results->stage_names == NULL) {
        return app_error(APP_FAILED, "out of memory");
    }
    for (size_t list = 0; list < lists; list++) {
        results->names[list] = bench_list_column(list);
    }
    for (int c = 0; c < STAGES; c++) {
        results->names[lists + (size_t)c] = own[c].name;
    }
    for (int g = 0; g < PSG_STAGE_COUNT; g++) {
        snprintf(results->stage_names[g], sizeof results->stage_names[0], "%s_seconds",
                 psg_stage_name(g));
        results->names[lists + (size_t)(STAGES + g)] = results->stage_names[g];
    }
    bench_table_init(&results->table, results->names, columns());
    return APP_DONE;
}

void bench_results_free(bench_results *results) {
    bench_table_free(&results->table);
    free(results->names);
    free(results->stage_names);
}

/* ------------------------------------------------------------------------------- identity */

/* The text that says, in one of the columns of the identity, what is measured; 0: the column is none of them. */
static bool identity(const bench_config *config, const bench_circumstances *at, size_t place,
                     char *text, size_t size) {
    const size_t lists = bench_lists();
    const int column = place < lists ? -1 : (int)(place - lists);
    if (place < lists) {
        bench_config_text(config, place, text);
    } else if (column >= VERSIONS && column < VERSIONS + BENCH_VERSIONS) {
        const char *version = psg_component_version(column - VERSIONS);
        snprintf(text, size, "%s", version != NULL ? version : "");
    } else if (column == MPIRUN) {
        snprintf(text, size, "%s", config->ranks > 1 ? at->mpirun : "");
    } else if (column == HOST) {
        snprintf(text, size, "%s", at->machine.host);
    } else if (column == CPU_MODEL) {
        snprintf(text, size, "%s", at->machine.cpu_model);
    } else if (column == CORES) {
        snprintf(text, size, "%ld", at->machine.cores);
    } else {
        return false;
    }
    return true;
}

size_t bench_results_find(const bench_results *results, const bench_config *config,
                          const bench_circumstances *circumstances) {
    char text[256];
    for (size_t row = results->table.rows;
         row-- > 0;) { /* the latest one, if somebody joined files */
        size_t place = 0;
        while (place < columns() &&
               (!identity(config, circumstances, place, text, sizeof text) ||
                strcmp(text, bench_table_get(&results->table, row, place)) == 0)) {
            place++;
        }
        if (place == columns()) {
            return row;
        }
    }
    return SIZE_MAX;
}

bool bench_results_is_same(const bench_table *table, size_t row, const bench_table *other,
                           size_t other_row) {
    const size_t lists = bench_lists();
    for (size_t c = 0; c < columns(); c++) {
        const bool identity = c < lists || (c >= lists + VERSIONS && c <= lists + CORES);
        if (identity &&
            strcmp(bench_table_get(table, row, c), bench_table_get(other, other_row, c)) != 0) {
            return false;
        }
    }
    return true;
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

static void put_cell(row *to, size_t place, const char *text) {
    to->failed |= bench_table_set(to->table, to->number, place, text) != 0;
}

static void put_text(row *to, int column, const char *text) {
    put_cell(to, bench_lists() + (size_t)column, text);
}

/* What is not known is empty. */
static void put_number(row *to, int column, double value) {
    char text[32] = "";
    if (!isnan(value)) {
        snprintf(text, sizeof text, "%.12g", value);
    }
    put_text(to, column, text);
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

static void put_samples(row *to, const bench_config *config, const bench_result *r,
                        double *sorted) {
    gather(r, offsetof(bench_sample, seconds), 0, sorted);
    const double median = base_quantile(sorted, r->samples, 0.5);
    put_number(to, SECONDS, median);
    put_number(to, SECONDS_MIN, sorted[0]);
    put_number(to, SECONDS_Q1, base_quantile(sorted, r->samples, 0.25));
    put_number(to, SECONDS_Q3, base_quantile(sorted, r->samples, 0.75));
    put_number(to, SECONDS_MAX, sorted[r->samples - 1]);
    put_number(to, GFLOPS, operations(config) / median / 1e9);
    for (int c = 0; c < STAGES; c++) {
        if (own[c].median > 0) {
            gather(r, own[c].median, 0, sorted);
            const bool known = !isnan(sorted[r->samples - 1]); /* in all rounds */
            put_number(to, c, known ? base_quantile(sorted, r->samples, 0.5) : NAN);
        }
    }
    gather(r, own[BUSY].median, 0, sorted);
    put_number(to, IDLE, 1 - base_quantile(sorted, r->samples, 0.5));
    for (int g = 0; g < PSG_STAGE_COUNT; g++) {
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
    put_text(to, EXCHANGE_USED, app_exchange_name(facts->exchange));
    put_number(to, SEGMENTS, (double)facts->segments);
    put_number(to, PLANES, (double)facts->segment_planes);
    put_number(to, SHEETS_USED, (double)facts->sheets);
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
                 "the result is wrong: its error is %.3g of max|u|, the tolerance %.0e", r->error,
                 r->tolerance);
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
    char text[256];
    double *sorted = malloc((r->samples + 1) * sizeof *sorted);
    if (r->row == SIZE_MAX) {
        add_row(results, sweep->count, number, result);
    }
    row to = {
        .table = &results->table, .number = r->row, .failed = sorted == NULL || r->row == SIZE_MAX};
    for (size_t c = 0; c < columns() && !to.failed; c++) {
        put_cell(&to, c, identity(config, circumstances, c, text, sizeof text) ? text : "");
    }
    if (!to.failed) {
        put_status(&to, r);
        put_number(&to, REPEATS, r->samples);
        put_number(&to, WARM_UP, circumstances->warm_up);
        put_number(&to, SEED, circumstances->seed);
        put_text(&to, MODELS, models[circumstances->models]);
        put_number(&to, POINTS,
                   (double)config->grid.n[0] * (double)config->grid.n[1] *
                       (double)config->grid.n[2]);
        app_utc_date(text, sizeof text);
        put_text(&to, DATE, text);
        put_number(&to, LOAD_AVERAGE, circumstances->load_average);
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

bool bench_results_is_number(const bench_table *table, size_t column) {
    const size_t lists = bench_lists();
    const bench_config standard = {.grid = {.n = {1, 1, 1}}, .ranks = 1};
    char text[64];
    (void)table;
    if (column >= lists) {
        return column >= lists + STAGES || !own[column - lists].is_text;
    }
    bench_config_text(&standard, column, text); /* "1x1x1" is none */
    return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/* ---------------------------------------------------------------------------------- for people */

/* Which lists have more than one value in the sweep. */
static void find_varying(const bench_sweep *sweep, bool varying[BENCH_LISTS_MOST]) {
    char one[64], other[64];
    for (size_t list = 0; list < bench_lists(); list++) {
        varying[list] = list == BENCH_LIST_GRID;
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
    printf("%10.4g %10.4g %10.4g %8.3g %5.0f%% %5.0f%% ", 1e3 * cell(results, at, SECONDS),
           1e3 * cell(results, at, SECONDS_MIN), 1e3 * cell(results, at, SECONDS_MAX),
           cell(results, at, GFLOPS), 100 * cell(results, at, BUSY),
           100 * cell(results, at, BUSIEST));
    char error[16] = "-", load[16] = "-"; /* a simulation has neither */
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
