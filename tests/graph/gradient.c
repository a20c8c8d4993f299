/* The gradient of u with the symbol spectral in a periodic box: of every single mode its
 * derivative, of any f that of the trigonometric interpolant of u, for each choice of components,
 * in each precision and variant of the graph. */
#include "graph/psg_observe.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/** A box with its plan; f, u and the components as doubles. */
typedef struct box {
    oracle_grid grid;
    psg_options options;
    psg_plan *plan;
    size_t points;
    double *f, *u, *g[3];
    char words[120];
} box;

static size_t turn; /* what is not asked for changes from box to box */

static box box_make(const oracle_grid *grid, psg_precision precision,
                    const harness_variant *variant, unsigned in_flight) {
    box b = {.grid = *grid, .points = oracle_points(grid)};
    const psg_grid g = harness_grid(grid);
    b.options = harness_options(precision);
    harness_set_variant(&b.options, variant);
    b.options.in_flight = in_flight;
    if (turn % 4 < 3) { /* else as the library chooses: with a team, or a chain */
        b.options.segment_planes = (grid->n[2] + turn % 4) / (turn % 4 + 1);
        b.options.sheets = 1 + turn / 4 % 3;
    }
    ++turn;
    CHECK_STATUS(psg_plan_create(&b.plan, &g, &b.options), PSG_OK);
    b.f = oracle_array(b.points);
    b.u = oracle_array(b.points);
    for (int d = 0; d < 3; ++d) {
        b.g[d] = oracle_array(b.points);
    }
    snprintf(b.words, sizeof b.words, "%zux%zux%zu, %s, %s, %zu planes, %zu sheets", grid->n[0],
             grid->n[1], grid->n[2], variant->name, harness_precision_name(precision),
             (size_t)b.options.segment_planes, (size_t)b.options.sheets);
    return b;
}

static void box_free(box *b) {
    psg_plan_destroy(b->plan);
    free(b->f);
    free(b->u);
    for (int d = 0; d < 3; ++d) {
        free(b->g[d]);
    }
}

/* ------------------------------------------------------------------------------------- a solve */

/** An array of the box, with so many reals after each row and each plane, and where it begins. */
typedef struct field {
    void *memory;
    psg_array array;
    size_t reals;
} field;

static field field_make(const box *b, size_t gap) {
    const size_t row = b->grid.n[0] + gap, plane = b->grid.n[1] * row + gap;
    const size_t bytes = harness_element_bytes(b->options.precision);
    field x = {.reals = gap + b->grid.n[2] * plane};
    x.memory = harness_array(b->options.precision, x.reals);
    memset(x.memory, 0xff, x.reals * bytes);
    psg_array_init(&x.array, (char *)x.memory + gap * bytes);
    x.array.stride[0] = 1;
    x.array.stride[1] = (ptrdiff_t)row;
    x.array.stride[2] = (ptrdiff_t)plane;
    return x;
}

/** Between the field and doubles; out of it, what is between the points has to be as it was. */
static void field_move(const box *b, const field *x, bool put, double *values) {
    const size_t *n = b->grid.n, bytes = harness_element_bytes(b->options.precision);
    for (size_t r = 0; r < n[1] * n[2]; ++r) {
        char *row =
            (char *)x->array.data +
            (r / n[1] * (size_t)x->array.stride[2] + r % n[1] * (size_t)x->array.stride[1]) * bytes;
        if (put) {
            harness_store(b->options.precision, n[0], values + r * n[0], row);
        } else {
            harness_load(b->options.precision, n[0], row, values + r * n[0]);
            memset(row, 0xff, n[0] * bytes);
        }
    }
    size_t intact = 0;
    while (!put && intact < x->reals * bytes && ((unsigned char *)x->memory)[intact] == 0xff) {
        ++intact;
    }
    CHECK(put || intact == x->reals * bytes, "%s: written between the points", b->words);
}

/** How a solve is asked for. */
typedef struct request {
    double lambda, factor;
    unsigned wanted; /* bit d: the component along axis d */
    size_t gap;
    bool in_place;
} request;

/** From b->f to b->u and b->g. */
static psg_status solve(box *b, const request *r) {
    field f = field_make(b, r->gap), u = field_make(b, r->gap), g[3];
    const field *to = r->in_place ? &f : &u;
    psg_solve_args args = harness_args(b->plan);
    args.lambda = r->lambda;
    args.factor = r->factor;
    for (int d = 0; d < 3; ++d) {
        g[d] = field_make(b, r->gap);
        args.gradient[d] = r->wanted >> d & 1 ? &g[d].array : NULL;
    }
    field_move(b, &f, true, b->f);
    const psg_status status = psg_solve_arrays(b->plan, 1, &f.array, &to->array, &args);
    field_move(b, to, false, b->u);
    for (int d = 0; d < 3; ++d) {
        field_move(b, &g[d], false, b->g[d]);
        free(g[d].memory);
    }
    free(f.memory);
    free(u.memory);
    return status;
}

