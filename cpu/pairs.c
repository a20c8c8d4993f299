/* Real transforms of a length with a large prime factor: FFTW takes much longer for them than for
 * complex ones of that length. So two lines become one of complex numbers, whose transform has the
 * modes of both: with the opposite mode it gives that of either. A cosine or sine transform of type
 * II or III is a Fourier transform of the points in another order (J. Makhoul, A fast cosine
 * transform in one and two dimensions, 1980).
 *
 * A transform of type I, of points at nodes, is a Fourier transform of all mirror images of the
 * line, of period 2 N. For an odd N the even and the odd places of the period are two lines of N
 * numbers each, whose modes give those of the period without a factor (I. J. Good, The interaction
 * algorithm and practical Fourier analysis, 1958). Both lines are real and have the line's
 * symmetry. So they become one of complex numbers, whose modes have the modes of one line in their
 * real part, and those of the other one in their imaginary part. */
#include "base/tuning.h"
#include "cpu/internal.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WIDTH = 8 };
#define PI 3.14159265358979323846

static bool is_nodes(psg_transform_kind kind) {
    return kind == PSG_TRANSFORM_COS1 || kind == PSG_TRANSFORM_SIN1;
}

/* The length of the complex transform. */
static size_t whole_of(size_t n, psg_transform_kind kind) {
    return kind == PSG_TRANSFORM_SIN1 ? n + 1 : kind == PSG_TRANSFORM_COS1 ? n - 1 : n;
}

static size_t width_of(size_t whole, size_t lines, const psg_transform_kind kind[2]) {
    bool suits = psg_cpu_way_of(whole) != PSG_CPU_FFTW;
    for (int d = PSG_CPU_FORWARD; d <= PSG_CPU_INVERSE; d++) {
        suits = suits && (kind[d] == PSG_TRANSFORM_PERIODIC || kind[d] == PSG_TRANSFORM_COS2 ||
                          kind[d] == PSG_TRANSFORM_COS3 || kind[d] == PSG_TRANSFORM_SIN2 ||
                          kind[d] == PSG_TRANSFORM_SIN3 || (is_nodes(kind[d]) && whole % 2 == 1));
    }
    size_t width = suits ? MOST_WIDTH : 0;
    while (width > 1 &&
           (width >= lines || whole * width * sizeof(psg_complex) > TUNING_CPU_TILE_BYTES)) {
        width /= 2;
    }
    return width;
}

/* Where point j of a transform of type II is in the Fourier transform: the even ones, then the odd
 * ones backwards. */
static size_t place_of(size_t j, size_t n) {
    return j % 2 == 0 ? j / 2 : n - (j + 1) / 2;
}

static inline void get(const psg_real *from, size_t apart, size_t count, psg_real sign,
                       psg_real *to) {
    for (size_t l = 0; l < count; l++) {
        to[l] = sign * from[l * apart];
    }
}

static inline void put(const psg_real *from, size_t count, psg_real sign, psg_real *to,
                       size_t apart) {
    for (size_t l = 0; l < count; l++) {
        to[l * apart] = sign * from[l];
    }
}

/* The numbers of mode m of both lines of each pair: a times the mode and b times the other part of
 * it, each of them from the complex modes m and n - m. */
static inline void modes_of(size_t width, psg_complex *own, psg_complex *opposite, psg_real a,
                            psg_real b, psg_real *modes) {
    for (size_t c = 0; c < width; c++) {
        modes[2 * c] = a * (own[c][0] + opposite[c][0]) + b * (own[c][1] - opposite[c][1]);
        modes[2 * c + 1] = a * (own[c][1] + opposite[c][1]) + b * (opposite[c][0] - own[c][0]);
    }
}

/* And back. */
static inline void mode_from(size_t width, const psg_real *own, const psg_real *opposite,
                             const psg_real turn[2], psg_complex *mode) {
    for (size_t c = 0; c < width; c++) {
        const psg_real re = own[2 * c] + opposite[2 * c + 1];
        const psg_real im = own[2 * c + 1] - opposite[2 * c];
        mode[c][0] = turn[0] * re - turn[1] * im;
        mode[c][1] = turn[0] * im + turn[1] * re;
    }
}

/* Some lines in a tile, [whole][width] complex. */
typedef struct tile {
    const psg_cpu_pairs *pairs;
    psg_transform_kind kind;
    size_t first, count; /* lines */
    psg_complex *numbers;
} tile;

