/* --verify must accept a solution written down by hand, up to rounding, and must refuse it once it is
   wrong: at a point, by a constant, by the other symbol, at the Nyquist mode, or with a NaN. Where there
   are several processes each has the whole field here, and shows its planes. */
#include "app/verify.h"
#include "app/processes.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

/* One Fourier mode, f = cos(phase) + mean and u = factor cos(phase)/(eigenvalue - lambda) + its mean. */
struct example {
    psg_grid grid;
    size_t m[3];
    psg_symbol symbol;
    double lambda, mean, factor;
    void *f, *u;
    double eigenvalue; /* lambda included */
};

static double axis_eigenvalue(const psg_axis *axis, size_t m, psg_symbol symbol) {
    const double turn = 2 * acos(-1.0) * (double)m;
    const double h = axis->length / (double)axis->n;
    return symbol == PSG_SYMBOL_FD2 ? (2 * cos(turn / (double)axis->n) - 2) / (h * h)
                                    : -turn * turn / (axis->length * axis->length);
}

static void store(void *field, psg_precision precision, size_t index, double value) {
    app_put_row(field, precision, index, 1, &value);
}

static double load(const void *field, psg_precision precision, size_t index) {
    double value;
    app_get_row(field, precision, index, 1, &value);
    return value;
}

static int make(struct example *e, psg_precision precision) {
    const psg_axis *axis = e->grid.axis;
    const size_t points = app_points(&e->grid);
    e->f = malloc(points * sizeof(double));
    e->u = malloc(points * sizeof(double));
    if (!CHECK(e->f && e->u, "no memory for %zu points", points)) {
        return 0;
    }
    e->eigenvalue = -e->lambda;
    for (int a = 0; a < 3; a++) {
        e->eigenvalue += axis_eigenvalue(&axis[a], e->m[a], e->symbol);
    }
    for (size_t index = 0; index < points; index++) {
        const size_t at[3] = {index % axis[0].n, index / axis[0].n % axis[1].n,
                              index / axis[0].n / axis[1].n};
        double phase = 0.4;
        for (int a = 0; a < 3; a++) {
            phase += 2 * acos(-1.0) * (double)(e->m[a] * at[a] % axis[a].n) / (double)axis[a].n;
        }
        const double mean_u = e->lambda > 0 ? -e->factor * e->mean / e->lambda : 0;
        store(e->f, precision, index, cos(phase) + e->mean);
        store(e->u, precision, index, e->factor * cos(phase) / e->eigenvalue + mean_u);
    }
    return 1;
}

static int holds(const struct example *e, psg_precision precision, psg_symbol symbol,
                 app_verification *v) {
    const app_planes planes = app_own_planes(&e->grid);
    const size_t before = app_plane_points(&e->grid, (app_planes){0, planes.z0});
    const size_t bytes = before * app_element_bytes(precision);
    const app_equation equation = {.symbol = symbol, .lambda = e->lambda, .factor = e->factor};
    const int code = app_verify(&e->grid, precision, &equation, planes, (const char *)e->f + bytes,
                                (const char *)e->u + bytes, v);
    CHECK(code == APP_DONE, "app_verify returned %d", code);
    return v->ok;
}

/* Change u at one point for the time of one verification. */
static int holds_with(const struct example *e, psg_precision precision, size_t index,
                      double value) {
    app_verification v;
    const double old = load(e->u, precision, index);
    store(e->u, precision, index, value);
    const int held = holds(e, precision, e->symbol, &v);
    store(e->u, precision, index, old);
    return held;
}

