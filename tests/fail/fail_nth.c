/* To be preloaded (LD_PRELOAD): the N-th allocation that PoissonGraph's own code makes fails.
 *
 * An allocation is PoissonGraph's own if it is called from libpsg or from the program `psg`. MPI, StarPU and HDF5
 * abort where they have no memory, so theirs do not fail. A test program arms it by fail_nth_arm(); the
 * environment arms it from the start: PSG_FAIL_NTH=N, in the process of rank PSG_FAIL_RANK alone where that is set.
 */
#define _GNU_SOURCE
#include "tests/fail/fail_nth.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Those of the C library under names that nobody replaces. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

enum { MODULES = 2 };
static struct {
    uintptr_t first;
    uintptr_t end;
} module[MODULES];
static int modules;
static atomic_long left;  /* the N-th from now on fails; 0: none does */
static atomic_long count; /* since it was armed */
static long most;
static int says; /* where it failed */

static int find_module(struct dl_phdr_info *info, size_t size, void *data) {
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *name = slash ? slash + 1 : info->dlpi_name;
    const int program =
        info->dlpi_name[0] == '\0' && strcmp(program_invocation_short_name, "psg") == 0;
    (void)size;
    (void)data;
    if ((!program && strncmp(name, "libpsg.so", strlen("libpsg.so")) != 0) || modules == MODULES) {
        return 0;
    }
    uintptr_t first = UINTPTR_MAX, end = 0;
    for (int p = 0; p < info->dlpi_phnum; p++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[p];
        const uintptr_t from = info->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD) {
            first = from < first ? from : first;
            end = from + part->p_memsz > end ? from + part->p_memsz : end;
        }
    }
    module[modules].first = first;
    module[modules++].end = end;
    return 0;
}

__attribute__((constructor)) static void start(void) {
    const char *nth = getenv("PSG_FAIL_NTH"), *rank = getenv("PSG_FAIL_RANK");
    const char *own = getenv("OMPI_COMM_WORLD_RANK");
    says = getenv("PSG_FAIL_SAYS") != NULL;
    dl_iterate_phdr(find_module, NULL);
    if (nth && modules > 0 && (!rank || (own && strcmp(rank, own) == 0))) {
        fail_nth_arm(atol(nth));
    }
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("PSG_FAIL_COUNT");
    FILE *file = path && modules > 0 && count > 0 ? fopen(path, "a") : NULL;
    if (file) {
        fprintf(file, "%ld\n", atomic_load(&count));
        fclose(file);
    }
}

void fail_nth_arm(long n) {
    if (n == 0 && atomic_load(&left) > 0) {
        most = atomic_load(&count);
    }
    atomic_store(&count, 0);
    atomic_store(&left, n);
}

long fail_nth_most(void) {
    return most;
}

static int fails(const void *caller) {
    const uintptr_t at = (uintptr_t)caller;
    for (int m = 0; m < modules; m++) {
        if (at >= module[m].first && at < module[m].end) {
            atomic_fetch_add(&count, 1);
            const int now = atomic_load(&left) > 0 && atomic_fetch_sub(&left, 1) == 1;
            if (now && says) {
                Dl_info info;
                char text[256];
                const int known = dladdr(caller, &info);
                const int length = snprintf(text, sizeof text, "fails: %s + 0x%lx\n",
                                            known && info.dli_sname ? info.dli_sname : "?",
                                            (unsigned long)(at - module[m].first));
                if (write(STDERR_FILENO, text, (size_t)length) < 0) {
                    _exit(1);
                }
            }
            return now;
        }
    }
    return 0;
}

#define FAIL_WITH(value)                                                                           \
    if (fails(__builtin_return_address(0))) {                                                      \
        errno = ENOMEM;                                                                            \
        return value;                                                                              \
    }

void *malloc(size_t size) {
    FAIL_WITH(NULL)
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    FAIL_WITH(NULL)
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    FAIL_WITH(NULL)
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    FAIL_WITH(NULL)
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (fails(__builtin_return_address(0))) {
        return ENOMEM;
    }
    void *made = __libc_memalign(alignment, size);
    if (made) {
        *memory = made;
    }
    return made ? 0 : ENOMEM;
}

char *strdup(const char *text) {
    FAIL_WITH(NULL)
    const size_t size = strlen(text) + 1;
    char *copy = __libc_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}