/* ----------------------------------------------------------------------------------- each mode */

/** By what sqrt(-1) times mode m is multiplied for the derivative along axis d. */
static double wavenumber(const oracle_grid *grid, int d, size_t m) {
    const double two_pi = 6.28318530717958647692;
    const double waves = 2 * m < grid->n[d]   ? (double)m
                         : 2 * m > grid->n[d] ? -(double)(grid->n[d] - m)
                                              : 0;
    return two_pi * waves / grid->length[d];
}

static void all_modes(box *b) {
    size_t index = 0, m[3], count = 0;
    FREED double *want = oracle_array(b->points);
    const double tolerance = harness_tolerance(b->options.precision, 1e-13, 1e-5);
    const request r = {.factor = 1, .wanted = 7};
    int sine, held = 1;
    while (held && oracle_next_mode(&b->grid, &index, m, &sine)) {
        const double value = oracle_eigenvalue(&b->grid, ORACLE_SPECTRAL, m);
        double largest = 0, off = 0;
        oracle_mode(&b->grid, m, sine, b->f);
        held &= CHECK_STATUS(solve(b, &r), PSG_OK);
        oracle_mode(&b->grid, m, !sine, want);
        for (int d = 0; d < 3; ++d) {
            const double k = wavenumber(&b->grid, d, m[d]) * (sine ? 1 : -1);
            for (size_t p = 0; p < b->points; ++p) {
                const double derivative = value == 0 ? 0 : k * want[p] / value;
                off = check_worse(off, fabs(b->g[d][p] - derivative));
                largest = fmax(largest, fabs(derivative));
            }
        }
        for (int d = 0; d < 3 && largest == 0 && value != 0; ++d) { /* of modes without one */
            largest = fmax(largest, 1 / (b->grid.length[d] * fabs(value)));
        }
        largest = largest == 0 ? 1 : largest;
        held &= CHECK(off <= tolerance * largest, "%s: %s of mode (%zu,%zu,%zu) is off by %g of %g",
                      b->words, sine ? "sine" : "cosine", m[0], m[1], m[2], off, largest);
        ++count;
    }
    CHECK(!held || count == b->points, "%zu modes of %zu points", count, b->points);
}

static void modes(void) {
    static const oracle_grid grids[] = {
        {{8, 9, 10}, {1.0, 2.5, 0.7}}, {{7, 11, 13}, {3.0, 1.0, 2.0}}, {{1, 6, 5}, {2.0, 1.0, 1.5}},
        {{5, 1, 6}, {1.0, 3.0, 1.5}},  {{6, 5, 1}, {1.0, 1.2, 9.0}},   {{1, 1, 7}, {1.0, 1.0, 2.0}},
        {{9, 1, 1}, {4.0, 1.0, 1.0}},  {{1, 4, 1}, {1.0, 1.0, 1.0}},   {{2, 3, 4}, {1.0, 1.0, 1.0}},
        {{2, 2, 2}, {1.0, 2.0, 3.0}},  {{1, 1, 1}, {1.0, 1.0, 1.0}},   {{3, 2, 1}, {1.0, 2.0, 1.0}},
    };
    for (size_t g = 0; g < sizeof grids / sizeof *grids; ++g) {
        for (size_t run = 0; run <= HARNESS_VARIANTS; ++run) {
            if (oracle_points(&grids[g]) > 500 && run % 2 != g) {
                continue;
            }
            box b = box_make(&grids[g], run == HARNESS_VARIANTS ? PSG_F32 : PSG_F64,
                             &harness_variants[run % HARNESS_VARIANTS], 1);
            all_modes(&b);
            box_free(&b);
        }
    }
}

/* -------------------------------------------------------------------------------------- any f */

