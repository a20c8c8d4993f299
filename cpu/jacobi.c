#include "cpu/jacobi.h"
#include "cpu/real.h"

#include <string.h>

/* No product is followed by a sum, so that every compiler and clone rounds alike. */
static psg_real mean(psg_real north, psg_real south, psg_real west, psg_real east) {
    return (((north + south) + west) + east) / 4;
}

PSG_CLONES static void sweep_row(psg_real *next, const psg_real *u, const psg_real *north,
                                 const psg_real *south, size_t first, size_t end) {
    for (size_t j = first; j < end; j++) {
        next[j] = mean(north[j], south[j], u[j - 1], u[j + 1]);
    }
}

void PSG_REAL_NAME(psg_cpu_jacobi)(const base_jacobi_sweep *s) {
    const size_t columns = s->columns, last = columns - 1;
    const psg_real *west = s->beyond[BASE_JACOBI_WEST];
    const psg_real *east = s->beyond[BASE_JACOBI_EAST];
    for (size_t i = 0; i < s->rows; i++) {
        const psg_real *u = (const psg_real *)s->u + i * columns;
        const psg_real *north = i > 0 ? u - columns : s->beyond[BASE_JACOBI_NORTH];
        const psg_real *south = i + 1 < s->rows ? u + columns : s->beyond[BASE_JACOBI_SOUTH];
        psg_real *next = (psg_real *)s->next + i * columns;
        next[0] = mean(north[0], south[0], west[i], last > 0 ? u[1] : east[i]);
        sweep_row(next, u, north, south, 1, last);
        if (last > 0) {
            next[last] = mean(north[last], south[last], u[last - 1], east[i]);
        }
        ((psg_real *)s->edge[BASE_JACOBI_WEST])[i] = next[0];
        ((psg_real *)s->edge[BASE_JACOBI_EAST])[i] = next[last];
    }
    const psg_real *next = s->next;
    memcpy(s->edge[BASE_JACOBI_NORTH], next, columns * sizeof *next);
    memcpy(s->edge[BASE_JACOBI_SOUTH], next + (s->rows - 1) * columns, columns * sizeof *next);
}
