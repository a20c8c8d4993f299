/* Values on Dirichlet and Neumann sides that are not 0. The stencil fd2 of u, with the point beyond
 * each side that the value gives, is f; u of an equation with a known answer comes closer to it
 * with the square of the distance of points; and f is not written. The gradient of u is its
 * difference from point to point, and to the sides. */
#include "graph/psg_observe.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <stdlib.h>
#include <string.h>

static const char *const pairs[] = {"NN", "DD", "DN", "ND", "PP"};
enum { PAIRS = sizeof pairs / sizeof *pairs };

/** A box, and what is on its sides: gap reals before each row of an array of values. */
typedef struct box {
    size_t n[3];
    double h[3], first[3]; /* point i at first + i h */
    psg_grid grid;
    double *value[3][2]; /* of side x [nz][ny], y [nz][nx], z [ny][nx] */
    char words[120];
} box;

static const int others[3][2] = {{1, 2}, {0, 2}, {0, 1}};

static size_t drawn(uint64_t *state, size_t count) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(*state >> 33) % count;
}

static size_t points_of(const box *b) {
    return b->n[0] * b->n[1] * b->n[2];
}

static size_t side_points(const box *b, int d) {
    return points_of(b) / b->n[d];
}

/** @param[in] nodes  bits by axis */
static box box_of(const size_t n[3], const size_t pair[3], unsigned nodes) {
    static const double lengths[3] = {1.0, 1.1, 0.9};
    box b = {.n = {n[0], n[1], n[2]}};
    psg_grid_init(&b.grid, n[0], n[1], n[2], lengths[0], lengths[1], lengths[2]);
    char sides[16];
    snprintf(sides, sizeof sides, "%s%c,%s%c,%s%c", pairs[pair[0]], "cn"[nodes & 1], pairs[pair[1]],
             "cn"[nodes >> 1 & 1], pairs[pair[2]], "cn"[nodes >> 2 & 1]);
    snprintf(b.words, sizeof b.words, "%zux%zux%zu %s", n[0], n[1], n[2], sides);
    harness_sides(&b.grid, sides);
    for (int d = 0; d < 3; ++d) {
        CHECK_STATUS(psg_axis_points(&b.grid.axis[d], &b.first[d], &b.h[d]), PSG_OK);
        for (int side = 0; side < 2; ++side) {
            b.value[d][side] = oracle_array(side_points(&b, d));
        }
    }
    return b;
}

static void free_box(box *b) {
    for (int m = 0; m < 6; ++m) {
        free(b->value[m / 2][m % 2]);
    }
}

/** u at place i of a line, with up to one point beyond each side. */
static double at(const box *b, int d, const double *u, size_t stride, const double g[2], long i) {
    const psg_axis *axis = &b->grid.axis[d];
    const long n = (long)axis->n;
    if (i >= 0 && i < n) {
        return u[(size_t)i * stride];
    }
    const int side = i >= n;
    const double outward = side ? b->h[d] : -b->h[d];
    if (axis->bc[side] == PSG_BC_PERIODIC) {
        return u[(size_t)((i + n) % n) * stride];
    }
    if (axis->points == PSG_POINTS_NODES) {
        return axis->bc[side] == PSG_BC_DIRICHLET
                   ? g[side]
                   : at(b, d, u, stride, g, side ? n - 2 : 1) + 2 * outward * g[side];
    }
    const double last = at(b, d, u, stride, g, side ? n - 1 : 0);
    return axis->bc[side] == PSG_BC_DIRICHLET ? 2 * g[side] - last : last + outward * g[side];
}

