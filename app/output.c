/* Temporary files, their renaming, and the signals that remove them. */
#include "app/output.h"
#include "app/words.h"
#include "base/clock.h"
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* What the signal handler needs: the names to unlink, and whether each counts. A name is complete
   before its flag is set, and the flag is set before the file is made. */
enum { SLOTS = 8 };
static char slot_name[SLOTS][PATH_MAX];
static volatile sig_atomic_t slot_used[SLOTS];
static volatile sig_atomic_t on_terminal; /* a progress line or "^C" may stand on it */
static volatile sig_atomic_t silent;      /* another process says it */

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
enum { ENDING = sizeof ending / sizeof ending[0] };

void app_outputs_remove(void) {
    for (int s = 0; s < SLOTS; s++) {
        if (slot_used[s]) {
            unlink(slot_name[s]);
        }
    }
}

static void end_by_signal(int signal_number) {
    static const char words[] = "\npsg: interrupted\n";
    const size_t skip = on_terminal ? 0 : 1;
    app_outputs_remove();
    ssize_t said = 0;
    if (signal_number != SIGPIPE && !silent) {
        said = write(STDERR_FILENO, words + skip, sizeof words - 1 - skip);
    }
    (void)said;
    _exit(128 + signal_number);
}

/* abort() kills the program by itself once the handler has returned. */
static void clean_before_abort(int signal_number) {
    (void)signal_number;
    app_outputs_remove();
}

