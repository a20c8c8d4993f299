/* Every scheduling policy that StarPU has, and the one of the library of STARPU_SCHED_LIB, gives
 * the same u, and is the one in force when asked for. */
#include "graph/psg_machine.h"
#include "graph/psg_observe.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NX 13
#define NY 11
#define NZ 17
#define POINTS ((size_t)NX * NY * NZ)
#define SOLVES 3
#define PATIENCE 30 /* seconds for one policy on an idle machine */

static const oracle_grid box = {{NX, NY, NZ}, {1.0, 1.0, 2.0}};

static void one_plan(const psg_options *options, const char *variant, const double *f,
                     const double *want) {
    psg_grid grid = harness_grid(&box);
    FREED double *u = oracle_array(SOLVES * POINTS);
    DESTROYED psg_plan *plan = harness_plan(&grid, options);
    for (size_t s = 0; s < SOLVES; ++s) {
        CHECK_STATUS(psg_submit(plan, f, u + s * POINTS), PSG_OK);
    }
    for (size_t s = 0; s < SOLVES; ++s) {
        CHECK_STATUS(psg_wait(plan), PSG_OK);
        CHECK_CLOSE(u + s * POINTS, want, NX, NY, NZ, 1e-14, "policy %s, %d workers, %s, solve %zu",
                    options->policy ? options->policy : "(default)", options->cpus, variant, s);
    }
}

/* Modes of u from f. These as modes of f, beside u as f. */
static void modes(const psg_options *options, const double *f) {
    enum { MODES = (NX / 2 + 1) * NY * NZ };
    psg_grid grid = harness_grid(&box);
    FREED double *u = oracle_array(3 * POINTS);
    FREED double *of_u = oracle_array(2 * MODES);
    DESTROYED psg_plan *plan = harness_plan(&grid, options);
    const psg_array from = harness_view((void *)(uintptr_t)f), to = harness_view(u),
                    in_modes = harness_view(of_u), one = harness_view(u + POINTS),
                    other = harness_view(u + 2 * POINTS);
    psg_solve_args args = harness_args(plan);
    args.u_modes = &in_modes;
    CHECK_STATUS(psg_solve_arrays(plan, 1, &from, &to, &args), PSG_OK);
    args.f_modes = &in_modes;
    args.u_modes = NULL;
    CHECK_STATUS(psg_submit_arrays(plan, 1, &to, &one, NULL), PSG_OK);
    CHECK_STATUS(psg_submit_arrays(plan, 1, NULL, &other, &args), PSG_OK);
    CHECK_STATUS(psg_wait(plan), PSG_OK);
    CHECK_STATUS(psg_wait(plan), PSG_OK);
    CHECK_CLOSE(u + 2 * POINTS, u + POINTS, NX, NY, NZ, 1e-14, "policy %s, modes",
                options->policy ? options->policy : "(default)");
}

static void in_force(const psg_options *options) {
    char policy[64] = "";
    size_t count = 0;
    CHECK_STATUS(psg_machine_workers(options, NULL, 0, &count, policy, sizeof policy), PSG_OK);
    CHECK(strcmp(policy, options->policy) == 0, "asked for %s, got %s", options->policy, policy);
    CHECK(count == (size_t)options->cpus, "policy %s: %zu workers instead of %d", options->policy,
          count, options->cpus);
}

/** Beside a plan of three workers, a plan has the first one or two of them, and its tasks go to no
 * other. StarPU's heteroprio ended the program now and then, in one of 20 runs. */