/** Of what the library sees of f. */
static void check_random(box *b, const request *r, double *want) {
    FREED double *u = oracle_array(b->points);
    const double tolerance = harness_tolerance(b->options.precision, 1e-12, 1e-4);
    const size_t *n = b->grid.n;
    oracle_solve(&b->grid, ORACLE_SPECTRAL, r->lambda, b->f, u);
    for (size_t p = 0; p < b->points; ++p) {
        u[p] *= r->factor;
    }
    psg_statistics s = {.mean = NAN};
    CHECK_STATUS(psg_plan_statistics(b->plan, &s), PSG_OK);
    CHECK_NEAR(s.mean, r->lambda == 0 ? oracle_mean(b->f, b->points) : 0, tolerance, "mean, %s",
               b->words);
    CHECK_CLOSE(b->u, u, n[0], n[1], n[2], tolerance, "u, %s", b->words);
    for (int d = 0; d < 3; ++d) {
        oracle_derivative(&b->grid, d, u, want);
        if (r->wanted >> d & 1) {
            CHECK_CLOSE(b->g[d], want, n[0], n[1], n[2], tolerance,
                        "component %d of %u, gap %zu, %s, lambda %g, %s", d, r->wanted, r->gap,
                        r->in_place ? "in place" : "not in place", r->lambda, b->words);
        }
        for (size_t p = 0; p < b->points && !(r->wanted >> d & 1); ++p) {
            if (!CHECK(isnan(b->g[d][p]), "component %d is written, %s", d, b->words)) {
                break;
            }
        }
    }
}

/** Solves with each choice of components, and without any, follow one another in one plan. */
static void random_fields(void) {
    static const oracle_grid grids[] = {{{12, 10, 9}, {1.0, 1.3, 0.8}},
                                        {{9, 15, 14}, {2.0, 1.0, 1.0}},
                                        {{1, 8, 20}, {1.0, 0.5, 1.0}},
                                        {{64, 6, 5}, {1.0, 0.5, 0.25}}};
    for (size_t g = 0; g < sizeof grids / sizeof *grids; ++g) {
        FREED double *want = oracle_array(oracle_points(&grids[g]));
        for (size_t run = 0; run < 4 * HARNESS_VARIANTS; ++run) {
            box b = box_make(&grids[g], run % 4 == 3 ? PSG_F32 : PSG_F64,
                             &harness_variants[run / 4], 1);
            for (unsigned n = 0; n < 8; ++n) {
                const request r = {.lambda = n % 3 == 2 ? 4.5 : 0,
                                   .factor = n % 4 == 3 ? -2.5 : 1,
                                   .wanted = (n + (unsigned)run) % 8,
                                   .gap = n % 3,
                                   .in_place = n % 2 == 1};
                oracle_random(run + 100 * n, b.points, b.f);
                harness_round(b.options.precision, b.points, b.f);
                if (CHECK_STATUS(solve(&b, &r), PSG_OK)) {
                    check_random(&b, &r, want);
                }
            }
            box_free(&b);
        }
    }
}

/** Solves in flight, with components and without, in turns: each has its own. */
static void in_flight(const harness_variant *variant) {
    enum { SOLVES = 6, AT_ONCE = 2 };
    const oracle_grid grid = {{10, 8, 12}, {1.0, 1.0, 2.0}};
    AT_END(box_free) box b = box_make(&grid, PSG_F64, variant, AT_ONCE);
    double *f[SOLVES], *u[SOLVES], *z[SOLVES], *want = oracle_array(b.points);
    for (size_t n = 0; n < SOLVES + AT_ONCE; ++n) {
        if (n >= AT_ONCE) {
            const size_t ended = n - AT_ONCE;
            CHECK_STATUS(psg_wait(b.plan), PSG_OK);
            oracle_derivative(&grid, 2, u[ended], want);
            if (ended % 3 != 2) {
                CHECK_CLOSE(z[ended], want, grid.n[0], grid.n[1], grid.n[2], 1e-12,
                            "solve %zu in flight, %s", ended, b.words);
            }
        }
        if (n < SOLVES) {
            f[n] = oracle_array(b.points);
            u[n] = oracle_array(b.points);
            z[n] = oracle_array(b.points);
            oracle_random(n, b.points, f[n]);
            psg_array from = harness_view(f[n]), to = harness_view(u[n]),
                      component = harness_view(z[n]);
            psg_solve_args args = harness_args(b.plan);
            args.gradient[2] = n % 3 == 2 ? NULL : &component;
            CHECK_STATUS(psg_submit_arrays(b.plan, 1, &from, &to, &args), PSG_OK);
        }
    }
    for (size_t n = 0; n < SOLVES; ++n) {
        free(f[n]);
        free(u[n]);
        free(z[n]);
    }
    free(want);
}

