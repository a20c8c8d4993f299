/* Complex transforms of some lines at once as a product with matrices of cosines and sines: sums of
 * opposite points go with cosines, differences with sines. That is n^2 products of two real numbers
 * for each line, more than a fast transform has, but the sums stay in registers, each factor is for
 * all lines, and no number is moved but by its row. */
#include "cpu/clones.h"
#include "cpu/internal.h"

#include <string.h>

/* A tile of modes stays in registers: so many modes of some vectors. */
enum { MODES = 6, WIDE = 2 * PSG_CPU_PRIME_LINES };

/* Points that are opposite to others, and those that are not. */
static size_t half_of(size_t n) {
    return n / 2 + 1;
}

static size_t tiles_of(size_t n) {
    return (half_of(n) + MODES - 1) / MODES;
}

size_t psg_cpu_dense_factors(size_t n) {
    return 2 * tiles_of(n) * half_of(n) * MODES;
}

size_t psg_cpu_dense_rows(size_t n) {
    return 2 * half_of(n) + n;
}

void psg_cpu_dense_fill(size_t n, const psg_real *waves, psg_real *factors) {
    for (size_t t = 0; t < tiles_of(n); t++) {
        for (size_t j = 0; j < half_of(n); j++, factors += (size_t)2 * MODES) {
            for (size_t k = 0; k < MODES; k++) {
                const size_t at = (t * MODES + k) * j % n;
                factors[k] = waves[2 * at];
                factors[MODES + k] = waves[2 * at + 1];
            }
        }
    }
}

/* parts[half][2][WIDE]: the sum of points j and n - j, and -i times their difference, of an inverse
 * transform i times. */
static PSG_CLONES void split(size_t n, psg_real sign, const psg_real *lines, size_t pitch,
                             psg_real *parts) {
    for (size_t j = 0; j < half_of(n); j++, parts += (size_t)2 * WIDE) {
        const psg_real *a = lines + j * pitch, *b = lines + (n - j) % n * pitch;
        const psg_real both = j == 0 || 2 * j == n ? 0 : 1;
        for (size_t c = 0; c < WIDE; c += 2) {
            parts[c] = a[c] + both * b[c];
            parts[c + 1] = a[c + 1] + both * b[c + 1];
            parts[WIDE + c] = sign * (a[c + 1] - b[c + 1]);
            parts[WIDE + c + 1] = sign * (b[c] - a[c]);
        }
    }
}

/* Modes k and n - k have the same sums. Of those beyond the half, sums are not kept. */
#define MULTIPLY(name, bytes, vectors, target)                                                     \
    typedef psg_real name##_vector                                                                 \
        __attribute__((vector_size(bytes), aligned(sizeof(psg_real)), may_alias));                 \
    static target void name(size_t n, const psg_real *by, const psg_real *parts, psg_real *lines,  \
                            size_t pitch) {                                                        \
        enum { STEP = (bytes) / sizeof(psg_real), ALL = (vectors)*STEP };                          \
        for (size_t k0 = 0; k0 < half_of(n); k0 += MODES, by += half_of(n) * 2 * MODES) {          \
            for (size_t c = 0; c < WIDE; c += ALL) {                                               \
                name##_vector sum[MODES][2][vectors] = {{{{0}}}};                                  \
                for (size_t j = 0; j < half_of(n); j++) {                                          \
                    const psg_real *part = parts + j * 2 * WIDE + c;                               \
                    const psg_real *factor = by + j * 2 * MODES;                                   \
                    name##_vector even[vectors], odd[vectors];                                     \
                    PSG_UNROLL for (size_t v = 0; v < (vectors); v++) {                            \
                        even[v] = *(const name##_vector *)(part + v * STEP);                       \
                        odd[v] = *(const name##_vector *)(part + WIDE + v * STEP);                 \
                    }                                                                              \
                    PSG_UNROLL for (size_t k = 0; k < MODES; k++) {                                \
                        PSG_UNROLL for (size_t v = 0; v < (vectors); v++) {                        \
                            sum[k][0][v] += factor[k] * even[v];                                   \
                            sum[k][1][v] += factor[MODES + k] * odd[v];                            \
                        }                                                                          \
                    }                                                                              \
                }                                                                                  \
                PSG_UNROLL for (size_t k = 0; k < MODES; k++) {                                    \
                    if (k0 + k >= half_of(n)) {                                                    \
                        continue;                                                                  \
                    }                                                                              \
                    psg_real *own = lines + (k0 + k) * pitch + c;                                  \
                    psg_real *opposite = lines + (n - k0 - k) % n * pitch + c;                     \
                    PSG_UNROLL for (size_t v = 0; v < (vectors); v++) {                            \
                        *(name##_vector *)(opposite + v * STEP) = sum[k][0][v] - sum[k][1][v];     \
                        *(name##_vector *)(own + v * STEP) = sum[k][0][v] + sum[k][1][v];          \
                    }                                                                              \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }

MULTIPLY(multiply_16, 16, 1, )
#if defined(__x86_64__)
MULTIPLY(multiply_32, 32, 1, __attribute__((target("avx2,fma"))))
MULTIPLY(multiply_64, 64, WIDE * sizeof(psg_real) / 64, __attribute__((target("avx512f"))))
#endif

static void copy(size_t n, size_t count, psg_complex *from, size_t from_pitch, psg_complex *to,
                 size_t to_pitch) {
    for (size_t j = 0; j < n; j++) {
        memcpy(to + j * to_pitch, from + j * from_pitch, count * sizeof *to);
    }
}

void psg_cpu_dense(const psg_cpu_prime *prime, psg_cpu_direction direction, size_t count,
                   psg_complex *lines, size_t pitch, psg_complex *room) {
    const size_t n = prime->n, w = PSG_CPU_PRIME_LINES;
    const bool all = count == w;
    psg_complex *tile = all ? lines : room + 2 * half_of(n) * w;
    const size_t tile_pitch = all ? pitch : w;
    if (!all) {
        memset(tile, 0, n * w * sizeof *tile);
        copy(n, count, lines, pitch, tile, w);
    }
    split(n, direction == PSG_CPU_FORWARD ? 1 : -1, *tile, 2 * tile_pitch, *room);
#if defined(__x86_64__)
    (prime->bytes == 64   ? multiply_64
     : prime->bytes == 32 ? multiply_32
                          : multiply_16)(n, prime->factor[0], *room, *tile, 2 * tile_pitch);
#else
    multiply_16(n, prime->factor[0], *room, *tile, 2 * tile_pitch);
#endif
    if (!all) {
        copy(n, count, tile, w, lines, pitch);
    }
}
