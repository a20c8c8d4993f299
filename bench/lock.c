/* Locks of files by fcntl() on a lock file beside each.
 *
 * The file itself cannot carry the lock, because each update puts another file in its place. Of the
 * two kinds of locks fcntl()'s are taken: NFS passes them to the server (flock() only on Linux, as
 * one of these), Linux drops what it knows of a file when it gets such a lock, child processes do not
 * inherit them, and the kernel releases them when their process ends, however it ends.
 *
 * Who holds the lock removes the lock file before the release. So whoever gets the lock looks
 * whether the name still stands for the file that he has locked, and begins again if it does not. */
#include "bench/lock.h"
#include "app/app.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const double PATIENCE = 2; /* seconds of waiting before it is said */

/* 1: held by us, 0: by another process, -1: no lock can be had, errno says why */
static int try_lock(int file) {
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(file, F_SETLK, &whole) == 0) {
        return 1;
    }
    return errno == EAGAIN || errno == EACCES || errno == EINTR ? 0 : -1;
}

/* Who holds it; 0: nobody any more, or a process of another machine. */
static long holder(int file) {
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(file, F_GETLK, &whole) || whole.l_type == F_UNLCK ? 0 : (long)whole.l_pid;
}

static bool has_no_locks(int why) {
    return why == ENOLCK || why == ENOSYS || why == EOPNOTSUPP || why == EINVAL;
}

static bool is_still_there(int file, const char *name) {
    struct stat ours, there;
    return fstat(file, &ours) == 0 && stat(name, &there) == 0 && ours.st_dev == there.st_dev &&
           ours.st_ino == there.st_ino;
}

static void wait_a_little(const char *path, int file, double since, bool *said) {
    const struct timespec pause = {.tv_nsec = 5000000};
    if (!*said && app_now() - since > PATIENCE) {
        const long process = holder(file);
        char who[48] = "";
        if (process > 0) {
            snprintf(who, sizeof who, ", process %ld,", process);
        }
        app_print_message("%s: waiting for another psg%s that writes it", path, who);
        *said = true;
    }
    (void)nanosleep(&pause, NULL);
}

static int open_marker(const char *name) {
    return open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
}

/* @return as try_lock() of the lock file that has the name; never 0 */
static int wait_for_lock(bench_lock *lock, const char *path) {
    const char *name = lock->marker.temporary;
    const double since = app_now();
    bool said = false;
    while (lock->file >= 0) {
        const int held = try_lock(lock->file);
        if (held < 0) {
            return held;
        }
        const bool there = is_still_there(lock->file, name);
        if (held && there) {
            return held;
        }
        if (!held) {
            wait_a_little(path, lock->file, since, &said);
        }
        if (!there) {
            close(lock->file);
            lock->file = open_marker(name);
        }
    }
    return -1;
}

int bench_lock_take(bench_lock *lock, const char *path) {
    char folder[PATH_MAX], base[PATH_MAX];
    char *name = lock->marker.temporary;
    snprintf(folder, sizeof folder, "%s", path);
    snprintf(base, sizeof base, "%s", path);
    const int length =
        snprintf(name, PATH_MAX, "%s/.%.200s.psg-lock", dirname(folder), basename(base));
    errno = ENAMETOOLONG;
    lock->file = length < PATH_MAX ? open_marker(name) : -1;
    if (wait_for_lock(lock, path) < 0) {
        const int why = errno, opened = lock->file >= 0;
        if (opened) {
            close(lock->file);
            lock->file = -1;
        }
        if (!opened || !has_no_locks(why)) {
            return app_error(APP_FAILED, "%s: no lock for it (%s): %s", path, name, strerror(why));
        }
        if (!lock->told) {
            app_print_message("note: %s: its file system has no locks (%s): rows are lost where "
                              "several psg write it at the same time",
                              path, strerror(why));
            lock->told = true;
        }
    }
    app_output_adopt(&lock->marker);
    return APP_DONE;
}

void bench_lock_release(bench_lock *lock) {
    unlink(lock->marker.temporary);
    app_output_discard(&lock->marker);
    if (lock->file >= 0) {
        close(lock->file);
    }
}
