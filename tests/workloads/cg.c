/* cg finds the published zeta, with the same bits for every cut into blocks, policy and number of
 * cores. A product comes after the directions of all blocks, and the graph has the known number of
 * tasks. The environment's PSG_TEST_GPUS and PSG_TEST_CPUS choose GPUs, which have the same bits.
 */
#include "tests/check.h"
#include "tests/harness.h"
#include "workloads/workload.h"

#include <stdlib.h>
#include <string.h>

enum { ANSWERS = 3, KINDS = 6, ITERATIONS = 15, STEPS = 25 };

static void check_answer(const workload *work, double first[ANSWERS]) {
    workload_answer a[ANSWERS];
    size_t count = 0;
    CHECK_STATUS(workload_check(work), PSG_OK);
    CHECK_STATUS(workload_answers(work, a, ANSWERS, &count), PSG_OK);
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
    psg_kind_tasks kind[KINDS];
    size_t count = 0;
    CHECK_STATUS(psg_work_tasks(workload_work(work), kind, KINDS, &count), PSG_OK);
    CHECK(count == KINDS, "%zu kinds", count);
    for (size_t m = 0; m < KINDS && count == KINDS; ++m) {
        size_t k = 0;
        while (k < KINDS - 1 && strcmp(psg_stage_name(kind[k].stage), wanted[m].name) != 0) {
            ++k;
        }
        const size_t tasks = kind[k].tasks[0] + kind[k].tasks[1];
        CHECK(tasks == wanted[m].once + blocks * wanted[m].each, "%s: %zu tasks", wanted[m].name,
              tasks);
    }
}

/** The directions of all blocks in a step are before each product of the step, and the products
 * before what follows. */
static void check_graph(const workload *work, size_t blocks) {
    size_t count = 0, edges = 0, directions = 0;
    psg_bounds bounds;
    psg_run_statistics s;
    CHECK_STATUS(psg_work_events(workload_work(work), NULL, 0, &count), PSG_OK);
    CHECK_STATUS(psg_work_dependencies(workload_work(work), NULL, 0, &edges), PSG_OK);
    psg_event *event = calloc(count, sizeof *event);
    psg_dependency *edge = calloc(edges, sizeof *edge);
    CHECK_STATUS(psg_work_events(workload_work(work), event, count, &count), PSG_OK);
    CHECK_STATUS(psg_work_dependencies(workload_work(work), edge, edges, &edges), PSG_OK);
    for (size_t m = 0; m < edges; ++m) {
        const psg_event *from = &event[edge[m].before], *to = &event[edge[m].after];
        CHECK(from->end <= to->start + 1e-6, "%s begins at %g, before %s ends at %g",
              psg_stage_name(to->stage), to->start, psg_stage_name(from->stage), from->end);
        directions += strcmp(psg_stage_name(from->stage), "cg_direction") == 0 &&
                      strcmp(psg_stage_name(to->stage), "cg_apply") == 0 && from->step == to->step;
    }
    CHECK(directions == ITERATIONS * STEPS * blocks * blocks, "%zu products after directions",
          directions);
    CHECK_STATUS(psg_work_statistics(workload_work(work), &s), PSG_OK);
    CHECK_STATUS(psg_work_bounds(workload_work(work), &bounds), PSG_OK);
    CHECK(bounds.bound[PSG_BOUND_PATH] > 0 && bounds.seconds <= s.seconds * (1 + 1e-6),
          "a bound of %g s in a run of %g s", bounds.seconds, s.seconds);
    free(event);
    free(edge);
}

static void one(const psg_options *options, const char *name, size_t tile, size_t blocks,
                double first[ANSWERS]) {
    workload *work = NULL;
    workload_options how = {.tile = 0};
    how.tile = tile;
    if (!CHECK_STATUS(workload_create(&work, name, &how, options), PSG_OK)) {
        return;
    }
    for (int run = 0; run < 2; ++run) { /* the second one begins anew */
        CHECK_STATUS(workload_run(work), PSG_OK);
        check_answer(work, first);
    }
    check_tasks(work, blocks);
    if (options->record) {
        check_graph(work, blocks);
    }
    workload_destroy(work);
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
        options.policy = policies[p];
        options.cpus = options.gpus == 0 ? 1 + p : options.cpus;
        one(&options, "cg:S", 9800, 8, first[0]);
    }
    return check_result();
}
