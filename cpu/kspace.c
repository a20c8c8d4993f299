#include "cpu/internal.h"

#include <string.h>

/* Copy `columns` columns from position `first` of the pieces into a tile of `width`; and back. */
static void gather(const psg_cpu_pencil *pencil, size_t first, size_t columns, size_t width,
                   psg_complex *tile) {
    for (size_t s = 0; s < pencil->pieces; s++) {
        const psg_complex *from = (const psg_complex *)pencil->piece[s].memory + first;
        for (size_t k = pencil->z0[s]; k < pencil->z0[s + 1]; k++) {
            memcpy(tile + k * width, from, columns * sizeof *tile);
            from += pencil->piece[s].pitch;
        }
    }
}

static void scatter(const psg_cpu_pencil *pencil, size_t first, size_t columns, size_t width,
                    psg_complex *tile) {
    for (size_t s = 0; s < pencil->pieces; s++) {
        psg_complex *to = (psg_complex *)pencil->piece[s].memory + first;
        for (size_t k = pencil->z0[s]; k < pencil->z0[s + 1]; k++) {
            memcpy(to, tile + k * width, columns * sizeof *tile);
            to += pencil->piece[s].pitch;
        }
    }
}

/* A tile of columns stays in the second-level cache between its one read and its one write.
 * FFTW's transform turns it on the way, so that the division runs along contiguous lines. The
 * last tile may be narrower: its missing columns hold what the tile before left, and are
 * transformed in vain. */
bool psg_cpu_kspace(const psg_cpu_fft *fft, const psg_cpu_divide *divide,
                    const psg_cpu_pencil *pencil, void *scratch, void *mode0) {
    const size_t nz = psg_cpu_fft_points_z(fft);
    const size_t width = psg_cpu_fft_tile_columns(fft);
    const size_t total = pencil->rows * pencil->nxc;
    psg_complex *tile = scratch;
    psg_complex *lines = tile + nz * width;
    bool finite = true;

    if (total < width) {
        memset(tile, 0, nz * width * sizeof *tile);
    }
    for (size_t first = 0; first < total; first += width) {
        const size_t columns = total - first < width ? total - first : width;
        gather(pencil, first, columns, width, tile);
        psg_cpu_fft_tile_forward(fft, tile, lines);
        if (mode0 != NULL && pencil->row0 == 0 && first == 0) {
            memcpy(mode0, lines, sizeof *lines);
        }
        for (size_t c = 0; c < columns; c++) {
            const size_t i = (first + c) % pencil->nxc;
            const size_t j = pencil->row0 + (first + c) / pencil->nxc;
            psg_cpu_divide_line(divide, i, j, nz, lines + c * nz);
        }
        psg_cpu_fft_tile_inverse(fft, lines, tile);
        for (size_t c = 0; c < columns; c++) {
            finite = finite && psg_cpu_finite(tile[c]);
        }
        scatter(pencil, first, columns, width, tile);
    }
    return finite;
}
