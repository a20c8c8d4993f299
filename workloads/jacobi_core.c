/* Sweeps of Jacobi's method on a core. */
#include "cpu/clones.h"
#include "workloads/jacobi.h"

#include <string.h>

/* No product is followed by a sum, so that every compiler and clone rounds alike. */
#define MEAN(north, south, west, east) ((((north) + (south)) + (west)) + (east)) / 4

/* Of a tile; and of the whole square by one core, to compare with. */
#define SWEEPS(real)                                                                               \
    PSG_CLONES static void sweep_row_##real(real *next, const real *u, const real *north,          \
                                            const real *south, size_t first, size_t end) {         \
        for (size_t j = first; j < end; j++) {                                                     \
            next[j] = MEAN(north[j], south[j], u[j - 1], u[j + 1]);                                \
        }                                                                                          \
    }                                                                                              \
    static void sweep_##real(const jacobi_sweep *s) {                                              \
        const size_t columns = s->columns, last = columns - 1;                                     \
        const bool inside = s->part != JACOBI_RIM, rim = s->part != JACOBI_INSIDE;                 \
        const real *west = s->beyond[JACOBI_WEST];                                                 \
        const real *east = s->beyond[JACOBI_EAST];                                                 \
        const real *result = s->next;                                                              \
        for (size_t i = 0; i < s->rows; i++) {                                                     \
            const real *u = (const real *)s->u + i * columns;                                      \
            const real *north = i > 0 ? u - columns : s->beyond[JACOBI_NORTH];                     \
            const real *south = i + 1 < s->rows ? u + columns : s->beyond[JACOBI_SOUTH];           \
            real *next = (real *)s->next + i * columns;                                            \
            if (i == 0 || i + 1 == s->rows ? rim : inside) {                                       \
                sweep_row_##real(next, u, north, south, 1, last);                                  \
            }                                                                                      \
            if (!rim) {                                                                            \
                continue;                                                                          \
            }                                                                                      \
            next[0] = MEAN(north[0], south[0], west[i], last > 0 ? u[1] : east[i]);                \
            if (last > 0) {                                                                        \
                next[last] = MEAN(north[last], south[last], u[last - 1], east[i]);                 \
            }                                                                                      \
            if (s->edge[JACOBI_WEST] != NULL) {                                                    \
                ((real *)s->edge[JACOBI_WEST])[i] = next[0];                                       \
            }                                                                                      \
            if (s->edge[JACOBI_EAST] != NULL) {                                                    \
                ((real *)s->edge[JACOBI_EAST])[i] = next[last];                                    \
            }                                                                                      \
        }                                                                                          \
        if (rim) {                                                                                 \
            const size_t bytes = columns * sizeof *result;                                         \
            memcpy(s->edge[JACOBI_NORTH], result, bytes);                                          \
            memcpy(s->edge[JACOBI_SOUTH], result + (s->rows - 1) * columns, bytes);                \
        }                                                                                          \
    }                                                                                              \
    PSG_CLONES static void row_##real(size_t columns, size_t first, size_t end, const real *u,     \
                                      real *next) {                                                \
        for (size_t m = first; m < end; m++) {                                                     \
            next[m] = MEAN(u[m - columns], u[m + columns], u[m - 1], u[m + 1]);                    \
        }                                                                                          \
    }
SWEEPS(double)
SWEEPS(float)

void jacobi_cpu(bool f32, const jacobi_sweep *sweep) {
    (f32 ? sweep_float : sweep_double)(sweep);
}

void jacobi_cpu_row(bool f32, size_t columns, size_t first, size_t end, const void *u, void *next) {
    if (f32) {
        row_float(columns, first, end, u, next);
    } else {
        row_double(columns, first, end, u, next);
    }
}

void jacobi_cpu_all(bool f32, size_t n, const void *u, void *next) {
    for (size_t row = 1; row + 1 < n; row++) {
        jacobi_cpu_row(f32, n, row * n + 1, (row + 1) * n - 1, u, next);
    }
}
