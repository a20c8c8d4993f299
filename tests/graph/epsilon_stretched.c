/* A solve with epsilon where z is stretched is that of the stencil, checked by sums over faces that
 * share nothing with the library: for every pair of sides of z, widths from 1 to 20, epsilon over
 * six decades, bodies, faces, values, both precisions and every way through the graph. With
 * epsilon = 1 it is the solve without epsilon, its gradient, too. Against an exact u the error is
 * of second order, and the iterations are those of a z of one spacing. What cannot be solved is
 * refused in words. */
#include "tests/graph/epsilon_problem.h"

/* ----------------------------------------------------------------------------------- answers */

enum { POINTS, BODIES, FACES, CLOSED, MEDIA };

/** epsilon over six decades, 0 in bodies or on faces; f has NaN where nothing is solved. */
static void fill(medium *p, int kind, psg_precision precision) {
    const double contrast = precision == PSG_F32 ? 20 : 1e6;
    fill_random(p, .3, contrast);
    if (kind == FACES || kind == CLOSED) {
        fill_faces(p, precision == PSG_F32 ? 20 : 1e4, kind == CLOSED ? .3 : 0);
    }
    for (size_t m = 0; m < p->points && kind == BODIES; ++m) {
        p->eps[m] *= rand() > RAND_MAX / 10 * 3;
    }
    harness_round(precision, p->points, p->f);
    harness_round(precision, p->points, p->eps);
    for (int d = 0; d < 3 && p->faces[0] != NULL; ++d) {
        harness_round(precision, p->points, p->faces[d]);
    }
    for (size_t m = 0; m < p->points; ++m) {
        p->f[m] = is_fluid(p, m) ? p->f[m] : NAN;
    }
}

static bool has_fluid(const medium *p) {
    bool any = false;
    for (size_t m = 0; m < p->points; ++m) {
        any = any || is_fluid(p, m);
    }
    return any;
}

static void check_solve(medium *p, const psg_options *options, size_t c) {
    const bool f32 = options->precision == PSG_F32;
    DESTROYED psg_plan *plan = plan_of(p, *options);
    FREED double *mean = oracle_array(p->points);
    psg_solve_args args = args_of(plan, p);
    args.iterations = 20000;
    CHECK_STATUS(solve(plan, options->precision, p, &args, c % 2 == 1), PSG_OK);
    CHECK(residual_of(p) <= (f32 ? 1e-3 : 1.01e-10), "%s, case %zu: the residual is %g", p->sides,
          c, residual_of(p));
    means_of(p, p->u, mean);
    for (size_t m = 0; m < p->points && !f32; ++m) {
        CHECK(fabs(mean[m]) <= 1e-13 || !is_fluid(p, m), "%s, case %zu: the mean of u is %g",
              p->sides, c, mean[m]);
    }
}

/** Every pair of sides of z beside all of x and y; cuts and thin boxes. */
static void residuals(void) {
    static const char *const all[] = {"PP",       "NN",       "DD",       "DN",      "ND",
                                      "PP,NN,DD", "DN,PP,ND", "PP,PP,NN", "NN,PP,PP"};
    static const size_t n[][3] = {{7, 6, 13}, {4, 3, 6}, {1, 5, 3}, {3, 4, 1}, {2, 6, 2}};
    static const char *const ways[] = {"", "executor=tasks segment_planes=2 sheets=3",
                                       "segment_planes=3"};
    for (size_t c = 0; c < sizeof all / sizeof *all * 12; ++c) {
        const size_t *size = n[c % 5];
        const psg_options options = harness_with(c % 7 == 6 ? PSG_F32 : PSG_F64, ways[c % 3]);
        AT_END(destroy) medium p = make(size[0], size[1], size[2], 1, 2.5, 2);
        p.sides = all[c / 12];
        p.lambda = c % 12 > 7 ? 12 : 0;
        p.factor = c % 4 == 3 ? -3 : 1;
        stretch(&p, 20);
        fill(&p, (int)(c % MEDIA), options.precision);
        if (c % 12 > 3 && c % 12 < 8) {
            fill_sides(&p, c % 2 == 0);
        }
        if (has_fluid(&p)) {
            check_solve(&p, &options, c);
        }
    }
}

