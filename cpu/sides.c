#include "cpu/internal.h"

#include <string.h>

static void add(psg_real *to, const psg_real *values, size_t count) {
    for (size_t m = 0; m < count && values != NULL; m++) {
        to[m] += values[m];
    }
}

void psg_cpu_add_sides(const void *plane, size_t row_pitch, const size_t n[2],
                       const psg_cpu_sides *sides, void *result) {
    const psg_real *from = plane;
    psg_real *to = result;
    for (size_t j = 0; j < n[1]; j++, from += row_pitch, to += n[0]) {
        memcpy(to, from, n[0] * sizeof *to);
        add(to, j == 0 ? sides->y[0] : NULL, n[0]);
        add(to, j + 1 == n[1] ? sides->y[1] : NULL, n[0]);
        for (int side = 0; side < 2; side++) {
            const psg_real *x = sides->x[side];
            const psg_real *z = sides->z[side];
            to[side == 0 ? 0 : n[0] - 1] += x != NULL ? x[j] : 0;
            add(to, z != NULL ? z + j * n[0] : NULL, n[0]);
        }
    }
}
