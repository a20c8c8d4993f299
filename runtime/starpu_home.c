/* The folder in which StarPU keeps what it measured of buses and tasks: "sampling", with bus/ and
 * codelets/. StarPU looks for files of this host in STARPU_PERF_MODEL_DIR, then in .starpu/sampling
 * of its home, then in the folders of STARPU_PERF_MODEL_PATH, and makes new ones in the first. Its
 * home is XDG_CACHE_HOME, STARPU_HOME or HOME, whichever is set first.
 *
 * Where one of these folders would stop the process, StarPU gets another one by these variables,
 * which have their old values again as soon as StarPU has started: it has read them by then. */
#include "runtime/starpu_home.h"

#include "base/kept.h"
#include "runtime/starpu_inside.h"

#include <dirent.h>
#include <errno.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* StarPU cuts longer paths off: the name of its folder, and what follows it for the longest file. */
enum { FOLDER_BYTES = 256, FILE_ROOM = 96, PATH_BYTES = 1024, HOST_BYTES = 65 };
/* More than all that StarPU writes there, and what one file may have. */
enum { PROBE_BYTES = 256 << 10, MOST_BYTES = 16 << 20 };
/* To measure the links of eight GPUs takes a minute or two. */
static const double lock_seconds = 300;

static const char *const variables[3] = {"STARPU_PERF_MODEL_DIR", "XDG_CACHE_HOME",
                                         "STARPU_PERF_MODEL_PATH"};
static const char *const homes[3] = {"XDG_CACHE_HOME", "STARPU_HOME", "HOME"};

/* Of the last start. */
static char chosen[FOLDER_BYTES];
static char chosen_why[512];
static bool chosen_lasts;
static bool chosen_stays; /* though it is temporary, until StarPU has stopped */

/* -------------------------------------------------------------------------------- folders */

static bool fail(char *why, size_t size, const char *path, const char *reason) {
    (void)snprintf(why, size, "%s: %s", path, reason);
    return false;
}

static bool is_folder(const char *path) {
    struct stat what;
    return stat(path, &what) == 0 && S_ISDIR(what.st_mode);
}

/* With the folders above it, for this user alone as StarPU does. */
static bool make_folder(const char *path, char *why, size_t size) {
    char part[PATH_BYTES];
    (void)snprintf(part, sizeof part, "%s", path);
    for (char *c = part + 1; *c != '\0'; c++) {
        if (*c == '/') {
            *c = '\0';
            (void)mkdir(part, 0700);
            *c = '/';
        }
    }
    if (mkdir(path, 0700) != 0 && !is_folder(path)) {
        return fail(why, size, path, strerror(errno == EEXIST ? ENOTDIR : errno));
    }
    return true;
}

static void models_folder(char *path, size_t size, const char *folder) {
    (void)snprintf(path, size, "%s/codelets/%d", folder, PSG_STARPU_MODEL_VERSION);
}

static bool make_folders(const char *folder, char *why, size_t size) {
    char bus[PATH_BYTES];
    char models[PATH_BYTES];
    char debug[PATH_BYTES];
    (void)snprintf(bus, sizeof bus, "%s/bus", folder);
    models_folder(models, sizeof models, folder);
    (void)snprintf(debug, sizeof debug, "%s/debug", folder);
    return make_folder(bus, why, size) && make_folder(models, why, size) &&
           make_folder(debug, why, size);
}

static void remove_folder(const char *path, int depth) {
    char inside[PATH_BYTES];
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            (void)snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
            if (unlink(inside) != 0 && depth > 0) {
                remove_folder(inside, depth - 1);
            }
        }
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
    (void)rmdir(path);
}

/* A file can be made in there, and has room for what StarPU writes: a full disk would leave its
 * files empty. */
static bool has_room(const char *folder, char *why, size_t size) {
    static const char nothing[4096];
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s/.psg-probe-XXXXXX", folder);
    const int file = mkstemp(path);
    if (file < 0) {
        return fail(why, size, folder, strerror(errno));
    }
    int error = 0;
    for (size_t had = 0; had < PROBE_BYTES && error == 0; had += sizeof nothing) {
        errno = 0;
        if (write(file, nothing, sizeof nothing) != (ssize_t)sizeof nothing) {
            error = errno != 0 ? errno : ENOSPC;
        }
    }
    if (close(file) != 0 && error == 0) {
        error = errno;
    }
    (void)unlink(path);
    return error == 0 || fail(why, size, folder, strerror(error));
}

