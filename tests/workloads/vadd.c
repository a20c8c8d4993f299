/* vadd has the right sum at every place, for every cut, policy and number of cores, in both
 * precisions. Its tasks wait for no other task. The environment's PSG_TEST_GPUS and PSG_TEST_CPUS
 * choose GPUs. */
#include "tests/check.h"
#include "tests/harness.h"
#include "workloads/workload.h"

#include <stdlib.h>
#include <string.h>

static void check_answer(const workload *work, double all) {
    workload_answer a;
    size_t count = 0;
    CHECK_STATUS(workload_check(work), PSG_OK);
    CHECK_STATUS(workload_answers(work, &a, 1, &count), PSG_OK);
    CHECK(count == 1 && strcmp(a.name, "right") == 0 && a.tolerance == 0, "%zu numbers", count);
    CHECK(a.value == all && a.expected == all, "%s: %g sums are right", workload_about(work),
          a.value);
}

static void check_tasks(const workload *work, size_t tiles) {
    psg_kind_tasks kind;
    size_t kinds = 0, edges = 0;
    CHECK_STATUS(psg_work_tasks(workload_work(work), &kind, 1, &kinds), PSG_OK);
    CHECK_STATUS(psg_work_dependencies(workload_work(work), NULL, 0, &edges), PSG_OK);
    CHECK(kinds == 1 && strcmp(psg_stage_name(kind.stage), "vadd") == 0, "%zu kinds", kinds);
    CHECK(kind.tasks[0] + kind.tasks[1] == tiles && edges == 0, "%d tasks, %zu edges",
          (int)(kind.tasks[0] + kind.tasks[1]), edges);
}

static void one(const psg_options *options, const char *name, size_t tile, size_t tiles) {
    workload *work = NULL;
    workload_options how = {.tile = 0};
    how.tile = tile;
    if (!CHECK_STATUS(workload_create(&work, name, &how, options), PSG_OK)) {
        return;
    }
    for (int run = 0; run < 2; run++) { /* the second one begins anew */
        CHECK_STATUS(workload_run(work), PSG_OK);
        check_answer(work, strtod(name + strlen("vadd:"), NULL));
    }
    check_tasks(work, tiles);
    workload_destroy(work);
}

int main(void) {
    static const char *const policies[] = {"eager", "ws", "dmdas"};
    for (int f32 = 0; f32 < 2; f32++) {
        psg_options options = harness_options(f32 ? PSG_F32 : PSG_F64);
        options.record = 1;
        one(&options, "vadd:1", 0, 1);
        one(&options, "vadd:1000", 0, 1);
        one(&options, "vadd:100", 1, 100);
        one(&options, "vadd:100", 100, 1);
        one(&options, "vadd:1000001", 7777, 129);
        for (int p = 0; p < 3; p++) {
            options.policy = policies[p];
            options.cpus = options.gpus == 0 ? 1 + p : options.cpus;
            one(&options, "vadd:1100000", 1 << 17, 9);
        }
    }
    return check_result();
}
