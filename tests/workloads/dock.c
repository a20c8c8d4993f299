/* dock finds the planted pose and the known scores, for every size of batches, policy and number of
 * cores, without and with electrostatics. The environment's PSG_TEST_GPUS and PSG_TEST_CPUS choose
 * workers. */
#include "workloads/dock/dock.h"
#include "tests/workloads/runs.h"

#include <math.h>
#include <stdbool.h>

enum { ANSWERS = 9, ROTATIONS = 600, LIST = 32 };

/* Computed apart from this program: for 64^3 cells and 30 degrees. */
static void check_known(workload *work, bool electrostatics) {
    static const struct {
        const char *name;
        double value[2], tolerance; /* without and with electrostatics */
    } known[ANSWERS] = {{"rotation", {370, 370}, 0},
                        {"shift_x", {-1, -1}, 0},
                        {"shift_y", {0, 0}, 0},
                        {"shift_z", {10, 10}, 0},
                        {"score", {664, 664}, 0},
                        {"next_rotation", {298, 298}, 0},
                        {"next_score", {328, 311}, 0},
                        {"differing", {0, 0}, 0},
                        {"energy", {0, -23.8405401012}, 1e-6}};
    workload_answer a[ANSWERS];
    const size_t count = runs_answer(work, a, ANSWERS);
    CHECK(count == (electrostatics ? 9 : 8), "%zu numbers", count);
    for (size_t m = 0; m < count; m++) {
        const double value = known[m].value[electrostatics], tolerance = known[m].tolerance;
        CHECK(strcmp(a[m].name, known[m].name) == 0 && a[m].tolerance == tolerance &&
                  fabs(a[m].value - value) <= tolerance * fabs(value),
              "%s: %s is %.12g", workload_about(work), a[m].name, a[m].value);
    }
}

/* All poses are those of the first call: the order, and the energies to their last bits. */
static void same(const psg_options *options, size_t tile) {
    static dock_pose first[LIST];
    static size_t kept = 0;
    dock_pose poses[LIST];
    size_t count = 0, ended = 0, tasks = 0;
    const workload_options how = {.tile = tile};
    RUNS workload *work = runs_make("dock:64:90:electrostatics", &how, options);
    CHECK_STATUS(workload_run(work), PSG_OK);
    CHECK_STATUS(workload_progress(work, &ended, &tasks), PSG_OK);
    CHECK(ended == tasks && tasks > 4 && tasks % 4 == 1,
          "%zu of %zu tasks: each batch has 4, and the static molecule 1", ended, tasks);
    CHECK_STATUS(workload_check(work), PSG_OK);
    CHECK_STATUS(dock_poses(work, poses, LIST, &count), PSG_OK);
    CHECK(count == LIST, "%zu poses", count);
    for (size_t m = 0; m < kept; m++) {
        const dock_pose *a = &first[m], *b = &poses[m];
        CHECK(a->twist == b->twist && a->theta == b->theta && a->phi == b->phi &&
                  memcmp(a->shift, b->shift, sizeof a->shift) == 0 && a->score == b->score &&
                  a->energy == b->energy,
              "%s: pose %zu has the score %ld in place of %ld", workload_about(work), m, b->score,
              a->score);
    }
    memcpy(first, poses, sizeof first);
    kept = count;
}

static void known(const psg_options *options, bool electrostatics, size_t tile,
                  workload_priority priority, int runs) {
    const char *name = electrostatics ? "dock:64:30:electrostatics" : "dock:64";
    const size_t batch = tile > 0 ? tile : 8, batches = (ROTATIONS - 1) / batch + 1;
    const workload_options how = {.tile = tile, .priority = priority};
    RUNS workload *work = runs_make(name, &how, options);
    const psg_work *done = workload_work(work);
    for (int run = 0; run < runs; run++) { /* the second one begins anew */
        check_known(work, electrostatics);
    }
    CHECK(harness_tasks(done, "dock_static") == 1, "tasks");
    CHECK(harness_tasks(done, "dock_correlate") == batches &&
              harness_tasks(done, "dock_merge") == batches,
          "%zu tasks of %zu batches", harness_tasks(done, "dock_correlate"), batches);
}

/* Few rotations, of which none is the planted one: the sums are checked all the same. An odd grid.
 */
static void few(const psg_options *options, const char *name, size_t answers) {
    RUNS workload *work = runs_make(name, NULL, options);
    workload_answer a[ANSWERS];
    const size_t count = runs_answer(work, a, ANSWERS);
    CHECK(count == answers && isinf(a[0].tolerance) && isinf(a[4].tolerance), "what is not known");
    CHECK(a[4].value > 0 && a[0].value >= 0 && a[0].value < 4, "rotation %g", a[0].value);
    CHECK(a[7].value == 0 && a[7].tolerance == 0, "%g sums differ", a[7].value);
}

