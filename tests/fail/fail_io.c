/* To be preloaded (LD_PRELOAD): of the calls that open, read, write, sync, rename, cut or close the files of one folder,
 * the N-th fails.
 *
 *     PSG_FAIL_IO_UNDER=FOLDER   an absolute path without links; its regular files alone count
 *     PSG_FAIL_IO_NTH=N          from 1; 0: none fails
 *     PSG_FAIL_IO_ERRNO=NUMBER   why: EIO, ENOSPC ...
 *     PSG_FAIL_IO_COUNT=FILE     the number of calls is written there at the end, by the process that makes any
 *     PSG_FAIL_RANK=R            in the process of rank R alone
 *
 * What standard I/O writes goes by these calls too. A file that is only read can be closed in any case.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *under;
static long nth;
static int why;
static atomic_long count;
static int says;

__attribute__((constructor)) static void start(void) {
    const char *rank = getenv("PSG_FAIL_RANK"), *own = getenv("OMPI_COMM_WORLD_RANK");
    const char *number = getenv("PSG_FAIL_IO_NTH"), *code = getenv("PSG_FAIL_IO_ERRNO");
    if (!rank || (own && strcmp(rank, own) == 0)) {
        under = getenv("PSG_FAIL_IO_UNDER");
        nth = number ? atol(number) : 0;
        why = code ? atoi(code) : EIO;
        says = getenv("PSG_FAIL_SAYS") != NULL;
    }
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("PSG_FAIL_IO_COUNT");
    if (under && path && count > 0) {
        char text[32];
        const int length = snprintf(text, sizeof text, "%ld\n", atomic_load(&count));
        const long file = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0666);
        syscall(SYS_write, file, text, length);
        syscall(SYS_close, file);
    }
}

/* Is it this call's turn? */
static int fails(const char *call, const char *path) {
    if (atomic_fetch_add(&count, 1) + 1 != nth) {
        return 0;
    }
    if (says) {
        char text[5000];
        const int length = snprintf(text, sizeof text, "fails: %s of %s\n", call, path);
        syscall(SYS_write, STDERR_FILENO, text, length);
    }
    errno = why;
    return 1;
}

static int is_under(const char *path) {
    const size_t length = strlen(under);
    return strncmp(path, under, length) == 0 && path[length] == '/';
}

/* The name of an open file of the folder. */
static int is_ours(int file, char *path, size_t size) {
    char link[64];
    struct stat status;
    const int before = errno;
    if (!under) {
        return 0;
    }
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, size - 1);
    path[length > 0 ? length : 0] = '\0';
    const int ours = is_under(path) && fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    errno = before;
    return ours;
}

static int fails_on(int file, const char *call) {
    char path[4200];
    return is_ours(file, path, sizeof path) && fails(call, path);
}

/* A call that returns -1 if it fails. */
#define CALL(type, name, file, ...)                                                                \
    {                                                                                              \
        if (fails_on(file, #name)) {                                                               \
            return (type)-1;                                                                       \
        }                                                                                          \
        return (type)syscall(__VA_ARGS__);                                                         \
    }

ssize_t write(int file, const void *data, size_t bytes)
    CALL(ssize_t, write, file, SYS_write, file, data, bytes) ssize_t
    pwrite(int file, const void *data, size_t bytes, off_t at)
        CALL(ssize_t, pwrite, file, SYS_pwrite64, file, data, bytes, at) ssize_t
    pwrite64(int file, const void *data, size_t bytes, off64_t at)
        CALL(ssize_t, pwrite64, file, SYS_pwrite64, file, data, bytes, at) ssize_t
    writev(int file, const struct iovec *data, int parts)
        CALL(ssize_t, writev, file, SYS_writev, file, data, parts) ssize_t
    pwritev(int file, const struct iovec *data, int parts, off_t at)
        CALL(ssize_t, pwritev, file, SYS_pwritev, file, data, parts, at, 0L) ssize_t
    pwritev64(int file, const struct iovec *data, int parts, off64_t at)
        CALL(ssize_t, pwritev64, file, SYS_pwritev, file, data, parts, at, 0L) ssize_t
    read(int file, void *data, size_t bytes)
        CALL(ssize_t, read, file, SYS_read, file, data, bytes) ssize_t
    pread(int file, void *data, size_t bytes, off_t at)
        CALL(ssize_t, pread, file, SYS_pread64, file, data, bytes, at) ssize_t
    pread64(int file, void *data, size_t bytes, off64_t at)
        CALL(ssize_t, pread64, file, SYS_pread64, file, data, bytes, at) int fsync(int file)
            CALL(int, fsync, file, SYS_fsync, file) int fdatasync(int file)
                CALL(int, fdatasync, file, SYS_fdatasync, file) int ftruncate(int file, off_t bytes)
                    CALL(int, ftruncate, file, SYS_ftruncate, file,
                         bytes) int ftruncate64(int file, off64_t bytes)
                        CALL(int, ftruncate64, file, SYS_ftruncate, file, bytes)

    /* The names under which a compiler that checks sizes calls some of them. */
    ssize_t __read_chk(int file, void *data, size_t bytes, size_t room);
ssize_t __pread64_chk(int file, void *data, size_t bytes, off64_t at, size_t room);
ssize_t __pread_chk(int file, void *data, size_t bytes, off_t at, size_t room);
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);