void app_signals_install(bool quiet) {
    struct sigaction action;
    on_terminal = isatty(STDERR_FILENO);
    silent = quiet;
    memset(&action, 0, sizeof action);
    sigfillset(&action.sa_mask);
    for (size_t s = 0; s < ENDING; s++) {
        struct sigaction old;
        action.sa_handler = end_by_signal;
        if (sigaction(ending[s], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
            sigaction(ending[s], &action, NULL);
        }
    }
    action.sa_handler = clean_before_abort;
    sigaction(SIGABRT, &action, NULL);
    action.sa_handler = SIG_IGN;
    sigaction(SIGXFSZ, &action, NULL);
}

void app_signals_ignore(void) {
    for (size_t s = 0; s < ENDING; s++) {
        (void)signal(ending[s], SIG_IGN);
    }
}

/* Where a symbolic link points to; or `path` as it is. @return -1: the name is too long */
static int follow(const char *path, char *target) {
    char text[PATH_MAX], copy[PATH_MAX];
    const ssize_t length = readlink(path, text, sizeof text - 1);
    if (length < 0) {
        return snprintf(target, PATH_MAX, "%s", path) < PATH_MAX ? 0 : -1;
    }
    text[length] = '\0';
    snprintf(copy, sizeof copy, "%s", path);
    const char *folder = text[0] == '/' ? "" : dirname(copy);
    const int written = snprintf(target, PATH_MAX, "%s%s%s", folder, folder[0] ? "/" : "", text);
    return written < PATH_MAX ? 0 : -1;
}

/* `path` with the links of an existing file, or of the folder of one that does not exist,
 * followed. */
static int resolve(const char *given, char *resolved) {
    char path[PATH_MAX], next[PATH_MAX];
    if (realpath(given, resolved) != NULL) {
        return 0;
    }
    char folder[PATH_MAX], copy[PATH_MAX];
    if (errno != ENOENT || strlen(given) >= PATH_MAX || given[strlen(given) - 1] == '/') {
        return -1;
    }
    /* a link to what does not exist yet: that is what is made. realpath() has found circles. */
    snprintf(path, sizeof path, "%s", given);
    for (int links = 0; links < 40 && !follow(path, next) && strcmp(path, next) != 0; links++) {
        memcpy(path, next, sizeof path);
    }
    snprintf(copy, sizeof copy, "%s", path);
    if (realpath(dirname(copy), folder) == NULL) {
        return -1;
    }
    snprintf(copy, sizeof copy, "%s", path);
    const int length =
        snprintf(resolved, PATH_MAX, "%s/%s", strcmp(folder, "/") ? folder : "", basename(copy));
    if (length >= PATH_MAX) {
        errno = ENAMETOOLONG;
    }
    return length < PATH_MAX ? 0 : -1;
}

/* How psg begins what it writes, after bytes that others write, too; and what it calls it. */
static const struct {
    const char *name, *start;
    size_t after;
} kinds[APP_OUTPUT_KINDS] = {
    [APP_OUTPUT_JSON] = {"a report of psg", "{\n  \"command\": \""},
    [APP_OUTPUT_TRACE] = {"a trace of psg", "{\n  \"traceEvents\": ["},
    [APP_OUTPUT_DAG] = {"a task graph of psg", "digraph psg {"},
    [APP_OUTPUT_DAG_JSON] = {"a task graph of psg", "{\n  \"task_graph\": {"},
    [APP_OUTPUT_DAG_REC] = {"a task graph of psg", "# psg: a task graph"},
    [APP_OUTPUT_XMF] = {"a description of psg", "<?xml version=\"1.0\"?>\n<Xdmf Version=\"2.0\">"},
    [APP_OUTPUT_PNG] = {"a picture of psg", "tEXtpsg", 817}, /* behind the colours */
    [APP_OUTPUT_POSES] = {"a list of poses of psg", "rank,twist,theta,phi,"},
};

/* Somebody else's file is not lost without a word. */
static int check_kind(const char *path, const char *name, app_output_kind kind) {
    char text[1024] = ""; /* more than any begins after */
    if (kind == APP_OUTPUT_ANY) {
        return APP_DONE;
    }
    const char *start = kinds[kind].start;
    const size_t after = kinds[kind].after;
    const int file = open(name, O_RDONLY | O_CLOEXEC);
    const ssize_t length = file < 0 ? -1 : read(file, text, after + strlen(start));
    const int why = errno;
    if (file >= 0) {
        close(file);
    }
    if (length < 0) {
        return app_error(APP_FAILED, "%s: cannot be read: %s; --force replaces it", path,
                         strerror(why));
    }
    return length == 0 || strncmp(text + after, start, strlen(start)) == 0
               ? APP_DONE
               : app_error(APP_USAGE,
                           "%s: is there already and is not %s; it is left as it is. --force "
                           "replaces it",
                           path, kinds[kind].name);
}

/* An existing file may be replaced only if it is a file, and ours to write. */
static int check_existing(const char *path, const char *name, app_output_kind kind, mode_t *mode) {
    struct stat status;
    if (stat(name, &status)) {
        return APP_DONE;
    }
    if (!S_ISREG(status.st_mode)) {
        return app_error(APP_FAILED, "%s: not a regular file, cannot be replaced by the output",
                         path);
    }
    if (access(name, W_OK)) {
        return app_error(APP_FAILED, "%s: %s", path, strerror(errno));
    }
    *mode = status.st_mode & 0777;
    return check_kind(path, name, kind);
}

int app_output_space(const char *path, const char *temporary, double bytes) {
    struct statvfs disk;
    /* file systems that do not know their size say 0 */
    if (!(bytes > 0) || statvfs(temporary, &disk) || disk.f_blocks == 0) {
        return APP_DONE;
    }
    const double available = (double)disk.f_bavail * (double)disk.f_frsize;
    if (available >= bytes) {
        return APP_DONE;
    }
    char needed[32], left[32];
    app_bytes_text(needed, sizeof needed, bytes);
    app_bytes_text(left, sizeof left, available);
    return app_error(APP_FAILED, "%s: disk full: %s needed, %s left", path, needed, left);
}

int app_output_close(FILE *file, const char *shown) {
    const int why = file != NULL ? base_close(file) : errno;
    return why == 0 ? APP_DONE
                    : app_error(APP_FAILED, "%s: cannot be written: %s", shown, strerror(why));
}

int app_output_failed(const char *shown, const char *words) {
    return app_error(APP_FAILED, "%s: cannot be written: %s%s", shown, words,
                     access(shown, F_OK) ? "" : "; the file that was there is untouched");
}

int app_output_copy(const char *path, const char *temporary) {
    enum { PIECE = 1 << 14 };
    char piece[PIECE];
    const int from = open(path, O_RDONLY | O_CLOEXEC);
    const int to = open(temporary, O_WRONLY | O_TRUNC | O_CLOEXEC);
    ssize_t length = from < 0 || to < 0 ? -1 : read(from, piece, PIECE);
    while (length > 0) {
        length = base_write(to, piece, (size_t)length) ? read(from, piece, PIECE) : -1;
    }
    const int why = errno;
    if (from >= 0) {
        close(from);
    }
    if (to >= 0) {
        close(to);
    }
    return length == 0 ? APP_DONE
                       : app_error(APP_FAILED,
                                   "%s: cannot be written: its copy failed: %s; the file that was "
                                   "there is untouched",
                                   path, strerror(why));
}

/* What all temporary files of this machine, and of this process' space of numbers, have in their
 * names: only here does a number say whether the process is alive. */
static void temporary_mark(char *mark, size_t size) {
    char host[33] = "";
    struct stat space;
    (void)gethostname(host, sizeof host - 1);
    const unsigned long number =
        stat("/proc/self/ns/pid", &space) ? 0 : (unsigned long)space.st_ino;
    snprintf(mark, size, ".psg-%s-%lx-", host, number);
}

/* A run that was killed could not remove its files. */
static void remove_left(const char *folder, const char *mark) {
    DIR *list = opendir(folder);
    for (const struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;) {
        const char *found = entry->d_name[0] == '.' ? strstr(entry->d_name, mark) : NULL;
        char *end = NULL;
        const long process = found != NULL ? strtol(found + strlen(mark), &end, 10) : 0;
        if (process > 0 && end[0] == '-' && end[1 + strspn(end + 1, "0123456789")] == '\0' &&
            kill((pid_t)process, 0) && errno == ESRCH) {
            (void)unlinkat(dirfd(list), entry->d_name, 0);
        }
    }
    if (list != NULL) {
        closedir(list);
    }
}

static int free_slot(void) {
    for (int s = 0; s < SLOTS; s++) {
        if (!slot_used[s]) {
            return s;
        }
    }
    return -1;
}

int app_output_begin(app_output *output, const char *path, app_output_kind kind, double bytes) {
    mode_t mode = 0;
    char folder[PATH_MAX], base[PATH_MAX], mark[80];
    output->temporary[0] = '\0';
    output->adopted = 0;
    if (strcmp(path, "-") == 0) {
        return app_error(APP_USAGE, "'-', stdout, is for --json and --csv: give the name of a file "
                                    "(./- is a file of that name)");
    }
    if (path[0] == '\0' || resolve(path, output->name)) {
        return app_error(APP_FAILED, "%s: cannot be written: %s", path, strerror(errno));
    }
    const int refused = check_existing(path, output->name, kind, &mode);
    if (refused) {
        return refused;
    }
    output->slot = free_slot();
    if (output->slot < 0) {
        return app_error(APP_FAILED, "%s: too many files at once", path);
    }

    snprintf(folder, sizeof folder, "%s", output->name);
    snprintf(base, sizeof base, "%s", output->name);
    char *name = slot_name[output->slot];
    const char *in = dirname(folder);
    temporary_mark(mark, sizeof mark);
    remove_left(in, mark);
    const int length = snprintf(name, PATH_MAX, "%s/.%.150s%s%ld-%ld", in, basename(base), mark,
                                (long)getpid(), (long)(base_now() * 1e6));
    if (length >= PATH_MAX) {
        return app_error(APP_FAILED, "%s: %s", path, strerror(ENAMETOOLONG));
    }
    slot_used[output->slot] = 1;
    const int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) {
        slot_used[output->slot] = 0;
        return app_error(APP_FAILED, "%s: cannot be written: %s", path, strerror(errno));
    }
    snprintf(output->temporary, sizeof output->temporary, "%s", name);
    if ((mode && fchmod(file, mode)) | close(file)) {
        app_error(APP_FAILED, "%s: cannot be written: %s", path, strerror(errno));
        app_output_discard(output);
        return APP_FAILED;
    }
    if (app_output_space(path, name, bytes)) {
        app_output_discard(output);
        return APP_FAILED;
    }
    return APP_DONE;
}

