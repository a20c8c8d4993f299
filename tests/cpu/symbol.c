/* The eigenvalues must be those of the operators applied to sampled waves, near and at Nyquist too,
 * and of the lowest mode to all digits. */
#include "cpu/symbol.h"

#include "tests/check.h"

static const long double pi = 3.14159265358979323846264338327950288L;
/* Of spectral, and of the differences of order 2, 4, 6 and 8: of the point, its neighbours and so
 * on, over the first number. */
enum { ROWS = 5 };
static const long double stencils[ROWS][6] = {{0},
                                              {1, -2, 1},
                                              {12, -30, 16, -1},
                                              {180, -490, 270, -27, 2},
                                              {5040, -14350, 8064, -1008, 128, -9}};
static const double length = 3.7;

/* The second derivative, times the spacing squared, of a wave of so many quarters on n intervals,
 * over the wave; and the largest part of the sum that it is. */
static long double applied(int symbol, long quarters, long n, long double *part) {
    const long double turn = pi * (long double)quarters / (long double)(2 * n);
    const long double *w = stencils[symbol];
    *part = symbol == 0 ? turn * turn : -w[1] / w[0];
    long double sum = symbol == 0 ? -turn * turn : w[1] / w[0];
    for (int d = 1; d <= symbol; d++) {
        const long double angle = pi * (long double)(d * quarters % (4 * n)) / (long double)(2 * n);
        sum += 2 * w[1 + d] / w[0] * cosl(angle);
    }
    return sum;
}

/* All modes of a periodic axis, and those of axes with sides, which have quarters of a wave. The
 * plain sum loses digits of low modes, but has more than enough of them. */
static void all_modes(int symbol, long n) {
    for (long quarters = 1; quarters <= 2 * n; quarters++) {
        long double part = 0;
        const long double h = length / (long double)n;
        const long double want = applied(symbol, quarters, n, &part);
        const double got = psg_symbol_eigenvalue(&psg_symbol_rows[symbol], (double)quarters / 4,
                                                 (double)n, length);
        const long double error = fabsl((long double)got * h * h - want);
        CHECK(error <= 2e-15L * fabsl(want) + 1e-18L * part,
              "row %d, %ld quarters of a wave, %ld intervals: %.17g, off by %Lg of it", symbol,
              quarters, n, got, error / fabsl(want));
    }
}

/* (2 arcsin(s))^2 is the sum over m > 0 of 2 (m-1)!^2 (2s)^(2m) / (2m)!, and a difference of order
 * 2p has the first p terms, s = sin(k h/2). All terms are positive, so the sum has all digits of
 * any mode. */
static void series(int symbol, long quarters, long n) {
    const long double s = 2 * sinl(pi * (long double)quarters / (long double)(4 * n));
    long double sum = 0, term = s * s;
    for (int m = 1; m <= symbol; m++) {
        sum -= term;
        term *= s * s * (long double)(m * m) / (long double)((2 * m + 1) * (2 * m + 2));
    }
    const double got =
        psg_symbol_eigenvalue(&psg_symbol_rows[symbol], (double)quarters / 4, (double)n, (double)n);
    CHECK(fabsl((long double)got / sum - 1) <= 2e-15L,
          "row %d, %ld quarters of a wave, %ld intervals: %.17g and not %.17Lg", symbol, quarters,
          n, got, sum);
}

static void periodic_waves(void) {
    for (size_t n = 1; n < 20; n++) {
        for (size_t m = 0; m < n; m++) {
            const double waves = psg_symbol_waves(m, n);
            const size_t lowest = m <= n - m ? m : n - m;
            CHECK(fabs(waves) == (double)lowest, "mode %zu of %zu has %g waves", m, n, waves);
        }
    }
}

int main(void) {
    CHECK(sizeof psg_symbol_rows / sizeof *psg_symbol_rows == ROWS, "other rows");
    for (int symbol = 0; symbol < ROWS; symbol++) {
        CHECK(psg_symbol_eigenvalue(&psg_symbol_rows[symbol], 0, 7, length) == 0, "mode 0");
        for (long n = 1; n <= 128; n++) {
            all_modes(symbol, n);
        }
        for (long n = 1000; n < 1000000000 && symbol > 0; n *= 1000) {
            series(symbol, 1, n);
            series(symbol, n / 7, n);
            series(symbol, 2 * n, n);
        }
    }
    periodic_waves();
    return check_result();
}
