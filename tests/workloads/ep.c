/* ep:S has the published sums and counts, with the same bits for every tile, policy and number of
 * cores. Each chunk and each sum is one task, and comes after those whose numbers it reads. With
 * STARPU_REDUX there is one sum, after all chunks, in any order: counts are equal, and sums within
 * 1e-8. The environment's PSG_TEST_GPUS and PSG_TEST_CPUS choose GPUs, of which only the counts
 * have to be equal. */
#include "tests/check.h"
#include "tests/harness.h"
#include "workloads/workload.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SUMS = 2, NUMBERS = 12, PAIRS_LOG2 = 24, TILES = 3 };

/* NPB 3, class S. */
static const double published[NUMBERS] = {
    -3.247834652034740e3, -6.958407078382297e3, 6140517, 5865300, 1100361, 68546, 1648, 17};
static const unsigned tiles[TILES] = {16, 19, 24};

static void check_answer(const workload *work, double first[NUMBERS], int cores) {
    workload_answer a[NUMBERS];
    size_t count = 0;
    CHECK_STATUS(workload_check(work), PSG_OK);
    CHECK_STATUS(workload_answers(work, a, NUMBERS, &count), PSG_OK);
    if (!CHECK(count == NUMBERS, "%zu numbers", count)) {
        return;
    }
    for (int m = 0; m < NUMBERS; ++m) {
        const double tolerance = m < SUMS ? 1e-12 * fabs(published[m]) : 0;
        CHECK_NEAR(a[m].value, published[m], tolerance, "%s of %s", a[m].name,
                   workload_about(work));
        CHECK(a[m].expected == published[m], "%s is checked against %.17g", a[m].name,
              a[m].expected);
        first[m] = first[m] == 0 ? a[m].value : first[m];
        CHECK(!cores || a[m].value == first[m], "%s is %.17g, and was %.17g", a[m].name, a[m].value,
              first[m]);
    }
}

static void check_tasks(const workload *work, size_t chunks, size_t sums) {
    psg_kind_tasks kind[4];
    size_t count = 0;
    CHECK_STATUS(psg_work_tasks(workload_work(work), kind, 4, &count), PSG_OK);
    if (CHECK(count == (sums > 0 ? 2 : 1), "%zu kinds", count)) {
        const char *const names[2] = {"ep_chunk", "ep_add"};
        for (size_t k = 0; k < count; ++k) {
            CHECK(strcmp(psg_stage_name(kind[k].stage), names[k]) == 0, "kind %s",
                  psg_stage_name(kind[k].stage));
            CHECK(kind[k].tasks[0] + kind[k].tasks[1] == (k == 0 ? chunks : sums), "%s: %d tasks",
                  names[k], (int)(kind[k].tasks[0] + kind[k].tasks[1]));
        }
    }
}

/** What a task reads was written before by the task that stands below it in the tree. */
static void check_graph(const workload *work, size_t chunks) {
    size_t count = 0;
    size_t edges = 0;
    psg_event *event = calloc(2 * chunks, sizeof *event);
    psg_dependency *edge = calloc(2 * chunks, sizeof *edge);
    CHECK_STATUS(psg_work_events(workload_work(work), event, 2 * chunks, &count), PSG_OK);
    CHECK_STATUS(psg_work_dependencies(workload_work(work), edge, 2 * chunks, &edges), PSG_OK);
    CHECK(count == 2 * chunks - 1 && edges == 2 * (chunks - 1), "%zu events, %zu edges", count,
          edges);
    for (size_t m = 0; m < edges && m < 2 * chunks; ++m) {
        const psg_event *from = &event[edge[m].before];
        const psg_event *to = &event[edge[m].after];
        const size_t below = to->step == 0 ? SIZE_MAX : to->step - 1;
        const size_t apart = (size_t)1 << (to->step & 63);
        CHECK(from->step == below &&
                  (from->segment == to->segment || from->segment == to->segment + apart),
              "the sum of %zu in step %zu is of %zu in step %zu", to->segment, to->step,
              from->segment, from->step);
        CHECK(from->end <= to->start + 1e-6, "it begins at %g, before %g", to->start, from->end);
    }
    free(event);
    free(edge);
}

