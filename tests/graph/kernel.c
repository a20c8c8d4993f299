/* Kernels in place of the symbol, on three free axes, on cores and on a GPU: u is the direct sum of
 * the kernel times f, by its closed form in long double. */
#include "tests/check.h"
#include "tests/harness.h"

#include <stdlib.h>

/* The integral of 1/r from the origin to (x, y, z) has this antiderivative. */
static long double antiderivative(long double x, long double y, long double z) {
    const long double r = sqrtl(x * x + y * y + z * z);
    return y * z * logl(x + r) + x * z * logl(y + r) + x * y * logl(z + r) -
           (z * z * atanl(x * y / (z * r)) + y * y * atanl(x * z / (y * r)) +
            x * x * atanl(y * z / (x * r))) /
               2;
}

/* The integral of 1/(4 pi r) over the cell of a point so many points away. */
static long double integrated(const size_t away[3], const long double h[3]) {
    long double sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
        long double x[3];
        int sign = -1;
        for (int d = 0; d < 3; ++d) {
            const int upper = corner >> d & 1;
            sign = upper ? -sign : sign;
            x[d] = ((long double)away[d] + upper - 0.5L) * h[d];
        }
        sum += sign * antiderivative(x[0], x[1], x[2]);
    }
    return sum / (4 * acosl(-1));
}

static long double sampled(const size_t away[3], const long double h[3]) {
    long double square = 0;
    for (int d = 0; d < 3; ++d) {
        square += (long double)away[d] * h[d] * (long double)away[d] * h[d];
    }
    return square > 0 ? h[0] * h[1] * h[2] / (4 * acosl(-1) * sqrtl(square)) : integrated(away, h);
}

typedef long double kernel_function(const size_t away[3], const long double h[3]);

static const struct {
    const char *name;
    kernel_function *value;
} kernels[] = {{"igf", integrated}, {"hockney", sampled}};

/* @return of each point of the grid, as far away from (0, 0, 0) as it is */
static long double *octant(kernel_function *kernel, const psg_grid *grid) {
    const size_t nx = grid->axis[0].n, ny = grid->axis[1].n, nz = grid->axis[2].n;
    long double h[3], *values = malloc(nx * ny * nz * sizeof *values);
    for (int d = 0; d < 3; ++d) {
        h[d] = (long double)grid->axis[d].length / (long double)grid->axis[d].n;
    }
    for (size_t m = 0; m < nx * ny * nz; ++m) {
        values[m] = kernel((const size_t[3]){m % nx, m / nx % ny, m / nx / ny}, h);
    }
    return values;
}

static double direct(const long double *values, const psg_grid *grid, const double *f, size_t at) {
    const size_t nx = grid->axis[0].n, ny = grid->axis[1].n, nz = grid->axis[2].n;
    const size_t here[3] = {at % nx, at / nx % ny, at / nx / ny};
    long double sum = 0;
    for (size_t m = 0; m < nx * ny * nz; ++m) {
        const size_t from[3] = {m % nx, m / nx % ny, m / nx / ny};
        size_t away[3];
        for (int d = 0; d < 3; ++d) {
            away[d] = from[d] > here[d] ? from[d] - here[d] : here[d] - from[d];
        }
        sum += values[(away[2] * ny + away[1]) * nx + away[0]] * f[m];
    }
    return (double)-sum;
}

static void sums(size_t which, psg_precision precision, const char *more, const size_t n[3],
                 const double length[3]) {
    const double factor = -2.5;
    const size_t points = n[0] * n[1] * n[2];
    psg_grid grid = harness_box(n[0], n[1], n[2], length[0], length[1], length[2]);
    psg_options options = harness_with(precision, more);
    FREED double *f = oracle_array(points), *u = oracle_array(points), *want = oracle_array(points);
    options.factor = factor;
    harness_set(&options, which == 0 ? "kernel=igf" : "kernel=hockney");
    harness_sides(&grid, "FF");
    oracle_random(points, points, f);
    harness_round(precision, points, f);
    DESTROYED psg_plan *plan = harness_plan(&grid, &options);
    CHECK_STATUS(harness_solve(plan, precision, points, f, u), PSG_OK);
    FREED long double *values = octant(kernels[which].value, &grid);
    for (size_t m = 0; m < points; ++m) {
        want[m] = factor * direct(values, &grid, f, m);
    }
    const double f64 = options.gpus == 0 ? 3e-14 : 1e-13;
    CHECK_CLOSE(u, want, n[0], n[1], n[2], harness_tolerance(precision, f64, 3e-6), "%s, %s, %s",
                kernels[which].name, harness_precision_name(precision), more);
}

static void refused(void) {
    static const struct {
        const char *options, *sides, *words;
    } cases[] = {{"kernel=igf", "FF,FF,PP", "z is not free at both sides"},
                 {"kernel=hockney", "PP", "x is not free at both sides"},
                 {"kernel=igf", "PP,PP,DF", "x is not free at both sides"},
                 {"kernel=igf symbol=fd2", "FF", "in place of the symbol"},
                 {"kernel=hockney symbol=fd4", "FF", "in place of the symbol"},
                 {"kernel=igf lambda=2", "FF", "kernel igf is for lambda = 0"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        psg_grid grid = harness_box(4, 5, 6, 1, 1, 1);
        psg_options options = harness_with(PSG_F64, cases[c].options);
        psg_plan *plan = NULL;
        harness_sides(&grid, cases[c].sides);
        CHECK_SAYS(psg_plan_create(&plan, &grid, &options), PSG_ERR_UNSUPPORTED, cases[c].words);
        psg_plan_destroy(plan);
    }
}

/* lambda of a solve is refused as that of a plan, and the plan is as before. */
static void terms(void) {
    enum { N = 5, POINTS = N * N * N };
    psg_grid grid = harness_box(N, N, N, 1, 1, 1);
    psg_options options = harness_with(PSG_F64, "kernel=igf");
    double f[POINTS], u[POINTS];
    harness_sides(&grid, "FF");
    oracle_random(1, POINTS, f);
    DESTROYED psg_plan *plan = harness_plan(&grid, &options);
    psg_solve_args args = harness_args(plan);
    const psg_array from = harness_view(f), to = harness_view(u);
    FREED long double *values = octant(integrated, &grid);
    args.lambda = 1;
    CHECK_SAYS(psg_solve_arrays(plan, 1, &from, &to, &args), PSG_ERR_UNSUPPORTED,
               "kernel igf is for lambda = 0");
    CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
    CHECK_NEAR(u[7], direct(values, &grid, f, 7), 1e-13, "after a refused lambda");
}

int main(void) {
    static const size_t sizes[][3] = {{1, 1, 1}, {2, 1, 3}, {1, 12, 1}, {7, 6, 5}, {12, 11, 9}};
    static const double lengths[][3] = {{1, 1, 1}, {1, 2, 64}, {1e-9, 1.3e-9, 0.7e-9}};
    static const char *const ways[] = {"", "segment_planes=1 sheets=64 executor=tasks",
                                       "graph=staged segment_planes=2 sheets=3"};
    psg_options options = harness_options(PSG_F64);
    psg_plan *anchor = harness_anchor(&options);
    for (size_t m = 0; m < (size_t)2 * 2 * 5 * 3 * 3; ++m) {
        const psg_precision precision = m / 2 % 2 ? PSG_F32 : PSG_F64;
        sums(m % 2, precision, ways[m / 60], sizes[m / 4 % 5], lengths[m / 20 % 3]);
    }
    refused();
    terms();
    psg_plan_destroy(anchor);
    return check_result();
}