static void fewer_workers(const char *policy, const double *f, const double *want) {
    enum { EVENTS = 100 };
    psg_options options = harness_with(PSG_F64, "cpus=3 segment_planes=4 sheets=5");
    options.policy = policy;
    psg_grid grid = harness_grid(&box);
    DESTROYED psg_plan *all = harness_plan(&grid, &options);
    for (options.cpus = 1; options.cpus < 3; ++options.cpus) {
        psg_event event[EVENTS];
        size_t count = 0, elsewhere = 0;
        FREED double *u = oracle_array(POINTS);
        if (policy != NULL && strcmp(policy, "heteroprio") == 0) {
            psg_plan *none = NULL;
            CHECK_SAYS(psg_plan_create(&none, &grid, &options), PSG_ERR_STATE, "loses count");
            continue;
        }
        DESTROYED psg_plan *plan = harness_plan(&grid, &options);
        const psg_statistics statistics = harness_statistics(plan);
        CHECK(statistics.workers == (size_t)options.cpus, "%zu workers", statistics.workers);
        for (int s = 0; s < SOLVES; ++s) {
            CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
            CHECK_CLOSE(u, want, NX, NY, NZ, 1e-14, "%s, %d of 3 workers", policy, options.cpus);
            CHECK_STATUS(psg_plan_events(plan, event, EVENTS, &count), PSG_OK);
            for (size_t e = 0; e < count && e < EVENTS; ++e) {
                elsewhere += event[e].worker < 0;
            }
            CHECK(count > 0 && elsewhere == 0, "policy %s: %zu of %zu tasks on other workers",
                  policy ? policy : "(team)", elsewhere, count);
        }
        CHECK_STATUS(psg_solve(all, f, u), PSG_OK);
        CHECK_CLOSE(u, want, NX, NY, NZ, 1e-14, "%s, all workers", policy);
    }
}

static void one_policy(const char *policy, const double *f, const double *want) {
    for (int run = 0; run < 2 * HARNESS_VARIANTS; ++run) {
        psg_options options = harness_options(PSG_F64);
        harness_set_variant(&options, &harness_variants[run / 2]);
        options.policy = policy;
        options.cpus = run % 2 ? 3 : 2;
        options.segment_planes = 4;
        options.sheets = 5;
        one_plan(&options, harness_variants[run / 2].name, f, want);
        if (options.graph == PSG_GRAPH_FUSED) {
            modes(&options, f);
        }
        if (run == 0 && policy) {
            in_force(&options);
        }
    }
    fewer_workers(policy, f, want);
}

/** The answer of one worker, one segment and one sheet. */
static int reference(double *f, double *want) {
    psg_grid grid = harness_grid(&box);
    psg_options options = harness_with(PSG_F64, "cpus=1 sheets=1");
    psg_plan *plan = NULL;
    oracle_random(6, POINTS, f);
    options.segment_planes = NZ;
    int held = CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK) &&
               CHECK_STATUS(psg_solve(plan, f, want), PSG_OK);
    psg_plan_destroy(plan);
    return held;
}

/** Run this program again for one policy, so that a crash or a hang costs that policy alone. */
static void in_a_process(char *program, const char *policy) {
    char name[64];
    char *arguments[] = {program, name, NULL};
    int status = 0;
    snprintf(name, sizeof name, "%s", policy);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(harness_patience(PATIENCE));
        execv(program, arguments);
        _exit(126);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child, "no process for %s", policy);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "policy %s ended with %s %d", policy,
          WIFEXITED(status) ? "status" : "signal",
          WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

int main(int argc, char **argv) {
    const char *policy;
    size_t count = 0;
    bool own = false;
    if (argc > 1) {
        double *f = oracle_array(POINTS), *want = oracle_array(POINTS);
        if (reference(f, want)) {
            one_policy(strcmp(argv[1], "default") == 0 ? NULL : argv[1], f, want);
        }
        free(f);
        free(want);
        printf("%s: ", argv[1]);
        return check_result();
    }
    for (; (policy = psg_policy_name(count)) != NULL; ++count) {
        in_a_process(argv[0], policy);
        own = own || (strcmp(policy, "mylifo") == 0 && psg_policy_library(count) != NULL);
    }
    CHECK(own, "no mylifo in %s", getenv("STARPU_SCHED_LIB"));
    in_a_process(argv[0], "default");
    CHECK(count >= 10, "%zu policies", count);
    return check_result();
}
