/* QR by tiles, with rotations in place of reflectors. Compiled for each precision into the module.
 *
 * Rotation (i, p) turns row p of R and row i of a tile, whose numbers in column p are r and x:
 *
 *     ( c  s) (r)   (sqrt(r^2 + x^2))
 *     (-s  c) (x) = (       0       )
 *
 * Column after column p, and in each from the first row i to the last. s is V's number (i, p), and
 * c is T's. All numbers x of column p are there before its first rotation, so that of a column
 * only a sum of squares goes from row to row, and no root waits for another one.
 *
 * Columns are turned in strips of WIDE, which are copied into `work`: a row of a strip is LANES
 * vectors. */
#include "cpu/real.h"
#include "workloads/qr.h"

#include <math.h>
#include <string.h>

/* Vectors of 32 bytes are those of AVX2, and compilers keep some of them in registers. */
enum {
    WIDE = QR_STRIP_BYTES / sizeof(psg_real),
    LANE_BYTES = 32,
    LANES = QR_STRIP_BYTES / LANE_BYTES
};
typedef psg_real lane __attribute__((vector_size(LANE_BYTES), aligned(sizeof(psg_real))));
typedef struct strip { /* a row of it; no more aligned than malloc has it */
    lane part[LANES];
} strip;

/* Columns of a matrix into a strip, with zeros behind the last; or back. */
static void load(size_t rows, size_t width, qr_columns from, strip *to) {
    psg_real *row = (psg_real *)to;
    memset(to, 0, rows * sizeof *to);
    for (size_t w = 0; w < width; w++) {
        const psg_real *column = (const psg_real *)from.first + w * from.pitch;
        for (size_t i = 0; i < rows; i++) {
            row[i * WIDE + w] = column[i];
        }
    }
}

static void store(size_t rows, size_t width, const strip *from, qr_columns to) {
    const psg_real *row = (const psg_real *)from;
    for (size_t w = 0; w < width; w++) {
        psg_real *column = (psg_real *)to.first + w * to.pitch;
        for (size_t i = 0; i < rows; i++) {
            column[i] = row[i * WIDE + w];
        }
    }
}

/* One column's rotations of a strip, from row `first` on; or back, with the last one first. */
PSG_CLONES
static void turn(size_t first, size_t rows, bool back, const psg_real *c, const psg_real *s,
                 strip *top, strip *x) {
    strip r = *top;
    for (size_t m = first; m < rows; m++) {
        const size_t i = back ? rows - 1 - (m - first) : m;
        const psg_real cosine = c[i], sine = back ? -s[i] : s[i];
        for (int l = 0; l < LANES; l++) {
            const lane below = x[i].part[l];
            x[i].part[l] = cosine * below - sine * r.part[l];
            r.part[l] = cosine * r.part[l] + sine * below;
        }
    }
    *top = r;
}

/* The rotations of `columns` columns, or back. Of a tile with its own R (`top` == x) those of
 * column p begin in row p + 1. */
static void turn_all(const qr_sizes *n, size_t columns, bool back, const void *v, const void *t,
                     strip *top, strip *x) {
    for (size_t step = 0; step < columns; step++) {
        const size_t p = back ? columns - 1 - step : step;
        turn(top == x ? p + 1 : 0, n->rows, back, (const psg_real *)t + p * n->rows,
             (const psg_real *)v + p * n->rows, top + p, x);
    }
}

/* The rotations that make column w of a strip 0, of which r is above. Scaled by the largest number,
 * no square is too large; where all are 0 nothing turns. */
static void find(size_t first, size_t rows, psg_real r, const strip *x, size_t w, psg_real *c,
                 psg_real *s) {
    const psg_real *column = (const psg_real *)x + w;
    psg_real most = r < 0 ? -r : r;
    for (size_t i = first; i < rows; i++) {
        const psg_real size = column[i * WIDE] < 0 ? -column[i * WIDE] : column[i * WIDE];
        most = size > most ? size : most;
    }
    r = most > 0 ? r / most : 0;
    psg_real sum = r * r;
    for (size_t i = first; i < rows; i++) {
        const psg_real below = most > 0 ? column[i * WIDE] / most : 0;
        sum += below * below;
        const psg_real next = (psg_real)sqrt((double)sum);
        c[i] = next > 0 ? r / next : 1;
        s[i] = next > 0 ? below / next : 0;
        r = next;
    }
}

/* @param[in,out] r  the triangle above. NULL: the tile's own, which gets zeros below */
static void factor(const qr_sizes *n, const qr_columns *r, psg_real *a, psg_real *v, psg_real *t,
                   void *work) {
    strip *x = work, *top = r != NULL ? x + n->rows : x;
    for (size_t j = 0; j < n->depth; j += WIDE) {
        const size_t width = n->depth - j < WIDE ? n->depth - j : WIDE;
        const qr_columns here = {a + j * n->rows, n->rows};
        const qr_columns above =
            r != NULL ? (qr_columns){(psg_real *)r->first + j * r->pitch, r->pitch} : here;
        load(n->rows, width, here, x);
        if (r != NULL) {
            load(n->depth, width, above, top);
        }
        turn_all(n, j, false, v, t, top, x);
        for (size_t w = 0; w < width; w++) {
            const size_t p = j + w, first = r != NULL ? 0 : p + 1;
            psg_real *c = t + p * n->rows, *s = v + p * n->rows;
            find(first, n->rows, ((const psg_real *)(top + p))[w], x, w, c, s);
            turn(first, n->rows, false, c, s, top + p, x);
            for (size_t i = first; i < n->rows; i++) {
                ((psg_real *)(x + i))[w] = 0;
            }
        }
        store(top == x ? n->rows : n->depth, width, top, above);
    }
}

static void geqrt(const qr_sizes *n, void *a, void *t, void *v, void *work) {
    factor(n, NULL, a, v, t, work);
}

static void tsqrt(const qr_sizes *n, qr_columns r, void *a, void *t, void *work) {
    factor(n, &r, a, a, t, work);
}

/* @param[in,out] b  NULL: the rows above are the tile's own */
static void update(const qr_sizes *n, bool transposed, const void *v, const void *t,
                   const qr_columns *b, qr_columns c, void *work) {
    strip *x = work, *top = b != NULL ? x + n->rows : x;
    for (size_t j = 0; j < n->cols; j += WIDE) {
        const size_t width = n->cols - j < WIDE ? n->cols - j : WIDE;
        const qr_columns here = {(psg_real *)c.first + j * c.pitch, c.pitch};
        load(n->rows, width, here, x);
        if (b == NULL) {
            turn_all(n, n->depth, !transposed, v, t, top, x);
        } else {
            const qr_columns above = {(psg_real *)b->first + j * b->pitch, b->pitch};
            load(n->depth, width, above, top);
            turn_all(n, n->depth, !transposed, v, t, top, x);
            store(n->depth, width, top, above);
        }
        store(n->rows, width, x, here);
    }
}

static void unmqr(const qr_sizes *n, bool transposed, const void *v, const void *t, qr_columns c,
                  void *work) {
    update(n, transposed, v, t, NULL, c, work);
}

static void tsmqr(const qr_sizes *n, bool transposed, const void *v, const void *t, qr_columns b,
                  qr_columns c, void *work) {
    update(n, transposed, v, t, &b, c, work);
}

const qr_method PSG_REAL_NAME(qr_givens) = {geqrt, tsqrt, unmqr, tsmqr};
