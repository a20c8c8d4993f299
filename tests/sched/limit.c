/* A policy that gives no task to a worker: with a time limit psg_solve() gives up, with words. Once
 * the policy gives them, the tasks of that solve do nothing, and the plan solves again. */
#include "tests/check.h"
#include "tests/harness.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define N 12
#define POINTS ((size_t)N * N * N)
#define UNTOUCHED 7.0

static void (*set_open)(bool is_open); /* of the policy */

static void load(void) {
    void *library = dlopen(getenv("STARPU_SCHED_LIB"), RTLD_NOW);
    void *symbol = library ? dlsym(library, "faulty_open") : NULL;
    CHECK(symbol != NULL, "no faulty_open() in %s", getenv("STARPU_SCHED_LIB"));
    memcpy(&set_open, &symbol, sizeof set_open);
}

static bool gives_up(psg_plan *plan, psg_status status) {
    const char *words = psg_last_error();
    return CHECK(status == PSG_ERR_RUNTIME, "status %d", status) &&
           CHECK(strstr(words, "waited 0.5 s (time_limit)") && strstr(words, "policy late"), "%s",
                 words) &&
           CHECK(psg_plan_in_flight(plan) == 1, "%zu in flight", psg_plan_in_flight(plan));
}

/** A busy machine may take longer than the limit for a task. */
static psg_status solve(psg_plan *plan, const double *f, double *u) {
    psg_status status = psg_solve(plan, f, u);
    for (int again = 0; status != PSG_OK && again < 100; ++again) {
        status = psg_plan_in_flight(plan) > 0 ? psg_wait(plan) : psg_solve(plan, f, u);
    }
    return status;
}

static void make(psg_plan **plan, const char *options, const char *policy) {
    psg_grid grid = harness_box(N, N, N, 1, 1, 1);
    psg_options o = harness_with(PSG_F64, options);
    o.policy = policy;
    CHECK_STATUS(psg_plan_create(plan, &grid, &o), PSG_OK);
}

/** psg_solve_many() leaves the solve that it gave up in flight, and starts no other. */
static void many(psg_plan *plan, const double *f, double *u, const double *want) {
    FREED double *both = oracle_array(2 * POINTS), *to = oracle_array(2 * POINTS);
    memcpy(both, f, POINTS * sizeof *f);
    memcpy(both + POINTS, f, POINTS * sizeof *f);
    set_open(false);
    if (gives_up(plan, psg_solve_many(plan, 2, both, to))) {
        CHECK_STATUS(psg_solve_many(plan, 2, both, to), PSG_ERR_STATE);
        set_open(true);
        for (int again = 0; psg_plan_in_flight(plan) > 0 && again < 100; ++again) {
            CHECK_STATUS(psg_wait(plan), PSG_ERR_RUNTIME);
        }
        CHECK_STATUS(solve(plan, f, u), PSG_OK);
        CHECK_CLOSE(u, want, N, N, N, 1e-14, "after right-hand sides that were given up");
    }
}

int main(void) {
    FREED double *f = oracle_array(POINTS), *u = oracle_array(POINTS), *want = oracle_array(POINTS);
    psg_plan *plan = NULL;
    load();
    if (!set_open) {
        return check_result();
    }
    oracle_random(3, POINTS, f);
    make(&plan, "cpus=2", "eager");
    CHECK_STATUS(psg_solve(plan, f, want), PSG_OK);
    psg_plan_destroy(plan);

    for (size_t m = 0; m < POINTS; ++m) {
        u[m] = UNTOUCHED;
    }
    make(&plan, "cpus=2 time_limit=0.5", "late");
    if (gives_up(plan, psg_solve(plan, f, u)) && gives_up(plan, psg_wait(plan))) {
        set_open(true);
        for (int again = 0; psg_plan_in_flight(plan) > 0 && again < 100; ++again) {
            CHECK_STATUS(psg_wait(plan), PSG_ERR_RUNTIME);
        }
        CHECK(psg_plan_in_flight(plan) == 0, "the tasks do not end");
        for (size_t m = 0; m < POINTS; ++m) {
            CHECK(u[m] == UNTOUCHED, "a task wrote u[%zu] after the solve was given up", m);
        }
        CHECK_STATUS(solve(plan, f, u), PSG_OK);
        CHECK_CLOSE(u, want, N, N, N, 1e-14, "after a solve that was given up");
    }
    many(plan, f, u, want);
    set_open(false);
    CHECK_STATUS(psg_submit(plan, f, u), PSG_OK);
    psg_plan_destroy(plan); /* and what StarPU still has stays */
    return check_result();
}
