/** @file ops.h  What a CPU core can do, in one precision: the table through which codelets call it.
 *
 * Element types are the table's: "real" is double or float, "complex" two of them. Shapes as in
 * C, the last index fastest; nxc = psg_transform_row(), nyc = psg_transform_length() along y.
 */
#ifndef PSG_CPU_OPS_H
#define PSG_CPU_OPS_H

#include "cpu/green.h"
#include "cpu/transform.h"

/** All transforms of one grid; safe to execute from any number of threads. */
typedef struct psg_cpu_fft psg_cpu_fft;

typedef enum psg_cpu_effort {
    PSG_CPU_ESTIMATE = 0,
    PSG_CPU_MEASURE,
    PSG_CPU_PATIENT
} psg_cpu_effort;

typedef enum psg_cpu_direction { PSG_CPU_FORWARD = 0, PSG_CPU_INVERSE } psg_cpu_direction;

typedef struct psg_cpu_fft_spec {
    size_t nx, ny, nz;
    psg_transform_kind kind[3][2]; /**< [axis][direction] */
    psg_cpu_effort effort;
    const char
        *wisdom; /**< what FFTW learnt before, as it was exported: FFTW stops the process over
                             a text that is damaged; NULL: nothing */
    /** along x and y: points that are transformed back, and the first of the field's among these.
     *  The last one of the field may be beyond, and is 0. 0: as the kind says */
    size_t length[2], first[2];
} psg_cpu_fft_spec;

/** The modes of a Green's function, of some of its rows: that of a grid with a free side along x or
 *  y (cpu/green.h), or one of the caller's. */
typedef struct psg_cpu_table {
    size_t modes[3];
    size_t shift[3];     /**< mode m of a transform is mode m + shift here */
    size_t first;        /**< the first row that is here */
    const void *values;  /**< reals [rows][mz][mx] */
    void *const *on_gpu; /**< by StarPU worker number: a copy of the values on its GPU */
} psg_cpu_table;

/** An axis that goes on for ever at one end, or at both. */
typedef struct psg_cpu_free {
    double length; /**< of the box along it */
    bool stencil;  /**< the symbol is fd2, else spectral */
    int wall[2];   /**< at the lower and at the upper end: -1 Dirichlet, 1 Neumann, 0 free */
} psg_cpu_free;

/** The second difference along z, in f64. Row k of minus the equation of a column is
 *      -before u[k-1] + (before + after + side + s) u[k] - after u[k+1] = minus f,
 *  s the same in all rows. Only where z wraps, the first point is next to the last one. */
typedef struct psg_cpu_line {
    size_t n; /**< 0: there is none */
    bool wraps;
    bool null;      /**< without s the equation has no solution for a mean of f */
    double *before; /**< [n], >= 0; at a side 0 */
    double *after;  /**< [n] */
    double *side;   /**< [n], >= 0: what a Dirichlet or a Robin side adds */
    double *width;  /**< [n]: the length of z that a point stands for */
    double *step;   /**< [n]: 1 / the distance to the next point */
    double last;    /**< the derivative beyond the last point, where z does not wrap, is last u */
    /** below and above, the width of the cells that follow one another for ever beyond an open end;
     *  0: it is not open. What such an end adds is psg_symbol_open() of s */
    double open[2];
    /** of a column without s that has no side: through which ends the sum of f leaves, 1 in all,
     *  and share[0] u[0] + share[1] u[n-1] = reach times it. Both 0: its mean is dropped */
    double share[2], reach;
    double norm;      /**< that of a transform in place of the line, which divide.scale is for */
    double *eigen[2]; /**< the eigenvalues along x and y, as psg_cpu_divide has them */
} psg_cpu_line;

/** Multiply mode (i, j, k) by scale / (eigen_x[i] + eigen_y[j] + eigen_z[k] - lambda), and by 0
 *  where that denominator is 0. */
