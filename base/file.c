#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

int base_open_regular(const char *path, const char **why) {
    struct stat what;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    const bool there = file >= 0 && fstat(file, &what) == 0;
    if (!there || !S_ISREG(what.st_mode)) {
        const int error = there ? EINVAL : errno;
        if (file >= 0) {
            (void)close(file);
        }
        file = -1;
        *why = there ? "not a regular file" : strerror(error);
        errno = error;
    }
    return file;
}

FILE *base_fopen_regular(const char *path, const char **why) {
    const int file = base_open_regular(path, why);
    FILE *stream = file >= 0 ? fdopen(file, "r") : NULL;
    if (file >= 0 && stream == NULL) {
        *why = strerror(errno);
        (void)close(file);
    }
    return stream;
}

bool base_write(int file, const void *bytes, size_t count) {
    const char *from = bytes;
    while (count > 0) {
        const ssize_t some = write(file, from, count);
        if (some < 0 && errno != EINTR) {
            return false;
        }
        from += some > 0 ? some : 0;
        count -= some > 0 ? (size_t)some : 0;
    }
    return true;
}

int base_close(FILE *file) {
    const bool failed = ferror(file) != 0;
    const int before = errno;
    if (fclose(file) != 0) {
        return errno;
    }
    return !failed ? 0 : before != 0 ? before : EIO;
}

/* @return 0; else errno's value. EINVAL: the file system has nothing to bring to disk */
static int bring_to_disk(const char *path, int flags) {
    const int file = open(path, flags | O_CLOEXEC);
    if (file < 0) {
        return errno;
    }
    const int why = fsync(file) == 0 || errno == EINVAL ? 0 : errno;
    (void)close(file);
    return why;
}

int base_file_rename(const char *temporary, const char *path) {
    char folder[4400] = "";
    const char *slash = strrchr(path, '/');
    const int length = slash != NULL ? (int)(slash - path) + 1 : 0;
    const int why = bring_to_disk(temporary, O_WRONLY);
    if (why != 0) {
        return why;
    }
    if (rename(temporary, path) != 0) {
        return errno;
    }
    /* The new name is on the disk once its folder is. Not every file system can tell, so it is no
     * error. */
    (void)snprintf(folder, sizeof folder, "%.*s", length, path);
    (void)bring_to_disk(length > 0 ? folder : ".", O_RDONLY);
    return 0;
}
