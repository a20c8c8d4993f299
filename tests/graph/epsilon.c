/* A solve with epsilon is that of the stencil div(eps grad u) - lambda u = factor f, checked by
 * sums over faces that share nothing with the library: for odd sizes, unequal lengths, both
 * precisions, every variant of the graph and cut, strided arrays, in place, and values of f far
 * from 1. Against an exact u the error is of second order. What cannot be solved is refused in
 * words. */
#include "tests/graph/epsilon_problem.h"

#include <pthread.h>
#include <stdatomic.h>

/** With arrays whose rows and planes have gaps. */
static psg_status solve_strided(psg_plan *plan, const medium *p, const psg_solve_args *with,
                                size_t gap) {
    const size_t row = p->n[0] + gap;
    const size_t plane = row * (p->n[1] + gap);
    double *const dense[3] = {p->f, p->u, p->eps};
    psg_array array[3];
    psg_solve_args args = *with;
    for (int a = 0; a < 3; ++a) {
        double *values = malloc(plane * p->n[2] * sizeof *values);
        memset(values, 0xff, plane * p->n[2] * sizeof *values);
        for (size_t m = 0; m < p->points; ++m) {
            values[m / p->n[0] / p->n[1] * plane + m / p->n[0] % p->n[1] * row + m % p->n[0]] =
                dense[a][m];
        }
        psg_array_init(&array[a], values);
        array[a].stride[0] = 1;
        array[a].stride[1] = (ptrdiff_t)row;
        array[a].stride[2] = (ptrdiff_t)plane;
    }
    args.epsilon = &array[2];
    const psg_status status = psg_solve_arrays(plan, 1, &array[0], &array[1], &args);
    for (size_t m = 0; m < p->points; ++m) {
        p->u[m] =
            ((double *)array[1]
                 .data)[m / p->n[0] / p->n[1] * plane + m / p->n[0] % p->n[1] * row + m % p->n[0]];
    }
    for (int a = 0; a < 3; ++a) {
        free(array[a].data);
    }
    return status;
}

/* ----------------------------------------------------------------------------------- answers */

static void check_solve(const medium *p, const psg_options *options, const char *what) {
    psg_plan *plan = plan_of(p, *options);
    const psg_solve_args args = args_of(plan, p);
    const bool f32 = options->precision == PSG_F32;
    for (int in_place = 0; in_place < 2; ++in_place) {
        memset(p->u, 0xff, p->points * sizeof *p->u);
        CHECK_STATUS(solve(plan, options->precision, p, &args, in_place), PSG_OK);
        const double residual = residual_of(p);
        const psg_statistics s = harness_statistics(plan);
        CHECK(s.residual <= (f32 ? 1e-6 : 1e-10) && s.iterations > 1, "%s: %zu iterations to %g",
              what, s.iterations, s.residual);
        CHECK(f32 ? residual <= 1e-3 : residual <= 1.01e-10,
              "%s: the residual is %g, said to be %g", what, residual, s.residual);
        CHECK_NEAR(s.mean, is_singular(p) ? mean_of(p, p->f) : 0, 1e-6 * fabs(mean_of(p, p->f)),
                   "%s: the mean of f", what);
        CHECK(s.cpu_planes <= p->n[2] && s.cpu_rows <= p->n[1], "%s: parts of cores", what);
    }
    psg_plan_destroy(plan);
}

static void residuals(void) {
    AT_END(destroy) medium p = make(9, 11, 13, 1, 2.5, .7);
    for (int precision = 0; precision < 2; ++precision) {
        for (int v = 0; v < HARNESS_VARIANTS; ++v) {
            psg_options options = harness_options(precision == 0 ? PSG_F64 : PSG_F32);
            harness_set_variant(&options, &harness_variants[v]);
            fill_random(&p, .3, 50);
            harness_round(options.precision, p.points, p.f);
            harness_round(options.precision, p.points, p.eps);
            p.lambda = 0;
            check_solve(&p, &options, harness_variants[v].name);
            p.lambda = 12;
            p.factor = -3;
            options.segment_planes = 4;
            check_solve(&p, &options, "lambda");
            p.factor = 1;
        }
    }
}

