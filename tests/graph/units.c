/* The unit of length does not matter: with lengths times 2^k, and lambda, the factor and what is
 * given on the sides in the same unit, u is the same to the last bit, and its gradient 2^-k times
 * as large. Also where squares of the lengths are out of the range of the precision. What has no
 * answer in the precision is refused with words. */
#include "tests/check.h"
#include "tests/harness.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { NX = 12, NY = 9, NZ = 10, POINTS = NX * NY * NZ };

/** What is solved: sides of all axes, and the terms in the unit 1. */
typedef struct equation {
    const char *name;
    psg_symbol symbol;
    const char *sides; /**< of each axis */
    double lambda;
    bool gradient, epsilon;
} equation;

static const equation equations[] = {
    {"periodic", PSG_SYMBOL_SPECTRAL, "PP", 0, true, false},
    {"periodic, fd2, lambda", PSG_SYMBOL_FD2, "PP", 3, true, false},
    {"epsilon", PSG_SYMBOL_FD2, "PP", 0, true, true},
    {"Dirichlet, cells", PSG_SYMBOL_FD2, "DD", 0, true, false},
    {"Neumann and Dirichlet, nodes", PSG_SYMBOL_FD2, "NDn", 2, true, false},
    {"Dirichlet and Neumann, cells", PSG_SYMBOL_FD2, "DN", 0, true, false},
    {"Neumann, fd4", PSG_SYMBOL_FD4, "NN", 0, false, false},
};

/** f, epsilon, u and the gradient, in the precision. */
typedef struct fields {
    void *f, *eps, *u, *g[3];
} fields;

static fields make(psg_precision precision) {
    fields a;
    FREED double *values = oracle_array(POINTS);
    void **const all[] = {&a.f, &a.eps, &a.u, &a.g[0], &a.g[1], &a.g[2]};
    for (size_t m = 0; m < sizeof all / sizeof *all; ++m) {
        *all[m] = harness_array(precision, POINTS);
    }
    oracle_random(7, POINTS, values);
    harness_store(precision, POINTS, values, a.f);
    for (size_t p = 0; p < POINTS; ++p) {
        values[p] = 1.5 + 0.5 * values[p];
    }
    harness_store(precision, POINTS, values, a.eps);
    return a;
}

static void destroy(const fields *a) {
    void *const all[] = {a->f, a->eps, a->u, a->g[0], a->g[1], a->g[2]};
    for (size_t m = 0; m < sizeof all / sizeof *all; ++m) {
        free(all[m]);
    }
}

/** Solve with the unit 2^-k of length. */
static bool solve(const equation *e, psg_options options, int k, const fields *a) {
    psg_array f, u, eps, g[3];
    psg_grid grid = harness_box(NX, NY, NZ, ldexp(1, k), ldexp(1.5, k), ldexp(.8, k));
    options.symbol = e->symbol;
    options.factor = ldexp(-3, -2 * k);
    options.lambda = ldexp(e->lambda, -2 * k);
    harness_sides(&grid, e->sides);
    DESTROYED psg_plan *plan = harness_plan(&grid, &options);
    psg_solve_args args = harness_args(plan);
    psg_array_init(&f, a->f);
    psg_array_init(&u, a->u);
    psg_array_init(&eps, a->eps);
    args.epsilon = e->epsilon ? &eps : NULL;
    for (int d = 0; d < 3; ++d) {
        psg_array_init(&g[d], a->g[d]);
        args.gradient[d] = e->gradient ? &g[d] : NULL;
        for (int side = 0; side < 2 && e->symbol == PSG_SYMBOL_FD2; ++side) {
            const double value = 0.25 + d - side;
            args.value[d][side] = e->sides[side] == 'D'   ? value
                                  : e->sides[side] == 'N' ? ldexp(value, -k)
                                                          : 0;
        }
    }
    const bool solved = CHECK_STATUS(psg_solve_arrays(plan, 1, &f, &u, &args), PSG_OK);
    return solved;
}

static void compare(psg_precision precision, const void *got, const void *want, int k,
                    const char *what, const char *name) {
    FREED double *values = oracle_array(2 * POINTS);
    harness_load(precision, POINTS, got, values);
    harness_load(precision, POINTS, want, values + POINTS);
    for (size_t p = 0; p < POINTS; ++p) {
        if (!CHECK(ldexp(values[p], k) == values[POINTS + p],
                   "%s, %s, lengths times 2^%d: %s at %zu is %g, and without %g", name,
                   harness_precision_name(precision), k, what, p, values[p], values[POINTS + p])) {
            break;
        }
    }
}

