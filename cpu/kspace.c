#include "cpu/internal.h"

#include <string.h>

/* The planes of a tile. For a transform of type II the even ones come first, then the odd ones
 * backwards, of a sine transform with the other sign: its complex transform then has all that is
 * needed (J. Makhoul, A fast cosine transform in one and two dimensions, 1980). */
typedef struct order {
    size_t nz;
    size_t first; /* the plane of the tile that the first one becomes */
    bool mirrored;
    bool sine;
} order;

static size_t place_of(const order *o, size_t k) {
    return !o->mirrored ? o->first + k : k % 2 == 0 ? k / 2 : o->nz - (k + 1) / 2;
}

static void copy(const order *o, size_t k, size_t columns, const void *from, void *to) {
    const psg_real *in = from;
    psg_real *out = to;
    if (o->sine && k % 2 == 1) {
        for (size_t c = 0; c < 2 * columns; c++) {
            out[c] = -in[c];
        }
    } else {
        memcpy(out, in, columns * sizeof(psg_complex));
    }
}

/* The columns of the next tile stand behind these in each plane. No unit of a processor foresees
 * that they are needed, as the planes are far apart. */
static void fetch_next(const void *columns, size_t width) {
    const size_t bytes = width * sizeof(psg_complex);
    for (size_t c = 0; c < bytes; c += 64) {
        __builtin_prefetch((const char *)columns + bytes + c, 1);
    }
}

/* Copy `columns` columns from position `first` of the pieces into a tile of `width`; and back. */
static void gather(const psg_cpu_sheet *sheet, const order *o, size_t first, size_t columns,
                   size_t width, psg_complex *tile) {
    size_t k = 0;
    for (size_t s = 0; s < sheet->pieces; s++) {
        const psg_complex *from = (const psg_complex *)sheet->piece[s].memory + first;
        for (const size_t end = k + sheet->piece[s].planes; k < end; k++) {
            fetch_next(from, width);
            copy(o, k, columns, from, tile + place_of(o, k) * width);
            from += sheet->piece[s].pitch;
        }
    }
}

static void scatter(const psg_cpu_piece *piece, size_t pieces, const order *o, size_t first,
                    size_t columns, size_t width, psg_complex *tile) {
    size_t k = 0;
    for (size_t s = 0; s < pieces; s++) {
        psg_complex *to = (psg_complex *)piece[s].memory + first;
        for (const size_t end = k + piece[s].planes; k < end; k++) {
            fetch_next(to, width);
            copy(o, k, columns, tile + place_of(o, k) * width, to);
            to += piece[s].pitch;
        }
    }
}

/* Modes i, j of column c of a tile that begins at position `first` of the sheet. */
static size_t mode_x(const psg_cpu_sheet *sheet, size_t first, size_t c) {
    return (sheet->first + first + c) % sheet->nxc;
}

static size_t mode_y(const psg_cpu_sheet *sheet, size_t first, size_t c) {
    return (sheet->first + first + c) / sheet->nxc;
}

/* Of both parts of each column. */
static void bases_of(const psg_cpu_divide *divide, const psg_cpu_sheet *sheet, size_t first,
                     size_t columns, psg_real base[2 * PSG_CPU_TILE_COLUMNS]) {
    for (size_t c = 0; c < columns; c++) {
        psg_cpu_divide_base(divide, mode_x(sheet, first, c), mode_y(sheet, first, c), base + 2 * c);
    }
}

static void places_of(const psg_cpu_divide *divide, const psg_cpu_sheet *sheet, size_t first,
                      size_t columns, size_t place[2 * PSG_CPU_TILE_COLUMNS]) {
    for (size_t c = 0; c < columns; c++) {
        psg_cpu_table_places(divide, mode_x(sheet, first, c), mode_y(sheet, first, c),
                             place + 2 * c);
    }
}

/* FFTW's transform turns the tile on the way, so that the division runs along contiguous lines.
 * @param[out] derived  the lines' derivatives; NULL: they are not wanted */