/** Every kind of side on every axis, with and without lambda; cuts and thin boxes. */
static void sides(void) {
    static const char *const all[] = {"NN",       "DD",       "DN",       "ND",
                                      "PP,NN,DD", "DN,PP,ND", "NN,PP,PP", "PP,PP,ND",
                                      "PP,PP,NN", "dd",       "DD,NN,NN"};
    static const size_t n[][3] = {{9, 11, 13}, {4, 3, 6}, {1, 5, 3}, {3, 1, 1}};
    static const char *const ways[] = {"", "executor=tasks segment_planes=2 sheets=3",
                                       "graph=staged segment_planes=3"};
    for (size_t c = 0; c < sizeof all / sizeof *all * 12; ++c) {
        const size_t *size = n[c % 4];
        AT_END(destroy) medium p = make(size[0], size[1], size[2], 1, 2.5, .7);
        const psg_options options = harness_with(c % 5 == 4 ? PSG_F32 : PSG_F64, ways[c % 3]);
        p.sides = all[c / 12];
        p.lambda = c / 4 % 3 == 1 ? 12 : 0;
        fill_random(&p, .3, 50);
        harness_round(options.precision, p.points, p.f);
        harness_round(options.precision, p.points, p.eps);
        check_solve(&p, &options, p.sides);
    }
}

/** Thin boxes, whose points are their own neighbours, and segments of one plane. */
static void thin(void) {
    static const size_t n[][3] = {{1, 8, 5}, {8, 1, 2}, {6, 5, 1}, {40, 33, 2}};
    for (size_t m = 0; m < sizeof n / sizeof *n; ++m) {
        AT_END(destroy) medium p = make(n[m][0], n[m][1], n[m][2], 1, 1, 1);
        psg_options options = harness_with(PSG_F64, "segment_planes=1");
        fill_random(&p, 0, 5);
        check_solve(&p, &options, "thin");
    }
}

/** eps of one value: the plan's own solve, over eps, in one iteration; and the plan goes on solving
 * without epsilon. */
static void constant(void) {
    AT_END(destroy) medium p = make(12, 10, 8, 1, 1, 1);
    DESTROYED psg_plan *plan = plan_of(&p, harness_options(PSG_F64));
    psg_solve_args args = args_of(plan, &p);
    FREED double *u = oracle_array(p.points);
    psg_statistics s;
    fill_random(&p, 5, 1);
    CHECK_STATUS(psg_solve(plan, p.f, u), PSG_OK);
    for (size_t m = 0; m < p.points; ++m) {
        p.eps[m] = 4;
        u[m] /= 4;
    }
    CHECK_STATUS(solve_strided(plan, &p, &args, 3), PSG_OK);
    CHECK_CLOSE(p.u, u, p.n[0], p.n[1], p.n[2], 1e-12, "eps = 4");
    CHECK_STATUS(psg_plan_statistics(plan, &s), PSG_OK);
    CHECK(s.iterations == 1 && s.residual < 1e-12, "%zu iterations to %g", s.iterations,
          s.residual);
    CHECK_STATUS(psg_solve(plan, p.f, p.u), PSG_OK);
    CHECK_STATUS(psg_plan_statistics(plan, &s), PSG_OK);
    CHECK(s.iterations == 0 && s.residual == 0, "a solve without epsilon had %zu", s.iterations);
    memset(p.f, 0, p.points * sizeof *p.f);
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
    for (size_t m = 0; m < p.points; ++m) {
        CHECK(p.u[m] == 0, "u of f = 0 is %g", p.u[m]);
    }
}

/** u is linear in f, also where squares of f are out of range, and its gradient is the difference
 * of u. */
