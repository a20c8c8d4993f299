/* Green's functions of two and three free axes must give the potentials that are known in closed
 * form, and those of the stencil must solve it. All transforms here are sums by their definition. */
#include "cpu/ops.h"
#include "cpu/symbol.h"

#include "tests/check.h"

#include <complex.h>
#include <string.h>

/* A box: n points along each axis, h apart; an axis is free, or periodic. */
typedef struct box {
    size_t n[3];
    double h[3];
    int free[3];
    psg_cpu_green_kind kind;
    double lambda;
} box;

static const double zero_at = 0.7;

static size_t modes_of(const box *b, int d) {
    return b->free[d] ? b->n[d] + 1 : b->n[d];
}

static size_t points_of(const box *b, int d) {
    return b->free[d] ? 2 * b->n[d] : b->n[d];
}

static size_t volume(const box *b) {
    return b->n[0] * b->n[1] * b->n[2];
}

static psg_cpu_green *create(const box *b) {
    psg_cpu_green_spec spec = {.kind = b->kind, .lambda = b->lambda, .zero_at = zero_at};
    double *eigen = calloc(b->n[0] + b->n[1] + b->n[2], sizeof *eigen);
    const psg_symbol_row *symbol = &psg_symbol_rows[b->kind == PSG_CPU_GREEN_FD2];
    double *next = eigen;
    for (int d = 0; eigen != NULL && d < 3; d++) {
        const double n = (double)b->n[d];
        spec.axis[d] = (psg_cpu_green_axis){
            .modes = modes_of(b, d), .spacing = b->h[d], .eigen = b->free[d] ? NULL : next};
        for (size_t m = 0; m < b->n[d]; m++) {
            *next++ = psg_symbol_eigenvalue(symbol, psg_symbol_waves(m, b->n[d]), n, n * b->h[d]);
        }
    }
    psg_cpu_green *green = psg_cpu_green_create(&spec);
    CHECK(eigen != NULL && green != NULL, "create %zux%zux%zu", b->n[0], b->n[1], b->n[2]);
    free(eigen);
    return green;
}

/* All of the table, [my][mz][mx]. */
static double *make_table(const box *b) {
    psg_cpu_green *green = create(b);
    double *table = calloc(modes_of(b, 0) * modes_of(b, 1) * modes_of(b, 2), sizeof *table);
    if (green != NULL && table != NULL) {
        psg_cpu_ops_f64.green_rows(green, 0, green->modes[1], table);
    }
    psg_cpu_green_destroy(green);
    return table;
}

/* Along axis d of [n2][n1][n0]: from `from` to `to` points of a transform of `period`. */
static double complex *transform(double complex *in, size_t n[3], int d, size_t to, size_t period,
                                 double sign) {
    const size_t from = n[d];
    const size_t below = d == 0 ? 1 : d == 1 ? n[0] : n[0] * n[1];
    const size_t above = n[0] * n[1] * n[2] / from / below;
    double complex *out = calloc(above * to * below, sizeof *out);
    double complex *turn = calloc(period, sizeof *turn);
    for (size_t m = 0; m < period; m++) {
        turn[m] = cexp(sign * 2 * I * psg_symbol_pi * (double)m / (double)period);
    }
    for (size_t a = 0; a < above; a++) {
        for (size_t m = 0; m < to; m++) {
            for (size_t k = 0; k < from; k++) {
                const double complex w = turn[m * k % period];
                for (size_t c = 0; c < below; c++) {
                    out[(a * to + m) * below + c] += w * in[(a * from + k) * below + c];
                }
            }
        }
    }
    free(turn);
    free(in);
    n[d] = to;
    return out;
}

static size_t folded(const box *b, int d, size_t m) {
    return b->free[d] && m > b->n[d] ? 2 * b->n[d] - m : m;
}

/* u of lambda u - lap(u) = f, both [nz][ny][nx]. */
static double *solve(const box *b, const double *f) {
    double *table = make_table(b);
    double complex *all = calloc(volume(b), sizeof *all);
    double *u = calloc(volume(b), sizeof *u);
    size_t n[3] = {b->n[0], b->n[1], b->n[2]};
    for (size_t m = 0; m < volume(b); m++) {
        all[m] = f[m];
    }
    for (int d = 0; d < 3; d++) {
        all = transform(all, n, d, points_of(b, d), points_of(b, d), -1);
    }
    for (size_t m = 0; m < n[0] * n[1] * n[2]; m++) {
        const size_t x = folded(b, 0, m % n[0]);
        const size_t y = folded(b, 1, m / n[0] % n[1]);
        const size_t z = folded(b, 2, m / n[0] / n[1]);
        all[m] *= table[(y * modes_of(b, 2) + z) * modes_of(b, 0) + x] /
                  (double)(points_of(b, 0) * points_of(b, 1) * points_of(b, 2));
    }
    for (int d = 2; d >= 0; d--) {
        all = transform(all, n, d, b->n[d], points_of(b, d), 1);
    }
    for (size_t m = 0; m < volume(b); m++) {
        u[m] = creal(all[m]);
    }
    free(all);
    free(table);
    return u;
}

