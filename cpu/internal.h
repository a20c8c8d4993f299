/** @file internal.h  What the files compiled once per precision share. */
#ifndef PSG_CPU_INTERNAL_H
#define PSG_CPU_INTERNAL_H

#include "cpu/ops.h"
#include "cpu/real.h"

#include <math.h>

/* fft.c */
#define psg_cpu_fft_create PSG_REAL_NAME(psg_cpu_fft_create)
#define psg_cpu_fft_learnt PSG_REAL_NAME(psg_cpu_fft_learnt)
#define psg_cpu_fft_wisdom PSG_REAL_NAME(psg_cpu_fft_wisdom)
#define psg_cpu_fft_destroy PSG_REAL_NAME(psg_cpu_fft_destroy)
#define psg_cpu_fft_scratch_bytes PSG_REAL_NAME(psg_cpu_fft_scratch_bytes)
#define psg_cpu_fft_prepare PSG_REAL_NAME(psg_cpu_fft_prepare)
#define psg_cpu_fft_xy PSG_REAL_NAME(psg_cpu_fft_xy)
#define psg_cpu_ifft_xy PSG_REAL_NAME(psg_cpu_ifft_xy)
#define psg_cpu_fft_rows PSG_REAL_NAME(psg_cpu_fft_rows)
#define psg_cpu_fft_z_contiguous PSG_REAL_NAME(psg_cpu_fft_z_contiguous)
#define psg_cpu_fft_z_strided PSG_REAL_NAME(psg_cpu_fft_z_strided)
#define psg_cpu_fft_points_z PSG_REAL_NAME(psg_cpu_fft_points_z)
#define psg_cpu_fft_length_z PSG_REAL_NAME(psg_cpu_fft_length_z)
#define psg_cpu_fft_first_z PSG_REAL_NAME(psg_cpu_fft_first_z)
#define psg_cpu_fft_tile_columns PSG_REAL_NAME(psg_cpu_fft_tile_columns)
#define psg_cpu_fft_tile_forward PSG_REAL_NAME(psg_cpu_fft_tile_forward)
#define psg_cpu_fft_tile_inverse PSG_REAL_NAME(psg_cpu_fft_tile_inverse)
#define psg_cpu_fft_mirrored PSG_REAL_NAME(psg_cpu_fft_mirrored)
#define psg_cpu_fft_room PSG_REAL_NAME(psg_cpu_fft_room)
#define psg_cpu_fft_stays_in_tile PSG_REAL_NAME(psg_cpu_fft_stays_in_tile)
#define psg_cpu_fft_tile_in_place PSG_REAL_NAME(psg_cpu_fft_tile_in_place)
#define psg_cpu_fft_turn PSG_REAL_NAME(psg_cpu_fft_turn)
#define psg_cpu_fft_tile_mirrored PSG_REAL_NAME(psg_cpu_fft_tile_mirrored)
psg_cpu_fft *psg_cpu_fft_create(const psg_cpu_fft_spec *spec);
bool psg_cpu_fft_learnt(const psg_cpu_fft *fft);
char *psg_cpu_fft_wisdom(const char *more);
void psg_cpu_fft_destroy(psg_cpu_fft *fft);
size_t psg_cpu_fft_scratch_bytes(const psg_cpu_fft *fft);
bool psg_cpu_fft_prepare(psg_cpu_fft *fft, const void *planes, size_t row_pitch,
                         size_t plane_pitch);
void psg_cpu_fft_xy(const psg_cpu_fft *fft, const void *plane, size_t row_pitch, void *spectrum,
                    void *scratch);
void psg_cpu_ifft_xy(const psg_cpu_fft *fft, void *spectrum, void *plane, size_t row_pitch,
                     void *scratch);
bool psg_cpu_fft_rows(const psg_cpu_fft *fft, psg_cpu_direction direction, size_t count,
                      void *reals, size_t real_pitch, void *spectra, size_t spectrum_pitch,
                      void *scratch);
bool psg_cpu_fft_z_contiguous(const psg_cpu_fft *fft, psg_cpu_direction direction, size_t count,
                              void *lines, void *scratch);