static void scales(void) {
    static const double scale[] = {1e-250, 1e200};
    AT_END(destroy) medium p = make(10, 9, 8, 1, 1, 1);
    DESTROYED psg_plan *plan = plan_of(&p, harness_options(PSG_F64));
    psg_solve_args args = args_of(plan, &p);
    FREED double *u = oracle_array(p.points);
    FREED double *dz = oracle_array(p.points);
    psg_array z = harness_view(dz);
    fill_random(&p, 0, 10);
    args.gradient[2] = &z;
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
    for (size_t m = 0; m < p.points; ++m) {
        const size_t above = (m + p.n[0] * p.n[1]) % p.points;
        CHECK_NEAR(dz[m], (p.u[above] - p.u[m]) * 8, 1e-13, "the gradient at %zu", m);
    }
    args.gradient[2] = NULL;
    memcpy(u, p.u, p.points * sizeof *u);
    for (size_t m = 0; m < sizeof scale / sizeof *scale; ++m) {
        fill_random(&p, 0, 10);
        for (size_t i = 0; i < p.points; ++i) {
            p.f[i] *= scale[m];
        }
        CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
        for (size_t i = 0; i < p.points; ++i) {
            p.u[i] /= scale[m];
        }
        CHECK_CLOSE(p.u, u, p.n[0], p.n[1], p.n[2], 1e-9, "f times %g", scale[m]);
    }
}

/** A mean that is large beside the rest of f, and whose rounding is more than the tolerance of the
 * residual: steps and u are those of f without it. A constant f has nothing to solve. */
static void large_mean(void) {
    AT_END(destroy) medium p = make(12, 11, 10, 1, 1.5, 2);
    psg_options options = harness_with(PSG_F64, "segment_planes=3");
    DESTROYED psg_plan *plan = plan_of(&p, options);
    const psg_solve_args args = args_of(plan, &p);
    FREED double *u = oracle_array(p.points);
    psg_statistics s[3];
    long double sum = 0;
    fill_random(&p, 1e12, 10);
    for (size_t m = 0; m < p.points; ++m) {
        sum += p.f[m];
    }
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
    CHECK_STATUS(psg_plan_statistics(plan, &s[0]), PSG_OK);
    memcpy(u, p.u, p.points * sizeof *u);
    for (size_t m = 0; m < p.points; ++m) {
        p.f[m] = (double)(p.f[m] - sum / (long double)p.points);
    }
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
    CHECK_STATUS(psg_plan_statistics(plan, &s[1]), PSG_OK);
    CHECK(s[0].iterations <= s[1].iterations + 1, "%zu iterations with a mean, %zu without",
          s[0].iterations, s[1].iterations);
    CHECK_CLOSE(u, p.u, p.n[0], p.n[1], p.n[2], 1e-9, "u of f with a large mean");
    for (size_t m = 0; m < p.points; ++m) {
        p.f[m] = 1. / 3;
    }
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
    CHECK_STATUS(psg_plan_statistics(plan, &s[2]), PSG_OK);
    CHECK(s[2].iterations == 0, "%zu iterations for a constant f", s[2].iterations);
}

/** u = sin 2 pi x cos 2 pi z, eps = 2 + sin 2 pi (x + y). @return the largest error on n^3
 * points */
static double error_on(size_t n) {
    AT_END(destroy) medium p = make(n, n, n, 1, 1, 1);
    DESTROYED psg_plan *plan = plan_of(&p, harness_options(PSG_F64));
    const psg_solve_args args = args_of(plan, &p);
    double error = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (size_t m = 0; m < p.points; ++m) {
            const double x = 2 * pi * (double)(m % n) / (double)n;
            const double y = 2 * pi * (double)(m / n % n) / (double)n;
            const double z = 2 * pi * (double)(m / n / n) / (double)n;
            const double u = sin(x) * cos(z);
            p.eps[m] = 2 + sin(x + y);
            p.f[m] = 4 * pi * pi * (cos(x + y) * cos(x) * cos(z) - 2 * p.eps[m] * u);
            error = pass == 1 ? check_worse(error, fabs(p.u[m] - u)) : 0;
        }
        if (pass == 0) {
            CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
        }
    }
    return error;
}

static void order(void) {
    const double error[3] = {error_on(12), error_on(24), error_on(48)};
    CHECK_NEAR(log2(error[1] / error[2]), 2, .05, "order of %g, %g, %g", error[0], error[1],
               error[2]);
}

