#include "runtime/kind.h"

#include <stdatomic.h>
#include <string.h>

/* A kind is there before it is counted. */
static _Atomic(const psg_kind *) kinds[PSG_KINDS_MOST];
static atomic_int count;

int psg_kind_register(const psg_kind *kind) {
    for (int m = 0; m < PSG_KINDS_MOST; m++) {
        const psg_kind *none = NULL;
        if (atomic_compare_exchange_strong(&kinds[m], &none, kind)) {
            atomic_fetch_add(&count, 1);
            return m;
        }
    }
    return -1;
}

const psg_kind *psg_kind_at(int number) {
    return atomic_load(&kinds[number]);
}

int psg_kind_find(const char *name) {
    for (int m = 0; m < atomic_load(&count); m++) {
        if (strcmp(psg_kind_at(m)->name, name) == 0) {
            return m;
        }
    }
    return -1;
}

size_t psg_kind_count(void) {
    return (size_t)atomic_load(&count);
}