bool psg_cpu_fft_z_strided(const psg_cpu_fft *fft, psg_cpu_direction direction, size_t count,
                           void *columns, void *scratch);

/* A tile is [length_z][columns] complex; its lines are [columns][length_z]. Both 64-byte aligned,
 * apart. The points of f and u are the planes of the tile from first_z on. */
size_t psg_cpu_fft_points_z(const psg_cpu_fft *fft);
size_t psg_cpu_fft_length_z(const psg_cpu_fft *fft);
size_t psg_cpu_fft_first_z(const psg_cpu_fft *fft);
size_t psg_cpu_fft_tile_columns(const psg_cpu_fft *fft);
void psg_cpu_fft_tile_forward(const psg_cpu_fft *fft, psg_complex *tile, psg_complex *lines);
void psg_cpu_fft_tile_inverse(const psg_cpu_fft *fft, psg_complex *lines, psg_complex *tile);
/** The transform along z is of type II: kspace does it by a complex transform of a tile whose
 *  planes are in another order. @param[out] sine  else cosine @return cos and sin of pi k / (2 nz),
 *  k < nz; NULL: it is of another type */
const psg_real *psg_cpu_fft_mirrored(const psg_cpu_fft *fft, bool *sine);
/** That complex transform, unscaled, in place. */
void psg_cpu_fft_tile_mirrored(const psg_cpu_fft *fft, psg_cpu_direction direction,
                               psg_complex *tile, psg_complex *room);

/** What a transform in place works in, of a worker's scratch. */
psg_complex *psg_cpu_fft_room(const psg_cpu_fft *fft, void *scratch);
/** Transform a tile along z, in place.
 *  @param[in] room  of psg_cpu_fft_room(); of a free z it may be NULL */
void psg_cpu_fft_tile_in_place(const psg_cpu_fft *fft, psg_cpu_direction direction,
                               psg_complex *tile, psg_complex *room);
/** Is that faster than psg_cpu_fft_tile_forward()? */
bool psg_cpu_fft_stays_in_tile(const psg_cpu_fft *fft);

/** cos and sin of pi k/nz, k < nz, of a free z. */
const psg_real *psg_cpu_fft_turn(const psg_cpu_fft *fft);

/* pairs.c */
#define psg_cpu_pairs_init PSG_REAL_NAME(psg_cpu_pairs_init)
#define psg_cpu_pairs_in PSG_REAL_NAME(psg_cpu_pairs_in)
#define psg_cpu_pairs_out PSG_REAL_NAME(psg_cpu_pairs_out)
/** Real lines that are transformed two at a time, as one complex line; of nodes one at a time. */
typedef struct psg_cpu_pairs {
    size_t n;     /**< points of a line */
    size_t whole; /**< complex numbers of one */
    size_t width; /**< complex lines in a tile; 0: FFTW transforms lines of this length and kind */
    size_t lines; /**< real ones */
    psg_transform_kind kind[2];
    psg_real *turn; /**< [n][2], cos and sin of pi m / (2 n); of who has the pairs */
} psg_cpu_pairs;
/** Where lines are. */
typedef struct psg_cpu_lines {
    psg_real *memory;
    size_t point,
        line;     /**< numbers from a point to the next one, and from a line to the next one */
    bool complex; /**< the modes of a periodic line are n/2 + 1 complex numbers, else n real
                             ones, as FFTW has them in its half-complex order */
} psg_cpu_lines;
/** @param[in] lines  that are transformed in one call @return false: no memory */
bool psg_cpu_pairs_init(psg_cpu_pairs *pairs, size_t n, size_t lines,
                        const psg_transform_kind kind[2]);
/** Bring the lines from `first` on, as many of `count` as fit, into a tile [whole][width]. Its
 *  complex transform along `whole` has what psg_cpu_pairs_out() takes to the lines' new places,
 *  which may be the old ones.
 *  @param[in] direction  of the lines @return that of the complex transform */
psg_cpu_direction psg_cpu_pairs_in(const psg_cpu_pairs *pairs, psg_cpu_direction direction,
                                   size_t first, size_t count, const psg_cpu_lines *from,
                                   psg_complex *tile);
