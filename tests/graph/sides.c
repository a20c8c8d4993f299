/* Dirichlet and Neumann sides, points in cells and on nodes. Each mode of an axis comes back as
 * itself over its eigenvalue; a stencil that goes on beyond the sides gives f back; and u is the
 * same from every cut and variant of the graph. */
#include "tests/oracle/sides.h"
#include "graph/psg_observe.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <stdlib.h>
#include <string.h>

static const char *const pairs[] = {"NN", "DD", "DN", "ND", "PP"};
enum { PAIRS = sizeof pairs / sizeof *pairs, SIDED = PAIRS - 1 };
static const size_t grids[][3] = {{8, 9, 10}, {7, 11, 13}};
static const double lengths[3] = {1.0, 1.1, 0.9};
static const char *const stencils[] = {"spectral", "fd2", "fd4", "fd6", "fd8"};
static const psg_symbol symbols[] = {PSG_SYMBOL_SPECTRAL, PSG_SYMBOL_FD2, PSG_SYMBOL_FD4,
                                     PSG_SYMBOL_FD6, PSG_SYMBOL_FD8};
enum { STENCILS = sizeof symbols / sizeof *symbols };

typedef struct box {
    oracle_line line[3];
    char sides[16], words[120];
} box;

static size_t points_of(const box *b) {
    return b->line[0].n * b->line[1].n * b->line[2].n;
}

static psg_grid grid_of(const box *b) {
    psg_grid grid = harness_box(b->line[0].n, b->line[1].n, b->line[2].n, b->line[0].length,
                                b->line[1].length, b->line[2].length);
    harness_sides(&grid, b->sides);
    return grid;
}

/* @param[in] pair  by axis, of `pairs`; @param[in] nodes  bits by axis */
static box box_of(const size_t n[3], const size_t pair[3], unsigned nodes) {
    box b;
    for (int d = 0; d < 3; ++d) {
        /* between unlike sides the lowest mode is a quarter of a wave, and there the rounding of f
         * shows */
        const double share = pairs[pair[d]][0] != pairs[pair[d]][1] ? 0.5 : 1;
        b.line[d] = (oracle_line){.n = n[d],
                                  .length = share * lengths[d],
                                  .side = {pairs[pair[d]][0], pairs[pair[d]][1]},
                                  .nodes = (int)(nodes >> d & 1)};
    }
    snprintf(b.sides, sizeof b.sides, "%s%c,%s%c,%s%c", pairs[pair[0]], "cn"[nodes & 1],
             pairs[pair[1]], "cn"[nodes >> 1 & 1], pairs[pair[2]], "cn"[nodes >> 2 & 1]);
    snprintf(b.words, sizeof b.words, "%zux%zux%zu %s", n[0], n[1], n[2], b.sides);
    return b;
}

static size_t turn; /* what is not asked for changes from plan to plan */

static psg_options options_of(psg_precision precision, const box *b) {
    psg_options options = harness_options(precision);
    harness_set_variant(&options, &harness_variants[turn / 3 % HARNESS_VARIANTS]);
    options.segment_planes = (b->line[2].n + turn % 3) / (turn % 3 + 1);
    options.sheets = 1 + turn % 4;
    ++turn;
    return options;
}

/* ------------------------------------------------------------------------------------- modes */