/** Two solves in flight may have one epsilon. */
static void in_flight(void) {
    AT_END(destroy) medium p = make(10, 8, 6, 1, 1, 1);
    DESTROYED psg_plan *plan = plan_of(&p, harness_options(PSG_F64));
    psg_solve_args args = args_of(plan, &p);
    double *u[2] = {calloc(p.points, sizeof(double)), calloc(p.points, sizeof(double))};
    psg_array f, eps;
    psg_array_init(&f, p.f);
    psg_array_init(&eps, p.eps);
    fill_random(&p, 0, 20);
    args.epsilon = &eps;
    for (int m = 0; m < 2; ++m) {
        psg_array to = harness_view(u[m]);
        args.factor = 1 + m;
        CHECK_STATUS(psg_submit_arrays(plan, 1, &f, &to, &args), PSG_OK);
    }
    for (int m = 0; m < 2; ++m) {
        CHECK_STATUS(psg_wait(plan), PSG_OK);
        p.factor = 1 + m;
        memcpy(p.u, u[m], p.points * sizeof(double));
        CHECK(residual_of(&p) <= 1.01e-10, "solve %d in flight: %g", m, residual_of(&p));
        free(u[m]);
    }
}

/* ---------------------------------------------------------------------------------- residuals */

typedef struct watched {
    psg_plan *plan;
    atomic_bool ended;
    int bad; /* calls that failed, counts that fell, and residuals that are not above 0 */
} watched;

static void *watch(void *argument) {
    watched *w = argument;
    size_t before = 0;
    while (!atomic_load(&w->ended)) {
        double residual = 1;
        size_t count = 0;
        w->bad += psg_plan_residuals(w->plan, 0, NULL, 0, &count) != PSG_OK || count < before;
        before = count;
        w->bad += psg_plan_residuals(w->plan, count / 2, &residual, 1, &count) != PSG_OK ||
                  !(residual > 0);
    }
    return NULL;
}

/** Residual number m is that of a solve that gives up after m iterations, and the last one that of
 * the statistics; another thread may look at them during the solve. */
static void residuals_of_iterations(void) {
    enum { MOST = 400 };
    AT_END(destroy) medium p = make(9, 8, 7, 1, 2.5, .7);
    DESTROYED psg_plan *plan = plan_of(&p, harness_options(PSG_F64));
    psg_solve_args args = args_of(plan, &p);
    watched w = {.plan = plan};
    pthread_t thread;
    double known[MOST];
    size_t count = 7;
    CHECK_STATUS(psg_plan_residuals(plan, 0, NULL, 0, &count), PSG_OK);
    CHECK(count == 0, "%zu residuals of no solve", count);
    fill_random(&p, 0, 1e3);
    if (!CHECK(pthread_create(&thread, NULL, watch, &w) == 0, "no thread")) {
        return;
    }
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
    atomic_store(&w.ended, true);
    pthread_join(thread, NULL);
    CHECK(w.bad == 0, "%d bad looks at a solve that goes on", w.bad);
    const psg_statistics s = harness_statistics(plan);
    CHECK_STATUS(psg_plan_residuals(plan, 0, known, MOST, &count), PSG_OK);
    CHECK(count == s.iterations + 1 && count > 70 && count <= MOST, "%zu residuals of %zu", count,
          s.iterations);
    CHECK(known[0] == 1 && known[count - 1] == s.residual, "from %g to %g, not %g", known[0],
          known[count - 1], s.residual);
    for (size_t m = 1; m < 90; m += 22) {
        args.iterations = m;
        CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_ERR_DATA);
        CHECK_NEAR(residual_of(&p), known[m], 1e-9 * known[m], "after %zu iterations", m);
    }
    args.iterations = 0;
    args.guess = 1;
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
    double first = 0;
    CHECK_STATUS(psg_plan_residuals(plan, 0, &first, 1, &count), PSG_OK);
    CHECK_NEAR(first, known[89], .2 * known[89], "the residual of a guess");
    CHECK_STATUS(psg_plan_residuals(plan, 0, NULL, 1, &count), PSG_ERR_ARG);
    CHECK_STATUS(psg_plan_residuals(plan, 0, NULL, 0, NULL), PSG_ERR_ARG);
    CHECK_STATUS(psg_plan_residuals(NULL, 0, NULL, 0, &count), PSG_ERR_ARG);
}