/** The stencil at point p. @param[in,out] largest  term of all */
static double laplacian(const box *b, const double *u, size_t p, double *largest) {
    const size_t stride[3] = {1, b->n[0], b->n[0] * b->n[1]};
    const size_t place[3] = {p % b->n[0], p / b->n[0] % b->n[1], p / b->n[0] / b->n[1]};
    double sum = 0;
    for (int d = 0; d < 3; ++d) {
        const size_t q = place[others[d][1]] * b->n[others[d][0]] + place[others[d][0]];
        const double g[2] = {b->value[d][0][q], b->value[d][1][q]};
        for (long m = -1; m <= 1; ++m) {
            const double v =
                at(b, d, u + p - place[d] * stride[d], stride[d], g, (long)place[d] + m);
            const double term = (m == 0 ? -2 : 1) * v / (b->h[d] * b->h[d]);
            sum += term;
            *largest = fmax(*largest, fabs(term));
        }
    }
    return sum;
}

/* ------------------------------------------------------------------------------------- a solve */

/** Arrays of values, dense or with a gap after each number and each row; with 2 the rows stand in
 * reverse. */
typedef struct sides {
    void *memory[6];
    psg_array array[6];
} sides;

static void give_sides(const box *b, psg_precision precision, size_t gap, psg_solve_args *args,
                       sides *s) {
    memset(s, 0, sizeof *s);
    for (int m = 0; m < 6; ++m) {
        const int d = m / 2;
        if (b->grid.axis[d].bc[m % 2] == PSG_BC_PERIODIC) {
            continue;
        }
        const size_t row = b->n[others[d][0]], rows = b->n[others[d][1]];
        const size_t step = 1 + gap, pitch = row * step + gap,
                     bytes = harness_element_bytes(precision);
        s->memory[m] = harness_array(precision, pitch * rows);
        memset(s->memory[m], 0xff, pitch * rows * bytes);
        for (size_t q = 0; q < row * rows; ++q) {
            const size_t line = gap == 2 ? rows - 1 - q / row : q / row;
            harness_store(precision, 1, &b->value[d][m % 2][q],
                          (char *)s->memory[m] + (line * pitch + q % row * step) * bytes);
        }
        psg_array_init(&s->array[m],
                       (char *)s->memory[m] + (gap == 2 ? (rows - 1) * pitch * bytes : 0));
        if (gap > 0) {
            s->array[m].stride[others[d][0]] = (ptrdiff_t)step;
            s->array[m].stride[others[d][1]] = (gap == 2 ? -1 : 1) * (ptrdiff_t)pitch;
            s->array[m].stride[d] = 7; /* of no meaning */
        }
        args->side[d][m % 2] = &s->array[m];
    }
}

static void free_sides(sides *s) {
    for (int m = 0; m < 6; ++m) {
        free(s->memory[m]);
    }
}

/** An array of the box, with so many reals after each row and each plane. */
static psg_array padded(const box *b, psg_precision precision, size_t gap) {
    const size_t row = b->n[0] + gap, plane = b->n[1] * row + gap;
    psg_array a = harness_view(harness_array(precision, b->n[2] * plane));
    memset(a.data, 0xff, b->n[2] * plane * harness_element_bytes(precision));
    a.stride[0] = 1;
    a.stride[1] = (ptrdiff_t)row;
    a.stride[2] = (ptrdiff_t)plane;
    return a;
}

/** @param[in]  gap  in the arrays of values; an odd one solves in place
 *  @param[out] g    the gradient of u, by component; NULL: without it, and without a component */
