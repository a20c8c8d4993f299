/* The folder in which StarPU keeps what it measured of links and tasks. psg's StarPU has one of its
 * own, .starpu/psg/HOST in a home, so that all files in it are of psg's making. A manifest there
 * lists each file with its size and its checksum. StarPU stops the process over a damaged file: so
 * what is not as the manifest says is removed before StarPU starts, and StarPU measures it again.
 *
 * StarPU gets the folder by variables of the environment. They have their old values again as soon
 * as StarPU has started: it has read them by then. */
#include "runtime/starpu_home.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/kept.h"
#include "runtime/device.h"
#include "runtime/node.h"
#include "runtime/starpu_inside.h"

#include <errno.h>
#include <fts.h>
#include <ftw.h>
#include <inttypes.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* StarPU cuts longer paths off: the folder's name, and what follows it for the longest file. */
enum { FOLDER_BYTES = 256, FILE_ROOM = 96, PATH_BYTES = 1024, HOST_BYTES = 65, WORDS_BYTES = 512 };
/* More than all that StarPU writes there, and what one file may have. */
enum { PROBE_BYTES = 256 << 10, MOST_BYTES = 16 << 20 };
/* To measure the links of eight GPUs takes a minute or two. */
static const double lock_seconds = 300;

static const char manifest_name[] = "manifest";
/* Variables of the environment, in the order of their names. StarPU finds its folder by the first
 * three. */
enum { MODEL_DIR = 0, XDG_CACHE, MODEL_PATH, MOVED, PARENT = MOVED, HOME, TMPDIR };
enum { HOST = TMPDIR + 1, BUS_CALIBRATE, MPI_HOSTNAMES, HWLOC_INPUT, VARIABLES };
static const char *const names[VARIABLES] = {
    "STARPU_PERF_MODEL_DIR",
    "XDG_CACHE_HOME",
    "STARPU_PERF_MODEL_PATH",
    "STARPU_HOME",
    "HOME",
    "TMPDIR",
    "STARPU_HOSTNAME",
    "STARPU_BUS_CALIBRATE",
    "STARPU_MPI_HOSTNAMES",
    "STARPU_HWLOC_INPUT",
};

/* Of the last start: a process has one StarPU. */
static struct {
    char folder[FOLDER_BYTES];
    bool lasts;              /* else the folder is temporary */
    char why[WORDS_BYTES];   /* the last failure's words */
    char first[WORDS_BYTES]; /* why it is not the first folder; "" */
    char machine[WORDS_BYTES];
    int lock;                     /* while StarPU starts, and while it stops and writes models */
    bool writes;                  /* StarPU may write files */
    const char *value[VARIABLES]; /* when StarPU's start began; NULL: not set */
    bool moved;                   /* the first ones were changed */
    char *before[MOVED];          /* copies of their values */
} home = {.lock = -1};

static bool fail(const char *path, const char *reason) {
    (void)snprintf(home.why, sizeof home.why, "%.*s: %s", FOLDER_BYTES, path, reason);
    return false;
}

/* -------------------------------------------------------------------------------- folders */

/* Makes the folders above it too, all for this user alone, as StarPU does. */
static bool make_folder(const char *path) {
    char part[PATH_BYTES];
    struct stat what;
    (void)snprintf(part, sizeof part, "%s", path);
    for (char *c = part + 1; *c != '\0'; c++) {
        if (*c == '/') {
            *c = '\0';
            (void)mkdir(part, 0700);
            *c = '/';
        }
    }
    if (mkdir(path, 0700) == 0 || (stat(path, &what) == 0 && S_ISDIR(what.st_mode))) {
        return true;
    }
    return fail(path, strerror(errno == EEXIST ? ENOTDIR : errno));
}

static int discard_one(const char *path, const struct stat *what, int kind, struct FTW *at) {
    (void)what;
    (void)kind;
    (void)at;
    return remove(path);
}

/* A file, or a folder and all that is in it. */
static bool discard(const char *path) {
    enum { OPEN_AT_ONCE = 8 };
    return nftw(path, discard_one, OPEN_AT_ONCE, FTW_DEPTH | FTW_PHYS) == 0;
}

/* A file can be made in there, and has room for what StarPU writes: a full disk would leave its
 * files empty. */
