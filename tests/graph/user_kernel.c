/* The caller's kernel in place of the symbol: u of an octant in space is the direct sum over the
 * points, with the images of a wall and of the periods. Multipliers in modes give the u of the
 * symbol that they are. A kernel that cannot be one is refused with words. Over several processes
 * all of this is the same. */
#include "graph/psg_kernel.h"
#include "tests/check.h"
#include "tests/mpi/ranks.h"

#include <stdlib.h>
#include <string.h>

static MPI_Comm world;

/* ------------------------------------------------------------------------------- what is due */

static int is_free(const psg_axis *axis, int side) {
    return axis->bc[side] == PSG_BC_FREE;
}

static int is_periodic(const psg_axis *axis) {
    return axis->bc[0] == PSG_BC_PERIODIC;
}

static size_t values_along(const psg_axis *axis) {
    return is_periodic(axis)                      ? axis->n / 2 + 1
           : is_free(axis, 0) && is_free(axis, 1) ? axis->n + 1
           : is_free(axis, 0) || is_free(axis, 1) ? 2 * axis->n + 1
                                                  : axis->n;
}

static size_t octant_of(const psg_grid *grid, size_t n[3]) {
    for (int d = 0; d < 3; ++d) {
        n[d] = values_along(&grid->axis[d]);
    }
    return n[0] * n[1] * n[2];
}

/* How far point q, or its image in a wall, is from p, in steps. @return the sign with which it
 * counts; 0: it has no image */
static int away(const psg_axis *axis, size_t p, size_t q, int image, size_t *steps) {
    const size_t far = p > q ? p - q : q - p;
    const int wall = is_free(axis, 0) ? 1 : 0;
    *steps = is_periodic(axis) && 2 * far > axis->n ? axis->n - far : far;
    if (!image) {
        return 1;
    }
    if (is_periodic(axis) || is_free(axis, wall)) {
        return 0;
    }
    *steps = wall == 0 ? p + q + 1 : 2 * axis->n - 1 - p - q;
    return axis->bc[wall] == PSG_BC_DIRICHLET ? -1 : 1;
}

static double direct(const psg_grid *grid, const double *octant, const double *f,
                     const size_t p[3]) {
    const size_t nx = grid->axis[0].n, ny = grid->axis[1].n, nz = grid->axis[2].n;
    size_t n[3];
    long double sum = 0;
    (void)octant_of(grid, n);
    for (size_t m = 0; m < 8 * nx * ny * nz; ++m) {
        const size_t at = m / 8, q[3] = {at % nx, at / nx % ny, at / nx / ny};
        size_t steps[3];
        int sign = 1;
        for (int d = 0; d < 3; ++d) {
            sign *= away(&grid->axis[d], p[d], q[d], (int)(m >> d & 1), &steps[d]);
        }
        if (sign != 0) {
            sum +=
                (long double)sign * octant[(steps[2] * n[1] + steps[1]) * n[0] + steps[0]] * f[at];
        }
    }
    for (int d = 0; d < 3; ++d) {
        sum *= (long double)grid->axis[d].length / (long double)grid->axis[d].n;
    }
    return (double)-sum;
}

/* k of mode m of an axis, and of its symbol -k^2 in place of it. */
static double wavenumber(const psg_axis *axis, size_t m, psg_symbol symbol) {
    const double pi = acos(-1), half = pi / axis->length;
    const int dirichlet = (axis->bc[0] == PSG_BC_DIRICHLET) + (axis->bc[1] == PSG_BC_DIRICHLET);
    const int nodes = axis->points == PSG_POINTS_NODES && !is_periodic(axis);
    const double h = axis->length / ((double)axis->n + (nodes ? dirichlet - 1 : 0));
    const double k = is_periodic(axis)  ? 2 * half * (double)m
                     : is_free(axis, 0) ? half * (double)m
                                        : half * ((double)m + 0.5 * dirichlet);
    return symbol == PSG_SYMBOL_FD2 ? 2 / h * sin(k * h / 2) : k;
}

