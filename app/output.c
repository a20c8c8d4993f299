/* Temporary files, their renaming, and the signals that remove them. */
#include "app/output.h"
#include "app/app.h"
#include "app/ranks.h"

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
static void (*volatile before_end)(void);

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
    void (*const last)(void) = before_end;
    app_outputs_remove();
    if (last) {
        last();
    }
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

void app_signals_install(void) {
    struct sigaction action;
    on_terminal = isatty(STDERR_FILENO);
    silent = app_rank() > 0;
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

void app_signals_before_end(void (*last)(void)) {
    before_end = last;
}

void app_signals_ignore(void) {
    for (size_t s = 0; s < ENDING; s++) {
        (void)signal(ending[s], SIG_IGN);
    }
}

/* `path` with the links of an existing file, or of the folder of one that does not exist,
 * followed. */
static int resolve(const char *path, char *resolved) {
    if (realpath(path, resolved)) {
        return 0;
    }
    char folder[PATH_MAX], copy[PATH_MAX];
    if (errno != ENOENT || strlen(path) >= PATH_MAX || path[strlen(path) - 1] == '/') {
        return -1;
    }
    snprintf(copy, sizeof copy, "%s", path);
    if (!realpath(dirname(copy), folder)) {
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

/* An existing file may be replaced only if it is a file, and ours to write. */
static int check_existing(const char *path, const char *name, mode_t *mode) {
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
    return APP_DONE;
}

static int check_space(const char *path, const char *temporary, double bytes) {
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

static int free_slot(void) {
    for (int s = 0; s < SLOTS; s++) {
        if (!slot_used[s]) {
            return s;
        }
    }
    return -1;
}

int app_output_begin(app_output *output, const char *path, double bytes) {
    mode_t mode = 0;
    char folder[PATH_MAX], base[PATH_MAX];
    output->temporary[0] = '\0';
    output->adopted = 0;
    if (path[0] == '\0' || resolve(path, output->name)) {
        return app_error(APP_FAILED, "%s: cannot be written: %s", path, strerror(errno));
    }
    if (check_existing(path, output->name, &mode)) {
        return APP_FAILED;
    }
    output->slot = free_slot();
    if (output->slot < 0) {
        return app_error(APP_FAILED, "%s: too many files at once", path);
    }

    snprintf(folder, sizeof folder, "%s", output->name);
    snprintf(base, sizeof base, "%s", output->name);
    char *name = slot_name[output->slot];
    const int length = snprintf(name, PATH_MAX, "%s/.%.200s.psg-%ld-%ld", dirname(folder),
                                basename(base), (long)getpid(), (long)(app_now() * 1e6));
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
    if (check_space(path, name, bytes)) {
        app_output_discard(output);
        return APP_FAILED;
    }
    return APP_DONE;
}

int app_output_try(const char *path) {
    app_output output;
    const int code = app_output_begin(&output, path, 0);
    if (!code) {
        app_output_discard(&output);
    }
    return code;
}

/* fsync by a descriptor of our own: what wrote the file has closed it. */
static int bring_to_disk(const char *path, int flags) {
    const int file = open(path, flags | O_CLOEXEC);
    if (file < 0) {
        return -1;
    }
    const int failed = fsync(file);
    const int why = errno;
    close(file);
    errno = why;
    return failed;
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
    if (output->adopted) {
        return APP_DONE; /* its owner is at it, and can still be killed */
    }
    if (bring_to_disk(output->temporary, O_WRONLY) || rename(output->temporary, output->name)) {
        app_error(APP_FAILED, "%s: cannot be written: %s%s", output->name, strerror(errno),
                  access(output->name, F_OK) ? "" : "; the file that was there is untouched");
        app_output_discard(output);
        return APP_FAILED;
    }
    forget(output);
    /* the new name is on the disk once its folder is; not every file system can tell, so no
     * error */
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", output->name);
    (void)bring_to_disk(dirname(folder), O_RDONLY);
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

int app_same_file(const char *a, const char *b) {
    struct stat one, other;
    char resolved_a[PATH_MAX], resolved_b[PATH_MAX];
    if (stat(a, &one) == 0 && stat(b, &other) == 0) {
        return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
    }
    if (resolve(a, resolved_a) || resolve(b, resolved_b)) {
        return 0;
    }
    return strcmp(resolved_a, resolved_b) == 0;
}
