/* FFTW's wisdom is read again by the next process, damage in it is found before FFTW sees it, and it is written over
 * nothing but itself. */
#include "tests/child.h"
#include "tests/harness.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

enum { NX = 12, NY = 10, NZ = 14, POINTS = NX * NY * NZ, TENTHS = 10, FLIPS = 60, MOST = 1 << 20 };

static char here[256], path[640], whole[MOST];
static size_t bytes;

/** @param[in] argument  the grid's points along x */
static void solves(const void *argument) {
    const size_t nx = *(const size_t *)argument;
    const oracle_grid box = {{nx, NY, NZ}, {1.0, 1.0, 1.0}};
    const psg_grid grid = harness_grid(&box);
    const size_t m[3] = {1, 2, 3}, points = nx * NY * NZ;
    psg_options options = harness_with(PSG_F64, "gpus=0 effort=measure");
    FREED double *f = oracle_array(points), *u = oracle_array(points), *want = oracle_array(points);
    options.cache_dir = here;
    oracle_mode(&box, m, 0, f);
    for (size_t p = 0; p < points; ++p) {
        want[p] = f[p] / oracle_eigenvalue(&box, ORACLE_SPECTRAL, m);
    }
    DESTROYED psg_plan *plan = harness_plan(&grid, &options);
    CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
    CHECK_CLOSE(u, want, nx, NY, NZ, 1e-12, "%zu points along x", nx);
}

/** Files of the folder; the last one's path. */
static size_t find(void) {
    size_t count = 0;
    DIR *list = opendir(here);
    for (struct dirent *entry; list && (entry = readdir(list)) != NULL;) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            snprintf(path, sizeof path, "%s/%s", here, entry->d_name);
            ++count;
        }
    }
    if (list) {
        closedir(list);
    }
    return count;
}

static size_t read_file(char *text) {
    FILE *file = fopen(path, "r");
    const size_t had = file ? fread(text, 1, MOST, file) : 0;
    if (file) {
        fclose(file);
    }
    return had;
}

static void write_file(const char *text, size_t length) {
    FILE *file = fopen(path, "w");
    CHECK(file && fwrite(text, 1, length, file) == length, "%s cannot be written", path);
    if (file) {
        fclose(file);
    }
}

/** The first line has the length and the checksum, FNV-1a, of all that follows. */
static int is_whole(void) {
    static char text[MOST];
    struct stat what;
    size_t length = 0;
    unsigned long long sum = 0, hash = 14695981039346656037ull;
    if (lstat(path, &what) != 0 || !S_ISREG(what.st_mode)) {
        return 0;
    }
    const size_t had = read_file(text);
    text[had < MOST ? had : MOST - 1] = '\0';
    const char *rest = strchr(text, '\n');
    if (sscanf(text, "psg checked 1 %zu %llx", &length, &sum) != 2 || !rest) {
        return 0;
    }
    for (const char *c = rest + 1; *c; ++c) {
        hash = (hash ^ (unsigned char)*c) * 1099511628211ull;
    }
    return length > 0 && length == had - (size_t)(rest + 1 - text) && sum == hash;
}

/** In a process of its own, in which FFTW knows nothing; and what it learns there replaces what was damaged. */
static void survives(const char *what, size_t number, int replaced) {
    const size_t nx = NX;
    CHECK_CHILD(solves, &nx, "%s, number %zu", what, number);
    CHECK(!replaced || is_whole(), "%s, number %zu: the file was not replaced", what, number);
    CHECK(find() == 1, "%s, number %zu: there are %zu files", what, number, find());
    if (remove(path) != 0) {
        rmdir(path);
    }
}

static void damaged(void) {
    static char text[MOST];
    for (size_t tenth = 0; tenth < TENTHS; ++tenth) {
        write_file(whole, bytes * tenth / TENTHS);
        survives("cut off", tenth, 1);
    }
    for (size_t n = 0; n < FLIPS; ++n) {
        memcpy(text, whole, bytes);
        text[n * bytes / FLIPS] ^= (char)(1 << n % 8);
        write_file(text, bytes);
        survives("a bit", n, 1);
    }
    const char *const plain = strchr(whole, '\n') + 1;
    write_file(plain, bytes - (size_t)(plain - whole));
    survives("without a checksum", 0, 1);
    memcpy(text, whole, bytes);
    memcpy(text + bytes, whole, bytes);
    write_file(text, 2 * bytes);
    survives("twice", 0, 1);
}