/* ------------------------------------------------------------------------------- the stencil */

static double random_at(size_t at) {
    return (double)((at * 7919 + 13) % 1009) / 1009 - 0.5;
}

/* lambda u - lap(u) at an inner point; a periodic axis wraps. */
static double stencil(const box *b, const double *u, const size_t at[3]) {
    const size_t pitch[3] = {1, b->n[0], b->n[0] * b->n[1]};
    const size_t here = at[0] + pitch[1] * at[1] + pitch[2] * at[2];
    double sum = b->lambda * u[here];
    for (int d = 0; d < 3; d++) {
        const size_t n = b->n[d];
        const double *line = u + here - pitch[d] * at[d];
        const double beside =
            line[pitch[d] * ((at[d] + 1) % n)] + line[pitch[d] * ((at[d] + n - 1) % n)];
        sum -= (beside - 2 * u[here]) / (b->h[d] * b->h[d]);
    }
    return sum;
}

static void check_stencil(const box *b) {
    FREED double *f = calloc(volume(b), sizeof *f);
    for (size_t m = 0; m < volume(b); m++) {
        f[m] = random_at(m);
    }
    FREED double *u = solve(b, f);
    double worst = 0;
    for (size_t m = 0; m < volume(b); m++) {
        const size_t at[3] = {m % b->n[0], m / b->n[0] % b->n[1], m / b->n[0] / b->n[1]};
        bool inside = true;
        for (int d = 0; d < 3; d++) {
            inside = inside && (!b->free[d] || (at[d] > 0 && at[d] + 1 < b->n[d]));
        }
        if (inside) {
            worst = check_worse(worst, fabs(stencil(b, u, at) - f[m]));
        }
    }
    CHECK(worst <= 2e-14, "stencil %zux%zux%zu, free %d%d%d, lambda %g: off by %g", b->n[0],
          b->n[1], b->n[2], b->free[0], b->free[1], b->free[2], b->lambda, worst);
}

static void check_stencils(void) {
    static const box boxes[] = {
        {{5, 6, 7}, {1, 1, 1}, {1, 1, 1}, PSG_CPU_GREEN_FD2, 0},
        {{12, 13, 9}, {1, 1, 1}, {1, 1, 1}, PSG_CPU_GREEN_FD2, 5},
        {{7, 8, 6}, {1, 1.5, 0.7}, {1, 1, 1}, PSG_CPU_GREEN_FD2, 0},
        {{3, 17, 5}, {1, 1, 64}, {1, 1, 1}, PSG_CPU_GREEN_FD2, 0},
        {{9, 7, 5}, {1, 1.5, 2}, {0, 1, 1}, PSG_CPU_GREEN_FD2, 0},
        {{7, 6, 5}, {1, 1.5, 2}, {1, 0, 1}, PSG_CPU_GREEN_FD2, 0},
        {{7, 5, 6}, {1, 1.5, 2}, {1, 1, 0}, PSG_CPU_GREEN_FD2, 0},
        {{7, 5, 6}, {1, 1.5, 2}, {1, 1, 0}, PSG_CPU_GREEN_FD2, 3},
    };
    for (size_t m = 0; m < sizeof boxes / sizeof *boxes; m++) {
        check_stencil(&boxes[m]);
    }
}

/* ----------------------------------------------------------------------------- a unit charge */

/* u of a unit charge in the first point: the Green's function itself. */
static double *unit_charge(const box *b) {
    FREED double *f = calloc(volume(b), sizeof *f);
    f[0] = 1;
    return solve(b, f);
}

