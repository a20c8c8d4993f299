/* ep:S has the published sums and counts, with the same bits for every tile, policy and number of
 * cores. Each chunk and each sum is one task, and comes after those whose numbers it reads. With
 * STARPU_REDUX there is one sum, after all chunks, in any order: counts are equal, and sums within
 * 1e-8. The environment's PSG_TEST_GPUS and PSG_TEST_CPUS choose GPUs, of which only the counts
 * have to be equal. */
#include "tests/workloads/runs.h"

#include <stdint.h>

enum { SUMS = 2, NUMBERS = 12, PAIRS_LOG2 = 24, TILES = 3 };

/* NPB 3, class S. */
static const double published[NUMBERS] = {
    -3.247834652034740e3, -6.958407078382297e3, 6140517, 5865300, 1100361, 68546, 1648, 17};
static const unsigned tiles[TILES] = {16, 19, 24};

static void check_answer(workload *work, double first[NUMBERS], int cores) {
    workload_answer a[NUMBERS];
    const size_t count = runs_answer(work, a, NUMBERS);
    CHECK(count == NUMBERS, "%zu numbers", count);
    for (size_t m = 0; m < count; ++m) {
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
    const size_t all = harness_tasks(workload_work(work), NULL);
    CHECK(harness_tasks(workload_work(work), "ep_chunk") == chunks &&
              harness_tasks(workload_work(work), "ep_add") == sums && all == chunks + sums,
          "%zu tasks of %zu chunks", all, chunks);
}

/** What a task reads was written before by the task that stands below it in the tree. */
static void check_graph(const workload *work, size_t chunks) {
    AT_END(harness_graph_free) harness_graph g = harness_graph_of(workload_work(work));
    CHECK(g.events == 2 * chunks - 1 && g.edges == 2 * (chunks - 1), "%zu events, %zu edges",
          g.events, g.edges);
    CHECK(harness_graph_in_time(&g), "a task starts before what it reads is there");
    for (size_t m = 0; m < g.edges; ++m) {
        const psg_event *from = &g.event[g.edge[m].before], *to = &g.event[g.edge[m].after];
        const size_t below = to->step == 0 ? SIZE_MAX : to->step - 1;
        const size_t apart = (size_t)1 << (to->step & 63);
        CHECK(from->step == below &&
                  (from->segment == to->segment || from->segment == to->segment + apart),
              "the sum of %zu in step %zu is of %zu in step %zu", to->segment, to->step,
              from->segment, from->step);
    }
}

static void one(const psg_options *options, unsigned tile, workload_priority priority,
                double first[NUMBERS]) {
    const size_t chunks = (size_t)1 << (PAIRS_LOG2 - tile);
    const workload_options how = {.tile = tile, .priority = priority};
    RUNS workload *work = runs_make("ep:S", &how, options);
    psg_run_statistics s;
    for (int run = 0; run < 2; ++run) { /* the second one overwrites what the first one found */
        check_answer(work, first, options->gpus == 0);
    }
    check_tasks(work, chunks, chunks - 1);
    check_graph(work, chunks);
    runs_check_bounds(work);
    CHECK_STATUS(psg_work_statistics(workload_work(work), &s), PSG_OK);
    CHECK(s.runs == 2 && s.submit.tasks > 0 && s.make_seconds > 0, "%d runs, %zu tasks",
          (int)s.runs, s.submit.tasks);
}

/** The sum comes after each of the chunks, and these come after nothing. */
static void check_reduced(const workload *work, size_t chunks) {
    AT_END(harness_graph_free) harness_graph g = harness_graph_of(workload_work(work));
    CHECK(g.events == chunks + 1 && g.edges == chunks, "%zu events, %zu edges", g.events, g.edges);
    CHECK(harness_graph_in_time(&g), "the sum starts before the chunks are there");
    for (size_t m = 0; m < g.edges; ++m) {
        const psg_event *from = &g.event[g.edge[m].before], *to = &g.event[g.edge[m].after];
        CHECK(from->step == SIZE_MAX && to->step == 0, "step %zu after step %zu", to->step,
              from->step);
    }
}

static void reduced(const psg_options *options, unsigned tile) {
    const size_t chunks = (size_t)1 << (PAIRS_LOG2 - tile);
    workload_answer a[NUMBERS];
    const workload_options how = {.tile = tile};
    RUNS workload *work = runs_make("ep:S:redux", &how, options);
    for (int run = 0; run < 2; ++run) { /* the second one begins anew */
        const size_t count = runs_answer(work, a, NUMBERS);
        CHECK(count == NUMBERS, "%zu numbers", count);
        for (size_t m = 0; m < count; ++m) {
            CHECK_NEAR(a[m].value, published[m], m < SUMS ? 1e-8 * fabs(published[m]) : 0,
                       "%s of %s", a[m].name, workload_about(work));
        }
    }
    check_tasks(work, chunks, 1);
    check_reduced(work, chunks);
}

int main(void) {
    static const char *const policies[] = {"eager", "prio", "dmdas"};
    double first[NUMBERS] = {0};
    psg_options options = harness_with(PSG_F64, "record=yes");
    for (int t = 0; t < TILES; ++t) {
        one(&options, tiles[t], WORKLOAD_EQUAL, first);
        reduced(&options, tiles[t]);
    }
    for (int p = 0; p < 3; ++p) {
        runs_policy(&options, policies, p);
        one(&options, tiles[1], WORKLOAD_PATH, first);
        reduced(&options, tiles[1]);
    }
    return check_result();
}
