/** @file qr.h  QR by tiles: by Householder reflectors, on a core by LAPACK and the updates on a GPU
 * by cuBLAS; or by Givens rotations on cores. Matrices are column-major. A tile is dense: its pitch
 * is its number of rows.
 *
 * geqrt factors a tile, A = Q R. tsqrt factors the triangle R of the tile above with a tile, which
 * makes a new R. Each leaves reflectors V and their factors T, or the sines V and the cosines T of
 * its rotations. unmqr and tsmqr apply them to the tiles on the right. The names are PLASMA's.
 */
#ifndef WORKLOADS_QR_H
#define WORKLOADS_QR_H

#include "workloads/workload.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef WORKLOADS_CUDA
#include "kernels/common.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** What a task works on. Matrices are column-major, and tiles are dense. `depth` reflectors are
 * applied together in blocks of `inner`, whose triangular factors stand side by side in a matrix T
 * of inner x depth, as LAPACK has it. */
typedef struct qr_sizes {
    size_t rows;  /**< of the tile that is factored or updated */
    size_t cols;  /**< of it */
    size_t depth; /**< reflectors; of a tile that is factored, its columns */
    size_t inner; /**< at most depth; of rotations, as many as rows: T is as large as V */
} qr_sizes;

/** A matrix within a larger one: column c begins `pitch` reals after column c - 1. */
typedef struct qr_columns {
    void *first;
    size_t pitch;
} qr_columns;

/** What makes the zeros. A method's four functions work on the data of tasks alike. */
typedef enum qr_by { QR_HOUSEHOLDER = 0, QR_GIVENS, QR_METHODS } qr_by;

/** Of columns that are rotated at once. */
enum { QR_STRIP_BYTES = 128 };

/** Element types are the table's: double or float. `work` is scratch: [inner][max(cols, depth)]
 * reals of Householder's, [2][tile][QR_STRIP_BYTES] bytes of Givens'. */
typedef struct qr_method {
    /** A = Q R: R replaces the upper triangle of the tile, and V stands below, or zeros. rows >=
     * cols.
     *  @param[out] t  [depth][inner] @param[out] v  [depth][rows]: V alone, of reflectors with its
     * ones and zeros */
    void (*geqrt)(const qr_sizes *n, void *a, void *t, void *v, void *work);
    /** (R; A) = Q (R'; 0): R' replaces R, and V replaces A. @param[in,out] r  depth x depth: its
     * upper triangle alone; of Givens' with zeros below, which stay */
    void (*tsqrt)(const qr_sizes *n, qr_columns r, void *a, void *t, void *work);
    /** C = Q^T C with geqrt's Q, or Q C. */
    void (*unmqr)(const qr_sizes *n, bool transposed, const void *v, const void *t, qr_columns c,
                  void *work);
    /** (B; C) = Q^T (B; C) with tsqrt's Q, or Q (B; C). @param[in,out] b  depth x cols */
    void (*tsmqr)(const qr_sizes *n, bool transposed, const void *v, const void *t, qr_columns b,
                  qr_columns c, void *work);
} qr_method;

/** Element types are the table's, as those of its methods. */
typedef struct qr_functions {
    size_t real_bytes;
    double epsilon; /**< the most that rounding changes a number by, relatively */
    const qr_method *by[QR_METHODS];

    /** Uniform random numbers between -1 and 1: rows x cols of a column-major matrix that has
     * `pitch` rows, from the element on that has the number `first` in it. */
    void (*random)(const qr_sizes *n, uint64_t first, size_t pitch, void *tile);
    /** Random signs, 1 or -1, from the number `first` of the sequence on. */
    void (*signs)(size_t count, uint64_t first, void *x);

    /** y += A x, of rows x depth and depth x cols. */
    void (*add_product)(const qr_sizes *n, qr_columns a, qr_columns x, qr_columns y);
    /** The sum of squares of x - y. @param[in] y  NULL: zeros */
    double (*squares)(size_t count, const void *x, const void *y);
} qr_functions;

/* ------------------------------------------------------------------------------ LAPACK,
 * qr_lapack.c and qr_module.c */

/** What the module with LAPACK has. It is a library of its own, so that LAPACK comes into a program
 * with the first `qr`: OpenBLAS has threads and 128 MB of memory for each from the moment when it
 * is loaded, and asks for that memory for ever where there is none. */
typedef struct psg_lapack {
    const qr_functions *qr[2]; /**< of double and of float */
    bool (*shared)(
        void); /**< do functions of LAPACK give right answers to several threads at once? */
    /** Between these two OpenBLAS, which has threads of its own for the whole process, uses the
     * caller's alone: a task is one core's. Calls nest, and are thread-safe. */
    void (*begin)(void);
    void (*end)(void);
} psg_lapack;

/** The one name of the module that is seen. */
extern const psg_lapack psg_lapack_module;

