/* Where the system gives no more threads, the library says so in words, and works once it does. */
#include "tests/child.h"
#include "tests/harness.h"

#include <errno.h>
#include <grp.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { NOBODY = 54322, NX = 8, NY = 9, NZ = 10, POINTS = NX * NY * NZ };

static void limit_threads(rlim_t count) {
    struct rlimit limit;
    getrlimit(RLIMIT_NPROC, &limit);
    limit.rlim_cur = count < limit.rlim_max ? count : limit.rlim_max;
    CHECK(setrlimit(RLIMIT_NPROC, &limit) == 0, "no limit can be set");
}

/** The limit does not hold for root, and counts all that a user runs. */
static void without_threads(const void *argument) {
    psg_options options = harness_with(PSG_F64, "gpus=0");
    psg_plan *plan = NULL;
    FREED double *f = oracle_array(POINTS), *u = oracle_array(POINTS);
    (void)argument;
    psg_grid grid = harness_box(NX, NY, NZ, 1, 1, 1);
    if (geteuid() == 0) {
        CHECK(setgroups(0, NULL) == 0 && setresgid(NOBODY, NOBODY, NOBODY) == 0 &&
                  setresuid(NOBODY, NOBODY, NOBODY) == 0,
              "root cannot become another user");
    }
    for (rlim_t count = 1; count <= 3; ++count) { /* this user runs one or more already */
        limit_threads(count);
        CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_ERR_RUNTIME);
        CHECK(plan == NULL && strstr(psg_last_error(), "threads") != NULL, "%s", psg_last_error());
    }
    limit_threads(RLIM_INFINITY);
    if (CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
        CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
    }
    psg_plan_destroy(plan);
}

int main(void) {
    char home[] = "/tmp/psg-test-threads-XXXXXX";
    char command[100];
    if (!CHECK(mkdtemp(home) != NULL && chmod(home, 0777) == 0, "no folder for the test")) {
        return check_result();
    }
    setenv("XDG_CACHE_HOME", home, 1);
    CHECK_CHILD(without_threads, NULL, "without threads");
    snprintf(command, sizeof command, "rm -rf '%s'", home);
    CHECK(system(command) == 0, "%s stays", home);
    return check_result();
}
