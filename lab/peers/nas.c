#include "lab/peers/nas.h"
#include "lab/peers/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NONZER_MOST = 16 };
static const double least_eigenvalue = .1; /* of what the v_i make, about */

/* A v_i. */
typedef struct vector {
    int count;
    uint32_t place[NONZER_MOST + 1];
    double value[NONZER_MOST + 1];
} vector;

static void put(vector *v, size_t place, double value, int again) {
    int m = 0;
    while (m < v->count && v->place[m] != place) {
        m++;
    }
    if (m == v->count || again) {
        v->place[m] = (uint32_t)place;
        v->value[m] = value;
        v->count += m == v->count;
    }
}

/* A place is the upper bits of a random number, as many as n needs; one that is there is no other.
 */
static vector draw(size_t n, int nonzer, size_t i, uint64_t *x) {
    vector v = {.count = 0};
    unsigned unused = 46;
    while ((UINT64_C(1) << (46 - unused)) < n) {
        unused--;
    }
    while (v.count < nonzer) {
        const uint64_t value = peer_random_next(*x);
        *x = peer_random_next(value);
        if (*x >> unused < n) {
            put(&v, *x >> unused, peer_random_real(value), 0);
        }
    }
    put(&v, i, .5, 1);
    return v;
}

/* @param[in,out] end  of the row so far */
static void add(const peer_matrix *a, uint32_t row, uint32_t *end, uint32_t column, double value) {
    uint32_t at = a->start[row];
    while (at < *end && a->column[at] != column) {
        at++;
    }
    if (at == *end) {
        a->column[(*end)++] = column;
        a->value[at] = 0;
    }
    a->value[at] += value;
}

/* Rows have room for all numbers of all vectors at first, and then follow one another. */
void peer_cg_make(peer_matrix *a, size_t n, int nonzer, double shift) {
    uint64_t x = peer_random_next(UINT64_C(314159265)); /* the first number is dropped */
    uint32_t *end = bench_array((n + 1) * sizeof *end), to = 0;
    vector *v = bench_array(n * sizeof *v);
    a->start = bench_array((n + 1) * sizeof *a->start);
    for (size_t i = 0; i < n; i++) {
        v[i] = draw(n, nonzer, i, &x);
        for (int m = 0; m < v[i].count; m++) {
            a->start[v[i].place[m] + 1] += (uint32_t)v[i].count;
        }
    }
    for (size_t row = 0; row < n; row++) {
        a->start[row + 1] += a->start[row];
        end[row] = a->start[row];
    }
    a->column = bench_array(a->start[n] * sizeof *a->column);
    a->value = bench_array(a->start[n] * sizeof *a->value);
    for (uint32_t i = 0; i < n; i++) {
        const double weight = pow(least_eigenvalue, (double)i / (double)n);
        for (int m = 0; m < v[i].count * v[i].count; m++) {
            const int k = m / v[i].count, l = m % v[i].count;
            add(a, v[i].place[k], &end[v[i].place[k]], v[i].place[l],
                weight * (v[i].value[k] * v[i].value[l]));
        }
        add(a, i, &end[i], i, least_eigenvalue - shift);
    }
    for (size_t row = 0; row < n; row++) {
        const uint32_t from = a->start[row], count = end[row] - from;
        memmove(a->column + to, a->column + from, count * sizeof *a->column);
        memmove(a->value + to, a->value + from, count * sizeof *a->value);
        a->start[row] = to;
        to += count;
    }
    a->start[n] = to;
    free(end);
    free(v);
}
