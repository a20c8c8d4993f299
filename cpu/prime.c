/* Complex transforms of a length with a large prime factor, for some lines at once, as sums over
 * differences of two numbers. Such a sum is a product after a transform of another length, which
 * FFTW has a fast way for, with its lines next to each other in vectors of the processor. FFTW's
 * own way is the same for one line at a time. Shorter lengths are products with matrices (dense.c).
 *
 * Of a prime n, points and modes but number 0 are powers of a root g of n: number q of the sum is
 * point g^q, and mode g^-q (C. M. Rader, Discrete Fourier transforms when the number of data
 * samples is prime, 1968). Where n - 1 has a large factor, too, and of other lengths, j k is
 * (j^2 + k^2 - (j - k)^2)/2 (L. I. Bluestein, A linear filtering approach, 1970). */
#include "base/tuning.h"
#include "cpu/clones.h"
#include "cpu/internal.h"

#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

size_t psg_cpu_largest_factor(size_t n) {
    size_t factor = 1;
    for (size_t p = 2; p * p <= n; p++) {
        for (; n % p == 0; n /= p) {
            factor = p;
        }
    }
    return n > 1 ? n : factor;
}

static size_t power(size_t base, size_t exponent, size_t n) {
    size_t result = 1;
    for (; exponent > 0; exponent /= 2, base = base * base % n) {
        result = exponent % 2 == 1 ? result * base % n : result;
    }
    return result;
}

/* A number whose powers are all from 1 to n - 1, of a prime n. */
static size_t root_of(size_t n) {
    for (size_t g = 2; g < n; g++) {
        bool all = true;
        for (size_t p = 2; p < n && all; p++) {
            all = (n - 1) % p != 0 || power(g, (n - 1) / p, n) != 1;
        }
        if (all) {
            return g;
        }
    }
    return 1;
}

static void fill_root(psg_cpu_prime *prime) {
    const size_t n = prime->n, g = root_of(n);
    for (size_t q = 0, at = 1; q < prime->m; q++, at = at * g % n) {
        prime->place[q] = at;
        prime->place[2 * prime->m - (q > 0 ? q : prime->m)] = at; /* g^-q */
    }
}

/* exp(-i pi j^2/n), forward. */
static void fill_chirp(psg_cpu_prime *prime) {
    for (size_t j = 0; j < prime->n; j++) {
        const double angle = PI * (double)(j * j % (2 * prime->n)) / (double)prime->n;
        prime->chirp[2 * j] = (psg_real)cos(angle);
        prime->chirp[2 * j + 1] = (psg_real)-sin(angle);
    }
}

static void fill_waves(psg_cpu_prime *prime) {
    for (size_t j = 0; j < prime->n; j++) {
        const double angle = 2 * PI * (double)j / (double)prime->n;
        prime->chirp[2 * j] = (psg_real)cos(angle);
        prime->chirp[2 * j + 1] = (psg_real)(2 * j == prime->n ? 0 : sin(angle));
    }
    psg_cpu_dense_fill(prime->n, prime->chirp, prime->factor[0]);
}

psg_cpu_way psg_cpu_way_of(size_t n) {
    const size_t factor = psg_cpu_largest_factor(n), bytes = psg_cpu_vector_bytes();
    const bool sums = factor >= TUNING_CPU_SUMS_FROM;
    const bool root = factor == n && psg_cpu_largest_factor(n - 1) <= 13;
    const bool chirp = sums && !root;
    if (factor >= TUNING_CPU_DENSE_FROM && TUNING_CPU_DENSE_SHARE * n <= factor * bytes &&
        n <= bytes * (chirp ? TUNING_CPU_DENSE_CHIRP : TUNING_CPU_DENSE_MOST)) {
        return PSG_CPU_DENSE;
    }
    return chirp ? PSG_CPU_CHIRP : sums ? PSG_CPU_ROOT : PSG_CPU_FFTW;
}

bool psg_cpu_prime_init(psg_cpu_prime *prime, size_t n) {
    *prime = (psg_cpu_prime){.n = n, .way = psg_cpu_way_of(n), .bytes = psg_cpu_vector_bytes()};
    const bool dense = prime->way == PSG_CPU_DENSE, root = prime->way == PSG_CPU_ROOT;
    size_t m = dense ? psg_cpu_dense_rows(n) : root ? n - 1 : 2 * n - 1;
    while (prime->way == PSG_CPU_CHIRP && psg_cpu_largest_factor(m) > 7) {
        m++;
    }
    if (prime->way == PSG_CPU_FFTW ||
        (!dense && m * PSG_CPU_PRIME_LINES * sizeof(psg_complex) > TUNING_CPU_TILE_BYTES)) {
        return true;
    }
    prime->m = m;
    prime->place = root ? malloc(2 * prime->m * sizeof *prime->place) : NULL;
    prime->chirp = root ? NULL : malloc(2 * n * sizeof *prime->chirp);
    for (int d = 0; d < (dense ? 1 : 2); d++) {
        const size_t numbers = dense ? psg_cpu_dense_factors(n) : 2 * prime->m;
        prime->factor[d] = malloc(numbers * sizeof *prime->factor[d]);
    }
    if (prime->factor[0] == NULL || (!dense && prime->factor[1] == NULL) ||
        (prime->place == NULL && prime->chirp == NULL)) {
        return false;
    }
    (dense ? fill_waves : root ? fill_root : fill_chirp)(prime);
    return true;
}

