/* QR by tiles of any size, one after the other, by reflectors and by rotations, has the factors of
 * the whole matrix: A = Q R, Q^T Q = 1, and R is that of LAPACK's QR of the whole, but for signs of
 * rows. Matrices with columns of zeros, of rank 1, and of zeros alone have factors, too. */
#include "tests/check.h"
#include "workloads/qr.h"

#include <stdlib.h>
#include <string.h>

#define LIMIT 10 /* in units of m epsilon |A| */

typedef enum matrix { RANDOM = 0, HOLES, RANK_1, ZEROS, MATRICES } matrix;
static const char *const names[MATRICES] = {"random", "with columns of zeros", "of rank 1",
                                            "of zeros"};

void dgeqrf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work,
             const int *lwork, int *info);

static const qr_functions *qr;
static qr_by by;
static size_t rows, cols, tile, inner;
static const char *const methods[QR_METHODS] = {"reflectors", "rotations"};

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/** Column-major, of this many rows: the type is the table's. */
static char *at(char *a, size_t pitch, size_t row, size_t col) {
    return a + (col * pitch + row) * qr->real_bytes;
}

static double get(const char *a, size_t m) {
    return check_element(a, qr->real_bytes, m);
}

static void set(char *a, size_t m, double value) {
    if (qr->real_bytes == sizeof(float)) {
        ((float *)(void *)a)[m] = (float)value;
    } else {
        ((double *)(void *)a)[m] = value;
    }
}

static char *zeros(size_t count) {
    char *a = calloc(count + 1, qr->real_bytes);
    if (a == NULL) {
        abort();
    }
    return a;
}

static char *filled(matrix form) {
    const qr_sizes all = {.rows = rows, .cols = cols};
    char *a = zeros(rows * cols);
    qr->random(&all, 0, rows, a);
    for (size_t c = 0; c < cols; ++c) {
        for (size_t r = 0; r < rows; ++r) {
            const double value = get(a, c * rows + r);
            const double one = form == RANK_1 ? (1.0 + (double)r) * (2.0 - (double)c) / 64 : 0;
            const int hole = c == 0 || c == cols - 1 || c % 3 == 1;
            set(a, c * rows + r, form == RANDOM || (form == HOLES && !hole) ? value : one);
        }
    }
    return a;
}

/** Tiles of row i from the matrix into dense ones, or back. */
static void move(char *a, size_t i, size_t j, char *dense, int back) {
    const size_t here = least(tile, rows - i * tile);
    for (size_t c = 0; c < least(tile, cols - j * tile); ++c) {
        char *column = at(a, rows, i * tile, j * tile + c);
        char *other = at(dense, here, 0, c);
        memcpy(back ? column : other, back ? other : column, here * qr->real_bytes);
    }
}

static qr_sizes shape_of(size_t i, size_t k, size_t width) {
    qr_sizes n = {least(tile, rows - i * tile), width, least(tile, cols - k * tile), inner};
    n.inner = by == QR_GIVENS ? n.rows : least(inner, n.depth);
    return n;
}

/** Of all columns from `from` on, which need not be whole tiles: the updates of row i in step k. */
static void update(char *v, char *t, char *c, size_t from, size_t width, size_t i, size_t k,
                   int transposed, char *work) {
    const qr_sizes n = shape_of(i, k, width);
    const qr_columns above = {at(c, rows, k * tile, from), rows};
    const qr_columns here = {at(c, rows, i * tile, from), rows};
    if (width > 0 && i == k) {
        qr->by[by]->unmqr(&n, transposed, v, t, here, work);
    } else if (width > 0) {
        qr->by[by]->tsmqr(&n, transposed, v, t, above, here, work);
    }
}

/** What stands below R, with ones on the diagonal and zeros above; of rotations zeros below R. */
static void check_reflectors(const qr_sizes *n, const char *factored, const char *v) {
    for (size_t m = 0; m < n->rows * n->cols; ++m) {
        const size_t row = m % n->rows, col = m / n->rows;
        const double want = row > col ? get(factored, m) : row == col;
        const char *there = by == QR_GIVENS ? factored : v;
        if (by == QR_HOUSEHOLDER || row > col) {
            CHECK(get(there, m) == (by == QR_GIVENS ? 0 : want), "v(%zu,%zu) is %g, not %g", row,
                  col, get(there, m), want);
        }
    }
}

/** A -> R in the upper triangle; and Q (1; 0), which begins as `q` = 1, [rows][rows]. */
static void factor(char *a, char *q) {
    const size_t down = (rows - 1) / tile + 1, right = (cols - 1) / tile + 1;
    FREED char *work = zeros(tile * (rows + 2 * (size_t)QR_STRIP_BYTES)),
               *dense = zeros(tile * tile);
    FREED char *v = zeros(down * right * tile * tile), *t = zeros(down * right * tile * tile);
    for (size_t k = 0; k < right; ++k) {
        for (size_t i = k; i < down; ++i) {
            const qr_sizes n = shape_of(i, k, least(tile, cols - k * tile));
            char *v_i = at(v, tile * tile, 0, k * down + i);
            char *t_i = at(t, tile * tile, 0, k * down + i);
            move(a, i, k, i == k ? dense : v_i, 0);
            if (i == k) {
                qr->by[by]->geqrt(&n, dense, t_i, v_i, work);
                move(a, i, k, dense, 1);
                check_reflectors(&n, dense, v_i);
            } else {
                qr->by[by]->tsqrt(&n, (qr_columns){at(a, rows, k * tile, k * tile), rows}, v_i, t_i,
                                  work);
            }
            const size_t next = least((k + 1) * tile, cols);
            update(v_i, t_i, a, next, cols - next, i, k, 1, work);
        }
    }
    for (size_t k = right; k-- > 0;) {
        for (size_t i = down; i-- > k;) {
            update(at(v, tile * tile, 0, k * down + i), at(t, tile * tile, 0, k * down + i), q, 0,
                   rows, i, k, 0, work);
        }
    }
}