/** In every variant of the graph that a stretched z has. */
static void variants(void) {
    for (int v = 0; v < HARNESS_VARIANTS; ++v) {
        AT_END(destroy) medium p = make(9, 11, 13, 1, 2.5, .7);
        psg_options options = harness_options(v % 2 == 0 ? PSG_F64 : PSG_F32);
        harness_set_variant(&options, &harness_variants[v]);
        options.graph = options.gpus > 0 ? PSG_GRAPH_FUSED : options.graph;
        p.sides = v % 3 == 0 ? "PP,PP,NN" : v % 3 == 1 ? "PP" : "PP,NN,DN";
        stretch(&p, 20);
        fill(&p, v % MEDIA, PSG_F32);
        check_solve(&p, &options, (size_t)v);
    }
}

/** epsilon = 1, at points or on faces, has the u and the gradient of no epsilon. */
static void one(void) {
    static const char *const all[] = {"PP", "NN", "DD", "PP,PP,DN", "DN,NN,ND", "PP,PP,NN"};
    for (size_t c = 0; c < sizeof all / sizeof *all * 2; ++c) {
        AT_END(destroy) medium p = make(9, 6, 14, 1, 2.5, .7);
        p.sides = all[c / 2];
        stretch(&p, 20);
        fill_random(&p, .3, 1);
        fill_sides(&p, true);
        if (c % 2 == 1) {
            fill_faces(&p, 1, 0);
        }
        DESTROYED psg_plan *plan = plan_of(&p, harness_with(PSG_F64, "segment_planes=4"));
        FREED double *u = oracle_array(p.points);
        double *field[6];
        psg_array component[6], side[6];
        psg_solve_args args = args_of(plan, &p);
        args.tolerance = 1e-12;
        for (int m = 0; m < 6; ++m) {
            field[m] = oracle_array(p.points);
            component[m] = harness_view(field[m]);
            args.gradient[m % 3] = &component[m % 3];
        }
        CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
        CHECK(harness_statistics(plan).iterations <= 2, "%zu iterations with epsilon = 1",
              harness_statistics(plan).iterations);
        const double mean = harness_statistics(plan).mean;
        for (int m = 0; m < 6; ++m) {
            side[m] = harness_view(p.side[m]);
            args.side[m / 2][m % 2] = p.side[m] != NULL ? &side[m] : NULL;
            args.gradient[m % 3] = &component[3 + m % 3];
        }
        const psg_array f = harness_view(p.f), to = harness_view(u);
        CHECK_STATUS(psg_solve_arrays(plan, 1, &f, &to, &args), PSG_OK);
        CHECK_CLOSE(p.u, u, p.n[0], p.n[1], p.n[2], 1e-12, "%s: u of epsilon = 1", p.sides);
        CHECK_NEAR(mean, harness_statistics(plan).mean, 1e-13, "%s: the mean", p.sides);
        for (int d = 0; d < 3; ++d) {
            CHECK_CLOSE(field[d], field[3 + d], p.n[0], p.n[1], p.n[2], 1e-12,
                        "%s: gradient %d of epsilon = 1", p.sides, d);
        }
        for (int m = 0; m < 6; ++m) {
            free(field[m]);
        }
    }
}

/** Faces of one spacing have the u of a plan without faces, in as many iterations. */
static void even(void) {
    AT_END(destroy) medium p = make(8, 7, 12, 1, 2.5, .7);
    size_t iterations[2];
    FREED double *u = oracle_array(p.points);
    p.sides = "PP,NN,DN";
    for (int m = 0; m < 2; ++m) {
        fill_random(&p, 0, 100);
        for (size_t i = 0; i < p.points; i += 5) {
            p.eps[i] = 0;
        }
        if (m == 1) {
            stretch(&p, 1);
            memcpy(u, p.u, p.points * sizeof *u);
        }
        DESTROYED psg_plan *plan = plan_of(&p, harness_options(PSG_F64));
        psg_solve_args args = args_of(plan, &p);
        args.tolerance = 1e-12;
        CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
        iterations[m] = harness_statistics(plan).iterations;
    }
    CHECK_CLOSE(p.u, u, p.n[0], p.n[1], p.n[2], 1e-11, "faces of one spacing");
    CHECK(iterations[1] <= iterations[0] + 2 && iterations[0] <= iterations[1] + 2,
          "%zu iterations, and %zu with faces", iterations[0], iterations[1]);
}

