/* The residual of a solution, with nothing in common with the solver: no wavenumbers, no transforms. */
#include "app/verify.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALL_POINTS_UP_TO = 1 << 18, SAMPLE = 1 << 16 };

struct check {
    const psg_grid *grid;
    psg_precision precision;
    double lambda;
    const void *f, *u;
    double mean;
    app_verification *result;
};

/* Row 0 of the matrix that takes the values of a trigonometric interpolant on n equal steps of a period
   to its second derivative there; row i is the same, turned by i. With h = 2 pi/n, from the derivatives
   of the interpolant of a unit spike, sin(n x/2)/(n tan(x/2)) for even n, sin(n x/2)/(n sin(x/2)) for
   odd n (Trefethen, Spectral Methods in MATLAB, 2000, chapter 3, has the even one). */
static void fill_derivative(double *d, size_t n, double length) {
    const double pi = acos(-1.0), h = 2 * pi / (double)n;
    const double scale = (2 * pi / length) * (2 * pi / length);
    d[0] = scale * (n % 2 ? 1.0 / 12 - pi * pi / (3 * h * h) : -1.0 / 6 - pi * pi / (3 * h * h));
    for (size_t j = 1; j < n; j++) {
        /* the nearer way round: sin and cos are accurate there, and d[j] == d[n-j] exactly */
        const double half = 0.5 * h * (double)(j < n - j ? j : n - j);
        const double sign = (j < n - j ? j : n - j) % 2 ? 1 : -1;
        d[j] = scale * sign / (2 * sin(half) * sin(half)) * (n % 2 ? cos(half) : 1);
    }
}

/* Max |f|, the mean of f, max |u| and the mean of u in one pass; NaN in u makes its maximum NaN. */
static void survey(const struct check *check, double *row, double *largest_u, double *mean_f,
                   double *mean_u) {
    const size_t nx = check->grid->axis[0].n;
    const size_t rows = check->grid->axis[1].n * check->grid->axis[2].n;
    long double total_f = 0, total_u = 0;
    double largest_f = 0;
    *largest_u = 0;
    for (size_t r = 0; r < rows; r++) {
        app_get_row(check->f, check->precision, r * nx, nx, row);
        for (size_t i = 0; i < nx; i++) {
            total_f += row[i];
            largest_f = fmax(largest_f, fabs(row[i]));
        }
        app_get_row(check->u, check->precision, r * nx, nx, row);
        for (size_t i = 0; i < nx; i++) {
            total_u += row[i];
            if (!(fabs(row[i]) <= *largest_u) && !isnan(*largest_u)) {
                *largest_u = fabs(row[i]);
            }
        }
    }
    const long double points = (long double)nx * (long double)rows;
    *mean_f = (double)(total_f / points);
    *mean_u = (double)(total_u / points);
    check->result->largest_f = largest_f;
}

static void take(app_verification *result, double residual, size_t i, size_t j, size_t k) {
    result->points++;
    /* once it is NaN it stays so */
    if (!(fabs(residual) <= result->residual) && !isnan(result->residual)) {
        result->residual = fabs(residual);
        result->at[0] = i;
        result->at[1] = j;
        result->at[2] = k;
    }
}

/* rows: space for six rows of nx */
static void stencil_residual(const struct check *check, double *rows) {
    const psg_axis *axis = check->grid->axis;
    const size_t nx = axis[0].n, ny = axis[1].n, nz = axis[2].n;
    double weight[3];
    for (int a = 0; a < 3; a++) {
        const double h = axis[a].length / (double)axis[a].n;
        weight[a] = 1 / (h * h);
    }
    double *here = rows, *south = rows + nx, *north = rows + 2 * nx, *below = rows + 3 * nx,
           *above = rows + 4 * nx, *f = rows + 5 * nx;
    for (size_t k = 0; k < nz; k++) {
        for (size_t j = 0; j < ny; j++) {
            const size_t j_low = (j + ny - 1) % ny, j_high = (j + 1) % ny;
            const size_t k_low = (k + nz - 1) % nz, k_high = (k + 1) % nz;
            app_get_row(check->u, check->precision, (k * ny + j) * nx, nx, here);
            app_get_row(check->u, check->precision, (k * ny + j_low) * nx, nx, south);
            app_get_row(check->u, check->precision, (k * ny + j_high) * nx, nx, north);
            app_get_row(check->u, check->precision, (k_low * ny + j) * nx, nx, below);
            app_get_row(check->u, check->precision, (k_high * ny + j) * nx, nx, above);
            app_get_row(check->f, check->precision, (k * ny + j) * nx, nx, f);
            for (size_t i = 0; i < nx; i++) {
                const double x = here[(i + nx - 1) % nx] - 2 * here[i] + here[(i + 1) % nx];
                const double y = south[i] - 2 * here[i] + north[i];
                const double z = below[i] - 2 * here[i] + above[i];
                const double lap = weight[0] * x + weight[1] * y + weight[2] * z;
                take(check->result, lap - check->lambda * here[i] - (f[i] - check->mean), i, j, k);
            }
        }
    }
}

