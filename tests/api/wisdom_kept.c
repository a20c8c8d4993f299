/* The wisdom that another process has stored meanwhile stays: where there is no memory to read it, and where a third
 * process has the lock. Here flock() is where the other process comes in. */
#include "tests/child.h"
#include "tests/fail/fail_nth.h"
#include "tests/harness.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST = 12, SECOND = 15 };
enum { NOTHING, NO_MEMORY, NO_MEMORY_TO_WRITE, NO_LOCK, PROBLEMS };
static const char *const problems[PROBLEMS] = {"no problem", "no memory to read",
                                               "no memory to write", "no lock"};

static char here[] = "/tmp/psg-test-wisdom-kept-XXXXXX";
static char stored[600]; /* where the library stores it */
static char theirs[600]; /* what the other process stores */
static int problem = -1; /* of a process that stores; -1: it is the other one */

static int is_here(int file) {
    char link[64], path[600] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    return readlink(link, path, sizeof path - 1) > 0 && strcmp(path, here) == 0;
}

/** Comes before the C library's own. */
__attribute__((visibility("default"))) int flock(int file, int how) {
    int (*lock)(int, int) = NULL;
    *(void **)&lock = dlsym(RTLD_NEXT, "flock");
    if (problem < 0 || !is_here(file)) {
        return lock(file, how);
    }
    CHECK(access(theirs, F_OK) != 0 || rename(theirs, stored) == 0,
          "the other process stores nothing");
    fail_nth_arm(problem == NO_MEMORY ? 1 : problem == NO_MEMORY_TO_WRITE ? 2 : 0);
    if (problem == NO_LOCK) {
        errno = EWOULDBLOCK;
        return -1;
    }
    return lock(file, how);
}

static void learns(size_t nx) {
    psg_options options = harness_with(PSG_F64, "gpus=0 cpus=1 effort=measure");
    psg_plan *plan = NULL;
    options.cache_dir = here;
    psg_grid grid = harness_box(nx, 4, 4, 1, 1, 1);
    const psg_status status = psg_plan_create(&plan, &grid, &options);
    fail_nth_arm(0);
    CHECK(status == PSG_OK, "%zu points: %s", nx, psg_last_error());
    psg_plan_destroy(plan);
}

static void learns_first(const void *argument) {
    (void)argument;
    learns(FIRST);
}

static void learns_second(const void *which) {
    problem = *(const int *)which;
    learns(SECOND);
}

static ino_t number_of(const char *path) {
    struct stat what;
    return stat(path, &what) == 0 ? what.st_ino : 0;
}

static void stays(int which) {
    CHECK_CHILD(learns_first, NULL, "the other process");
    const ino_t before = number_of(stored);
    CHECK(before != 0 && rename(stored, theirs) == 0, "the other process has stored nothing");
    CHECK_CHILD(learns_second, &which, "%s", problems[which]);
    const ino_t after = number_of(stored);
    CHECK(after != 0, "%s: nothing is stored", problems[which]);
    CHECK((after != before) == (which == NOTHING), "%s: the wisdom was %s", problems[which],
          after != before ? "written" : "not written");
    CHECK_CHILD(learns_first, NULL, "%s: with wisdom", problems[which]);
    CHECK(number_of(stored) == after, "%s: a plan was searched for again", problems[which]);
    unlink(stored);
}

int main(void) {
    char host[256] = "machine";
    gethostname(host, sizeof host - 1);
    if (!CHECK(mkdtemp(here) != NULL, "no folder for the test")) {
        return check_result();
    }
    snprintf(stored, sizeof stored, "%s/fftw-%s-f64.wisdom", here, host);
    snprintf(theirs, sizeof theirs, "%s/theirs", here);
    for (int which = NOTHING; which < PROBLEMS; which++) {
        stays(which);
    }
    CHECK(rmdir(here) == 0, "something stays in %s", here);
    return check_result();
}