/** Two plates with 1 and 4 on them, and epsilon 2 and 6 between, which meet at a face: u is linear
 *  in each, however wide the cells are. */
static void capacitor(void) {
    AT_END(destroy) medium p = make(4, 5, 12, 1, 1, 3);
    p.sides = "PP,PP,DD";
    p.value[4] = 1;
    p.value[5] = 4;
    stretch(&p, 20);
    const double meet = p.z[5], flux = 3 / (meet / 2 + (p.length[2] - meet) / 6);
    for (size_t m = 0; m < p.points; ++m) {
        p.eps[m] = m / 20 < 5 ? 2 : 6;
    }
    DESTROYED psg_plan *plan = plan_of(&p, harness_options(PSG_F64));
    psg_solve_args args = args_of(plan, &p);
    args.tolerance = 1e-12;
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
    for (size_t m = 0; m < p.points; ++m) {
        const size_t k = m / 20;
        const double z = (p.z[k] + p.z[k + 1]) / 2;
        const double want = k < 5 ? 1 + flux / 2 * z : 1 + flux / 2 * meet + flux / 6 * (z - meet);
        CHECK_NEAR(p.u[m], want, 1e-11, "capacitor: u at z = %g", z);
    }
}

/** Cells that are narrow at both walls. */
static void towards_walls(medium *p, double how) {
    const size_t n = p->n[2];
    p->z = calloc(n + 1, sizeof(double));
    for (size_t k = 0; k <= n; ++k) {
        p->z[k] = .5 + tanh(how * ((double)k / (double)n - .5)) / tanh(how / 2) / 2;
    }
    p->length[2] = p->z[n] - p->z[0];
}

/** u = sin 2 pi x cos pi z, eps = 2 + sin(2 pi x + pi z), between Neumann walls.
 *  @return the largest error on n^3 points */
static double error_on(size_t n) {
    AT_END(destroy) medium p = make(n, 3, n, 1, 1, 1);
    double error = 0;
    p.sides = "PP,PP,NN";
    towards_walls(&p, 3);
    DESTROYED psg_plan *plan = plan_of(&p, harness_options(PSG_F64));
    const psg_solve_args args = args_of(plan, &p);
    for (int pass = 0; pass < 2; ++pass) {
        double sum = 0, all = 0;
        for (size_t m = 0; m < p.points; ++m) {
            const size_t k = m / n / 3;
            const double x = 2 * pi * (double)(m % n) / (double)n;
            const double z = pi * (p.z[k] + p.z[k + 1]) / 2;
            const double u = sin(x) * cos(z);
            p.eps[m] = 2 + sin(x + z);
            p.f[m] = pi * pi *
                     (4 * cos(x + z) * cos(x) * cos(z) - cos(x + z) * sin(x) * sin(z) -
                      5 * p.eps[m] * u);
            error = pass == 1 ? check_worse(error, fabs(p.u[m] - u)) : 0;
            sum += u * counts(&p, m);
            all += counts(&p, m);
        }
        CHECK(fabs(sum / all) <= 1e-14, "the mean of the exact u is %g", sum / all);
        if (pass == 0) {
            CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
        }
    }
    return error;
}

static void order(void) {
    const double error[3] = {error_on(16), error_on(32), error_on(64)};
    CHECK_NEAR(log2(error[1] / error[2]), 2, .1, "order of %g, %g, %g", error[0], error[1],
               error[2]);
}

/** Iterations to 1e-8 on n^3 cells.
 *  @param[in] shape  epsilon is smooth; jumps by 40; is 0 in a sphere */
