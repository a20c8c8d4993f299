/* qr has factors whose product is the matrix, with the same bits for every policy, priority and
 * number of cores, by reflectors and by rotations, which have the same R but for the signs of its
 * rows. Each task comes after those whose tiles it works on, and the longest path has
 * the length that is known. The environment's PSG_TEST_GPUS and PSG_TEST_CPUS choose GPUs, on which
 * the factors differ by rounding. */
#include "workloads/qr.h"
#include "graph/psg_machine.h"
#include "tests/workloads/runs.h"

enum { ANSWERS = 2, KINDS = 4 };

static const char *const names[KINDS] = {"geqrt", "unmqr", "tsqrt", "tsmqr"};
static const char *const rotations[KINDS] = {"givens_factor", "givens_apply", "givens_eliminate",
                                             "givens_update"};

static int kind_of(const psg_event *event) {
    int kind = 0;
    const char *name = psg_stage_name(event->stage);
    while (kind < KINDS - 1 && strcmp(name, names[kind]) != 0 &&
           strcmp(name, rotations[kind]) != 0) {
        ++kind;
    }
    return kind;
}

static void check_answer(workload *work, double first[ANSWERS], int cores) {
    workload_answer a[ANSWERS];
    const size_t count = runs_answer(work, a, ANSWERS);
    for (size_t m = 0; CHECK(count == ANSWERS, "%zu numbers", count) && m < count; ++m) {
        CHECK(a[m].value >= 0 && a[m].expected == 0 && a[m].tolerance == 10, "%s: %g, at most %g",
              a[m].name, a[m].value, a[m].tolerance);
        first[m] = isnan(first[m]) ? a[m].value : first[m];
        CHECK(!cores || a[m].value == first[m], "%s of %s is %.17g, and was %.17g", a[m].name,
              workload_about(work), a[m].value, first[m]);
    }
}

static void check_tasks(const workload *work, size_t rows, size_t columns) {
    psg_kind_tasks kind[KINDS];
    size_t want[KINDS] = {0}, count = 0;
    for (size_t k = 0; k < columns; ++k) {
        const size_t step[KINDS] = {1, columns - k - 1, rows - k - 1,
                                    (columns - k - 1) * (rows - k - 1)};
        for (int m = 0; m < KINDS; ++m) {
            want[m] += step[m];
        }
    }
    CHECK_STATUS(psg_work_tasks(workload_work(work), kind, KINDS, &count), PSG_OK);
    for (size_t m = 0; m < count && m < KINDS; ++m) {
        const psg_event event = {.stage = kind[m].stage};
        const int which = kind_of(&event);
        CHECK(kind[m].tasks[0] + kind[m].tasks[1] == want[which], "%s: %d on cores, %d on GPUs",
              names[which], (int)kind[m].tasks[0], (int)kind[m].tasks[1]);
        CHECK(kind[m].tasks[1] == 0 || which == 1 || which == 3, "%s on a GPU", names[which]);
        CHECK(strncmp(psg_stage_name(kind[m].stage), "givens", 6) != 0 ||
                  strstr(workload_about(work), "rotations") != NULL,
              "rotations of %s", workload_about(work));
        want[which] = 0;
    }
    CHECK(want[0] + want[1] + want[2] + want[3] == 0, "tasks are missing");
}

/** Lengths are in units of b^3/3, for tiles of b x b. tests/codelets/qr.c finds paths without a
 * run. */
static void check_graph(const workload *work, size_t rows, size_t columns) {
    static const double weights[KINDS] = {4, 6, 6, 12};
    AT_END(harness_graph_free) harness_graph g = harness_graph_of(workload_work(work));
    FREED double *path = oracle_array(g.events);
    double longest = 0;
    CHECK(harness_graph_in_time(&g), "a task begins too early");
    for (size_t round = 0; round <= 3 * (rows + columns); ++round) { /* a path has fewer tasks */
        for (const psg_dependency *e = g.edge; e < g.edge + g.edges; ++e) {
            const double there = path[e->before] + weights[kind_of(&g.event[e->before])];
            path[e->after] = fmax(path[e->after], there);
        }
    }
    for (size_t m = 0; m < g.edges; ++m) {
        const psg_event *from = &g.event[g.edge[m].before], *to = &g.event[g.edge[m].after];
        CHECK(from->step == to->step || from->step + 1 == to->step, "from step %zu to %zu",
              from->step, to->step);
    }
    for (size_t m = 0; m < g.events; ++m) {
        longest = fmax(longest, path[m] + weights[kind_of(&g.event[m])]);
    }
    const double known =
        rows == columns ? 30 * (double)rows - 34 : 12 * (double)rows + 18 * (double)columns - 32;
    CHECK(longest == known, "the longest path has %g, not %g", longest, known);
}