static void work_along_lines(const psg_cpu_fft *fft, const psg_cpu_divide *divide,
                             const psg_cpu_sheet *sheet, size_t first, size_t columns,
                             psg_complex *tile, psg_complex *lines, psg_complex *derived,
                             void *mode0) {
    static const size_t along[2] = {1, 0};
    const size_t nz = psg_cpu_fft_points_z(fft);
    psg_cpu_fft_tile_forward(fft, tile, lines);
    if (mode0 != NULL) {
        memcpy(mode0, lines, sizeof *lines);
    }
    for (size_t c = 0; c < columns; c++) {
        psg_cpu_divide_line(divide, mode_x(sheet, first, c), mode_y(sheet, first, c), nz,
                            lines + c * nz);
        if (derived != NULL) {
            psg_cpu_differentiate(lines + c * nz, nz, 1, divide->derivative, along, 1,
                                  derived + c * nz);
        }
    }
    psg_cpu_fft_tile_inverse(fft, lines, tile);
}

/* ------------------------------------------------------------------------------ mirrored planes */

/* Planes 0 and nz/2, which are their own mirror images; 2 is what twisting them there and back
 * leaves. */
static PSG_CLONES void divide_plane(size_t count, psg_real *plane, const psg_real *base,
                                    psg_real eigen, psg_real scale) {
    for (size_t c = 0; c < count; c++) {
        const psg_real sum = base[c] + eigen;
        plane[c] *= sum != 0 ? 2 * scale / sum : 0;
    }
}

/* Planes k and nz-k of the complex transform are twisted to two modes of the real one, divided, and
 * twisted back.
 * @param[in] turn  cos and sin of pi k / (2 nz) @param[in] eigen  of both modes */
static PSG_CLONES void divide_planes(size_t columns, psg_complex *low, psg_complex *high,
                                     const psg_real *base, const psg_real turn[2],
                                     const psg_real eigen[2], psg_real scale) {
    const psg_real cosine = turn[0];
    const psg_real sine = turn[1];
    for (size_t c = 0; c < columns; c++) {
        const psg_real *b = base + 2 * c;
        const psg_real ar = cosine * low[c][0] + sine * low[c][1];
        const psg_real ai = cosine * low[c][1] - sine * low[c][0];
        const psg_real br = cosine * high[c][0] - sine * high[c][1];
        const psg_real bi = cosine * high[c][1] + sine * high[c][0];
        const psg_real sums[4] = {b[0] + eigen[0], b[1] + eigen[0], b[0] + eigen[1],
                                  b[1] + eigen[1]};
        const psg_real kr = (ar + br) * (sums[0] != 0 ? scale / sums[0] : 0);
        const psg_real ki = (ai + bi) * (sums[1] != 0 ? scale / sums[1] : 0);
        const psg_real nr = (bi - ai) * (sums[2] != 0 ? scale / sums[2] : 0);
        const psg_real ni = (ar - br) * (sums[3] != 0 ? scale / sums[3] : 0);
        low[c][0] = cosine * (kr + ni) - sine * (ki - nr);
        low[c][1] = cosine * (ki - nr) + sine * (kr + ni);
        high[c][0] = cosine * (kr - ni) + sine * (ki + nr);
        high[c][1] = cosine * (ki + nr) - sine * (kr - ni);
    }
}

/* The transform and the division go along planes of the tile, whose columns are next to each other.
 * A sine transform has its modes in the other order. */
static void work_along_planes(const psg_cpu_fft *fft, const psg_cpu_divide *divide,
                              const psg_cpu_sheet *sheet, const order *o, const psg_real *turn,
                              size_t first, size_t columns, psg_complex *tile, psg_complex *room,
                              void *mode0) {
    const size_t nz = o->nz;
    const size_t width = psg_cpu_fft_tile_columns(fft);
    const psg_real *ez = divide->eigen[2];
    const psg_real scale = (psg_real)divide->scale;
    psg_real base[2 * PSG_CPU_TILE_COLUMNS] = {0};
    bases_of(divide, sheet, first, columns, base);
    psg_cpu_fft_tile_mirrored(fft, PSG_CPU_FORWARD, tile, room);
    if (mode0 != NULL) {
        const psg_complex twice = {2 * tile[0][0], 2 * tile[0][1]};
        memcpy(mode0, twice, sizeof twice);
    }
    divide_plane(2 * width, *tile, base, ez[o->sine ? nz - 1 : 0], scale);
    for (size_t k = 1; 2 * k < nz; k++) {
        const psg_real eigen[2] = {ez[o->sine ? nz - 1 - k : k], ez[o->sine ? k - 1 : nz - k]};
        divide_planes(width, tile + k * width, tile + (nz - k) * width, base, turn + 2 * k, eigen,
                      scale);
    }
    if (nz % 2 == 0) {
        divide_plane(2 * width, tile[nz / 2 * width], base, ez[nz / 2 - o->sine], scale);
    }
    psg_cpu_fft_tile_mirrored(fft, PSG_CPU_INVERSE, tile, room);
}