/* One atom each: the radii are 0. */
static void own(const psg_options *options) {
    static const double atoms[6] = {7, 8, 9, 7, 8, 10.5}, nowhere[3] = {0, NAN, 0};
    const dock_molecules good = {.fixed = atoms,
                                 .mobile = atoms + 3,
                                 .fixed_atoms = 1,
                                 .mobile_atoms = 1,
                                 .angle = 90,
                                 .spacing = 0.6,
                                 .poses = 4};
    dock_molecules bad[] = {good, good, good, good, good, good};
    bad[0].fixed_atoms = 0;
    bad[1].mobile = nowhere;
    bad[2].angle = 100;
    bad[3].spacing = NAN;
    bad[4].poses = 3 * 24 + 1;
    bad[5].spacing = 1e-3;
    workload *work = NULL;
    dock_pose poses[4];
    size_t count = 0;
    for (size_t m = 0; m < sizeof bad / sizeof *bad; m++) {
        CHECK_STATUS(dock_create(&work, &bad[m], NULL, options), PSG_ERR_ARG);
        CHECK(work == NULL, "case %zu", m);
    }
    CHECK_STATUS(dock_create(&work, NULL, NULL, options), PSG_ERR_ARG);
    if (!CHECK_STATUS(dock_create(&work, &good, NULL, options), PSG_OK)) {
        return;
    }
    CHECK_STATUS(dock_poses(work, poses, 4, &count), PSG_ERR_STATE);
    CHECK_STATUS(workload_run(work), PSG_OK);
    CHECK_STATUS(workload_check(work), PSG_OK);
    CHECK_STATUS(dock_poses(work, poses, 2, &count), PSG_OK);
    CHECK(count == 4 && poses[0].score == poses[1].score && poses[0].score > 0, "%zu poses, %ld",
          count, poses[0].score);
    CHECK(poses[0].energy == 0, "%g", poses[0].energy);
    CHECK(fabs(poses[0].at[2] - 0.6 * (double)poses[0].shift[2]) < 1e-12, "shift %g",
          poses[0].at[2]);
    CHECK_STATUS(dock_poses(work, NULL, 1, &count), PSG_ERR_ARG);
    CHECK_STATUS(dock_poses(NULL, poses, 4, &count), PSG_ERR_ARG);
    workload_destroy(work);
    CHECK_STATUS(workload_create(&work, "jacobi:33", NULL, options), PSG_OK);
    CHECK_STATUS(workload_run(work), PSG_OK);
    CHECK_STATUS(dock_poses(work, poses, 4, &count), PSG_ERR_ARG); /* of another workload */
    workload_destroy(work);
}

/* One atom each: charges of opposite signs attract each other in every pose, those of equal signs
 * in none. */
static void charged(const psg_options *options) {
    static const double atoms[6] = {7, 8, 9, 7, 8, 10.5}, charges[] = {.5, -1, 1, 0, NAN, 1e9};
    dock_molecules two = {.fixed = atoms,
                          .mobile = atoms + 3,
                          .fixed_atoms = 1,
                          .mobile_atoms = 1,
                          .angle = 90,
                          .spacing = 0.6,
                          .poses = 72,
                          .fixed_charges = charges};
    workload *work = NULL;
    dock_pose poses[72];
    for (int m = 1; m < 3; m++) {
        size_t count = 0;
        two.mobile_charges = &charges[m];
        if (!CHECK_STATUS(dock_create(&work, &two, NULL, options), PSG_OK)) {
            return;
        }
        CHECK_STATUS(workload_run(work), PSG_OK);
        CHECK_STATUS(workload_check(work), PSG_OK);
        CHECK_STATUS(dock_poses(work, poses, 72, &count), PSG_OK);
        CHECK(count == (m == 1 ? 72 : 0), "charge %g: %zu poses", charges[m], count);
        for (size_t k = 0; k < count; k++) { /* 2 angstrom apart or less, outside of the core */
            CHECK(poses[k].energy < 0 && poses[k].energy >= -.5 / 8, "energy %g", poses[k].energy);
        }
        workload_destroy(work);
    }
    for (int m = 3; m < 6; m++) {
        two.mobile_charges = &charges[m];
        CHECK_SAYS(dock_create(&work, &two, NULL, options), PSG_ERR_ARG, "mobile molecule");
    }
    two.mobile_charges = NULL;
    CHECK_SAYS(dock_create(&work, &two, NULL, options), PSG_ERR_ARG,
               "static molecule has charges, the mobile one has none");
}

int main(void) {
    psg_options options = harness_options(PSG_F32);
    own(&options);
    charged(&options);
    few(&options, "dock:65:180", 8);
    few(&options, "dock:65:180:electrostatics", 9);
    known(&options, false, 0, WORKLOAD_EQUAL, 2);
    same(&options, 1);
    options.policy = "eager";
    known(&options, true, 37, WORKLOAD_EQUAL, 1);
    same(&options, 5);
    options.policy = "dmdas";
    options.cpus = 1;
    known(&options, false, 100, WORKLOAD_PATH, 1);
    options.gpus = 0; /* a core alone */
    same(&options, 24);
    return check_result();
}
