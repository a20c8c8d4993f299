/* In a program that has started StarPU itself, plans use its workers and policy, refuse to be asked for
 * others, leave its tasks alone and do not stop it. */
#include "graph/psg_observe.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <starpu.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NX 9
#define NY 8
#define NZ 11
#define POINTS ((size_t)NX * NY * NZ)

static const oracle_grid box = {{NX, NY, NZ}, {1.0, 1.0, 1.0}};

static void count_up(void *buffers[], void *arguments) {
    (void)arguments;
    ++*(int *)STARPU_VARIABLE_GET_PTR(buffers[0]);
}

static struct starpu_codelet codelet = {
    .cpu_funcs = {count_up}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "count_up"};

static int start(void) {
    struct starpu_conf conf;
    starpu_conf_init(&conf);
    conf.ncpus = 2;
    conf.ncuda = 0;
    conf.nopencl = 0;
    conf.sched_policy_name = "prio";
    return CHECK(starpu_init(&conf) == 0, "starpu_init failed");
}

static void solves(const psg_options *options, const char *what) {
    FREED double *f = oracle_array(POINTS), *u = oracle_array(POINTS), *want = oracle_array(POINTS);
    psg_grid grid = harness_grid(&box);
    psg_plan *plan = NULL;
    oracle_random(1, POINTS, f);
    oracle_solve(&box, ORACLE_SPECTRAL, 0, f, want);
    if (CHECK_STATUS(psg_plan_create(&plan, &grid, options), PSG_OK)) {
        CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
        CHECK_CLOSE(u, want, NX, NY, NZ, 1e-12, "%s", what);
        const psg_statistics statistics = harness_statistics(plan);
        CHECK(statistics.workers == (options->cpus == 1 ? 1U : 2U), "%s: %zu workers", what,
              statistics.workers);
        const psg_stage_statistics *kspace = &statistics.stage[PSG_STAGE_KSPACE];
        CHECK(kspace->tasks > 0 && kspace->seconds > 0, "%s: %d tasks took %g seconds", what,
              (int)kspace->tasks, kspace->seconds);
    }
    psg_plan_destroy(plan);
    CHECK(starpu_is_initialized() == 1, "%s: StarPU was stopped", what);
}

static void refused(const psg_options *options, const char *what) {
    psg_grid grid = harness_grid(&box);
    psg_plan *plan = NULL;
    psg_status status = psg_plan_create(&plan, &grid, options);
    CHECK(status == PSG_ERR_STATE && plan == NULL, "%s: status %d (%s)", what, status,
          psg_last_error());
    psg_plan_destroy(plan);
    CHECK(starpu_is_initialized() == 1, "%s: StarPU was stopped", what);
}

/** A solve ends although a task of the program cannot: psg waits for its own data alone. */
static void beside_a_stuck_task(const psg_options *options) {
    int value = 0;
    starpu_data_handle_t handle;
    starpu_variable_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
    CHECK(starpu_data_acquire(handle, STARPU_RW) == 0, "starpu_data_acquire failed");
    /* waits until the data are released, after the solves */
    CHECK(starpu_task_insert(&codelet, STARPU_RW, handle, 0) == 0, "starpu_task_insert failed");
    solves(options, "beside a task that cannot start");
    CHECK(value == 0, "the program's task ran before it could");
    starpu_data_release(handle);
    starpu_data_unregister(handle);
    CHECK(value == 1, "the program's task was lost: %d", value);
}

static atomic_int ran;

static void flag(void *buffers[], void *arguments) {
    (void)buffers;
    (void)arguments;
    atomic_store(&ran, 1);
}

static struct starpu_codelet flag_codelet = {.cpu_funcs = {flag}, .nbuffers = 0, .name = "flag"};

/** Whether a task of the program's runs within three seconds. */
static int own_task_runs(void) {
    const struct timespec nap = {0, 10000000};
    atomic_store(&ran, 0);
    if (starpu_task_insert(&flag_codelet, 0) != 0) {
        return 0;
    }
    for (int n = 0; n < 300 && !atomic_load(&ran); ++n) {
        nanosleep(&nap, NULL);
    }
    return atomic_load(&ran);
}

/** The program joins a StarPU that a plan has started, and keeps it when the plan has gone. (Beside an idle
 *  plan its workers sleep: a program with tasks of its own starts StarPU first.) */
static void joined_later(void) {
    psg_grid grid = harness_grid(&box);
    psg_options options = harness_options(PSG_F64);
    psg_plan *plan = NULL;
    FREED double *f = oracle_array(POINTS), *u = oracle_array(POINTS), *want = oracle_array(POINTS);
    oracle_random(1, POINTS, f);
    oracle_solve(&box, ORACLE_SPECTRAL, 0, f, want);
    if (CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
        CHECK(starpu_init(NULL) == 0, "StarPU could not be joined");
        CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
        CHECK_CLOSE(u, want, NX, NY, NZ, 1e-12, "after the program has joined");
        psg_plan_destroy(plan);
        CHECK(own_task_runs(), "the program's task does not run after the plan has gone");
        starpu_shutdown();
        CHECK(starpu_is_initialized() == 0, "psg still holds StarPU");
    }
}

int main(void) {
    psg_options options = harness_with(PSG_F64, "cpus=all gpus=all");
    if (!start()) {
        return check_result();
    }
    solves(&options, "options that ask for nothing");
    beside_a_stuck_task(&options);
    options.cpus = 2;
    options.gpus = 0;
    options.policy = "prio";
    solves(&options, "options that ask for what there is");
    options.cpus = 1;
    solves(&options, "one worker where there are two");
    options.cpus = 2;
    options.policy = "eager";
    refused(&options, "another policy");
    options.policy = "prio";
    options.cpus = 3;
    refused(&options, "more workers than there are");
    starpu_shutdown();
    CHECK(starpu_is_initialized() == 0, "psg still holds StarPU");
    options.cpus = 1;
    psg_grid grid = harness_grid(&box);
    psg_plan *plan = NULL;
    options.gpus = 0;
    CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK);
    psg_plan_destroy(plan);
    CHECK(starpu_is_initialized() == 0, "psg still holds StarPU");
    joined_later();
    return check_result();
}