static void units(const equation *e, const psg_options *options) {
    static const int exponents[2][4] = {
        [PSG_F64] = {-400, -75, 75, 450}, [PSG_F32] = {-75, -70, 75, 78}};
    const psg_precision precision = options->precision;
    const fields want = make(precision), got = make(precision);
    for (size_t m = 0; m < 4 && solve(e, *options, 0, &want); ++m) {
        const int k = exponents[precision][m];
        if (solve(e, *options, k, &got)) {
            compare(precision, got.u, want.u, 0, "u", e->name);
            for (int d = 0; d < 3 && e->gradient; ++d) {
                compare(precision, got.g[d], want.g[d], k, "the gradient", e->name);
            }
        }
    }
    destroy(&want);
    destroy(&got);
}

/** Two axes so long that nothing changes along them: lambda u is all that is left of their
 * terms. */
static void long_axes(psg_options options) {
    const fields a = make(options.precision), b = make(options.precision);
    for (int m = 0; m < 2; ++m) {
        const double length = m == 0 ? 1e7 : options.precision == PSG_F64 ? 1e75 : 1e30;
        psg_plan *plan = NULL;
        psg_grid grid = harness_box(NX, NY, NZ, length, length, 1);
        options.lambda = 10;
        if (CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
            CHECK_STATUS(psg_solve(plan, a.f, m == 0 ? a.u : b.u), PSG_OK);
        }
        psg_plan_destroy(plan);
        options.lambda = 0;
        if (m == 1 && options.precision == PSG_F32) {
            CHECK_SAYS(psg_plan_create(&plan, &grid, &options), PSG_ERR_ARG,
                       "k^2 + lambda is from");
        }
    }
    FREED double *values = oracle_array(2 * POINTS);
    harness_load(options.precision, POINTS, a.u, values);
    harness_load(options.precision, POINTS, b.u, values + POINTS);
    CHECK_CLOSE(values, values + POINTS, NX, NY, NZ,
                harness_tolerance(options.precision, 1e-12, 1e-5), "long axes, %s",
                harness_precision_name(options.precision));
    destroy(&a);
    destroy(&b);
}

/** A value on a side that would lose its digits on the way to f. */
static void lost_values(psg_options options) {
    const fields a = make(options.precision);
    psg_array f, u;
    psg_grid grid = harness_box(NX, NY, NZ, 1e22, 1e22, 1e22);
    grid.axis[2].bc[0] = grid.axis[2].bc[1] = PSG_BC_DIRICHLET;
    options.symbol = PSG_SYMBOL_FD2;
    options.factor = 1e-2;
    DESTROYED psg_plan *plan = harness_plan(&grid, &options);
    psg_solve_args args = harness_args(plan);
    psg_array_init(&f, a.f);
    psg_array_init(&u, a.u);
    args.value[2][1] = 1;
    CHECK_STATUS(psg_solve_arrays(plan, 1, &f, &u, &args),
                 options.precision == PSG_F64 ? PSG_OK : PSG_ERR_DATA);
    CHECK(options.precision == PSG_F64 || strstr(psg_last_error(), "side z1") != NULL, "%s",
          psg_last_error());
    args.factor = 1e-12; /* then f is of the size of what the value adds */
    CHECK_STATUS(psg_solve_arrays(plan, 1, &f, &u, &args), PSG_OK);
    destroy(&a);
}

/** A solve on 4^3 points, or on a plane of them, and how it ended. */
typedef struct small {
    double length[3];
    size_t nz;
    double f, eps, factor; /* eps 0: no epsilon */
    bool peak;             /* f is 0 but at one point */
    void *g[3], *u;        /* g NULL: not wanted */
    char words[256];
} small;

static psg_status solve_small(const psg_options *options, small *s) {
    enum { N = 4, SMALL = N * N * N };
    psg_plan *plan = NULL;
    psg_solve_args args;
    psg_array from, to, coefficients, along[3];
    double values[SMALL];
    FREED void *f = harness_array(options->precision, SMALL);
    FREED void *eps = harness_array(options->precision, SMALL);
    psg_grid grid = harness_box(N, N, s->nz, s->length[0], s->length[1], s->length[2]);
    for (size_t p = 0; p < SMALL; ++p) {
        values[p] = !s->peak ? s->f * sin((double)p) : p == 5 ? s->f : 0;
    }
    harness_store(options->precision, SMALL, values, f);
    for (size_t p = 0; p < SMALL; ++p) {
        values[p] = s->eps;
    }
    harness_store(options->precision, SMALL, values, eps);
    psg_status status = psg_plan_create(&plan, &grid, options);
    if (status == PSG_OK && CHECK_STATUS(psg_solve_args_init(&args, plan), PSG_OK)) {
        psg_array_init(&from, f);
        psg_array_init(&to, s->u);
        psg_array_init(&coefficients, eps);
        args.epsilon = s->eps > 0 ? &coefficients : NULL;
        args.factor = s->factor;
        for (int d = 0; d < 3; ++d) {
            psg_array_init(&along[d], s->g[d]);
            args.gradient[d] = s->g[d] != NULL ? &along[d] : NULL;
        }
        status = psg_solve_arrays(plan, 1, &from, &to, &args);
    }
    snprintf(s->words, sizeof s->words, "%s", psg_last_error());
    psg_plan_destroy(plan);
    return status;
}