/* ---------------------------------------------------------------------------------- files */

static const struct {
    const char *ending;
    psg_starpu_file kind;
} bus_files[] = {{"config", PSG_STARPU_CONFIG},         {"affinity", PSG_STARPU_AFFINITY},
                 {"latency", PSG_STARPU_MATRIX},        {"bandwidth", PSG_STARPU_MATRIX},
                 {"platform.xml", PSG_STARPU_PLATFORM}, {"platform.v4.xml", PSG_STARPU_PLATFORM}};
enum { BUS_FILES = sizeof bus_files / sizeof *bus_files };

/* As StarPU's own, which has no name in its headers. */
static void host_name(char host[HOST_BYTES]) {
    const char *several = getenv("STARPU_MPI_HOSTNAMES");
    const char *one = getenv("STARPU_HOSTNAME");
    if (several != NULL && several[0] != '\0') {
        several += strspn(several, " ");
        const int length = (int)strcspn(several, " ");
        (void)snprintf(host, HOST_BYTES - 1, "%.*s", length > 0 ? length : 6,
                       length > 0 ? several : "(null)");
    } else if (one != NULL && one[0] != '\0') {
        (void)snprintf(host, HOST_BYTES - 1, "%s", one);
    } else {
        host[0] = '\0';
        (void)gethostname(host, HOST_BYTES - 1);
        host[HOST_BYTES - 1] = '\0';
        host[strcspn(host, ".")] = '\0';
    }
}

/* What is there, be it a file or not, gets a name that StarPU does not look for. */
static bool set_aside(const char *path, char *why, size_t size) {
    char aside[PATH_BYTES + 16];
    struct stat what;
    for (int n = 0; n < 10; n++) {
        (void)snprintf(aside, sizeof aside, n == 0 ? "%s.damaged" : "%s.damaged-%d", path, n);
        if (lstat(aside, &what) != 0 && rename(path, aside) == 0) {
            return true;
        }
    }
    return unlink(path) == 0 || rmdir(path) == 0 || fail(why, size, path, strerror(errno));
}

/* StarPU opens the file to read and to write. One that this user may read alone is replaced by a
 * copy.
 *  @param[in]  writes  else nothing is changed
 *  @param[out] there   a good file is, and StarPU keeps it
 *  @return false: the file is not good, and stays */
static bool mend(const char *path, psg_starpu_file kind, bool writes, bool *there, char *why,
                 size_t size) {
    struct stat what;
    int error = 0;
    *there = false;
    if (lstat(path, &what) != 0 && errno == ENOENT) {
        return true;
    }
    char *text = base_kept_read(path, MOST_BYTES, &error);
    if (error == EAGAIN) {
        return fail(why, size, path, "another process has locked it");
    }
    if (base_kept_unseen(error)) {
        return fail(why, size, path, strerror(error));
    }
    const bool good = text != NULL && psg_starpu_file_is_good(kind, text);
    const bool writable = access(path, W_OK) == 0;
    if (good && writes && !writable) {
        error = base_kept_write(path, text, strlen(text));
    }
    *there = good && (writes || writable) &&
             (kind != PSG_STARPU_CONFIG || psg_starpu_config_is_current(text));
    free(text);
    if (!good && writes) {
        return set_aside(path, why, size);
    }
    return error == 0 || !writes || fail(why, size, path, strerror(error));
}

static bool is_of_host(const char *name, const char *host) {
    const size_t length = strlen(name);
    const size_t ending = strlen(host);
    return length > ending + 1 && name[length - ending - 1] == '.' &&
           strcmp(name + length - ending, host) == 0;
}

/* Do something with each model of this host.
 *  @return false: that failed */
typedef bool (*action)(const char *path, const char *name, void *argument);

static bool each_model(const char *folder, const char *host, action act, void *argument) {
    char models[PATH_BYTES];
    char path[2 * PATH_BYTES];
    models_folder(models, sizeof models, folder);
    DIR *list = opendir(models);
    bool good = true;
    for (struct dirent *entry; good && list != NULL && (entry = readdir(list)) != NULL;) {
        if (is_of_host(entry->d_name, host)) {
            (void)snprintf(path, sizeof path, "%s/%s", models, entry->d_name);
            good = act(path, entry->d_name, argument);
        }
    }
    if (list != NULL) {
        (void)closedir(list);
    }
    return good;
}

