/** @file symbol.h  The discrete Laplacian along one axis: a row for each symbol, and the one
 * formula of the eigenvalues.
 *
 * In 3-D the eigenvalue of mode (i, j, k) is the sum of the three axes' values, for every symbol
 * and every pair of boundary conditions here; so a solver needs three short tables and no formula.
 * C and C++ (CUDA) at once.
 */
#ifndef PSG_CPU_SYMBOL_H
#define PSG_CPU_SYMBOL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Points of an axis with equations of neighbours that GPUs solve, at most. */
enum { PSG_LINE_GPU_MOST = 8192 };

static const double psg_symbol_pi = 3.14159265358979323846;

/** The wavenumber, in whole waves per box, that position m of a periodic transform of n points
 *  stands for. Both -n/2 and n/2 are the same mode when n is even; the sign does not matter to a
 *  square. */
static inline double psg_symbol_waves(size_t m, size_t n) {
    return 2 * m <= n ? (double)m : -(double)(n - m);
}

/** What stands for the second derivative along an axis: a central difference of points h apart,
 *  sum over d = 1 .. reach of weight[d-1] (u[i-d] - 2 u[i] + u[i+d]) / h^2. */
typedef struct psg_symbol_row {
    int reach; /**< 0: no difference, but the derivative of the trigonometric interpolant */
    double weight[4];
    bool free;  /**< an axis may have a free side */
    bool faces; /**< neighbours alone count: there are values on sides, epsilon, and a gradient
                     between the points */
} psg_symbol_row;

/** The rows, in the order of psg_symbol in graph/psg.h. Weights by Fornberg, Math. Comp. 51, 699
 *  (1988). */
static const psg_symbol_row psg_symbol_rows[] = {
    {0, {0}, true, false},                                    /* spectral */
    {1, {1}, true, true},                                     /* fd2 */
    {2, {4 / 3., -1 / 12.}, false, false},                    /* fd4 */
    {3, {3 / 2., -3 / 20., 1 / 90.}, false, false},           /* fd6 */
    {4, {8 / 5., -1 / 5., 8 / 315., -1 / 560.}, false, false} /* fd8 */
};

/** What the symbol does to a mode of so many waves per length, half waves too, on an axis of so
 *  many intervals h = length / intervals. Of `spectral` that is -k^2, k = 2 pi waves / length,
 *  exact for every mode that the grid carries, Nyquist's included. Of a difference it is the sum
 *  of weight[d-1] (2 cos(d k h) - 2) / h^2, here with 2 cos(x) - 2 = -(2 sin(x/2))^2, which loses
 *  no digits of low modes. */
static inline double psg_symbol_eigenvalue(const psg_symbol_row *row, double waves,
                                           double intervals, double length) {
    const double k = 2 * psg_symbol_pi * waves / length;
    double sum = row->reach == 0 ? -k * k : 0;
    for (int d = row->reach; d >= 1; d--) {
        const double s = 2 * (intervals / length) * sin(psg_symbol_pi * d * waves / intervals);
        sum -= row->weight[d - 1] * s * s;
    }
    return sum;
}

/** k of mode m of n along a periodic axis: i k times the mode is its derivative. At the points the
 *  highest mode of an even n has the derivative 0. */
static inline double psg_symbol_derivative(size_t m, size_t n, double length) {
    return 2 * m == n ? 0 : 2 * psg_symbol_pi * psg_symbol_waves(m, n) / length;
}

/** By what mode m of n along a periodic axis is multiplied for the derivative that the gradient of
 *  the symbol has: i k at the points; of a symbol with faces the difference of neighbours,
 *  (exp(i theta) - 1) / h with theta = 2 pi m/n. @param[out] by  real and imaginary part */
static inline void psg_symbol_multiplier(const psg_symbol_row *row, size_t m, size_t n,
                                         double length, double by[2]) {
    const double k = psg_symbol_derivative(m, n, length);
    const double half = psg_symbol_pi * psg_symbol_waves(m, n) / (double)n;
    const double s = 2 * ((double)n / length) * sin(half);
    by[0] = row->faces ? -s * sin(half) : 0;
    by[1] = !row->faces ? k : k != 0 ? s * cos(half) : 0;
}

/** The same for a mode of a cosine or sine transform, whose differences of neighbours are the modes
 *  of the other one: 2 sin(theta/2) / h, theta = 2 pi waves/intervals, of cosines with the other
 *  sign. */
static inline double psg_symbol_slope(double waves, double intervals, double length, bool sine) {
    const double s = 2 * (intervals / length) * sin(psg_symbol_pi * waves / intervals);
    return sine ? s : -s;
}

/** Of -u'' + s u = 0 in cells of width h beyond an end, where u falls to its mu-th part from each
 *  to the next: (1 - mu)/h^2, which the end adds to s in the last cell before it. */
static inline double psg_symbol_open(double s, double h) {
    const double q = s * h * h;
    const double more = q / 2 + sqrt(q) * sqrt(1 + q / 4); /* 1/mu - 1 */
    return more / (1 + more) / (h * h);
}

#ifdef __cplusplus
}
#endif
#endif
