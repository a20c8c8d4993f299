/* The potential of a Gaussian charge without anything around it, on one, two and three free axes.
 * It is written down at the points, and has nothing of the library's tables. */
#include "app/unbounded.h"
#include "app/grid_sides.h"

#include <math.h>
#include <stdlib.h>

/* The free axes, by their number. */
typedef enum unbounded_kind { SLAB = 1, BEAM, ISOLATED } unbounded_kind;

typedef struct unbounded {
    app_answer answer;
    unbounded_kind kind;
    double sigma, kappa, factor; /* kappa^2 = lambda */
    double *gauss[3];            /* g at the points of a free axis, 1 on another */
    double *wave[3];             /* the cosine on an axis that is not free, 1 on a free one */
    double amplitude;            /* of the wave: 1, or 0 where it is left out */
    double *u[2]; /* -u of the mean and of the wave: of a slab [nz], of a beam [ny][nx] */
} unbounded;

static double pi(void) {
    return acos(-1.0);
}

static double middle(unbounded_kind kind) {
    return kind == SLAB ? 0.45 : 0.5;
}

static bool is_free(const psg_axis *axis) {
    return axis->bc[0] == PSG_BC_FREE;
}

/* Point j along an axis, from the charge. */
static double from_charge(const unbounded *b, int axis, size_t j) {
    const app_line line = app_line_of(&b->answer.grid.axis[axis]);
    return (double)(line.first + 2 * (long)j) / 2 * line.step -
           middle(b->kind) * b->answer.grid.axis[axis].length;
}

/* exp(k^2 sigma^2/2 - k z) erfc(k sigma/sqrt(2) - z/(sigma sqrt(2))). */
static double decaying(double k, double z, double sigma) {
    const double t = (k * sigma - z / sigma) / sqrt(2);
    if (t < 5) {
        return exp(k * k * sigma * sigma / 2 - k * z) * erfc(t);
    }
    double fraction = t; /* exp(t^2) erfc(t) as a continued fraction */
    for (int m = 60; m > 0; m--) {
        fraction = t + m / 2.0 / fraction;
    }
    return exp(-z * z / (2 * sigma * sigma)) / (sqrt(pi()) * fraction);
}

/* Of a Gaussian layer: g * exp(-k |z|)/2k; for k = 0 of -|z|/2. */
static double layer(double k, double z, double sigma) {
    return k > 0 ? (decaying(k, z, sigma) + decaying(k, -z, sigma)) / (4 * k)
                 : -z / 2 * erf(z / (sigma * sqrt(2))) -
                       sigma / sqrt(2 * pi()) * exp(-z * z / (2 * sigma * sigma));
}

/* Of a Gaussian ball: g * exp(-k r)/(4 pi r). */
static double ball(double k, double r, double sigma) {
    if (r < 1e-8 * sigma) { /* the limit */
        return (sqrt(2 / pi()) / sigma - k * decaying(k, 0, sigma)) / (4 * pi());
    }
    return k > 0 ? (decaying(k, r, sigma) - decaying(k, -r, sigma)) / (8 * pi() * r)
                 : erf(r / (sigma * sqrt(2))) / (4 * pi() * r);
}

/* Of a Gaussian column: for k = 0 g * -log(r)/(2 pi), by the exponential integral, else the
 * integral of the heat kernel over the time exp(v), by the trapezoidal rule. */
static double column(double k, double r, double sigma) {
    const double gamma = 0.57721566490153286061, step = 0.2;
    const double x = r * r / (2 * sigma * sigma);
    double sum = 0;
    if (k == 0 && x < 2) {
        double term = -1;
        for (int m = 1; m < 40; m++) { /* log(x) + E1(x) + gamma, without the logarithm */
            term *= -x / m;
            sum += term / m;
        }
        return (gamma - log(2 * sigma * sigma) - sum) / (4 * pi());
    }
    if (k == 0) {
        double fraction = 0;
        for (int m = 200; m > 0; m--) {
            fraction = m / (1 + m / (x + fraction));
        }
        return -(2 * log(r) + exp(-x) / (x + fraction)) / (4 * pi());
    }
    for (double v = log(sigma * sigma) - 40; v < log(40 / (k * k)); v += step) {
        const double s = exp(v), width = 4 * s + 2 * sigma * sigma;
        sum += step * s * exp(-k * k * s - r * r / width) / (pi() * width);
    }
    return sum;
}

/* ---------------------------------------------------------------------------------- the rows */

