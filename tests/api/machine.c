/* psg_machine_workers() lists the workers that a plan with the same options has, and the policy, and
 * psg_machine_routes() what leads to their memories and back; options that ask a running StarPU for something
 * else are PSG_ERR_STATE. */
#include "graph/psg_machine.h"
#include "graph/psg_observe.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <stdlib.h>
#include <string.h>

#define CAPACITY 8

static void listed(int cpus) {
    psg_options options = harness_with(PSG_F64, "gpus=0 policy=ws");
    psg_worker worker[CAPACITY];
    size_t count = 0;
    char policy[32];
    options.cpus = cpus;
    memset(worker, 0x7f, sizeof worker);
    CHECK_STATUS(psg_machine_workers(&options, worker, CAPACITY, &count, policy, sizeof policy),
                 PSG_OK);
    CHECK(count == (size_t)cpus, "%zu workers instead of %d", count, cpus);
    CHECK(strcmp(policy, "ws") == 0, "policy %s", policy);
    for (size_t w = 0; w < count && w < CAPACITY; ++w) {
        CHECK(worker[w].kind == PSG_WORKER_CPU, "worker %zu is of kind %d", w, worker[w].kind);
        CHECK(memchr(worker[w].name, 0, sizeof worker[w].name) && worker[w].name[0],
              "worker %zu has no name", w);
        CHECK(worker[w].device >= 0, "worker %zu is device %d", w, worker[w].device);
    }
}

static void truncated(void) {
    psg_options options = harness_with(PSG_F64, "cpus=2 gpus=0 policy=dmdas");
    psg_worker worker[2];
    unsigned char *second = (unsigned char *)&worker[1];
    size_t count = 0;
    char policy[4] = {1, 1, 1, 1};
    memset(worker, 0x5a, sizeof worker);
    CHECK_STATUS(psg_machine_workers(&options, worker, 1, &count, policy, sizeof policy), PSG_OK);
    CHECK(count == 2, "%zu workers", count);
    CHECK(worker[0].name[0] != 0x5a, "the first worker was not written");
    for (size_t b = 0; b < sizeof worker[1]; ++b) {
        CHECK(second[b] == 0x5a, "byte %zu beyond the capacity was written", b);
    }
    CHECK(memcmp(policy, "dmd", 4) == 0, "policy cut to 4 bytes is %.4s", policy);
    CHECK_STATUS(psg_machine_workers(&options, NULL, 0, &count, NULL, 0), PSG_OK);
    CHECK(count == 2, "%zu workers", count);
}

static void wrong(void) {
    psg_options options = harness_options(PSG_F64);
    psg_worker worker[2];
    size_t count = 0;
    CHECK_STATUS(psg_machine_workers(&options, worker, 2, NULL, NULL, 0), PSG_ERR_ARG);
    CHECK_STATUS(psg_machine_workers(&options, NULL, 2, &count, NULL, 0), PSG_ERR_ARG);
    options.policy = "quick-and-dirty";
    CHECK_STATUS(psg_machine_workers(&options, worker, 2, &count, NULL, 0), PSG_ERR_ARG);
    options.policy = NULL;
    options.cpus = -2;
    CHECK_STATUS(psg_machine_workers(&options, worker, 2, &count, NULL, 0), PSG_ERR_ARG);
}

/** STARPU_SCHED holds where the options name no policy; cpus holds over the environment. */
static void environment(void) {
    psg_options options = harness_with(PSG_F64, "cpus=2 gpus=0");
    size_t count = 0;
    char policy[32] = "";
    setenv("STARPU_SCHED", "eager", 1);
    setenv("STARPU_NCPU", "1", 1);
    CHECK_STATUS(psg_machine_workers(&options, NULL, 0, &count, policy, sizeof policy), PSG_OK);
    CHECK(strcmp(policy, "eager") == 0, "policy %s instead of $STARPU_SCHED's", policy);
    CHECK(count == 2, "%zu workers instead of 2", count);
    /* to StarPU the variable goes above all: what was asked for is had, or refused by name */
    options.policy = "prio";
    psg_status status = psg_machine_workers(&options, NULL, 0, &count, policy, sizeof policy);
    CHECK(status == PSG_OK ? strcmp(policy, "prio") == 0
                           : strstr(psg_last_error(), "STARPU_SCHED") != NULL,
          "prio beside STARPU_SCHED=eager: policy %s, status %d, words: %s", policy, status,
          psg_last_error());
    unsetenv("STARPU_SCHED");
    unsetenv("STARPU_NCPU");
}

