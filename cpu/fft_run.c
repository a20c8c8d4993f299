/* FFTW's plans, executed by any thread on any array through the new-array interface. */
#include "cpu/fft_plans.h"

#include <string.h>

/* The scratch of a worker: tiles along z or the spectrum of a plane, and a tile of pairs. */
static size_t before_pairs(const psg_cpu_fft *fft) {
    const bool third = psg_transform_complex(fft->kind[2][PSG_CPU_FORWARD]);
    const size_t tiles = (fft->free ? 5 : third ? 3 : 2) * tile_bytes(fft);
    const size_t plane = spectrum_plane_bytes(fft);
    return ((tiles > plane ? tiles : plane) + 63) / 64 * 64;
}

/* Numbers of the largest tile of pairs, which ends where 64 bytes do. */
static size_t pairs_most(const psg_cpu_fft *fft) {
    size_t most = 0;
    for (int axis = 0; axis < 3; axis++) {
        const size_t numbers = fft->pairs[axis].whole * fft->pairs[axis].width;
        most = numbers > most ? numbers : most;
    }
    return (most + 7) / 8 * 8;
}

size_t psg_cpu_fft_scratch_bytes(const psg_cpu_fft *fft) {
    size_t most = 0;
    for (int axis = 0; axis < 3; axis++) {
        most = fft->prime[axis].m > most ? fft->prime[axis].m : most;
    }
    return before_pairs(fft) + (pairs_most(fft) + most * PSG_CPU_PRIME_LINES) * sizeof(psg_complex);
}

psg_complex *psg_cpu_fft_room(const psg_cpu_fft *fft, void *scratch) {
    return (psg_complex *)((char *)scratch + before_pairs(fft));
}

/* Complex lines of an axis' transform, [n] rows of them, in place. */
static void run_prime(const psg_cpu_fft *fft, int axis, psg_cpu_direction direction, size_t count,
                      psg_complex *lines, size_t pitch, psg_complex *room) {
    const psg_cpu_prime *prime = &fft->prime[axis];
    psg_complex *tile = room + pairs_most(fft);
    for (size_t first = 0; first < count; first += PSG_CPU_PRIME_LINES) {
        const size_t left = count - first;
        const size_t some = left < PSG_CPU_PRIME_LINES ? left : PSG_CPU_PRIME_LINES;
        if (prime->way == PSG_CPU_DENSE) {
            psg_cpu_dense(prime, direction, some, lines + first, pitch, tile);
            continue;
        }
        psg_cpu_prime_load(prime, direction, some, lines + first, pitch, tile);
        PSG_FFTW(execute_dft)(fft->inner[axis][PSG_CPU_FORWARD], tile, tile);
        psg_cpu_prime_multiply(prime, direction, some, lines + first, tile);
        PSG_FFTW(execute_dft)(fft->inner[axis][PSG_CPU_INVERSE], tile, tile);
        psg_cpu_prime_store(prime, direction, some, tile, lines + first, pitch);
    }
}

/* The plans for unaligned arrays serve aligned ones too. */
static const planes *planes_for(const psg_cpu_fft *fft, const void *plane, size_t row_pitch,
                                const void *spectrum) {
    if (row_pitch != (size_t)fft->nx && !fft->padded) {
        return &pitched_for(fft, row_pitch)->planes;
    }
    const planes *fast = &fft->dense[ALIGNED];
    return is_planned(fft, fast) && aligned(plane) && aligned(spectrum) ? fast
                                                                        : &fft->dense[UNALIGNED];
}

static void run_lines(const psg_cpu_fft *fft, fft_plan plan, psg_complex *from, psg_complex *to) {
    if (fft->real[2]) {
        PSG_FFTW(execute_r2r)(plan, *from, *to);
    } else {
        PSG_FFTW(execute_dft)(plan, from, to);
    }
}

