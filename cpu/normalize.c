#include "cpu/internal.h"

void psg_cpu_normalize(void *values, size_t count, double factor) {
    psg_real *v = values;
    const psg_real by = (psg_real)factor;
    for (size_t m = 0; m < count; m++) {
        v[m] *= by;
    }
}