/** While a plan has StarPU running with two workers and the policy prio. */
static void while_running(void) {
    psg_options options = harness_options(PSG_F64), other;
    psg_plan *plan = NULL, *second = NULL;
    size_t count = 0;
    char policy[32];
    psg_grid grid = harness_box(6, 6, 6, 1, 1, 1);
    options.cpus = 2;
    options.gpus = 0;
    options.policy = "prio";
    if (!CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
        return;
    }
    CHECK(psg_plan_simulates_sides(plan) == 0 && psg_plan_simulates_sides(NULL) == 0,
          "a plan that simulates");
    const psg_statistics statistics = harness_statistics(plan);
    CHECK(statistics.workers == 2, "%zu workers", statistics.workers);
    other = options;
    other.cpus = 3;
    CHECK_STATUS(psg_plan_create(&second, &grid, &other), PSG_ERR_STATE);
    CHECK(second == NULL && psg_last_error()[0], "words: %s", psg_last_error());
    CHECK_STATUS(psg_machine_workers(&other, NULL, 0, &count, NULL, 0), PSG_ERR_STATE);
    other.cpus = 1;
    CHECK_STATUS(psg_machine_workers(&other, NULL, 0, &count, NULL, 0), PSG_OK);
    CHECK(count == 1, "%zu workers of 1", count);
    other = options;
    other.policy = "eager";
    CHECK_STATUS(psg_plan_create(&second, &grid, &other), PSG_ERR_STATE);
    other = options;
    other.calibrate = 1;
    CHECK_STATUS(psg_plan_create(&second, &grid, &other), PSG_ERR_STATE);
    other = options;
    other.policy = NULL; /* asks for nothing */
    other.cpus = -1;
    other.gpus = -1;
    CHECK_STATUS(psg_machine_workers(&other, NULL, 0, &count, policy, sizeof policy), PSG_OK);
    CHECK(count == 2 && strcmp(policy, "prio") == 0, "%zu workers, policy %s", count, policy);
    CHECK_STATUS(psg_plan_create(&second, &grid, &other), PSG_OK);
    /* the second keeps StarPU after the first has gone */
    psg_plan_destroy(plan);
    double f[216], u[216], want[216];
    oracle_grid box = oracle_grid_make(6, 6, 6, 1, 1, 1);
    oracle_random(1, 216, f);
    oracle_solve(&box, ORACLE_SPECTRAL, 0, f, want);
    CHECK_STATUS(psg_solve(second, f, u), PSG_OK);
    CHECK_CLOSE(u, want, 6, 6, 6, 1e-12, "with the second plan");
    psg_plan_destroy(second);
    options.cpus = 1; /* nobody holds StarPU now */
    options.policy = "eager";
    CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK);
    psg_plan_destroy(plan);
}

/** Without GPUs there are none, and nothing is written. */
static void no_routes(void) {
    psg_options options = harness_with(PSG_F64, "gpus=0");
    psg_route route, untouched;
    size_t count = 7;
    memset(&untouched, 0x5a, sizeof untouched);
    route = untouched;
    CHECK_STATUS(psg_machine_routes(&options, &route, 1, &count), PSG_OK);
    CHECK(count == 0, "%zu routes without GPUs", count);
    CHECK(memcmp(&route, &untouched, sizeof route) == 0, "a route was written that is not counted");
    count = 7;
    CHECK_STATUS(psg_machine_routes(&options, NULL, 0, &count), PSG_OK);
    CHECK(count == 0, "%zu routes without GPUs", count);
}

