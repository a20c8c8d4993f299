#define _GNU_SOURCE /* madvise, syscall */
#include "base/memory.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LINE = 64, LARGE_PAGE = 2 << 20 };

void *base_allocate(size_t bytes) {
    const size_t align = bytes >= 2 * (size_t)LARGE_PAGE ? LARGE_PAGE : LINE;
    void *p = NULL;
    if (posix_memalign(&p, align, bytes > 0 ? bytes : 1) != 0) {
        return NULL;
    }
#ifdef MADV_HUGEPAGE
    if (align == LARGE_PAGE) {
        /* a wish: without large pages the memory is as good, only slower */
        (void)madvise(p, bytes, MADV_HUGEPAGE);
    }
#endif
    return p;
}

void *base_grown(void *old, size_t room, size_t bytes, bool *good) {
    void *more = *good ? realloc(old, room * bytes) : NULL;
    *good = more != NULL;
    return *good ? more : old;
}

/* The kernel reads a mask of signals as a core would read it, and then finds that there is no such
 * change of the mask. */
bool base_is_readable(const void *byte) {
    enum { MASK = _NSIG / 8, NO_CHANGE = -1 };
    const int before = errno;
    const void *mask = (const void *)((uintptr_t)byte / MASK * MASK); /* on one page */
    const bool readable =
        syscall(SYS_rt_sigprocmask, NO_CHANGE, mask, NULL, (size_t)MASK) == 0 || errno != EFAULT;
    errno = before;
    return readable;
}

double base_memory_bytes(void) {
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

bool base_memory_fits(double bytes) {
    if (!(bytes < (double)SIZE_MAX / 2)) {
        return false;
    }
    const size_t length = (size_t)bytes + 1;
    void *p = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p != MAP_FAILED && munmap(p, length) == 0;
}

double base_memory_available(void) {
    static const char name[] = "MemAvailable:";
    char line[128];
    double kilobytes = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file != NULL && kilobytes == 0 && fgets(line, sizeof line, file) != NULL) {
        kilobytes =
            strncmp(line, name, sizeof name - 1) == 0 ? strtod(line + sizeof name - 1, NULL) : 0;
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return 1024 * kilobytes;
}