static void all_modes(const box *b, psg_precision precision, size_t symbol) {
    const psg_grid grid = grid_of(b);
    psg_options options = options_of(precision, b);
    const size_t *n = (const size_t[3]){b->line[0].n, b->line[1].n, b->line[2].n};
    const size_t points = points_of(b);
    FREED double *f = oracle_array(points), *u = oracle_array(points), *want = oracle_array(points);
    double mode[3][16][16]; /* [axis][mode][point] */
    psg_plan *plan = NULL;
    for (int d = 0; d < 3; ++d) {
        for (size_t e = 0; e < n[d] * n[d]; ++e) {
            mode[d][e / n[d]][e % n[d]] = oracle_line_mode(&b->line[d], e / n[d], e % n[d]);
        }
    }
    options.cpus = 1;
    options.symbol = symbols[symbol];
    options.lambda =
        precision == PSG_F32 ? 30 : 0; /* else the rounding of f to f32 shows in the lowest mode */
    int held = CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK);
    for (size_t q = 0; q < points && held; ++q) {
        const size_t m[3] = {q % n[0], q / n[0] % n[1], q / n[0] / n[1]};
        long double value = -(long double)options.lambda;
        for (int d = 0; d < 3; ++d) {
            value += oracle_line_eigenvalue(&b->line[d], (oracle_stencil)symbol, m[d]);
        }
        for (size_t p = 0; p < points; ++p) {
            f[p] = mode[0][m[0]][p % n[0]] * mode[1][m[1]][p / n[0] % n[1]] *
                   mode[2][m[2]][p / n[0] / n[1]];
            want[p] = value == 0 ? 0 : (double)(f[p] / value);
        }
        memset(u, 0xff, points * sizeof *u);
        held &= CHECK_STATUS(harness_solve(plan, precision, points, f, u), PSG_OK);
        held &= CHECK_CLOSE(u, want, n[0], n[1], n[2], harness_tolerance(precision, 1e-13, 1e-5),
                            "mode (%zu,%zu,%zu), %s, %s, %s", m[0], m[1], m[2], b->words,
                            stencils[symbol], harness_precision_name(precision));
    }
    psg_plan_destroy(plan);
}

/* One axis with each pair of sides and both positions, the others periodic. */
static void modes_of_one(psg_precision precision, size_t g) {
    for (size_t c = 0; c < (size_t)2 * 3 * SIDED; ++c) {
        size_t pair[3] = {SIDED, SIDED, SIDED};
        pair[c / 2 % 3] = c / 6;
        if (precision == PSG_F32 && (c + c / 2 + c / 6 + g) % 2 == 0) {
            continue;
        }
        const box b = box_of(grids[g], pair, c % 2 ? 7 : 0);
        all_modes(&b, precision, (c + g) % STENCILS);
    }
}

/* All axes: every two pairs of sides meet on every two axes. */
static void modes_of_all(psg_precision precision, size_t g) {
    for (size_t c = 0; c < (size_t)SIDED * SIDED; ++c) {
        const size_t pair[3] = {c % SIDED, c / SIDED, (c + c / SIDED) % SIDED};
        for (unsigned nodes = 0; nodes < 2; ++nodes) {
            if ((c + c / SIDED + g + nodes) % 2 == (precision == PSG_F32)) {
                continue;
            }
            const box b = box_of(grids[g], pair, (unsigned)c % 8 ^ (nodes ? 7U : 0U));
            all_modes(&b, precision, (c + nodes + g) % STENCILS);
        }
    }
}

/* Each symbol with each pair of sides and both positions, on one axis that may be shorter than the
 * stencil. */
static void modes_of_lines(psg_precision precision, size_t most) {
    for (size_t c = 0; c < most * STENCILS * PAIRS * 2 * 3; ++c) {
        size_t n[3] = {1, 1, 1}, pair[3] = {SIDED, SIDED, SIDED};
        const unsigned nodes = c / 3 % 2 ? 7 : 0;
        n[c % 3] = 1 + c / 6 / PAIRS / STENCILS;
        pair[c % 3] = c / 6 % PAIRS;
        if (n[c % 3] > 1 || pair[c % 3] > 0 || !nodes) { /* one node is too few for Neumann sides */
            const box b = box_of(n, pair, nodes);
            all_modes(&b, precision, c / 6 / PAIRS % STENCILS);
        }
    }
}

/* ---------------------------------------------------------------------------------- residual */

static double mean_of(const box *b, const double *f) {
    const size_t nx = b->line[0].n, ny = b->line[1].n;
    long double sum = 0, weights = 0;
    for (size_t p = 0; p < points_of(b); ++p) {
        const double weight = oracle_line_weight(&b->line[0], p % nx) *
                              oracle_line_weight(&b->line[1], p / nx % ny) *
                              oracle_line_weight(&b->line[2], p / nx / ny);
        sum += (long double)weight * f[p];
        weights += weight;
    }
    return (double)(sum / weights);
}

