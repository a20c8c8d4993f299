/* Plans come and go, each starting and stopping StarPU, with right answers, and leave no thread and no
 * open file behind. */
#include "tests/check.h"
#include "tests/harness.h"

#include <dirent.h>
#include <stdlib.h>

#define NX 6
#define NY 5
#define NZ 7
#define POINTS ((size_t)NX * NY * NZ)
#define ROUNDS 40

static const oracle_grid box = {{NX, NY, NZ}, {1.0, 1.0, 1.0}};

/** Entries of a folder of this process; 0 where the system has none. */
static long entries(const char *folder) {
    DIR *dir = opendir(folder);
    long count = 0;
    while (dir && readdir(dir)) {
        ++count;
    }
    if (dir) {
        closedir(dir);
    }
    return count;
}

int main(void) {
    FREED double *f = oracle_array(POINTS), *u = oracle_array(POINTS), *want = oracle_array(POINTS);
    psg_grid grid = harness_grid(&box);
    long threads = 0, files = 0;
    oracle_random(2, POINTS, f);
    oracle_solve(&box, ORACLE_SPECTRAL, 0, f, want);
    for (int round = 0; round < ROUNDS; ++round) {
        psg_options options = harness_options(PSG_F64);
        psg_plan *plan = NULL;
        options.cpus = 1 + round % 3;
        options.policy = round % 2 ? "eager" : NULL;
        harness_set_variant(&options, &harness_variants[round % HARNESS_VARIANTS]);
        if (CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
            CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
            CHECK_CLOSE(u, want, NX, NY, NZ, 1e-12, "round %d", round);
        }
        psg_plan_destroy(plan);
        if (round == 5) {
            threads = entries("/proc/self/task");
            files = entries("/proc/self/fd");
        }
    }
    CHECK(entries("/proc/self/task") <= threads, "%ld threads, were %ld",
          entries("/proc/self/task"), threads);
    CHECK(entries("/proc/self/fd") <= files, "%ld open files, were %ld", entries("/proc/self/fd"),
          files);
    return check_result();
}