typedef struct mending {
    bool writes;
    bool all; /* are there and good */
    char *why;
    size_t size;
} mending;

static bool mend_model(const char *path, const char *name, void *argument) {
    mending *m = argument;
    bool there = false;
    (void)name;
    const bool mended = mend(path, PSG_STARPU_MODEL, m->writes, &there, m->why, m->size);
    m->all = m->all && there;
    return mended;
}

static void bus_file(char *path, size_t size, const char *folder, const char *host, int n) {
    (void)snprintf(path, size, "%s/bus/%s.%s", folder, host, bus_files[n].ending);
}

/* @param[out] complete  StarPU has nothing to measure; and, unless this writes, nothing was to mend */
static bool mend_all(const char *folder, const char *host, bool writes, bool *complete, char *why,
                     size_t size) {
    char path[PATH_BYTES];
    mending models = {writes, true, why, size};
    *complete = true;
    for (int n = 0; n < BUS_FILES; n++) {
        bool there = false;
        bus_file(path, sizeof path, folder, host, n);
        if (!mend(path, bus_files[n].kind, writes, &there, why, size)) {
            return false;
        }
        *complete = *complete && there;
    }
    const bool mended = each_model(folder, host, mend_model, &models);
    *complete = *complete && (writes || models.all);
    return mended;
}

/* ------------------------------------------------------------------------------- choosing */

static bool lock_folder(const char *folder, bool shared, int *lock, char *why, size_t size) {
    bool had = false;
    *lock = base_kept_lock(folder, shared, lock_seconds, &had);
    return had || fail(why, size, folder,
                       errno == EWOULDBLOCK ? "another process has locked it for minutes"
                                            : strerror(errno));
}

static void unlock_folder(int *lock) {
    base_kept_unlock(*lock);
    *lock = -1;
}

/* Can StarPU start with this folder as the first? StarPU stops a process that finds a file and then
 * cannot open it, or reads a file that another process has just made. So the lock is held until
 * StarPU has started. It is shared where StarPU only reads: a start takes some 30 ms on cores alone
 * and 1 s with GPUs (2026-11-22), and the processes of a node start together.
 * @param[out] lock  held */
static bool is_usable(const char *folder, const char *host, int *lock, char *why, size_t size) {
    if (folder[0] == '\0' || strlen(folder) + strlen(host) + FILE_ROOM >= FOLDER_BYTES) {
        return fail(why, size, folder, folder[0] == '\0' ? "empty" : strerror(ENAMETOOLONG));
    }
    if (!make_folders(folder, why, size)) {
        return false;
    }
    for (int mended = 0;; mended++) {
        bool complete = false;
        if (!lock_folder(folder, true, lock, why, size)) {
            return false;
        }
        if (mend_all(folder, host, false, &complete, why, size) && complete) {
            return true;
        }
        unlock_folder(lock);
        if (!lock_folder(folder, false, lock, why, size)) {
            return false;
        }
        if (!mend_all(folder, host, true, &complete, why, size) ||
            (!complete && !has_room(folder, why, size))) {
            unlock_folder(lock);
            return false;
        }
        if (!complete || mended > 0) {
            return true;
        }
        unlock_folder(lock); /* all is there by now, so other processes may read it, too */
    }
}

static bool found_model(const char *path, const char *name, void *argument) {
    (void)path;
    (void)name;
    (void)argument;
    return false;
}

/* Folders behind the first matter where they have something of this host. StarPU may write there
 * then. */
static bool is_harmless(const char *folder, const char *host, char *why, size_t size) {
    char path[PATH_BYTES];
    struct stat what;
    bool complete = false;
    bus_file(path, sizeof path, folder, host, 0);
    if (lstat(path, &what) != 0 && each_model(folder, host, found_model, NULL)) {
        return true;
    }
    return strlen(folder) + strlen(host) + FILE_ROOM < FOLDER_BYTES &&
           make_folders(folder, why, size) && mend_all(folder, host, true, &complete, why, size) &&
           (complete || has_room(folder, why, size));
}