/* The known values of the lattice's function, also of axes of one point and of two. */
static void check_lattice(void) {
    static const struct {
        size_t at[3];
        double value;
    } known[] = {{{0, 0, 0}, 0.2527310098587},
                 {{1, 0, 0}, 0.0860643431920},
                 {{1, 1, 0}, 0.0551914336877},
                 {{1, 1, 1}, 0.0435783543977},
                 {{2, 0, 0}, 0.0428893145424}};
    static const size_t sizes[][3] = {{1, 1, 1}, {2, 1, 1}, {2, 2, 1}, {2, 2, 2}, {7, 3, 2}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const size_t *n = sizes[s];
        const box b = {{n[0], n[1], n[2]}, {1, 1, 1}, {1, 1, 1}, PSG_CPU_GREEN_FD2, 0};
        FREED double *g = unit_charge(&b);
        for (size_t m = 0; m < sizeof known / sizeof *known; m++) {
            const size_t *at = known[m].at;
            if (at[0] < n[0] && at[1] < n[1] && at[2] < n[2]) {
                CHECK_NEAR(g[(at[2] * n[1] + at[1]) * n[0] + at[0]], known[m].value, 1e-13,
                           "lattice %zux%zux%zu at %zu %zu %zu", n[0], n[1], n[2], at[0], at[1],
                           at[2]);
            }
        }
    }
}

/* The integral of 1/r from the origin to (x, y, z) has this antiderivative. */
static long double antiderivative(long double x, long double y, long double z) {
    const long double r = sqrtl(x * x + y * y + z * z);
    return -(z * z * atanl(x * y / (z * r)) + y * y * atanl(x * z / (y * r)) +
             x * x * atanl(y * z / (x * r))) /
               2 +
           y * z * logl(x + r) + x * z * logl(y + r) + x * y * logl(z + r);
}

static double mean_over_cell(const box *b, const size_t at[3]) {
    long double sum = 0;
    for (int corner = 0; corner < 8; corner++) {
        long double x[3];
        int sign = -1;
        for (int d = 0; d < 3; d++) {
            const int upper = corner >> d & 1;
            sign = upper ? -sign : sign;
            x[d] = ((long double)at[d] + upper - 0.5L) * b->h[d];
        }
        sum += sign * antiderivative(x[0], x[1], x[2]);
    }
    return (double)(sum / (4 * acosl(-1)));
}

static void check_cells(void) {
    const box boxes[] = {{{9, 6, 3}, {1, 1, 1}, {1, 1, 1}, PSG_CPU_GREEN_IGF, 0},
                         {{2, 17, 5}, {1, 1, 5}, {1, 1, 1}, PSG_CPU_GREEN_IGF, 0},
                         {{41, 1, 3}, {.01, .02, .64}, {1, 1, 1}, PSG_CPU_GREEN_IGF, 0}};
    for (size_t s = 0; s < sizeof boxes / sizeof *boxes; s++) {
        const box *b = &boxes[s];
        FREED double *g = unit_charge(b);
        for (size_t m = 0; m < volume(b); m++) {
            const size_t at[3] = {m % b->n[0], m / b->n[0] % b->n[1], m / b->n[0] / b->n[1]};
            const double want = mean_over_cell(b, at);
            CHECK_NEAR(g[m], want, 2e-14 * want, "igf box %zu at %zu %zu %zu", s, at[0], at[1],
                       at[2]);
        }
        if (s == 0) { /* of the page of the formula */
            CHECK_NEAR(4 * psg_symbol_pi * g[0], 2.380077364, 5e-10, "igf at 000");
            CHECK_NEAR(4 * psg_symbol_pi * g[1], 0.987592404, 5e-10, "igf at 100");
        }
    }
}

/* ------------------------------------------------------------------------------- a Gaussian */

/* u of a normalised Gaussian along the free axes: the Gaussian is a heat kernel of time sigma^2/2,
 * and u is the integral over all later times. */
static double potential(const box *b, const double x[3], const double sigma[3], double lambda) {
    const double step = 0.05;
    double sum = 0;
    for (double v = -60; v < 80; v += step) {
        const double s = exp(v);
        double product = s * exp(-lambda * s);
        for (int d = 0; d < 3; d++) {
            const double s4 = 4 * s + 2 * sigma[d] * sigma[d];
            product *= b->free[d] ? exp(-x[d] * x[d] / s4) / sqrt(psg_symbol_pi * s4) : 1;
        }
        sum += step * product;
    }
    return sum;
}

/* The mean along a periodic axis, at many sigma from the middle. */
static double logarithm(const box *b, const double x[3]) {
    double r2 = 0;
    for (int d = 0; d < 3; d++) {
        r2 += b->free[d] ? x[d] * x[d] : 0;
    }
    return r2 > 0.16 ? -log(sqrt(r2) / zero_at) / (2 * psg_symbol_pi) : NAN;
}