void psg_cpu_pairs_out(const psg_cpu_pairs *pairs, psg_cpu_direction direction, size_t first,
                       size_t count, psg_complex *tile, const psg_cpu_lines *to);

/* prime.c */
#define psg_cpu_largest_factor PSG_REAL_NAME(psg_cpu_largest_factor)
#define psg_cpu_way_of PSG_REAL_NAME(psg_cpu_way_of)
#define psg_cpu_prime_init PSG_REAL_NAME(psg_cpu_prime_init)
#define psg_cpu_prime_free PSG_REAL_NAME(psg_cpu_prime_free)
#define psg_cpu_prime_other PSG_REAL_NAME(psg_cpu_prime_other)
#define psg_cpu_prime_load PSG_REAL_NAME(psg_cpu_prime_load)
#define psg_cpu_prime_multiply PSG_REAL_NAME(psg_cpu_prime_multiply)
#define psg_cpu_prime_store PSG_REAL_NAME(psg_cpu_prime_store)
enum { PSG_CPU_PRIME_LINES = 8 }; /**< transformed at once */
/** How a complex transform is made. */
typedef enum psg_cpu_way {
    PSG_CPU_FFTW,
    PSG_CPU_DENSE, /**< by matrices: dense.c */
    PSG_CPU_ROOT,  /**< as a sum over differences of powers of a root */
    PSG_CPU_CHIRP  /**< and of squares */
} psg_cpu_way;
/** That of n points. With any but PSG_CPU_FFTW a pair of real lines takes less time as one complex
 *  line than two of FFTW's. */
psg_cpu_way psg_cpu_way_of(size_t n);
/** The largest prime factor of a number; 1 of 1. */
size_t psg_cpu_largest_factor(size_t n);
/** A complex transform of n points as one of m, of what is summed; or by matrices. */
typedef struct psg_cpu_prime {
    size_t n, m; /**< m: rows of a tile; 0: FFTW transforms this length */
    psg_cpu_way way;
    size_t bytes;    /**< of a vector, of a dense one */
    size_t *place;   /**< [2][m]: the powers, and those of the inverse; NULL */
    psg_real *chirp; /**< [n][2]; of a dense one cosines and sines; NULL */
    /** [direction][m][2]: the transform of psg_cpu_prime_other(), which the owner fills in; of a
     *  dense one the matrices in factor[0] */
    psg_real *factor[2];
} psg_cpu_prime;
/** @return false: no memory */
bool psg_cpu_prime_init(psg_cpu_prime *prime, size_t n);
void psg_cpu_prime_free(psg_cpu_prime *prime);
void psg_cpu_prime_other(const psg_cpu_prime *prime, psg_cpu_direction direction, size_t q,
                         psg_complex number);
/** The transform of lines, [n] rows that are `pitch` apart, of `count` <= PSG_CPU_PRIME_LINES: load
 *  a tile [m][PSG_CPU_PRIME_LINES], transform that forward along m, multiply it, transform it back,
 *  and store it. */
void psg_cpu_prime_load(const psg_cpu_prime *prime, psg_cpu_direction direction, size_t count,
                        psg_complex *lines, size_t pitch, psg_complex *tile);
void psg_cpu_prime_multiply(const psg_cpu_prime *prime, psg_cpu_direction direction, size_t count,
                            psg_complex *lines, psg_complex *tile);
void psg_cpu_prime_store(const psg_cpu_prime *prime, psg_cpu_direction direction, size_t count,
                         psg_complex *tile, psg_complex *lines, size_t pitch);

