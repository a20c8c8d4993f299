/** @file qr.h  Householder QR by tiles, on LAPACK. A tile is column-major and dense: its pitch is its number of rows.
 *
 * geqrt factors a tile, A = Q R. tsqrt factors the triangle R of the tile above with a tile, which makes a new R. Each
 * leaves reflectors V and their factors T. unmqr and tsmqr apply them to the tiles on the right. The names are PLASMA's.
 */
#ifndef PSG_CPU_QR_H
#define PSG_CPU_QR_H

#include "base/qr.h"

#include <stdbool.h>
#include <stdint.h>

/** A matrix within a larger one: column c begins `pitch` reals after column c - 1. */
typedef struct psg_cpu_columns {
    void *first;
    size_t pitch;
} psg_cpu_columns;

/** Element types are the table's: double or float. `work` is [inner][max(cols, depth)] reals of scratch. */
typedef struct psg_cpu_qr {
    size_t real_bytes;
    double epsilon; /**< the most that rounding changes a number by, relatively */

    /** Uniform random numbers between -1 and 1: rows x cols of a column-major matrix that has `pitch` rows, from the element
     *  on that has the number `first` in it. */
    void (*random)(const base_qr_shape *n, uint64_t first, size_t pitch, void *tile);
    /** Random signs, 1 or -1, from the number `first` of the sequence on. */
    void (*signs)(size_t count, uint64_t first, void *x);

    /** A = Q R: R replaces the upper triangle of the tile, and V stands below. rows >= cols.
     *  @param[out] t  [depth][inner] @param[out] v  [depth][rows]: V alone, with its ones and zeros */
    void (*geqrt)(const base_qr_shape *n, void *a, void *t, void *v, void *work);
    /** (R; A) = Q (R'; 0): R' replaces R, and V replaces A. @param[in,out] r  its upper triangle alone: depth x depth */
    void (*tsqrt)(const base_qr_shape *n, psg_cpu_columns r, void *a, void *t, void *work);
    /** C = Q^T C with geqrt's Q, or Q C. */
    void (*unmqr)(const base_qr_shape *n, bool transposed, const void *v, const void *t,
                  psg_cpu_columns c, void *work);
    /** (B; C) = Q^T (B; C) with tsqrt's Q, or Q (B; C). @param[in,out] b  depth x cols */
    void (*tsmqr)(const base_qr_shape *n, bool transposed, const void *v, const void *t,
                  psg_cpu_columns b, psg_cpu_columns c, void *work);

    /** y += A x, of rows x depth and depth x cols. */
    void (*add_product)(const base_qr_shape *n, psg_cpu_columns a, psg_cpu_columns x,
                        psg_cpu_columns y);
    /** The upper triangle of a tile, with zeros below. */
    void (*upper)(const base_qr_shape *n, const void *a, void *r);
    /** The sum of squares of x - y. @param[in] y  NULL: zeros */
    double (*squares)(size_t count, const void *x, const void *y);
} psg_cpu_qr;

/** Load LAPACK, unless it is loaded. Thread-safe. @return NULL: it is there; else why not, in words, until the next call */
const char *psg_cpu_lapack_load(void);
/** @return NULL: it is not there */
const psg_cpu_qr *psg_cpu_qr_of(bool is_float);

/** LAPACK's version, of that with which psg was built; NULL: built without. Static. Nothing is loaded. */
const char *psg_cpu_lapack_version(void);

/** Once it is loaded: do functions of LAPACK give right answers to several threads at once? */
bool psg_cpu_blas_shared(void);

/** Between these two OpenBLAS, which has threads of its own for the whole process, uses the caller's alone: a task is one core's.
 *  Calls nest, and are thread-safe. */
void psg_cpu_blas_begin(void);
void psg_cpu_blas_end(void);

#endif