static void try_example(struct example e, psg_precision precision) {
    app_verification v;
    const psg_axis *axis = e.grid.axis;
    const size_t points = app_points(&e.grid);
    const double small = precision == PSG_F32 ? 1e-2 : 1e-9;
    if (make(&e, precision)) {
        const double largest = check_largest(e.u, app_element_bytes(precision), points);
        CHECK(holds(&e, precision, e.symbol, &v),
              "%zux%zux%zu mode %zu,%zu,%zu symbol %d lambda %g %s: residual %g, bound %g, mean of "
              "u %g, "
              "bound %g",
              axis[0].n, axis[1].n, axis[2].n, e.m[0], e.m[1], e.m[2], (int)e.symbol, e.lambda,
              app_precision_name(precision), v.residual, v.bound, v.mean_off, v.mean_bound);
        CHECK(v.points == points || (points > 1 << 18 && v.points == 1 << 16), "%zu points",
              v.points);
        CHECK_NEAR(v.f.mean, e.lambda > 0 ? 0 : e.factor * e.mean, 1e-7 * fabs(e.factor),
                   "mean of f");
        if (v.points == points) {
            const size_t place = points / 3;
            const double there = load(e.u, precision, place);
            CHECK(!holds_with(&e, precision, place, there + small * largest),
                  "a change of u by %g goes unseen", small);
            CHECK(!holds_with(&e, precision, points - 1, NAN), "a NaN goes unseen");
            CHECK(!holds_with(&e, precision, 0, INFINITY), "an Inf goes unseen");
        }
        /* the two symbols differ at every mode but 0 */
        CHECK(!holds(&e, precision,
                     e.symbol == PSG_SYMBOL_FD2 ? PSG_SYMBOL_SPECTRAL : PSG_SYMBOL_FD2, &v),
              "the other symbol goes unseen: residual %g, bound %g", v.residual, v.bound);
        e.factor = -e.factor;
        CHECK(!holds(&e, precision, e.symbol, &v), "another sign of the factor goes unseen");
        e.factor = -e.factor;
        for (size_t index = 0; index < points; index++) {
            store(e.u, precision, index, load(e.u, precision, index) + small * largest);
        }
        CHECK(!holds(&e, precision, e.symbol, &v),
              "a constant goes unseen: mean off by %g, bound %g", v.mean_off, v.mean_bound);
    }
    free(e.f);
    free(e.u);
}

/** f of a random u and epsilon is right, and of another epsilon at one point of a plane, or on one
 * face, or another u, it is wrong. */
static void try_epsilon(psg_precision precision, double lambda, bool faces) {
    enum { NX = 6, NY = 5, NZ = 4, POINTS = NX * NY * NZ };
    static const size_t n[3] = {NX, NY, NZ};
    static const size_t stride[3] = {1, NX, NX * NY};
    psg_grid grid;
    app_verification v;
    double u[POINTS], epsilon[POINTS], face[3][POINTS], f[POINTS], mean = 0;
    union {
        double f64[POINTS];
        float f32[POINTS];
    } of[5];
    psg_grid_init(&grid, NX, NY, NZ, 1, 2, 0.5);
    for (size_t m = 0; m < POINTS; m++) {
        u[m] = sin(17.0 * (double)(m * m + 1));
        epsilon[m] = 4 + 3 * cos(23.0 * (double)(m * m));
        mean += u[m] / POINTS;
    }
    for (size_t m = 0; m < POINTS; m++) {
        u[m] -= lambda == 0 ? mean : 0;
    }
    for (size_t m = 0; m < POINTS; m++) {
        f[m] = -lambda * u[m];
        for (int d = 0; d < 3; d++) {
            const double h = grid.axis[d].length / (double)n[d];
            const size_t at = m / stride[d] % n[d];
            const size_t next[2] = {(at + 1) % n[d], (at + n[d] - 1) % n[d]};
            for (int side = 0; side < 2; side++) {
                const size_t o = m + (next[side] - at) * stride[d];
                const double between = 2 * epsilon[m] * epsilon[o] / (epsilon[m] + epsilon[o]);
                face[d][side == 0 ? m : o] = between;
                f[m] += between * (u[o] - u[m]) / (h * h);
            }
        }
    }
    const app_planes planes = app_own_planes(&grid);
    const size_t first = planes.z0 * stride[2] * app_element_bytes(precision);
    for (int wrong = 0; wrong <= 2 * NZ; wrong++) {
        double *const at_points = wrong % 2 == 1 ? u : epsilon;
        double *const changed = (faces && wrong % 2 == 0 ? face[wrong / 2 % 3] : at_points) + 9 +
                                (wrong > 0 ? (wrong - 1) / 2 : 0) * NX * NY;
        *changed *= wrong > 0 ? 1.01 : 1;
        for (size_t m = 0; m < POINTS; m++) {
            const double values[5] = {f[m], u[m], faces ? face[0][m] : epsilon[m], face[1][m],
                                      face[2][m]};
            for (int a = 0; a < 5; a++) {
                app_put_row(&of[a], precision, m, 1, &values[a]);
            }
        }
        const app_coefficient coefficient = {{(char *)&of[2] + first,
                                              faces ? (char *)&of[3] + first : NULL,
                                              faces ? (char *)&of[4] + first : NULL},
                                             faces};
        const app_equation equation = {
            .symbol = PSG_SYMBOL_FD2, .lambda = lambda, .factor = 1, .epsilon = &coefficient};
        CHECK(app_verify(&grid, precision, &equation, planes, (char *)&of[0] + first,
                         (char *)&of[1] + first, &v) == APP_DONE,
              "app_verify");
        CHECK(v.ok == (wrong == 0), "epsilon, lambda %g, wrong %d: residual %g, bound %g", lambda,
              wrong, v.residual, v.bound);
        *changed /= wrong > 0 ? 1.01 : 1;
    }
}