static void check_bounds(const workload *work) {
    psg_run_statistics s;
    psg_bounds b;
    CHECK_STATUS(psg_work_statistics(workload_work(work), &s), PSG_OK);
    CHECK_STATUS(psg_work_bounds(workload_work(work), &b), PSG_OK);
    CHECK(b.seconds > 0 && b.seconds <= s.seconds * (1 + 1e-6), "a bound of %g s in a run of %g s",
          b.seconds, s.seconds);
    CHECK(b.bound[PSG_BOUND_PATH] > 0 && b.bound[PSG_BOUND_WORK] > 0, "path %g s, work %g s",
          b.bound[PSG_BOUND_PATH], b.bound[PSG_BOUND_WORK]);
    CHECK(s.runs == 2 && s.submit_tasks > 0 && s.make_seconds > 0, "%d runs, %zu tasks",
          (int)s.runs, s.submit_tasks);
}

static void one(const psg_options *options, unsigned tile, workload_priority priority,
                double first[NUMBERS]) {
    const size_t chunks = (size_t)1 << (PAIRS_LOG2 - tile);
    workload *work = NULL;
    workload_options how = {.tile = 0};
    how.tile = tile;
    how.priority = priority;
    if (!CHECK_STATUS(workload_create(&work, "ep:S", &how, options), PSG_OK)) {
        return;
    }
    for (int run = 0; run < 2; ++run) { /* the second one overwrites what the first one found */
        CHECK_STATUS(workload_run(work), PSG_OK);
        check_answer(work, first, options->gpus == 0);
    }
    check_tasks(work, chunks, chunks - 1);
    check_graph(work, chunks);
    check_bounds(work);
    workload_destroy(work);
}

/** The sum comes after each of the chunks, and these come after nothing. */
static void check_reduced(const workload *work, size_t chunks) {
    size_t count = 0, edges = 0;
    psg_event *event = calloc(2 * chunks, sizeof *event);
    psg_dependency *edge = calloc(2 * chunks, sizeof *edge);
    CHECK_STATUS(psg_work_events(workload_work(work), event, 2 * chunks, &count), PSG_OK);
    CHECK_STATUS(psg_work_dependencies(workload_work(work), edge, 2 * chunks, &edges), PSG_OK);
    CHECK(count == chunks + 1 && edges == chunks, "%zu events, %zu edges", count, edges);
    for (size_t m = 0; m < edges && m < 2 * chunks; ++m) {
        const psg_event *from = &event[edge[m].before], *to = &event[edge[m].after];
        CHECK(from->step == SIZE_MAX && to->step == 0, "step %zu after step %zu", to->step,
              from->step);
        CHECK(from->end <= to->start + 1e-6, "it begins at %g, before %g", to->start, from->end);
    }
    free(event);
    free(edge);
}

static void reduced(const psg_options *options, unsigned tile) {
    const size_t chunks = (size_t)1 << (PAIRS_LOG2 - tile);
    workload_answer a[NUMBERS];
    workload *work = NULL;
    workload_options how = {.tile = 0};
    how.tile = tile;
    if (!CHECK_STATUS(workload_create(&work, "ep:S:redux", &how, options), PSG_OK)) {
        return;
    }
    for (int run = 0; run < 2; ++run) { /* the second one begins anew */
        size_t count = 0;
        CHECK_STATUS(workload_run(work), PSG_OK);
        CHECK_STATUS(workload_check(work), PSG_OK);
        CHECK_STATUS(workload_answers(work, a, NUMBERS, &count), PSG_OK);
        CHECK(count == NUMBERS, "%zu numbers", count);
        for (int m = 0; m < NUMBERS; ++m) {
            CHECK_NEAR(a[m].value, published[m], m < SUMS ? 1e-8 * fabs(published[m]) : 0,
                       "%s of %s", a[m].name, workload_about(work));
        }
    }
    check_tasks(work, chunks, 1);
    check_reduced(work, chunks);
    workload_destroy(work);
}

int main(void) {
    static const char *const policies[] = {"eager", "prio", "dmdas"};
    double first[NUMBERS] = {0};
    psg_options options = harness_options(PSG_F64);
    options.record = 1;
    for (int t = 0; t < TILES; ++t) {
        one(&options, tiles[t], WORKLOAD_EQUAL, first);
        reduced(&options, tiles[t]);
    }
    for (int p = 0; p < 3; ++p) {
        options.policy = policies[p];
        options.cpus = options.gpus == 0 ? 1 + p : options.cpus;
        one(&options, tiles[1], WORKLOAD_PATH, first);
        reduced(&options, tiles[1]);
    }
    return check_result();
}
