#include "cpu/vadd.h"
#include "cpu/real.h"

PSG_CLONES static void add(size_t count, const psg_real *a, const psg_real *b, psg_real *c) {
    for (size_t m = 0; m < count; m++) {
        c[m] = a[m] + b[m];
    }
}

void PSG_REAL_NAME(psg_cpu_vadd)(size_t count, const void *a, const void *b, void *c) {
    add(count, a, b, c);
}
