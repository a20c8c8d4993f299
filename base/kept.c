#include "base/kept.h"

#include "base/file.h"
#include "base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char first_words[] = "psg checked 1";

/* -------------------------------------------------------------------------------- reading */

/* StarPU locks a file while it rewrites it, so a reader waits for that. A process that is stopped
 * keeps its lock: after a while nobody waits for it any more. */
static bool wait_for_writers(int file) {
    const struct timespec nap = {0, 10000000};
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    for (int n = 0; n < 1000; n++) {
        if (fcntl(file, F_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES)) {
            return true; /* locked, or on a file system without locks */
        }
        nanosleep(&nap, NULL);
    }
    errno = EAGAIN;
    return false;
}

static char *read_open(int file, size_t most) {
    struct stat what;
    if (fstat(file, &what) != 0) {
        return NULL;
    }
    if (what.st_size < 0 || (size_t)what.st_size > most) {
        errno = EINVAL;
        return NULL;
    }
    if (!wait_for_writers(file) || fstat(file, &what) != 0) {
        return NULL;
    }
    const size_t bytes = (size_t)what.st_size;
    char *text = bytes <= most ? malloc(bytes + 1) : NULL;
    size_t had = 0;
    while (text != NULL && had < bytes) {
        const ssize_t more = read(file, text + had, bytes - had);
        if (more <= 0) {
            errno = more == 0 ? EINVAL : errno;
            free(text);
            return NULL;
        }
        had += (size_t)more;
    }
    if (text != NULL) {
        text[bytes] = '\0';
    }
    if (text != NULL && strlen(text) != bytes) {
        free(text);
        errno = EINVAL;
        return NULL;
    }
    return text;
}

char *base_kept_read(const char *path, size_t most, int *error) {
    const char *words = NULL;
    const int file = base_open_regular(path, &words);
    char *text = file >= 0 ? read_open(file, most) : NULL;
    const int why = text != NULL ? 0 : errno;
    if (file >= 0) {
        (void)close(file);
    }
    if (error != NULL) {
        *error = why;
    }
    return text;
}

bool base_kept_unseen(int error) {
    return error == ENOMEM || error == EMFILE || error == ENFILE || error == EINTR ||
           error == EAGAIN;
}

/* -------------------------------------------------------------------------------- writing */

/* With O_EXCL: a link or a file that somebody has put there is not followed, and another name is
 * tried. */
static int open_beside(char *beside, size_t size, const char *path) {
    const char *slash = strrchr(path, '/');
    const int folder = slash != NULL ? (int)(slash - path) + 1 : 0;
    for (int n = 0; n < 100; n++) {
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        const int length = snprintf(beside, size, "%.*s.%s.%ld-%ld", folder, path, path + folder,
                                    (long)getpid(), t.tv_nsec);
        if (length < 0 || (size_t)length >= size) {
            errno = ENAMETOOLONG;
            return -1;
        }
        const int file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST) {
            return file;
        }
    }
    return -1;
}

int base_kept_write(const char *path, const char *text, size_t length) {
    char beside[4400];
    const int file = open_beside(beside, sizeof beside, path);
    if (file < 0) {
        return errno;
    }
    int why = base_write(file, text, length) ? 0 : errno;
    if (close(file) != 0 && why == 0) {
        why = errno;
    }
    why = why == 0 ? base_file_rename(beside, path) : why;
    if (why != 0) {
        (void)unlink(beside);
    }
    return why;
}

/* ------------------------------------------------------------------------------- checksum */

static int first_line(char *line, size_t size, const char *text) {
    const size_t length = strlen(text);
    return snprintf(line, size, "%s %zu %016" PRIx64 "\n", first_words, length,
                    base_hash(BASE_HASH_NOTHING, text, length));
}

char *base_kept_read_checked(const char *path, size_t most, int *error) {
    char line[80];
    char *text = base_kept_read(path, most, error);
    char *rest = text != NULL ? strchr(text, '\n') : NULL;
    const int length = rest != NULL ? first_line(line, sizeof line, rest + 1) : 0;
    if (rest == NULL || rest + 1 - text != length || memcmp(text, line, (size_t)length) != 0) {
        if (text != NULL) {
            free(text);
            *error = EINVAL;
        }
        return NULL;
    }
    memmove(text, rest + 1, strlen(rest + 1) + 1);
    return text;
}

int base_kept_write_checked(const char *path, const char *text) {
    char line[80];
    const size_t first = (size_t)first_line(line, sizeof line, text);
    const size_t length = strlen(text);
    char *whole = malloc(first + length + 1);
    if (whole == NULL) {
        return ENOMEM;
    }
    memcpy(whole, line, first);
    memcpy(whole + first, text, length + 1);
    const int why = base_kept_write(path, whole, first + length);
    free(whole);
    return why;
}

/* --------------------------------------------------------------------------------- locks */

int base_kept_lock(const char *folder, bool shared, double seconds, bool *had) {
    const struct timespec nap = {0, 10000000};
    const int how = (shared ? LOCK_SH : LOCK_EX) | LOCK_NB;
    const int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *had = lock >= 0;
    for (double waited = 0; lock >= 0 && flock(lock, how) != 0; waited += 0.01) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            break; /* NFS, for one, has none for folders */
        }
        if (waited >= seconds) {
            *had = false;
            (void)close(lock);
            errno = EWOULDBLOCK;
            return -1;
        }
        nanosleep(&nap, NULL);
    }
    return lock;
}

void base_kept_unlock(int lock) {
    if (lock >= 0) {
        (void)close(lock);
    }
}
