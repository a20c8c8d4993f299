/** @file symbol.h  Eigenvalues of the discrete Laplacian along one axis: the one place with the formulas.
 *
 * In 3-D the eigenvalue of mode (i, j, k) is the sum of the three axes' values, for every symbol and
 * every pair of boundary conditions here; so a solver needs three short tables and no formula. C and
 * C++ (CUDA) at once.
 */
#ifndef PSG_CPU_SYMBOL_H
#define PSG_CPU_SYMBOL_H

#include <math.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

static const double psg_symbol_pi = 3.14159265358979323846;

/** The wavenumber, in whole waves per box, that position m of a transform of n points stands
 *  for. Both -n/2 and n/2 are the same mode when n is even; the sign does not matter to a
 *  square. */
static inline double psg_symbol_waves(size_t m, size_t n) {
    return 2 * m <= n ? (double)m : -(double)(n - m);
}

/** -k^2, k = 2 pi waves / length: the derivative of the trigonometric interpolant, exact for every
 *  mode that the grid carries, Nyquist's included. */
static inline double psg_symbol_spectral(size_t m, size_t n, double length) {
    const double k = 2 * psg_symbol_pi * psg_symbol_waves(m, n) / length;
    return -k * k;
}

/** -(2/h sin(k h/2))^2, h = length/n: what (u[i-1] - 2 u[i] + u[i+1]) / h^2 does to mode m. */
static inline double psg_symbol_fd2(size_t m, size_t n, double length) {
    const double s =
        2 * ((double)n / length) * sin(psg_symbol_pi * psg_symbol_waves(m, n) / (double)n);
    return -s * s;
}

typedef double (*psg_symbol_function)(size_t m, size_t n, double length);

#ifdef __cplusplus
}
#endif
#endif
