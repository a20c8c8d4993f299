/** @file common.h  What the headers of kernels/ share. C and C++ at once.
 *
 * Every launcher works on raw device pointers and one stream, allocates nothing, waits for nothing,
 * and returns a cudaError_t: cudaSuccess, or what the launch or its check of the arguments said
 * (cudaErrorInvalidValue: nothing was launched). Errors of the kernel itself come out of the
 * stream. Element counts and pitches are in elements. `_d` is a device pointer, and may point into
 * the memory of another GPU where peer access is on.
 */
#ifndef PSG_KERNELS_COMMON_H
#define PSG_KERNELS_COMMON_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Same values as psg_precision. */
typedef enum psg_cuda_precision { PSG_CUDA_F64 = 0, PSG_CUDA_F32 } psg_cuda_precision;

/** How a sheet of `rows` ky rows, nxc points a row and nz planes lies in memory. */
typedef enum psg_cuda_layout {
    PSG_CUDA_Z_STRIDED = 0, /**< [nz][rows][nxc] */
    PSG_CUDA_Z_CONTIGUOUS   /**< [rows][nxc][nz] */
} psg_cuda_layout;

/** What is done along an axis: the complex DFT, or a real-to-real transform, which works on the
 *  real and on the imaginary parts alike. Names, definitions and scales are FFTW's. */
typedef enum psg_cuda_r2r {
    PSG_CUDA_DFT = 0,
    PSG_CUDA_R2HC,
    PSG_CUDA_HC2R,
    PSG_CUDA_REDFT00,
    PSG_CUDA_REDFT10,
    PSG_CUDA_REDFT01,
    PSG_CUDA_REDFT11,
    PSG_CUDA_RODFT00,
    PSG_CUDA_RODFT10,
    PSG_CUDA_RODFT01,
    PSG_CUDA_RODFT11,
    PSG_CUDA_R2R_KINDS,
    /* An axis with a free end: of z see psg_cuda_free, and of kspace.h alone. Along x or y a
     * transform of twice as many points, of which those past the axis' own are 0. And where numbers
     * have two modes along x. */
    PSG_CUDA_FREE = PSG_CUDA_R2R_KINDS,
    PSG_CUDA_FREE_PAIRS,
    /* An axis with one free end and a wall, of fft.h alone: REDFT10 and RODFT10 of twice as many
     * points, of which those past the axis' own are 0. _END: those before them are. */
    PSG_CUDA_FREE_COS,
    PSG_CUDA_FREE_SIN,
    PSG_CUDA_FREE_COS_END,
    PSG_CUDA_FREE_SIN_END,
    /* Of kspace.h alone: z with a psg_cuda_line; where numbers have two modes along x; and where
     * the derivative along z is written beside u. */
    PSG_CUDA_LINE,
    PSG_CUDA_LINE_PAIRS,
    PSG_CUDA_LINE_BESIDE,
    /* Of kspace.h alone: z with a psg_cuda_table, and as PSG_CUDA_DFT, _FREE and _FREE_PAIRS; or
     * as none of these, which has no kernel there. */
    PSG_CUDA_TABLE_SIDES,
    PSG_CUDA_TABLE_DFT,
    PSG_CUDA_TABLE_FREE,
    PSG_CUDA_TABLE_PAIRS
} psg_cuda_r2r;

/** Points that are transformed along x or y, or by fft.h along z, for n points of a field. */
static inline size_t psg_cuda_length(psg_cuda_r2r kind, size_t n) {
    return kind >= PSG_CUDA_FREE && kind <= PSG_CUDA_FREE_SIN_END ? 2 * n : n;
}

/** Of these, the first of the field. */
static inline size_t psg_cuda_first(psg_cuda_r2r kind, size_t n) {
    return kind == PSG_CUDA_FREE_COS_END || kind == PSG_CUDA_FREE_SIN_END ? n : 0;
}

/** The planes of f or u that a kernel reads or writes: point (i,j,k) is real i + j row_pitch + k
 *  plane_pitch from base_d on. Ghost layers and padded rows are pitches; what stands between the
 *  points is not written. */
typedef struct psg_cuda_field {
    void *base_d;       /**< the first point; aligned to one real */
    size_t row_pitch;   /**< reals; >= nx */
    size_t plane_pitch; /**< reals; >= ny row_pitch */
} psg_cuda_field;

static inline psg_cuda_field psg_cuda_dense_field(void *base_d, size_t nx, size_t ny) {
    const psg_cuda_field field = {base_d, nx, ny * nx};
    return field;
}

/** Do the reals of the field follow one another? */
static inline bool psg_cuda_field_is_dense(const psg_cuda_field *field, size_t nx, size_t ny) {
    return field->row_pitch == nx && field->plane_pitch == ny * nx;
}

/** The planes of one segment, as a sheet sees them: [planes][rows of the sheet][nxc] complex
 *  numbers, a plane every plane_pitch of them. A packed block has plane_pitch = rows * nxc; a view
 *  of the sheet's rows inside a segment's spectrum [planes][ny][nxc] has plane_pitch = ny * nxc. */