typedef struct psg_cpu_divide {
    const void *eigen[3]; /**< real tables, one per axis: nxc, nyc and nz values */
    /** the real and the imaginary part are modes of their own: eigen[0] has 2 nxc values */
    bool apart;
    double lambda;
    double scale;
    /** z has a free end, and eigen[2] the even modes of 2 nz points, then the odd ones. NULL: z has
     *  none */
    const psg_cpu_free *free;
    /** multiply by -scale times this instead; NULL: there is none */
    const psg_cpu_table *table;
    /** solve the columns without a transform along z; NULL: with one */
    const psg_cpu_line *line;
    /** complex, nz: by what modes are multiplied for the derivative along z, where a sheet has room
     *  for it and there is no line */
    const void *derivative;
} psg_cpu_divide;

/** Part of a sheet: complex planes of [rows][nxc], `pitch` complex numbers apart. */
typedef struct psg_cpu_piece {
    void *memory;
    size_t pitch;
    size_t planes;
} psg_cpu_piece;

/** Columns of a sheet that are transformed together: kspace does a last few as so many. */
enum { PSG_CPU_TILE_COLUMNS = 16 };

/** A sheet in pieces, one after the other along z. */
typedef struct psg_cpu_sheet {
    size_t pieces;
    const psg_cpu_piece *piece;
    /** `pieces` more, for the derivative along z of what is in `piece`; NULL: it is not wanted */
    const psg_cpu_piece *beside;
    size_t nxc;
    size_t first; /**< before its first column, numbers of a plane of the spectrum, [ky][nxc] */
    size_t columns;
} psg_cpu_sheet;

/** Modes of a sheet that are the caller's, each of them one piece of all planes. */
typedef struct psg_cpu_modes {
    const psg_cpu_piece *in;  /**< of f; NULL: the sheet has f, transformed along x and y */
    const psg_cpu_piece *out; /**< of u, times `norm`; `in` itself is fine; NULL: not wanted */
    double norm;
    bool back; /**< the sheet gets u, to be transformed back along x and y */
} psg_cpu_modes;

/** Reals that are added to a plane [ny][nx] of f; NULL: nothing. */
typedef struct psg_cpu_sides {
    const void *x[2]; /**< [ny], to the first and to the last point of each row */
    const void *y[2]; /**< [nx], to the first and to the last row */
    const void *z[2]; /**< [ny][nx], to all of it */
} psg_cpu_sides;

/** The differences of u along an axis, from each point to the next. */
typedef struct psg_difference {
    double scale;  /**< 1/h: the difference is scale (next - u) */
    double last;   /**< and beyond the last point, where it does not wrap, last u + */
    double weight; /**< weight times what the values on the upper side add to f there */
    long wraps;    /**< the axis is periodic: the first point is next to the last one */
    long centred;  /**< on GPUs: the result has (next - before)/(2h), which there is beyond the last
                        point too: the difference there is twice that less the one before */
} psg_difference;

/** A plane of u, and of the components of its gradient. */
typedef struct psg_cpu_gradient_args {
    const void *u; /**< [ny][nx] */
    size_t row_pitch;
    const void *above; /**< the next plane; NULL: there is a side */
    size_t above_pitch;
    psg_difference along[3];
    const void
        *added[3];   /**< what the values on the upper sides add to f: [ny], [nx], [ny][nx]; NULL:
                  nothing */
    void *result[3]; /**< by component, [ny][nx]; NULL: not wanted */
    size_t result_pitch[3];
} psg_cpu_gradient_args;

/** What makes the modes of the differences along x or y, of real modes along that axis. Along a
 *  periodic y, whose modes are in FFTW's half-complex order, they are complex. */
typedef struct psg_cpu_slope {
    psg_cpu_fft *fft; /**< for ifft_xy(); NULL: no axis is one of cosines or sines */
    int axis;
    const void *by; /**< complex, by mode: what it is multiplied by */
    int shift;      /**< mode m goes to place m + shift, where there is one. Other places get 0 */
    size_t n[2];    /**< reals of a row of modes, and rows */
    size_t room[2]; /**< those of the result */
} psg_cpu_slope;

