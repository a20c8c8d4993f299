/* The residual of a solution, with nothing in common with the solver: no wavenumbers, no
 * transforms. */
#include "app/verify.h"
#include "app/ranks.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* BATCH: points whose residuals are summed over the processes at once */
enum { ALL_POINTS_UP_TO = 1 << 18, SAMPLE = 1 << 16, BATCH = 1 << 14 };

struct check {
    const psg_grid *grid;
    psg_precision precision;
    double lambda, factor;
    app_planes planes;
    const void *f, *u; /* of those planes */
    double mean;
    app_verification *result;
    double *rows;          /* six rows of nx */
    void *below, *above;   /* for the stencil: the planes of u next to ours */
    double *derivative[3]; /* for spectral: of each axis, the row that fill_derivative() makes */
    size_t *point;         /* and a batch of points */
    double *residual;      /* with their residuals */
};

/* Row 0 of the matrix that takes the values of a trigonometric interpolant on n equal steps of a
 * period to its second derivative there; row i is the same, turned by i. With h = 2 pi/n, from
 * the derivatives of the interpolant of a unit spike, sin(n x/2)/(n tan(x/2)) for even n, sin(n
 * x/2)/(n sin(x/2)) for odd n (Trefethen, Spectral Methods in MATLAB, 2000, chapter 3, has the
 * even one). */
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