/** Load LAPACK, unless it is loaded. Thread-safe.
 *  @param[out] lapack  NULL: it is not there @return NULL: it is there; else why not, in words,
 * until the next call */
const char *qr_lapack_load(const psg_lapack **lapack);

/* --------------------------------------------------------------------------------------------- the
 * problem, qr.c */

typedef struct qr_problem {
    workload_head head;
    size_t n[2];     /**< rows and columns of the matrix */
    size_t tile;     /**< rows and columns of a tile but the last ones */
    size_t tiles[2]; /**< in a column, and in a row */
    qr_by by;
    size_t inner;             /**< reflectors that are applied together; of rotations `tile` */
    size_t scratch;           /**< reals of a task's scratch */
    const psg_lapack *lapack; /**< NULL: built without it, for a simulation */
    const qr_functions *cpu;  /**< of it */
    psg_data *a;              /**< [columns][rows]: tiles */
    psg_data
        *t; /**< [columns][rows]: factors of the reflectors of a tile. NULL above the diagonal */
    psg_data *v;    /**< [columns]: the reflectors of tile (k, k), alone */
    psg_data *work; /**< nobody's, for one task at a time: [scratch] reals */
} qr_problem;

/** Rows of the tiles of row i, or with axis 1 columns of those of column i. */
static inline size_t qr_extent(const qr_problem *qr, int axis, size_t i) {
    return workload_extent(qr->n[axis], qr->tile, i);
}

/** Of tile (i, j). */
static inline size_t qr_at(const qr_problem *qr, size_t i, size_t j) {
    return j * qr->tiles[0] + i;
}

/** The size of a tile. */
static inline qr_sizes qr_tile(const qr_problem *qr, size_t i, size_t j) {
    const qr_sizes n = {qr_extent(qr, 0, i), qr_extent(qr, 1, j), 0, 0};
    return n;
}

/** What a task on tile (i, j) in step k works on. */
static inline qr_sizes qr_shape(const qr_problem *qr, size_t i, size_t j, size_t k) {
    qr_sizes n = {qr_extent(qr, 0, i), qr_extent(qr, 1, j), qr_extent(qr, 1, k), qr->inner};
    n.inner = qr->by == QR_GIVENS ? n.rows : n.inner < n.depth ? n.inner : n.depth;
    return n;
}

/** The functions of its tasks on a core. */
static inline const qr_method *qr_method_of(const qr_problem *qr) {
    return qr->cpu->by[qr->by];
}

/** Tile (i, j) of the matrix as it was, which is drawn again. */
static inline void qr_draw(const qr_problem *qr, size_t i, size_t j, void *tile) {
    const qr_sizes n = qr_tile(qr, i, j);
    qr->cpu->random(&n, (uint64_t)j * qr->tile * qr->n[0] + i * qr->tile, qr->n[0], tile);
}

/** See workload_row. In qr_check.c. */
size_t qr_answers(void *problem, workload_answer *answers);

#ifdef WORKLOADS_CUDA
/** Codes from here on are this much more than cuBLAS' own. */
enum { QR_CUBLAS_ERROR = 200000 };

/** cuBLAS on one stream of one GPU, for one thread at a time. */
typedef struct qr_cuda_blas qr_cuda_blas;

/** For the current device. @param[out] blas  NULL after a failure @return 0, or a code */
int qr_cuda_blas_create(qr_cuda_blas **blas, psg_cuda_precision precision, cudaStream_t stream);
/** NULL is fine. */
void qr_cuda_blas_destroy(qr_cuda_blas *blas);

/** C = Q^T C, where Q is that of a tile's geqrt.
 *  @param[in]     v_d     [depth][rows]: the reflectors, with their ones and zeros
 *  @param[in]     t_d     [depth][inner]: the upper triangular factors of blocks of `inner`
 * reflectors, side by side
 *  @param[in,out] c_d     [cols][rows]
 *  @param[out]    work_d  [cols][inner], until the stream is there
 *  @return 0, or a code */
int qr_cuda_unmqr(qr_cuda_blas *blas, const qr_sizes *n, const void *v_d, const void *t_d,
                  void *c_d, void *work_d);

/** (B; C) = Q^T (B; C), where Q is that of a tile's tsqrt.
 *  @param[in]     v_d    [depth][rows]
 *  @param[in,out] b_d    [cols][pitch], of which the first `depth` rows
 *  @param[in,out] c_d    [cols][rows] */
int qr_cuda_tsmqr(qr_cuda_blas *blas, const qr_sizes *n, const void *v_d, const void *t_d,
                  void *b_d, size_t pitch, void *c_d, void *work_d);
/** A code of these in words. */
const char *qr_cuda_blas_words(int code);
bool qr_cuda_blas_is_memory(int code);
#endif

#ifdef __cplusplus
}
#endif
#endif
