/* dock finds the planted pose and the known scores, for every size of batches, policy and number of cores. The environment's
 * PSG_TEST_GPUS and PSG_TEST_CPUS choose workers. */
#include "graph/psg_work.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWERS = 8, ROTATIONS = 600 };

/* Computed apart from this program: for 64^3 cells and 30 degrees. */
static void check_known(const psg_work *work) {
    static const char *const names[ANSWERS] = {"rotation",   "shift_x",  "shift_y",
                                               "shift_z",    "score",    "next_rotation",
                                               "next_score", "differing"};
    static const double values[ANSWERS] = {370, -1, 0, 10, 664, 298, 328, 0};
    psg_answer a[ANSWERS];
    size_t count = 0;
    CHECK_STATUS(psg_work_check(work), PSG_OK);
    CHECK_STATUS(psg_work_answers(work, a, ANSWERS, &count), PSG_OK);
    CHECK(count == ANSWERS, "%zu numbers", count);
    for (size_t m = 0; m < count; m++) {
        CHECK(strcmp(a[m].name, names[m]) == 0 && a[m].value == values[m] && a[m].tolerance == 0,
              "%s: %s is %g", psg_work_about(work), a[m].name, a[m].value);
    }
}

static size_t tasks_of(const psg_work *work, const char *name) {
    psg_kind_tasks tasks[8];
    size_t kinds = 0, found = 0;
    CHECK_STATUS(psg_work_tasks(work, tasks, 8, &kinds), PSG_OK);
    for (size_t k = 0; k < kinds; k++) {
        if (strcmp(psg_stage_name(tasks[k].stage), name) == 0) {
            found += (size_t)(tasks[k].tasks[0] + tasks[k].tasks[1]);
        }
    }
    return found;
}

static void known(const psg_options *options, size_t tile, psg_work_priority priority, int runs) {
    const size_t batch = tile > 0 ? tile : 8, batches = (ROTATIONS - 1) / batch + 1;
    psg_work *work = NULL;
    psg_work_options how;
    psg_work_options_init(&how);
    how.tile = tile;
    how.priority = priority;
    if (!CHECK_STATUS(psg_work_create(&work, "dock:64", &how, options), PSG_OK)) {
        return;
    }
    for (int run = 0; run < runs; run++) { /* the second one begins anew */
        CHECK_STATUS(psg_work_run(work), PSG_OK);
        check_known(work);
    }
    CHECK(tasks_of(work, "dock_static") == 1, "tasks");
    CHECK(tasks_of(work, "dock_correlate") == batches && tasks_of(work, "dock_merge") == batches,
          "%zu tasks of %zu batches", tasks_of(work, "dock_correlate"), batches);
    psg_work_destroy(work);
}

/* Few rotations, of which none is the planted one: the sums are checked all the same. An odd grid. */
static void few(const psg_options *options) {
    psg_work *work = NULL;
    psg_answer a[ANSWERS];
    size_t count = 0;
    if (!CHECK_STATUS(psg_work_create(&work, "dock:65:180", NULL, options), PSG_OK)) {
        return;
    }
    CHECK_STATUS(psg_work_run(work), PSG_OK);
    CHECK_STATUS(psg_work_check(work), PSG_OK);
    CHECK_STATUS(psg_work_answers(work, a, ANSWERS, &count), PSG_OK);
    CHECK(count == ANSWERS && isinf(a[0].tolerance) && isinf(a[4].tolerance), "what is not known");
    CHECK(a[4].value > 0 && a[0].value >= 0 && a[0].value < 4, "rotation %g", a[0].value);
    CHECK(a[7].value == 0 && a[7].tolerance == 0, "%g sums differ", a[7].value);
    psg_work_destroy(work);
}

/* One atom each: the radii are 0. */
static void own(const psg_options *options) {
    static const double atoms[6] = {7, 8, 9, 7, 8, 10.5}, nowhere[3] = {0, NAN, 0};
    const psg_dock_molecules good = {atoms, atoms + 3, 1, 1, 90, 0.6, 4};
    psg_dock_molecules bad[] = {good, good, good, good, good, good};
    bad[0].fixed_atoms = 0;
    bad[1].mobile = nowhere;
    bad[2].angle = 100;
    bad[3].spacing = NAN;
    bad[4].poses = 3 * 24 + 1;
    bad[5].spacing = 1e-3;
    psg_work *work = NULL;
    psg_dock_pose poses[4];
    size_t count = 0;
    for (size_t m = 0; m < sizeof bad / sizeof *bad; m++) {
        CHECK_STATUS(psg_dock_create(&work, &bad[m], NULL, options), PSG_ERR_ARG);
        CHECK(work == NULL, "case %zu", m);
    }
    CHECK_STATUS(psg_dock_create(&work, NULL, NULL, options), PSG_ERR_ARG);
    if (!CHECK_STATUS(psg_dock_create(&work, &good, NULL, options), PSG_OK)) {
        return;
    }
    CHECK_STATUS(psg_dock_poses(work, poses, 4, &count), PSG_ERR_STATE);
    CHECK_STATUS(psg_work_run(work), PSG_OK);
    CHECK_STATUS(psg_work_check(work), PSG_OK);
    CHECK_STATUS(psg_dock_poses(work, poses, 2, &count), PSG_OK);
    CHECK(count == 4 && poses[0].score == poses[1].score && poses[0].score > 0, "%zu poses, %ld",
          count, poses[0].score);
    CHECK(fabs(poses[0].at[2] - 0.6 * (double)poses[0].shift[2]) < 1e-12, "shift %g",
          poses[0].at[2]);
    CHECK_STATUS(psg_dock_poses(work, NULL, 1, &count), PSG_ERR_ARG);
    CHECK_STATUS(psg_dock_poses(NULL, poses, 4, &count), PSG_ERR_ARG);
    psg_work_destroy(work);
    CHECK_STATUS(psg_work_create(&work, "jacobi:33", NULL, options), PSG_OK);
    CHECK_STATUS(psg_work_run(work), PSG_OK);
    CHECK_STATUS(psg_dock_poses(work, poses, 4, &count), PSG_ERR_ARG); /* of another workload */
    psg_work_destroy(work);
}

int main(void) {
    psg_options options = harness_options(PSG_F32);
    own(&options);
    few(&options);
    known(&options, 0, PSG_PRIORITY_NONE, 2);
    options.policy = "eager";
    known(&options, 37, PSG_PRIORITY_NONE, 1);
    options.policy = "dmdas";
    options.cpus = 1;
    known(&options, 100, PSG_PRIORITY_PATH, 1);
    return check_result();
}