static void wrong_routes(void) {
    psg_options options = harness_with(PSG_F64, "gpus=0");
    psg_route route;
    size_t count = 7;
    CHECK_STATUS(psg_machine_routes(&options, &route, 1, NULL), PSG_ERR_ARG);
    CHECK(psg_last_error()[0], "no words");
    CHECK_STATUS(psg_machine_routes(&options, NULL, 1, &count), PSG_ERR_ARG);
    CHECK(count == 0, "%zu routes after an error", count);
    options.cpus = -2;
    count = 7;
    CHECK_STATUS(psg_machine_routes(&options, &route, 1, &count), PSG_ERR_ARG);
    CHECK(count == 0, "%zu routes after an error", count);
    options.cpus = -1;
    options.gpus = 4096;
    CHECK_STATUS(psg_machine_routes(&options, &route, 1, &count), PSG_ERR_NODEV);
    options.gpus = 0;
    options.machine = "h200"; /* this is no simulation */
    CHECK_STATUS(psg_machine_routes(&options, &route, 1, &count), PSG_ERR_UNSUPPORTED);
    options.machine = NULL; /* none of them keeps StarPU, or makes the next one fail */
    CHECK_STATUS(psg_machine_routes(&options, &route, 1, &count), PSG_OK);
    CHECK_STATUS(psg_machine_routes(NULL, NULL, 0, &count), PSG_OK); /* the defaults */
}

/** Of the GPUs that there are: each pair of memories once, in each direction, with a rate. */
static void routes_of_gpus(void) {
    psg_options options = harness_with(PSG_F64, "gpus=all");
    psg_worker worker[CAPACITY];
    psg_route routes[CAPACITY * (CAPACITY + 1)];
    size_t gpus = 0, count = 0;
    CHECK_STATUS(psg_machine_workers(&options, worker, CAPACITY, &gpus, NULL, 0), PSG_OK);
    while (gpus > 0 && (gpus > CAPACITY || worker[gpus - 1].kind != PSG_WORKER_CUDA)) {
        gpus--; /* cores follow them */
    }
    if (gpus == 0) {
        return;
    }
    CHECK_STATUS(psg_machine_routes(&options, routes, CAPACITY * (CAPACITY + 1), &count), PSG_OK);
    CHECK(count == gpus * (gpus + 1), "%zu routes of %zu GPUs", count, gpus);
    for (size_t r = 0; r < count; ++r) {
        CHECK(routes[r].from != routes[r].to && routes[r].rate > 0 &&
                  routes[r].latency_seconds >= 0,
              "from %d to %d: %g bytes/s, %g s", routes[r].from, routes[r].to, routes[r].rate,
              routes[r].latency_seconds);
        for (size_t other = 0; other < r; ++other) {
            CHECK(routes[r].from != routes[other].from || routes[r].to != routes[other].to,
                  "from %d to %d is there twice", routes[r].from, routes[r].to);
        }
    }
}

/** Those that the project has, in order, as often as one asks and wherever that is. */
static void recorded(void) {
    psg_recorded list[CAPACITY + 1];
    size_t count = 0, again = 0;
    CHECK_STATUS(psg_recorded_list(NULL, 0, &count), PSG_OK);
    if (!CHECK(count >= 2 && count <= CAPACITY, "%zu machines", count)) {
        return;
    }
    memset(list, 0x5a, sizeof list);
    const psg_recorded guard = list[1];
    CHECK_STATUS(psg_recorded_list(list, 1, &again), PSG_OK);
    CHECK(again == count && memcmp(&guard, &list[1], sizeof guard) == 0, "%zu, then %zu", count,
          again);
    CHECK_STATUS(psg_recorded_list(list, count, &again), PSG_OK);
    int h200 = 0;
    for (size_t m = 0; m < count; ++m) {
        CHECK(m == 0 || strcmp(list[m - 1].name, list[m].name) < 0, "%s before %s",
              list[m > 0 ? m - 1 : 0].name, list[m].name);
        CHECK(list[m].cpus > 0 && (list[m].gpus == 0) == (list[m].gpu_memory == 0),
              "%s: %u cores, %u GPUs of %g bytes", list[m].name, list[m].cpus, list[m].gpus,
              list[m].gpu_memory);
        h200 += strcmp(list[m].name, "h200") == 0 && list[m].gpus == 8;
    }
    CHECK(h200 == 1, "h200 is listed %d times", h200);
    CHECK_STATUS(psg_recorded_list(NULL, 1, &count), PSG_ERR_ARG);
    CHECK_STATUS(psg_recorded_list(list, 1, NULL), PSG_ERR_ARG);
}

int main(void) {
    recorded();
    for (int cpus = 1; cpus <= 3; ++cpus) {
        listed(cpus);
    }
    truncated();
    wrong();
    environment();
    while_running();
    no_routes();
    wrong_routes();
    routes_of_gpus();
    listed(1); /* StarPU was let go, and can have other workers */
    return check_result();
}
