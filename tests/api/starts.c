/* Processes that start StarPU at once in one folder: each starts, though one of them has no memory to read the files
 * there. A start that only reads them lets others do so, too; one that may write them is alone. StarPU stops a process
 * that finds a file and then cannot open it, or reads one that is just being made. */
#include "tests/child.h"
#include "tests/fail/fail_nth.h"
#include "tests/harness.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <starpu.h>
#include <string.h>
#include <sys/file.h>

enum { READERS = 4, STARTS = 40 };

static char here[] = "/tmp/psg-test-starts-XXXXXX";
static char locked[16]; /* how the folder was when StarPU started last */

static const char *inside(const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s/.starpu/sampling/%s", here, name);
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
    psg_options options = harness_options(PSG_F64);
    psg_grid grid;
    psg_plan *plan = NULL;
    options.gpus = 0;
    options.cpus = 1;
    psg_grid_init(&grid, 4, 4, 4, 1, 1, 1);
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

static void bus_file(char path[600], const char *ending) {
    char host[65] = "";
    gethostname(host, sizeof host - 1);
    host[strcspn(host, ".")] = '\0';
    snprintf(path, 600, "%s%s.%s", inside("bus/"), host, ending);
}

/** The numbers of HOST.config, of which one is another. @param[in] line  from 0; those that begin with # count */
static void change_config(int line) {
    char path[600], text[4096] = "", changed[4200];
    bus_file(path, "config");
    FILE *file = fopen(path, "r+");
    if (CHECK(file != NULL && fread(text, 1, sizeof text - 1, file) > 0, "no %s", path)) {
        const char *at = text;
        for (int n = 0; n < line; n++) {
            at += strcspn(at, "\n") + 1;
        }
        const int digits = (int)strspn(at, "0123456789");
        CHECK(digits > 0, "line %d of %s has no number", line, path);
        snprintf(changed, sizeof changed, "%.*s%d%s", (int)(at - text), text, 1 + atoi(at),
                 at + digits);
        rewind(file);
        fputs(changed, file);
    }
    if (file) {
        fclose(file);
    }
}

static void locks(void) {
    char path[600];
    CHECK_CHILD(starts_locked, "alone", "an empty folder");
    CHECK_CHILD(starts_locked, "shared", "a folder with all files");
    for (int line = 1; line <= 4; line++) { /* cores, NUMA nodes, and devices of two kinds */
        change_config(line);
        CHECK_CHILD(starts_locked, "alone", "files of another machine, by line %d", line);
        CHECK_CHILD(starts_locked, "shared", "files that were made again");
    }
    bus_file(path, "latency");
    CHECK(truncate(path, 0) == 0, "%s cannot be cut", path);
    CHECK_CHILD(starts_locked, "alone", "a damaged file");
    CHECK_CHILD(starts_locked, "shared", "a folder with all files, again");
    setenv("STARPU_BUS_CALIBRATE", "1", 1);
    CHECK_CHILD(starts_locked, "alone", "STARPU_BUS_CALIBRATE");
    unsetenv("STARPU_BUS_CALIBRATE");
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

static int count_aside(void) {
    int count = 0;
    DIR *list = opendir(inside("bus"));
    for (struct dirent *entry; list && (entry = readdir(list)) != NULL;) {
        count += strstr(entry->d_name, "damaged") != NULL;
    }
    if (list) {
        closedir(list);
    }
    return count;
}

static void without_memory(void) {
    const int before = count_aside();
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
    CHECK(count_aside() == before, "%d good files were set aside", count_aside() - before);
}

int main(void) {
    char command[300];
    if (!CHECK(mkdtemp(here) != NULL, "no folder for the test")) {
        return check_result();
    }
    setenv("XDG_CACHE_HOME", here, 1);
    locks();
    without_memory();
    snprintf(command, sizeof command, "rm -rf '%s'", here);
    CHECK(system(command) == 0, "%s stays", here);
    return check_result();
}
