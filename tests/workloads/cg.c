/* cg finds the published zeta, with the same bits for every cut into blocks, policy and number of
 * cores. A product comes after the directions of all blocks, and the graph has the known number of
 * tasks. The environment's PSG_TEST_GPUS and PSG_TEST_CPUS choose GPUs, which have the same bits.
 */
#include "tests/workloads/runs.h"

enum { ANSWERS = 3, KINDS = 6, ITERATIONS = 15, STEPS = 25 };

static void check_answer(workload *work, double first[ANSWERS]) {
    workload_answer a[ANSWERS];
    const size_t count = runs_answer(work, a, ANSWERS);
    for (size_t m = 0; CHECK(count == ANSWERS, "%zu numbers", count) && m < count; ++m) {
        CHECK(a[m].tolerance <= 1e-10, "%s may differ by %g", a[m].name, a[m].tolerance);
        first[m] = isnan(first[m]) ? a[m].value : first[m];
        CHECK(a[m].value == first[m], "%s of %s is %.17g, and was %.17g", a[m].name,
              workload_about(work), a[m].value, first[m]);
    }
}

static void check_tasks(const workload *work, size_t blocks) {
    static const struct {
        const char *name;
        size_t once, each;
    } wanted[KINDS] = {
        {"cg_start", 0, ITERATIONS},         {"cg_direction", 0, ITERATIONS * STEPS},
        {"cg_apply", 0, ITERATIONS * STEPS}, {"cg_update", 0, ITERATIONS * STEPS},
        {"cg_dot", 0, 2 * ITERATIONS},       {"cg_scalars", ITERATIONS * (2 * STEPS + 3), 0},
    };
    size_t all = 0;
    for (size_t m = 0; m < KINDS; ++m) {
        const size_t tasks = harness_tasks(workload_work(work), wanted[m].name);
        CHECK(tasks == wanted[m].once + blocks * wanted[m].each, "%s: %zu tasks", wanted[m].name,
              tasks);
        all += tasks;
    }
    CHECK(all == harness_tasks(workload_work(work), NULL), "other tasks");
}

/** The directions of all blocks in a step are before each product of the step, and the products
 * before what follows. */
static void check_graph(const workload *work, size_t blocks) {
    AT_END(harness_graph_free) harness_graph g = harness_graph_of(workload_work(work));
    size_t directions = 0;
    CHECK(harness_graph_in_time(&g), "a task begins too early");
    for (size_t m = 0; m < g.edges; ++m) {
        const psg_event *from = &g.event[g.edge[m].before], *to = &g.event[g.edge[m].after];
        directions += strcmp(psg_stage_name(from->stage), "cg_direction") == 0 &&
                      strcmp(psg_stage_name(to->stage), "cg_apply") == 0 && from->step == to->step;
    }
    CHECK(directions == ITERATIONS * STEPS * blocks * blocks, "%zu products after directions",
          directions);
    runs_check_bounds(work);
}

static void one(const psg_options *options, const char *name, size_t tile, size_t blocks,
                double first[ANSWERS]) {
    const workload_options how = {.tile = tile};
    RUNS workload *work = runs_make(name, &how, options);
    for (int run = 0; run < 2; ++run) { /* the second one begins anew */
        check_answer(work, first);
    }
    check_tasks(work, blocks);
    if (options->record) {
        check_graph(work, blocks);
    }
}

int main(void) {
    static const char *const policies[] = {"eager", "dmda", "lws"};
    psg_options options = harness_options(PSG_F64);
    double first[2][ANSWERS] = {{NAN, NAN, NAN}, {NAN, NAN, NAN}};
    one(&options, "cg:W", 508402, 1, first[1]);
    one(&options, "cg:W", 100000, 6, first[1]);
    one(&options, "cg:S", 1777, 44, first[0]); /* a leaf each */
    options.record = 1;
    one(&options, "cg:S", 78148, 1, first[0]);
    one(&options, "cg:S", 39074, 2, first[0]);
    for (int p = 0; p < 3; ++p) {
        runs_policy(&options, policies, p);
        one(&options, "cg:S", 9800, 8, first[0]);
    }
    return check_result();
}
