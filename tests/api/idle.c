/* Between two solves the library leaves the machine's cores to its caller. */
#include "tests/check.h"
#include "tests/harness.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static double cpu_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/** Seconds of processor time that this process takes while it sleeps for half a second. */
static double taken_asleep(void) {
    const struct timespec nap = {0, 500000000};
    const double before = cpu_seconds();
    nanosleep(&nap, NULL);
    return cpu_seconds() - before;
}

static void check(const char *words) {
    const oracle_grid box = {{16, 12, 10}, {1.0, 1.0, 1.0}};
    const size_t points = 16 * 12 * 10;
    psg_grid grid = harness_grid(&box);
    psg_options options = harness_with(PSG_F64, words);
    FREED double *f = oracle_array(points), *u = oracle_array(points);
    oracle_random(3, points, f);
    DESTROYED psg_plan *plan = harness_plan(&grid, &options);
    CHECK(taken_asleep() < 0.1, "%s: a fresh plan keeps its workers polling", words);
    for (int n = 0; n < 3; ++n) {
        CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
    }
    CHECK(taken_asleep() < 0.1, "%s: after a solve the workers keep polling", words);
}

int main(void) {
    check("cpus=2");
    check("cpus=2 executor=tasks");
    return check_result();
}