static size_t iterations_of(size_t n, int shape, bool stretched) {
    AT_END(destroy) medium p = make(n, n, n, 1, 1, 1);
    p.sides = "PP,PP,NN";
    fill_random(&p, 0, 1);
    if (stretched) {
        towards_walls(&p, 3.6);
    }
    for (size_t m = 0; m < p.points; ++m) {
        const size_t k = m / n / n;
        const double x = ((double)(m % n) + .5) / (double)n;
        const double y = ((double)(m / n % n) + .5) / (double)n;
        const double z = stretched ? (p.z[k] + p.z[k + 1]) / 2 : ((double)k + .5) / (double)n;
        const bool sphere = pow(x - .5, 2) + pow(y - .5, 2) + pow(z - .5, 2) < .04;
        p.eps[m] = shape == 0   ? exp(2 * sin(2 * pi * x) * cos(2 * pi * y) * cos(pi * z))
                   : shape == 1 ? (sphere ? 80 : 2)
                                : !sphere;
    }
    DESTROYED psg_plan *plan = plan_of(&p, harness_options(PSG_F64));
    psg_solve_args args = args_of(plan, &p);
    args.tolerance = 1e-8;
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
    return harness_statistics(plan).iterations;
}

/** Measured: 15, 36 and 10 with one spacing, 16, 41 and 10 with widths from 1 to 11. */
static void iterations(void) {
    for (int shape = 0; shape < 3; ++shape) {
        const size_t even = iterations_of(32, shape, false);
        const size_t uneven = iterations_of(32, shape, true);
        CHECK(uneven <= even + even / 4, "shape %d: %zu iterations, stretched %zu", shape, even,
              uneven);
    }
}

/** A guess takes fewer iterations, and leaves no mean. */
static void guess(void) {
    AT_END(destroy) medium p = make(9, 8, 10, 1, 1, 2);
    p.sides = "PP,PP,NN";
    stretch(&p, 20);
    fill_random(&p, .5, 100);
    DESTROYED psg_plan *plan = plan_of(&p, harness_options(PSG_F64));
    psg_solve_args args = args_of(plan, &p);
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
    const size_t cold = harness_statistics(plan).iterations;
    CHECK_NEAR(harness_statistics(plan).mean, mean_of(&p, p.f), 1e-13, "the mean");
    for (size_t m = 0; m < p.points; ++m) {
        p.u[m] += 7 + 1e-5 * rand() / RAND_MAX;
    }
    args.guess = 1;
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
    CHECK(harness_statistics(plan).iterations < cold, "%zu iterations, %zu without a guess",
          harness_statistics(plan).iterations, cold);
    CHECK(residual_of(&p) <= 1.01e-10 && fabs(mean_of(&p, p.u)) <= 1e-14,
          "a guess: the residual is %g, the mean of u %g", residual_of(&p), mean_of(&p, p.u));
    args.mean = PSG_MEAN_ERROR;
    const double mean = mean_of(&p, p.f);
    for (size_t m = 0; m < p.points; ++m) {
        p.f[m] -= mean;
    }
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
    p.f[3] += 1; /* in a cell of the lowest plane */
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_ERR_MEAN);
}

/* ----------------------------------------------------------------------------------- refusals */

static void refusals(void) {
    static const char *const all[] = {"PP,PP,RD", "PP,PP,NR"};
    for (size_t c = 0; c < 2 * sizeof all / sizeof *all; ++c) {
        AT_END(destroy) medium p = make(4, 6, 8, 1, 1, 1);
        p.sides = all[c / 2];
        if (c % 2 == 0) {
            stretch(&p, 20);
        }
        fill_random(&p, 0, 3);
        psg_grid grid = grid_of(&p);
        psg_options options = harness_options(PSG_F64);
        DESTROYED psg_plan *plan = NULL;
        options.symbol = PSG_SYMBOL_FD2;
        for (int side = 0; side < 2; ++side) {
            grid.axis[2].robin[side] = grid.axis[2].bc[side] == PSG_BC_ROBIN ? 2 : 0;
        }
        CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK);
        const psg_solve_args args = args_of(plan, &p);
        CHECK_SAYS(solve(plan, PSG_F64, &p, &args, false), PSG_ERR_UNSUPPORTED,
                   "epsilon is for periodic, Dirichlet and free sides, and for Neumann sides with "
                   "points in cells, and z has another");
    }
}

int main(void) {
    const psg_options options = harness_options(PSG_F64);
    DESTROYED psg_plan *anchor = harness_anchor(&options);
    residuals();
    variants();
    one();
    even();
    capacitor();
    order();
    iterations();
    guess();
    refusals();
    return check_result();
}