static int is_closed(const box *b) {
    int closed = 1;
    for (int d = 0; d < 3; ++d) {
        closed &= b->line[d].side[0] != 'D' && b->line[d].side[1] != 'D';
    }
    return closed;
}

/* The stencil of u beside f, whose mean the plan drops where it has to. */
static void check_residual(const box *b, psg_plan *plan, const psg_options *options, double *f,
                           const double *u) {
    const size_t stride[3] = {1, b->line[0].n, b->line[0].n * b->line[1].n};
    const size_t *n = (const size_t[3]){b->line[0].n, b->line[1].n, b->line[2].n};
    const size_t points = points_of(b);
    const double mean = is_closed(b) && options->lambda == 0 ? mean_of(b, f) : 0;
    const oracle_stencil stencil =
        (oracle_stencil)(ORACLE_LINE_FD2 + options->symbol - PSG_SYMBOL_FD2);
    FREED double *r = oracle_array(points);
    double largest = 0;
    psg_statistics s;
    for (size_t p = 0; p < points; ++p) {
        const size_t at[3] = {p % n[0], p / n[0] % n[1], p / n[0] / n[1]};
        long double sum = -(long double)options->lambda * u[p];
        for (int d = 0; d < 3; ++d) {
            sum += oracle_line_second(&b->line[d], stencil, u + p - at[d] * stride[d], stride[d],
                                      at[d]);
        }
        r[p] = (double)sum;
        f[p] -= mean;
        largest = fmax(largest, fabs(f[p]));
    }
    if (largest > 1e-9) {
        CHECK_CLOSE(r, f, n[0], n[1], n[2], harness_tolerance(options->precision, 1e-12, 2e-3),
                    "stencil of u beside f, %s, lambda %g, symbol %d", b->words, options->lambda,
                    options->symbol);
    }
    CHECK_STATUS(psg_plan_statistics(plan, &s), PSG_OK);
    CHECK_NEAR(s.mean, mean, harness_tolerance(options->precision, 1e-14, 1e-6), "mean of f, %s",
               b->words);
    if (is_closed(b) && options->lambda == 0) {
        CHECK_NEAR(mean_of(b, u), 0, harness_tolerance(options->precision, 1e-13, 1e-6),
                   "mean of u, %s", b->words);
    }
}

static size_t drawn(uint64_t *state, size_t count) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(*state >> 33) % count;
}

static void residual_of(const box *b, psg_precision precision, psg_symbol symbol, double lambda,
                        size_t seed) {
    const psg_grid grid = grid_of(b);
    const size_t points = points_of(b);
    FREED double *f = oracle_array(points), *u = oracle_array(points);
    psg_options options = options_of(precision, b);
    options.symbol = symbol;
    options.lambda = lambda;
    oracle_random(seed, points, f);
    DESTROYED psg_plan *plan = harness_plan(&grid, &options);
    if (CHECK_STATUS(harness_solve(plan, precision, points, f, u), PSG_OK)) {
        check_residual(b, plan, &options, f, u);
    }
}

/* Each stencil with each pair of sides and both positions along each axis, shorter than the stencil
 * and longer, with the other axes' sides in turns. */
static void thin_boxes(void) {
    static const size_t sizes[] = {1, 2, 3, 4, 9};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    for (size_t c = 0; c < (size_t)SIZES * (STENCILS - 1) * PAIRS * 2 * 3; ++c) {
        const unsigned position = c / 3 % 2;
        size_t n[3] = {5, 4, 6}, pair[3] = {c / 7 % PAIRS, c / 11 % PAIRS, c / 13 % PAIRS};
        n[c % 3] = sizes[c / 6 / PAIRS % SIZES];
        pair[c % 3] = c / 6 % PAIRS;
        if (n[c % 3] > 1 || pair[c % 3] > 0 || position == 0) {
            const unsigned others = (unsigned)(c / 5 % 8) & ~(1U << c % 3);
            const box b = box_of(n, pair, others | position << c % 3);
            const psg_symbol symbol = symbols[1 + c / 6 / PAIRS / SIZES];
            residual_of(&b, PSG_F64, symbol, 0, c);
            residual_of(&b, PSG_F32, symbol, 0, c);
        }
    }
}