/* 1/k^2 of each mode; of the one free axis what stands for it there, see cpu/kspace_free.c. */
static double *multipliers(const psg_grid *grid, psg_symbol symbol, int free_axis) {
    size_t n[3];
    const size_t count = octant_of(grid, n);
    double *values = oracle_array(count);
    for (size_t m = 0; m < count; ++m) {
        const size_t mode[3] = {m % n[0], m / n[0] % n[1], m / n[0] / n[1]};
        double across = 0, along = 0;
        for (int d = 0; d < 3; ++d) {
            const double k = wavenumber(&grid->axis[d], mode[d], symbol);
            *(d == free_axis ? &along : &across) += k * k;
        }
        values[m] = across + along > 0 ? 1 / (across + along) : 0;
        if (free_axis >= 0) {
            const double l = grid->axis[free_axis].length;
            const double decay = exp(-sqrt(across) * l);
            values[m] *= mode[free_axis] % 2 == 0 ? 1 - decay : 1 + decay;
            values[m] = across + along > 0 ? values[m] : -l * l / 2;
        }
    }
    return values;
}

/* --------------------------------------------------------------------------------- the solves */

typedef struct setting {
    size_t n[3];
    const char *sides;
} setting;

static psg_grid grid_of(const setting *s) {
    static const double lengths[3] = {1, 1.3, 0.7};
    psg_grid grid = harness_box(s->n[0], s->n[1], s->n[2], lengths[0], lengths[1], lengths[2]);
    harness_sides(&grid, s->sides);
    return grid;
}

/* A plan of all processes with this kernel solves f: the u of `want`. */
static void solved(const psg_grid *grid, psg_options options, psg_kernel_form form,
                   const double *values, const double *f, const double *want, double tolerance,
                   const char *what) {
    const oracle_grid box = {{grid->axis[0].n, grid->axis[1].n, grid->axis[2].n}, {1, 1, 1}};
    const size_t points = oracle_points(&box);
    size_t n[3];
    psg_plan *plan = NULL;
    (void)octant_of(grid, n);
    options.kernel = PSG_KERNEL_USER;
    const int made = CHECK_STATUS(psg_plan_create(&plan, grid, &options), PSG_OK);
    if (ranks_all(world, made)) {
        AT_END(share_free) share mine = share_make(world, options.precision, &box, 0);
        FREED double *u = oracle_array(points);
        CHECK_STATUS(psg_plan_kernel(plan, form, n, values), PSG_OK);
        share_take(&mine, f);
        CHECK_STATUS(psg_solve(plan, mine.f, mine.u), PSG_OK);
        CHECK(share_intact(&mine), "%s: f or what is beside u was written", what);
        share_gather(&mine, world, u);
        CHECK_CLOSE(u, want, box.n[0], box.n[1], box.n[2], tolerance, "%s, %s", what,
                    harness_precision_name(options.precision));
    }
    psg_plan_destroy(plan);
}

static const char *const ways[] = {"", "segment_planes=1 sheets=64 executor=tasks",
                                   "graph=staged segment_planes=2 sheets=3"};

/* Random values in space: each has its place. */
static void in_space(size_t run) {
    static const setting settings[] = {
        {{4, 5, 6}, "FF"},       {{7, 6, 5}, "FF"},       {{1, 2, 3}, "FF"},
        {{5, 6, 4}, "FF,FF,PP"}, {{4, 5, 7}, "PP,FF,FF"}, {{5, 4, 6}, "FF,PP,FF"},
        {{6, 4, 5}, "PP,PP,FF"}, {{5, 4, 6}, "FF,PP,PP"}, {{8, 6, 4}, "PP"},
        {{1, 4, 1}, "PP"},       {{4, 3, 5}, "DF,FN,FF"}, {{3, 4, 6}, "FD,NF,PP"},
        {{4, 2, 5}, "NF,PP,FF"}, {{6, 5, 4}, "PP,FD,PP"}, {{2, 6, 1}, "FN,FF,PP"},
        {{4, 2, 3}, "FF,PP,DF"}, {{3, 2, 4}, "DF,FN,FD"}};
    enum { SETTINGS = sizeof settings / sizeof *settings };
    const setting *s = &settings[run % SETTINGS];
    const psg_precision precision = run / SETTINGS % 2 ? PSG_F32 : PSG_F64;
    const psg_grid grid = grid_of(s);
    const size_t points = s->n[0] * s->n[1] * s->n[2];
    psg_options options = ranks_options(precision, &world);
    size_t n[3];
    const size_t count = octant_of(&grid, n);
    FREED double *octant = oracle_array(count), *f = oracle_array(points);
    FREED double *want = oracle_array(points);
    ranks_at("in space, run %zu, %s", run, s->sides);
    harness_set(&options, ways[run / (2 * SETTINGS)]);
    options.factor = -2.5;
    oracle_random(run, count, octant);
    oracle_random(run + 7, points, f);
    harness_round(precision, points, f);
    for (size_t m = 0; m < points; ++m) {
        const size_t p[3] = {m % s->n[0], m / s->n[0] % s->n[1], m / s->n[0] / s->n[1]};
        want[m] = options.factor * direct(&grid, octant, f, p);
    }
    solved(&grid, options, PSG_KERNEL_FORM_SPACE, octant, f, want,
           harness_tolerance(precision, 1e-14, 3e-6), s->sides);
}

