/* Processes that start StarPU at once in one folder: each starts, though one of them has no memory to read the files
 * there. A start that only reads them lets others do so, too; one that may write them is alone. StarPU stops a process
 * that finds a file and then cannot open it, or reads one that is just being made. */
#include "tests/child.h"
#include "tests/fail/fail_nth.h"
#include "tests/harness.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <starpu.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

enum { READERS = 4, STARTS = 40 };

static char here[] = "/tmp/psg-test-starts-XXXXXX";
static char locked[16]; /* how the folder was when StarPU started last */

static const char *inside(const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s/.starpu/psg/host/%s", here, name);
    return path;
}

static const char *how_locked(void) {
    const int folder = open(inside(""), O_RDONLY | O_DIRECTORY);
    const int shared = flock(folder, LOCK_SH | LOCK_NB) == 0;
    const int alone = shared && flock(folder, LOCK_EX | LOCK_NB) == 0;
    close(folder);
    return alone ? "not at all" : shared ? "shared" : "alone";
}

/** Comes before StarPU's own. */
__attribute__((visibility("default"))) int starpu_init(struct starpu_conf *conf) {
    int (*start)(struct starpu_conf *) = NULL;
    *(void **)&start = dlsym(RTLD_NEXT, "starpu_init");
    snprintf(locked, sizeof locked, "%s", how_locked());
    return start(conf);
}

/** @param[in] nth  of the allocations fails; 0: none */
static psg_status start_and_stop(long nth) {
    psg_options options = harness_with(PSG_F64, "gpus=0 cpus=1");
    psg_plan *plan = NULL;
    psg_grid grid = harness_box(4, 4, 4, 1, 1, 1);
    fail_nth_arm(nth);
    const psg_status status = psg_plan_create(&plan, &grid, &options);
    fail_nth_arm(0);
    psg_plan_destroy(plan);
    return status;
}

/* ------------------------------------------------------------------------------------ locks */

static void starts_locked(const void *how) {
    CHECK_STATUS(start_and_stop(0), PSG_OK);
    CHECK(strcmp(locked, how) == 0, "the folder is locked %s and not %s", locked,
          (const char *)how);
    CHECK(strcmp(how_locked(), "not at all") == 0, "the folder stays locked");
}

static void locks(void) {
    CHECK_CHILD(starts_locked, "alone", "an empty folder");
    CHECK_CHILD(starts_locked, "shared", "a folder with all files");
    setenv("STARPU_MPI_HOSTNAMES", "host", 1); /* is in the manifest's line of the machine */
    CHECK_CHILD(starts_locked, "alone", "a manifest of another machine");
    CHECK_CHILD(starts_locked, "shared", "a manifest that was written again");
    unsetenv("STARPU_MPI_HOSTNAMES");
    CHECK_CHILD(starts_locked, "alone", "a manifest of another machine, again");
    CHECK(truncate(inside("bus/host.latency"), 0) == 0, "the latencies cannot be cut");
    CHECK_CHILD(starts_locked, "alone", "a damaged file");
    CHECK_CHILD(starts_locked, "shared", "a folder with all files, again");
    setenv("STARPU_BUS_CALIBRATE", "1", 1);
    CHECK_CHILD(starts_locked, "alone", "STARPU_BUS_CALIBRATE");
    unsetenv("STARPU_BUS_CALIBRATE");
    CHECK_CHILD(starts_locked, "shared", "a folder whose links were measured again");
}

/* ----------------------------------------------------------------------------------- memory */

static void start_again(const void *argument) {
    (void)argument;
    for (int n = 0; n < STARTS; n++) {
        CHECK_STATUS(start_and_stop(0), PSG_OK);
    }
}

/** Each allocation of a start fails in turn. */
static void start_without(const void *argument) {
    (void)argument;
    for (long nth = 1; nth <= STARTS; nth++) {
        (void)start_and_stop(nth);
    }
}

static void without_memory(void) {
    struct stat before, after;
    CHECK(stat(inside("bus/host.config"), &before) == 0, "nothing is there");
    pid_t child[READERS];
    fflush(stdout);
    for (int n = 0; n < READERS; n++) {
        child[n] = fork();
        if (child[n] == 0) {
            check_count = check_failures = 0;
            start_again(NULL);
            _exit(check_failures > 0);
        }
    }
    CHECK_CHILD(start_without, NULL, "a process without memory");
    for (int n = 0; n < READERS; n++) {
        int status = -1;
        CHECK(waitpid(child[n], &status, 0) == child[n] && status == 0,
              "process %d beside it ended with %d", n, status);
    }
    CHECK(stat(inside("bus/host.config"), &after) == 0 && after.st_ino == before.st_ino &&
              after.st_mtim.tv_nsec == before.st_mtim.tv_nsec,
          "a good file was removed");
}

int main(void) {
    char command[300];
    if (!CHECK(mkdtemp(here) != NULL, "no folder for the test")) {
        return check_result();
    }
    setenv("XDG_CACHE_HOME", here, 1);
    setenv("STARPU_HOSTNAME", "host", 1);
    locks();
    without_memory();
    snprintf(command, sizeof command, "rm -rf '%s'", here);
    CHECK(system(command) == 0, "%s stays", here);
    return check_result();
}