/* f is a Gaussian along the free axes, times 1 + cos(2 pi x/l) along a periodic one. */
static void check_gaussian(const box *b, double tolerance) {
    FREED double *f = calloc(volume(b), sizeof *f);
    FREED double *wave = calloc(volume(b), sizeof *wave);
    FREED double *at = calloc(3 * volume(b), sizeof *at);
    double sigma[3];
    double k2 = 0;
    for (int d = 0; d < 3; d++) {
        sigma[d] = 0.05 * (double)b->n[d] * b->h[d];
        k2 += b->free[d] ? 0 : pow(2 * psg_symbol_pi / ((double)b->n[d] * b->h[d]), 2);
    }
    for (size_t m = 0; m < volume(b); m++) {
        const size_t i[3] = {m % b->n[0], m / b->n[0] % b->n[1], m / b->n[0] / b->n[1]};
        f[m] = 1;
        for (int d = 0; d < 3; d++) {
            const double n = (double)b->n[d];
            const double x = ((double)i[d] + 0.5 - n / 2) * b->h[d];
            at[3 * m + (size_t)d] = x;
            f[m] *= b->free[d] ? exp(-x * x / (2 * sigma[d] * sigma[d])) /
                                     (sigma[d] * sqrt(2 * psg_symbol_pi))
                               : 1;
            wave[m] += b->free[d] ? 0 : cos(2 * psg_symbol_pi * x / (n * b->h[d]));
        }
        f[m] *= 1 + wave[m];
    }
    FREED double *u = solve(b, f);
    double largest = 0;
    for (size_t m = 0; m < volume(b); m++) {
        largest = fmax(largest, fabs(u[m]));
    }
    for (size_t m = 0; m < volume(b); m += 1 + volume(b) / 500) {
        const double *x = at + 3 * m;
        double want = wave[m] == 0 ? 0 : wave[m] * potential(b, x, sigma, b->lambda + k2);
        want += k2 > 0 && b->lambda == 0 ? logarithm(b, x) : potential(b, x, sigma, b->lambda);
        if (!isnan(want)) {
            CHECK_NEAR(u[m], want, tolerance * largest, "gaussian free %d%d%d at %g %g %g",
                       b->free[0], b->free[1], b->free[2], x[0], x[1], x[2]);
        }
    }
}

static void check_gaussians(void) {
    const double h = 1.0 / 48;
    const box boxes[] = {
        {{48, 48, 48}, {h, h, h}, {1, 1, 1}, PSG_CPU_GREEN_SPECTRAL, 0},
        {{47, 48, 49}, {h, h, h}, {1, 1, 1}, PSG_CPU_GREEN_SPECTRAL, 25},
        {{48, 48, 48}, {h, h, 64 * h}, {1, 1, 1}, PSG_CPU_GREEN_SPECTRAL, 0},
        {{6, 48, 53}, {1.0 / 6, h, 1.0 / 53}, {0, 1, 1}, PSG_CPU_GREEN_SPECTRAL, 0},
        {{48, 5, 61}, {h, 0.2, 1.0 / 61}, {1, 0, 1}, PSG_CPU_GREEN_SPECTRAL, 0},
        {{100, 48, 4}, {0.01, h, 3}, {1, 1, 0}, PSG_CPU_GREEN_SPECTRAL, 0},
        {{100, 48, 4}, {0.01, h, 3}, {1, 1, 0}, PSG_CPU_GREEN_SPECTRAL, 400},
    };
    for (size_t m = 0; m < sizeof boxes / sizeof *boxes; m++) {
        check_gaussian(&boxes[m], 2e-14);
    }
}

/* ---------------------------------------------------------------------------------- the rows */

/* Rows are the same in parts, and in f32 the f64 ones rounded; none has a NaN or an Inf. Where
 * lambda is large the function is near 1/lambda. */
static void check_rows(const box *b) {
    psg_cpu_green *green = create(b);
    const size_t row = green->modes[0] * green->modes[2];
    const size_t count = row * green->modes[1];
    FREED double *table = make_table(b);
    FREED double *part = calloc(count, sizeof *part);
    FREED float *single = calloc(count, sizeof *single);
    for (size_t j = 0; j < green->modes[1]; j++) {
        psg_cpu_ops_f64.green_rows(green, j, 1, part + j * row);
    }
    psg_cpu_ops_f32.green_rows(green, 0, green->modes[1], single);
    CHECK(memcmp(part, table, count * sizeof *part) == 0, "rows one by one");
    for (size_t m = 0; m < count; m++) {
        CHECK(isfinite(table[m]), "kind %d, %zux%zux%zu, lambda %g, at %zu: %g", b->kind, b->n[0],
              b->n[1], b->n[2], b->lambda, m, table[m]);
        CHECK(single[m] == (float)table[m], "f32 at %zu", m);
        if (b->lambda >= 1e15) {
            CHECK_NEAR(b->lambda * table[m], 1, 1e-9, "lambda %g at %zu", b->lambda, m);
        }
    }
    psg_cpu_green_destroy(green);
}

