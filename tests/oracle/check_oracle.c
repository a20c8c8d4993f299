/* The oracle is right: its modes are orthogonal and as many as points, its two ways to solve agree, and
 * its random numbers are those of the published generator. */
#include "tests/check.h"
#include "tests/oracle/oracle.h"

#include <stdlib.h>

/** The naive solve of each mode is the mode over its eigenvalue. */
static void modes_are_solved(const oracle_grid *grid, oracle_symbol symbol, double lambda) {
    size_t points = oracle_points(grid), index = 0, m[3], count = 0;
    double *f = oracle_array(points), *u = oracle_array(points), *want = oracle_array(points);
    int sine;
    while (oracle_next_mode(grid, &index, m, &sine)) {
        double value = oracle_eigenvalue(grid, symbol, m) - lambda;
        oracle_mode(grid, m, sine, f);
        CHECK(oracle_max(f, points) > 0.5, "mode (%zu,%zu,%zu) sine %d is 0", m[0], m[1], m[2],
              sine);
        for (size_t p = 0; p < points; ++p) {
            want[p] = value == 0 ? 0 : f[p] / value;
        }
        oracle_solve(grid, symbol, lambda, f, u);
        CHECK_CLOSE(u, want, grid->n[0], grid->n[1], grid->n[2], 1e-14,
                    "mode (%zu,%zu,%zu) sine %d", m[0], m[1], m[2], sine);
        ++count;
    }
    CHECK(count == points, "%zu modes of %zu points", count, points);
    free(f);
    free(u);
    free(want);
}

/** No two modes have a part in common. */
static void modes_are_orthogonal(const oracle_grid *grid) {
    size_t points = oracle_points(grid), count = 0, index = 0, m[3];
    double *all = oracle_array(points * points);
    int sine;
    while (oracle_next_mode(grid, &index, m, &sine)) {
        oracle_mode(grid, m, sine, all + count++ * points);
    }
    for (size_t a = 0; a < count; ++a) {
        for (size_t b = 0; b < a; ++b) {
            double sum = 0;
            for (size_t p = 0; p < points; ++p) {
                sum += all[a * points + p] * all[b * points + p];
            }
            CHECK_NEAR(sum / (double)points, 0, 1e-14, "modes number %zu and %zu", a, b);
        }
    }
    free(all);
}

/** The eigenvalues written out once by hand, on a box of 2 pi x 4 pi x 2 pi. */
static void eigenvalues(void) {
    const double two_pi = 6.28318530717958647692;
    oracle_grid grid = oracle_grid_make(8, 5, 4, two_pi, 2 * two_pi, two_pi);
    static const size_t m[][3] = {{1, 0, 0}, {3, 0, 0}, {4, 0, 0}, {5, 0, 0},
                                  {0, 2, 0}, {0, 3, 0}, {4, 4, 3}};
    static const double k2[] = {1, 9, 16, 9, 1, 1, 16 + 0.25 + 1};
    for (size_t n = 0; n < sizeof k2 / sizeof *k2; ++n) {
        CHECK_NEAR(oracle_eigenvalue(&grid, ORACLE_SPECTRAL, m[n]), -k2[n], 1e-14,
                   "mode number %zu", n);
    }
    /* h = pi / 4; at Nyquist the stencil (1 -2 1) / h^2 gives -4 / h^2 */
    double h = two_pi / 8;
    CHECK_NEAR(oracle_eigenvalue(&grid, ORACLE_FD2, m[2]), -4 / h / h, 1e-14, "fd2 at Nyquist");
}

/** The stencil of a solution by fd2 is its right-hand side. */
static void residual(void) {
    oracle_grid grid = oracle_grid_make(6, 7, 1, 1, 2, 3);
    size_t points = oracle_points(&grid);
    double *f = oracle_array(points), *u = oracle_array(points), *r = oracle_array(points);
    oracle_random(1, points, f);
    oracle_remove_mean(f, points);
    oracle_solve(&grid, ORACLE_FD2, 0.5, f, u);
    oracle_residual(&grid, 0.5, u, f, r);
    CHECK_NEAR(oracle_max(r, points), 0, 1e-13, "residual");
    f[9] += 1;
    oracle_residual(&grid, 0.5, u, f, r);
    CHECK_NEAR(r[9], -1, 1e-13, "residual of a spoilt f");
    free(f);
    free(u);
    free(r);
}

static void randomness(void) {
    double f[1000];
    oracle_random(1234567, 1, f); /* splitmix64 begins with 6457827717110365317 */
    CHECK_NEAR(f[0], 6457827717110365317.0 / 9223372036854775808.0 - 1, 1e-15, "first number");
    oracle_random(1, 1000, f);
    CHECK_NEAR(oracle_mean(f, 1000), 0, 0.1, "mean");
    CHECK(oracle_max(f, 1000) < 1 && oracle_max(f, 1000) > 0.99, "largest %g", oracle_max(f, 1000));
}

int main(void) {
    static const oracle_grid grids[] = {
        {{4, 5, 6}, {1.0, 2.0, 0.5}}, {{3, 1, 4}, {1.0, 1.0, 1.0}}, {{1, 1, 1}, {1.0, 1.0, 1.0}}};
    for (size_t g = 0; g < sizeof grids / sizeof *grids; ++g) {
        modes_are_solved(&grids[g], ORACLE_SPECTRAL, 0);
        modes_are_solved(&grids[g], ORACLE_FD2, 0);
        modes_are_solved(&grids[g], ORACLE_SPECTRAL, 3.5);
        modes_are_orthogonal(&grids[g]);
    }
    eigenvalues();
    residual();
    randomness();
    return check_result();
}