ssize_t __read_chk(int file, void *data, size_t bytes, size_t room) {
    return bytes <= room ? read(file, data, bytes) : -1;
}

ssize_t __pread64_chk(int file, void *data, size_t bytes, off64_t at, size_t room) {
    return bytes <= room ? pread64(file, data, bytes, at) : -1;
}

ssize_t __pread_chk(int file, void *data, size_t bytes, off_t at, size_t room) {
    return bytes <= room ? pread(file, data, bytes, at) : -1;
}

/* One that fails is closed all the same, as Linux does. */
int close(int file) {
    const int flags = fcntl(file, F_GETFL);
    const int failed = flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && fails_on(file, "close");
    const int result = (int)syscall(SYS_close, file);
    if (failed) {
        errno = why;
    }
    return failed ? -1 : result;
}

/* One that fails has made no file. */
static int open_at(int folder, const char *path, int flags, mode_t mode) {
    const int was = under && syscall(SYS_faccessat, folder, path, F_OK) == 0;
    const int file = (int)syscall(SYS_openat, folder, path, flags, mode);
    if (file >= 0 && fails_on(file, "open")) {
        syscall(SYS_close, file);
        if (!was) {
            syscall(SYS_unlinkat, folder, path, 0);
        }
        errno = why;
        return -1;
    }
    return file;
}

#define TAKE_MODE                                                                                  \
    mode_t mode = 0;                                                                               \
    if (flags & (O_CREAT | O_TMPFILE)) {                                                           \
        va_list more;                                                                              \
        va_start(more, flags);                                                                     \
        mode = va_arg(more, mode_t);                                                               \
        va_end(more);                                                                              \
    }

int open(const char *path, int flags, ...) {
    TAKE_MODE
    return open_at(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    TAKE_MODE
    return open_at(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
    TAKE_MODE
    return open_at(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...) {
    TAKE_MODE
    return open_at(folder, path, flags, mode);
}

int __open_2(const char *path, int flags) {
    return open_at(AT_FDCWD, path, flags, 0);
}

int __open64_2(const char *path, int flags) {
    return open_at(AT_FDCWD, path, flags, 0);
}

int rename(const char *from, const char *to) {
    if (under && is_under(to) && fails("rename", to)) {
        return -1;
    }
    return (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}

/* -------------------------------------------------------------------------------- standard I/O */

static ssize_t cookie_write(void *cookie, const char *data, size_t bytes) {
    const ssize_t written = write((int)(long)cookie, data, bytes);
    return written < 0 ? 0 : written;
}

static ssize_t cookie_read(void *cookie, char *data, size_t bytes) {
    return read((int)(long)cookie, data, bytes);
}

static int cookie_seek(void *cookie, off64_t *at, int whence) {
    *at = lseek((int)(long)cookie, *at, whence);
    return *at < 0 ? -1 : 0;
}

static int cookie_close(void *cookie) {
    return close((int)(long)cookie);
}

FILE *fopen(const char *path, const char *mode) {
    static const cookie_io_functions_t functions = {cookie_read, cookie_write, cookie_seek,
                                                    cookie_close};
    const int both = strchr(mode, '+') != NULL;
    const int flags = mode[0] == 'r'   ? (both ? O_RDWR : O_RDONLY)
                      : mode[0] == 'w' ? (both ? O_RDWR : O_WRONLY) | O_CREAT | O_TRUNC
                                       : (both ? O_RDWR : O_WRONLY) | O_CREAT | O_APPEND;
    const int file = open_at(AT_FDCWD, path, flags | (strchr(mode, 'e') ? O_CLOEXEC : 0), 0666);
    char name[4200];
    if (file < 0) {
        return NULL;
    }
    FILE *stream = is_ours(file, name, sizeof name)
                       ? fopencookie((void *)(long)file, mode, functions)
                       : fdopen(file, mode);
    if (!stream) {
        syscall(SYS_close, file);
    }
    return stream;
}

FILE *fopen64(const char *path, const char *mode) {
    return fopen(path, mode);
}