/* The place of an odd last mode is transformed along y and z, and stays 0. */
static void clear_last(const psg_cpu_fft *fft, psg_complex *spectrum) {
    for (int j = 0; fft->real[0] && fft->along[0] % 2 == 1 && j < fft->ny; j++) {
        spectrum[((size_t)j + 1) * (size_t)fft->nxc - 1][1] = 0;
    }
}

/* A plane in some points of some rows of a spectrum, with 0 in all others; and back. */
static void pad(const psg_cpu_fft *fft, const psg_real *plane, size_t row_pitch,
                psg_complex *spectrum) {
    const size_t nx = (size_t)fft->nx;
    const size_t wide = 2 * (size_t)fft->nxc;
    const size_t before = (size_t)fft->first[0];
    psg_real *row = *spectrum;
    memset(row, 0, rows_before(fft) * sizeof *row);
    row += rows_before(fft);
    for (int j = 0; j < fft->ny; j++, plane += row_pitch, row += wide) {
        memset(row, 0, before * sizeof *row);
        memcpy(row + before, plane, nx * sizeof *row);
        memset(row + before + nx, 0, (wide - before - nx) * sizeof *row);
    }
    memset(row, 0, (size_t)(fft->along[1] - fft->ny - fft->first[1]) * wide * sizeof *row);
}

static void take_out(const psg_cpu_fft *fft, const psg_complex *spectrum, psg_real *plane,
                     size_t row_pitch) {
    const psg_real *row = *spectrum + rows_before(fft) + fft->first[0];
    for (int j = 0; j < fft->ny; j++, plane += row_pitch, row += 2 * (size_t)fft->nxc) {
        memcpy(plane, row, (size_t)fft->nx * sizeof *row);
    }
}

/* @param tile  psg_cpu_fft_room() */
static void run_tiles(const psg_cpu_fft *fft, int axis, psg_cpu_direction direction, size_t count,
                      const psg_cpu_lines *from, const psg_cpu_lines *to, psg_complex *tile) {
    const psg_cpu_pairs *pairs = &fft->pairs[axis];
    for (size_t first = 0; first < count; first += pairs->lines) {
        const psg_cpu_direction d = psg_cpu_pairs_in(pairs, direction, first, count, from, tile);
        if (fft->prime[axis].m > 0) {
            run_prime(fft, axis, d, pairs->width, tile, pairs->width, tile);
        } else {
            PSG_FFTW(execute_dft)(fft->pair[axis][d], tile, tile);
        }
        psg_cpu_pairs_out(pairs, direction, first, count, tile, to);
    }
}

/* Along x or y. */
static void run_pairs(const psg_cpu_fft *fft, int axis, psg_cpu_direction direction, size_t count,
                      const psg_cpu_lines *from, const psg_cpu_lines *to, void *scratch) {
    run_tiles(fft, axis, direction, count, from, to, psg_cpu_fft_room(fft, scratch));
}

static void run_columns(const psg_cpu_fft *fft, const planes *p, psg_cpu_direction direction,
                        psg_complex *spectrum, void *scratch) {
    const psg_cpu_lines columns = {*spectrum, 2 * (size_t)fft->nxc, 1, false};
    if (fft->pairs[1].width > 0) {
        run_pairs(fft, 1, direction, columns.point, &columns, &columns, scratch);
    } else if (fft->real[1]) {
        PSG_FFTW(execute_r2r)(p->columns[direction], *spectrum, *spectrum);
    } else if (fft->prime[1].m > 0) {
        run_prime(fft, 1, direction, (size_t)fft->nxc, spectrum, (size_t)fft->nxc,
                  psg_cpu_fft_room(fft, scratch));
    } else if (columns_apart(fft)) {
        PSG_FFTW(execute_dft)(p->columns[direction], spectrum, spectrum);
    }
}

static psg_complex *first_row(const psg_cpu_fft *fft, void *spectrum) {
    return (psg_complex *)spectrum + rows_before(fft) / 2;
}