/* -------------------------------------------------------------------------------- a first guess */

/** Solve from what p->u has. @return the iterations */
static size_t guessed(psg_plan *plan, psg_precision precision, const medium *p, double bound,
                      const char *what) {
    psg_solve_args args = args_of(plan, p);
    args.guess = 1;
    CHECK_STATUS(solve(plan, precision, p, &args, false), PSG_OK);
    CHECK(residual_of(p) <= bound, "%s: the residual is %g", what, residual_of(p));
    return harness_statistics(plan).iterations;
}

/** The nearer the guess, the fewer the iterations; no guess changes the answer. */
static void guesses(const char *sides, double lambda, psg_precision precision, double solid) {
    const double bound = precision == PSG_F32 ? 1e-3 : 1.01e-10;
    AT_END(destroy) medium p = make(9, 8, 10, 1, 1, 2);
    p.sides = sides;
    p.lambda = lambda;
    p.factor = -3;
    fill_random(&p, 2, 10);
    for (size_t m = 0; m < p.points; m += 3) {
        p.eps[m] *= solid;
    }
    DESTROYED psg_plan *plan = plan_of(&p, harness_options(precision));
    psg_solve_args args = args_of(plan, &p);
    CHECK_STATUS(solve(plan, precision, &p, &args, false), PSG_OK);
    const size_t cold = harness_statistics(plan).iterations;
    const size_t none = guessed(plan, precision, &p, bound, "the answer");
    CHECK(none == 0 || precision == PSG_F32, "%s: %zu iterations from the answer", sides, none);
    for (size_t m = 0; m < p.points; ++m) {
        p.u[m] *= 1 + 1e-3 * rand() / RAND_MAX;
        p.u[m] = p.eps[m] > 0 ? p.u[m] : NAN; /* not read in a body */
    }
    const size_t near = guessed(plan, precision, &p, bound, "a guess that is near");
    CHECK(none < near && near < cold, "%s: %zu, %zu and %zu iterations", sides, none, near, cold);
    for (size_t m = 0; m < p.points; ++m) {
        p.u[m] = 100 + rand() / (double)RAND_MAX;
    }
    const size_t far = guessed(plan, precision, &p, bound, "a guess that is far");
    CHECK(near < far, "%s: %zu and %zu iterations", sides, near, far);
    CHECK(!is_singular(&p) || precision == PSG_F32 || fabs(mean_of(&p, p.u)) <= 1e-15,
          "%s: the guess leaves the mean %g", sides, mean_of(&p, p.u));
    memset(p.f, 0, p.points * sizeof *p.f);
    args.guess = 1;
    CHECK_STATUS(solve(plan, precision, &p, &args, false), PSG_OK);
    for (size_t m = 0; m < p.points; ++m) {
        CHECK(p.u[m] == 0, "f = 0: u is %g", p.u[m]);
    }
    fill_random(&p, 2, 10);
    p.u[2 + 9 * (1 + 8 * 3)] = NAN;
    CHECK_SAYS(solve(plan, precision, &p, &args, false), PSG_ERR_DATA,
               "the guess in u is nan at (i,j,k) = (2,1,3)");
    p.u[2 + 9 * (1 + 8 * 3)] = 1e300;
    if (precision == PSG_F64) {
        CHECK_SAYS(solve(plan, precision, &p, &args, false), PSG_ERR_DATA,
                   "the guess in u is finite, but too large for f");
    }
}

static void all_guesses(void) {
    guesses("PP", 0, PSG_F64, 1);
    guesses("PP", 5, PSG_F64, 0);
    guesses("PP", 0, PSG_F32, 0);
    guesses("DN,PP,NN", 0, PSG_F64, 1);
    guesses("NN", 0, PSG_F64, 0);
}

/* ----------------------------------------------------------------------------------- refusals */

static void says(const char *words) {
    CHECK(strstr(psg_last_error(), words) != NULL, "'%s' without '%s'", psg_last_error(), words);
}

