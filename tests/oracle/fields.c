#include "tests/oracle/oracle.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

void oracle_derivative(const oracle_grid *grid, int d, const double *u, double *g) {
    const size_t n = grid->n[d], stride = d == 0   ? 1
                                          : d == 1 ? grid->n[0]
                                                   : grid->n[0] * grid->n[1];
    long double *weight = calloc(n, sizeof *weight); /* of the point so many behind */
    for (size_t r = 0; weight && r < n; ++r) {
        for (size_t m = 1; 2 * m < n; ++m) {
            const long double phase = 2 * acosl(-1) / (long double)n;
            weight[r] -= 2 * (long double)m * sinl(phase * (long double)(m * r % n));
        }
        weight[r] *= 2 * acosl(-1) / (long double)grid->length[d] / (long double)n;
    }
    for (size_t p = 0; p < oracle_points(grid); ++p) {
        const size_t at = p / stride % n;
        long double sum = weight ? 0 : (long double)NAN;
        for (size_t q = 0; weight && q < n; ++q) {
            sum += weight[(at + n - q) % n] * (long double)u[p - at * stride + q * stride];
        }
        g[p] = (double)sum;
    }
    free(weight);
}

void oracle_residual(const oracle_grid *grid, double lambda, const double *u, const double *f,
                     double *r) {
    const size_t *n = grid->n;
    for (size_t k = 0; k < n[2]; ++k) {
        for (size_t j = 0; j < n[1]; ++j) {
            for (size_t i = 0; i < n[0]; ++i) {
                const size_t at[3] = {i, j, k}, stride[3] = {1, n[0], n[0] * n[1]};
                size_t p = (k * n[1] + j) * n[0] + i;
                long double sum = -(long double)lambda * u[p] - f[p];
                for (int a = 0; a < 3; ++a) {
                    size_t base = p - at[a] * stride[a];
                    size_t up = base + (at[a] + 1) % n[a] * stride[a];
                    size_t down = base + (at[a] + n[a] - 1) % n[a] * stride[a];
                    long double h = (long double)grid->length[a] / (long double)n[a];
                    sum += ((long double)u[up] - 2 * (long double)u[p] + u[down]) / (h * h);
                }
                r[p] = (double)sum;
            }
        }
    }
}

void oracle_smooth(const oracle_grid *grid, double *f, double *u) {
    const size_t *n = grid->n;
    for (size_t k = 0; k < n[2]; ++k) {
        double z = 2 * pi * (double)k / (double)n[2], uz = exp(sin(3 * z));
        double lz = 9 * cos(3 * z) * cos(3 * z) - 9 * sin(3 * z);
        for (size_t j = 0; j < n[1]; ++j) {
            double y = 2 * pi * (double)j / (double)n[1], uy = exp(cos(2 * y));
            double ly = 4 * sin(2 * y) * sin(2 * y) - 4 * cos(2 * y);
            for (size_t i = 0; i < n[0]; ++i) {
                double x = 2 * pi * (double)i / (double)n[0];
                double lx = cos(x) * cos(x) - sin(x);
                size_t p = (k * n[1] + j) * n[0] + i;
                u[p] = exp(sin(x)) * uy * uz;
                f[p] = u[p] * (lx + ly + lz);
            }
        }
    }
    oracle_remove_mean(u, oracle_points(grid));
}

void oracle_shift(const oracle_grid *grid, const size_t shift[3], const double *f, double *g) {
    const size_t *n = grid->n;
    for (size_t p = 0; p < oracle_points(grid); ++p) {
        size_t i = (p % n[0] + shift[0]) % n[0];
        size_t j = (p / n[0] % n[1] + shift[1]) % n[1];
        size_t k = (p / n[0] / n[1] + shift[2]) % n[2];
        g[(k * n[1] + j) * n[0] + i] = f[p];
    }
}

void oracle_reflect(const oracle_grid *grid, unsigned axes, const double *f, double *g) {
    const size_t *n = grid->n;
    for (size_t p = 0; p < oracle_points(grid); ++p) {
        size_t at[3] = {p % n[0], p / n[0] % n[1], p / n[0] / n[1]};
        for (int a = 0; a < 3; ++a) {
            if (axes >> a & 1u) {
                at[a] = (n[a] - at[a]) % n[a];
            }
        }
        g[(at[2] * n[1] + at[1]) * n[0] + at[0]] = f[p];
    }
}

