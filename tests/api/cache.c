/* FFTW's wisdom is kept where the options or the environment say, nowhere with "", and nothing about the
 * place is ever an error. */
#include "tests/check.h"
#include "tests/harness.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** Do something with each file of a folder; how many there are. */
static size_t files(const char *folder, void (*action)(const char *path)) {
    DIR *dir = opendir(folder);
    size_t count = 0;
    char path[512];
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        if (entry->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            ++count;
            if (action) {
                action(path);
            }
        }
    }
    if (dir) {
        closedir(dir);
    }
    return count;
}

static void spoil(const char *path) {
    FILE *file = fopen(path, "w");
    if (CHECK(file != NULL, "%s cannot be written", path)) {
        fputs("(fftw-3.3 garbage", file);
        fclose(file);
    }
}

static void discard(const char *path) {
    CHECK(remove(path) == 0, "%s cannot be removed", path);
}

/** A plan of another size each time: FFTW forgets nothing that it has learnt in this process. */
static void solves(const char *cache_dir, psg_precision precision, const char *what) {
    static size_t nx = 10;
    ++nx;
    oracle_grid box = oracle_grid_make(nx, nx + 7, nx + 15, 1, 1, 1);
    size_t points = oracle_points(&box), m[3] = {1, 2, 3};
    FREED double *f = oracle_array(points), *u = oracle_array(points), *want = oracle_array(points);
    psg_grid grid = harness_grid(&box);
    psg_options options = harness_with(precision, "effort=measure");
    options.gpus = 0; /* the cache is FFTW's */
    options.cache_dir = cache_dir;
    oracle_mode(&box, m, 0, f);
    for (size_t p = 0; p < points; ++p) {
        want[p] = f[p] / oracle_eigenvalue(&box, ORACLE_SPECTRAL, m);
    }
    DESTROYED psg_plan *plan = harness_plan(&grid, &options);
    CHECK_STATUS(harness_solve(plan, precision, points, f, u), PSG_OK);
    CHECK_CLOSE(u, want, nx, nx + 7, nx + 15, harness_tolerance(precision, 1e-12, 1e-4), "%s",
                what);
}

int main(void) {
    char home[] = "cache-XXXXXX", path[256], folder[300];
    if (!CHECK(mkdtemp(home) != NULL && getcwd(path, sizeof path) != NULL,
               "no folder for the test")) {
        return check_result();
    }
    snprintf(folder, sizeof folder, "%s/%s", path, home);
    setenv("XDG_CACHE_HOME", folder, 1);
    solves("", PSG_F64, "no cache");
    CHECK(files(folder, NULL) == 0, "something was written with no cache");
    solves(NULL, PSG_F64, "the environment's cache");
    CHECK(files(folder, NULL) == 1, "%zu entries in $XDG_CACHE_HOME", files(folder, NULL));
    strncat(folder, "/psg", sizeof folder - strlen(folder) - 1);
    size_t count = files(folder, NULL);
    CHECK(count >= 1, "no wisdom was kept in $XDG_CACHE_HOME/psg");
    solves(NULL, PSG_F32, "the environment's cache");
    CHECK(files(folder, NULL) > count, "f32's wisdom went into f64's file");
    solves(NULL, PSG_F64, "with wisdom");
    files(folder, spoil);
    solves(NULL, PSG_F64, "with spoilt wisdom");
    solves(NULL, PSG_F32, "with spoilt wisdom");
    files(folder, discard);
    solves(folder, PSG_F64, "a cache of the program's own");
    CHECK(files(folder, NULL) >= 1, "no wisdom was kept in cache_dir");
    files(folder, discard);
    rmdir(folder);
    rmdir(home);
    solves(folder, PSG_F64, "a cache in a folder that is not there");
    solves("/proc/no/such/place", PSG_F64, "a cache that cannot be");
    solves("/dev/null", PSG_F64, "a cache that is no folder");
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", "/proc/no/such/place", 1);
    solves(NULL, PSG_F64, "no home");
    unsetenv("HOME");
    solves(NULL, PSG_F64, "no home at all");
    return check_result();
}