int app_output_try(const char *path, app_output_kind kind) {
    app_output output;
    const int code = app_output_begin(&output, path, kind, 0);
    if (!code) {
        app_output_discard(&output);
    }
    return code;
}

void app_output_adopt(app_output *output) {
    output->adopted = 1;
    output->slot = output->temporary[0] ? free_slot() : -1;
    if (output->slot >= 0) {
        memcpy(slot_name[output->slot], output->temporary, sizeof output->temporary);
        slot_used[output->slot] = 1;
    }
}

/* A file that is renamed or removed, by us or by the process that made it. */
static void forget(app_output *output) {
    if (output->slot >= 0) {
        slot_used[output->slot] = 0;
    }
    output->temporary[0] = '\0';
}

int app_output_commit(app_output *output) {
    if (output->adopted || output->temporary[0] == '\0') {
        return APP_DONE; /* the owner is at it, and can still be killed */
    }
    const int why = base_file_rename(output->temporary, output->name);
    if (why) {
        (void)app_output_failed(output->name, strerror(why));
        app_output_discard(output);
        return APP_FAILED;
    }
    forget(output);
    return APP_DONE;
}

void app_output_discard(app_output *output) {
    if (output->temporary[0] == '\0') {
        return;
    }
    if (!output->adopted) {
        unlink(output->temporary);
    }
    forget(output);
}