/* What one process alone has by the symbol. */
static void in_modes(size_t run) {
    static const struct {
        setting s;
        psg_symbol symbol;
        int free_axis;
    } cases[] = {{{{8, 6, 10}, "PP"}, PSG_SYMBOL_SPECTRAL, -1},
                 {{{7, 5, 9}, "PP"}, PSG_SYMBOL_FD2, -1},
                 {{{1, 6, 5}, "PP"}, PSG_SYMBOL_SPECTRAL, -1},
                 {{{6, 5, 8}, "DD,PP,NN"}, PSG_SYMBOL_FD2, -1},
                 {{{5, 6, 7}, "DDn,NNn,DNn"}, PSG_SYMBOL_SPECTRAL, -1},
                 {{{6, 7, 5}, "DN,ND,PP"}, PSG_SYMBOL_SPECTRAL, -1},
                 {{{7, 4, 6}, "PP,NN,DD"}, PSG_SYMBOL_FD2, -1},
                 {{{6, 5, 8}, "PP,PP,FF"}, PSG_SYMBOL_SPECTRAL, 2},
                 {{{5, 6, 7}, "DD,NN,FF"}, PSG_SYMBOL_SPECTRAL, 2},
                 {{{6, 5, 8}, "FF,PP,PP"}, PSG_SYMBOL_SPECTRAL, 0},
                 {{{4, 7, 5}, "PP,FF,DD"}, PSG_SYMBOL_SPECTRAL, 1},
                 {{{16, 16, 64}, "PP"}, PSG_SYMBOL_SPECTRAL, -1}, /* GPUs have kernels */
                 {{{64, 64, 16}, "DD,DD,PP"}, PSG_SYMBOL_FD2, -1},
                 {{{64, 64, 64}, "NN,DD,FF"}, PSG_SYMBOL_SPECTRAL, 2}};
    enum { CASES = sizeof cases / sizeof *cases };
    const setting *s = &cases[run % CASES].s;
    const psg_precision precision = run / CASES % 2 ? PSG_F32 : PSG_F64;
    const psg_grid grid = grid_of(s);
    const size_t points = s->n[0] * s->n[1] * s->n[2];
    psg_options alone = ranks_options(precision, NULL), all = ranks_options(precision, &world);
    psg_plan *plan = NULL;
    FREED double *f = oracle_array(points), *want = oracle_array(points);
    FREED double *values =
        multipliers(&grid, cases[run % CASES].symbol, cases[run % CASES].free_axis);
    ranks_at("in modes, run %zu, %s", run, s->sides);
    harness_set(&all, ways[run / (2 * CASES)]);
    alone.symbol = cases[run % CASES].symbol;
    alone.factor = all.factor = 3;
    oracle_random(run, points, f);
    harness_round(precision, points, f);
    CHECK_STATUS(psg_plan_create(&plan, &grid, &alone), PSG_OK);
    CHECK_STATUS(harness_solve(plan, precision, points, f, want), PSG_OK);
    psg_plan_destroy(plan);
    solved(&grid, all, PSG_KERNEL_FORM_MODES, values, f, want,
           harness_tolerance(precision, 1e-13, 3e-6), s->sides);
}

/* Point m of a wave of mode k. */
static double wave_at(const size_t n[3], const long k[3], size_t m, double phase) {
    const size_t p[3] = {m % n[0], m / n[0] % n[1], m / n[0] / n[1]};
    double angle = phase;
    for (int d = 0; d < 3; ++d) {
        angle += 2 * acos(-1) * (double)k[d] * (double)p[d] / (double)n[d];
    }
    return cos(angle);
}

