/* The sparse matrix of workload cg. */
#include "base/memory.h"
#include "cpu/pcg.h"
#include "workloads/cg.h"
#include "workloads/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = BASE_PCG_LANES, NONZER_MOST = 32 };
static const uint64_t seed = UINT64_C(314159265);
static const double least_eigenvalue = .1; /* of what the v_i make, about */

/* ------------------------------------------------------------------------------- the matrix */

/* NPB 3: https://www.nas.nasa.gov/software/npb.html */
static const cg_class classes[] = {
    {'S', 1400, 7, 15, 10, 8.5971775078648, 9.99864415791, 78148},
    {'W', 7000, 8, 15, 12, 10.362595087124, 11.9997003727, 508402},
    {'A', 14000, 11, 15, 20, 17.130235054029, 19.9997581277, 1853104},
    {'B', 75000, 13, 75, 60, 22.712745482631, 59.9994751579, 13708072},
    {'C', 150000, 15, 75, 110, 28.973605592845, 109.999442324, 36121058},
};

const cg_class *cg_class_of(const char *size) {
    for (size_t m = 0; m < sizeof classes / sizeof *classes; m++) {
        if (size[0] == classes[m].name && size[1] == '\0') {
            return &classes[m];
        }
    }
    return NULL;
}

/* A v_i. */
typedef struct vector {
    size_t count;
    uint32_t place[NONZER_MOST + 1];
    double value[NONZER_MOST + 1];
} vector;

/* Where the vector has this place, or would have it. */
static size_t find(const vector *v, size_t place) {
    size_t m = 0;
    while (m < v->count && v->place[m] != place) {
        m++;
    }
    return m;
}

static void put(vector *v, size_t place, double value) {
    const size_t m = find(v, place);
    v->place[m] = (uint32_t)place;
    v->value[m] = value;
    v->count += m == v->count;
}

/* The next vector. A place is the upper bits of a random number, as many as n needs. */
static void draw(vector *v, size_t n, size_t nonzer, size_t i, uint64_t *x) {
    unsigned unused = 46;
    while ((UINT64_C(1) << (46 - unused)) < n) {
        unused--;
    }
    v->count = 0;
    while (v->count < nonzer) {
        const uint64_t value = random_next(*x);
        *x = random_next(value);
        const uint64_t place = *x >> unused;
        if (place < n && find(v, place) == v->count) {
            put(v, place, random_real(value));
        }
    }
    put(v, i, .5);
}

/* Room for each row: vectors may have the same places, so that less of it is needed. */
static bool allocate(cg_matrix *a, size_t nonzer) {
    const size_t rows = (a->n + LANES - 1) / LANES * LANES;
    uint64_t x = random_next(seed);
    vector v;
    a->start = calloc(rows + 1, sizeof *a->start);
    for (size_t i = 0; i < a->n && a->start != NULL; i++) {
        draw(&v, a->n, nonzer, i, &x);
        for (size_t m = 0; m < v.count; m++) {
            a->start[v.place[m] + 1] += (uint32_t)v.count;
        }
    }
    for (size_t row = 0; row < rows && a->start != NULL; row++) {
        a->start[row + 1] += a->start[row];
    }
    if (a->start != NULL) {
        a->column = base_allocate(a->start[rows] * sizeof *a->column);
        a->value = base_allocate(a->start[rows] * sizeof *a->value);
    }
    return a->column != NULL && a->value != NULL;
}

/* @param[in,out] count  numbers of the row */
static void add(const cg_matrix *a, uint32_t row, uint32_t *count, uint32_t column, double value) {
    const size_t end = a->start[row] + *count;
    size_t at = a->start[row];
    while (at < end && a->column[at] != column) {
        at++;
    }
    if (at == end) {
        a->column[at] = column;
        a->value[at] = 0;
        *count += 1;
    }
    a->value[at] += value;
}

static void add_all(const cg_matrix *a, size_t nonzer, double shift, uint32_t *count) {
    uint64_t x = random_next(seed);
    vector v;
    for (size_t i = 0; i < a->n; i++) {
        const double weight = pow(least_eigenvalue, (double)i / (double)a->n);
        draw(&v, a->n, nonzer, i, &x);
        for (size_t m = 0; m < v.count * v.count; m++) {
            const size_t k = m / v.count, l = m % v.count;
            add(a, v.place[k], &count[v.place[k]], v.place[l], weight * (v.value[k] * v.value[l]));
        }
        add(a, (uint32_t)i, &count[i], (uint32_t)i, least_eigenvalue - shift);
    }
}

/* Rows follow one another. */
static void close_up(const cg_matrix *a, const uint32_t *count) {
    const size_t rows = (a->n + LANES - 1) / LANES * LANES;
    size_t to = 0;
    for (size_t row = 0; row <= rows; row++) {
        const size_t from = a->start[row], numbers = row < a->n ? count[row] : 0;
        memmove(a->column + to, a->column + from, numbers * sizeof *a->column);
        memmove(a->value + to, a->value + from, numbers * sizeof *a->value);
        a->start[row] = (uint32_t)to;
        to += numbers;
    }
}

bool cg_matrix_make(cg_matrix *matrix, size_t n, size_t nonzer, double shift) {
    uint32_t *count = calloc(n, sizeof *count);
    *matrix = (cg_matrix){.n = n};
    const bool good = count != NULL && allocate(matrix, nonzer);
    if (good) {
        add_all(matrix, nonzer, shift, count);
        close_up(matrix, count);
    } else {
        cg_matrix_free(matrix);
    }
    free(count);
    return good;
}

void cg_matrix_free(cg_matrix *matrix) {
    free(matrix->start);
    free(matrix->column);
    free(matrix->value);
    *matrix = (cg_matrix){0};
}

/* ------------------------------------------------------------------------------ its product */

static double product(const cg_rows *r, size_t at) {
    const uint32_t column = r->column[at];
    return r->value[at] * r->p[column >> CG_BITS][column & CG_MASK];
}

static double row_product(const cg_rows *r, size_t row) {
    const size_t end = r->start[row + 1] - r->start[0];
    double lane[CG_LANES] = {0};
    size_t at = r->start[row] - r->start[0];
    for (; at + CG_LANES <= end; at += CG_LANES) {
        for (size_t l = 0; l < CG_LANES; l++) {
            lane[l] += product(r, at + l);
        }
    }
    for (size_t l = 0; at + l < end; l++) {
        lane[l] += product(r, at + l);
    }
    return psg_cpu_add_halves(lane, CG_LANES);
}

void cg_cpu_apply(const cg_rows *r) {
    for (size_t leaf = 0; leaf < r->leaves; leaf++) {
        double sum[LANES];
        for (size_t l = 0; l < LANES; l++) {
            const size_t row = leaf * LANES + l;
            r->q[row] = row_product(r, row);
            sum[l] = r->p[r->block][row] * r->q[row];
        }
        r->part[leaf] = psg_cpu_add_halves(sum, LANES);
    }
}
