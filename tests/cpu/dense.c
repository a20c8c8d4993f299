/* Complex transforms by matrices are the sums that define them, to rounding, in both directions, of
 * all lines and of some, by vectors of every width that the machine has. The sums are in long
 * double. */
#include "cpu/internal.h"

#include "tests/check.h"

#include <stdlib.h>

enum { LINES = PSG_CPU_PRIME_LINES, PITCH = LINES + 3 };
#define TOLERANCE (sizeof(psg_real) == 4 ? 1e-6 : 2e-15)
#define TWO_PI 6.28318530717958647692528676655900577L

static psg_real random_of(size_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (psg_real)((double)(*state >> 33) / (double)(1u << 30) - 1);
}

static void *memory(size_t bytes) {
    void *made = calloc(1, bytes);
    if (made == NULL) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    return made;
}

/* Mode k of a line. */
static void sum_of(size_t n, size_t k, double sign, psg_complex *line, double mode[2]) {
    long double sum[2] = {0, 0};
    for (size_t j = 0; j < n; j++) {
        const long double angle = TWO_PI * (long double)(j * k % n) / (long double)n;
        const long double re = cosl(angle), im = -sign * sinl(angle);
        sum[0] += line[j * PITCH][0] * re - line[j * PITCH][1] * im;
        sum[1] += line[j * PITCH][0] * im + line[j * PITCH][1] * re;
    }
    mode[0] = (double)sum[0];
    mode[1] = (double)sum[1];
}

static void check_lines(const psg_cpu_prime *prime, psg_cpu_direction direction, size_t count) {
    const size_t n = prime->n, numbers = n * PITCH;
    FREED psg_complex *from = memory(numbers * sizeof *from);
    FREED psg_complex *lines = memory(numbers * sizeof *lines);
    FREED psg_complex *room = memory(prime->m * LINES * sizeof *room);
    size_t state = n + count;
    for (size_t m = 0; m < numbers; m++) {
        from[m][0] = random_of(&state);
        from[m][1] = random_of(&state);
    }
    memcpy(lines, from, numbers * sizeof *lines);
    psg_cpu_dense(prime, direction, count, lines, PITCH, room);
    double off = 0, most = 0;
    for (size_t k = 0; k < n; k++) {
        for (size_t c = 0; c<count; c += count> 1 ? count - 1 : 1) {
            double want[2];
            sum_of(n, k, direction == PSG_CPU_FORWARD ? 1 : -1, from + c, want);
            for (int part = 0; part < 2; part++) {
                const double error = fabs(lines[k * PITCH + c][part] - want[part]);
                off = error <= off ? off : error; /* a NaN stays */
                most = fmax(most, fabs(want[part]));
            }
        }
        CHECK(memcmp(lines + k * PITCH + count, from + k * PITCH + count,
                     (PITCH - count) * sizeof *from) == 0,
              "n = %zu, %zu lines: another one is overwritten", n, count);
    }
    CHECK(off <= TOLERANCE * most, "n = %zu, %zu lines, vectors of %zu bytes: %.1e of %.1e", n,
          count, prime->bytes, off, most);
}

/* Modes m and n - m of real numbers are conjugates to the last bit: pairs of lines rely on it. */
static void check_real(const psg_cpu_prime *prime) {
    const size_t n = prime->n;
    FREED psg_complex *lines = memory(n * LINES * sizeof *lines);
    FREED psg_complex *room = memory(prime->m * LINES * sizeof *room);
    size_t state = n;
    for (size_t m = 0; m < n * LINES; m++) {
        lines[m][0] = random_of(&state);
    }
    psg_cpu_dense(prime, PSG_CPU_FORWARD, LINES, lines, LINES, room);
    for (size_t k = 0; k < n * LINES; k++) {
        const psg_real *other = lines[(n - k / LINES) % n * LINES + k % LINES];
        CHECK(!(lines[k][0] < other[0] || lines[k][0] > other[0] || lines[k][1] < -other[1] ||
                lines[k][1] > -other[1]),
              "n = %zu: mode %zu is not the conjugate of its opposite", n, k / LINES);
    }
}

int main(void) {
    static const size_t lengths[] = {17, 19, 23, 31, 34, 46, 51, 71, 92, 101, 127, 142, 191, 373};
    size_t tested = 0;
    for (size_t m = 0; m < sizeof lengths / sizeof *lengths; m++) {
        psg_cpu_prime prime = {0};
        CHECK(psg_cpu_prime_init(&prime, lengths[m]), "no memory");
        const size_t most = prime.bytes;
        for (size_t bytes = 16; prime.way == PSG_CPU_DENSE && bytes <= most; bytes *= 2) {
            prime.bytes = bytes;
            for (size_t count = 1; count <= LINES; count += count < 3 ? 1 : 5) {
                check_lines(&prime, PSG_CPU_FORWARD, count);
                check_lines(&prime, PSG_CPU_INVERSE, count);
            }
            check_real(&prime);
            tested++;
        }
        psg_cpu_prime_free(&prime);
    }
    CHECK(tested >= 4, "of %zu lengths and widths", tested);
    CHECK(psg_cpu_way_of(13) == PSG_CPU_FFTW && psg_cpu_way_of(104) == PSG_CPU_FFTW &&
              psg_cpu_way_of(1) == PSG_CPU_FFTW && psg_cpu_way_of(17 * 64) == PSG_CPU_FFTW,
          "good lengths are FFTW's, and a small factor of a long one");
    CHECK(psg_cpu_way_of(193) == PSG_CPU_ROOT && psg_cpu_way_of(453) == PSG_CPU_CHIRP,
          "long ones are sums");
    return check_result();
}