static psg_status solve(psg_plan *plan, const box *b, psg_precision precision, double factor,
                        size_t gap, const double *f, double *u, double *const g[3]) {
    psg_array component[3];
    const size_t points = points_of(b), bytes = points * harness_element_bytes(precision);
    FREED void *from = harness_array(precision, points), *to = harness_array(precision, points);
    FREED void *kept = harness_array(precision, points);
    sides s;
    harness_store(precision, points, f, from);
    memcpy(kept, from, bytes);
    psg_array f_array = harness_view(from), u_array = harness_view(gap % 2 == 1 ? from : to);
    psg_solve_args args = harness_args(plan);
    args.factor = factor;
    give_sides(b, precision, gap, &args, &s);
    for (int d = 0; d < 3 && g != NULL; ++d) {
        component[d] = padded(b, precision, gap);
        args.gradient[d] = g[d] != NULL ? &component[d] : NULL;
    }
    psg_status status = psg_submit_arrays(plan, 1, &f_array, &u_array, &args);
    for (int m = 0; m < 6 && status == PSG_OK; ++m) { /* they were read */
        free(s.memory[m]);
        s.memory[m] = NULL;
    }
    status = status == PSG_OK ? psg_wait(plan) : status;
    CHECK(gap % 2 == 1 || memcmp(kept, from, bytes) == 0, "%s: f was written", b->words);
    harness_load(precision, points, gap % 2 == 1 ? from : to, u);
    for (int d = 0; d < 3 && g != NULL; ++d) {
        for (size_t p = 0; p < points && g[d] != NULL; p += b->n[0]) {
            const size_t at = p / b->n[0] / b->n[1] * (size_t)component[d].stride[2] +
                              p / b->n[0] % b->n[1] * (size_t)component[d].stride[1];
            harness_load(precision, b->n[0],
                         (char *)component[d].data + at * harness_element_bytes(precision),
                         g[d] + p);
        }
        free(component[d].data);
    }
    free_sides(&s);
    return status;
}

/* ---------------------------------------------------------------------------------- residual */

static size_t turn; /* what is not asked for changes from plan to plan */

static psg_options options_of(psg_precision precision, const box *b) {
    psg_options options = harness_options(precision);
    harness_set_variant(&options, &harness_variants[turn / 3 % HARNESS_VARIANTS]);
    options.segment_planes = (b->n[2] + turn % 3) / (turn % 3 + 1);
    options.sheets = 1 + turn % 4;
    options.symbol = PSG_SYMBOL_FD2;
    ++turn;
    return options;
}

static void check_residual(const box *b, psg_plan *plan, const psg_options *options, double factor,
                           const double *f, const double *u) {
    double largest = 0, off = 0;
    const psg_statistics s = harness_statistics(plan);
    for (size_t p = 0; p < points_of(b); ++p) {
        const double wanted = factor * (f[p] - s.mean);
        const double r = laplacian(b, u, p, &largest) - options->lambda * u[p] - wanted;
        off = check_worse(off, fabs(r));
        largest = fmax(largest, fabs(wanted));
    }
    CHECK(off <= harness_tolerance(options->precision, 1e-12, 1e-4) * largest,
          "%s, f32 %d, lambda %g: the stencil is off by %g of %g", b->words,
          options->precision == PSG_F32, options->lambda, off, largest);
}

/* Next to a side of Neumann's the value is the derivative; else there is a point beyond each. */
static void check_gradient(const box *b, psg_precision precision, const double *u,
                           double *const g[3]) {
    const size_t stride[3] = {1, b->n[0], b->n[0] * b->n[1]};
    for (int d = 0; d < 3; ++d) {
        double largest = 0, off = 0;
        for (size_t p = 0; p < points_of(b) && g[d] != NULL; ++p) {
            const size_t place[3] = {p % b->n[0], p / b->n[0] % b->n[1], p / b->n[0] / b->n[1]};
            const size_t q = place[others[d][1]] * b->n[others[d][0]] + place[others[d][0]];
            const double value[2] = {b->value[d][0][q], b->value[d][1][q]};
            const double *line = u + p - place[d] * stride[d];
            const int neumann = place[d] + 1 == b->n[d] && b->grid.axis[d].bc[1] == PSG_BC_NEUMANN;
            const double next = at(b, d, line, stride[d], value, (long)place[d] + 1);
            const double want = neumann ? value[1] : (next - u[p]) / b->h[d];
            off = check_worse(off, fabs(g[d][p] - want));
            largest = fmax(largest, fmax(fabs(want), fabs(u[p]) / b->h[d]));
        }
        CHECK(off <= harness_tolerance(precision, 1e-14, 1e-5) * largest,
              "%s: component %d of the gradient is off by %g of %g", b->words, d, off, largest);
    }
}

