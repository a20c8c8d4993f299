/* A plan takes no more memory with each solve, nor a workload with each run: after thousands of them the process has as much allocated
 * as before, whatever runs the solves, and the answer is the same. */
#include "graph/psg.h"
#include "graph/psg_starpu.h"
#include "tests/check.h"
#include "tests/harness.h"
#include "workloads/workload.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

enum { N = 8, POINTS = N * N * N, MANY = 3, WARM = 2048, SOLVES = 10240, RUNS = 200 };
/* Workers keep some pieces of memory for their next task: 4 KB more or less at any time. What StarPU would keep of the readers of f alone
 * is 500 KB. */
enum { NOISE = 16384 };

typedef enum way { PLAIN, SLABS, EPSILON, RIGHT_SIDES, WAYS } way;

static double f[MANY * POINTS], u[MANY * POINTS], first[MANY * POINTS], epsilon[POINTS];

static psg_status solve(psg_plan *plan, way how) {
    if (how == SLABS) {
        const psg_status status = psg_submit_slabs(plan);
        return status == PSG_OK ? psg_wait(plan) : status;
    }
    if (how == EPSILON) {
        psg_array arrays[3];
        psg_solve_args args;
        psg_array_init(&arrays[0], f);
        psg_array_init(&arrays[1], u);
        psg_array_init(&arrays[2], epsilon);
        psg_solve_args_init(&args, plan);
        args.epsilon = &arrays[2];
        args.tolerance = 0.5;
        return psg_solve_arrays(plan, 1, &arrays[0], &arrays[1], &args);
    }
    return how == RIGHT_SIDES ? psg_solve_many(plan, MANY, f, u) : psg_solve(plan, f, u);
}

static void solves(const char *name, psg_options options, way how) {
    size_t before = 0;
    psg_grid grid = harness_box(N, N, N, 1, 1, 1);
    options.segment_planes = N / 2;
    options.symbol = how == EPSILON ? PSG_SYMBOL_FD2 : options.symbol;
    DESTROYED psg_plan *plan = harness_plan(&grid, &options);
    if (plan != NULL && how == SLABS) {
        CHECK_STATUS(psg_slabs_put(plan, f), PSG_OK);
    }
    psg_status status = plan != NULL ? PSG_OK : PSG_ERR_STATE;
    for (int m = 1; m <= SOLVES && status == PSG_OK; m++) {
        status = solve(plan, how);
        if (status == PSG_OK && how == SLABS && (m == 1 || m == SOLVES)) {
            status = psg_slabs_get(plan, u);
        }
        if (m == 1) {
            memcpy(first, u, sizeof u);
        }
        before = m == WARM ? mallinfo2().uordblks : before;
    }
    const long more = (long)(mallinfo2().uordblks - before);
    CHECK(status == PSG_OK, "%s: %s", name, psg_last_error());
    CHECK(more <= NOISE, "%s: %ld bytes more after %d solves", name, more, SOLVES - WARM);
    for (size_t m = 0; m < sizeof u / sizeof *u; m++) {
        CHECK(u[m] == first[m], "%s: u[%zu] is %g, and was %g", name, m, u[m], first[m]);
    }
}

static void runs(const char *name, const psg_options *options) {
    workload *work = NULL;
    size_t before = 0;
    workload_options how = {.tile = 0};
    CHECK_STATUS(workload_create(&work, name, &how, options), PSG_OK);
    psg_status status = work != NULL ? PSG_OK : PSG_ERR_STATE;
    for (int m = 1; m <= 2 * RUNS && status == PSG_OK; m++) {
        status = workload_run(work);
        before = m == RUNS ? mallinfo2().uordblks : before;
    }
    const long more = (long)(mallinfo2().uordblks - before);
    CHECK(status == PSG_OK, "%s: %s", name, psg_last_error());
    CHECK(more <= NOISE, "%s: %ld bytes more after %d runs", name, more, RUNS);
    workload_destroy(work);
}

int main(void) {
    psg_options options = harness_options(PSG_F64);
    for (int m = 0; m < MANY * POINTS; m++) {
        f[m] = m % 7 - 3 + 0.01 * (m % 31);
        epsilon[m % POINTS] = 1 + m % 3;
    }
    solves("team", options, PLAIN);
    solves("team, slabs", options, SLABS);
    options.policy = "lws";
    solves("tasks", options, PLAIN);
    solves("tasks, slabs", options, SLABS);
    solves("tasks, epsilon", options, EPSILON);
    solves("tasks, right-hand sides", options, RIGHT_SIDES);
    options.graph = PSG_GRAPH_STAGED;
    solves("tasks, staged", options, PLAIN);
    options.graph = PSG_GRAPH_FUSED;
    runs("jacobi:100:4", &options);
    runs("pcg:8", &options);
    return check_result();
}
