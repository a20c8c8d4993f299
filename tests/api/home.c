/* The library starts StarPU wherever HOME is, says in words that it cannot where nothing can be written, and goes on
 * once that has changed. */
#include "graph/psg_machine.h"
#include "tests/child.h"
#include "tests/harness.h"

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

enum { NOBODY = 54321, NX = 12, NY = 10, NZ = 14, POINTS = NX * NY * NZ };

static char
    here[512]; /* an empty folder of the test's own, and the temporary folder of its children */

/** A name in it. The last ones stay, so that those which a child is given do. */
static const char *inside(const char *name) {
    static char path[100][1024];
    static int next;
    next = (next + 1) % 100;
    snprintf(path[next], sizeof path[next], "%s/%s", here, name);
    return path[next];
}

static size_t entries(const char *folder) {
    size_t count = 0;
    DIR *list = opendir(folder);
    for (struct dirent *entry; list && (entry = readdir(list)) != NULL;) {
        count += entry->d_name[0] != '.' || strlen(entry->d_name) > 2;
    }
    if (list) {
        closedir(list);
    }
    return count;
}

static psg_options dmda(int calibrate) {
    psg_options options = harness_with(PSG_F64, "gpus=0");
    options.policy = "dmda"; /* reads models */
    options.calibrate = calibrate;
    return options;
}

/** With models that are written when StarPU stops, and again with models that are read. */
static void solves(const char *what) {
    const oracle_grid box = {{NX, NY, NZ}, {1.0, 1.0, 1.0}};
    const psg_grid grid = harness_grid(&box);
    const size_t m[3] = {1, 2, 3};
    FREED double *f = oracle_array(POINTS), *u = oracle_array(POINTS), *want = oracle_array(POINTS);
    oracle_mode(&box, m, 0, f);
    for (size_t p = 0; p < POINTS; ++p) {
        want[p] = f[p] / oracle_eigenvalue(&box, ORACLE_SPECTRAL, m);
    }
    for (int calibrate = 1; calibrate >= 0; --calibrate) {
        const psg_options options = dmda(calibrate);
        DESTROYED psg_plan *plan = harness_plan(&grid, &options);
        CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
        CHECK_CLOSE(u, want, NX, NY, NZ, 1e-12, "%s", what);
    }
}

static void fails(void) {
    const psg_options options = dmda(0);
    psg_plan *plan = NULL;
    psg_grid grid = harness_box(NX, NY, NZ, 1, 1, 1);
    CHECK_SAYS(psg_plan_create(&plan, &grid, &options), PSG_ERR_RUNTIME, "folder");
}

/* A home of each kind. */
typedef struct home {
    const char *what;
    const char *value; /* NULL: not set */
    int lasts;         /* in a folder that stays */
} home;

static void set(const char *name, const char *value) {
    if (value) {
        setenv(name, value, 1);
    } else {
        unsetenv(name);
    }
}

static void no_home(void) {
    unsetenv("XDG_CACHE_HOME");
    unsetenv("STARPU_HOME");
    unsetenv("HOME");
}

static void with_home(const void *argument) {
    const home *h = argument;
    char folder[512], why[512];
    no_home();
    set("HOME", h->value);
    solves(h->what);
    CHECK_STATUS(psg_starpu_folder(folder, sizeof folder, why, sizeof why), PSG_OK);
    CHECK((folder[0] != '\0') == h->lasts, "%s: the folder is '%s'", h->what, folder);
    CHECK((why[0] == '\0') == h->lasts, "%s: why: '%s'", h->what, why);
    const char *value = getenv("HOME");
    CHECK(h->value ? value && strcmp(value, h->value) == 0 : !value, "%s: HOME is '%s' now",
          h->what, value ? value : "(not set)");
    CHECK(!getenv("XDG_CACHE_HOME") && !getenv("STARPU_PERF_MODEL_DIR"),
          "%s: variables stay that were set for StarPU's start", h->what);
    CHECK(entries(inside("tmp")) == 0, "%s: %zu entries stay in TMPDIR", h->what,
          entries(inside("tmp")));
}

/** Variables that come before HOME, as StarPU has it; of two homes that cannot be written and one that can, the
 *  latter; a folder that is given; the library's own. */