static void random_boxes(void) {
    uint64_t state = 5;
    for (size_t c = 0; c < 60; ++c) {
        size_t n[3], pair[3];
        const unsigned nodes = (unsigned)drawn(&state, 8);
        for (int d = 0; d < 3; ++d) {
            n[d] = 1 + drawn(&state, c % 3 == 0 ? 4 : 40);
            pair[d] = drawn(&state, PAIRS);
            n[d] += n[d] == 1 && pair[d] == 0; /* Neumann on nodes */
        }
        const box b = box_of(n, pair, nodes);
        for (psg_symbol symbol = PSG_SYMBOL_FD2; symbol < PSG_SYMBOL_COUNT; ++symbol) {
            residual_of(&b, PSG_F64, symbol, drawn(&state, 3) == 0 ? 2.5 : 0, c);
        }
    }
}

/* ----------------------------------------------------------------------------------- the same */

/* u of a plan that is cut in one piece, and of others. */
static void same_from_all(psg_precision precision, size_t c) {
    static const size_t n[3] = {13, 14, 15};
    const size_t pair[3] = {c % PAIRS, c / PAIRS % PAIRS, c / PAIRS / PAIRS};
    const box b = box_of(n, pair, (unsigned)c % 8);
    const psg_grid grid = grid_of(&b);
    const size_t points = points_of(&b), pitch = n[0] + 3, plane = pitch * (n[1] + 1);
    const size_t bytes = harness_element_bytes(precision);
    FREED double *f = oracle_array(points), *u = oracle_array(points),
                 *first = oracle_array(points);
    FREED char *wide = harness_array(precision, plane * n[2] + 1);
    oracle_random(c, points, f);
    harness_round(precision, points, f);
    for (size_t run = 0; run < 3 + HARNESS_VARIANTS; ++run) {
        psg_options options = harness_with(precision, "lambda=0.5");
        options.segment_planes = run == 0 ? n[2] : 1 + (run + c) % 6;
        options.sheets = run == 0 ? 1 : 1 + (run + 2 * c) % 5;
        harness_set_variant(&options, &harness_variants[run % HARNESS_VARIANTS]);
        DESTROYED psg_plan *plan = harness_plan(&grid, &options);
        if (run % 2 == 0) {
            CHECK_STATUS(harness_solve(plan, precision, points, f, u), PSG_OK);
        } else { /* in place, rows and planes with gaps, at an odd address */
            psg_array array = harness_view(wide + bytes);
            array.stride[0] = 1;
            array.stride[1] = (ptrdiff_t)pitch;
            array.stride[2] = (ptrdiff_t)plane;
            memset(wide, 0xff, (plane * n[2] + 1) * bytes);
            for (size_t r = 0; r < n[1] * n[2]; ++r) {
                char *row = wide + bytes * (1 + r / n[1] * plane + r % n[1] * pitch);
                harness_store(precision, n[0], f + r * n[0], row);
            }
            CHECK_STATUS(psg_solve_arrays(plan, 1, &array, &array, NULL), PSG_OK);
            for (size_t r = 0; r < n[1] * n[2]; ++r) {
                const char *row = wide + bytes * (1 + r / n[1] * plane + r % n[1] * pitch);
                harness_load(precision, n[0], row, u + r * n[0]);
            }
        }
        if (run == 0) {
            memcpy(first, u, points * sizeof *u);
        }
        CHECK_CLOSE(u, first, n[0], n[1], n[2], harness_tolerance(precision, 1e-14, 1e-6),
                    "%s, run %zu, %s", b.words, run, harness_precision_name(precision));
    }
}

