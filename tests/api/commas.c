/* In a program whose numbers have decimal commas, StarPU's models are written and read with points, and the program's
 * numbers keep their commas.
 *
 *     test_api_commas LOCALEDEF       the program that makes locales */
#include "tests/commas.h"
#include "tests/child.h"
#include "tests/harness.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

enum { NX = 12, NY = 10, NZ = 14, POINTS = NX * NY * NZ };

static char here[256];

static void solves(const void *argument) {
    const int calibrate = *(const int *)argument;
    psg_options options = harness_with(PSG_F64, "gpus=0 policy=dmda effort=measure");
    FREED double *f = oracle_array(POINTS), *u = oracle_array(POINTS);
    options.calibrate = calibrate;
    options.cache_dir = here;
    psg_grid grid = harness_box(NX, NY, NZ, 1, 1, 1);
    DESTROYED psg_plan *plan = harness_plan(&grid, &options);
    CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
}

static void solves_with_commas(const void *argument) {
    CHECK(commas_begin(here), "no locale with commas");
    setenv("STARPU_SCHED_BETA", "1.5", 1);
    solves(argument);
    CHECK(commas_in_force(), "the program's locale is another one now");
    unsetenv("STARPU_SCHED_BETA");
    solves(argument);
}

static void check_models(const char *what) {
    char folder[512], path[1024], line[512];
    size_t models = 0;
    snprintf(folder, sizeof folder, "%s/.starpu/psg/host/codelets/45", here);
    DIR *list = opendir(folder);
    for (struct dirent *entry; list && (entry = readdir(list)) != NULL;) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        FILE *file = entry->d_name[0] != '.' ? fopen(path, "r") : NULL;
        models += file != NULL;
        while (file && fgets(line, sizeof line, file)) {
            CHECK(line[0] == '#' || !strchr(line, ','), "%s: %s has commas: %s", what,
                  entry->d_name, line);
        }
        if (file) {
            fclose(file);
        }
    }
    if (list) {
        closedir(list);
    }
    CHECK(models > 0, "%s: there are no models", what);
}

int main(int argc, char **argv) {
    static const int yes = 1, no = 0;
    char template[] = "/tmp/psg-test-commas-XXXXXX";
    char command[300];
    if (!CHECK(argc == 2 && mkdtemp(template) != NULL, "no folder for the test")) {
        return check_result();
    }
    snprintf(here, sizeof here, "%s", template);
    CHECK(commas_make(here, argv[1]), "no locale could be made");
    setenv("XDG_CACHE_HOME", here, 1);
    setenv("STARPU_HOSTNAME", "host", 1);
    CHECK_CHILD(solves_with_commas, &yes, "calibrating with commas");
    check_models("calibrated with commas");
    CHECK_CHILD(solves, &no, "reading what a program with commas wrote");
    CHECK_CHILD(solves, &yes, "calibrating with points");
    CHECK_CHILD(solves_with_commas, &no, "reading with commas");
    CHECK_CHILD(solves_with_commas, &yes, "adding with commas");
    check_models("at the end");
    snprintf(command, sizeof command, "rm -rf '%s'", here);
    CHECK(system(command) == 0, "%s stays", here);
    return check_result();
}