/** No force on an ion of a crystal, as far as the charges next to it are its mirror images. */
static void crystal(const harness_variant *variant) {
    const oracle_grid grid = {{16, 16, 16}, {1.0, 1.0, 1.0}};
    const oracle_crystal *salt = oracle_crystal_at(0);
    AT_END(box_free) box b = box_make(&grid, PSG_F64, variant, 1);
    const request r = {.factor = 1, .wanted = 7};
    oracle_crystal_charge(&grid, salt, salt->distance / 6, b.f);
    CHECK_STATUS(solve(&b, &r), PSG_OK);
    for (int d = 0; d < 3; ++d) {
        const double largest = oracle_max(b.g[d], b.points);
        for (size_t ion = 0; ion < salt->ions; ++ion) {
            const double *at = salt->site[ion];
            const size_t p =
                ((size_t)(16 * at[2]) * 16 + (size_t)(16 * at[1])) * 16 + (size_t)(16 * at[0]);
            CHECK_NEAR(b.g[d][p], 0, 1e-13 * largest, "component %d at ion %zu, %s", d, ion,
                       b.words);
        }
        CHECK(largest > 1, "component %d is %g at the most", d, largest);
    }
}

/* ---------------------------------------------------------------------------------- what is
 * said */

static void statistics(void) {
    const oracle_grid grid = {{8, 8, 8}, {1.0, 1.0, 1.0}};
    AT_END(box_free) box b = box_make(&grid, PSG_F64, &harness_variants[0], 1);
    const request r = {.factor = 1, .wanted = 6};
    oracle_random(1, b.points, b.f);
    CHECK_STATUS(solve(&b, &r), PSG_OK);
    const psg_statistics s = harness_statistics(b.plan);
    /* The tasks that make u make y, too, but where StarPU copies u: to and from GPUs, and between
     * NUMA nodes. */
    const size_t each =
        getenv("PSG_TEST_GPUS") == NULL && getenv("STARPU_USE_NUMA") == NULL ? 1 : 2;
    /* On cores `kspace` makes z beside u. */
    const size_t again = getenv("PSG_TEST_GPUS") != NULL ? s.sheets : 0;
    CHECK(s.stage[PSG_STAGE_GRADIENT_Z].tasks == again &&
              s.stage[PSG_STAGE_GRADIENT_XY].tasks == each * s.segments &&
              s.stage[PSG_STAGE_GRADIENT].tasks == 0,
          "%zu segments and %zu sheets: %llu, %llu and %llu tasks", s.segments, s.sheets,
          (unsigned long long)s.stage[PSG_STAGE_GRADIENT_Z].tasks,
          (unsigned long long)s.stage[PSG_STAGE_GRADIENT_XY].tasks,
          (unsigned long long)s.stage[PSG_STAGE_GRADIENT].tasks);
}

static void refused(void) {
    static const struct {
        psg_symbol symbol;
        psg_bc side;
        const char *words;
    } cases[] = {{PSG_SYMBOL_SPECTRAL, PSG_BC_PERIODIC, "gradient[1] and u overlap"},
                 {PSG_SYMBOL_SPECTRAL, PSG_BC_NEUMANN, "needs the symbol fd2"},
                 {PSG_SYMBOL_FD4, PSG_BC_PERIODIC, "or spectral with axes that are"},
                 {PSG_SYMBOL_FD6, PSG_BC_PERIODIC, "or spectral with axes that are"},
                 {PSG_SYMBOL_FD8, PSG_BC_NEUMANN, "needs the symbol fd2"}};
    enum { POINTS = 6 * 7 * 8 };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        FREED double *f = oracle_array(POINTS), *u = oracle_array(POINTS),
                     *g = oracle_array(POINTS);
        psg_options options = harness_options(PSG_F64);
        psg_grid grid = harness_box(6, 7, 8, 1, 1, 1);
        grid.axis[2].bc[0] = grid.axis[2].bc[1] = cases[c].side;
        options.symbol = cases[c].symbol;
        oracle_random(c, POINTS, f);
        psg_array from = harness_view(f), to = harness_view(u), y = harness_view(c == 0 ? u : g);
        DESTROYED psg_plan *plan = harness_plan(&grid, &options);
        psg_solve_args args = harness_args(plan);
        args.gradient[1] = &y;
        CHECK_STATUS(psg_solve_arrays(plan, 1, &from, &to, &args),
                     c == 0 ? PSG_ERR_ARG : PSG_ERR_UNSUPPORTED);
        CHECK(strstr(psg_last_error(), cases[c].words), "case %zu: %s", c, psg_last_error());
        args.gradient[1] = NULL;
        CHECK_STATUS(psg_solve_arrays(plan, 1, &from, &to, &args), PSG_OK);
    }
}

int main(void) {
    const psg_options first = harness_options(PSG_F64);
    DESTROYED psg_plan *anchor = harness_anchor(&first);
    modes();
    random_fields();
    for (int v = 0; v < HARNESS_VARIANTS; ++v) {
        in_flight(&harness_variants[v]);
        crystal(&harness_variants[v]);
    }
    statistics();
    refused();
    return check_result();
}