static void check_all_rows(void) {
    static const size_t sizes[][3] = {{1, 1, 1}, {2, 1, 17}, {13, 2, 1}, {3, 71, 2}};
    static const double lambda[] = {0, 5e-324, 1e-12, 1, 1e15, 1e300};
    for (size_t s = 0; s < (size_t)4 * 4 * 6; s++) {
        const size_t *n = sizes[s % 4];
        const size_t periodic = s / 4 % 4; /* 3: none */
        box b = {{n[0], n[1], n[2]}, {1, 1, 64}, {1, 1, 1}, 0, lambda[s / 16]};
        if (periodic < 3) {
            b.free[periodic] = 0;
        }
        for (int kind = 0; kind < 3; kind++) {
            b.kind = (psg_cpu_green_kind)kind;
            check_rows(&b);
        }
    }
}

/* Where all decays within the box, the table is that of a box without an end. */
static void check_decayed(void) {
    box b = {
        {97, 31, 200}, {1.0 / 97, 1.0 / 31, 1.0 / 200}, {1, 1, 1}, PSG_CPU_GREEN_SPECTRAL, 3600};
    for (int kind = 0; kind < 2; kind++) {
        b.kind = (psg_cpu_green_kind)kind;
        FREED double *table = make_table(&b);
        double worst = 0;
        for (size_t m = 0; m < (size_t)98 * 32 * 201; m++) {
            const size_t mode[3] = {m % 98, m / 98 / 201, m / 98 % 201};
            double sum = b.lambda;
            for (int d = 0; d < 3; d++) {
                sum -= psg_symbol_eigenvalue(&psg_symbol_rows[kind], (double)mode[d] / 2,
                                             (double)b.n[d], 1);
            }
            worst = check_worse(worst, fabs(table[m] * sum - 1));
        }
        CHECK(worst <= 1e-12, "decayed, kind %d: off by %g", kind, worst);
    }
}

/* The integral of exp(-t^2 x^2) cos(pi m x) from -1 to 1. */
static double integral(double t, double m) {
    static const double at[] = {0, 0.5384693101056831, 0.9061798459386640};
    static const double weight[] = {0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
    const int panels = 1000;
    double sum = 0;
    for (int k = 0; k < 5 * panels; k++) {
        const int point = k % 5 - 2;
        const double x = (k / 5 + 0.5 + (point < 0 ? -0.5 : 0.5) * at[abs(point)]) / panels;
        sum += weight[abs(point)] / panels * exp(-t * t * x * x) * cos(psg_symbol_pi * m * x);
    }
    return sum;
}

/* The factors of a spectral axis, of low modes and of high ones: those of an axis with the
 * eigenvalue -1 say the time of each term. */
static void check_factors(void) {
    static const size_t mode[] = {0, 1, 2, 17, 30, 31, 32, 33, 34, 45, 64, 101};
    static const double eigen[] = {-1};
    const psg_cpu_green_spec spec = {.axis = {{102, 1.0 / 101, NULL}, {1, 0, eigen}, {2, 1, NULL}},
                                     .zero_at = 1};
    psg_cpu_green *green = psg_cpu_green_create(&spec);
    size_t compared = 0;
    for (size_t term = 0; term < green->terms; term++) {
        const double s = -log(green->factor[1][term * green->pitch[1]]);
        const double t = 1 / (2 * sqrt(s));
        for (size_t k = 0; s > 1e-3 && k < sizeof mode / sizeof *mode; k++, compared++) {
            CHECK_NEAR(green->factor[0][term * green->pitch[0] + mode[k]],
                       t / sqrt(psg_symbol_pi) * integral(t, (double)mode[k]), 1e-14,
                       "factor of mode %zu at s = %g", mode[k], s);
        }
    }
    CHECK(compared > 100, "factors compared: %zu", compared);
    psg_cpu_green_destroy(green);
}

int main(void) {
    check_lattice();
    check_factors();
    check_decayed();
    check_stencils();
    check_cells();
    check_gaussians();
    check_all_rows();
    return check_result();
}