static void with_others(const void *argument) {
    char folder[512], why[512];
    (void)argument;
    no_home();
    setenv("HOME", "/proc/no/home", 1);
    setenv("STARPU_HOME", inside("starpu"), 1);
    solves("STARPU_HOME");
    psg_starpu_folder(folder, sizeof folder, why, sizeof why);
    CHECK(strcmp(folder, inside("starpu/.starpu/psg/host")) == 0 && why[0] == '\0', "%s %s", folder,
          why);
    setenv("XDG_CACHE_HOME", "/dev/null", 1);
    solves("XDG_CACHE_HOME that cannot be, and STARPU_HOME");
    psg_starpu_folder(folder, sizeof folder, why, sizeof why);
    CHECK(strcmp(folder, inside("starpu/.starpu/psg/host")) == 0 && why[0] != '\0', "%s %s", folder,
          why);
    setenv("STARPU_PERF_MODEL_DIR", inside("given"), 1);
    solves("STARPU_PERF_MODEL_DIR");
    psg_starpu_folder(folder, sizeof folder, why, sizeof why);
    CHECK(strcmp(folder, inside("given/psg/host")) == 0, "%s %s", folder, why);
    setenv("STARPU_PERF_MODEL_DIR", "/dev/null/given", 1);
    setenv("STARPU_PERF_MODEL_PATH", "/proc:/no/such/place,/tmp", 1);
    solves("STARPU_PERF_MODEL_DIR that cannot be");
    CHECK(strcmp(getenv("STARPU_PERF_MODEL_DIR"), "/dev/null/given") == 0 &&
              strcmp(getenv("XDG_CACHE_HOME"), "/dev/null") == 0 &&
              strcmp(getenv("STARPU_PERF_MODEL_PATH"), "/proc:/no/such/place,/tmp") == 0,
          "a variable is not what it was");
}

static void own_folder(const void *argument) {
    char folder[512], why[512];
    psg_options options = dmda(0);
    psg_plan *plan = NULL;
    (void)argument;
    no_home();
    options.cache_dir = inside("cache");
    psg_grid grid = harness_box(NX, NY, NZ, 1, 1, 1);
    CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK);
    psg_plan_destroy(plan);
    psg_starpu_folder(folder, sizeof folder, why, sizeof why);
    CHECK(strcmp(folder, inside("cache/starpu/host")) == 0, "%s %s", folder, why);
}

/** Another user's home; root can write everywhere, so root becomes somebody. */
static void without_rights(const void *argument) {
    const int whole = *(const int *)argument; /* the home has what StarPU measured, and a model */
    home other = {"a home that cannot be written", inside(whole ? "theirs" : "empty"), 0};
    if (geteuid() == 0) {
        CHECK(setgroups(0, NULL) == 0 && setresgid(NOBODY, NOBODY, NOBODY) == 0 &&
                  setresuid(NOBODY, NOBODY, NOBODY) == 0,
              "root cannot become another user");
    }
    with_home(&other);
}

static void limit_files(rlim_t bytes) {
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN); /* a write then fails, as on a full disk */
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
}

/** Nothing can be written anywhere: words; and the library works once it can. */
static void full_at_start(const void *argument) {
    const rlim_t bytes[] = {0, 1000, 100000};
    (void)argument;
    no_home();
    setenv("HOME", inside("full"), 1);
    for (size_t n = 0; n < sizeof bytes / sizeof *bytes; ++n) {
        limit_files(bytes[n]);
        fails();
        limit_files(RLIM_INFINITY);
        CHECK(entries(inside("tmp")) == 0, "something stays in TMPDIR");
    }
    solves("after a full disk");
    const psg_options options = dmda(0);
    psg_plan *plan = NULL;
    psg_grid grid = harness_box(NX, NY, NZ, 1, 1, 1);
    limit_files(0);
    CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK); /* which has nothing to write */
    psg_plan_destroy(plan);
}

static long models_bytes(void) {
    char path[1024];
    long bytes = 0;
    DIR *list = opendir(inside("full/.starpu/psg/host/codelets/45"));
    for (struct dirent *entry; list && (entry = readdir(list)) != NULL;) {
        struct stat what;
        snprintf(path, sizeof path, "%s/%s", inside("full/.starpu/psg/host/codelets/45"),
                 entry->d_name);
        bytes += stat(path, &what) == 0 && S_ISREG(what.st_mode) ? (long)what.st_size : 0;
    }
    if (list) {
        closedir(list);
    }
    return bytes;
}

/** The disk is full, or the folder gone, when StarPU stops and has models to write. */
static void full_at_stop(const void *argument) {
    const int gone = *(const int *)argument;
    const psg_options options = dmda(1);
    psg_plan *plan = NULL;
    FREED double *f = oracle_array(POINTS), *u = oracle_array(POINTS);
    no_home();
    setenv("HOME", inside("full"), 1);
    const long before = models_bytes();
    CHECK(before > 0, "no models are there");
    psg_grid grid = harness_box(NX, NY, NZ, 1, 1, 1);
    CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK);
    CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
    if (gone) {
        CHECK(rename(inside("full"), inside("moved")) == 0, "the home cannot be moved");
        const int file = creat(inside("full"), 0600);
        CHECK(file >= 0 && close(file) == 0, "no file can be made in its place");
    } else {
        limit_files(0);
    }
    psg_plan_destroy(plan);
    limit_files(RLIM_INFINITY);
    if (!gone) {
        CHECK(models_bytes() == before, "%ld bytes of models, and there were %ld", models_bytes(),
              before);
    }
    solves("after such a stop");
}