/* dense.c */
#define psg_cpu_dense_factors PSG_REAL_NAME(psg_cpu_dense_factors)
#define psg_cpu_dense_rows PSG_REAL_NAME(psg_cpu_dense_rows)
#define psg_cpu_dense_fill PSG_REAL_NAME(psg_cpu_dense_fill)
#define psg_cpu_dense PSG_REAL_NAME(psg_cpu_dense)
/** Numbers of the matrices of n points, and rows [PSG_CPU_PRIME_LINES] of the room. */
size_t psg_cpu_dense_factors(size_t n);
size_t psg_cpu_dense_rows(size_t n);
/** @param[in] waves  [n][2]: cos and sin of 2 pi j/n */
void psg_cpu_dense_fill(size_t n, const psg_real *waves, psg_real *factors);
/** The transform of lines as psg_cpu_prime_load() has them, in place. */
void psg_cpu_dense(const psg_cpu_prime *prime, psg_cpu_direction direction, size_t count,
                   psg_complex *lines, size_t pitch, psg_complex *room);

/** Is this complex number finite? A transform puts what is not into every point of a line. */
static inline bool psg_cpu_finite(const psg_complex value) {
    return isfinite(value[0]) && isfinite(value[1]);
}

/* divide.c */
#define psg_cpu_divide_line PSG_REAL_NAME(psg_cpu_divide_line)
#define psg_cpu_divide_strided PSG_REAL_NAME(psg_cpu_divide_strided)
#define psg_cpu_divide_contiguous PSG_REAL_NAME(psg_cpu_divide_contiguous)
/** What the eigenvalue along z is added to, less lambda, of both parts of the modes (i, j). */
static inline void psg_cpu_divide_base(const psg_cpu_divide *divide, size_t i, size_t j,
                                       psg_real base[2]) {
    const psg_real *ex = divide->eigen[0];
    const psg_real ey = ((const psg_real *)divide->eigen[1])[j];
    const psg_real lambda = (psg_real)divide->lambda;
    base[0] = (divide->apart ? ex[2 * i] : ex[i]) + ey - lambda;
    base[1] = (divide->apart ? ex[2 * i + 1] : ex[i]) + ey - lambda;
}

/** Divide the modes (i, j, 0 .. nz-1). */
void psg_cpu_divide_line(const psg_cpu_divide *divide, size_t i, size_t j, size_t nz,
                         psg_complex *line);
void psg_cpu_divide_strided(const psg_cpu_divide *divide, const size_t n[3], size_t row0,
                            size_t rows, void *sheet, void *scratch, void *mode0);
void psg_cpu_divide_contiguous(const psg_cpu_divide *divide, const size_t n[3], size_t row0,
                               size_t rows, void *sheet, void *scratch, void *mode0);

/* kspace.c */
#define psg_cpu_kspace PSG_REAL_NAME(psg_cpu_kspace)
bool psg_cpu_kspace(const psg_cpu_fft *fft, const psg_cpu_divide *divide,
                    const psg_cpu_sheet *sheet, void *scratch, void *mode0);

#define psg_cpu_modes_solve PSG_REAL_NAME(psg_cpu_modes_solve)
bool psg_cpu_modes_solve(const psg_cpu_fft *fft, const psg_cpu_divide *divide,
                         const psg_cpu_sheet *sheet, const psg_cpu_modes *modes, void *scratch,
                         void *mode0);

/* kspace_table.c */
#define psg_cpu_table_places PSG_REAL_NAME(psg_cpu_table_places)
#define psg_cpu_table_multiply PSG_REAL_NAME(psg_cpu_table_multiply)
#define psg_cpu_kspace_table PSG_REAL_NAME(psg_cpu_kspace_table)
/** Where the numbers of the table that both parts of the modes (i, j, 0) are multiplied by are; for
 *  mode k they are mode k of the table later. */
void psg_cpu_table_places(const psg_cpu_divide *divide, size_t i, size_t j, size_t place[2]);
/** Multiply a tile of modes.
 *  @param[in] residue  of a free z: 0 for the even ones, 1 for the odd ones; else 0
 *  @param[in] place    [columns of a tile][2] */
void psg_cpu_table_multiply(const psg_cpu_fft *fft, const psg_cpu_divide *divide, size_t residue,
                            const size_t *place, psg_complex *tile);
/** Solve the columns of a tile.
 *  @param[in]  place  [columns of a tile][2]
 *  @param[in]  room     for two tiles, along a free z
 *  @param[out] derived  a tile of derivatives along z; NULL: they are not wanted
 *  @param[out] mode0    as of kspace; of the first column */
