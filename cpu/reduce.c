#include "cpu/internal.h"

#include <math.h>

size_t psg_cpu_find_nonfinite(const void *values, size_t count) {
    const psg_real *v = values;
    size_t m = 0;
    while (m < count && isfinite(v[m])) {
        m++;
    }
    return m;
}

static PSG_CLONES double max_abs(const void *values, size_t count) {
    const psg_real *v = values;
    psg_real largest = 0;
    for (size_t m = 0; m < count; m++) {
        const psg_real a = v[m] < 0 ? -v[m] : v[m];
        largest = a > largest ? a : largest;
    }
    return (double)largest;
}

double psg_cpu_max_abs(const void *values, size_t count) {
    return max_abs(values, count);
}

double psg_cpu_first(const void *values) {
    return (double)*(const psg_real *)values;
}