static void fill_row(const app_answer *answer, size_t j, size_t k, bool of_f, size_t first,
                     size_t count, double *value) {
    const unbounded *b = (const unbounded *)(const void *)answer;
    const double y = from_charge(b, 1, j), z = from_charge(b, 2, k);
    const size_t row = b->kind == SLAB ? k : j * answer->grid.axis[0].n;
    for (size_t i = first; i < first + count; i++) {
        const double wave = b->amplitude * b->wave[0][i] * b->wave[1][j] * b->wave[2][k];
        if (of_f) {
            value[i - first] = b->gauss[0][i] * b->gauss[1][j] * b->gauss[2][k] * (1 + wave);
        } else if (b->kind == ISOLATED) {
            const double x = from_charge(b, 0, i);
            value[i - first] = -b->factor * ball(b->kappa, sqrt(x * x + y * y + z * z), b->sigma);
        } else {
            const size_t at = b->kind == SLAB ? row : row + i;
            value[i - first] = -b->factor * (b->u[0][at] + wave * b->u[1][at]);
        }
    }
}

static void free_all(app_answer *answer) {
    unbounded *b = (unbounded *)(void *)answer;
    for (int d = 0; d < 3; d++) {
        free(b->gauss[d]);
        free(b->wave[d]);
    }
    free(b->u[0]);
    free(b->u[1]);
    free(b);
}

/* ---------------------------------------------------------------------------- the tables of it */

static const int waves[ISOLATED + 1][3] = {[SLAB] = {1, 2, 0}, [BEAM] = {0, 0, 1}};

static bool fill_axis(unbounded *b, int d) {
    const psg_axis *axis = &b->answer.grid.axis[d];
    b->gauss[d] = malloc(axis->n * sizeof(double));
    b->wave[d] = malloc(axis->n * sizeof(double));
    for (size_t j = 0; b->gauss[d] != NULL && b->wave[d] != NULL && j < axis->n; j++) {
        const double t = from_charge(b, d, j) / b->sigma;
        const size_t turn = (size_t)waves[b->kind][d] * j % axis->n;
        b->gauss[d][j] = is_free(axis) ? exp(-t * t / 2) / (b->sigma * sqrt(2 * pi())) : 1;
        b->wave[d][j] = cos(2 * pi() * (double)turn / (double)axis->n);
    }
    return b->gauss[d] != NULL && b->wave[d] != NULL;
}

/* u of the mean and of the wave across the free axes. */
static bool fill_across(unbounded *b) {
    const psg_axis *axis = b->answer.grid.axis;
    const size_t nx = axis[0].n, count = b->kind == SLAB ? axis[2].n : nx * axis[1].n;
    double k2 = b->kappa * b->kappa;
    for (int which = 0; which < 2; which++) {
        b->u[which] = malloc(count * sizeof(double));
        for (size_t m = 0; b->u[which] != NULL && m < count; m++) {
            b->u[which][m] =
                b->kind == SLAB
                    ? layer(sqrt(k2), from_charge(b, 2, m), b->sigma)
                    : column(sqrt(k2), hypot(from_charge(b, 0, m % nx), from_charge(b, 1, m / nx)),
                             b->sigma);
        }
        for (int d = 0; d < 3; d++) {
            k2 += pow(2 * pi() * waves[b->kind][d] / axis[d].length, 2);
        }
    }
    return b->u[0] != NULL && b->u[1] != NULL;
}

app_answer *app_unbounded_make(const psg_grid *grid, psg_symbol symbol, double lambda,
                               double factor) {
    const unbounded_kind kind = (unbounded_kind)(is_free(&grid->axis[0]) + is_free(&grid->axis[1]) +
                                                 is_free(&grid->axis[2]));
    unbounded *b = calloc(1, sizeof *b);
    double shortest = INFINITY, spacing = 0;
    bool good = b != NULL, wave = kind != ISOLATED;
    for (int d = 0; d < 3; d++) {
        const psg_axis *axis = &grid->axis[d];
        wave = wave && axis->n >= 2 * (size_t)waves[kind][d];
        if (is_free(axis)) {
            shortest = fmin(shortest, axis->length);
            spacing = fmax(spacing, axis->length / (double)axis->n);
        }
    }
    if (good) {
        b->answer = (app_answer){.grid = *grid, .row = fill_row, .free = free_all};
        b->kind = kind;
        b->sigma = shortest / 20;
        b->kappa = sqrt(lambda);
        b->factor = factor;
        b->amplitude = wave;
        if (symbol == PSG_SYMBOL_SPECTRAL && b->sigma >= 2.399 * spacing) {
            b->answer.tolerance[PSG_F64] = 1e-12;
            b->answer.tolerance[PSG_F32] = 1e-5;
        }
    }
    for (int d = 0; good && d < 3; d++) {
        good = fill_axis(b, d);
    }
    if (!good || (kind != ISOLATED && !fill_across(b))) {
        if (b != NULL) {
            free_all(&b->answer);
        }
        app_error(APP_FAILED, "out of memory for the charges");
        return NULL;
    }
    return &b->answer;
}
