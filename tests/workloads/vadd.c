/* vadd has the right sum at every place, for every cut, policy and number of cores, in both
 * precisions. Its tasks wait for no other task. The environment's PSG_TEST_GPUS and PSG_TEST_CPUS
 * choose GPUs. */
#include "tests/workloads/runs.h"

#include <stdlib.h>

static void one(const psg_options *options, const char *name, size_t tile, size_t tiles) {
    const workload_options how = {.tile = tile};
    RUNS workload *work = runs_make(name, &how, options);
    for (int run = 0; run < 2; run++) { /* the second one begins anew */
        runs_all_right(work, strtod(name + strlen("vadd:"), NULL));
    }
    AT_END(harness_graph_free) harness_graph g = harness_graph_of(workload_work(work));
    const size_t tasks = harness_tasks(workload_work(work), "vadd");
    CHECK(tasks == tiles && g.events == tiles && g.edges == 0, "%zu tasks, %zu events, %zu edges",
          tasks, g.events, g.edges);
}

int main(void) {
    static const char *const policies[] = {"eager", "ws", "dmdas"};
    for (int f32 = 0; f32 < 2; f32++) {
        psg_options options = harness_with(f32 ? PSG_F32 : PSG_F64, "record=yes");
        one(&options, "vadd:1", 0, 1);
        one(&options, "vadd:1000", 0, 1);
        one(&options, "vadd:100", 1, 100);
        one(&options, "vadd:100", 100, 1);
        one(&options, "vadd:1000001", 7777, 129);
        for (int p = 0; p < 3; p++) {
            runs_policy(&options, policies, p);
            one(&options, "vadd:1100000", 1 << 17, 9);
        }
    }
    return check_result();
}