/** sqrt(sum (A - Q R)^2) */
static double residual(const char *a, const char *q, const char *r) {
    double sum = 0;
    for (size_t c = 0; c < cols; ++c) {
        for (size_t row = 0; row < rows; ++row) {
            double value = get(a, c * rows + row);
            for (size_t m = 0; m <= c; ++m) {
                value -= get(q, m * rows + row) * get(r, c * rows + m);
            }
            sum += value * value;
        }
    }
    return sqrt(sum);
}

/** sqrt(sum (Q^T Q - 1)^2) */
static double orthogonality(const char *q) {
    double sum = 0;
    for (size_t one = 0; one < rows; ++one) {
        for (size_t other = 0; other < rows; ++other) {
            double value = one == other ? -1 : 0;
            for (size_t m = 0; m < rows; ++m) {
                value += get(q, one * rows + m) * get(q, other * rows + m);
            }
            sum += value * value;
        }
    }
    return sqrt(sum);
}

/** A row of R may have the other sign. */
static void check_triangle(const char *a, const char *r, double bound) {
    const int m = (int)rows, n = (int)cols, size = 64 * n;
    double *whole = calloc(rows * cols, sizeof *whole), *tau = calloc(cols, sizeof *tau);
    double *work = calloc((size_t)size, sizeof *work);
    int info = 1;
    for (size_t x = 0; x < rows * cols; ++x) {
        whole[x] = get(a, x);
    }
    dgeqrf_(&m, &n, whole, &m, tau, work, &size, &info);
    CHECK(info == 0, "dgeqrf: %d", info);
    for (size_t k = 0; k < cols; ++k) {
        const double sign = get(r, k * rows + k) * whole[k * rows + k] < 0 ? -1 : 1;
        for (size_t j = k; j < cols; ++j) {
            CHECK_NEAR(sign * get(r, j * rows + k), whole[j * rows + k], bound,
                       "%zu x %zu in tiles of %zu by %s: R's element (%zu,%zu)", rows, cols, tile,
                       methods[by], k, j);
        }
    }
    free(whole);
    free(tau);
    free(work);
}

static void one(matrix form) {
    FREED char *a = filled(form), *r = zeros(rows * cols), *q = zeros(rows * rows);
    const double norm = sqrt(qr->squares(rows * cols, a, NULL));
    const double unit = LIMIT * (double)rows * qr->epsilon;
    memcpy(r, a, rows * cols * qr->real_bytes);
    for (size_t m = 0; m < rows; ++m) {
        set(q, m * rows + m, 1);
    }
    factor(r, q);
    CHECK_NEAR(residual(a, q, r), 0, unit * norm,
               "A - Q R of %zu x %zu in tiles of %zu, %s, %zu bytes, by %s", rows, cols, tile,
               names[form], qr->real_bytes, methods[by]);
    CHECK_NEAR(orthogonality(q), 0, unit,
               "Q^T Q - 1 of %zu x %zu in tiles of %zu, %s, %zu bytes, by %s", rows, cols, tile,
               names[form], qr->real_bytes, methods[by]);
    if (form == RANDOM) { /* of a matrix of full rank R is unique, but for signs */
        check_triangle(a, r, unit * norm);
    }
}

/** The sequence is the one of all workloads, and a part of it is that of the whole. */
static void check_random(void) {
    double whole[12], part[2], x[16];
    const qr_sizes all = {.rows = 4, .cols = 3}, corner = {.rows = 2, .cols = 1};
    qr->random(&all, 0, 4, whole);
    qr->random(&corner, 2 * 4 + 1, 4, part);
    uint64_t number = 271828183;
    for (size_t m = 0; m < 12; ++m) {
        number = (number * 1220703125) % ((uint64_t)1 << 46);
        CHECK(whole[m] == 2 * ((double)number / 0x1p46) - 1, "number %zu is %.17g", m, whole[m]);
    }
    CHECK(part[0] == whole[9] && part[1] == whole[10], "a part: %g %g", part[0], part[1]);
    qr->signs(16, 0, x);
    for (size_t m = 0; m < 12; ++m) {
        CHECK(x[m] == (whole[m] < 0 ? -1 : 1), "sign %zu is %g", m, x[m]);
    }
}

int main(void) {
    static const size_t sizes[][4] = {{1, 1, 1, 1},    {7, 1, 1, 1},     {50, 50, 16, 8},
                                      {61, 37, 13, 5}, {90, 40, 32, 32}, {40, 33, 33, 32},
                                      {23, 11, 1, 1},  {19, 19, 2, 1}};
    const psg_lapack *lapack = NULL;
    CHECK(qr_lapack_load(&lapack) == NULL, "LAPACK is not there");
    qr = lapack->qr[0];
    check_random();
    lapack->begin();
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        rows = sizes[s][0];
        cols = sizes[s][1];
        tile = sizes[s][2];
        inner = sizes[s][3];
        for (int form = 0; form < 2 * QR_METHODS * MATRICES; ++form) {
            qr = lapack->qr[form / MATRICES % 2];
            by = (qr_by)(form / MATRICES / 2);
            one((matrix)(form % MATRICES));
        }
    }
    lapack->end();
    return check_result();
}
