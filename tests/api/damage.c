/* Whatever stands where StarPU keeps what it measured: the library starts, removes what is damaged,
 * measures it again and leaves the rest as it is. */
#include "tests/child.h"
#include "tests/harness.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

enum { NX = 12, NY = 10, NZ = 14, POINTS = NX * NY * NZ, FILES = 64, TENTHS = 9, FLIPS = 24 };

static char here[256];

/* A file of StarPU's as it was, and where. */
static struct kept {
    char path[1024];
    char *text;
    size_t bytes;
    int group;
} kept[FILES];
static int files;

/* Damage is done to one group at a time: what comes of one file would hide another's. */
enum { CONFIG, BUS, MODELS, MANIFEST, GROUPS };

/** As a program with calibrated models, which are read with the first task. */
static void solves(const void *argument) {
    const int calibrate = *(const int *)argument;
    psg_options options = harness_with(PSG_F64, "gpus=0 policy=dmda");
    FREED double *f = oracle_array(POINTS), *u = oracle_array(POINTS);
    options.calibrate = calibrate;
    psg_grid grid = harness_box(NX, NY, NZ, 1, 1, 1);
    DESTROYED psg_plan *plan = harness_plan(&grid, &options);
    CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
}

static int group_of(const char *folder, const char *name) {
    return folder[0] == '\0'            ? MANIFEST
           : strcmp(folder, "bus") != 0 ? MODELS
           : strstr(name, ".config")    ? CONFIG
                                        : BUS;
}

/** A file's content; NULL: there is no such regular file. */
static char *content(const char *path, size_t *bytes) {
    struct stat what;
    if (lstat(path, &what) != 0 || !S_ISREG(what.st_mode) || what.st_size > 1 << 20) {
        return NULL;
    }
    FILE *file = fopen(path, "r");
    *bytes = (size_t)what.st_size;
    char *text = calloc(1, *bytes + 1);
    CHECK(file && fread(text, 1, *bytes, file) == *bytes, "%s cannot be read", path);
    if (file) {
        fclose(file);
    }
    return text;
}

static void keep(const char *folder, int most) {
    char path[512];
    snprintf(path, sizeof path, "%s/.starpu/psg/host/%s", here, folder);
    DIR *list = opendir(path);
    for (struct dirent *entry;
         list && most > 0 && files < FILES && (entry = readdir(list)) != NULL;) {
        struct kept *k = &kept[files];
        snprintf(k->path, sizeof k->path, "%s/%s", path, entry->d_name);
        k->text = content(k->path, &k->bytes);
        k->group = group_of(folder, entry->d_name);
        files += k->text != NULL;
        most -= k->text != NULL;
    }
    if (list) {
        closedir(list);
    }
}

static void write_bytes(const char *path, const char *text, size_t bytes) {
    FILE *file = fopen(path, "w");
    CHECK(file && fwrite(text, 1, bytes, file) == bytes, "%s cannot be written", path);
    if (file) {
        fclose(file);
    }
}

static void discard(const char *path) {
    if (remove(path) != 0) {
        rmdir(path);
    }
}

static void restore(void) {
    for (int n = 0; n < files; ++n) {
        discard(kept[n].path);
        write_bytes(kept[n].path, kept[n].text, kept[n].bytes);
    }
}

/** Is the file as it was? */
static int is_whole(const struct kept *k) {
    size_t bytes = 0;
    FREED char *text = content(k->path, &bytes);
    const int whole = text && bytes == k->bytes && memcmp(text, k->text, bytes) == 0;
    return whole;
}

/* What is done to a file. */
typedef void (*damage)(const struct kept *k, int number);

static void cut(const struct kept *k, int tenth) {
    write_bytes(k->path, k->text, k->bytes * (size_t)tenth / 10);
}

static void flip(const struct kept *k, int number) {
    char *text = calloc(1, k->bytes + 1);
    const size_t at = ((size_t)number * 2654435761u + 97 * k->bytes / FLIPS) % k->bytes;
    memcpy(text, k->text, k->bytes);
    text[at] = (char)(text[at] ^ (1 << number % 8));
    write_bytes(k->path, text, k->bytes);
    free(text);
}

static void commas(const struct kept *k, int number) {
    char *text = calloc(1, k->bytes + 1);
    (void)number;
    for (size_t n = 0; n < k->bytes; ++n) {
        text[n] = k->text[n] == '.' ? ',' : k->text[n];
    }
    write_bytes(k->path, text, k->bytes);
    free(text);
}

static void binary(const struct kept *k, int number) {
    char *text = calloc(1, k->bytes + 1);
    unsigned state = 1;
    for (size_t n = 0; n < k->bytes; ++n) {
        state = state * 1664525u + 1013904223u;
        text[n] = number ? '\0' : (char)(state >> 24);
    }
    write_bytes(k->path, text, k->bytes);
    free(text);
}