/* Random values in a spectrum: each is that of its wave, alone in f. */
static void in_spectrum(size_t run) {
    static const size_t sizes[][3] = {{6, 4, 5}, {5, 6, 4}, {4, 1, 7}, {1, 4, 6}, {8, 5, 1}};
    const size_t *n = sizes[run % 5], half = n[0] / 2 + 1, count = half * n[1] * n[2];
    const size_t points = n[0] * n[1] * n[2];
    const oracle_grid box = {{n[0], n[1], n[2]}, {1, 1, 1}};
    psg_grid grid = harness_grid(&box);
    psg_options options = ranks_options(PSG_F64, &world);
    FREED double *t = oracle_array(count), *f = oracle_array(points), *u = oracle_array(points);
    FREED double *want = oracle_array(points);
    ranks_at("a spectrum, run %zu", run);
    harness_set(&options, ways[run / 5]);
    options.kernel = PSG_KERNEL_USER;
    oracle_random(run, count, t);
    psg_plan *plan = NULL;
    const size_t extents[3] = {half, n[1], n[2]};
    if (ranks_all(world, CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK))) {
        AT_END(share_free) share mine = share_make(world, PSG_F64, &box, 0);
        CHECK_STATUS(psg_plan_kernel(plan, PSG_KERNEL_FORM_SPECTRUM, extents, t), PSG_OK);
        for (size_t mode = 0; mode < count; ++mode) {
            const size_t i = mode % half, j = mode / half % n[1], l = mode / half / n[1];
            const size_t back = ((n[2] - l) % n[2] * n[1] + (n[1] - j) % n[1]) * half + i;
            const double factor = 2 * i % n[0] == 0 ? (t[mode] + t[back]) / 2 : t[mode];
            for (size_t m = 0; m < points; ++m) {
                f[m] = wave_at(n, (const long[3]){(long)i, (long)j, (long)l}, m, 0.3);
                want[m] = -factor * f[m];
            }
            share_take(&mine, f);
            CHECK_STATUS(psg_solve(plan, mine.f, mine.u), PSG_OK);
            share_gather(&mine, world, u);
            double worst = 0; /* T of other modes is up to 1 */
            for (size_t m = 0; m < points; ++m) {
                worst = check_worse(worst, fabs(u[m] - want[m]));
            }
            CHECK(worst <= 1e-14, "mode (%zu,%zu,%zu) of %zux%zux%zu: off by %g", i, j, l, n[0],
                  n[1], n[2], worst);
        }
    }
    psg_plan_destroy(plan);
}

/* u of a charge at a corner is the kernel. What stands beyond the points is of no account. */
static void hockney(void) {
    enum { NX = 6, NY = 5, NZ = 7, POINTS = NX * NY * NZ };
    const setting s = {{NX, NY, NZ}, "FF"};
    const psg_grid grid = grid_of(&s);
    psg_options options = ranks_options(PSG_F64, NULL);
    double f[POINTS] = {1}, kernel[POINTS], want[POINTS], octant[(NX + 1) * (NY + 1) * (NZ + 1)];
    options.kernel = PSG_KERNEL_HOCKNEY;
    psg_plan *plan = harness_plan(&grid, &options);
    const double volume = 1 * 1.3 * 0.7 / POINTS;
    CHECK_STATUS(psg_solve(plan, f, kernel), PSG_OK);
    oracle_random(3, POINTS, f);
    CHECK_STATUS(psg_solve(plan, f, want), PSG_OK);
    psg_plan_destroy(plan);
    for (size_t m = 0; m < sizeof octant / sizeof *octant; ++m) {
        const size_t i = m % (NX + 1), j = m / (NX + 1) % (NY + 1), k = m / (NX + 1) / (NY + 1);
        octant[m] = i < NX && j < NY && k < NZ ? -kernel[(k * NY + j) * NX + i] / volume : 5;
    }
    options = ranks_options(PSG_F64, &world);
    solved(&grid, options, PSG_KERNEL_FORM_SPACE, octant, f, want, 1e-13, "hockney");
}

/* --------------------------------------------------------------------- what belongs to a solve */

enum { NX = 8, NY = 6, NZ = 10, POINTS = NX * NY * NZ };
static const setting periodic = {{NX, NY, NZ}, "PP"};

