/** @file symbol.h  Eigenvalues of the discrete Laplacian along one axis: the one place with the
 * formulas.
 *
 * In 3-D the eigenvalue of mode (i, j, k) is the sum of the three axes' values, for every symbol
 * and every pair of boundary conditions here; so a solver needs three short tables and no formula.
 * C and C++ (CUDA) at once.
 */
#ifndef PSG_CPU_SYMBOL_H
#define PSG_CPU_SYMBOL_H

#include <math.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

static const double psg_symbol_pi = 3.14159265358979323846;

/** The wavenumber, in whole waves per box, that position m of a periodic transform of n points
 *  stands for. Both -n/2 and n/2 are the same mode when n is even; the sign does not matter to a
 *  square. */
static inline double psg_symbol_waves(size_t m, size_t n) {
    return 2 * m <= n ? (double)m : -(double)(n - m);
}

/* All have a mode of so many waves per length, half waves too, on an axis of so many intervals
 * h. */

/** -k^2, k = 2 pi waves / length: the derivative of the trigonometric interpolant, exact for every
 *  mode that the grid carries, Nyquist's included. */
static inline double psg_symbol_spectral(double waves, double intervals, double length) {
    (void)intervals;
    const double k = 2 * psg_symbol_pi * waves / length;
    return -k * k;
}

/** -(2/h sin(k h/2))^2, h = length/intervals: what (u[i-1] - 2 u[i] + u[i+1]) / h^2 does to the
 * mode. */
static inline double psg_symbol_fd2(double waves, double intervals, double length) {
    const double s = 2 * (intervals / length) * sin(psg_symbol_pi * waves / intervals);
    return -s * s;
}

/** The central differences of order 4, 6 and 8: fd2 times the first terms of (arcsin(s)/s)^2, s =
 * sin(k h/2). All terms together are -k^2. */
static inline double psg_symbol_fd4(double waves, double intervals, double length) {
    const double s = sin(psg_symbol_pi * waves / intervals);
    return psg_symbol_fd2(waves, intervals, length) * (1 + s * s / 3);
}

static inline double psg_symbol_fd6(double waves, double intervals, double length) {
    const double s = sin(psg_symbol_pi * waves / intervals);
    return psg_symbol_fd2(waves, intervals, length) * (1 + s * s * (1 / 3. + s * s * 8 / 45));
}

static inline double psg_symbol_fd8(double waves, double intervals, double length) {
    const double s = sin(psg_symbol_pi * waves / intervals), s2 = s * s;
    return psg_symbol_fd2(waves, intervals, length) *
           (1 + s2 * (1 / 3. + s2 * (8 / 45. + s2 * 4 / 35)));
}

/** k of mode m of n along a periodic axis: i k times the mode is its derivative. At the points the
 *  highest mode of an even n has the derivative 0. */
static inline double psg_symbol_derivative(size_t m, size_t n, double length) {
    return 2 * m == n ? 0 : 2 * psg_symbol_pi * psg_symbol_waves(m, n) / length;
}

typedef double (*psg_symbol_function)(double waves, double intervals, double length);

#ifdef __cplusplus
}
#endif
#endif