static void twice(const struct kept *k, int number) {
    write_bytes(k->path, k->text, k->bytes);
    FILE *file = fopen(k->path, "a");
    (void)number;
    if (file) {
        fwrite(k->text, 1, k->bytes, file);
        fclose(file);
    }
}

/** Other things than files in the place of one. */
static void thing(const struct kept *k, int number) {
    int made = -1;
    discard(k->path);
    switch (number) {
    case 0:
        made = mkdir(k->path, 0755);
        break;
    case 1:
        made = mkfifo(k->path, 0644);
        break;
    case 2:
        made = symlink("/no/such/place", k->path);
        break;
    case 3:
        made = symlink(k->path, k->path);
        break;
    case 4:
        made = symlink("/dev/zero", k->path);
        break;
    default:
        write_bytes(k->path, k->text, k->bytes);
        made = truncate(k->path, (off_t)1 << 40); /* a terabyte that takes no room */
    }
    CHECK(made == 0, "%s cannot be made", k->path);
}

static void unreadable(const struct kept *k, int number) {
    (void)number;
    chmod(k->path, 0);
}

/** A model of a version that StarPU does not have, and counts that are huge. */
static void other_number(const struct kept *k, int number) {
    static const char *const numbers[] = {"44", "46", "4500000000000000000000", "-45", "0"};
    size_t at = 0;
    while (at < k->bytes && (k->text[at] == '#' || k->text[at] == '\n')) {
        at += k->text[at] == '#' ? strcspn(k->text + at, "\n") : 1;
    }
    FILE *file = fopen(k->path, "w");
    if (file) {
        fwrite(k->text, 1, at, file);
        fputs(numbers[number], file);
        const size_t rest = at + strcspn(k->text + at, "\n");
        fwrite(k->text + rest, 1, k->bytes - rest, file);
        fclose(file);
    }
}

static void check_group(int group, const char *what, int number, damage harm) {
    static const int no = 0;
    char *harmed[FILES] = {NULL};
    size_t bytes[FILES] = {0};
    int whole[FILES];
    struct stat there;
    restore();
    for (int n = 0; n < files; ++n) {
        if (kept[n].group == group) {
            harm(&kept[n], number);
        }
        whole[n] = is_whole(&kept[n]);
        harmed[n] = content(kept[n].path, &bytes[n]);
    }
    CHECK_CHILD(solves, &no, "%s, number %d, of group %d", what, number, group);
    for (int n = 0; n < files; ++n) {
        size_t now = 0;
        char *text = content(kept[n].path, &now);
        /* a model may be measured again, by whoever finds none or too little in it */
        CHECK(text ? now > 0 : kept[n].group == MODELS && lstat(kept[n].path, &there) != 0,
              "%s, number %d: no good %s came", what, number, kept[n].path);
        CHECK(text || !whole[n] || group == MANIFEST, "%s, number %d: %s is lost", what, number,
              kept[n].path);
        CHECK(whole[n] || !harmed[n] || !text || now != bytes[n] ||
                  memcmp(text, harmed[n], now) != 0,
              "%s, number %d: %s is damaged", what, number, kept[n].path);
        free(text);
        free(harmed[n]);
    }
    CHECK_CHILD(solves, &no, "after %s, number %d, of group %d", what, number, group);
}

int main(void) {
    static const int yes = 1;
    static const struct {
        const char *what;
        damage harm;
        int numbers;
    } all[] = {{"cut off", cut, TENTHS + 1},  {"a bit", flip, FLIPS},
               {"commas", commas, 1},         {"binary", binary, 2},
               {"twice", twice, 1},           {"not a file", thing, 6},
               {"unreadable", unreadable, 1}, {"another number", other_number, 5}};
    char template[] = "/tmp/psg-test-damage-XXXXXX";
    char command[300];
    if (!CHECK(mkdtemp(template) != NULL, "no folder for the test")) {
        return check_result();
    }
    snprintf(here, sizeof here, "%s", template);
    unsetenv("STARPU_HOME");
    setenv("XDG_CACHE_HOME", here, 1);
    setenv("STARPU_HOSTNAME", "host", 1);
    CHECK_CHILD(solves, &yes, "an undamaged folder");
    keep("bus", FILES);
    keep("codelets/45", 8);
    keep("", 1);
    CHECK(files > 8, "%d files of StarPU's", files);
    for (int group = 0; group < GROUPS; ++group) {
        for (size_t n = 0; n < sizeof all / sizeof *all; ++n) {
            for (int number = 0; number < all[n].numbers; ++number) {
                check_group(group, all[n].what, number, all[n].harm);
            }
        }
    }
    for (int n = 0; n < files; ++n) {
        free(kept[n].text);
    }
    snprintf(command, sizeof command, "rm -rf '%s'", here);
    CHECK(system(command) == 0, "%s stays", here);
    return check_result();
}