static void random_boxes(void) {
    uint64_t state = 7;
    for (size_t c = 0; c < 120; ++c) {
        const psg_precision precision = c % 5 == 4 ? PSG_F32 : PSG_F64;
        size_t n[3], pair[3];
        const unsigned nodes = (unsigned)drawn(&state, 8);
        for (int d = 0; d < 3; ++d) {
            n[d] = 1 + drawn(&state, c % 3 == 0 ? 3 : 20);
            pair[d] = drawn(&state, PAIRS);
            n[d] += n[d] == 1 && pair[d] == 0; /* Neumann on nodes */
        }
        AT_END(free_box) box b = box_of(n, pair, nodes);
        const size_t points = points_of(&b);
        FREED double *f = oracle_array(points), *u = oracle_array(points);
        FREED double *gradient = oracle_array(3 * points);
        for (int m = 0; m < 6; ++m) {
            oracle_random(c + 100 * (size_t)m, side_points(&b, m / 2), b.value[m / 2][m % 2]);
            harness_round(precision, side_points(&b, m / 2), b.value[m / 2][m % 2]);
        }
        psg_options options = options_of(precision, &b);
        options.lambda = drawn(&state, 3) == 0 ? 2.5 : 0;
        DESTROYED psg_plan *plan = harness_plan(&b.grid, &options);
        for (size_t gap = 0; gap < 3; ++gap) { /* another f, and the tables of before again */
            const double factor = gap == 2 ? -0.5 : 1;
            oracle_random(c + gap, points, f);
            harness_round(precision, points, f);
            const size_t all = drawn(&state, 8); /* components that are wanted */
            double *const g[3] = {all & 1 ? gradient : NULL, all & 2 ? gradient + points : NULL,
                                  all & 4 ? gradient + 2 * points : NULL};
            if (CHECK_STATUS(solve(plan, &b, precision, factor, gap, f, u, g), PSG_OK)) {
                check_residual(&b, plan, &options, factor, f, u);
                check_gradient(&b, precision, u, g);
            }
        }
    }
}

/* ----------------------------------------------------------------------------- known answers */

typedef double (*answer)(const double x[3], int d); /* d = -1: u, else its derivative along d */

/* x^2 - y^2: the stencil knows it but next to a Dirichlet side of cells. */
static double saddle(const double x[3], int d) {
    return d < 0 ? x[0] * x[0] - x[1] * x[1] : d == 0 ? 2 * x[0] : d == 1 ? -2 * x[1] : 0;
}

/* exp(a x) sin(b y) sin(c z) with a^2 = b^2 + c^2. */
static double wave(const double x[3], int d) {
    const double b = 1.5, c = 2, a = 2.5;
    const double e = exp(a * x[0]) * (d == 0 ? a : 1);
    return e * (d == 1 ? b * cos(b * x[1]) : sin(b * x[1])) *
           (d == 2 ? c * cos(c * x[2]) : sin(c * x[2]));
}

/** The largest |u - answer|, less the mean of it where nothing holds the mean. */
static double error_of(const size_t pair[3], unsigned nodes, size_t n, answer known) {
    const size_t all[3] = {n, n + 1, n - 1};
    box b = box_of(all, pair, nodes);
    const size_t points = points_of(&b);
    double *f = oracle_array(points), *u = oracle_array(points);
    psg_options options = options_of(PSG_F64, &b);
    psg_plan *plan = NULL;
    double low = INFINITY, high = -INFINITY;
    for (int m = 0; m < 6; ++m) {
        const int d = m / 2, *other = others[d];
        for (size_t q = 0; q < side_points(&b, d); ++q) {
            double x[3];
            x[d] = m % 2 ? b.grid.axis[d].length : 0;
            x[other[0]] = b.first[other[0]] + (double)(q % all[other[0]]) * b.h[other[0]];
            x[other[1]] = b.first[other[1]] + (double)(q / all[other[0]]) * b.h[other[1]];
            const int dirichlet = b.grid.axis[d].bc[m % 2] == PSG_BC_DIRICHLET;
            b.value[d][m % 2][q] = known(x, dirichlet ? -1 : d);
        }
    }
    CHECK_STATUS(psg_plan_create(&plan, &b.grid, &options), PSG_OK);
    CHECK_STATUS(solve(plan, &b, PSG_F64, 1, 0, f, u, NULL), PSG_OK);
    for (size_t p = 0; p < points; ++p) {
        const size_t place[3] = {p % all[0], p / all[0] % all[1], p / all[0] / all[1]};
        double x[3];
        for (int d = 0; d < 3; ++d) {
            x[d] = b.first[d] + (double)place[d] * b.h[d];
        }
        const double by = u[p] - known(x, -1);
        low = -check_worse(-low, -by);
        high = check_worse(high, by);
    }
    psg_plan_destroy(plan);
    free(f);
    free(u);
    free_box(&b);
    const int closed = pair[0] == 0 && pair[1] == 0 && pair[2] == 0;
    return closed ? high - low : check_worse(fabs(low), fabs(high));
}

