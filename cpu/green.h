/** @file green.h  Green's function of a box with two or three free axes, as a table over the modes.
 *
 * A free axis of n points is solved on 2 n points. The function is real and even, so the modes
 * 0 .. n of the 2 n are all that the table has: T[m] = T[2 n - m]. Any other axis has a mode for
 * each of its eigenvalues. With the mode of f taken as a plain sum over the points,
 *
 *   u = inverse transform of T times the modes of f   solves   lambda u - lap(u) = f
 *
 * where the inverse has the factor 1/(2 n) of a free axis. T is a sum of products, which are made
 * once and then shared by all that make rows of the table:
 *
 *   T[my][mz][mx] = sum over the terms of Z[term][mz] Y[term][my] X[term][mx]
 */
#ifndef PSG_CPU_GREEN_H
#define PSG_CPU_GREEN_H

#include <stddef.h>

typedef enum psg_cpu_green_kind {
    PSG_CPU_GREEN_SPECTRAL = 0, /**< exact for a smooth f that is 0 near the ends */
    PSG_CPU_GREEN_FD2,          /**< of the stencil of 7 points */
    PSG_CPU_GREEN_IGF           /**< the integrated Green's function: its mean over a cell */
} psg_cpu_green_kind;

typedef struct psg_cpu_green_axis {
    size_t modes;        /**< of the table: of a free axis its points + 1 */
    double spacing;      /**< of the points of a free axis */
    const double *eigen; /**< [modes], none is positive; NULL: the axis is free */
} psg_cpu_green_axis;

typedef struct psg_cpu_green_spec {
    psg_cpu_green_axis axis[3]; /**< x, y, z; two are free at least */
    psg_cpu_green_kind kind;
    double lambda; /**< at least 0 */
    /** Where two axes are free and lambda is 0, a mode of the third with the eigenvalue 0 has the
     *  function -log(r / zero_at) / (2 pi), of every kind: of FD2 and IGF where r is many cells. */
    double zero_at;
} psg_cpu_green_spec;

/** Numbers that may be read after the last factor of an axis. */
enum { PSG_CPU_GREEN_BEYOND = 16 };

/** The products. */
typedef struct psg_cpu_green {
    size_t terms;
    size_t modes[3];
    size_t pitch[3];   /**< at least modes: a whole number of cache lines */
    double *factor[3]; /**< of x, y, z: [terms][pitch] */
} psg_cpu_green;

/** @param[in] spec  borrowed until return
 *  @return NULL: no memory, or FFTW found no plan */
psg_cpu_green *psg_cpu_green_create(const psg_cpu_green_spec *spec);
void psg_cpu_green_destroy(psg_cpu_green *green); /**< NULL: nothing happens */

/* The rows of the table are made by psg_cpu_ops.green_rows(), in either precision. */

#endif