static double value_at(const void *field, psg_precision precision, size_t index) {
    return precision == PSG_F32 ? (double)((const float *)field)[index]
                                : ((const double *)field)[index];
}

/* Second derivative along the line of n values from `first` in steps of `step`, at its place `at`. */
static double line_derivative(const struct check *check, const double *d, size_t n, size_t first,
                              size_t step, size_t at) {
    double sum = 0;
    for (size_t m = 0; m < n; m++) {
        sum += d[m < at ? at - m : m - at] * value_at(check->u, check->precision, first + m * step);
    }
    return sum;
}

/* d[axis]: the rows that fill_derivative() makes */
static void spectral_residual(const struct check *check, double *const *d) {
    const psg_axis *axis = check->grid->axis;
    const size_t nx = axis[0].n, ny = axis[1].n;
    const size_t points = app_points(check->grid);
    const int all = points <= ALL_POINTS_UP_TO;
    uint64_t state = 1;
    for (size_t p = 0; p < (all ? points : SAMPLE); p++) {
        size_t index = p;
        if (!all) {
            /* Knuth's linear congruential generator; its high bits are the good ones */
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            index = (size_t)((double)(state >> 11) * 0x1p-53 * (double)points);
        }
        const size_t i = index % nx, j = index / nx % ny, k = index / nx / ny;
        const double lap = line_derivative(check, d[0], nx, index - i, 1, i) +
                           line_derivative(check, d[1], ny, index - j * nx, nx, j) +
                           line_derivative(check, d[2], axis[2].n, i + j * nx, nx * ny, k);
        const double u = value_at(check->u, check->precision, index);
        const double f = value_at(check->f, check->precision, index);
        take(check->result, lap - check->lambda * u - (f - check->mean), i, j, k);
    }
}

/* Largest |eigenvalue| of the operator: what it makes of the rounding of u. */
static double largest_eigenvalue(const psg_grid *grid, psg_symbol symbol, double lambda) {
    const double pi = acos(-1.0);
    double sum = lambda;
    for (int a = 0; a < 3; a++) {
        const double n = (double)grid->axis[a].n, h = grid->axis[a].length / n;
        if (grid->axis[a].n > 1) {
            sum += symbol == PSG_SYMBOL_FD2 ? 4 / (h * h) : pi * pi / (h * h);
        }
    }
    return sum;
}

int app_verify(const psg_grid *grid, psg_precision precision, psg_symbol symbol, double lambda,
               const void *f, const void *u, app_verification *result) {
    const size_t nx = grid->axis[0].n;
    int code = APP_FAILED;
    double *d[3] = {NULL, NULL, NULL};
    memset(result, 0, sizeof *result);
    struct check check = {grid, precision, lambda, f, u, 0, result};
    double *rows = app_allocate(nx, 6 * sizeof *rows, "six rows of the field");
    if (!rows) {
        goto done;
    }
    for (int a = 0; a < 3; a++) {
        d[a] = app_allocate(grid->axis[a].n, sizeof(double), "the derivative along a line");
        if (!d[a]) {
            goto done;
        }
        fill_derivative(d[a], grid->axis[a].n, grid->axis[a].length);
    }
    double largest_u, mean_u;
    double mean_f;
    survey(&check, rows, &largest_u, &mean_f, &mean_u);
    result->mean = check.mean = lambda == 0 ? mean_f : 0;
    if (symbol == PSG_SYMBOL_FD2) {
        stencil_residual(&check, rows);
    } else {
        spectral_residual(&check, d);
    }

    /* The rounding errors of the transforms grow as the logarithm of the number of points. Those of f
       come through as they are, those of u times the eigenvalues. */
    const double growth = 4 + 2 * log2((double)app_points(grid));
    const double eps = app_epsilon(precision);
    result->bound =
        growth * eps * (largest_eigenvalue(grid, symbol, lambda) * largest_u + result->largest_f);
    /* the mode k = 0, which the largest eigenvalues would drown: 0, or -mean f/lambda */
    result->mean_off = fabs(lambda == 0 ? mean_u : mean_u + mean_f / lambda);
    result->mean_bound =
        growth * eps * (largest_u + (lambda == 0 ? 0 : result->largest_f / lambda));
    result->ok = isfinite(result->bound) && result->residual <= result->bound &&
                 result->mean_off <= result->mean_bound;
    code = APP_DONE;
done:
    for (int a = 0; a < 3; a++) {
        free(d[a]);
    }
    free(rows);
    return code;
}
