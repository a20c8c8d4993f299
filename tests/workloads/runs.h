/** @file runs.h  What the tests of workloads share: one workload, its runs, its answer and its
 *  graph. */
#ifndef PSG_TESTS_WORKLOADS_RUNS_H
#define PSG_TESTS_WORKLOADS_RUNS_H

#include "tests/check.h"
#include "tests/harness.h"
#include "workloads/workload.h"

#include <string.h>

/** Before the declaration of a workload: it is destroyed where its scope ends. */
#define RUNS AT_END(runs_destroy)

static inline void runs_destroy(workload **work) {
    workload_destroy(*work);
}

/** A workload, without which the program ends. @param[in] how  NULL: the defaults */
static inline workload *runs_make(const char *name, const workload_options *how,
                                  const psg_options *options) {
    workload *work = NULL;
    if (!CHECK_STATUS(workload_create(&work, name, how, options), PSG_OK)) {
        exit(1);
    }
    return work;
}

/** Run it, and take its answer, which is right. @return how many numbers it has */
static inline size_t runs_answer(workload *work, workload_answer *answers, size_t most) {
    size_t count = 0;
    CHECK_STATUS(workload_run(work), PSG_OK);
    CHECK_STATUS(workload_check(work), PSG_OK);
    CHECK_STATUS(workload_answers(work, answers, most, &count), PSG_OK);
    return count <= most ? count : most;
}

/** An answer that is the number of places that are right: all of them. */
static inline void runs_all_right(workload *work, double all) {
    workload_answer a;
    const size_t count = runs_answer(work, &a, 1);
    CHECK(count == 1 && strcmp(a.name, "right") == 0 && a.tolerance == 0, "%zu numbers", count);
    CHECK(a.value == all && a.expected == all, "%s: %g of %g are right", workload_about(work),
          a.value, all);
}

/** The p-th policy of a list, on cores alone with 1 to 3 of these. */
static inline void runs_policy(psg_options *options, const char *const *policies, int p) {
    options->policy = policies[p];
    options->cpus = options->gpus == 0 ? 1 + p % 3 : options->cpus;
}

/** The bound of a recorded run has a path, and is not above the time that the run took. */
static inline void runs_check_bounds(const workload *work) {
    psg_run_statistics s;
    psg_bounds b;
    CHECK_STATUS(psg_work_statistics(workload_work(work), &s), PSG_OK);
    CHECK_STATUS(psg_work_bounds(workload_work(work), &b), PSG_OK);
    CHECK(b.bound[PSG_BOUND_PATH] > 0 && b.bound[PSG_BOUND_WORK] > 0 && b.seconds > 0 &&
              b.seconds <= s.seconds * (1 + 1e-6),
          "a bound of %g s, path %g s and work %g s in a run of %g s", b.seconds,
          b.bound[PSG_BOUND_PATH], b.bound[PSG_BOUND_WORK], s.seconds);
}

#endif
