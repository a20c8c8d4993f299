/* With options.calibrate the times of the tasks are in StarPU's models once it has stopped, and a second
 * plan may join; without it, and with a policy that needs no models, nothing is kept. */
#include "tests/check.h"
#include "tests/harness.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#define N 8
#define POINTS ((size_t)N * N * N)

/** Entries below `folder` whose name begins so. */
static size_t entries(const char *folder, const char *begin) {
    char path[1024];
    size_t found = 0;
    DIR *open = opendir(folder);
    if (!open) {
        return 0;
    }
    for (const struct dirent *entry; (entry = readdir(open)) != NULL;) {
        if (entry->d_name[0] != '.' || strcmp(entry->d_name, ".starpu") == 0) {
            found += strncmp(entry->d_name, begin, strlen(begin)) == 0;
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            found += entries(path, begin);
        }
    }
    closedir(open);
    return found;
}

static void solve(int calibrate, const double *f, double *u) {
    const oracle_grid box = {{N, N, N}, {1.0, 1.0, 1.0}};
    psg_grid grid = harness_grid(&box);
    psg_options options = harness_with(PSG_F64, "cpus=2 gpus=0");
    psg_plan *plan = NULL, *second = NULL;
    options.calibrate = calibrate;
    CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK);
    CHECK_STATUS(psg_plan_create(&second, &grid, &options), PSG_OK);
    for (int s = 0; plan && second && s < 3; ++s) {
        CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
        CHECK_STATUS(psg_solve(second, f, u), PSG_OK);
    }
    psg_plan_destroy(second);
    psg_plan_destroy(plan);
}

int main(void) {
    char home[] = "calibrate-XXXXXX", command[64];
    FREED double *f = oracle_array(POINTS), *u = oracle_array(POINTS);
    oracle_random(3, POINTS, f);
    if (!CHECK(mkdtemp(home) != NULL, "no folder for the models")) {
        return check_result();
    }
    setenv("XDG_CACHE_HOME", home, 1); /* StarPU prefers it to STARPU_HOME */
    unsetenv("STARPU_CALIBRATE");
    solve(0, f, u);
    CHECK(entries(home, "psg_") == 0, "%zu models without calibration", entries(home, "psg_"));
    solve(1, f, u);
    CHECK(entries(home, "psg_forward_xy_f64") >= 1, "no model of forward_xy in %s", home);
    CHECK(entries(home, "psg_kspace_f64") >= 1, "no model of kspace in %s", home);
    solve(0, f, u); /* starts again without */
    snprintf(command, sizeof command, "rm -rf %s", home);
    CHECK(system(command) == 0, "%s is left", home);
    return check_result();
}