static void known_answers(void) {
    for (size_t c = 0; c < (size_t)4 * 4; ++c) {
        const size_t pair[3] = {c % 4, c / 4, (c + c / 4) % 4};
        for (unsigned nodes = 0; nodes < 8; nodes += 7) {
            const double coarse = error_of(pair, nodes, 16, wave);
            const double fine = error_of(pair, nodes, 64, wave);
            CHECK(coarse / fine >= 13, "%s,%s,%s, nodes %u: %g and %g", pairs[pair[0]],
                  pairs[pair[1]], pairs[pair[2]], nodes, coarse, fine);
            const int exact = nodes || (pair[0] == 0 && pair[1] == 0);
            const double off = error_of(pair, nodes, 9, saddle);
            CHECK(off <= (exact ? 1e-13 : 1e-2), "%s,%s, nodes %u: x^2 - y^2 is off by %g",
                  pairs[pair[0]], pairs[pair[1]], nodes, off);
        }
    }
}

/* A number is the same as an array of it. */
static void numbers(void) {
    const size_t n[3] = {6, 5, 4}, pair[3] = {1, 3, 2};
    AT_END(free_box) box b = box_of(n, pair, 2);
    const size_t points = points_of(&b);
    FREED double *f = oracle_array(points), *u = oracle_array(points), *want = oracle_array(points);
    psg_options options = options_of(PSG_F64, &b);
    psg_array from = harness_view(f), to = harness_view(u);
    oracle_random(1, points, f);
    DESTROYED psg_plan *plan = harness_plan(&b.grid, &options);
    psg_solve_args args = harness_args(plan);
    for (int m = 0; m < 6; ++m) {
        args.value[m / 2][m % 2] = 0.25 * (m + 1);
        for (size_t q = 0; q < side_points(&b, m / 2); ++q) {
            b.value[m / 2][m % 2][q] = 0.25 * (m + 1);
        }
    }
    CHECK_STATUS(solve(plan, &b, PSG_F64, 1, 2, f, want, NULL), PSG_OK);
    CHECK_STATUS(psg_solve_arrays(plan, 1, &from, &to, &args), PSG_OK);
    CHECK(memcmp(u, want, points * sizeof *u) == 0, "numbers give another u than arrays");
    /* a program of before knows no values: its struct ends where they begin */
    psg_solve_args_init(&args, plan);
    for (int m = 0; m < 6; ++m) {
        args.value[m / 2][m % 2] = NAN;
    }
    args.struct_size = offsetof(psg_solve_args, value);
    CHECK_STATUS(psg_solve(plan, f, want), PSG_OK);
    CHECK_STATUS(psg_solve_arrays(plan, 1, &from, &to, &args), PSG_OK);
    CHECK(memcmp(u, want, points * sizeof *u) == 0, "a short struct gives another u than none");
}

/* ------------------------------------------------------------------------------ what cannot be */

static void refused(psg_plan *plan, const psg_solve_args *args, double *f, psg_status status,
                    const char *words) {
    psg_array array = harness_view(f);
    CHECK_STATUS(psg_solve_arrays(plan, 1, &array, &array, args), status);
    CHECK(strstr(psg_last_error(), words) != NULL, "no '%s' in '%s'", words, psg_last_error());
}

