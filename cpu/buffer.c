#define _DEFAULT_SOURCE /* madvise */
#include "cpu/buffer.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { LINE = 64, LARGE_PAGE = 2 << 20 };

void *psg_cpu_buffer_alloc(size_t bytes) {
    const size_t align = bytes >= 2 * (size_t)LARGE_PAGE ? LARGE_PAGE : LINE;
    void *p = NULL;
    if (posix_memalign(&p, align, bytes ? bytes : 1) != 0) {
        return NULL;
    }
#ifdef MADV_HUGEPAGE
    if (align == LARGE_PAGE) {
        (void)madvise(p, bytes,
                      MADV_HUGEPAGE); /* a wish: without it the memory is as good, only slower */
    }
#endif
    return p;
}