static void bad_values(void) {
    static const double bad[] = {1e-80, -2, NAN, INFINITY};
    AT_END(destroy) medium p = make(7, 6, 5, 1, 1, 1);
    DESTROYED psg_plan *plan = plan_of(&p, harness_options(PSG_F64));
    psg_solve_args args = args_of(plan, &p);
    for (size_t m = 0; m < sizeof bad / sizeof *bad; ++m) {
        fill_random(&p, 0, 10);
        p.eps[3 + 7 * (4 + 6 * 2)] = bad[m];
        CHECK_SAYS(solve(plan, PSG_F64, &p, &args, false), PSG_ERR_DATA,
                   "at (i,j,k) = (3,4,2): it has to be 0, in solid bodies, or finite");
    }
    fill_random(&p, 0, 10);
    p.f[1 + 7 * 6 * 4] = NAN;
    CHECK_SAYS(solve(plan, PSG_F64, &p, &args, false), PSG_ERR_DATA,
               "f is NaN or Inf at (i,j,k) = (1,0,4)");
    fill_random(&p, 1, 10);
    args.mean = PSG_MEAN_ERROR;
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_ERR_MEAN);
    args.mean = PSG_MEAN_DROP;
    args.iterations = 3;
    CHECK_SAYS(solve(plan, PSG_F64, &p, &args, false), PSG_ERR_DATA,
               "after 3 iterations the residual is ");
    args.tolerance = .5;
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
}

static void refused(psg_plan *plan, const medium *p, double tolerance, psg_status status,
                    const char *words) {
    psg_solve_args args = args_of(plan, p);
    args.tolerance = tolerance;
    CHECK_STATUS(solve(plan, PSG_F64, p, &args, false), status);
    says(words);
}

static void refusals(void) {
    static const double tolerances[] = {-1, 1, 2, NAN, INFINITY};
    AT_END(destroy) medium p = make(6, 5, 4, 1, 1, 1);
    psg_options options = harness_options(PSG_F64);
    psg_plan *plan = plan_of(&p, options);
    fill_random(&p, 0, 3);
    for (size_t m = 0; m < sizeof tolerances / sizeof *tolerances; ++m) {
        refused(plan, &p, tolerances[m], PSG_ERR_ARG, "above 0 and below 1");
    }
    psg_array f, u;
    psg_array_init(&f, p.f);
    psg_array_init(&u, p.u);
    psg_solve_args args = args_of(plan, &p);
    args.guess = 1;
    CHECK_SAYS(psg_solve_arrays(plan, 1, &f, &u, &args), PSG_ERR_ARG, "guess is for epsilon");
    args.epsilon = &u;
    CHECK_SAYS(psg_solve_arrays(plan, 1, &f, &u, &args), PSG_ERR_ARG, "epsilon and u overlap");
    psg_plan_destroy(plan);
    psg_grid grid = harness_box(6, 5, 4, 1, 1, 1);
    for (int symbol = 0; symbol < PSG_SYMBOL_COUNT; ++symbol) {
        options.symbol = (psg_symbol)symbol;
        if (symbol != PSG_SYMBOL_FD2 &&
            CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
            refused(plan, &p, 0, PSG_ERR_UNSUPPORTED, "the symbol fd2");
            psg_plan_destroy(plan);
        }
    }
    grid.axis[1].bc[0] = grid.axis[1].bc[1] = PSG_BC_NEUMANN;
    grid.axis[1].points = PSG_POINTS_NODES;
    options.symbol = PSG_SYMBOL_FD2;
    if (CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
        refused(plan, &p, 0, PSG_ERR_UNSUPPORTED, "and y has another");
        psg_plan_destroy(plan);
    }
}

int main(void) {
    const psg_options options = harness_options(PSG_F64);
    DESTROYED psg_plan *anchor = harness_anchor(&options);
    residuals();
    sides();
    thin();
    constant();
    scales();
    large_mean();
    order();
    in_flight();
    residuals_of_iterations();
    all_guesses();
    bad_values();
    refusals();
    return check_result();
}
