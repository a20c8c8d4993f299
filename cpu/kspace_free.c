/* A sheet's columns along a free z: f is 0 beyond the points, and u goes on for ever.
 *
 * A column of nz points is solved on 2 nz points, of which half are 0. The even modes of these are
 * a transform of nz points, and the odd ones that of the column times w[k] = exp(-i pi k/nz). So
 *
 *   even = fft(f)   odd = fft(f w)   u = ifft(T even) + ifft(T odd) / w
 *
 * and no 0 is stored or transformed. T of mode m is that of a periodic axis of twice the length,
 * times 1 - (-1)^m p, p = exp(-kappa length): the images of f that a periodic axis has beyond its
 * ends cancel. exp(-kappa h) is the decay of u from one point to the next beyond the ends: kappa is
 * sqrt(-base) of the spectral symbol, and 2/h asinh(h sqrt(-base)/2) of the stencil. Where base is
 * 0, u is f times |z|/2. */
#include "cpu/internal.h"

#include <math.h>
#include <string.h>

/* One of the two numbers of a column. */
typedef struct column {
    psg_real base;
    double decay;      /* kappa */
    psg_real part[2];  /* 1 - p and 1 + p, times scale */
    psg_real constant; /* T of mode 0 where base is 0 */
} column;

static column column_of(const psg_cpu_divide *divide, psg_real base, size_t nz) {
    const psg_cpu_free *z = divide->free;
    const double k = base < 0 ? sqrt(-(double)base) : 0;
    const double h = z->length / (double)nz;
    column c = {.base = base, .decay = z->stencil ? 2 / h * asinh(h * k / 2) : k};
    const double p = exp(-c.decay * z->length);
    c.part[0] = (psg_real)(-expm1(-c.decay * z->length) * divide->scale);
    c.part[1] = (psg_real)((1 + p) * divide->scale);
    c.constant = (psg_real)(z->length * z->length / 2 * divide->scale);
    return c;
}

/* The even and the odd modes of both numbers of a complex one that have the same eigenvalues. */
static PSG_CLONES void divide(size_t nz, psg_complex *line, psg_real base, psg_real part,
                              const psg_real *eigen) {
    for (size_t k = 0; k < nz; k++) {
        const psg_real factor = part / (base + eigen[k]);
        line[k][0] *= factor;
        line[k][1] *= factor;
    }
}

/* Else they are two real columns. The mode of a real column is the conjugate of that of the
 * opposite wavenumber, so both are found in the two modes of the complex one. */
static void divide_apart(size_t nz, psg_complex *line, const column c[2], int residue,
                         const psg_real *eigen) {
    for (size_t k = 0; k < nz; k++) {
        const size_t opposite = residue == 0 ? (nz - k) % nz : nz - 1 - k;
        psg_real *low = line[k];
        psg_real *high = line[opposite];
        const psg_real l[2] = {low[0], low[1]};
        const psg_real h[2] = {high[0], high[1]};
        psg_real half[2];
        for (int m = 0; m < 2; m++) {
            const psg_real sum = c[m].base + eigen[k];
            half[m] = (sum != 0 ? c[m].part[residue] / sum : c[m].constant) / 2;
        }
        const psg_real both = half[0] + half[1];
        const psg_real either = half[0] - half[1];
        if (opposite >= k) {
            low[0] = both * l[0] + either * h[0];
            low[1] = both * l[1] - either * h[1];
            high[0] = both * h[0] + either * l[0];
            high[1] = both * h[1] - either * l[1];
        }
    }
}

static void divide_lines(const psg_cpu_divide *d, size_t nz, size_t columns, const column *of,
                         int residue, psg_complex *lines) {
    const psg_real *eigen = (const psg_real *)d->eigen[2] + (size_t)residue * nz;
    for (size_t c = 0; c < columns; c++, of += 2, lines += nz) {
        const psg_real first[2] = {lines[0][0], lines[0][1]};
        if (d->apart) {
            divide_apart(nz, lines, of, residue, eigen);
            continue;
        }
        divide(nz, lines, of->base, of->part[residue], eigen);
        if (of->base == 0 && residue == 0) { /* where it was 0 over 0 */
            lines[0][0] = of->constant * first[0];
            lines[0][1] = of->constant * first[1];
        }
    }
}

/* to = from w, or += from / w. */
static PSG_CLONES void twist(size_t nz, size_t width, const psg_real *turn, psg_complex *from,
                             psg_complex *to) {
    for (size_t k = 0; k < nz; k++, turn += 2, from += width, to += width) {
        for (size_t c = 0; c < width; c++) {
            to[c][0] = turn[0] * from[c][0] + turn[1] * from[c][1];
            to[c][1] = turn[0] * from[c][1] - turn[1] * from[c][0];
        }
    }
}

static PSG_CLONES void add_twisted_back(size_t nz, size_t width, const psg_real *turn,
                                        psg_complex *from, psg_complex *to) {
    for (size_t k = 0; k < nz; k++, turn += 2, from += width, to += width) {
        for (size_t c = 0; c < width; c++) {
            to[c][0] += turn[0] * from[c][0] - turn[1] * from[c][1];
            to[c][1] += turn[0] * from[c][1] + turn[1] * from[c][0];
        }
    }
}

void psg_cpu_twist(const psg_cpu_fft *fft, psg_complex *from, psg_complex *to) {
    twist(psg_cpu_fft_points_z(fft), psg_cpu_fft_tile_columns(fft), psg_cpu_fft_turn(fft), from,
          to);
}

void psg_cpu_add_twisted_back(const psg_cpu_fft *fft, psg_complex *from, psg_complex *to) {
    add_twisted_back(psg_cpu_fft_points_z(fft), psg_cpu_fft_tile_columns(fft),
                     psg_cpu_fft_turn(fft), from, to);
}

