/* The residual of a solution, with nothing in common with the solver: no wavenumbers, no
 * transforms. */
#include "app/verify.h"
#include "app/processes.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* BATCH: points whose residuals are summed over the processes at once */
enum { ALL_POINTS_UP_TO = 1 << 18, SAMPLE = 1 << 16, BATCH = 1 << 14 };
enum { REACH = 2 }; /* points on each side of the middle of a stencil, at most */

struct check {
    const psg_grid *grid;
    app_line line[3];
    psg_precision precision;
    const app_equation *equation;
    int reach; /* of the stencil */
    app_planes planes;
    const void *f, *u; /* of those planes */
    double most_epsilon;
    double largest_side; /* of what they add to the stencil */
    double mean;
    app_verification *result;
    double *rows;          /* four rows of nx */
    void *beyond;          /* for the stencil: the planes of u below and above ours, reach each */
    void *spare;           /* and one more */
    double *derivative[3]; /* for spectral: of each axis, what fill_images() makes */
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

/* Of an axis with sides: the derivative of what its mirror images continue. They have a period of
 * two lengths, or of four where the sides are unlike; then u changes its sign after two. Entry m is
 * for two points m steps apart. */
static int fill_images(double *d, const app_line *line) {
    const size_t period = 2 * (size_t)line->whole; /* halves of a step: twice the length */
    const bool unlike = line->image[0] != line->image[1];
    const size_t steps = (unlike ? 2 : 1) * period / 2;
    double *whole = app_allocate(steps, sizeof *whole, "the derivative along a line");
    if (whole == NULL) {
        return APP_FAILED;
    }
    fill_derivative(whole, steps, line->step * (double)steps);
    for (size_t m = 0; m <= period / 2; m++) {
        d[m] = whole[m % steps] - (unlike ? whole[(m + period / 2) % steps] : 0);
    }
    free(whole);
    return APP_DONE;
}

/* What the value at point j contributes to the derivative at point `at`. */
static double weight_of(const app_line *line, const double *d, size_t j, size_t at) {
    const double direct = d[j < at ? at - j : j - at];
    return line->image[0] == 0 ? direct
                               : app_line_weight(line, j) *
                                     (direct + line->image[0] * d[j + at + (size_t)line->first]);
}

/* Add to a row what the values on the sides add to the stencil there: on the sides of axis x at its
 * ends, else in all of it. @param[in] j, k  of the row, k in the grid */
static void add_values(struct check *check, size_t j, size_t k, double *row) {
    const size_t nx = check->grid->axis[0].n;
    const size_t own = k - check->planes.z0, ny = check->grid->axis[1].n;
    const long place[3] = {0, (long)j, (long)k};
    for (int a = 0;
         a < 3 && check->equation->values != NULL && app_side_values_any(check->equation->values);
         a++) {
        const app_line *line = &check->line[a];
        const bool inside = place[a] > 0 && place[a] + 1 < line->n;
        for (size_t i = 0; i < nx && !(a > 0 && inside);
             i += a == 0 && i == 0 && nx > 1 ? nx - 1 : 1) {
            const size_t at = a == 0 ? own * ny + j : a == 1 ? own * nx + i : j * nx + i;
            const double value[2] = {app_side_value(check->equation->values, a, 0, at),
                                     app_side_value(check->equation->values, a, 1, at)};
            const long here = a == 0 ? (long)i : place[a];
            const double sum =
                app_line_value(line, here - 1, value) + app_line_value(line, here + 1, value);
            row[i] += sum / (line->step * line->step);
            check->largest_side = fmax(check->largest_side, fabs(sum) / (line->step * line->step));
        }
    }
}

/* factor f with what values on sides add to it, its mean where that is dropped, max |u| and the
 * mean of u in one pass; NaN in u makes its maximum NaN. @param[in] drops  the equation has no
 * solution for the mean */
static void survey(struct check *check, bool drops, double *largest_u, double *mean_f,
                   double *mean_u) {
    const size_t nx = check->grid->axis[0].n;
    const size_t ny = check->grid->axis[1].n;
    const size_t rows = ny * check->planes.count;
    const app_line *line = check->line;
    app_numbers numbers = {0};
    long double total_f = 0, total_u = 0;
    double *row = check->rows, *sides = row + nx;
    *largest_u = 0;
    for (size_t r = 0; r < rows; r++) {
        const double weight = app_line_weight(&line[1], r % ny) *
                              app_line_weight(&line[2], check->planes.z0 + r / ny);
        memset(sides, 0, nx * sizeof *sides);
        add_values(check, r % ny, check->planes.z0 + r / ny, sides);
        app_get_row(check->f, check->precision, r * nx, nx, row);
        for (size_t i = 0; i < nx; i++) {
            row[i] = check->equation->factor * row[i] - sides[i];
            total_f += weight * app_line_weight(&line[0], i) * row[i];
        }
        app_numbers_add(&numbers, row, nx);
        app_get_row(check->u, check->precision, r * nx, nx, row);
        for (size_t i = 0; i < nx; i++) {
            total_u += weight * app_line_weight(&line[0], i) * row[i];
            if (!(fabs(row[i]) <= *largest_u) && !isnan(*largest_u)) {
                *largest_u = fabs(row[i]);
            }
        }
    }
    const long double points = (long double)app_line_weights(&line[0]) *
                               app_line_weights(&line[1]) * app_line_weights(&line[2]);
    double means[2] = {(double)(total_f / points), (double)(total_u / points)};
    double largest[2] = {*largest_u, check->largest_side};
    app_ranks_sum(means, 2);
    app_ranks_max(largest, 2);
    check->largest_side = largest[1];
    *mean_f = means[0];
    *mean_u = means[1];
    *largest_u = largest[0];
    check->mean = drops ? means[0] : 0;
    check->result->f = app_numbers_about(&numbers, check->mean);
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

/* The process that has a plane. */
static int owner_of(size_t plane, size_t nz) {
    for (int rank = 0; rank < app_ranks(); rank++) {
        size_t z0 = 0, count = 0;
        (void)psg_local_extent(nz, app_ranks(), rank, &z0, &count);
        if (plane >= z0 && plane < z0 + count) {
            return rank;
        }
    }
    return 0;
}

static size_t plane_bytes(const struct check *check) {
    return check->grid->axis[0].n * check->grid->axis[1].n * app_element_bytes(check->precision);
}

/* Where plane k of ours is kept, from -reach to count - 1 + reach, count > 0. */
static void *plane_of(const struct check *check, long k) {
    const long count = (long)check->planes.count;
    const size_t bytes = plane_bytes(check);
    if (k < 0) {
        return (char *)check->beyond + (size_t)(k + check->reach) * bytes;
    }
    return k < count ? (char *)(uintptr_t)check->u + (size_t)k * bytes
                     : (char *)check->beyond + (size_t)(k - count + check->reach) * bytes;
}

/* The planes that the stencil finds below and above those of each process. Who has one and who
 * wants it change places in the same order everywhere; what comes back is thrown away. */
static void exchange_planes(const struct check *check) {
    const size_t nz = check->grid->axis[2].n, bytes = plane_bytes(check);
    for (int rank = 0; rank < app_ranks(); rank++) {
        size_t z0 = 0, count = 0;
        (void)psg_local_extent(nz, app_ranks(), rank, &z0, &count);
        for (int m = 0; m < 2 * check->reach && count > 0; m++) {
            const long k = m < check->reach ? m - check->reach : (long)count + m - check->reach;
            size_t at;
            if (app_line_beyond(&check->line[2], (long)z0 + k, &at) == 0) {
                continue;
            }
            const int from = owner_of(at, nz);
            const char *mine =
                app_rank() == from ? plane_of(check, (long)(at - check->planes.z0)) : check->u;
            if (app_rank() == rank) {
                app_ranks_exchange(from, mine, from, plane_of(check, k), bytes);
            } else if (app_rank() == from) {
                app_ranks_exchange(rank, mine, rank, check->spare, bytes);
            }
        }
    }
}

/* u in row j and plane k of ours, either of which may be beyond a side. @return what it is
 * multiplied with */
static int get_row_of_u(const struct check *check, long j, long k, double *row) {
    const size_t nx = check->grid->axis[0].n;
    size_t y, z;
    const int sign = app_line_beyond(&check->line[1], j, &y) *
                     app_line_beyond(&check->line[2], (long)check->planes.z0 + k, &z);
    if (sign != 0) {
        app_get_row(plane_of(check, k), check->precision, y * nx, nx, row);
    }
    return sign;
}

/* Add the stencil across an axis to a row of the Laplacian, less its middle. */
static void add_rows(const struct check *check, int axis, long j, long k, const double *weight,
                     double *row, double *lap) {
    const size_t nx = check->grid->axis[0].n;
    for (int m = -check->reach; m <= check->reach; m++) {
        const int sign = m == 0      ? 0
                         : axis == 1 ? get_row_of_u(check, j + m, k, row)
                                     : get_row_of_u(check, j, k + m, row);
        for (size_t i = 0; i < nx && sign != 0; i++) {
            lap[i] += sign * weight[abs(m)] * row[i];
        }
    }
}

static double value_at(const void *field, psg_precision precision, size_t index) {
    return precision == PSG_F32 ? (double)((const float *)field)[index]
                                : ((const double *)field)[index];
}

/* fd2 with epsilon: through each face goes the difference of u over the resistances of two half
 * cells. */
static void epsilon_residual(struct check *check) {
    const psg_axis *axis = check->grid->axis;
    const size_t n[3] = {axis[0].n, axis[1].n, axis[2].n};
    const size_t stride[3] = {1, n[0], n[0] * n[1]};
    for (size_t m = 0; m < app_points(check->grid); m++) {
        const size_t at[3] = {m % n[0], m / n[0] % n[1], m / n[0] / n[1]};
        const double u = value_at(check->u, check->precision, m);
        const double epsilon = value_at(check->equation->epsilon, check->precision, m);
        double sum = -check->equation->lambda * u;
        for (int face = 0; face < 6; face++) {
            const int d = face / 2;
            const size_t next = (at[d] + (face % 2 == 0 ? 1 : n[d] - 1)) % n[d];
            const size_t other = m - at[d] * stride[d] + next * stride[d];
            const double h = check->line[d].step;
            const double resistance =
                h / 2 / epsilon +
                h / 2 / value_at(check->equation->epsilon, check->precision, other);
            sum += (value_at(check->u, check->precision, other) - u) / resistance / h;
        }
        const double f = value_at(check->f, check->precision, m);
        check->most_epsilon = fmax(check->most_epsilon, epsilon);
        take(check->result, sum - (check->equation->factor * f - check->mean), at[0], at[1], at[2]);
    }
}

/* fd2 and fd4 with the mirror images beyond the sides. */
static void stencil_residual(struct check *check) {
    static const double coefficients[REACH][REACH + 1] = {{-2, 1, 0},
                                                          {-30. / 12, 16. / 12, -1. / 12}};
    const size_t nx = check->grid->axis[0].n, ny = check->grid->axis[1].n;
    double weight[3][REACH + 1];
    double *here = check->rows, *other = here + nx, *lap = other + nx, *f = lap + nx;
    for (int a = 0; a < 3; a++) {
        const double h = check->line[a].step;
        for (int m = 0; m <= REACH; m++) {
            weight[a][m] =
                app_line_varies(&check->line[a]) ? coefficients[check->reach - 1][m] / (h * h) : 0;
        }
    }
    exchange_planes(check);
    for (long k = 0; k < (long)check->planes.count; k++) {
        for (size_t j = 0; j < ny; j++) {
            (void)get_row_of_u(check, (long)j, k, here);
            app_get_row(check->f, check->precision, ((size_t)k * ny + j) * nx, nx, f);
            for (size_t i = 0; i < nx; i++) {
                lap[i] = (weight[0][0] + weight[1][0] + weight[2][0]) * here[i];
                for (int m = -check->reach; m <= check->reach; m++) {
                    size_t at;
                    const int sign = app_line_beyond(&check->line[0], (long)i + m, &at);
                    lap[i] += m != 0 && sign != 0 ? sign * weight[0][abs(m)] * here[at] : 0;
                }
            }
            add_rows(check, 1, (long)j, k, weight[1], other, lap);
            add_rows(check, 2, (long)j, k, weight[2], other, lap);
            add_values(check, j, check->planes.z0 + (size_t)k, lap);
            for (size_t i = 0; i < nx; i++) {
                const double wanted = check->equation->factor * f[i] - check->mean;
                take(check->result, lap[i] - check->equation->lambda * here[i] - wanted, i, j,
                     check->planes.z0 + (size_t)k);
            }
        }
    }
    app_ranks_max_at(&check->result->residual, check->result->at);
    check->result->points = app_points(check->grid);
}

/* Second derivative along a line at its place `at`, as far as it comes from `count` values that
 * start at place `from` of the line and element `first` of u, in steps of `step`. */
static double line_derivative(const struct check *check, int axis, size_t from, size_t count,
                              size_t first, size_t step, size_t at) {
    double sum = 0;
    for (size_t m = from; m < from + count; m++) {
        sum += weight_of(&check->line[axis], check->derivative[axis], m, at) *
               value_at(check->u, check->precision, first + (m - from) * step);
    }
    return sum;
}

/* What this process has of the residual at a point: its part of the derivative along z, and all the
   rest if the point is one of its own. The sum over the processes is the residual. */
static double residual_part(const struct check *check, size_t i, size_t j, size_t k) {
    const psg_axis *axis = check->grid->axis;
    const size_t nx = axis[0].n, ny = axis[1].n, z0 = check->planes.z0, count = check->planes.count;
    const double along_z = line_derivative(check, 2, z0, count, i + j * nx, nx * ny, k);
    if (k < z0 || k >= z0 + count) {
        return along_z;
    }
    const size_t index = ((k - z0) * ny + j) * nx + i;
    const double lap = line_derivative(check, 0, 0, nx, index - i, 1, i) +
                       line_derivative(check, 1, 0, ny, index - j * nx, nx, j) + along_z;
    const double u = value_at(check->u, check->precision, index);
    const double f = value_at(check->f, check->precision, index);
    return lap - check->equation->lambda * u - (check->equation->factor * f - check->mean);
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
static double largest_eigenvalue(const struct check *check, psg_symbol symbol) {
    const double pi = acos(-1.0);
    const double largest[] = {
        [PSG_SYMBOL_SPECTRAL] = pi * pi, [PSG_SYMBOL_FD2] = 4, [PSG_SYMBOL_FD4] = 16. / 3};
    double sum = check->equation->lambda;
    for (int a = 0; a < 3; a++) {
        const app_line *line = &check->line[a];
        sum += app_line_varies(line) ? largest[symbol] / (line->step * line->step) : 0;
    }
    return sum;
}

static int allocate(struct check *check, psg_symbol symbol) {
    const psg_axis *axis = check->grid->axis;
    check->rows = app_allocate(axis[0].n, 4 * sizeof(double), "four rows of the field");
    if (check->rows == NULL) {
        return APP_FAILED;
    }
    if (symbol != PSG_SYMBOL_SPECTRAL) {
        check->reach = symbol == PSG_SYMBOL_FD2 ? 1 : REACH;
        check->beyond = app_allocate(2 * (size_t)check->reach + 1, plane_bytes(check),
                                     "some planes of the field");
        check->spare = check->beyond != NULL
                           ? (char *)check->beyond + 2 * (size_t)check->reach * plane_bytes(check)
                           : NULL;
        return check->beyond != NULL ? APP_DONE : APP_FAILED;
    }
    for (int a = 0; a < 3; a++) {
        const bool images = check->line[a].image[0] != 0;
        const size_t count = images ? (size_t)check->line[a].whole + 1 : axis[a].n;
        double *d = app_allocate(count, sizeof *d, "the derivative along a line");
        check->derivative[a] = d;
        if (d == NULL || (images && fill_images(d, &check->line[a]))) {
            return APP_FAILED;
        }
        if (!images) {
            fill_derivative(d, axis[a].n, axis[a].length);
        }
    }
    check->point = app_allocate(BATCH, sizeof *check->point, "a batch of points");
    check->residual = app_allocate(BATCH, sizeof *check->residual, "their residuals");
    return check->point != NULL && check->residual != NULL ? APP_DONE : APP_FAILED;
}

static void release(struct check *check) {
    free(check->rows);
    free(check->beyond);
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
                          .equation = equation,
                          .planes = planes,
                          .f = f,
                          .u = u,
                          .most_epsilon = equation->epsilon != NULL ? 0 : 1,
                          .result = result};
    const bool closed = app_is_closed(grid); /* no side holds the mean of u */
    for (int a = 0; a < 3; a++) {
        check.line[a] = app_line_of(&grid->axis[a]);
    }
    memset(result, 0, sizeof *result);
    const int code = app_ranks_agree(allocate(&check, symbol));
    if (code) {
        release(&check);
        return code;
    }
    survey(&check, closed && lambda == 0, &largest_u, &mean_f, &mean_u);
    if (equation->epsilon != NULL) {
        epsilon_residual(&check);
    } else if (symbol != PSG_SYMBOL_SPECTRAL) {
        stencil_residual(&check);
    } else {
        spectral_residual(&check);
    }

    /* The rounding errors of the transforms grow as the logarithm of the number of points. Those
     * of f come through as they are, those of u times the eigenvalues. */
    const double growth = 4 + 2 * log2((double)app_points(grid));
    const double eps = app_epsilon(precision);
    result->bound = growth * eps *
                    (check.most_epsilon * largest_eigenvalue(&check, symbol) * largest_u +
                     result->f.largest + check.largest_side);
    /* no residual is larger than the root of the sum of all squares */
    const double left = equation->epsilon == NULL
                            ? 0
                            : equation->tolerance * result->f.rms * sqrt((double)app_points(grid));
    result->bound += left;
    /* the mode k = 0, which the largest eigenvalues would drown: 0, or -mean f/lambda */
    result->mean_off = !closed ? 0 : fabs(lambda == 0 ? mean_u : mean_u + mean_f / lambda);
    result->mean_bound =
        growth * eps *
            (largest_u + (lambda == 0 ? 0 : (result->f.largest + check.largest_side) / lambda)) +
        (lambda == 0 ? 0 : left / lambda);
    /* the bound grows with what the mean costs u, so that what is left of u is asked of the mean
     * itself */
    result->digits = app_mean_digits(&result->f, equation->epsilon != NULL ? PSG_F64 : precision);
    result->ok = isfinite(result->bound) && result->residual <= result->bound &&
                 result->mean_off <= result->mean_bound && result->digits >= APP_DIGITS_FEW;
    release(&check);
    return APP_DONE;
}