/* A tile of modes. */
static void divide_tile(const psg_cpu_fft *fft, const psg_cpu_divide *divide,
                        const psg_cpu_sheet *sheet, size_t first, size_t columns,
                        psg_complex *tile) {
    const size_t width = psg_cpu_fft_tile_columns(fft);
    const psg_real *ez = divide->eigen[2];
    if (divide->table != NULL) {
        size_t place[2 * PSG_CPU_TILE_COLUMNS] = {0};
        places_of(divide, sheet, first, columns, place);
        psg_cpu_table_multiply(fft, divide, 0, place, tile);
        return;
    }
    psg_real base[2 * PSG_CPU_TILE_COLUMNS] = {0};
    bases_of(divide, sheet, first, columns, base);
    for (size_t k = 0; k < psg_cpu_fft_points_z(fft); k++) {
        divide_plane(2 * width, tile[k * width], base, ez[k], (psg_real)divide->scale / 2);
    }
}

/* The modes stay in the order of the planes.
 * @param[out] derived  the derivative along z, a tile; NULL: it is not wanted */
static void work_in_tile(const psg_cpu_fft *fft, const psg_cpu_divide *divide,
                         const psg_cpu_sheet *sheet, size_t first, size_t columns,
                         psg_complex *tile, psg_complex *derived, psg_complex *room, void *mode0) {
    static const size_t along[2] = {0, 1};
    psg_cpu_fft_tile_in_place(fft, PSG_CPU_FORWARD, tile, room);
    if (mode0 != NULL) {
        memcpy(mode0, tile, sizeof *tile);
    }
    divide_tile(fft, divide, sheet, first, columns, tile);
    if (derived != NULL) {
        psg_cpu_differentiate(tile, psg_cpu_fft_tile_columns(fft), psg_cpu_fft_points_z(fft),
                              divide->derivative, along, 1, derived);
        psg_cpu_fft_tile_in_place(fft, PSG_CPU_INVERSE, derived, room);
    }
    psg_cpu_fft_tile_in_place(fft, PSG_CPU_INVERSE, tile, room);
}

/* A tile of columns stays in the second-level cache between its one read and its one write. The
 * columns that the last tile lacks, and the planes that f has not, are 0. */
bool psg_cpu_kspace(const psg_cpu_fft *fft, const psg_cpu_divide *divide,
                    const psg_cpu_sheet *sheet, void *scratch, void *mode0) {
    if (divide->line != NULL) {
        return psg_cpu_kspace_line(divide, sheet, 1, scratch, mode0);
    }
    const size_t nz = psg_cpu_fft_length_z(fft);
    const size_t width = psg_cpu_fft_tile_columns(fft);
    const size_t total = sheet->columns;
    order o = {.nz = psg_cpu_fft_points_z(fft), .first = psg_cpu_fft_first_z(fft)};
    const psg_real *turn = psg_cpu_fft_mirrored(fft, &o.sine);
    psg_complex *tile = scratch;
    psg_complex *lines = tile + nz * width;
    psg_complex *room = psg_cpu_fft_room(fft, scratch);
    const bool in_tile = psg_cpu_fft_stays_in_tile(fft);
    const bool whole = divide->table != NULL || divide->free != NULL || in_tile;
    const size_t rooms = divide->free != NULL ? 3 : 1;
    psg_complex *derived = sheet->beside != NULL ? lines + rooms * nz * width : NULL;
    bool finite = true;

    o.mirrored = turn != NULL && divide->table == NULL;
    o.sine = o.sine && o.mirrored;
    for (size_t first = 0; first < total; first += width) {
        const size_t columns = total - first < width ? total - first : width;
        void *zero = sheet->first == 0 && first == 0 ? mode0 : NULL;
        if (columns < width || o.nz < nz) {
            memset(tile, 0, nz * width * sizeof *tile);
        }
        gather(sheet, &o, first, columns, width, tile);
        if (divide->table != NULL) {
            size_t place[2 * PSG_CPU_TILE_COLUMNS] = {0};
            places_of(divide, sheet, first, columns, place);
            psg_cpu_kspace_table(fft, divide, place, tile, divide->free != NULL ? lines : room,
                                 derived, zero);
        } else if (divide->free != NULL) {
            psg_real base[2 * PSG_CPU_TILE_COLUMNS];
            bases_of(divide, sheet, first, columns, base);
            psg_cpu_kspace_free(fft, divide, base, columns, tile, lines, derived, zero);
        } else if (o.mirrored) {
            work_along_planes(fft, divide, sheet, &o, turn, first, columns, tile, room, zero);
        } else if (in_tile) {
            work_in_tile(fft, divide, sheet, first, columns, tile, derived, room, zero);
        } else {
            work_along_lines(fft, divide, sheet, first, columns, tile, lines, derived, zero);
        }
        for (size_t c = 0; c < columns; c++) {
            finite = finite && psg_cpu_finite(tile[c]);
        }
        scatter(sheet->piece, sheet->pieces, &o, first, columns, width, tile);
        if (derived != NULL && !whole) {
            psg_cpu_fft_tile_inverse(fft, derived, tile);
        }
        if (derived != NULL) {
            scatter(sheet->beside, sheet->pieces, &o, first, columns, width,
                    whole ? derived : tile);
        }
    }
    return finite;
}