static bool has_room(const char *folder) {
    static const char nothing[PROBE_BYTES];
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s/.psg-probe-XXXXXX", folder);
    const int file = mkstemp(path);
    if (file < 0) {
        return fail(folder, strerror(errno));
    }
    int error = base_write(file, nothing, sizeof nothing) ? 0 : errno;
    if (close(file) != 0 && error == 0) {
        error = errno;
    }
    (void)unlink(path);
    return error == 0 || fail(folder, strerror(error));
}

/* -------------------------------------------------------------------------------- manifest */

/* The line of an entry.
 *  @param[in]  name  below the folder
 *  @param[out] line  "damaged": the entry is neither a folder nor a file that can be read
 *  @return false: it may be good, and cannot be read now */
static bool describe(const FTSENT *entry, const char *name, char *line, size_t size) {
    int error = 0;
    if (entry->fts_info == FTS_D) {
        (void)snprintf(line, size, "folder %s\n", name);
        return true;
    }
    char *text = base_kept_read(entry->fts_path, MOST_BYTES, &error);
    if (text != NULL) {
        (void)snprintf(line, size, "%016" PRIx64 " %zu %s\n",
                       base_hash(BASE_HASH_NOTHING, text, strlen(text)), strlen(text), name);
    } else {
        (void)snprintf(line, size, "damaged %s\n", name);
    }
    free(text);
    errno = error;
    return !base_kept_unseen(error);
}

static bool has_line(const char *text, const char *line) {
    const char *at = strstr(text, line);
    while (at != NULL && at != text && at[-1] != '\n') {
        at = strstr(at + 1, line);
    }
    return at != NULL && strncmp(line, "damaged", strlen("damaged")) != 0;
}

