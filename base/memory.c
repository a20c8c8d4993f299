#define _GNU_SOURCE /* madvise, process_vm_readv */
#include "base/memory.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
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

/* Where the system refuses to tell, the answer is yes. */
bool base_is_readable(const void *byte) {
    char copy;
    const struct iovec to = {&copy, 1};
    const struct iovec from = {(void *)(uintptr_t)byte, 1};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1 || errno != EFAULT;
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
