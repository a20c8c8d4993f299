#include "cpu/clones.h"
#include "cpu/internal.h"

#include <string.h>

/* A tile of the table stays in registers: so many rows of two vectors, of 8 numbers at most. */
enum { TILE_Z = 6, TILE_VECTORS = 2, TILE_MOST = TILE_Z * TILE_VECTORS * 8 };

/* tile[k][i] = sum over the terms of z[k] y x[i]. Factors are read beyond their modes: what is
 * there is finite, and its sums are not kept. */
#define MULTIPLY(name, bytes, target)                                                              \
    typedef double name##_vector __attribute__((vector_size(bytes)));                              \
    static target void name(const psg_cpu_green *green, const double *z, const double *y,          \
                            const double *x, double *tile) {                                       \
        name##_vector sum[TILE_Z][TILE_VECTORS] = {{{0}}};                                         \
        for (size_t t = 0; t < green->terms; t++) {                                                \
            const name##_vector *part = (const name##_vector *)(x + t * green->pitch[0]);          \
            const double *c = z + t * green->pitch[2];                                             \
            name##_vector yx[TILE_VECTORS];                                                        \
            PSG_UNROLL for (size_t v = 0; v < TILE_VECTORS; v++) {                                 \
                yx[v] = y[t * green->pitch[1]] * part[v];                                          \
            }                                                                                      \
            PSG_UNROLL for (size_t k = 0; k < TILE_Z; k++) {                                       \
                PSG_UNROLL for (size_t v = 0; v < TILE_VECTORS; v++) {                             \
                    sum[k][v] += c[k] * yx[v];                                                     \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        memcpy(tile, sum, sizeof sum);                                                             \
    }

MULTIPLY(multiply_16, 16, )
#if defined(__x86_64__)
MULTIPLY(multiply_32, 32, __attribute__((target("avx2,fma"))))
MULTIPLY(multiply_64, 64, __attribute__((target("avx512f"))))
#endif

typedef struct multiplier {
    void (*multiply)(const psg_cpu_green *green, const double *z, const double *y, const double *x,
                     double *tile);
    size_t wide; /* columns of a tile */
} multiplier;

/* By the widest vectors that the machine has. */
static multiplier widest(void) {
#if defined(__x86_64__)
    const size_t bytes = psg_cpu_vector_bytes();
    if (bytes == 64) {
        return (multiplier){multiply_64,
                            TILE_VECTORS * sizeof(multiply_64_vector) / sizeof(double)};
    }
    if (bytes == 32) {
        return (multiplier){multiply_32,
                            TILE_VECTORS * sizeof(multiply_32_vector) / sizeof(double)};
    }
#endif
    return (multiplier){multiply_16, TILE_VECTORS * sizeof(multiply_16_vector) / sizeof(double)};
}

void psg_cpu_green_rows(const psg_cpu_green *green, size_t row0, size_t rows, void *table) {
    const size_t nx = green->modes[0];
    const size_t nz = green->modes[2];
    const multiplier by = widest();
    psg_real *row = table;
    for (size_t j = row0; j < row0 + rows; j++, row += nz * nx) {
        for (size_t i = 0; i < nx; i += by.wide) {
            const size_t columns = nx - i < by.wide ? nx - i : by.wide;
            for (size_t k = 0; k < nz; k += TILE_Z) {
                double tile[TILE_MOST];
                by.multiply(green, green->factor[2] + k, green->factor[1] + j, green->factor[0] + i,
                            tile);
                for (size_t m = 0; m < TILE_Z && k + m < nz; m++) {
                    for (size_t p = 0; p < columns; p++) {
                        row[(k + m) * nx + i + p] = (psg_real)tile[m * by.wide + p];
                    }
                }
            }
        }
    }
}