void oracle_permute(const oracle_grid *grid, const int p[3], const double *f, oracle_grid *to,
                    double *g) {
    const size_t *n = grid->n;
    for (int a = 0; a < 3; ++a) {
        to->n[a] = n[p[a]];
        to->length[a] = grid->length[p[a]];
    }
    for (size_t q = 0; q < oracle_points(grid); ++q) {
        const size_t at[3] = {q % n[0], q / n[0] % n[1], q / n[0] / n[1]};
        g[(at[p[2]] * to->n[1] + at[p[1]]) * to->n[0] + at[p[0]]] = f[q];
    }
}

/* The constants to 15 digits; an Ewald sum, 4 cells and 10 reciprocal cells each way, agrees. */
static const oracle_crystal crystals[] = {
    {"NaCl",
     8,
     {{0, 0, 0},
      {.5, .5, 0},
      {.5, 0, .5},
      {0, .5, .5},
      {.5, 0, 0},
      {0, .5, 0},
      {0, 0, .5},
      {.5, .5, .5}},
     {1, 1, 1, 1, -1, -1, -1, -1},
     0.5,
     1.747564594633182},
    {"CsCl", 2, {{0, 0, 0}, {.5, .5, .5}}, {1, -1}, 0.86602540378443865, 1.762674773070988},
    {"ZnS",
     8,
     {{0, 0, 0},
      {.5, .5, 0},
      {.5, 0, .5},
      {0, .5, .5},
      {.25, .25, .25},
      {.75, .75, .25},
      {.75, .25, .75},
      {.25, .75, .75}},
     {1, 1, 1, 1, -1, -1, -1, -1},
     0.43301270189221932,
     1.63805505338879},
};

const oracle_crystal *oracle_crystal_at(size_t index) {
    return index < sizeof crystals / sizeof *crystals ? &crystals[index] : NULL;
}

/** A normalised Gaussian and its images, at a distance x in units of the cell. */
static double gaussian(double x, double sigma) {
    double sum = 0;
    for (int image = -2; image <= 2; ++image) {
        double r = (x + image) / sigma;
        sum += exp(-r * r / 2);
    }
    return sum / (sqrt(2 * pi) * sigma);
}

void oracle_crystal_charge(const oracle_grid *grid, const oracle_crystal *crystal, double sigma,
                           double *f) {
    const size_t *n = grid->n;
    for (size_t p = 0; p < oracle_points(grid); ++p) {
        f[p] = 0;
    }
    for (size_t ion = 0; ion < crystal->ions; ++ion) {
        double *g[3];
        for (int a = 0; a < 3; ++a) {
            g[a] = oracle_array(n[a]);
            for (size_t i = 0; i < n[a]; ++i) {
                g[a][i] = gaussian((double)i / (double)n[a] - crystal->site[ion][a], sigma);
            }
        }
        for (size_t p = 0; p < oracle_points(grid); ++p) {
            f[p] -= 4 * pi * crystal->charge[ion] * g[0][p % n[0]] * g[1][p / n[0] % n[1]] *
                    g[2][p / n[0] / n[1]];
        }
        for (int a = 0; a < 3; ++a) {
            free(g[a]);
        }
    }
}

double oracle_madelung(const oracle_grid *grid, const oracle_crystal *crystal, double sigma,
                       const double *f, const double *u) {
    size_t points = oracle_points(grid);
    long double energy = 0;
    for (size_t p = 0; p < points; ++p) {
        energy -= (long double)f[p] * u[p];
    }
    energy /= 8 * (long double)pi * (long double)points;
    /* Each Gaussian's energy with itself, 1 / (2 sqrt(pi) sigma), is no part of the crystal's. */
    energy -= (long double)crystal->ions / (2 * sqrt(pi) * sigma);
    return (double)(-energy * crystal->distance * 2 / (long double)crystal->ions);
}