static bool path_is_harmless(const char *host, char *why, size_t size) {
    enum { MOST_FOLDERS = 16 }; /* StarPU has room for 20 in all */
    const char *list = getenv("STARPU_PERF_MODEL_PATH");
    char folder[PATH_BYTES];
    int count = 0;
    for (const char *at = list; at != NULL && *at != '\0'; count++) {
        at += strspn(at, ":,");
        const size_t length = strcspn(at, ":,");
        if (length >= FOLDER_BYTES || count >= MOST_FOLDERS) {
            return fail(why, size, "STARPU_PERF_MODEL_PATH", strerror(ENAMETOOLONG));
        }
        (void)snprintf(folder, sizeof folder, "%.*s", (int)length, at);
        if (is_folder(folder) && !is_harmless(folder, host, why, size)) {
            return false;
        }
        at += length;
    }
    return true;
}

/* The folder of a home; "" where there is none. A name that is cut off is too long for
 * is_usable(). */
static void of_home(char folder[FOLDER_BYTES], const char *home) {
    folder[0] = '\0';
    if (home != NULL && home[0] != '\0') {
        (void)snprintf(folder, FOLDER_BYTES, "%s/.starpu/sampling", home);
    }
}

static const char *first_home(void) {
    for (size_t n = 0; n < sizeof homes / sizeof *homes; n++) {
        if (getenv(homes[n]) != NULL) {
            return getenv(homes[n]);
        }
    }
    return NULL;
}

/* Those that StarPU finds by itself. @param[out] first  its name */
static bool as_it_is(char first[FOLDER_BYTES], const char *host, int *lock, char *why,
                     size_t size) {
    char home[FOLDER_BYTES];
    const char *given = getenv("STARPU_PERF_MODEL_DIR");
    of_home(home, first_home());
    (void)snprintf(first, FOLDER_BYTES, "%s", given != NULL && given[0] != '\0' ? given : home);
    if (first[0] == '\0') {
        return fail(why, size, "HOME", "it is not set");
    }
    if (!is_usable(first, host, lock, why, size)) {
        return false;
    }
    if ((strcmp(first, home) == 0 || home[0] == '\0' || is_harmless(home, host, why, size)) &&
        path_is_harmless(host, why, size)) {
        return true;
    }
    unlock_folder(lock);
    return false;
}

static bool other_folder(char folder[FOLDER_BYTES], const char *cache, const char *host,
                         int *lock) {
    char why[512];
    const char *given = getenv("STARPU_PERF_MODEL_DIR");
    (void)snprintf(folder, FOLDER_BYTES, "%s", given != NULL ? given : "");
    if (is_usable(folder, host, lock, why, sizeof why)) {
        return true;
    }
    for (size_t n = 0; n < sizeof homes / sizeof *homes; n++) {
        of_home(folder, getenv(homes[n]));
        if (is_usable(folder, host, lock, why, sizeof why)) {
            return true;
        }
    }
    (void)snprintf(folder, FOLDER_BYTES, "%s/starpu", cache);
    return cache[0] != '\0' && is_usable(folder, host, lock, why, sizeof why);
}

static bool temporary_folder(char folder[FOLDER_BYTES], const char *host, int *lock, char *why,
                             size_t size) {
    const char *places[] = {getenv("TMPDIR"), "/tmp", "/var/tmp", "/dev/shm"};
    for (size_t n = 0; n < sizeof places / sizeof *places; n++) {
        if (places[n] == NULL || places[n][0] != '/') {
            continue;
        }
        const int length = snprintf(folder, FOLDER_BYTES, "%s/psg-starpu-XXXXXX", places[n]);
        if ((size_t)length >= FOLDER_BYTES || mkdtemp(folder) == NULL) {
            (void)fail(why, size, places[n], strerror(errno));
            continue;
        }
        if (is_usable(folder, host, lock, why, size)) {
            return true;
        }
        remove_folder(folder, 3);
    }
    return false;
}

/* -------------------------------------------------------------------------------- copying */

typedef struct copy {
    const char *to;
    psg_starpu_file kind;
    bool copied; /* one was, at least */
} copy;

static bool copy_good(const char *path, const char *name, void *argument) {
    copy *c = argument;
    char target[PATH_BYTES];
    struct stat what;
    (void)snprintf(target, sizeof target, "%s/%s", c->to, name);
    char *text = lstat(target, &what) != 0 ? base_kept_read(path, MOST_BYTES, NULL) : NULL;
    if (text != NULL && psg_starpu_file_is_good(c->kind, text)) {
        c->copied |= base_kept_write(target, text, strlen(text)) == 0;
    }
    free(text);
    return true;
}

/* What a folder that cannot be written knows already, so that it is not measured again.
 * @return are there models? StarPU reads them while it runs */
