/* pcg finds the known u in the known number of steps, for every form of eps, cut, policy, number of
 * cores and precision of the preconditioner; the number does not grow with the grid. The sums have
 * an order of their own, so with planes cut in other ways u has the same error but for rounding.
 * The environment's PSG_TEST_GPUS and PSG_TEST_CPUS choose GPUs. */
#include "tests/workloads/runs.h"

enum { ANSWERS = 3, KINDS = 16 };

typedef struct want {
    const char *name;
    size_t tile;
    double steps; /* 0: not known */
    double spread;
} want;

static double answer_of(const workload *work, const char *name) {
    workload_answer a[ANSWERS];
    size_t count = 0;
    CHECK_STATUS(workload_answers(work, a, ANSWERS, &count), PSG_OK);
    for (size_t m = 0; m < count && m < ANSWERS; ++m) {
        if (strcmp(a[m].name, name) == 0) {
            return a[m].value;
        }
    }
    CHECK(0, "no answer %s", name);
    return -1;
}

/** Each step has a solve, and of each segment one task of each kind. u of a body is copied once
 * more, without its mean. */
static void check_tasks(const workload *work, size_t segments, size_t steps, size_t copies) {
    psg_kind_tasks kind[KINDS];
    size_t count = 0;
    const size_t submitted = harness_tasks(workload_work(work), "pcg_update") / segments;
    CHECK_STATUS(psg_work_tasks(workload_work(work), kind, KINDS, &count), PSG_OK);
    CHECK(submitted >= steps && submitted <= steps + 2, "%zu steps of which %zu were needed",
          submitted, steps);
    for (size_t k = 0; k < count && k < KINDS; ++k) {
        const size_t tasks = kind[k].tasks[0] + kind[k].tasks[1];
        const char *name = psg_stage_name(kind[k].stage);
        const int once = strcmp(name, "pcg_measure") == 0 || strcmp(name, "pcg_end") == 0;
        const size_t wanted = strcmp(name, "pcg_scalars") == 0     ? 3 + 3 * submitted
                              : strcmp(name, "pcg_start") == 0     ? 2 * segments
                              : strcmp(name, "pcg_direction") == 0 ? (copies + submitted) * segments
                              : strcmp(name, "pcg_apply") == 0     ? (1 + submitted) * segments
                              : once                               ? segments
                                                                   : submitted * segments;
        CHECK(strcmp(name, "kspace") == 0 || tasks == wanted, "%s: %zu tasks, not %zu", name, tasks,
              wanted);
    }
}

/** @return the error of u */
static double one(const psg_options *options, const want *w, size_t segments) {
    const workload_options how = {.tile = w->tile};
    RUNS workload *work = runs_make(w->name, &how, options);
    double error = -1;
    for (int run = 0; run < 2; ++run) { /* the second one begins in the first one's fields */
        CHECK_STATUS(workload_run(work), PSG_OK);
        CHECK_STATUS(workload_check(work), PSG_OK);
        const double again = answer_of(work, "error");
        const double steps = answer_of(work, "iterations");
        CHECK(run == 0 || again == error || options->gpus != 0, "errors %.17g and %.17g", error,
              again);
        error = again;
        CHECK_NEAR(steps, w->steps, w->spread, "steps of %s, planes %zu", w->name, w->tile);
        if (segments > 0) {
            check_tasks(work, segments, (size_t)steps, strstr(w->name, "body") != NULL ? 3 : 2);
        }
    }
    if (options->record) {
        runs_check_bounds(work);
    }
    return error;
}

/** 32^3: computed apart from this program, as are those of 64^3. */
static void forms(psg_options options) {
    static const want wants[] = {
        {"pcg:32", 8, 11, 1},
        {"pcg:32:ball:10", 32, 27, 1},
        {"pcg:32:smooth:40", 11, 12, 1},
        {"pcg:32:ball:40", 16, 36, 1},
        {"pcg:64:smooth:2", 16, 8, 1},
        {"pcg:64:ball", 16, 28, 1},
        {"pcg:32:body", 8, 18, 1},
        {"pcg:32:body:1", 11, 14, 1},
        {"pcg:30:smooth:1", 7, 1, 0},
    };
    static const size_t segments[] = {4, 1, 3, 2, 4, 4, 4, 3, 5};
    for (int precision = 0; precision < 2; ++precision) {
        options.precision = precision == 0 ? PSG_F64 : PSG_F32;
        for (size_t m = 0; m < sizeof wants / sizeof *wants; ++m) {
            want w = wants[m];
            w.spread =
                precision == 1 && w.spread == 0 ? 2 : w.spread; /* f32 needs to correct itself */
            (void)one(&options, &w, segments[m]);
        }
    }
}

static void cuts_and_policies(psg_options options) {
    static const char *const policies[] = {"eager", "prio", "dmdas"};
    static const size_t tiles[] = {1, 5, 16, 0};
    want w = {"pcg:32", 0, 11, 1};
    options.record = 1;
    const double error = one(&options, &w, 0);
    for (int t = 0; t < 4; ++t) {
        w.tile = tiles[t];
        CHECK_NEAR(one(&options, &w, 0), error, 1e-13, "error with %zu planes", w.tile);
    }
    w.tile = 8;
    for (int p = 0; p < 3; ++p) {
        runs_policy(&options, policies, p);
        CHECK_NEAR(one(&options, &w, 4), error, 1e-13, "error by %s", policies[p]);
    }
}

int main(void) {
    const psg_options options = harness_options(PSG_F64);
    forms(options);
    cuts_and_policies(options);
    return check_result();
}