static void bad_values(void) {
    const size_t n[3] = {6, 5, 4}, pair[3] = {4, 1, 0};
    AT_END(free_box) box b = box_of(n, pair, 0);
    FREED double *f = oracle_array(points_of(&b)), *g = oracle_array(points_of(&b));
    double wall[30] = {0}; /* 6 x 5 */
    for (int symbol = 0; symbol < PSG_SYMBOL_COUNT; ++symbol) {
        psg_options options = options_of(PSG_F64, &b);
        psg_solve_args args;
        psg_array array = harness_view(wall);
        options.symbol = (psg_symbol)symbol;
        DESTROYED psg_plan *plan = harness_plan(&b.grid, &options);
        psg_solve_args plain = harness_args(plan);
        args = plain;
        args.side[1][1] = &array; /* zeros are fine */
        refused(plan, &args, f, PSG_OK, "");
        args.value[1][0] = 0.5;
        refused(plan, &args, f, symbol == PSG_SYMBOL_FD2 ? PSG_OK : PSG_ERR_UNSUPPORTED,
                symbol == PSG_SYMBOL_FD2 ? "" : "side y0 are not 0: only the symbol fd2");
        args = plain;
        args.value[0][1] = 1;
        refused(plan, &args, f, PSG_ERR_ARG, "values on side x1, and the grid is periodic along x");
        args.value[0][1] = 0;
        args.side[0][0] = &array;
        refused(plan, &args, f, PSG_ERR_ARG, "values on side x0");
        args = plain;
        args.value[2][0] = INFINITY;
        refused(plan, &args, f, PSG_ERR_ARG, "the value on side z0 is not finite");
        args = plain;
        args.side[2][1] = &array;
        array.data = NULL;
        refused(plan, &args, f, PSG_ERR_ARG, "the values on side z1 are NULL");
        array.data = (char *)wall + 4;
        refused(plan, &args, f, PSG_ERR_ARG, "not aligned");
        array.data = wall;
        array.device = -3;
        refused(plan, &args, f, PSG_ERR_UNSUPPORTED, "have to be in main memory");
        array.device = PSG_HOST;
        wall[7] = NAN;
        refused(plan, &args, f, PSG_ERR_DATA, "on side z1 at point (1, 1) is not finite");
        array.stride[2] = 1; /* of no meaning, and so the 0 of the others stay: wall[0] for all */
        refused(plan, &args, f, PSG_OK, "");
        wall[7] = 0;
        args = plain;
        psg_array_init(&array, g);
        args.gradient[2] = &array;
        refused(plan, &args, f, symbol == PSG_SYMBOL_FD2 ? PSG_OK : PSG_ERR_UNSUPPORTED,
                symbol == PSG_SYMBOL_FD2 ? "" : "the gradient needs the symbol fd2");
        args.gradient[0] = &array;
        refused(plan, &args, f, PSG_ERR_ARG, "gradient[2] and gradient[0] overlap");
        args.gradient[0] = NULL;
        array.data = f + 1;
        refused(plan, &args, f, PSG_ERR_ARG, "gradient[2] and f overlap");
        array.data = NULL;
        refused(plan, &args, f, PSG_ERR_ARG, "gradient[2] is NULL");
        array.data = g;
        array.stride[0] = 1;
        array.stride[1] = 3;
        refused(plan, &args, f, PSG_ERR_ARG, "stride[1] of gradient[2] is 3");
    }
}

