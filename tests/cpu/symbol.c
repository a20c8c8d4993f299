/* The eigenvalues must be those of the operators applied to sampled waves, near and at Nyquist too. */
#include "cpu/symbol.h"

#include "tests/check.h"

/* Wave m sampled at point j: cos(2 pi m j / n). */
static double wave(size_t m, size_t n, size_t j) {
    return cos(2 * psg_symbol_pi * (double)(m * j % n) / (double)n);
}

/* The stencil applied to the wave at point 0, where the wave is 1. */
static double stencil(size_t m, size_t n, double length) {
    const double h = length / (double)n;
    return (wave(m, n, 1) - 2 + wave(m, n, n - 1)) / (h * h);
}

/* The second derivative at 0 of the real wave of lowest frequency through the samples of mode m. */
static double derivative(size_t m, size_t n, double length) {
    const double lowest = (double)(m <= n - m ? m : n - m);
    const double k = 2 * psg_symbol_pi * lowest / length;
    return -k * k;
}

int main(void) {
    static const size_t sizes[] = {1, 2, 3, 4, 5, 8, 9, 64, 101};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const size_t n = sizes[s];
        for (size_t m = 0; m < n; m++) {
            const double length = 3.7;
            const double scale = (double)(n * n);
            const double waves = psg_symbol_waves(m, n);
            const double intervals = (double)n;
            CHECK_NEAR(psg_symbol_fd2(waves, intervals, length), n == 1 ? 0 : stencil(m, n, length),
                       1e-13 * scale, "fd2, mode %zu of %zu", m, n);
            CHECK_NEAR(psg_symbol_spectral(waves, intervals, length), derivative(m, n, length),
                       1e-13 * scale, "spectral, mode %zu of %zu", m, n);
        }
    }
    return check_result();
}