/* The gradient by modes, and right-hand sides together, are those of the symbol. */
static void gradients(void) {
    enum { MANY = 7 };
    const psg_grid grid = grid_of(&periodic);
    psg_options options = ranks_options(PSG_F64, NULL);
    FREED double *values = multipliers(&grid, PSG_SYMBOL_SPECTRAL, -1);
    FREED double *f = oracle_array(MANY * POINTS), *many[2];
    FREED double *u[2] = {oracle_array(4 * POINTS), oracle_array(4 * POINTS)};
    size_t n[3];
    (void)octant_of(&grid, n);
    oracle_random(5, (size_t)MANY * POINTS, f);
    for (int m = 0; m < 2; ++m) {
        const psg_array from = harness_view(f), to = harness_view(u[m]);
        psg_array g[3];
        many[m] = oracle_array(MANY * POINTS);
        options.kernel = m == 1 ? PSG_KERNEL_USER : PSG_KERNEL_AUTO;
        DESTROYED psg_plan *plan = harness_plan(&grid, &options);
        if (m == 1) {
            CHECK_STATUS(psg_plan_kernel(plan, PSG_KERNEL_FORM_MODES, n, values), PSG_OK);
        }
        psg_solve_args args = harness_args(plan);
        for (int d = 0; d < 3; ++d) {
            g[d] = harness_view(u[m] + (d + 1) * POINTS);
            args.gradient[d] = &g[d];
        }
        CHECK_STATUS(psg_solve_arrays(plan, 1, &from, &to, &args), PSG_OK);
        CHECK_STATUS(psg_solve_many(plan, MANY, f, many[m]), PSG_OK);
        if (m == 1) {
            args.lambda = 1;
            CHECK_SAYS(psg_solve_arrays(plan, 1, &from, &to, &args), PSG_ERR_UNSUPPORTED,
                       "kernel user is for lambda = 0");
        }
    }
    CHECK_CLOSE(u[1], u[0], NX, NY, 4 * NZ, 1e-13, "u and its gradient");
    CHECK_CLOSE(many[1], many[0], NX, NY, MANY * NZ, 1e-13, "several right-hand sides");
    free(u[1]);
    free(many[1]);
}

/* A mean of f has no solution where T(0) is 0. Else it is a mode as any other. */
static void means(void) {
    const psg_grid grid = grid_of(&periodic);
    psg_options options = ranks_options(PSG_F64, NULL);
    FREED double *values = multipliers(&grid, PSG_SYMBOL_SPECTRAL, -1);
    FREED double *f = oracle_array(POINTS), *u = oracle_array(POINTS);
    size_t n[3];
    (void)octant_of(&grid, n);
    oracle_random(6, POINTS, f);
    oracle_remove_mean(f, POINTS);
    for (size_t m = 0; m < POINTS; ++m) {
        f[m] += 3;
    }
    options.kernel = PSG_KERNEL_USER;
    options.factor = 0.5;
    for (int m = 0; m < 4; ++m) {
        options.mean = m % 2 ? PSG_MEAN_ERROR : PSG_MEAN_DROP;
        values[0] = m / 2 ? 2 : 0;
        DESTROYED psg_plan *plan = harness_plan(&grid, &options);
        CHECK_STATUS(psg_plan_kernel(plan, PSG_KERNEL_FORM_MODES, n, values), PSG_OK);
        const psg_status status = psg_solve(plan, f, u);
        CHECK_STATUS(status, m == 1 ? PSG_ERR_MEAN : PSG_OK);
        CHECK_NEAR(harness_statistics(plan).mean, m / 2 ? 0 : 3, 1e-14, "the mean that is dropped");
        CHECK_NEAR(oracle_mean(u, POINTS), m / 2 ? -0.5 * 2 * 3 : 0, 1e-14, "the mean of u");
    }
}

/* ------------------------------------------------------------------------------------- refusals */