static psg_complex *row_of(const tile *t, size_t m) {
    return t->numbers + m * t->pairs->width;
}

/* Where number m of the first line is. A row of complex numbers has the real part of mode m in
 * number m, and the imaginary part in number n - m. */
static size_t offset_of(const tile *t, const psg_cpu_lines *lines, size_t m) {
    const size_t n = t->pairs->n;
    const size_t along = !lines->complex ? m : 2 * m <= n ? 2 * m : 2 * (n - m) + 1;
    return t->first * lines->line + along * lines->point;
}

static psg_complex *point_of(const tile *t, size_t j) {
    return row_of(t, t->kind == PSG_TRANSFORM_PERIODIC ? j : place_of(j, t->pairs->n));
}

static void points_in(const tile *t, const psg_cpu_lines *from) {
    for (size_t j = 0; j < t->pairs->n; j++) {
        get(from->memory + offset_of(t, from, j), from->line, t->count,
            t->kind == PSG_TRANSFORM_SIN2 && j % 2 == 1 ? -1 : 1, *point_of(t, j));
    }
}

static void points_out(const tile *t, const psg_cpu_lines *to) {
    for (size_t j = 0; j < t->pairs->n; j++) {
        put(*point_of(t, j), t->count, t->kind == PSG_TRANSFORM_SIN3 && j % 2 == 1 ? -1 : 1,
            to->memory + offset_of(t, to, j), to->line);
    }
}

/* A sine transform has its modes in the other order. */
static size_t order_of(const tile *t, size_t m) {
    const bool sine = t->kind == PSG_TRANSFORM_SIN2 || t->kind == PSG_TRANSFORM_SIN3;
    return sine ? t->pairs->n - 1 - m : m;
}

static void modes_out(const tile *t, const psg_cpu_lines *to) {
    static const psg_real half = (psg_real)0.5;
    const size_t n = t->pairs->n;
    psg_real modes[2 * MOST_WIDTH];
    for (size_t m = 0; m < n; m++) {
        const psg_real *turn = (const psg_real *)t->pairs->turn + 2 * m;
        const psg_real parts[2] = {2 * m <= n ? half : 0, 2 * m <= n ? 0 : -half};
        const psg_real *by = t->kind == PSG_TRANSFORM_PERIODIC ? parts : turn;
        modes_of(t->pairs->width, row_of(t, m), row_of(t, (n - m) % n), by[0], by[1], modes);
        psg_real *place = to->memory + offset_of(t, to, order_of(t, m));
        put(modes, t->count, 1, place, to->line);
        for (size_t l = 0; to->complex && (m == 0 || 2 * m == n) && l < t->count; l++) {
            place[l * to->line + 1] = 0;
        }
    }
}

/* Mode 0 has no opposite one, and of a periodic axis mode n/2 neither. */
static void modes_in(const tile *t, const psg_cpu_lines *from) {
    static const psg_real ahead[2] = {1, 0};
    const bool periodic = t->kind == PSG_TRANSFORM_PERIODIC;
    const size_t n = t->pairs->n;
    psg_real modes[2][2 * MOST_WIDTH] = {{0}};
    for (size_t m = 0; m < n; m++) {
        const psg_real *turn = (const psg_real *)t->pairs->turn + 2 * m;
        const bool conjugate = periodic && 2 * m > n;
        const bool alone = m == 0 || (periodic && 2 * m == n);
        const size_t opposite = alone ? m : n - m;
        const psg_real sign = (psg_real)(alone ? 0 : periodic && !conjugate ? -1 : 1);
        get(from->memory + offset_of(t, from, order_of(t, conjugate ? opposite : m)), from->line,
            t->count, 1, modes[0]);
        get(from->memory + offset_of(t, from, order_of(t, conjugate ? m : opposite)), from->line,
            t->count, sign, modes[1]);
        mode_from(t->pairs->width, modes[0], modes[1], periodic ? ahead : turn, row_of(t, m));
    }
}

/* ------------------------------------------------------------------------------------- nodes */

/* Number r of the even places of the period is its number r, or r + N, whichever is even; r + N is
 * the mirror image of number N - r. So with the odd places. On a Dirichlet side a point is 0. */