/** A plane of a flow through the upper faces of cells. */
typedef struct psg_cpu_flow {
    const void *v[3]; /**< along x, y and z: [ny][nx] */
    size_t row_pitch[3];
    const void *below; /**< v[2] of the plane below; NULL: nothing flows there */
    size_t below_pitch;
    double by[3];  /**< 1/h */
    bool wraps[2]; /**< along x and y: the first cell is next to the last one; else nothing flows
                        into it from below */
} psg_cpu_flow;

/** What is done to a whole sheet, in place. */
typedef struct psg_cpu_sheet_ops {
    /** Transform `count` complex lines of nz along z, unscaled.
     *  @return false: a NaN or an Inf stands in a line, and so in all of it */
    bool (*fft_z)(const psg_cpu_fft *fft, psg_cpu_direction direction, size_t count, void *lines,
                  void *scratch);
    /** Divide rows [row0, row0 + rows).
     *  @param[in]  n      nxc, ny, nz
     *  @param[in]  scratch  of psg_cpu_divide.line
     *  @param[out] mode0  one complex: the mode (0,0,0) before the division, if the sheet has it;
     *  may be NULL */
    void (*divide)(const psg_cpu_divide *divide, const size_t n[3], size_t row0, size_t rows,
                   void *sheet, void *scratch, void *mode0);
} psg_cpu_sheet_ops;

struct psg_cpu_ops {
    size_t real_bytes;

    /** Plan every transform of a grid. @return NULL: no memory, or FFTW found no plan */
    psg_cpu_fft *(*fft_create)(const psg_cpu_fft_spec *spec);
    /** Did FFTW search for a plan that the wisdom did not have? */
    bool (*fft_learnt)(const psg_cpu_fft *fft);
    /** All that FFTW has learnt in this process, and `more`, an exported text or NULL; to be freed
     *  by free(). @return NULL: no memory */
    char *(*fft_wisdom)(const char *more);
    void (*fft_destroy)(psg_cpu_fft *fft);
    /** Bytes of scratch that a thread needs to run any function below that asks for it, aligned
     *  to 64. */
    size_t (*fft_scratch_bytes)(const psg_cpu_fft *fft);
    /** Make sure that planes from this address on can be transformed, whose rows, and which
     *  themselves, are so many reals apart.
     *  @return false: FFTW found no plan */
    bool (*fft_prepare)(psg_cpu_fft *fft, const void *planes, size_t row_pitch, size_t plane_pitch);

    /** real [ny][nx], rows row_pitch apart -> complex [nyc][nxc], unscaled; and back, which
     *  destroys the spectrum. The scratch may begin with the spectrum. */
    void (*fft_xy)(const psg_cpu_fft *fft, const void *plane, size_t row_pitch, void *spectrum,
                   void *scratch);
    void (*ifft_xy)(const psg_cpu_fft *fft, void *spectrum, void *plane, size_t row_pitch,
                    void *scratch);
    /** fft_xy, or ifft_xy that leaves the spectra, of planes of one row each, so many
     *  numbers apart.
     *  @return false: nothing is done, and the planes are to be transformed one by one */
    bool (*fft_rows)(const psg_cpu_fft *fft, psg_cpu_direction direction, size_t count, void *reals,
                     size_t real_pitch, void *spectra, size_t spectrum_pitch, void *scratch);

    psg_cpu_sheet_ops contiguous; /**< of sheets [rows][nxc][nz] */
    psg_cpu_sheet_ops strided;    /**< of sheets [nz][rows][nxc], by tiles */

    /** One sheet, from forward_xy's pieces to inverse_xy's, in place: transform along z, divide,
     *  transform back; each piece is read and written once. With psg_cpu_divide.line there is
     *  no transform.
     *  @param[out] mode0  one complex: the mode (0,0,0) before the division, if the sheet has it:
     *                     the sum of f, and not finite where f is not; may be NULL
     *  @return false: a NaN or an Inf stands in the sheet */
    bool (*kspace)(const psg_cpu_fft *fft, const psg_cpu_divide *divide, const psg_cpu_sheet *sheet,
                   void *scratch, void *mode0);

