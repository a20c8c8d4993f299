#include "cpu/internal.h"

#include <math.h>
#include <stdbool.h>

enum { PIECE = 1024, LANES = 32 }; /* reals that are looked at in one call, and at once */

/* 0 times a number that is finite is 0, times another one NaN, which stays in the sum of its lane.
 * Without a way out of the loop, so that the compiler makes vectors of it. */
static PSG_CLONES bool all_finite(const psg_real *v, size_t count) {
    psg_real lane[LANES] = {0};
    psg_real sum = 0;
    size_t m = 0;
    for (; m + LANES <= count; m += LANES) {
        for (size_t l = 0; l < LANES; l++) {
            lane[l] += v[m + l] * 0;
        }
    }
    for (; m < count; m++) {
        sum += v[m] * 0;
    }
    for (size_t l = 0; l < LANES; l++) {
        sum += lane[l];
    }
    return sum == 0;
}

size_t psg_cpu_find_nonfinite(const void *values, size_t count) {
    const psg_real *v = values;
    size_t m = 0;
    size_t piece = count < PIECE ? count : PIECE;
    while (m < count && all_finite(v + m, piece)) {
        m += piece;
        piece = count - m < PIECE ? count - m : PIECE;
    }
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
