/** @file oracle.h  Right answers for the tests, written without a line of the library.
 *
 * Everything is periodic, arrays are [nz][ny][nx] of double, x fastest, and phases are reduced as
 * integers before a sine is taken, so that the answers are good to a few 1e-16 at any mode.
 */
#ifndef PSG_TESTS_ORACLE_H
#define PSG_TESTS_ORACLE_H

#include <stddef.h>
#include <stdint.h>

typedef enum oracle_symbol { ORACLE_SPECTRAL, ORACLE_FD2 } oracle_symbol;

typedef struct oracle_grid {
    size_t n[3];      /**< points along x, y, z */
    double length[3]; /**< of the box */
} oracle_grid;

oracle_grid oracle_grid_make(size_t nx, size_t ny, size_t nz, double lx, double ly, double lz);

size_t oracle_points(const oracle_grid *grid);

/** Memory that cannot fail a test quietly: ends the program where there is none. */
double *oracle_array(size_t count);

/** Of the discrete Laplacian, for the mode m (each of the three counted modulo n). Not positive. */
double oracle_eigenvalue(const oracle_grid *grid, oracle_symbol symbol, const size_t m[3]);

/** The mode m, its cosine (sine = 0) or its sine, at every point. */
void oracle_mode(const oracle_grid *grid, const size_t m[3], int sine, double *f);

/** Walk over all real modes of the grid, as many as it has points: start with *index = 0. Gives m
 *  and whether it is the sine; 0 at the end. */
int oracle_next_mode(const oracle_grid *grid, size_t *index, size_t m[3], int *sine);

/** Independent numbers in [-1, 1), the same for the same seed everywhere. */
void oracle_random(uint64_t seed, size_t count, double *f);

/** The mean, summed in long double. */
double oracle_mean(const double *f, size_t count);

/** Take the mean out, in long double. */
void oracle_remove_mean(double *f, size_t count);

double oracle_max(const double *f, size_t count);

/** Solve lap(u) - lambda u = f by a naive transform of each axis in long double; the mode 0 is dropped
 *  where lambda is 0. */
void oracle_solve(const oracle_grid *grid, oracle_symbol symbol, double lambda, const double *f,
                  double *u);

/** g = the derivative along axis d of the trigonometric interpolant of u, at the points: by a sum over all points of a line
 *  in long double. The mode of an even n that is its own mirror image has none. */
void oracle_derivative(const oracle_grid *grid, int d, const double *u, double *g);

/** r = (7-point Laplacian of u) - lambda u - f. */
void oracle_residual(const oracle_grid *grid, double lambda, const double *u, const double *f,
                     double *r);

/** On a box of 2 pi: u = exp(sin x + cos 2y + sin 3z), less its mean on the grid, and f = lap(u). */
void oracle_smooth(const oracle_grid *grid, double *f, double *u);

/** g(i,j,k) = f(i - shift[0], j - shift[1], k - shift[2]), all modulo n. */
void oracle_shift(const oracle_grid *grid, const size_t shift[3], const double *f, double *g);

/** g(i,j,k) = f with the index of each axis whose bit is set in `axes` turned into its negative. */
void oracle_reflect(const oracle_grid *grid, unsigned axes, const double *f, double *g);

/** f and g on grids whose axes are permuted: axis a of g is axis p[a] of f. */
void oracle_permute(const oracle_grid *grid, const int p[3], const double *f, oracle_grid *to,
                    double *g);

/** A crystal: ions of charge +-1 in the cubic cell of side 1. */
typedef struct oracle_crystal {
    const char *name;
    size_t ions;
    double site[8][3];
    int charge[8];
    double distance; /**< of nearest neighbours */
    double madelung; /**< its constant, referred to that distance */
} oracle_crystal;

/** NaCl, CsCl, ZnS; NULL past the last. */
const oracle_crystal *oracle_crystal_at(size_t index);

/** The right-hand side -4 pi rho of the crystal's ions as Gaussians of standard deviation sigma. */
void oracle_crystal_charge(const oracle_grid *grid, const oracle_crystal *crystal, double sigma,
                           double *f);

/** The Madelung constant out of the potential u of that right-hand side f. */
double oracle_madelung(const oracle_grid *grid, const oracle_crystal *crystal, double sigma,
                       const double *f, const double *u);

#endif