/* Max |factor f|, the mean of factor f, max |u| and the mean of u in one pass; NaN in u makes its maximum NaN. */
static void survey(const struct check *check, double *largest_u, double *mean_f, double *mean_u) {
    const size_t nx = check->grid->axis[0].n;
    const size_t rows = check->grid->axis[1].n * check->planes.count;
    long double total_f = 0, total_u = 0;
    double largest_f = 0, *row = check->rows;
    *largest_u = 0;
    for (size_t r = 0; r < rows; r++) {
        app_get_row(check->f, check->precision, r * nx, nx, row);
        for (size_t i = 0; i < nx; i++) {
            total_f += check->factor * row[i];
            largest_f = fmax(largest_f, fabs(check->factor * row[i]));
        }
        app_get_row(check->u, check->precision, r * nx, nx, row);
        for (size_t i = 0; i < nx; i++) {
            total_u += row[i];
            if (!(fabs(row[i]) <= *largest_u) && !isnan(*largest_u)) {
                *largest_u = fabs(row[i]);
            }
        }
    }
    const long double points = (long double)app_points(check->grid);
    double means[2] = {(double)(total_f / points), (double)(total_u / points)};
    double largest[2] = {largest_f, *largest_u};
    app_ranks_sum(means, 2);
    app_ranks_max(largest, 2);
    *mean_f = means[0];
    *mean_u = means[1];
    *largest_u = largest[1];
    check->result->largest_f = largest[0];
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

/* The last plane of the process before, and the first of the one after, round the period. The
 * processes that have planes are the first ones. */
static void exchange_planes(const struct check *check) {
    const psg_axis *axis = check->grid->axis;
    const size_t bytes = axis[0].n * axis[1].n * app_element_bytes(check->precision);
    const int ranks = (size_t)app_ranks() < axis[2].n ? app_ranks() : (int)axis[2].n;
    if (check->planes.count == 0) {
        return;
    }
    const int before = (app_rank() + ranks - 1) % ranks, after = (app_rank() + 1) % ranks;
    const char *first = check->u, *last = first + (check->planes.count - 1) * bytes;
    app_ranks_exchange(after, last, before, check->below, bytes);
    app_ranks_exchange(before, first, after, check->above, bytes);
}

/* Row j of u in plane k of ours, from the one below, -1, to the one above. */
static void get_row_of_u(const struct check *check, size_t j, ptrdiff_t k, double *row) {
    const size_t nx = check->grid->axis[0].n, ny = check->grid->axis[1].n;
    const size_t count = check->planes.count;
    const void *field = k < 0 ? check->below : (size_t)k == count ? check->above : check->u;
    const size_t plane = k < 0 || (size_t)k == count ? 0 : (size_t)k;
    app_get_row(field, check->precision, (plane * ny + j) * nx, nx, row);
}

static void stencil_residual(const struct check *check) {
    const psg_axis *axis = check->grid->axis;
    const size_t nx = axis[0].n, ny = axis[1].n;
    double weight[3], *rows = check->rows;
    for (int a = 0; a < 3; a++) {
        const double h = axis[a].length / (double)axis[a].n;
        weight[a] = 1 / (h * h);
    }
    double *here = rows, *south = rows + nx, *north = rows + 2 * nx, *below = rows + 3 * nx,
           *above = rows + 4 * nx, *f = rows + 5 * nx;
    exchange_planes(check);
    for (ptrdiff_t k = 0; k < (ptrdiff_t)check->planes.count; k++) {
        for (size_t j = 0; j < ny; j++) {
            get_row_of_u(check, j, k, here);
            get_row_of_u(check, (j + ny - 1) % ny, k, south);
            get_row_of_u(check, (j + 1) % ny, k, north);
            get_row_of_u(check, j, k - 1, below);
            get_row_of_u(check, j, k + 1, above);
            app_get_row(check->f, check->precision, ((size_t)k * ny + j) * nx, nx, f);
            for (size_t i = 0; i < nx; i++) {
                const double x = here[(i + nx - 1) % nx] - 2 * here[i] + here[(i + 1) % nx];
                const double y = south[i] - 2 * here[i] + north[i];
                const double z = below[i] - 2 * here[i] + above[i];
                const double lap = weight[0] * x + weight[1] * y + weight[2] * z;
                const double wanted = check->factor * f[i] - check->mean;
                take(check->result, lap - check->lambda * here[i] - wanted, i, j,
                     check->planes.z0 + (size_t)k);
            }
        }
    }
    app_ranks_max_at(&check->result->residual, check->result->at);
    check->result->points = app_points(check->grid);
}

static double value_at(const void *field, psg_precision precision, size_t index) {
    return precision == PSG_F32 ? (double)((const float *)field)[index]
                                : ((const double *)field)[index];
}

/* Second derivative along a line at its place `at`, as far as it comes from `count` values that
 * start at place `from` of the line and element `first` of u, in steps of `step`. */
static double line_derivative(const struct check *check, const double *d, size_t from, size_t count,
                              size_t first, size_t step, size_t at) {
    double sum = 0;
    for (size_t m = from; m < from + count; m++) {
        sum += d[m < at ? at - m : m - at] *
               value_at(check->u, check->precision, first + (m - from) * step);
    }
    return sum;
}

/* What this process has of the residual at a point: its part of the derivative along z, and all the
   rest if the point is one of its own. The sum over the processes is the residual. */
static double residual_part(const struct check *check, size_t i, size_t j, size_t k) {
    const psg_axis *axis = check->grid->axis;
    const size_t nx = axis[0].n, ny = axis[1].n, z0 = check->planes.z0, count = check->planes.count;
    const double along_z =
        line_derivative(check, check->derivative[2], z0, count, i + j * nx, nx * ny, k);
    if (k < z0 || k >= z0 + count) {
        return along_z;
    }
    const size_t index = ((k - z0) * ny + j) * nx + i;
    const double lap = line_derivative(check, check->derivative[0], 0, nx, index - i, 1, i) +
                       line_derivative(check, check->derivative[1], 0, ny, index - j * nx, nx, j) +
                       along_z;
    const double u = value_at(check->u, check->precision, index);
    const double f = value_at(check->f, check->precision, index);
    return lap - check->lambda * u - (check->factor * f - check->mean);
}

static void spectral_residual(const struct check *check) {
    const size_t nx = check->grid->axis[0].n, ny = check->grid->axis[1].n;
    const size_t points = app_points(check->grid);
    const bool all = points <= ALL_POINTS_UP_TO;
    const size_t wanted = all ? points : SAMPLE;
    uint64_t state = 1; /* the points are the same in all processes */
    for (size_t done = 0; done < wanted; done += BATCH) {
        const size_t batch = wanted - done < BATCH ? wanted - done : BATCH;
        for (size_t p = 0; p < batch; p++) {
            check->point[p] = done + p;
            if (!all) {
                /* Knuth's linear congruential generator; its high bits are the good ones */
                state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
                check->point[p] = (size_t)((double)(state >> 11) * 0x1p-53 * (double)points);
            }
            const size_t index = check->point[p];
            check->residual[p] = residual_part(check, index % nx, index / nx % ny, index / nx / ny);
        }
        app_ranks_sum(check->residual, batch);
        for (size_t p = 0; p < batch; p++) {
            const size_t index = check->point[p];
            take(check->result, check->residual[p], index % nx, index / nx % ny, index / nx / ny);
        }
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

static int allocate(struct check *check, psg_symbol symbol) {
    const psg_axis *axis = check->grid->axis;
    check->rows = app_allocate(axis[0].n, 6 * sizeof(double), "six rows of the field");
    if (check->rows == NULL) {
        return APP_FAILED;
    }
    if (symbol == PSG_SYMBOL_FD2) {
        const size_t bytes = axis[0].n * app_element_bytes(check->precision);
        check->below = app_allocate(axis[1].n, bytes, "a plane of the field");
        check->above = app_allocate(axis[1].n, bytes, "a plane of the field");
        return check->below != NULL && check->above != NULL ? APP_DONE : APP_FAILED;
    }
    for (int a = 0; a < 3; a++) {
        double *d = app_allocate(axis[a].n, sizeof *d, "the derivative along a line");
        if (d == NULL) {
            return APP_FAILED;
        }
        fill_derivative(d, axis[a].n, axis[a].length);
        check->derivative[a] = d;
    }
    check->point = app_allocate(BATCH, sizeof *check->point, "a batch of points");
    check->residual = app_allocate(BATCH, sizeof *check->residual, "their residuals");
    return check->point != NULL && check->residual != NULL ? APP_DONE : APP_FAILED;
}

static void release(struct check *check) {
    free(check->rows);
    free(check->below);
    free(check->above);
    for (int a = 0; a < 3; a++) {
        free(check->derivative[a]);
    }
    free(check->point);
    free(check->residual);
}

int app_verify(const psg_grid *grid, psg_precision precision, const app_equation *equation,
               app_planes planes, const void *f, const void *u, app_verification *result) {
    const psg_symbol symbol = equation->symbol;
    const double lambda = equation->lambda;
    double largest_u, mean_f, mean_u;
    struct check check = {.grid = grid,
                          .precision = precision,
                          .lambda = lambda,
                          .factor = equation->factor,
                          .planes = planes,
                          .f = f,
                          .u = u,
                          .result = result};
    memset(result, 0, sizeof *result);
    const int code = app_ranks_agree(allocate(&check, symbol));
    if (code) {
        release(&check);
        return code;
    }
    survey(&check, &largest_u, &mean_f, &mean_u);
    result->mean = check.mean = lambda == 0 ? mean_f : 0;
    if (symbol == PSG_SYMBOL_FD2) {
        stencil_residual(&check);
    } else {
        spectral_residual(&check);
    }

    /* The rounding errors of the transforms grow as the logarithm of the number of points. Those
     * of f come through as they are, those of u times the eigenvalues. */
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
    release(&check);
    return APP_DONE;
}