/* In a closed box the derivatives on the sides have to fit the mean of f. */
static void compatibility(void) {
    const size_t n[3] = {6, 5, 7}, pair[3] = {0, 4, 0};
    for (unsigned nodes = 0; nodes < 8; nodes += 7) {
        AT_END(free_box) box b = box_of(n, pair, nodes);
        const size_t points = points_of(&b);
        FREED double *f = oracle_array(points), *u = oracle_array(points);
        psg_options options = options_of(PSG_F64, &b);
        psg_statistics s;
        psg_array from = harness_view(f), to = harness_view(u);
        options.mean = PSG_MEAN_ERROR;
        DESTROYED psg_plan *plan = harness_plan(&b.grid, &options);
        psg_solve_args args = harness_args(plan);
        args.value[0][0] = 0.5; /* what flows in below flows out above */
        args.value[0][1] = 0.5;
        CHECK_STATUS(psg_solve_arrays(plan, 1, &from, &to, &args), PSG_OK);
        args.value[0][1] = 2.5; /* 2 more over the length: f has the mean 2 / 1 */
        CHECK_STATUS(psg_solve_arrays(plan, 1, &from, &to, &args), PSG_ERR_MEAN);
        CHECK(strstr(psg_last_error(), "f and the derivatives on the sides have the mean -2") !=
                  NULL,
              "'%s'", psg_last_error());
        for (size_t p = 0; p < points; ++p) {
            f[p] = 2;
        }
        CHECK_STATUS(psg_solve_arrays(plan, 1, &from, &to, &args), PSG_OK);
        args.mean = PSG_MEAN_DROP;
        args.value[0][1] = 0.5;
        CHECK_STATUS(psg_solve_arrays(plan, 1, &from, &to, &args), PSG_OK);
        CHECK_STATUS(psg_plan_statistics(plan, &s), PSG_OK);
        CHECK_NEAR(s.mean, 2, 1e-14, "mean of f and the sides");
    }
}

/* Solves in flight have values of their own. */
static void in_flight(void) {
    const size_t n[3] = {9, 8, 7}, pair[3] = {1, 2, 4};
    enum { FLIGHTS = 3 };
    AT_END(free_box) box b = box_of(n, pair, 1);
    const size_t points = points_of(&b);
    double *f = oracle_array(points), *u[FLIGHTS]; /* and a component of its gradient */
    FREED double *want = oracle_array(2 * points);
    psg_options options = options_of(PSG_F64, &b);
    options.in_flight = 2;
    psg_plan *plan = NULL;
    CHECK_STATUS(psg_plan_create(&plan, &b.grid, &options), PSG_OK);
    for (size_t m = 0; m < FLIGHTS; ++m) {
        u[m] = oracle_array(2 * points);
    }
    for (int round = 0; round < 4; ++round) {
        psg_array to, gradient;
        psg_array from = harness_view(f);
        psg_solve_args args = harness_args(plan);
        for (size_t m = 0; m < FLIGHTS; ++m) {
            args.value[0][m % 2] = (double)m + round;
            psg_array_init(&gradient, u[m] + points);
            args.gradient[2] = &gradient;
            psg_array_init(&to, u[m]);
            CHECK_STATUS(psg_submit_arrays(plan, 1, &from, &to, &args), PSG_OK);
        }
        for (size_t m = 0; m < FLIGHTS; ++m) {
            CHECK_STATUS(psg_wait(plan), PSG_OK);
        }
        CHECK_STATUS(psg_solve_args_init(&args, plan), PSG_OK);
        psg_array_init(&to, want);
        psg_array_init(&gradient, want + points);
        args.gradient[2] = &gradient;
        for (size_t m = 0; m < FLIGHTS; ++m) {
            args.value[0][m % 2] = (double)m + round;
            CHECK_STATUS(psg_solve_arrays(plan, 1, &from, &to, &args), PSG_OK);
            CHECK(memcmp(u[m], want, 2 * points * sizeof *want) == 0,
                  "round %d, solve %zu of three", round, m);
        }
    }
    psg_plan_destroy(plan);
    for (size_t m = 0; m < FLIGHTS; ++m) {
        free(u[m]);
    }
    free(f);
}

int main(void) {
    const psg_options options = harness_options(PSG_F64);
    DESTROYED psg_plan *anchor = harness_anchor(&options);
    random_boxes();
    known_answers();
    numbers();
    bad_values();
    compatibility();
    in_flight();
    return check_result();
}
