/* The residual of a solution, with nothing in common with the solver: no wavenumbers, no
 * transforms. */
#include "app/verify.h"
#include "app/fluid.h"
#include "app/processes.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* BATCH: points whose residuals are summed over the processes at once */
enum { ALL_POINTS_UP_TO = 1 << 18, SAMPLE = 1 << 16, BATCH = 1 << 14 };
enum { REACH = 4 }; /* points on each side of the middle of a stencil, at most */

/* A symbol's second derivative along an axis, times the distance of points squared. */
static const struct rule {
    int reach;                /* of its stencil; 0: it takes all points of a line */
    double weight[REACH + 1]; /* of the middle, and of the points beside it */
    double largest;           /* |eigenvalue| */
} rules[] = {
    [PSG_SYMBOL_SPECTRAL] = {0, {0}, 9.869604401089358},
    [PSG_SYMBOL_FD2] = {1, {-2, 1}, 4},
    [PSG_SYMBOL_FD4] = {2, {-30. / 12, 16. / 12, -1. / 12}, 16. / 3},
    [PSG_SYMBOL_FD6] = {3, {-490. / 180, 270. / 180, -27. / 180, 2. / 180}, 272. / 45},
    [PSG_SYMBOL_FD8] = {
        4, {-14350. / 5040, 8064. / 5040, -1008. / 5040, 128. / 5040, -9. / 5040}, 2048. / 315}};

/* What the value at a point of a line contributes to the derivative at another one. */
typedef struct term {
    size_t at;
    double weight;
} term;