int app_output_end(app_output *output, int code) {
    if (!code) {
        return app_output_commit(output);
    }
    app_output_discard(output);
    return code;
}

bool app_same_file(const char *a, const char *b) {
    struct stat one, other;
    char resolved_a[PATH_MAX], resolved_b[PATH_MAX];
    if (a[0] == '\0' || b[0] == '\0') {
        return false;
    }
    if (stat(a, &one) == 0 && stat(b, &other) == 0) {
        return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
    }
    if (resolve(a, resolved_a) || resolve(b, resolved_b)) {
        return false;
    }
    return strcmp(resolved_a, resolved_b) == 0;
}

/* Is one of two data sets or groups the other one, or in it? HDF5 takes several slashes for one. */
static bool datasets_meet(const char *a, const char *b) {
    for (;;) {
        const size_t slashes_a = strspn(a, "/"), slashes_b = strspn(b, "/");
        a += slashes_a;
        b += slashes_b;
        if (*a == '\0' || *b == '\0') {
            return (*a == '\0' || slashes_a > 0) && (*b == '\0' || slashes_b > 0);
        }
        if (*a++ != *b++ || (slashes_a > 0) != (slashes_b > 0)) {
            return false;
        }
    }
}

static int compare_files(const app_named_file *a, const app_named_file *b) {
    if ((a->read && b->read) || a->path == NULL || b->path == NULL ||
        !app_same_file(a->path, b->path)) {
        return APP_DONE;
    }
    if (a->read == b->read || a->dataset == NULL || b->dataset == NULL) {
        return app_error(APP_USAGE, "%s and %s name the same file, %s", a->by, b->by, a->path);
    }
    return datasets_meet(a->dataset, b->dataset)
               ? app_error(
                     APP_USAGE,
                     "%s:%s and %s:%s are the same data set, or one is in the other: psg does "
                     "not write over what it reads; give %s another name",
                     a->path, a->dataset, b->path, b->dataset, a->read ? b->by : a->by)
               : APP_DONE;
}

int app_files_differ(const app_named_file *files, size_t count) {
    int code = APP_DONE;
    for (size_t b = 1; b < count; b++) {
        for (size_t a = 0; a < b && !code; a++) {
            code = compare_files(&files[a], &files[b]);
        }
    }
    return code;
}