/* Rows of a plane become rows of a spectrum, and back. */
static void run_rows(const psg_cpu_fft *fft, const planes *p, psg_cpu_direction direction,
                     psg_real *plane, size_t row_pitch, psg_complex *rows, void *scratch) {
    const psg_cpu_lines points = {plane, 1, fft->padded ? 2 * (size_t)fft->nxc : row_pitch, false};
    const psg_cpu_lines modes = {*rows, 1, 2 * (size_t)fft->nxc, !fft->real[0]};
    const bool forward = direction == PSG_CPU_FORWARD;
    if (!rows_planned(fft)) {
        run_pairs(fft, 0, direction, (size_t)fft->ny, forward ? &points : &modes,
                  forward ? &modes : &points, scratch);
    } else if (fft->real[0]) {
        PSG_FFTW(execute_r2r)(p->rows[direction], forward ? plane : *rows, forward ? *rows : plane);
    } else if (forward) {
        PSG_FFTW(execute_dft_r2c)(p->rows[direction], plane, rows);
    } else {
        PSG_FFTW(execute_dft_c2r)(p->rows[direction], rows, plane);
    }
}

void psg_cpu_fft_xy(const psg_cpu_fft *fft, const void *plane, size_t row_pitch, void *spectrum,
                    void *scratch) {
    /* FFTW has no const; the plan preserves its input. */
    psg_complex *rows = first_row(fft, spectrum);
    psg_real *in = fft->padded ? *rows : (psg_real *)(uintptr_t)plane;
    const planes *p = planes_for(fft, in, row_pitch, spectrum);
    if (fft->padded) {
        pad(fft, plane, row_pitch, spectrum);
    }
    run_rows(fft, p, PSG_CPU_FORWARD, in, row_pitch, rows, scratch);
    clear_last(fft, rows);
    run_columns(fft, p, PSG_CPU_FORWARD, spectrum, scratch);
}

void psg_cpu_ifft_xy(const psg_cpu_fft *fft, void *spectrum, void *plane, size_t row_pitch,
                     void *scratch) {
    psg_complex *rows = first_row(fft, spectrum);
    psg_real *out = fft->padded ? *rows : plane;
    const planes *p = planes_for(fft, out, row_pitch, spectrum);
    run_columns(fft, p, PSG_CPU_INVERSE, spectrum, scratch);
    run_rows(fft, p, PSG_CPU_INVERSE, out, row_pitch, rows, scratch);
    if (fft->padded) {
        take_out(fft, spectrum, plane, row_pitch);
    }
}

bool psg_cpu_fft_rows(const psg_cpu_fft *fft, psg_cpu_direction direction, size_t count,
                      void *reals, size_t real_pitch, void *spectra, size_t spectrum_pitch,
                      void *scratch) {
    const bool forward = direction == PSG_CPU_FORWARD;
    const psg_cpu_lines points = {reals, 1, real_pitch, false};
    const psg_cpu_lines modes = {spectra, 1, 2 * spectrum_pitch, !fft->real[0]};
    const size_t last = (size_t)fft->nxc - 1;
    if (!rows_together(fft)) {
        return false;
    }
    run_pairs(fft, 0, direction, count, forward ? &points : &modes, forward ? &modes : &points,
              scratch);
    for (size_t k = 0; forward && !modes.complex && fft->along[0] % 2 == 1 && k < count; k++) {
        ((psg_complex *)spectra)[k * spectrum_pitch + last][1] = 0;
    }
    return true;
}

/* Without a transform along z what is not finite stays where it is. */
static bool all_finite(const psg_cpu_fft *fft, size_t count, const void *lines) {
    const size_t reals = 2 * count * (size_t)fft->nz;
    return psg_cpu_find_nonfinite(lines, reals) == reals;
}

bool psg_cpu_fft_z_contiguous(const psg_cpu_fft *fft, psg_cpu_direction direction, size_t count,
                              void *lines, void *scratch) {
    (void)scratch;
    fft_complex *line = lines;
    bool finite = true;
    if (fft->line[direction] == NULL) {
        return all_finite(fft, count, lines);
    }
    for (size_t c = 0; c < count; c++, line += fft->nz) {
        run_lines(fft, fft->line[direction], line, line);
        finite = finite && psg_cpu_finite(*line);
    }
    return finite;
}

