/* The matrix of NAS CG has the known number of nonzeros, is symmetric, and is the sum that defines
 * it, computed here in another way. Its product with a vector on a core is right for any cut into
 * blocks, whose sums have the same bits. */
#include "tests/check.h"
#include "workloads/cg.h"

#include <stdlib.h>
#include <string.h>

enum { N = 70, NONZER = 5, SHIFT = 3, LEAF = BASE_PCG_LANES, LEAVES = 3 };

static double entry(const cg_matrix *a, size_t row, size_t column) {
    for (size_t m = a->start[row]; m < a->start[row + 1]; m++) {
        if (a->column[m] == column) {
            return a->value[m];
        }
    }
    return 0;
}

static void known(size_t n, size_t nonzer, double shift, size_t nonzeros) {
    cg_matrix a;
    size_t outside = 0, unlike = 0;
    if (!CHECK(cg_matrix_make(&a, n, nonzer, shift), "no memory")) {
        return;
    }
    CHECK(a.n == n && a.start[0] == 0 && a.start[n] == nonzeros, "%zu rows, %zu nonzeros, not %zu",
          n, (size_t)a.start[n], nonzeros);
    for (size_t row = 0; row < n; row++) {
        for (size_t m = a.start[row]; m < a.start[row + 1]; m++) {
            outside += a.column[m] >= n;
            unlike += row % 97 == 0 && a.value[m] != entry(&a, a.column[m], row);
        }
    }
    CHECK(outside == 0 && unlike == 0, "%zu columns outside, %zu entries not symmetric", outside,
          unlike);
    CHECK(a.start[(n + LEAF - 1) / LEAF * LEAF] == nonzeros, "numbers in rows that are empty");
    cg_matrix_free(&a);
    CHECK(a.start == NULL && a.column == NULL && a.value == NULL, "something is left");
}

/* 5^13 x mod 2^46 over 2^46, in two halves of 23 bits as the benchmark's first version has it. */
static double random_number(double *x) {
    const double half = 8388608, factor[2] = {145, 1220703125 - 145 * half};
    const double x1 = floor(*x / half), x0 = *x - x1 * half;
    const double middle = fmod(factor[0] * x0 + factor[1] * x1, half);
    *x = fmod(middle * half + factor[1] * x0, half * half);
    return *x / half / half;
}

/* All of it as dense vectors. */
static void defined(void) {
    static double v[N][N], sum[N][N];
    double x = 314159265;
    cg_matrix a;
    (void)random_number(&x);
    for (size_t i = 0; i < N; i++) {
        for (size_t count = 0; count < NONZER;) {
            const double value = random_number(&x);
            const double place = floor(128 * random_number(&x));
            if (place < N && v[i][(size_t)place] == 0) {
                v[i][(size_t)place] = value;
                count++;
            }
        }
        v[i][i] = .5;
        for (size_t m = 0; m < N * (size_t)N; m++) {
            sum[m / N][m % N] += exp(log(.1) * (double)i / N) * v[i][m / N] * v[i][m % N];
        }
    }
    if (!CHECK(cg_matrix_make(&a, N, NONZER, SHIFT), "no memory")) {
        return;
    }
    for (size_t m = 0; m < N * (size_t)N; m++) {
        CHECK_NEAR(entry(&a, m / N, m % N), sum[m / N][m % N] - (m / N == m % N ? SHIFT - .1 : 0),
                   1e-14, "row %zu, column %zu", m / N, m % N);
    }
    cg_matrix_free(&a);
}

/* The matrix above by rows, the last two of which are beyond it; leaf `cut` begins the second of
 * two blocks. */
static void product(size_t cut, double q[LEAVES * LEAF], double part[LEAVES]) {
    double p[LEAVES * LEAF] = {0};
    cg_matrix a;
    if (!CHECK(cg_matrix_make(&a, N, NONZER, SHIFT), "no memory")) {
        return;
    }
    for (size_t m = 0; m < N; m++) {
        p[m] = sin((double)(m * m));
    }
    double want[N] = {0};
    for (size_t row = 0; row < N; row++) {
        for (size_t m = a.start[row]; m < a.start[row + 1]; m++) {
            want[row] += a.value[m] * p[a.column[m]];
        }
    }
    for (size_t m = 0; m < a.start[N]; m++) {
        a.column[m] = a.column[m] < cut * LEAF
                          ? a.column[m]
                          : (1 << CG_BITS) + a.column[m] - (uint32_t)cut * LEAF;
    }
    for (size_t b = 0; b < 2; b++) {
        const size_t leaf = b * cut, row = leaf * LEAF;
        const size_t first = a.start[row];
        cg_rows rows = {.block = b,
                        .leaves = b == 0 ? cut : LEAVES - cut,
                        .start = a.start + row,
                        .column = a.column + first,
                        .value = a.value + first,
                        .p = {p, p + cut * LEAF},
                        .q = q + row,
                        .part = part + leaf};
        cg_cpu_apply(&rows);
    }
    for (size_t leaf = 0; leaf < LEAVES; leaf++) {
        double sum = 0;
        for (size_t row = leaf * LEAF; row < (leaf + 1) * LEAF; row++) {
            CHECK_NEAR(q[row], row < N ? want[row] : 0, 1e-14, "row %zu, cut %zu", row, cut);
            sum += p[row] * q[row];
        }
        CHECK_NEAR(part[leaf], sum, 1e-13, "leaf %zu, cut %zu", leaf, cut);
    }
    cg_matrix_free(&a);
}

static void products(void) {
    double q[LEAVES + 1][LEAVES * LEAF], part[LEAVES + 1][LEAVES];
    for (size_t cut = 0; cut <= LEAVES; cut++) {
        product(cut, q[cut], part[cut]);
        CHECK(memcmp(q[cut], q[0], sizeof q[0]) == 0 &&
                  memcmp(part[cut], part[0], sizeof part[0]) == 0,
              "a cut at leaf %zu gives other bits", cut);
    }
}

int main(void) {
    known(1400, 7, 10, 78148);
    known(7000, 8, 12, 508402);
    known(14000, 11, 20, 1853104);
    defined();
    products();
    return check_result();
}