/** @param[in] n  rows and columns of tiles */
static void one(const psg_options *options, const char *name, size_t tile,
                workload_priority priority, const size_t n[2], double first[ANSWERS]) {
    const workload_options how = {.tile = tile, .priority = priority};
    RUNS workload *work = runs_make(name, &how, options);
    for (int run = 0; run < 2; ++run) { /* the second one begins with the same matrix */
        check_answer(work, first, options->gpus == 0);
    }
    check_tasks(work, n[0], n[1]);
    if (n[1] > 1) {
        check_graph(work, n[0], n[1]);
    }
}

static void sizes(psg_precision precision) {
    static const struct size {
        const char *name;
        size_t tile, n[2];
    } all[] = {{"qr:300", 100, {3, 3}},
               {"qr:300", 64, {5, 5}},
               {"qr:301x130", 64, {5, 3}},
               {"qr:1", 0, {1, 1}},
               {"qr:9x4", 1, {9, 4}},
               {"qr:500x1", 0, {500, 1}},
               {"qr:200x200", 0, {2, 2}},
               {"qr:300:givens", 100, {3, 3}},
               {"qr:301x130:givens", 64, {5, 3}},
               {"qr:1:givens", 0, {1, 1}},
               {"qr:9x4:givens", 1, {9, 4}},
               {"qr:31:givens", 2, {16, 16}},
               {"qr:500x1:givens", 0, {500, 1}},
               {"qr:200x200:givens", 0, {2, 2}}};
    psg_options options = harness_with(precision, "record=yes");
    for (size_t m = 0; m < sizeof all / sizeof *all; ++m) {
        double first[ANSWERS] = {NAN, NAN};
        one(&options, all[m].name, all[m].tile, WORKLOAD_PATH, all[m].n, first);
    }
}

/** 5 x 5 tiles of 64, the last ones of 44. */
static void policies(void) {
    static const char *const list[] = {"eager", "lws", "dmda", "dmdas", "prio", "random"};
    static const size_t n[2] = {5, 5};
    double first[ANSWERS] = {NAN, NAN}, turned[ANSWERS] = {NAN, NAN};
    psg_options options = harness_with(PSG_F64, "record=yes");
    for (size_t p = 0; p < sizeof list / sizeof *list; ++p) {
        runs_policy(&options, list, (int)p);
        one(&options, "qr:300", 64, (workload_priority)(p % 2), n, first);
        one(&options, "qr:300:givens", 64, (workload_priority)(p % 2), n, turned);
    }
}

/** Row m of R, of a workload of 150 columns in tiles of 64, into 150 numbers. */
static void row_of(const workload *work, size_t m, double *row) {
    psg_status status = PSG_OK;
    const qr_problem *qr = workload_problem(work, &workload_qr, &status);
    for (size_t j = m; CHECK(qr != NULL, "no problem") && j < qr->n[1]; ++j) {
        const psg_data tile = qr->a[qr_at(qr, m / qr->tile, j / qr->tile)];
        const size_t rows = qr_extent(qr, 0, m / qr->tile);
        row[j] = workload_get(qr->head.real_bytes, psg_data_acquire(tile, false),
                              j % qr->tile * rows + m % qr->tile);
        psg_data_release(tile);
    }
}

/** Reflectors' tasks are LAPACK's. */
static void same_triangle(psg_precision precision) {
    enum { COLUMNS = 150 };
    const workload_options how = {.tile = 64};
    const psg_options options = harness_options(precision);
    RUNS workload *one_way = runs_make("qr:200x150", &how, &options);
    RUNS workload *other = runs_make("qr:200x150:givens", &how, &options);
    CHECK_STATUS(workload_run(one_way), PSG_OK);
    CHECK_STATUS(workload_run(other), PSG_OK);
    /* 200 rows, and |A| = 100 */
    const double bound = 10 * 200 * 100 * (precision == PSG_F32 ? 0x1p-24 : 0x1p-53);
    for (size_t m = 0; m < COLUMNS; ++m) {
        double a[COLUMNS], b[COLUMNS];
        row_of(one_way, m, a);
        row_of(other, m, b);
        for (size_t j = m; j < COLUMNS; ++j) {
            CHECK_NEAR(a[m] * b[m] < 0 ? -b[j] : b[j], a[j], bound, "R's element (%zu,%zu)", m, j);
        }
    }
}

/** Where LAPACK is not there, and where no core is. */
static void refusals(void) {
    workload *work = NULL;
    psg_options options = harness_options(PSG_F64);
    if (psg_component_version(PSG_COMPONENT_LAPACK) == NULL) {
        CHECK_SAYS(workload_create(&work, "qr:300", NULL, &options), PSG_ERR_UNSUPPORTED,
                   "qr needs LAPACK");
    } else if (options.gpus != 0) {
        options.cpus = 0;
        CHECK_SAYS(workload_create(&work, "qr:300", NULL, &options), PSG_ERR_UNSUPPORTED,
                   "no worker for geqrt");
    }
    CHECK(work == NULL, "something was made");
}

int main(void) {
    refusals();
    if (psg_component_version(PSG_COMPONENT_LAPACK) != NULL) {
        sizes(PSG_F64);
        sizes(PSG_F32);
        policies();
        same_triangle(PSG_F64);
        same_triangle(PSG_F32);
    }
    return check_result();
}