/** Several processes at once on an empty folder. */
static void many_at_once(void) {
    enum { PROCESSES = 6 };
    pid_t child[PROCESSES];
    fflush(stdout);
    for (int n = 0; n < PROCESSES; ++n) {
        child[n] = fork();
        if (child[n] == 0) {
            const home shared = {"an empty home of several", inside("shared"), 1};
            check_count = check_failures = 0;
            with_home(&shared);
            _exit(check_failures > 0);
        }
    }
    for (int n = 0; n < PROCESSES; ++n) {
        int status = -1;
        CHECK(waitpid(child[n], &status, 0) == child[n] && status == 0,
              "process %d of those that start at once ended with %d", n, status);
    }
}

/** A process that starts on an empty folder waits for the one that has locked it. */
static void waits(void) {
    const home locked = {"a home that is locked", inside("locked"), 1};
    const struct timespec nap = {1, 0};
    int status = -1;
    CHECK(mkdir(inside("locked"), 0755) == 0 && mkdir(inside("locked/.starpu"), 0755) == 0 &&
              mkdir(inside("locked/.starpu/psg"), 0755) == 0 &&
              mkdir(inside("locked/.starpu/psg/host"), 0755) == 0,
          "no folder to lock");
    const int lock = open(inside("locked/.starpu/psg/host"), O_RDONLY | O_DIRECTORY);
    CHECK(lock >= 0 && flock(lock, LOCK_EX) == 0, "the folder cannot be locked");
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        close(lock); /* else it has the parent's lock */
        check_count = check_failures = 0;
        with_home(&locked);
        _exit(check_failures > 0);
    }
    nanosleep(&nap, NULL);
    nanosleep(&nap, NULL);
    CHECK(waitpid(child, &status, WNOHANG) == 0, "the process did not wait");
    CHECK(entries(inside("locked/.starpu/psg/host")) == 0, "it wrote in the folder");
    flock(lock, LOCK_UN);
    close(lock);
    CHECK(waitpid(child, &status, 0) == child && status == 0, "it ended with %d", status);
}

static void make_file(const char *path) {
    const int file = creat(path, 0600);
    CHECK(file >= 0 && close(file) == 0, "%s cannot be made", path);
}

int main(void) {
    static const int no = 0, yes = 1;
    char template[] = "/tmp/psg-test-home-XXXXXX";
    char long_name[512];
    if (!CHECK(mkdtemp(template) != NULL, "no folder for the test")) {
        return check_result();
    }
    snprintf(here, sizeof here, "%s", template);
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[0] = '/';
    long_name[sizeof long_name - 1] = '\0';
    make_file(inside("file"));
    mkdir(inside("tmp"), 0777);
    mkdir(inside("empty"), 0555);
    chmod(inside("tmp"), 0777);
    chmod(here, 0755);
    setenv("TMPDIR", inside("tmp"), 1);
    setenv("STARPU_HOSTNAME", "host", 1);
    const home all[] = {{"a home", inside("new"), 1},
                        {"the same home", inside("new"), 1},
                        {"no HOME", NULL, 0},
                        {"an empty HOME", "", 0},
                        {"a file as HOME", inside("file"), 0},
                        {"HOME below a file", inside("file/below"), 0},
                        {"HOME in /proc", "/proc/psg", 0},
                        {"HOME below a device", "/dev/null/x", 0},
                        {"a HOME that is too long", long_name, 0}};
    for (size_t n = 0; n < sizeof all / sizeof *all; ++n) {
        CHECK_CHILD(with_home, &all[n], "%s", all[n].what);
    }
    CHECK_CHILD(with_others, NULL, "variables before HOME");
    CHECK_CHILD(own_folder, NULL, "the library's own folder");
    CHECK_CHILD(without_rights, &no, "another user's empty home");
    CHECK(rename(inside("new"), inside("theirs")) == 0, "a home cannot be renamed");
    chmod(inside("theirs"), 0555);
    CHECK_CHILD(without_rights, &yes, "another user's home");
    CHECK_CHILD(full_at_start, NULL, "a full disk");
    CHECK_CHILD(full_at_stop, &no, "a disk that is full at the end");
    CHECK_CHILD(full_at_stop, &yes, "a home that is gone at the end");
    many_at_once();
    waits();
    chmod(inside("theirs"), 0755);
    char command[600];
    snprintf(command, sizeof command, "rm -rf '%s'", here);
    CHECK(system(command) == 0, "%s stays", here);
    return check_result();
}
