/* A sheet's columns where x or y is free, or the kernel is the caller's: modes of f times those of
 * a Green's function, which is a table. Along a free z the even and the odd modes are apart, as
 * kspace_free.c has them; beside a wall the tile has twice as many planes. */
#include "cpu/internal.h"

#include <string.h>

/* Of twice as many points the modes m and 2n - m are one in the table. */
static size_t mode_of(const psg_cpu_table *table, int d, size_t m) {
    const size_t mode = m + table->shift[d];
    return mode < table->modes[d] ? mode : 2 * (table->modes[d] - 1) - mode;
}

void psg_cpu_table_places(const psg_cpu_divide *divide, size_t i, size_t j, size_t place[2]) {
    const psg_cpu_table *t = divide->table;
    const size_t row = (mode_of(t, 1, j) - t->first) * t->modes[2] * t->modes[0];
    const size_t last = t->modes[0] - 1; /* of what stays 0 any will do */
    const size_t first = t->shift[0] + (divide->apart ? 2 * i : i);
    place[0] = row + first;
    place[1] = row + (!divide->apart ? i : first < last ? first + 1 : last);
}

static PSG_CLONES void multiply(size_t count, psg_real *plane, const psg_real *table,
                                const size_t *place, psg_real scale) {
    for (size_t m = 0; m < count; m++) {
        plane[m] *= scale * table[place[m]];
    }
}

/* Two real columns in one of complex numbers: as divide_apart() of kspace_free.c. */
static PSG_CLONES void multiply_apart(size_t columns, psg_complex *low, psg_complex *high,
                                      const psg_real *table, const size_t *place, psg_real scale) {
    for (size_t c = 0; c < columns; c++) {
        const psg_real l[2] = {low[c][0], low[c][1]};
        const psg_real h[2] = {high[c][0], high[c][1]};
        const psg_real first = scale / 2 * table[place[2 * c]];
        const psg_real second = scale / 2 * table[place[2 * c + 1]];
        const psg_real both = first + second;
        const psg_real either = first - second;
        low[c][0] = both * l[0] + either * h[0];
        low[c][1] = both * l[1] - either * h[1];
        high[c][0] = both * h[0] + either * l[0];
        high[c][1] = both * h[1] - either * l[1];
    }
}

void psg_cpu_table_multiply(const psg_cpu_fft *fft, const psg_cpu_divide *divide, size_t residue,
                            const size_t *place, psg_complex *tile) {
    const psg_cpu_table *t = divide->table;
    const size_t nz = psg_cpu_fft_length_z(fft);
    const size_t width = psg_cpu_fft_tile_columns(fft);
    const bool free = divide->free != NULL;
    const psg_real scale = -(psg_real)divide->scale;
    for (size_t k = 0; k < nz; k++) {
        const size_t mode = mode_of(t, 2, free ? 2 * k + residue : k);
        const psg_real *table = (const psg_real *)t->values + mode * t->modes[0];
        const size_t opposite = residue == 0 ? (nz - k) % nz : nz - 1 - k;
        if (!free || !divide->apart) {
            multiply(2 * width, tile[k * width], table, place, scale);
        } else if (opposite >= k) {
            multiply_apart(width, tile + k * width, tile + opposite * width, table, place, scale);
        }
    }
}

/* What multiplies the even or the odd modes along z for a derivative. */
static const psg_real *derivative_of(const psg_cpu_fft *fft, const psg_cpu_divide *divide,
                                     size_t residue) {
    return (const psg_real *)divide->derivative + 2 * residue * psg_cpu_fft_length_z(fft);
}

/* Modes in a tile to its points, and to those of the derivative. */
static void transform_back(const psg_cpu_fft *fft, const psg_cpu_divide *divide, size_t residue,
                           psg_complex *tile, psg_complex *room, psg_complex *derived) {
    static const size_t along[2] = {0, 1};
    if (derived != NULL) {
        psg_cpu_differentiate(tile, psg_cpu_fft_tile_columns(fft), psg_cpu_fft_length_z(fft),
                              derivative_of(fft, divide, residue), along, 1, derived);
        psg_cpu_fft_tile_in_place(fft, PSG_CPU_INVERSE, derived, room);
    }
    psg_cpu_fft_tile_in_place(fft, PSG_CPU_INVERSE, tile, room);
}

void psg_cpu_kspace_table(const psg_cpu_fft *fft, const psg_cpu_divide *divide, const size_t *place,
                          psg_complex *tile, psg_complex *room, psg_complex *derived, void *mode0) {
    const bool free = divide->free != NULL;
    psg_complex *odd = room;
    psg_complex *odd_derived =
        derived != NULL ? room + psg_cpu_fft_length_z(fft) * psg_cpu_fft_tile_columns(fft) : NULL;
    if (free) {
        psg_cpu_twist(fft, tile, odd);
    }
    psg_cpu_fft_tile_in_place(fft, PSG_CPU_FORWARD, tile, room);
    if (mode0 != NULL) {
        memcpy(mode0, tile, sizeof *tile);
    }
    psg_cpu_table_multiply(fft, divide, 0, place, tile);
    transform_back(fft, divide, 0, tile, room, derived);
    if (free) {
        psg_cpu_fft_tile_in_place(fft, PSG_CPU_FORWARD, odd, NULL);
        psg_cpu_table_multiply(fft, divide, 1, place, odd);
        transform_back(fft, divide, 1, odd, NULL, odd_derived);
        psg_cpu_add_twisted_back(fft, odd, tile);
    }
    if (free && derived != NULL) {
        psg_cpu_add_twisted_back(fft, odd_derived, derived);
    }
}
