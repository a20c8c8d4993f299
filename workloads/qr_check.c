/* Are the factors of workload qr right? Random signs x tell: the mean of |E x|^2 is the sum of
 * squares of the matrix E, and no element of E is left out. E is A - Q R, or Q^T Q - 1, and E x
 * takes far less than E. */
#include "workloads/qr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VECTORS = 16 }; /* and so the sum of squares is known to about a third */

/* In units of m epsilon, of m rows. Of |A - Q R| also in those of |A|. Norms are those of squares.
 */
static const double limit = 10;

typedef struct check {
    const qr_problem *p;
    bool failed;  /* data could not be had */
    char *x;      /* [VECTORS][columns] */
    char *y, *z;  /* [VECTORS][rows] */
    char *matrix; /* a tile */
    void *work;
} check;

/* Some vectors' numbers from row `first` on. */
static qr_columns part(const qr_problem *qr, char *x, int axis, size_t first) {
    return (qr_columns){x + first * qr->tile * qr->head.real_bytes, qr->n[axis]};
}

/* What a task left, in main memory, until let_go(). @return NULL: it could not be had */
static void *take(check *c, psg_data data) {
    void *taken = c->failed ? NULL : psg_data_acquire(data, false);
    c->failed = taken == NULL;
    return taken;
}

static void let_go(psg_data data, const void *taken) {
    if (taken != NULL) {
        psg_data_release(data);
    }
}

/* z += A x. @return the sum of squares of A */
static double add_matrix(check *c) {
    const qr_problem *qr = c->p;
    double sum = 0;
    for (size_t at = 0; at < qr->tiles[0] * qr->tiles[1]; at++) {
        const size_t i = at % qr->tiles[0], j = at / qr->tiles[0];
        const qr_sizes n = qr_tile(qr, i, j);
        const qr_sizes product = {n.rows, VECTORS, n.cols, 0};
        qr_draw(qr, i, j, c->matrix);
        sum += qr->cpu->squares(n.rows * n.cols, c->matrix, NULL);
        qr->cpu->add_product(&product, (qr_columns){c->matrix, n.rows}, part(qr, c->x, 1, j),
                             part(qr, c->z, 0, i));
    }
    return sum;
}

/* The upper triangle of a tile, with zeros below. */
static void put_upper(size_t real_bytes, const qr_sizes *n, const void *a, void *r) {
    for (size_t m = 0; m < n->rows * n->cols; m++) {
        const bool below = m % n->rows > m / n->rows;
        workload_put(real_bytes, r, m, below ? 0 : workload_get(real_bytes, a, m));
    }
}

/* y += R x, with zeros below R */
static void add_triangle(check *c) {
    const qr_problem *qr = c->p;
    for (size_t j = 0; j < qr->tiles[1]; j++) {
        for (size_t i = 0; i <= j; i++) {
            const psg_data handle = c->p->a[qr_at(qr, i, j)];
            const qr_sizes n = qr_tile(qr, i, j);
            const qr_sizes product = {n.rows, VECTORS, n.cols, 0};
            void *tile = take(c, handle);
            if (tile != NULL && i == j) {
                put_upper(qr->head.real_bytes, &n, tile, c->matrix);
            }
            if (tile != NULL) {
                qr->cpu->add_product(&product, (qr_columns){i == j ? c->matrix : tile, n.rows},
                                     part(qr, c->x, 1, j), part(qr, c->y, 0, i));
            }
            let_go(handle, tile);
        }
    }
}

/* y = Q^T y or Q y, with the reflectors of row i in step k */
static void apply(check *c, bool transposed, size_t i, size_t k) {
    const qr_problem *qr = c->p;
    const psg_data handle[2] = {i == k ? c->p->v[k] : c->p->a[qr_at(qr, i, k)],
                                c->p->t[qr_at(qr, i, k)]};
    qr_sizes n = qr_shape(qr, i, k, k);
    const void *v = take(c, handle[0]);
    const void *t = take(c, handle[1]);
    n.cols = VECTORS;
    if (v != NULL && t != NULL && i == k) {
        qr_method_of(qr)->unmqr(&n, transposed, v, t, part(qr, c->y, 0, i), c->work);
    } else if (v != NULL && t != NULL) {
        qr_method_of(qr)->tsmqr(&n, transposed, v, t, part(qr, c->y, 0, k), part(qr, c->y, 0, i),
                                c->work);
    }
    let_go(handle[0], v);
    let_go(handle[1], t);
}

static void apply_all(check *c, bool transposed) {
    const size_t rows = c->p->tiles[0], columns = c->p->tiles[1];
    for (size_t step = 0; step < columns; step++) {
        const size_t k = transposed ? step : columns - 1 - step;
        for (size_t row = 0; row < rows - k; row++) {
            apply(c, transposed, transposed ? k + row : rows - 1 - row, k);
        }
    }
}

/* |y - z| of a vector, in units of m epsilon */
static double distance(const check *c) {
    const qr_problem *qr = c->p;
    const double sum = qr->cpu->squares(qr->n[0] * VECTORS, c->y, c->z);
    return sqrt(sum / VECTORS) / ((double)qr->n[0] * qr->cpu->epsilon);
}

static void check_factors(check *c, double value[2]) {
    const qr_problem *qr = c->p;
    const size_t numbers = qr->n[0] * qr->n[1], of_x = qr->n[1] * VECTORS,
                 of_y = qr->n[0] * VECTORS;
    qr->cpu->signs(of_x, numbers, c->x);
    memset(c->y, 0, of_y * qr->head.real_bytes);
    memset(c->z, 0, of_y * qr->head.real_bytes);
    const double norm = sqrt(add_matrix(c));
    add_triangle(c);
    apply_all(c, false);
    value[0] = distance(c) / norm;
    qr->cpu->signs(of_y, numbers + of_x, c->z);
    memcpy(c->y, c->z, of_y * qr->head.real_bytes);
    apply_all(c, false);
    apply_all(c, true);
    value[1] = distance(c);
}

size_t qr_answers(void *problem, workload_answer *answers) {
    static const char *const names[2] = {"residual", "orthogonal"};
    check c = {.p = problem};
    const qr_problem *qr = c.p;
    double value[2] = {NAN, NAN};
    const size_t columns = qr->n[1] * VECTORS, rows = qr->n[0] * VECTORS,
                 real = qr->head.real_bytes;
    const size_t tile = qr->tile * qr->tile;
    c.x = malloc((columns + 2 * rows + tile + qr->scratch + qr->inner * VECTORS) * real);
    c.failed = c.x == NULL;
    if (!c.failed) {
        c.y = c.x + columns * real;
        c.z = c.y + rows * real;
        c.matrix = c.z + rows * real;
        c.work = c.matrix + tile * real;
        check_factors(&c, value);
    }
    for (int m = 0; m < 2; m++) {
        answers[m] = (workload_answer){.value = value[m], .tolerance = limit};
        memcpy(answers[m].name, names[m], strlen(names[m]) + 1);
    }
    free(c.x);
    return c.failed ? 0 : 2;
}