bool psg_cpu_fft_z_strided(const psg_cpu_fft *fft, psg_cpu_direction direction, size_t count,
                           void *columns, void *scratch) {
    const size_t nz = (size_t)fft->nz;
    const size_t w = fft->columns;
    psg_complex *all = columns;
    psg_complex *tile = scratch;
    bool finite = true;
    if (fft->column[direction] == NULL) {
        return all_finite(fft, count, columns);
    }
    for (size_t m = 0; count < w && m < nz * w; m++) {
        tile[m][0] = tile[m][1] = 0; /* columns of the tile that never get data */
    }
    for (size_t first = 0; first < count; first += w) {
        const size_t some = count - first < w ? count - first : w;
        for (size_t k = 0; k < nz; k++) {
            memcpy(tile + k * w, all + k * count + first, some * sizeof *tile);
        }
        psg_cpu_fft_tile_in_place(fft, direction, tile, psg_cpu_fft_room(fft, scratch));
        for (size_t k = 0; k < nz; k++) {
            memcpy(all + k * count + first, tile + k * w, some * sizeof *tile);
        }
        for (size_t c = 0; c < some; c++) {
            finite = finite && psg_cpu_finite(tile[c]);
        }
    }
    return finite;
}

size_t psg_cpu_fft_points_z(const psg_cpu_fft *fft) {
    return (size_t)fft->nz;
}

size_t psg_cpu_fft_length_z(const psg_cpu_fft *fft) {
    return (size_t)fft->along[2];
}

size_t psg_cpu_fft_first_z(const psg_cpu_fft *fft) {
    return (size_t)fft->first[2];
}

size_t psg_cpu_fft_tile_columns(const psg_cpu_fft *fft) {
    return fft->columns;
}

void psg_cpu_fft_tile_forward(const psg_cpu_fft *fft, psg_complex *tile, psg_complex *lines) {
    run_lines(fft, fft->tile[PSG_CPU_FORWARD], tile, lines);
}

void psg_cpu_fft_tile_inverse(const psg_cpu_fft *fft, psg_complex *lines, psg_complex *tile) {
    run_lines(fft, fft->tile[PSG_CPU_INVERSE], lines, tile);
}

const psg_real *psg_cpu_fft_mirrored(const psg_cpu_fft *fft, bool *sine) {
    *sine = fft->kind[2][PSG_CPU_FORWARD] == PSG_TRANSFORM_SIN2;
    return fft->mirrored ? fft->twiddle : NULL;
}

void psg_cpu_fft_tile_in_place(const psg_cpu_fft *fft, psg_cpu_direction direction,
                               psg_complex *tile, psg_complex *room) {
    const psg_cpu_lines columns = {*tile, 2 * fft->columns, 1, false};
    if (fft->pairs[2].width > 0) {
        run_tiles(fft, 2, direction, 2 * fft->columns, &columns, &columns, room);
    } else if (psg_cpu_fft_stays_in_tile(fft)) {
        run_prime(fft, 2, direction, fft->columns, tile, fft->columns, room);
    } else {
        run_lines(fft, fft->column[direction], tile, tile);
    }
}

bool psg_cpu_fft_stays_in_tile(const psg_cpu_fft *fft) {
    return fft->pairs[2].width > 0 || (fft->prime[2].m > 0 && !fft->mirrored);
}

const psg_real *psg_cpu_fft_turn(const psg_cpu_fft *fft) {
    return fft->twiddle;
}

void psg_cpu_fft_tile_mirrored(const psg_cpu_fft *fft, psg_cpu_direction direction,
                               psg_complex *tile, psg_complex *room) {
    if (fft->prime[2].m > 0) {
        run_prime(fft, 2, direction, fft->columns, tile, fft->columns, room);
    } else {
        PSG_FFTW(execute_dft)(fft->tile[direction], tile, tile);
    }
}