/* ------------------------------------------------------------------------------ odds and ends */

static void check_places(void) {
    for (size_t c = 0; c < (size_t)2 * PAIRS; ++c) {
        const size_t n[3] = {5, 5, 5}, pair[3] = {c / 2, c / 2, c / 2};
        const box b = box_of(n, pair, c % 2 ? 7 : 0);
        const psg_grid grid = grid_of(&b);
        double first = -1, step = -1;
        CHECK_STATUS(psg_axis_points(&grid.axis[1], &first, &step), PSG_OK);
        CHECK_NEAR(first, (double)oracle_line_place(&b.line[1], 0), 1e-15, "%s", b.words);
        CHECK_NEAR(step, (double)oracle_line_step(&b.line[1]), 1e-15, "%s", b.words);
    }
    CHECK_STATUS(psg_axis_points(NULL, NULL, NULL), PSG_ERR_ARG);
    const psg_axis half = {.n = 3, .length = 1, .bc = {PSG_BC_NEUMANN, PSG_BC_PERIODIC}};
    CHECK_STATUS(psg_axis_points(&half, NULL, NULL), PSG_ERR_ARG);
}

/* By division, for all lengths up to a size: 2, 3, 5 and 7 as often as may be, and 11 or 13
 * once. */
static int is_good(size_t n, const psg_axis *axis) {
    const int nodes = axis->points == PSG_POINTS_NODES && axis->bc[0] == axis->bc[1];
    const int periodic = axis->bc[0] == PSG_BC_PERIODIC;
    size_t length = n, large = 0;
    if (nodes && !periodic) {
        length = axis->bc[0] == PSG_BC_DIRICHLET ? n + 1 : n - 1;
    }
    for (size_t p = 2; p <= length; ++p) {
        for (; length % p == 0; length /= p) {
            large += p == 11 || p == 13 ? 1 : p > 7 ? 2 : 0;
        }
    }
    return large <= 1 && (!periodic || n == 1 || n % 2 == 0);
}

static void check_good_lengths(void) {
    enum { MOST = 700 };
    for (size_t c = 0; c < (size_t)2 * PAIRS; ++c) {
        const size_t n[3] = {5, 5, 5}, pair[3] = {c / 2, c / 2, c / 2};
        const box b = box_of(n, pair, c % 2 ? 7 : 0);
        const psg_grid grid = grid_of(&b);
        const psg_axis *axis = &grid.axis[1];
        for (size_t m = 2; m < MOST; ++m) {
            size_t good = 0, again = 0, want = m;
            while (!is_good(want, axis)) {
                ++want;
            }
            CHECK_STATUS(psg_good_length(m, axis->bc, axis->points, &good), PSG_OK);
            CHECK(good == want, "%s: %zu after %zu, and not %zu", b.words, good, m, want);
            CHECK_STATUS(psg_good_length(good, axis->bc, axis->points, &again), PSG_OK);
            CHECK(again == good, "%s: %zu after %zu", b.words, again, good);
        }
    }
    const psg_bc walls[2] = {PSG_BC_DIRICHLET, PSG_BC_DIRICHLET},
                 open[2] = {PSG_BC_NEUMANN, PSG_BC_NEUMANN};
    size_t good = 77;
    CHECK_STATUS(psg_good_length(0, walls, PSG_POINTS_CELLS, &good), PSG_ERR_ARG);
    CHECK_STATUS(psg_good_length(1, open, PSG_POINTS_NODES, &good), PSG_ERR_ARG);
    CHECK_STATUS(psg_good_length(8, walls, PSG_POINTS_COUNT, &good), PSG_ERR_ARG);
    CHECK_STATUS(psg_good_length(8, NULL, PSG_POINTS_CELLS, &good), PSG_ERR_ARG);
    CHECK_STATUS(psg_good_length(8, walls, PSG_POINTS_CELLS, NULL), PSG_ERR_ARG);
    CHECK_STATUS(psg_good_length(SIZE_MAX, walls, PSG_POINTS_NODES, &good), PSG_ERR_UNSUPPORTED);
    CHECK_STATUS(psg_good_length(INT32_MAX, walls, PSG_POINTS_CELLS, &good), PSG_ERR_UNSUPPORTED);
    CHECK(good == 77, "a failure has written %zu", good);
}

