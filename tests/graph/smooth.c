/* On a smooth field the error falls faster than any power of h with the spectral symbol, on even
 * and odd grids, and as h^p with the stencil of order p. */
#include "tests/check.h"
#include "tests/harness.h"

#include <math.h>
#include <stdlib.h>

/** The error relative to the largest u on m x 2m x 3m points (or 2m+1 x ..., odd). NaN after a
 * failure. */
static double error_at(size_t m, int odd, psg_symbol symbol) {
    const double two_pi = 6.28318530717958647692;
    oracle_grid grid = oracle_grid_make(m, 2 * m + (odd ? 1 : 0), 3 * m, two_pi, two_pi, two_pi);
    size_t points = oracle_points(&grid);
    FREED double *f = oracle_array(points), *u = oracle_array(points), *want = oracle_array(points);
    psg_grid g = harness_grid(&grid);
    psg_options options = harness_options(PSG_F64);
    double error = NAN;
    options.symbol = symbol;
    oracle_smooth(&grid, f, want);
    DESTROYED psg_plan *plan = harness_plan(&g, &options);
    if (CHECK_STATUS(psg_solve(plan, f, u), PSG_OK)) {
        for (size_t p = 0; p < points; ++p) {
            u[p] -= want[p];
        }
        error = oracle_max(u, points) / oracle_max(want, points);
    }
    return error;
}

static void spectral(const size_t *m, const double *bound, size_t count) {
    for (size_t n = 0; n < count; ++n) {
        double error = error_at(m[n], (int)(m[n] % 2), PSG_SYMBOL_SPECTRAL);
        printf("spectral, m %zu: error %.3g\n", m[n], error);
        CHECK_NEAR(error, 0, bound[n], "spectral, m %zu", m[n]);
    }
}

/* The order that two grids show is off by a share of h^2, the geometric mean of theirs squared, so
 * two pairs of grids say what it is for h = 0. That of fd2 is hardly off. */
static void differences(psg_symbol symbol, int order) {
    const double coarse = error_at(16, 0, symbol), fine = error_at(32, 0, symbol);
    const double finest = error_at(48, 0, symbol);
    const double first = log(coarse / fine) / log(2), second = log(fine / finest) / log(1.5);
    const double squares = 32. * 48 / (16. * 32);
    printf("fd%d: errors %.3g %.3g %.3g, orders %.3f %.3f\n", order, coarse, fine, finest, first,
           second);
    CHECK_NEAR((squares * second - first) / (squares - 1), order, 0.05, "observed order of fd%d",
               order);
    if (symbol == PSG_SYMBOL_FD2) {
        CHECK_NEAR(first, 2, 0.05, "observed order of fd2, m 16 to 32");
        CHECK_NEAR(second, 2, 0.05, "observed order of fd2, m 32 to 48");
    }
}

int main(void) {
    static const size_t even[] = {8, 12, 16, 24, 32}, odd[] = {9, 13, 17, 25, 33};
    static const double bound[] = {1e-2, 1e-4, 1e-6, 1e-11, 1e-13};
    spectral(even, bound, sizeof even / sizeof *even);
    spectral(odd, bound, sizeof odd / sizeof *odd);
    for (int symbol = PSG_SYMBOL_FD2; symbol < PSG_SYMBOL_COUNT; ++symbol) {
        differences((psg_symbol)symbol, 2 * symbol);
    }
    return check_result();
}