void psg_cpu_prime_free(psg_cpu_prime *prime) {
    free(prime->place);
    free(prime->chirp);
    free(prime->factor[0]);
    free(prime->factor[1]);
}

/* Number q of what the points are summed with. */
void psg_cpu_prime_other(const psg_cpu_prime *prime, psg_cpu_direction direction, size_t q,
                         psg_complex number) {
    const size_t n = prime->n, m = prime->m, j = q < n ? q : m - q;
    const double sign = direction == PSG_CPU_FORWARD ? 1 : -1;
    number[0] = number[1] = 0;
    if (prime->way == PSG_CPU_ROOT) {
        const double angle = 2 * PI * (double)prime->place[m + q] / (double)n;
        number[0] = (psg_real)(cos(angle) / (double)m);
        number[1] = (psg_real)(-sign * sin(angle) / (double)m);
    } else if (j < n) {
        number[0] = prime->chirp[2 * j] / (psg_real)m;
        number[1] = (psg_real)-sign * prime->chirp[2 * j + 1] / (psg_real)m;
    }
}

/* to = by from, in each line. */
static PSG_CLONES void multiply(size_t count, psg_complex *from, psg_real re, psg_real im,
                                psg_complex *to) {
    for (size_t c = 0; c < count; c++) {
        const psg_real a = from[c][0], b = from[c][1];
        to[c][0] = re * a - im * b;
        to[c][1] = re * b + im * a;
    }
}

void psg_cpu_prime_load(const psg_cpu_prime *prime, psg_cpu_direction direction, size_t count,
                        psg_complex *lines, size_t pitch, psg_complex *tile) {
    const size_t rows = prime->way == PSG_CPU_ROOT ? prime->m : prime->n, w = PSG_CPU_PRIME_LINES;
    const psg_real sign = direction == PSG_CPU_FORWARD ? 1 : -1;
    if (count < w) {
        memset(tile, 0, prime->m * w * sizeof *tile);
    } else {
        memset(tile + rows * w, 0, (prime->m - rows) * w * sizeof *tile);
    }
    for (size_t q = 0; q < rows; q++) {
        if (prime->way == PSG_CPU_ROOT) {
            memcpy(tile + q * w, lines + prime->place[q] * pitch, count * sizeof *tile);
        } else {
            const psg_real *by = prime->chirp + 2 * q;
            multiply(count, lines + q * pitch, by[0], sign * by[1], tile + q * w);
        }
    }
}

/* Mode 0 of Rader's is the sum of all points, and all others have point 0. */
void psg_cpu_prime_multiply(const psg_cpu_prime *prime, psg_cpu_direction direction, size_t count,
                            psg_complex *lines, psg_complex *tile) {
    const size_t w = PSG_CPU_PRIME_LINES;
    const psg_real *by = prime->factor[direction];
    psg_complex first[PSG_CPU_PRIME_LINES] = {{0}};
    for (size_t c = 0; c < count && prime->way == PSG_CPU_ROOT; c++) {
        first[c][0] = lines[c][0];
        first[c][1] = lines[c][1];
        lines[c][0] += tile[c][0];
        lines[c][1] += tile[c][1];
    }
    for (size_t q = 0; q < prime->m; q++, by += 2) {
        multiply(w, tile + q * w, by[0], by[1], tile + q * w);
    }
    for (size_t c = 0; c < w; c++) {
        tile[c][0] += first[c][0];
        tile[c][1] += first[c][1];
    }
}

void psg_cpu_prime_store(const psg_cpu_prime *prime, psg_cpu_direction direction, size_t count,
                         psg_complex *tile, psg_complex *lines, size_t pitch) {
    const size_t rows = prime->way == PSG_CPU_ROOT ? prime->m : prime->n, w = PSG_CPU_PRIME_LINES;
    const psg_real sign = direction == PSG_CPU_FORWARD ? 1 : -1;
    for (size_t q = 0; q < rows; q++) {
        if (prime->way == PSG_CPU_ROOT) {
            memcpy(lines + prime->place[prime->m + q] * pitch, tile + q * w, count * sizeof *tile);
        } else {
            const psg_real *by = prime->chirp + 2 * q;
            multiply(count, tile + q * w, by[0], sign * by[1], lines + q * pitch);
        }
    }
}