static void nodes_in(const tile *t, const psg_cpu_lines *from) {
    const bool sine = t->kind == PSG_TRANSFORM_SIN1;
    const size_t whole = t->pairs->whole;
    const psg_real *line = from->memory + t->first * from->line;
    for (size_t r = 0; r < whole; r++) {
        psg_real *to = *row_of(t, r);
        const psg_real *own = line + (sine && r > 0 ? r - 1 : r) * from->point;
        const psg_real *mirrored = line + (sine ? whole - r - 1 : whole - r) * from->point;
        if (sine && r == 0) {
            memset(to, 0, t->pairs->width * sizeof(psg_complex));
        } else {
            for (size_t l = 0; l < t->count; l++) {
                to[2 * l + r % 2] = own[l * from->line];
                to[2 * l + 1 - r % 2] = (psg_real)(sine ? -1 : 1) * mirrored[l * from->line];
            }
        }
    }
}

/* Mode k of the period is mode k/2 mod N of the even places, and of an even k plus that of the odd
 * ones, of an odd k minus it. Those of sines are i times a real number. */
static void nodes_out(const tile *t, const psg_cpu_lines *to) {
    const size_t sine = t->kind == PSG_TRANSFORM_SIN1, whole = t->pairs->whole;
    psg_real *line = to->memory + t->first * to->line;
    for (size_t m = 0; m < t->pairs->n; m++) {
        const size_t k = m + sine;
        const psg_real *from = *row_of(t, (k % 2 == 0 ? k : k + whole) / 2 % whole);
        const psg_real sign = (psg_real)(k % 2 == 0 ? 1 : -1);
        const psg_real by[2] = {sine ? sign : 1, sine ? -1 : sign};
        for (size_t l = 0; l < t->count; l++) {
            line[m * to->point + l * to->line] = by[0] * from[2 * l] + by[1] * from[2 * l + 1];
        }
    }
}

/* ------------------------------------------------------------------------------------- tiles */

bool psg_cpu_pairs_init(psg_cpu_pairs *pairs, size_t n, size_t lines,
                        const psg_transform_kind kind[2]) {
    const size_t whole = whole_of(n, kind[0]);
    *pairs = (psg_cpu_pairs){
        .n = n, .whole = whole, .width = width_of(whole, lines, kind), .kind = {kind[0], kind[1]}};
    pairs->lines = (is_nodes(kind[0]) ? 1 : 2) * pairs->width;
    psg_real *turn = pairs->width > 0 ? malloc(2 * n * sizeof *turn) : NULL;
    pairs->turn = turn;
    for (size_t m = 0; turn != NULL && m < n; m++) {
        turn[2 * m] = (psg_real)cos(PI * (double)m / (2 * (double)n));
        turn[2 * m + 1] = (psg_real)sin(PI * (double)m / (2 * (double)n));
    }
    return pairs->width == 0 || turn != NULL;
}

/* The Fourier transform of points, with their modes; else of modes. */
static bool has_points(const tile *t, psg_cpu_direction direction) {
    return t->kind == PSG_TRANSFORM_COS2 || t->kind == PSG_TRANSFORM_SIN2 || is_nodes(t->kind) ||
           (t->kind == PSG_TRANSFORM_PERIODIC && direction == PSG_CPU_FORWARD);
}

static tile tile_of(const psg_cpu_pairs *pairs, psg_cpu_direction direction, size_t first,
                    size_t count, psg_complex *numbers) {
    const size_t most = pairs->lines;
    return (tile){.pairs = pairs,
                  .kind = pairs->kind[direction],
                  .first = first,
                  .count = count - first < most ? count - first : most,
                  .numbers = numbers};
}

psg_cpu_direction psg_cpu_pairs_in(const psg_cpu_pairs *pairs, psg_cpu_direction direction,
                                   size_t first, size_t count, const psg_cpu_lines *from,
                                   psg_complex *numbers) {
    const tile t = tile_of(pairs, direction, first, count, numbers);
    if (t.count < pairs->lines) {
        memset(numbers, 0, pairs->whole * pairs->width * sizeof *numbers);
    }
    (is_nodes(t.kind) ? nodes_in : has_points(&t, direction) ? points_in : modes_in)(&t, from);
    return has_points(&t, direction) ? PSG_CPU_FORWARD : PSG_CPU_INVERSE;
}

void psg_cpu_pairs_out(const psg_cpu_pairs *pairs, psg_cpu_direction direction, size_t first,
                       size_t count, psg_complex *numbers, const psg_cpu_lines *to) {
    const tile t = tile_of(pairs, direction, first, count, numbers);
    (is_nodes(t.kind) ? nodes_out : has_points(&t, direction) ? modes_out : points_out)(&t, to);
}