void psg_cpu_kspace_table(const psg_cpu_fft *fft, const psg_cpu_divide *divide, const size_t *place,
                          psg_complex *tile, psg_complex *room, psg_complex *derived, void *mode0);

/* kspace_free.c */
#define psg_cpu_twist PSG_REAL_NAME(psg_cpu_twist)
#define psg_cpu_add_twisted_back PSG_REAL_NAME(psg_cpu_add_twisted_back)
#define psg_cpu_kspace_free PSG_REAL_NAME(psg_cpu_kspace_free)
/** A tile along a free z: to = from w, whose transform has the odd modes of from; and back, to +=
 *  from / w. */
void psg_cpu_twist(const psg_cpu_fft *fft, psg_complex *from, psg_complex *to);
void psg_cpu_add_twisted_back(const psg_cpu_fft *fft, psg_complex *from, psg_complex *to);
/** Solve the columns of a tile along a free z.
 *  @param[in]  base   [columns][2], of both parts of each column
 *  @param[in]  room     for three tiles
 *  @param[out] derived  as of kspace_table, where there is no wall
 *  @param[out] mode0    as of kspace; of the first column */
void psg_cpu_kspace_free(const psg_cpu_fft *fft, const psg_cpu_divide *divide, const psg_real *base,
                         size_t columns, psg_complex *tile, psg_complex *room, psg_complex *derived,
                         void *mode0);

/* flow.c */
#define psg_cpu_divergence PSG_REAL_NAME(psg_cpu_divergence)
#define psg_cpu_subtract PSG_REAL_NAME(psg_cpu_subtract)
void psg_cpu_divergence(const psg_cpu_flow *flow, const size_t n[2], void *result);
void psg_cpu_subtract(const void *plane, const size_t n[2], double scale, void *from,
                      size_t row_pitch);

/* line.c */
#define psg_cpu_kspace_line PSG_REAL_NAME(psg_cpu_kspace_line)
/** kspace with a psg_cpu_divide.line.
 *  @param[in] step  complex numbers from a column of the sheet to the next one */
bool psg_cpu_kspace_line(const psg_cpu_divide *divide, const psg_cpu_sheet *sheet, size_t step,
                         void *scratch, void *mode0);

/* green_rows.c */
#define psg_cpu_green_rows PSG_REAL_NAME(psg_cpu_green_rows)
void psg_cpu_green_rows(const psg_cpu_green *green, size_t row0, size_t rows, void *table);

/* gradient.c, normalize.c, reduce.c, sides.c */
#define psg_cpu_gradient PSG_REAL_NAME(psg_cpu_gradient)
#define psg_cpu_differentiate PSG_REAL_NAME(psg_cpu_differentiate)
#define psg_cpu_slope_modes PSG_REAL_NAME(psg_cpu_slope_modes)
#define psg_cpu_normalize PSG_REAL_NAME(psg_cpu_normalize)
#define psg_cpu_find_nonfinite PSG_REAL_NAME(psg_cpu_find_nonfinite)
#define psg_cpu_max_abs PSG_REAL_NAME(psg_cpu_max_abs)
#define psg_cpu_first PSG_REAL_NAME(psg_cpu_first)
#define psg_cpu_add_sides PSG_REAL_NAME(psg_cpu_add_sides)
void psg_cpu_gradient(const psg_cpu_gradient_args *args, const size_t n[2]);
void psg_cpu_differentiate(const void *modes, size_t nxc, size_t rows, const void *by,
                           const size_t step[2], double scale, void *result);
void psg_cpu_slope_modes(const psg_cpu_slope *slope, const void *modes, double scale, void *result);
void psg_cpu_normalize(void *values, size_t count, double factor);
size_t psg_cpu_find_nonfinite(const void *values, size_t count);
double psg_cpu_max_abs(const void *values, size_t count);
double psg_cpu_first(const void *values);
void psg_cpu_add_sides(const void *plane, size_t row_pitch, const size_t n[2],
                       const psg_cpu_sides *sides, void *result);

#endif