/* A mean that is dropped takes digits of u, and a check that cannot see what is left has to refuse it. */
static void try_mean(psg_precision precision, double mean, int digits) {
    struct example e = {.symbol = PSG_SYMBOL_FD2, .m = {1, 2, 0}, .mean = mean, .factor = 1};
    app_verification v;
    psg_grid_init(&e.grid, 8, 9, 10, 1, 2, 3);
    if (make(&e, precision)) {
        const int held = holds(&e, precision, e.symbol, &v);
        CHECK(v.digits == digits && held == (digits >= APP_DIGITS_FEW),
              "%s, mean %g: %d digits, held %d", app_precision_name(precision), mean, v.digits,
              held);
        CHECK_NEAR(v.f.rms, sqrt(0.5), 0.05, "fluctuation beside a mean of %g", mean);
        CHECK_NEAR(v.f.farthest, 1, 0.1, "the largest fluctuation beside a mean of %g", mean);
    }
    free(e.f);
    free(e.u);
}

int main(int argc, char **argv) {
    if (app_ranks_start(argc, argv)) {
        return 1;
    }
    for (int m = 0; m < 8; m++) {
        try_epsilon(m % 2 ? PSG_F32 : PSG_F64, m / 2 % 2 == 0 ? 0 : 5, m >= 4);
    }
    try_mean(PSG_F32, 0, 7);
    try_mean(PSG_F32, 3e3, 4);
    try_mean(PSG_F32, 3e5, 2);
    try_mean(PSG_F32, 3e6, 1);
    try_mean(PSG_F64, 3e6, 10);
    try_mean(PSG_F64, 3e12, 4);
    try_mean(PSG_F64, 3e13, 3);
    static const size_t sizes[][3] = {{8, 9, 10}, {7, 6, 5},  {2, 1, 1},   {1, 3, 2},
                                      {1, 1, 64}, {31, 1, 4}, {80, 70, 60}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (int which = 0; which < 4; which++) {
            for (int variant = 0; variant < 16; variant++) {
                struct example e = {.symbol = variant % 2 ? PSG_SYMBOL_FD2 : PSG_SYMBOL_SPECTRAL,
                                    .lambda = variant & 2 ? 3 : 0,
                                    .mean = 0.25,
                                    .factor = variant & 8 ? -8.4e-10 : 1};
                const size_t *n = sizes[s];
                psg_grid_init(&e.grid, n[0], n[1], n[2], 1.5, 0.7, 2);
                /* the highest mode of every axis, or of one */
                size_t sum = 0;
                for (int a = 0; a < 3; a++) {
                    e.m[a] = which == 3 || which == a ? n[a] / 2 : 0;
                    sum += e.m[a];
                }
                if (sum > 0) {
                    try_example(e, variant & 4 ? PSG_F32 : PSG_F64);
                }
            }
        }
    }
    return app_ranks_finish(check_result());
}