static void plans(void) {
    static const struct {
        const char *options, *sides, *words;
    } cases[] = {{"symbol=fd2", "PP", "in place of the symbol"},
                 {"symbol=fd4", "FF", "in place of the symbol"},
                 {"lambda=2", "PP", "kernel user is for lambda = 0"},
                 {"", "PP,PP,DF", "z alone is free, and at one side"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        const setting s = {{4, 5, 6}, cases[c].sides};
        const psg_grid grid = grid_of(&s);
        psg_options options = ranks_options(PSG_F64, &world);
        psg_plan *plan = NULL;
        harness_set(&options, cases[c].options);
        options.kernel = PSG_KERNEL_USER;
        CHECK_SAYS(psg_plan_create(&plan, &grid, &options), PSG_ERR_UNSUPPORTED, cases[c].words);
        psg_plan_destroy(plan);
    }
}

/* Of an even and of an odd periodic x, and between walls. */
static void shapes(void) {
    static const struct {
        setting s;
        psg_kernel_form form;
        size_t n[3];
        psg_status status;
        const char *words;
    } cases[] = {
        {{{4, 5, 6}, "FF"}, 0, {5, 6, 7}, PSG_OK, ""},
        {{{4, 5, 6}, "FF"}, 0, {7, 6, 5}, PSG_ERR_ARG, "7 x 6 x 5 values along x, y and z"},
        {{{4, 5, 6}, "FF"}, 1, {4, 5, 6}, PSG_ERR_ARG, "needs 5 x 6 x 7"},
        {{{4, 5, 6}, "PP"}, 1, {3, 3, 4}, PSG_OK, ""},
        {{{4, 5, 6}, "PP"}, 1, {4, 5, 6}, PSG_ERR_ARG, "needs 3 x 3 x 4"},
        {{{4, 5, 6}, "PP"}, 0, {3, 3, 4}, PSG_ERR_UNSUPPORTED, "not 5, along the periodic y: give"},
        {{{4, 5, 6}, "FF,DD,FF"},
         0,
         {5, 5, 7},
         PSG_ERR_UNSUPPORTED,
         "y, which is between two walls"},
        {{{4, 5, 6}, "FF,DD,FF"}, 1, {5, 5, 7}, PSG_OK, ""},
        {{{4, 5, 6}, "PP"}, 2, {3, 5, 6}, PSG_OK, ""},
        {{{4, 5, 6}, "PP"}, 2, {3, 3, 4}, PSG_ERR_ARG, "needs 3 x 5 x 6"},
        {{{4, 5, 6}, "PP,FF,PP"}, 2, {3, 6, 6}, PSG_ERR_UNSUPPORTED, "sides are all periodic"},
        {{{4, 5, 6}, "FF"}, 3, {5, 6, 7}, PSG_ERR_ARG, "form = 3 is none"},
        {{{4, 5, 6}, "FF"}, -1, {5, 6, 7}, PSG_ERR_ARG, "form = -1 is none"}};
    double values[512], f[120], u[120];
    oracle_random(8, 512, values);
    oracle_random(9, 120, f);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        const psg_grid grid = grid_of(&cases[c].s);
        psg_options options = ranks_options(PSG_F64, NULL);
        options.kernel = PSG_KERNEL_USER;
        DESTROYED psg_plan *plan = harness_plan(&grid, &options);
        CHECK_SAYS(psg_plan_kernel(plan, cases[c].form, cases[c].n, values), cases[c].status,
                   cases[c].words);
        CHECK_STATUS(psg_solve(plan, f, u), cases[c].status == PSG_OK ? PSG_OK : PSG_ERR_STATE);
    }
}