typedef struct psg_cuda_segment {
    void *base_d;       /**< first plane, first row; aligned to one complex number */
    size_t planes;      /**< >= 1 */
    size_t plane_pitch; /**< complex numbers */
} psg_cuda_segment;

/** Rows of a sheet that stand together, in each of its planes. */
typedef struct psg_cuda_band {
    const psg_cuda_segment *segments; /**< [count]; together nz planes */
    size_t count;                     /**< >= 1 */
    size_t rows;
    const psg_cuda_segment
        *to; /**< [to_count]: where the results of `segments` go; NULL: in place */
    size_t to_count;
    const psg_cuda_segment
        *beside; /**< [beside_count]: where the derivative along z goes, which lies between the
                      planes: PSG_CUDA_LINE_BESIDE alone; else NULL */
    size_t beside_count;
} psg_cuda_band;

/** The numbers in a plane of a sheet, each the begin of a column: `rows` of nxc, either one after
 *  the other in the order of kx, or in strips, [strip][row][the strip's width], which all are
 *  `strip` wide but the last, that may be narrower. In strips nxc is M + 1 with M even, and the
 *  numbers of a row are in the order kx = 0, 1, .. M/2-1, then M, M-1, .. M/2+1, then M/2: what the
 *  transform along x makes together is together. */
typedef struct psg_cuda_columns {
    size_t rows;
    size_t nxc;
    size_t strip; /**< <= nxc; 0: no strips */
} psg_cuda_columns;

/** A z with a free end: f is 0 beyond it, and u goes on for ever. */
typedef struct psg_cuda_free {
    double length; /**< of the box along z */
    bool stencil;  /**< the symbol is fd2, else spectral */
    int wall[2];   /**< at the lower and at the upper end: -1 Dirichlet, 1 Neumann, 0 free */
} psg_cuda_free;

/** The equations along z of psg_cpu_line (cpu/ops.h), which are solved without a transform. */
typedef struct psg_cuda_line {
    /** link [n + 1]: 1 / the distance from row k - 1 to row k, 0 where there is no such row, and
     *  of row 0 and after the last row the same where z wraps. width [n]. What the sides add to the
     *  first row and to the last one, times their widths. The sum of width. What u at the last
     *  point is multiplied by to be the derivative beyond it, where z does not wrap.
     *  line_tables.open, take, level and drop (kernels/line.cuh). NULL: no equations */
    const double *tables_d;
    bool null;
    double norm; /**< u and the mean of f are multiplied by it */
} psg_cuda_line;

/** The modes of a Green's function, by which those of f are multiplied, times -scale, instead of a
 *  division: where x or y is free. Of twice as many points the modes m and 2n - m are one. */
typedef struct psg_cuda_table {
    const void *values_d; /**< reals of the precision [rows][modes[2]][modes[0]]; NULL: no table */
    size_t modes[3];      /**< along x, y and z */
    size_t first;         /**< the mode along y of the first row that is there */
    size_t row0;          /**< the mode along y of the first row of the sheet */
} psg_cuda_table;

/** The division in spectral space: the mode (i, j, k) of a sheet is multiplied by
 *  scale / (ex[i] + ey[j] + ez[k] - lambda), and by 0 where that denominator is 0. */
typedef struct psg_cuda_symbol {
    const void *ex_d; /**< [nxc] reals of the precision: eigenvalues along x; [nxc][2] if `pairs` */
    const void *ey_d; /**< [rows]: along y, from the first row of the sheet on */
    const void *ez_d; /**< [nz]: along z; of a free z [2 nz]: of the even modes of 2 nz points, then
                           of the odd ones */
    double lambda;
    double scale;     /**< 1 / (nx ny nz), or 1 where normalising is another kernel's work */
    void *mode0_d;    /**< NULL, or one complex number that gets the mode (0, 0, 0) of this sheet
                        before the division: the mean of f times the number of points, and not
                        finite if any f was not. Give it for the sheet with ky = 0 only. */
    int *nonfinite_d; /**< NULL, or a flag that is set to 1 if a number of the sheet is NaN or
                           infinite, an overflow of the transform along z included; device or pinned
                           host memory */
    /** the real and the imaginary part of a number are two modes along x, and each has an
     *  eigenvalue: not with PSG_CUDA_DFT and _FREE along z */
    bool pairs;
    psg_cuda_free free; /**< read with a free z alone */
    psg_cuda_table table;
    const void *waves_d; /**< NULL; or of a free z without a wall, and without `pairs`: [2 nz] reals
                              like ez_d, by which the modes are multiplied, too */
    /** read with PSG_CUDA_LINE, _PAIRS and _BESIDE alone: mode0_d gets the mean along z of the sums
     *  of f in planes, times `norm` */
    psg_cuda_line line;
} psg_cuda_symbol;

/** The words for a code returned by anything here: a cudaError_t, or cuFFT's code as the functions
 *  of fft.h give it. Static. */
const char *psg_cuda_error_string(int code);

/** Does a code of these say that there was no memory, so that with less it could work? */
bool psg_cuda_error_is_out_of_memory(int code);

#ifdef __cplusplus
}
#endif
#endif