struct check {
    const psg_grid *grid;
    app_line line[3];
    psg_precision precision;
    const app_equation *equation;
    const struct rule *rule[3];
    app_planes planes;
    const void *f, *u; /* of those planes */
    double *fluid_f;   /* NULL, or f of a solve with epsilon: see take_fluid() */
    psg_precision f_precision;
    bool solid;          /* see app_fluid_f() */
    app_flux flux;       /* of a solve with epsilon */
    double most_epsilon; /* of all faces */
    double largest_side; /* of what they add to the stencil */
    double mean;
    app_verification *result;
    double *rows;          /* two rows of nx */
    term *stencil[3];      /* of each axis: 2 reach + 1 terms for each of its points */
    double *sides[3];      /* and what a value of 1 on each side adds there */
    double *derivative[3]; /* for spectral: of each axis, what fill_images() makes */
    double *residual;      /* of a plane, or of a batch of points */
    size_t *point;         /* the batch */
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

/* The point whose value stands at place j of a line, any whole number, in the mirror image there.
 * @param[out] at    below n
 * @param[out] side  what a value of 1 on each side adds: of u on a Dirichlet side, of its
 *                   derivative along the axis on a Neumann side
 * @return what the value at the point is multiplied with: 1 or -1; 0: u is 0 there, and `at` is
 * 0 */
static int look_beyond(const app_line *line, long j, size_t *at, double side[2]) {
    long place = line->first + 2 * j;
    int sign = 1;
    side[0] = side[1] = 0;
    if (line->image[0] == 0) {
        *at = (size_t)((j % line->n + line->n) % line->n);
        return 1;
    }
    while (place < 0 || place > line->whole) {
        const int s = place > line->whole;
        const double beyond = 0.5 * line->step * (double)(s ? place - line->whole : place);
        side[s] += sign * 2 * (line->image[s] < 0 ? 1 : beyond);
        place = s ? 2 * line->whole - place : -place;
        sign *= line->image[s];
    }
    for (int s = 0; s < 2; s++) {
        if (place == (s ? line->whole : 0) && line->image[s] < 0) {
            side[s] += sign;
            sign = 0;
            place = line->first;
        }
    }
    *at = (size_t)((place - line->first) / 2);
    return sign;
}

/* Differences with the mirror images beyond the sides. @param[out] sides  [n][2]: what a value of 1
 * on each side adds to the derivative at a point */
static void fill_stencil(term *terms, double *sides, const app_line *line,
                         const struct rule *rule) {
    for (long j = 0; j < line->n; j++, sides += 2) {
        sides[0] = sides[1] = 0;
        for (long m = -rule->reach; m <= rule->reach; m++, terms++) {
            const double weight = rule->weight[labs(m)] / (line->step * line->step);
            double side[2];
            const int sign = look_beyond(line, j + m, &terms->at, side);
            terms->weight = app_line_varies(line) ? sign * weight : 0;
            sides[0] += weight * side[0];
            sides[1] += weight * side[1];
        }
    }
}

/* fd2 between faces; through a Neumann or a Robin side goes (value -+ k u)/(1 + k h/2). */
static void fill_cells(term *terms, double *sides, const app_line *line) {
    for (size_t j = 0, n = (size_t)line->n; j < n; j++, terms += 3, sides += 2) {
        const double width = line->step * app_line_weight(line, j);
        terms[1] = (term){j, 0};
        for (size_t s = 0; s < 2; s++) {
            const size_t to = s > 0 ? (j + 1) % n : (j + n - 1) % n;
            const bool beyond = j == (s > 0 ? n - 1 : 0) && line->image[s] != 0;
            const double next = beyond ? 0 : app_line_weight(line, to);
            const double apart = (width + line->step * next) / 2;
            const bool flux = beyond && line->image[s] > 0;
            const double part = (s > 0 ? 1 : -1) / width / (1 + line->robin[s] * apart);
            const double all = flux ? line->robin[s] * fabs(part) : 1 / (width * apart);
            const double weight = app_line_varies(line) ? all : 0;
            terms[2 * s] = (term){beyond ? j : to, beyond ? 0 : weight};
            terms[1].weight -= weight;
            sides[s] = flux ? part : beyond ? weight : 0;
        }
    }
}

/* What the value at point j contributes to the derivative at point `at`. */
static double weight_of(const app_line *line, const double *d, size_t j, size_t at) {
    const double direct = d[j < at ? at - j : j - at];
    return line->image[0] == 0 ? direct
                               : app_line_weight(line, j) *
                                     (direct + line->image[0] * d[j + at + (size_t)line->first]);
}

/* Add to a row what the values on the sides add to the stencil there.
 * @param[in] j, k  of the row, k in the grid */
static void add_values(struct check *check, size_t j, size_t k, double *row) {
    const app_side_values *values = check->equation->values;
    const size_t nx = check->grid->axis[0].n, ny = check->grid->axis[1].n;
    const size_t own = k - check->planes.z0;
    const bool has = values != NULL && check->fluid_f == NULL && app_side_values_any(values);
    for (int a = 0; a < 3 && has; a++) {
        for (size_t i = 0; i < nx; i++) {
            const size_t at = a == 0 ? own * ny + j : a == 1 ? own * nx + i : j * nx + i;
            const double *side = check->sides[a] + 2 * (a == 0 ? i : a == 1 ? j : k);
            double sum = 0;
            for (int s = 0; s < 2; s++) {
                sum += side[s] != 0
                           ? side[s] * app_side_value(values, app_turn(check->grid, a), s, at)
                           : 0;
            }
            row[i] += sum;
            check->largest_side = fmax(check->largest_side, fabs(sum));
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
        app_get_row(check->f, check->f_precision, r * nx, nx, row);
        for (size_t i = 0; i < nx; i++) {
            row[i] = check->equation->factor * row[i] - sides[i];
            total_f += weight * app_line_weight(&line[0], i) * row[i];
        }
        app_numbers_add(&numbers, row, nx);
        for (size_t m = 0; m < 6 * nx && check->equation->epsilon != NULL; m++) {
            const size_t at[3] = {m / 6, r % ny, check->planes.z0 + r / ny};
            const double face = app_flux_face(&check->flux, at, (int)(m % 6) / 2, m % 2);
            check->most_epsilon = fmax(check->most_epsilon, face);
        }
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
    double largest[3] = {*largest_u, check->largest_side, check->most_epsilon};
    app_ranks_sum(means, 2);
    app_ranks_max(largest, 3);
    check->largest_side = largest[1];
    check->most_epsilon = largest[2];
    *mean_f = means[0];
    *mean_u = means[1];
    *largest_u = largest[0];
    check->mean = drops ? means[0] : 0;
    check->result->f = app_numbers_about(&numbers, check->mean);
}

static void take(app_verification *result, double residual, size_t i, size_t j, size_t k) {
    /* once it is NaN it stays so */
    if (!(fabs(residual) <= result->residual) && !isnan(result->residual)) {
        result->residual = fabs(residual);
        result->at[0] = i;
        result->at[1] = j;
        result->at[2] = k;
    }
}

/* Does the derivative in plane k take values of several processes? */
static bool is_shared(const struct check *check, size_t k) {
    const size_t nz = check->grid->axis[2].n, terms = 2 * (size_t)check->rule[2]->reach + 1;
    bool shared = check->rule[2]->reach == 0;
    for (size_t m = 0; m < terms && !shared; m++) {
        const term *t = &check->stencil[2][k * terms + m];
        shared = t->weight != 0 && app_plane_owner(nz, t->at) != app_plane_owner(nz, k);
    }
    return shared;
}

/* Second derivative along a line at its place `at`, as far as it comes from `count` values that
 * start at place `from` of the line and element `first` of u, in steps of `step`. */
static double line_derivative(const struct check *check, int axis, size_t from, size_t count,
                              size_t first, size_t step, size_t at) {
    const size_t terms = 2 * (size_t)check->rule[axis]->reach + 1;
    double sum = 0;
    if (check->rule[axis]->reach > 0) {
        const term *t = check->stencil[axis] + at * terms;
        for (size_t m = 0; m < terms; m++) {
            const size_t place = t[m].at - from;
            sum +=
                t[m].weight != 0 && place < count
                    ? t[m].weight * app_value_at(check->u, check->precision, first + place * step)
                    : 0;
        }
        return sum;
    }
    for (size_t m = from; m < from + count; m++) {
        sum += weight_of(&check->line[axis], check->derivative[axis], m, at) *
               app_value_at(check->u, check->precision, first + (m - from) * step);
    }
    return sum;
}

/* What this process has of the residual at a point: its part of the derivative along z, and all the
   rest if the point is one of its own. The sum over the processes is the residual. */
static double residual_part(const struct check *check, size_t i, size_t j, size_t k) {
    const psg_axis *axis = check->grid->axis;
    const size_t nx = axis[0].n, ny = axis[1].n, z0 = check->planes.z0, count = check->planes.count;
    const size_t index = ((k - z0) * ny + j) * nx + i, at[3] = {i, j, k};
    double lap = 0;
    if (check->equation->epsilon != NULL) {
        lap = app_flux_divergence(&check->flux, at);
    } else {
        lap = line_derivative(check, 2, z0, count, i + j * nx, nx * ny, k);
        if (k < z0 || k >= z0 + count) {
            return lap;
        }
        lap += line_derivative(check, 0, 0, nx, index - i, 1, i) +
               line_derivative(check, 1, 0, ny, index - j * nx, nx, j);
    }
    const double u = app_value_at(check->u, check->precision, index);
    if (check->solid && app_flux_solid(&check->flux, at)) {
        return u == 0 ? 0 : INFINITY;
    }
    const double f = app_value_at(check->f, check->f_precision, index);
    return lap - check->equation->lambda * u - (check->equation->factor * f - check->mean);
}

/* Beyond a free side no rule continues u, so a stencil has no residual at the points there. */
static bool is_at_free_side(const struct check *check, int d, size_t m) {
    const psg_axis *axis = &check->grid->axis[d];
    const size_t reach = (size_t)check->rule[d]->reach;
    return (axis->bc[0] == PSG_BC_FREE && m < reach) ||
           (axis->bc[1] == PSG_BC_FREE && m + reach >= axis->n);
}

/* Take the residuals of a plane. */
static void take_plane(const struct check *check, size_t k) {
    const size_t nx = check->grid->axis[0].n, ny = check->grid->axis[1].n;
    for (size_t j = 0; j < ny; j++) {
        for (size_t i = 0; i < nx && !is_at_free_side(check, 1, j); i++) {
            if (!is_at_free_side(check, 0, i)) {
                take(check->result, check->residual[j * nx + i], i, j, k);
            }
        }
    }
}

static size_t inner_points(const struct check *check, int d) {
    size_t count = 0;
    for (size_t m = 0; m < check->grid->axis[d].n; m++) {
        count += !is_at_free_side(check, d, m);
    }
    return count;
}

/* At all points. Where the derivatives in a plane take values of one process, this one has the
 * residuals. */
static void residual_of_all(struct check *check) {
    const size_t nx = check->grid->axis[0].n, ny = check->grid->axis[1].n;
    for (size_t k = 0; k < check->grid->axis[2].n; k++) {
        if (is_at_free_side(check, 2, k)) {
            continue;
        }
        check->result->points += inner_points(check, 0) * inner_points(check, 1);
        const bool own = k >= check->planes.z0 && k < check->planes.z0 + check->planes.count;
        const bool shared = check->equation->epsilon == NULL && is_shared(check, k);
        for (size_t j = 0; j < ny && (own || shared); j++) {
            double *row = check->residual + j * nx;
            for (size_t i = 0; i < nx; i++) {
                row[i] = residual_part(check, i, j, k);
            }
            if (own) {
                add_values(check, j, k, row);
            }
        }
        if (shared) {
            app_ranks_sum(check->residual, nx * ny);
        }
        if (own || shared) {
            take_plane(check, k);
        }
    }
    app_ranks_max_at(&check->result->residual, check->result->at);
}

/* At some points, the same in all processes. */
static void residual_of_sample(const struct check *check) {
    const size_t nx = check->grid->axis[0].n, ny = check->grid->axis[1].n;
    uint64_t state = 1;
    for (size_t done = 0; done < SAMPLE; done += BATCH) {
        for (size_t p = 0; p < BATCH; p++) {
            const size_t index = (size_t)(app_random(&state) % app_points(check->grid));
            check->point[p] = index;
            check->residual[p] = residual_part(check, index % nx, index / nx % ny, index / nx / ny);
        }
        app_ranks_sum(check->residual, BATCH);
        for (size_t p = 0; p < BATCH; p++) {
            const size_t index = check->point[p];
            take(check->result, check->residual[p], index % nx, index / nx % ny, index / nx / ny);
        }
        check->result->points += BATCH;
    }
}

/* Largest |eigenvalue| of the operator: what it makes of the rounding of u. */
static double largest_eigenvalue(const struct check *check) {
    double sum = check->equation->lambda;
    for (int a = 0; a < 3; a++) {
        const app_line *line = &check->line[a];
        double most = check->rule[a]->largest / (line->step * line->step);
        for (long j = 0; j < line->n && line->faces != NULL; j++) {
            most = fmax(j > 0 ? most : 0, -2 * check->stencil[a][3 * j + 1].weight);
        }
        sum += app_line_varies(line) ? most : 0;
    }
    return sum;
}

/* The largest weight of a cell over the least. */
static double spread_of(const app_line *line) {
    double least = app_line_weight(line, 0), most = least;
    for (long j = 0; j < line->n && line->faces != NULL; j++) {
        least = fmin(least, app_line_weight(line, (size_t)j));
        most = fmax(most, app_line_weight(line, (size_t)j));
    }
    return most / least;
}

static int allocate(struct check *check) {
    const psg_axis *axis = check->grid->axis;
    const size_t plane = axis[0].n * axis[1].n;
    check->rows = app_allocate(axis[0].n, 2 * sizeof(double), "two rows of the field");
    check->residual = app_allocate(plane > BATCH ? plane : BATCH, sizeof(double), "the residuals");
    check->point = app_allocate(BATCH, sizeof *check->point, "a batch of points");
    if (check->rows == NULL || check->residual == NULL || check->point == NULL) {
        return APP_FAILED;
    }
    for (int a = 0; a < 3; a++) {
        const app_line *line = &check->line[a];
        const bool images = line->image[0] != 0;
        const struct rule *rule = check->rule[a];
        if (rule->reach > 0) {
            check->stencil[a] = app_allocate(axis[a].n * (2 * (size_t)rule->reach + 1),
                                             sizeof(term), "the stencil along a line");
            check->sides[a] = app_allocate(axis[a].n, 2 * sizeof(double), "the sides of a line");
            if (check->stencil[a] == NULL || check->sides[a] == NULL) {
                return APP_FAILED;
            }
            if (line->faces != NULL || app_line_robin(line)) {
                fill_cells(check->stencil[a], check->sides[a], line);
            } else {
                fill_stencil(check->stencil[a], check->sides[a], line, rule);
            }
            continue;
        }
        double *d = app_allocate(images ? (size_t)line->whole + 1 : axis[a].n, sizeof *d,
                                 "the derivative along a line");
        check->derivative[a] = d;
        if (d == NULL || (images && fill_images(d, line))) {
            return APP_FAILED;
        }
        if (!images) {
            fill_derivative(d, axis[a].n, axis[a].length);
        }
    }
    return APP_DONE;
}

/* f of a solve with epsilon has what values on sides add, and no mean of a region: in f64, as the
 * iterations have it. */
static int take_fluid(struct check *check) {
    const app_equation *equation = check->equation;
    const app_side_values *values = equation->values;
    const size_t nx = check->grid->axis[0].n, ny = check->grid->axis[1].n;
    const size_t points = nx * ny * check->planes.count;
    const bool has = values != NULL && app_side_values_any(values);
    check->fluid_f = app_allocate(points + 1, sizeof(double), "f with what sides add");
    int code = app_ranks_agree(check->fluid_f != NULL ? APP_DONE : APP_FAILED);
    if (!code) {
        code = app_flux_begin(&check->flux, check->grid, check->precision, check->planes,
                              equation->epsilon, check->u);
        app_get_row(check->f, check->precision, 0, points, check->fluid_f);
    }
    for (size_t m = 0; m < points && !code && has; m++) {
        const size_t at[3] = {m % nx, m / nx % ny, check->planes.z0 + m / nx / ny};
        check->fluid_f[m] -= app_flux_inflow(&check->flux, values, at) / equation->factor;
    }
    check->f = check->fluid_f;
    check->f_precision = PSG_F64;
    return code ? code : app_fluid_f(&check->flux, equation->lambda, check->fluid_f, &check->solid);
}

static void release(struct check *check) {
    for (int a = 0; a < 3; a++) {
        free(check->derivative[a]);
        free(check->stencil[a]);
        free(check->sides[a]);
    }
    free(check->rows);
    free(check->residual);
    free(check->point);
    free(check->fluid_f);
    app_flux_end(&check->flux);
}

int app_verify(const psg_grid *grid, psg_precision precision, const app_equation *equation,
               app_planes planes, const void *f, const void *u, app_verification *result) {
    const psg_grid own = app_turned(grid);
    const double lambda = equation->lambda;
    double largest_u, mean_f, mean_u;
    struct check check = {.grid = &own,
                          .precision = precision,
                          .equation = equation,
                          .planes = planes,
                          .f = f,
                          .f_precision = precision,
                          .u = u,
                          .most_epsilon = equation->epsilon != NULL ? 0 : 1,
                          .result = result};
    bool stencils = true;                    /* else all points of a line count, which takes long */
    const bool closed = app_is_closed(grid); /* no side holds the mean of u */
    for (int a = 0; a < 3; a++) {
        check.line[a] = app_line_of(&own.axis[a]);
        check.rule[a] = &rules[own.axis[a].faces != NULL ? PSG_SYMBOL_FD2 : equation->symbol];
        stencils = stencils && check.rule[a]->reach > 0;
    }
    memset(result, 0, sizeof *result);
    int code = app_ranks_agree(allocate(&check));
    if (!code && equation->epsilon != NULL) {
        code = take_fluid(&check);
    }
    if (code) {
        release(&check);
        return code;
    }
    survey(&check, closed && lambda == 0, &largest_u, &mean_f, &mean_u);
    const bool values = equation->values != NULL && app_side_values_any(equation->values);
    if (stencils || values || app_points(grid) <= ALL_POINTS_UP_TO) {
        residual_of_all(&check);
    } else {
        residual_of_sample(&check);
    }

    /* The rounding errors of the transforms grow as the logarithm of the number of points. Those
     * of f come through as they are, those of u times the eigenvalues. */
    const double growth = 4 + 2 * log2((double)app_points(grid));
    const double eps = app_epsilon(precision);
    /* with epsilon the mean is taken off in f64 before anything else */
    const double rounded_f =
        equation->epsilon == NULL
            ? result->f.largest
            : result->f.farthest + app_epsilon(PSG_F64) / eps * result->f.largest;
    result->bound = (growth * eps + equation->wire) *
                    (check.most_epsilon * largest_eigenvalue(&check) * largest_u + rounded_f +
                     check.largest_side);
    /* no residual is larger than the root of the sum of all squares, where cells of one width count
     * alike */
    const double left = equation->epsilon == NULL
                            ? 0
                            : equation->tolerance * result->f.rms *
                                  sqrt((double)app_points(grid) * spread_of(&check.line[2]));
    result->bound += left;
    /* the mode k = 0, which the largest eigenvalues would drown: 0, or -mean f/lambda */
    result->mean_off = !closed ? 0 : fabs(lambda == 0 ? mean_u : mean_u + mean_f / lambda);
    result->mean_bound =
        (growth * eps + equation->wire) *
            (largest_u + (lambda == 0 ? 0 : (rounded_f + check.largest_side) / lambda)) +
        (lambda == 0 ? 0 : left / lambda);
    /* the bound grows with what the mean costs u, so that what is left of u is asked of the mean
     * itself */
    result->digits = app_mean_digits(&result->f, equation->epsilon != NULL ? PSG_F64 : precision);
    result->ok = result->points > 0 && isfinite(result->bound) &&
                 result->residual <= result->bound && result->mean_off <= result->mean_bound &&
                 result->digits >= APP_DIGITS_FEW;
    const size_t *at = result->at,
                 turned[3] = {at[0], at[app_turn(grid, 1)], at[app_turn(grid, 2)]};
    memcpy(result->at, turned, sizeof turned);
    release(&check);
    return APP_DONE;
}