static void other_things(void) {
    CHECK(mkdir(path, 0755) == 0, "no folder");
    survives("a folder", 0, 0);
    CHECK(mkfifo(path, 0644) == 0, "no FIFO");
    survives("a FIFO", 0, 1);
    CHECK(symlink("/no/such/place", path) == 0, "no link");
    survives("a dangling link", 0, 1);
    CHECK(symlink(path, path) == 0, "no link");
    survives("a link to itself", 0, 1);
    CHECK(symlink("/dev/zero", path) == 0, "no link");
    survives("a device", 0, 1);
    write_file(whole, bytes);
    CHECK(truncate(path, (off_t)1 << 40) == 0, "no huge file");
    survives("a terabyte of zeros", 0, 1);
}

/** A name that can be guessed, with a link to a file that somebody wants to have destroyed. */
static void not_through_links(const void *argument) {
    char name[700], victim[300], text[8] = "";
    const size_t nx = NX;
    (void)argument;
    snprintf(victim, sizeof victim, "%s/victim", here);
    snprintf(name, sizeof name, "%s.%ld", path, (long)getpid());
    FILE *file = fopen(victim, "w");
    CHECK(file && fputs("mine", file) >= 0, "no victim");
    if (file) {
        fclose(file);
    }
    CHECK(symlink(victim, name) == 0, "no link");
    solves(&nx);
    file = fopen(victim, "r");
    CHECK(file && fgets(text, sizeof text, file) && strcmp(text, "mine") == 0,
          "a link was followed");
    if (file) {
        fclose(file);
    }
    unlink(name);
    unlink(victim);
}

/** What several processes learn at the same time is all kept. */
static void together(void) {
    enum { PROCESSES = 4 };
    pid_t child[PROCESSES];
    struct stat before, after;
    fflush(stdout);
    for (size_t n = 0; n < PROCESSES; ++n) {
        child[n] = fork();
        if (child[n] == 0) {
            const size_t nx = NX + 2 * n;
            solves(&nx);
            _exit(check_failures > 0);
        }
    }
    for (size_t n = 0; n < PROCESSES; ++n) {
        int status = -1;
        CHECK(waitpid(child[n], &status, 0) == child[n] && status == 0, "process %zu failed", n);
    }
    CHECK(find() == 1, "there are %zu files", find());
    for (size_t n = 0; n < PROCESSES; ++n) {
        const size_t nx = NX + 2 * n;
        CHECK(stat(path, &before) == 0, "%s is gone", path);
        CHECK_CHILD(solves, &nx, "with wisdom");
        CHECK(stat(path, &after) == 0 && before.st_ino == after.st_ino,
              "a plan for %zu points was searched for again", nx);
    }
}

int main(void) {
    const size_t nx = NX;
    char template[] = "/tmp/psg-test-wisdom-XXXXXX";
    struct stat before, after;
    if (!CHECK(mkdtemp(template) != NULL, "no folder for the test")) {
        return check_result();
    }
    snprintf(here, sizeof here, "%s", template);
    CHECK_CHILD(solves, &nx, "without wisdom");
    CHECK(find() == 1, "there are %zu files", find());
    bytes = read_file(whole);
    CHECK(bytes > 100 && bytes < MOST / 2, "%zu bytes of wisdom", bytes);
    CHECK(stat(path, &before) == 0, "%s is gone", path);
    CHECK_CHILD(solves, &nx, "with wisdom");
    CHECK(stat(path, &after) == 0 && before.st_ino == after.st_ino,
          "the wisdom was not read: it was written again");
    damaged();
    other_things();
    CHECK_CHILD(not_through_links, NULL, "links");
    remove(path);
    together();
    remove(path);
    CHECK(rmdir(here) == 0, "something stays in %s", here);
    return check_result();
}