static int by_name(const FTSENT **a, const FTSENT **b) {
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Write a line for each entry of the folder.
 *  @param[in] kept  NULL, or a text: an entry whose line is not there is removed
 *  @return false: errno says why */
static bool walk(const char *folder, const char *kept, FILE *lines) {
    char line[2 * PATH_BYTES];
    char root[PATH_BYTES];
    char *const roots[] = {root, NULL};
    (void)snprintf(root, sizeof root, "%s", folder);
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    FTSENT *entry = NULL;
    bool good = tree != NULL;
    while (good && (entry = fts_read(tree)) != NULL) {
        const bool is_manifest =
            entry->fts_info == FTS_F && strcmp(entry->fts_name, manifest_name) == 0;
        if (entry->fts_level == 0 || entry->fts_info == FTS_DP || is_manifest) {
            continue;
        }
        good = describe(entry, entry->fts_path + strlen(root) + 1, line, sizeof line);
        if (good && kept != NULL && !has_line(kept, line)) {
            (void)fts_set(tree, entry, FTS_SKIP);
            good = discard(entry->fts_path);
        } else {
            (void)fputs(line, lines);
        }
    }
    const int error = errno; /* 0 where fts_read() has read all */
    if (tree != NULL) {
        (void)fts_close(tree);
    }
    errno = error;
    return good && error == 0;
}

/* What the folder has, as a manifest.
 *  @param[in] kept     as in walk()
 *  @param[in] machine  the first line
 *  @return to be freed; NULL: why */
static char *list(const char *folder, const char *kept, const char *machine) {
    char *text = NULL;
    size_t length = 0;
    FILE *lines = open_memstream(&text, &length);
    bool good = lines != NULL && fprintf(lines, "%s\n", machine) > 0 && walk(folder, kept, lines);
    const int error = errno;
    good = (lines == NULL || base_close(lines) == 0) && good;
    if (!good) {
        (void)fail(folder, strerror(error != 0 ? error : ENOMEM));
        free(text);
    }
    return good ? text : NULL;
}

/* @return to be freed; "" where there is none; NULL: it may be there, and cannot be read now */
static char *read_manifest(const char *folder) {
    char path[PATH_BYTES];
    int error = 0;
    (void)snprintf(path, sizeof path, "%s/%s", folder, manifest_name);
    char *text = base_kept_read(path, MOST_BYTES, &error);
    if (text == NULL) {
        (void)fail(path, strerror(error));
        text = base_kept_unseen(error) ? NULL : strdup("");
    }
    return text;
}

/* Without a manifest StarPU measures all again at the next start. */
static void write_manifest(const char *machine) {
    char path[PATH_BYTES];
    char *text = list(home.folder, NULL, machine);
    (void)snprintf(path, sizeof path, "%s/%s", home.folder, manifest_name);
    if (text == NULL || base_kept_write(path, text, strlen(text)) != 0) {
        (void)unlink(path);
    }
    free(text);
}

static const char *value_of(int variable) {
    return home.value[variable] != NULL ? home.value[variable] : "";
}

/* A manifest's first line. StarPU measures links again where one of these is another. */
static void describe_machine(char *line, size_t size) {
    char words[192];
    int version[3] = {0, 0, 0};
    unsigned cores = 0;
    unsigned nodes = 0;
    starpu_get_version(&version[0], &version[1], &version[2]);
    psg_share_whole(&cores, &nodes);
    (void)snprintf(line, size, "StarPU %d.%d.%d, %u cores, %u NUMA nodes, %d GPUs %s %s",
                   version[0], version[1], version[2], cores, nodes,
                   psg_device_count(words, sizeof words), value_of(MPI_HOSTNAMES),
                   value_of(HWLOC_INPUT));
    line[strcspn(line, "\n")] = '\0';
}

/* Is all as the manifest of this machine says? StarPU then reads, and has nothing to write.
 *  @param[in] removes  what is not as the manifest says is removed; false is returned only where
 *                      that fails */
static bool check_folder(const char *folder, bool removes) {
    char *manifest = read_manifest(folder);
    char *there = manifest != NULL ? list(folder, removes ? manifest : NULL, home.machine) : NULL;
    const bool good =
        there != NULL &&
        (removes || (strcmp(manifest, there) == 0 && strstr(there, "\ndamaged ") == NULL));
    free(there);
    free(manifest);
    return good;
}

/* ------------------------------------------------------------------------------- choosing */

static bool lock_folder(const char *folder, bool shared) {
    bool had = false;
    home.lock = base_kept_lock(folder, shared, lock_seconds, &had);
    return had || fail(folder, errno == EWOULDBLOCK ? "another process has locked it for minutes"
                                                    : strerror(errno));
}

static void unlock_folder(void) {
    base_kept_unlock(home.lock);
    home.lock = -1;
}

/* StarPU stops a process that reads a file which another process has just made. So the lock is held
 * until StarPU has started. It is shared where StarPU only reads: a start takes some 30 ms on cores
 * alone and 1 s with GPUs (2026-11-22), and the processes of a node start together. */
static bool enter_folder(const char *folder) {
    const char *measure = value_of(BUS_CALIBRATE);
    const bool anew = measure[0] != '\0' && strcmp(measure, "0") != 0;
    if (strlen(folder) + FILE_ROOM >= FOLDER_BYTES) {
        return fail(folder, strerror(ENAMETOOLONG));
    }
    if (!make_folder(folder)) {
        return false;
    }
    for (bool shared = true;; shared = !shared) {
        if (!lock_folder(folder, shared)) {
            return false;
        }
        home.writes = anew || !check_folder(folder, false);
        if (shared ? !home.writes : home.writes && has_room(folder) && check_folder(folder, true)) {
            return true;
        }
        unlock_folder();
        if (!shared && home.writes) {
            return false;
        } /* else it starts alone, or all is there by now and other processes may read it, too */
    }
}

/* The host's name as StarPU finds it, because StarPU's files have it in their names. StarPU's own
 * function is in none of its headers. */
static void host_name(char host[HOST_BYTES]) {
    (void)snprintf(host, HOST_BYTES - 1, "%s", value_of(HOST));
    if (host[0] == '\0' && gethostname(host, HOST_BYTES - 1) == 0) {
        host[HOST_BYTES - 1] = '\0';
        host[strcspn(host, ".")] = '\0';
    }
}

static bool lasting_folder(const char *cache) {
    static const int homes[] = {MODEL_DIR, XDG_CACHE, PARENT, HOME};
    char host[HOST_BYTES];
    bool found = false;
    host_name(host);
    home.first[0] = '\0';
    for (size_t n = 0; n < sizeof homes / sizeof *homes && !found; n++) {
        const char *value = home.value[homes[n]];
        const bool models = homes[n] == MODEL_DIR;
        if (value == NULL || (models && value[0] == '\0')) {
            continue;
        }
        (void)snprintf(home.folder, FOLDER_BYTES, "%s/%s/%s", value, models ? "psg" : ".starpu/psg",
                       host);
        found = value[0] != '\0' ? enter_folder(home.folder) : fail(names[homes[n]], "empty");
        if (!found && home.first[0] == '\0') {
            memcpy(home.first, home.why, sizeof home.first);
        }
    }
    if (found) {
        return true;
    }
    if (home.first[0] == '\0') {
        (void)snprintf(home.first, sizeof home.first, "HOME: it is not set");
    }
    (void)snprintf(home.folder, FOLDER_BYTES, "%s/starpu/%s", cache, host);
    return cache[0] != '\0' && enter_folder(home.folder);
}

static bool temporary_folder(void) {
    const char *places[] = {value_of(TMPDIR), "/tmp", "/var/tmp", "/dev/shm"};
    for (size_t n = 0; n < sizeof places / sizeof *places; n++) {
        const int length = snprintf(home.folder, FOLDER_BYTES, "%s/psg-starpu-XXXXXX", places[n]);
        if (places[n][0] != '/' || length >= FOLDER_BYTES || mkdtemp(home.folder) == NULL) {
            (void)fail(places[n], strerror(errno));
        } else if (enter_folder(home.folder)) {
            return true;
        } else {
            (void)discard(home.folder);
        }
    }
    return false;
}

/* ------------------------------------------------------------------------- start and stop */

/* @param[in] value  NULL: unset it */
static bool set_variable(int variable, const char *value) {
    return (value != NULL ? setenv(names[variable], value, 1) : unsetenv(names[variable])) == 0;
}

static bool set_variables(void) {
    home.moved = true;
    for (int n = 0; n < MOVED; n++) {
        home.before[n] = home.value[n] != NULL ? strdup(home.value[n]) : NULL;
        home.moved = home.moved && (home.value[n] == NULL || home.before[n] != NULL);
    }
    return home.moved && set_variable(MODEL_DIR, home.folder) &&
           set_variable(XDG_CACHE, home.folder) && set_variable(MODEL_PATH, NULL);
}

bool psg_starpu_home_enter(const char *cache, char *words, size_t size) {
    for (int n = 0; n < VARIABLES; n++) {
        home.value[n] = getenv(names[n]);
    }
    describe_machine(home.machine, sizeof home.machine);
    home.lasts = lasting_folder(cache);
    if (!home.lasts && !temporary_folder()) {
        (void)snprintf(words, size, "StarPU has no folder that it can write: %s; %s", home.first,
                       home.why);
        return false;
    }
    if (!set_variables()) {
        (void)snprintf(words, size, "no memory for variables of the environment");
        psg_starpu_home_leave(false);
        return false;
    }
    return true;
}

void psg_starpu_home_leave(bool started) {
    for (int n = 0; n < MOVED; n++) {
        if (home.moved) {
            (void)set_variable(n, home.before[n]);
        }
        free(home.before[n]);
        home.before[n] = NULL;
    }
    if (!home.lasts) {
        (void)discard(home.folder);
    } else if (home.writes && started) {
        write_manifest(home.machine);
    }
    unlock_folder();
}

/* StarPU writes models when it stops, if it calibrates by then. A disk that is full would leave
 * them empty, and a folder that is gone would stop the process. */
void psg_starpu_home_stopping(void) {
    char models[PATH_BYTES];
    const int knob = starpu_perf_knob_name_to_id(starpu_perf_knob_scope_global,
                                                 "starpu.global.g_calibrate_knob");
    if (knob < 0 || starpu_perf_knob_get_global_int32_value(knob) == 0) {
        return;
    }
    (void)snprintf(models, sizeof models, "%s/codelets/%d", home.folder, PSG_STARPU_MODEL_VERSION);
    if (!home.lasts || !lock_folder(home.folder, false) || !check_folder(home.folder, true) ||
        !make_folder(models) || !has_room(home.folder)) {
        unlock_folder();
        starpu_perf_knob_set_global_int32_value(knob, 0);
    }
}

void psg_starpu_home_stopped(void) {
    char *manifest = home.lock >= 0 ? read_manifest(home.folder) : NULL;
    if (manifest != NULL) {
        manifest[strcspn(manifest, "\n")] = '\0'; /* links are those of the machine that it says */
        write_manifest(manifest);
    }
    free(manifest);
    unlock_folder();
}

void psg_starpu_home_folder(char *folder, size_t size, char *why, size_t why_size) {
    (void)snprintf(folder, size, "%s", home.lasts ? home.folder : "");
    (void)snprintf(why, why_size, "%s", home.first);
}
