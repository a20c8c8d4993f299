#include "cpu/internal.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#if PSG_REAL_IS_FLOAT
#define PSG_ABS fabsf
#define PSG_LARGEST FLT_MAX
typedef int32_t psg_real_bits;
#else
#define PSG_ABS fabs
#define PSG_LARGEST DBL_MAX
typedef int64_t psg_real_bits;
#endif

enum { PIECE = 1024 }; /* reals that are looked at in one call */

/* Without a way out of the loop, so that the compiler makes vectors of it. */
static PSG_CLONES bool all_finite(const psg_real *v, size_t count) {
    psg_real_bits bad = 0;
    for (size_t m = 0; m < count; m++) {
        bad |= !(PSG_ABS(v[m]) <= PSG_LARGEST);
    }
    return bad == 0;
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