    /** kspace without a transform along z to the caller's modes, or from them. Where z is not free.
     *  @param[out] mode0  as of kspace @return false: a NaN or an Inf stands in what it wrote */
    bool (*modes)(const psg_cpu_fft *fft, const psg_cpu_divide *divide, const psg_cpu_sheet *sheet,
                  const psg_cpu_modes *modes, void *scratch, void *mode0);

    /** values *= factor, count reals. */
    void (*normalize)(void *values, size_t count, double factor);

    /** Index of the first NaN or Inf among count reals; count if there is none. */
    size_t (*find_nonfinite)(const void *values, size_t count);
    /** Largest absolute value of count finite reals. */
    double (*max_abs)(const void *values, size_t count);
    /** The first of some reals, as a double. */
    double (*first)(const void *values);

    /** A plane, rows row_pitch apart, and what the sides add to it. @param[out] result  dense,
     * [ny][nx] */
    void (*add_sides)(const void *plane, size_t row_pitch, const size_t n[2],
                      const psg_cpu_sides *sides, void *result);

    /** Components of the gradient of a plane. @param[in] n  nx, ny */
    void (*gradient)(const psg_cpu_gradient_args *args, const size_t n[2]);

    /** Modes (i, j) of a Fourier transform times scale and a complex number.
     *  @param[in] modes  complex [rows][nxc]
     *  @param[in] by     complex; that of mode (i, j) is by[i step[0] + j step[1]]
     *  @param[in] step   0 or 1; not both 1 */
    void (*differentiate)(const void *modes, size_t nxc, size_t rows, const void *by,
                          const size_t step[2], double scale, void *result);

    /** The modes of a component of the gradient, where x or y has cosines and sines.
     *  @param[in] modes  complex [nyc][nxc] */
    void (*slope)(const psg_cpu_slope *slope, const void *modes, double scale, void *result);

    /** Of each cell what flows out of it. @param[out] result  dense, [ny][nx] */
    void (*divergence)(const psg_cpu_flow *flow, const size_t n[2], void *result);
    /** from -= scale plane. @param[in] plane  dense, [ny][nx] */
    void (*subtract)(const void *plane, const size_t n[2], double scale, void *from,
                     size_t row_pitch);

    /** Rows [row0, row0 + rows) of a Green's function. @param[out] table  [rows][mz][mx] */
    void (*green_rows)(const psg_cpu_green *green, size_t row0, size_t rows, void *table);
};
typedef struct psg_cpu_ops psg_cpu_ops;

extern const psg_cpu_ops psg_cpu_ops_f64;
extern const psg_cpu_ops psg_cpu_ops_f32;

/** Transform `count` arrays of up to three axes with points[0], points[1], ... = n + 1 numbers, the
 *  last axis the fastest in memory, `pitch` numbers apart, in place. Along each axis
 *  v[m] = v[0] + (-1)^m v[n] + 2 sum of v[a] cos(pi a m/n) over 0 < a < n.
 *  @return false: FFTW found no plan */
bool psg_cpu_cosines(int axes, const int *points, size_t count, size_t pitch, double *lines);

/** line_tables.open, take, level and drop of kernels/line.cuh.
 *  @param[in] length  the sum of width */
void psg_cpu_line_open(const psg_cpu_line *l, double length, double to[7]);
/** Bytes of scratch that kspace needs for a psg_cpu_line of n points. */
size_t psg_cpu_line_scratch_bytes(size_t n);

/** FFTW's version, as it says it itself. */
const char *psg_cpu_fftw_version(void);
/** "FFTW"; where the host program has the same one, the file that its functions are from, which may
 *  be another library with FFTW's names, such as Intel MKL's. */
const char *psg_cpu_fftw_name(void);

#endif