/* ------------------------------------------------------------------------------------- a wall */

/* The point k from the wall on. */
static size_t from_wall(const psg_cpu_free *z, size_t nz, size_t k) {
    return z->wall[0] != 0 ? k : nz - 1 - k;
}

/* Where base is 0: the charge of a column, and its moment about the wall. */
static void find_moments(const psg_cpu_free *z, size_t nz, size_t width, size_t number,
                         psg_complex *tile, double moment[2]) {
    const double h = z->length / (double)nz;
    moment[0] = moment[1] = 0;
    for (size_t k = 0; k < nz; k++) {
        const double f = tile[from_wall(z, nz, k) * width + number / 2][number % 2];
        moment[0] += h * f;
        moment[1] += h * h * ((double)k + 0.5) * f;
    }
}

/* Where base is 0: u of the image of f in the wall. */
static void add_moments(const psg_cpu_divide *divide, size_t nz, size_t width, size_t number,
                        const double moment[2], psg_complex *tile) {
    const psg_cpu_free *z = divide->free;
    const double h = z->length / (double)nz;
    const double scale = (z->wall[0] + z->wall[1]) * divide->scale * (double)nz;
    for (size_t k = 0; k < nz; k++) {
        tile[from_wall(z, nz, k) * width + number / 2][number % 2] +=
            (psg_real)(scale * (moment[0] * h * ((double)k + 0.5) + moment[1]));
    }
}

/* Else u of the image decays by the same factor at each point. At the wall it equals u of f, and k
 * points farther it is that times factor^k. */
static PSG_CLONES void add_plane(size_t count, psg_real *image, const psg_real *decay,
                                 psg_real *plane) {
    for (size_t m = 0; m < count; m++) {
        image[m] *= decay[m];
        plane[m] += image[m];
    }
}

static void add_images(const psg_cpu_divide *divide, size_t nz, size_t width, size_t columns,
                       const column *of, double moment[][2], psg_complex *tile) {
    const psg_cpu_free *z = divide->free;
    psg_real image[2 * PSG_CPU_TILE_COLUMNS];
    psg_real decay[2 * PSG_CPU_TILE_COLUMNS];
    const psg_real *first = tile[from_wall(z, nz, 0) * width];
    for (size_t m = 0; m < 2 * columns; m++) {
        decay[m] = (psg_real)exp(-of[m].decay * z->length / (double)nz);
        image[m] = of[m].base == 0 ? 0 : (psg_real)(z->wall[0] + z->wall[1]) * first[m];
    }
    for (size_t k = 0; k < nz; k++) {
        add_plane(2 * columns, image, decay, tile[from_wall(z, nz, k) * width]);
    }
    for (size_t m = 0; m < 2 * columns; m++) {
        if (of[m].base == 0) {
            add_moments(divide, nz, width, m, moment[m], tile);
        }
    }
}

/* ------------------------------------------------------------------------------------ a tile */

/* Modes of lines to the points of a tile, and then to those of the derivative, by way of a third
 * tile. */
static void transform_back(const psg_cpu_fft *fft, const psg_cpu_divide *divide, size_t residue,
                           psg_complex *lines, psg_complex *tile, psg_complex *third,
                           psg_complex *derived) {
    static const size_t along[2] = {1, 0};
    const size_t nz = psg_cpu_fft_points_z(fft);
    if (derived != NULL) {
        psg_cpu_differentiate(lines, nz, psg_cpu_fft_tile_columns(fft),
                              (const psg_real *)divide->derivative + 2 * residue * nz, along, 1,
                              third);
    }
    psg_cpu_fft_tile_inverse(fft, lines, tile);
    if (derived != NULL) {
        psg_cpu_fft_tile_inverse(fft, third, derived);
    }
}

void psg_cpu_kspace_free(const psg_cpu_fft *fft, const psg_cpu_divide *divide, const psg_real *base,
                         size_t columns, psg_complex *tile, psg_complex *room, psg_complex *derived,
                         void *mode0) {
    const size_t nz = psg_cpu_fft_points_z(fft);
    const size_t width = psg_cpu_fft_tile_columns(fft);
    const bool wall = divide->free->wall[0] != 0 || divide->free->wall[1] != 0;
    psg_complex *lines = room;
    psg_complex *odd = lines + nz * width;
    psg_complex *third = odd + nz * width;
    column of[2 * PSG_CPU_TILE_COLUMNS];
    double moment[2 * PSG_CPU_TILE_COLUMNS][2] = {{0, 0}};
    for (size_t m = 0; m < 2 * columns; m++) {
        of[m] = column_of(divide, base[m], nz);
        if (wall && base[m] == 0) {
            find_moments(divide->free, nz, width, m, tile, moment[m]);
        }
    }
    psg_cpu_twist(fft, tile, odd);
    psg_cpu_fft_tile_forward(fft, tile, lines);
    if (mode0 != NULL) {
        memcpy(mode0, lines, sizeof *lines);
    }
    divide_lines(divide, nz, columns, of, 0, lines);
    transform_back(fft, divide, 0, lines, tile, third, derived);
    psg_cpu_fft_tile_forward(fft, odd, lines);
    divide_lines(divide, nz, columns, of, 1, lines);
    transform_back(fft, divide, 1, lines, odd, third, derived != NULL ? lines : NULL);
    psg_cpu_add_twisted_back(fft, odd, tile);
    if (derived != NULL) {
        psg_cpu_add_twisted_back(fft, lines, derived);
    }
    if (wall) {
        add_images(divide, nz, width, columns, of, moment, tile);
    }
}
