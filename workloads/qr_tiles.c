/* The functions of QR by tiles, on LAPACK. Compiled for each precision into the module. */
#include "cpu/real.h"
#include "workloads/qr.h"
#include "workloads/random.h"

#if PSG_REAL_IS_FLOAT
#define LAPACK(name) s##name##_
#define EPSILON 0x1p-24
#else
#define LAPACK(name) d##name##_
#define EPSILON 0x1p-53
#endif

/* Fortran's interfaces. The lengths of the texts stand at the end. */
void LAPACK(geqrt)(const int *m, const int *n, const int *nb, psg_real *a, const int *lda,
                   psg_real *t, const int *ldt, psg_real *work, int *info);
void LAPACK(tpqrt)(const int *m, const int *n, const int *l, const int *nb, psg_real *a,
                   const int *lda, psg_real *b, const int *ldb, psg_real *t, const int *ldt,
                   psg_real *work, int *info);
void LAPACK(gemqrt)(const char *side, const char *trans, const int *m, const int *n, const int *k,
                    const int *nb, const psg_real *v, const int *ldv, const psg_real *t,
                    const int *ldt, psg_real *c, const int *ldc, psg_real *work, int *info,
                    size_t side_length, size_t trans_length);
void LAPACK(tpmqrt)(const char *side, const char *trans, const int *m, const int *n, const int *k,
                    const int *l, const int *nb, const psg_real *v, const int *ldv,
                    const psg_real *t, const int *ldt, psg_real *a, const int *lda, psg_real *b,
                    const int *ldb, psg_real *work, int *info, size_t side_length,
                    size_t trans_length);
void LAPACK(gemm)(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                  const psg_real *alpha, const psg_real *a, const int *lda, const psg_real *b,
                  const int *ldb, const psg_real *beta, psg_real *c, const int *ldc,
                  size_t transa_length, size_t transb_length);

/* A tile is rectangular: no part of it is known to be zero. */
static const int rectangle = 0;

static void random_numbers(const qr_sizes *n, uint64_t first, size_t pitch, void *tile) {
    psg_real *a = tile;
    for (size_t c = 0; c < n->cols; c++) {
        uint64_t x = random_after(RANDOM_SEED, first + c * pitch);
        for (size_t r = 0; r < n->rows; r++) {
            x = random_next(x);
            *a++ = (psg_real)(2 * random_real(x) - 1);
        }
    }
}

static void signs(size_t count, uint64_t first, void *memory) {
    psg_real *x = memory;
    uint64_t random = random_after(RANDOM_SEED, first);
    for (size_t m = 0; m < count; m++) {
        random = random_next(random);
        x[m] = random_real(random) < 0.5 ? -1 : 1;
    }
}

static void geqrt(const qr_sizes *n, void *a, void *t, void *v, void *work) {
    const int rows = (int)n->rows, cols = (int)n->cols, inner = (int)n->inner;
    int info; /* arguments alone can be wrong */
    LAPACK(geqrt)(&rows, &cols, &inner, a, &rows, t, &inner, work, &info);
    const psg_real *below = a;
    psg_real *alone = v;
    for (size_t c = 0; c < n->cols; c++) {
        for (size_t r = 0; r < n->rows; r++) {
            const size_t at = c * n->rows + r;
            alone[at] = r > c ? below[at] : r == c ? 1 : 0;
        }
    }
}

static void tsqrt(const qr_sizes *n, qr_columns r, void *a, void *t, void *work) {
    const int rows = (int)n->rows, cols = (int)n->cols, inner = (int)n->inner;
    const int pitch = (int)r.pitch;
    int info; /* arguments alone can be wrong */
    LAPACK(tpqrt)
    (&rows, &cols, &rectangle, &inner, r.first, &pitch, a, &rows, t, &inner, work, &info);
}

static void unmqr(const qr_sizes *n, bool transposed, const void *v, const void *t, qr_columns c,
                  void *work) {
    const int rows = (int)n->rows, cols = (int)n->cols, depth = (int)n->depth;
    const int inner = (int)n->inner, pitch = (int)c.pitch;
    int info; /* arguments alone can be wrong */
    LAPACK(gemqrt)
    ("L", transposed ? "T" : "N", &rows, &cols, &depth, &inner, v, &rows, t, &inner, c.first,
     &pitch, work, &info, 1, 1);
}

static void tsmqr(const qr_sizes *n, bool transposed, const void *v, const void *t, qr_columns b,
                  qr_columns c, void *work) {
    const int rows = (int)n->rows, cols = (int)n->cols, depth = (int)n->depth;
    const int inner = (int)n->inner, above = (int)b.pitch, pitch = (int)c.pitch;
    int info; /* arguments alone can be wrong */
    LAPACK(tpmqrt)
    ("L", transposed ? "T" : "N", &rows, &cols, &depth, &rectangle, &inner, v, &rows, t, &inner,
     b.first, &above, c.first, &pitch, work, &info, 1, 1);
}

static void add_product(const qr_sizes *n, qr_columns a, qr_columns x, qr_columns y) {
    const int rows = (int)n->rows, cols = (int)n->cols, depth = (int)n->depth;
    const int pitch[3] = {(int)a.pitch, (int)x.pitch, (int)y.pitch};
    const psg_real one = 1;
    LAPACK(gemm)
    ("N", "N", &rows, &cols, &depth, &one, a.first, &pitch[0], x.first, &pitch[1], &one, y.first,
     &pitch[2], 1, 1);
}

static double squares(size_t count, const void *one, const void *other) {
    const psg_real *x = one, *y = other;
    double sum = 0;
    for (size_t m = 0; m < count; m++) {
        const double difference = (double)x[m] - (y != NULL ? (double)y[m] : 0);
        sum += difference * difference;
    }
    return sum;
}

extern const qr_method PSG_REAL_NAME(qr_givens);
static const qr_method householder = {geqrt, tsqrt, unmqr, tsmqr};
const qr_functions PSG_REAL_NAME(qr_functions) = {
    .real_bytes = sizeof(psg_real),
    .epsilon = EPSILON,
    .by = {[QR_HOUSEHOLDER] = &householder, [QR_GIVENS] = &PSG_REAL_NAME(qr_givens)},
    .random = random_numbers,
    .signs = signs,
    .add_product = add_product,
    .squares = squares,
};