/* A mean is an error where all sides are closed, and a right-hand side as any other where one is
 * not. */
static void check_mean(void) {
    const size_t n[3] = {6, 5, 7};
    for (size_t closed = 0; closed < 2; ++closed) {
        const size_t pair[3] = {0, closed ? 4 : 2, 0};
        const box b = box_of(n, pair, 5);
        const psg_grid grid = grid_of(&b);
        const size_t points = points_of(&b);
        FREED double *f = oracle_array(points), *u = oracle_array(points);
        psg_options options = harness_with(PSG_F64, "mean=error");
        DESTROYED psg_plan *plan = harness_plan(&grid, &options);
        oracle_random(3, points, f);
        CHECK_STATUS(harness_solve(plan, PSG_F64, points, f, u), closed ? PSG_ERR_MEAN : PSG_OK);
        const double mean = mean_of(&b, f);
        for (size_t p = 0; p < points; ++p) {
            f[p] -= mean;
        }
        CHECK_STATUS(harness_solve(plan, PSG_F64, points, f, u), PSG_OK);
    }
}

/* A NaN or an Inf at any point is found, also where a transform of few points has zeros. */
static void check_bad_data(void) {
    const size_t n[3] = {3, 4, 5};
    for (size_t c = 0; c < (size_t)PAIRS * 2; ++c) {
        const size_t pair[3] = {c / 2, (c / 2 + 1) % PAIRS, (c / 2 + 2) % PAIRS};
        const box b = box_of(n, pair, c % 2 ? 7 : 0);
        const psg_grid grid = grid_of(&b);
        const size_t points = points_of(&b);
        FREED double *f = oracle_array(points), *u = oracle_array(points);
        psg_options options = options_of(PSG_F64, &b);
        DESTROYED psg_plan *plan = harness_plan(&grid, &options);
        oracle_random(c, points, f);
        for (size_t p = 0; p < points; ++p) {
            const double kept = f[p];
            size_t at[3] = {0};
            f[p] = p % 2 ? NAN : INFINITY;
            CHECK_STATUS(harness_solve(plan, PSG_F64, points, f, u), PSG_ERR_DATA);
            CHECK(harness_coordinates(psg_last_error(), at) == 3 &&
                      (at[2] * n[1] + at[1]) * n[0] + at[0] == p,
                  "%s: a NaN at %zu: %s", b.words, p, psg_last_error());
            f[p] = kept;
            CHECK_STATUS(harness_solve(plan, PSG_F64, points, f, u), PSG_OK);
        }
    }
}

int main(void) {
    psg_options options = harness_options(PSG_F64);
    options.cpus = 1; /* a hundred thousand small solves */
    psg_plan *anchor = harness_anchor(&options);
    for (size_t g = 0; g < 2; ++g) {
        for (int precision = 0; precision < PSG_PRECISION_COUNT; ++precision) {
            modes_of_one((psg_precision)precision, g);
            modes_of_all((psg_precision)precision, g);
        }
    }
    modes_of_lines(PSG_F64, 10);
    modes_of_lines(PSG_F32, 5);
    psg_plan_destroy(anchor);
    options = harness_options(PSG_F64);
    anchor = harness_anchor(&options);
    thin_boxes();
    random_boxes();
    for (size_t c = 0; c < (size_t)PAIRS * PAIRS * PAIRS; ++c) {
        same_from_all(c % 5 == 0 ? PSG_F32 : PSG_F64, c);
    }
    check_places();
    check_good_lengths();
    check_mean();
    check_bad_data();
    psg_plan_destroy(anchor);
    return check_result();
}