static void states(void) {
    const psg_grid grid = grid_of(&periodic);
    psg_options options = ranks_options(PSG_F32, NULL);
    FREED double *values = multipliers(&grid, PSG_SYMBOL_SPECTRAL, -1);
    float f[POINTS], u[POINTS], other[POINTS];
    size_t n[3];
    const psg_kernel_form form = PSG_KERNEL_FORM_MODES;
    const size_t count = octant_of(&grid, n);
    for (size_t m = 0; m < POINTS; ++m) {
        f[m] = (float)(m * m % 17) - 8;
    }
    CHECK_SAYS(psg_plan_kernel(NULL, form, n, values), PSG_ERR_ARG, "plan is NULL");
    psg_plan *plan = harness_plan(&grid, &options);
    CHECK_SAYS(psg_plan_kernel(plan, form, n, values), PSG_ERR_STATE, "the plan has kernel = auto");
    CHECK_STATUS(psg_solve(plan, f, other), PSG_OK);
    psg_plan_destroy(plan);
    options.kernel = PSG_KERNEL_USER;
    plan = harness_plan(&grid, &options);
    CHECK_SAYS(psg_solve(plan, f, u), PSG_ERR_STATE, "psg_plan_kernel() comes before a solve");
    CHECK_SAYS(psg_plan_kernel(plan, form, NULL, values), PSG_ERR_ARG, "NULL");
    CHECK_SAYS(psg_plan_kernel(plan, form, n, NULL), PSG_ERR_ARG, "NULL");
    CHECK_STATUS(psg_plan_kernel(plan, form, n, values), PSG_OK);
    values[n[0] + 2] = NAN;
    CHECK_SAYS(psg_plan_kernel(plan, form, n, values), PSG_ERR_DATA,
               "the kernel is nan at (i,j,k) = (2,1,0)");
    values[count - 1] = -INFINITY;
    values[n[0] + 2] = 0;
    CHECK_SAYS(psg_plan_kernel(plan, form, n, values), PSG_ERR_DATA, "the kernel is -inf at");
    CHECK_STATUS(psg_submit(plan, f, u), PSG_OK);
    CHECK_SAYS(psg_plan_kernel(plan, form, n, values), PSG_ERR_STATE, "a solve is in flight");
    CHECK_STATUS(psg_wait(plan), PSG_OK);
    CHECK_CLOSE(u, other, NX, NY, NZ, 1e-6, "the kernel is as before those that were refused");
    values[count - 1] = 1e60;
    CHECK_SAYS(psg_plan_kernel(plan, form, n, values), PSG_ERR_ARG,
               "the largest mode of the kernel is 1e+60, for a spacing");
    CHECK_STATUS(psg_solve(plan, f, u), PSG_ERR_STATE);
    memset(values, 0, count * sizeof *values);
    values[0] = 1;
    CHECK_STATUS(psg_plan_kernel(plan, form, n, values), PSG_OK);
    CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
    double mean = 0;
    for (size_t m = 0; m < POINTS; ++m) {
        mean += f[m] / (double)POINTS;
    }
    for (size_t m = 0; m < POINTS; ++m) {
        other[m] = (float)-mean;
    }
    CHECK_CLOSE(u, other, NX, NY, NZ, 1e-5, "another kernel");
    psg_plan_destroy(plan);
}

/* One process has another kernel, or none. */
static void disagreement(void) {
    const psg_grid grid = grid_of(&periodic);
    psg_options options = ranks_options(PSG_F64, &world);
    FREED double *values = multipliers(&grid, PSG_SYMBOL_SPECTRAL, -1);
    const int several = ranks_size(world) > 1;
    const int last = ranks_rank(world) == ranks_size(world) - 1;
    size_t n[3];
    (void)octant_of(&grid, n);
    options.kernel = PSG_KERNEL_USER;
    psg_plan *plan = NULL;
    if (ranks_all(world, CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) &&
        several) {
        values[7] += last ? 1e-9 : 0;
        CHECK_SAYS(psg_plan_kernel(plan, PSG_KERNEL_FORM_MODES, n, values), PSG_ERR_ARG,
                   "the hash of the kernel is not that of process 0");
        values[7] = last ? NAN : 1;
        CHECK_SAYS(psg_plan_kernel(plan, PSG_KERNEL_FORM_MODES, n, values), PSG_ERR_DATA,
                   "the kernel is nan at (i,j,k) = (2,1,0)");
        values[7] = 1;
        CHECK_SAYS(psg_plan_kernel(plan, (psg_kernel_form)last, n, values), PSG_ERR_ARG,
                   "the form of the kernel is not that of process 0");
    }
    psg_plan_destroy(plan);
}

int main(int argc, char **argv) {
    enum { SPACE = 17 * 2 * 3, MODES = 14 * 2 * 3 };
    ranks_start(&argc, &argv);
    world = MPI_COMM_WORLD;
    psg_options options = ranks_options(PSG_F64, NULL);
    psg_plan *anchor = RANKS_MPI ? NULL : harness_anchor(&options);
    for (size_t run = 0; run < SPACE + MODES; ++run) {
        if (ranks_takes(run)) {
            if (run < SPACE) {
                in_space(run);
            } else {
                in_modes(run - SPACE);
            }
        }
    }
    for (size_t run = 0; run < 15; ++run) {
        if (ranks_takes(run)) {
            in_spectrum(run);
        }
    }
    hockney();
    if (ranks_size(world) == 1) {
        gradients();
        means();
        shapes();
        states();
    }
    plans();
    disagreement();
    psg_plan_destroy(anchor);
    return ranks_finish(check_result());
}