/* ------------------------------------------------------------------------ modes of the caller's */

/* @return false: a NaN or an Inf is among them */
static PSG_CLONES bool write_row(size_t count, const psg_real *from, psg_real norm, psg_real *to) {
    int good = 1;
    for (size_t m = 0; m < count; m++) {
        to[m] = norm * from[m];
        good &= to[m] - to[m] == 0;
    }
    return good != 0;
}

static bool write_out(const psg_cpu_modes *modes, size_t first, size_t columns, size_t width,
                      psg_complex *tile) {
    psg_complex *to = (psg_complex *)modes->out->memory + first;
    bool finite = true;
    for (size_t k = 0; k < modes->out->planes; k++, tile += width, to += modes->out->pitch) {
        fetch_next(to, width);
        finite = write_row(2 * columns, *tile, (psg_real)modes->norm, *to) && finite;
    }
    return finite;
}

/* The modes stay in the order of the planes, in place. */
bool psg_cpu_modes_solve(const psg_cpu_fft *fft, const psg_cpu_divide *divide,
                         const psg_cpu_sheet *sheet, const psg_cpu_modes *modes, void *scratch,
                         void *mode0) {
    const order o = {.nz = psg_cpu_fft_points_z(fft)};
    const size_t width = psg_cpu_fft_tile_columns(fft);
    const size_t total = sheet->columns;
    psg_cpu_sheet from = *sheet;
    psg_complex *tile = scratch;
    psg_complex *room = psg_cpu_fft_room(fft, scratch);
    bool finite = true;
    if (modes->in != NULL) {
        from.pieces = 1;
        from.piece = modes->in;
    }
    for (size_t first = 0; first < total; first += width) {
        const size_t columns = total - first < width ? total - first : width;
        if (columns < width) {
            memset(tile, 0, o.nz * width * sizeof *tile);
        }
        gather(&from, &o, first, columns, width, tile);
        if (modes->in == NULL) {
            psg_cpu_fft_tile_in_place(fft, PSG_CPU_FORWARD, tile, room);
        }
        if (mode0 != NULL && sheet->first == 0 && first == 0) {
            memcpy(mode0, tile, sizeof *tile);
        }
        divide_tile(fft, divide, sheet, first, columns, tile);
        if (modes->out != NULL) {
            finite = write_out(modes, first, columns, width, tile) && finite;
        }
        if (modes->back) {
            psg_cpu_fft_tile_in_place(fft, PSG_CPU_INVERSE, tile, room);
            for (size_t c = 0; c < columns; c++) {
                finite = finite && psg_cpu_finite(tile[c]);
            }
            scatter(sheet->piece, sheet->pieces, &o, first, columns, width, tile);
        }
    }
    return finite;
}