static bool copy_all(const char *from, const char *to, const char *host) {
    char path[PATH_BYTES];
    char folder[PATH_BYTES];
    char name[PATH_BYTES];
    for (int n = 0; n < BUS_FILES; n++) {
        bus_file(path, sizeof path, from, host, n);
        (void)snprintf(folder, sizeof folder, "%s/bus", to);
        (void)snprintf(name, sizeof name, "%s.%s", host, bus_files[n].ending);
        copy c = {folder, bus_files[n].kind, false};
        (void)copy_good(path, name, &c);
    }
    models_folder(folder, sizeof folder, to);
    copy c = {folder, PSG_STARPU_MODEL, false};
    (void)each_model(from, host, copy_good, &c);
    return c.copied;
}

/* ------------------------------------------------------------------------- start and stop */

static bool set_variables(psg_starpu_home *home, const char *folder) {
    const char *const values[3] = {folder, folder, NULL};
    home->moved = true;
    for (int n = 0; n < 3; n++) {
        const char *value = getenv(variables[n]);
        home->before[n] = value != NULL ? strdup(value) : NULL;
    }
    bool set = true;
    for (int n = 0; n < 3; n++) {
        set = (values[n] != NULL ? setenv(variables[n], values[n], 1) : unsetenv(variables[n])) ==
                  0 &&
              set;
    }
    return set;
}

bool psg_starpu_home_enter(psg_starpu_home *home, const char *cache, char *words, size_t size) {
    char first[FOLDER_BYTES];
    char folder[FOLDER_BYTES];
    char host[HOST_BYTES];
    char why[512] = "";
    *home = (psg_starpu_home){.lock = -1};
    host_name(host);
    chosen_why[0] = '\0';
    if (as_it_is(first, host, &home->lock, chosen_why, sizeof chosen_why)) {
        (void)snprintf(chosen, sizeof chosen, "%s", first);
        chosen_lasts = true;
        return true;
    }
    chosen_lasts = other_folder(folder, cache, host, &home->lock);
    if (!chosen_lasts) {
        home->temporary = temporary_folder(folder, host, &home->lock, why, sizeof why);
    }
    if (!chosen_lasts && !home->temporary) {
        (void)snprintf(words, size, "StarPU has no folder that it can write: %s; %s", chosen_why,
                       why);
        return false;
    }
    (void)snprintf(chosen, sizeof chosen, "%s", folder);
    chosen_stays = first[0] != '\0' && copy_all(first, folder, host) && home->temporary;
    if (!set_variables(home, folder)) {
        (void)snprintf(words, size, "no memory for variables of the environment");
        psg_starpu_home_leave(home);
        return false;
    }
    return true;
}

void psg_starpu_home_leave(psg_starpu_home *home) {
    for (int n = 0; n < 3; n++) {
        if (home->moved && home->before[n] != NULL) {
            (void)setenv(variables[n], home->before[n], 1);
        } else if (home->moved) {
            (void)unsetenv(variables[n]);
        }
        free(home->before[n]);
    }
    base_kept_unlock(home->lock);
    if (home->temporary && !chosen_stays) {
        remove_folder(chosen, 3);
    }
    *home = (psg_starpu_home){.lock = -1};
}

/* StarPU writes models when it stops, if it calibrates by then. A disk that is full would leave
 * them empty, and a folder that is gone would stop the process. */
void psg_starpu_home_stopping(void) {
    char host[HOST_BYTES];
    char why[512];
    bool complete = false;
    const int knob = starpu_perf_knob_name_to_id(starpu_perf_knob_scope_global,
                                                 "starpu.global.g_calibrate_knob");
    if (knob < 0 || starpu_perf_knob_get_global_int32_value(knob) == 0) {
        return;
    }
    host_name(host);
    if (!chosen_lasts || !make_folders(chosen, why, sizeof why) ||
        !mend_all(chosen, host, true, &complete, why, sizeof why) ||
        !has_room(chosen, why, sizeof why)) {
        starpu_perf_knob_set_global_int32_value(knob, 0);
    }
}

void psg_starpu_home_stopped(void) {
    if (chosen_stays) {
        remove_folder(chosen, 3);
    }
    chosen_stays = false;
}

void psg_starpu_home_folder(char *folder, size_t size, char *why, size_t why_size) {
    (void)snprintf(folder, size, "%s", chosen_lasts ? chosen : "");
    (void)snprintf(why, why_size, "%s", chosen_why);
}