static void too_large(const psg_options *options, small s, const char *words) {
    const psg_status status = solve_small(options, &s);
    CHECK(status == PSG_ERR_DATA && strstr(s.words, words) != NULL, "status %d, '%s'", (int)status,
          s.words);
}

static void is_fine(const psg_options *options, small s) {
    const psg_status status = solve_small(options, &s);
    CHECK(status == PSG_OK, "status %d, '%s'", (int)status, s.words);
}

/** The box is thinner than its reciprocal is a number: nothing changes along an axis of a single
 * point. */
static void flat(const psg_options *options, small s) {
    is_fine(options, s);
    for (int d = 0; d < 4; ++d) {
        double values[16];
        harness_load(options->precision, 16, d < 3 ? s.g[d] : s.u, values);
        for (int p = 0; p < 16; ++p) {
            CHECK(isfinite(values[p]), "field %d of a flat box is %g", d, values[p]);
        }
    }
}

/** An answer that the precision does not have is an error, and not Inf. */
static void overflows(psg_options options) {
    const double most = options.precision == PSG_F32 ? 1e38 : 1e308;
    double *room[4];
    for (int m = 0; m < 4; ++m) {
        room[m] = harness_array(options.precision, POINTS);
    }
    small s = {.length = {1, 2, 3}, .nz = 4, .f = 1e-5 * most, .factor = 1, .u = room[3]};
    if (options.gpus == 0) {
        const small peak = {
            .length = {4, 4, 4}, .nz = 4, .f = most, .factor = 5e4, .peak = true, .u = room[3]};
        options.lambda = 1e4;
        too_large(&options, peak, "u or its gradient is out of the range");
        options.lambda = 0;
    }
    options.symbol = PSG_SYMBOL_FD2;
    s.eps = 1;
    is_fine(&options, s);
    s.eps = 1e-10;
    too_large(&options, s, "u or its gradient is out of the range");
    if (options.precision == PSG_F64) {
        s.eps = 1e150;
        too_large(&options, s, "epsilon is 1e+150 at");
    }
    s.eps = 0;
    for (int d = 0; d < 3; ++d) {
        s.length[d] *= 1e-5;
    }
    s.factor = 1e13;
    for (int by_modes = 0; by_modes < (options.gpus == 0 ? 2 : 1); ++by_modes) {
        options.symbol = by_modes ? PSG_SYMBOL_SPECTRAL : PSG_SYMBOL_FD2;
        is_fine(&options, s);
        for (int d = 0; d < 3; ++d) {
            s.g[d] = room[d];
            too_large(&options, s, "u or its gradient is out of the range");
            s.g[d] = NULL;
        }
    }
    for (int m = 0; m < 3; ++m) {
        const small thin = {.length = {1, 2, 1e-309},
                            .nz = 1,
                            .f = 1,
                            .eps = m == 2 ? 1 : 0,
                            .factor = 1,
                            .u = room[3],
                            .g = {room[0], room[1], room[2]}};
        options.symbol = m == 0 ? PSG_SYMBOL_SPECTRAL : PSG_SYMBOL_FD2;
        flat(&options, thin);
    }
    for (int m = 0; m < 4; ++m) {
        free(room[m]);
    }
}

int main(void) {
    const psg_options first = harness_options(PSG_F64);
    DESTROYED psg_plan *anchor = harness_anchor(&first);
    for (int run = 0; run < 2 * HARNESS_VARIANTS; ++run) {
        psg_options options = harness_options(run % 2 ? PSG_F32 : PSG_F64);
        harness_set_variant(&options, &harness_variants[run / 2]);
        for (size_t m = 0; m < sizeof equations / sizeof *equations; ++m) {
            units(&equations[m], &options);
        }
        long_axes(options);
        lost_values(options);
        overflows(options);
    }
    return check_result();
}
