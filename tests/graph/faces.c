/* A solve with epsilon on the faces of cells is that of the stencil, checked by sums over faces
 * that share nothing with the library: for every pair of sides, six decades, closed faces, which
 * alone divide the fluid into regions, cuts, both precisions and in place. Faces that have the
 * harmonic means of points have the u of these points. What cannot be solved is refused in words. */
#include "tests/graph/epsilon_problem.h"

static const char *const all_sides[] = {"PP",       "NN",       "DD",       "DN",
                                        "ND",       "dd",       "PP,NN,DD", "DN,PP,ND",
                                        "NN,PP,PP", "PP,PP,ND", "PP,DD,NN", "DD,NN,NN"};
enum { SIDES = sizeof all_sides / sizeof *all_sides };

/* ----------------------------------------------------------------------------------- answers */

/** f has NaN at solid points. */
static void residuals(void) {
    static const char *const ways[] = {"", "executor=tasks segment_planes=2 sheets=3",
                                       "graph=staged segment_planes=3"};
    static const size_t n[][3] = {{6, 5, 7}, {4, 3, 6}, {1, 5, 3}, {3, 1, 1}, {2, 6, 2}, {1, 1, 1}};
    static const double closed[] = {.3, 0, .6};
    for (size_t c = 0; c < SIDES * 15; ++c) {
        const size_t *size = n[c % 6];
        AT_END(destroy) medium p = make(size[0], size[1], size[2], 1, 1.5, 2);
        DESTROYED psg_plan *plan = NULL;
        FREED double *mean = oracle_array(p.points);
        size_t fluid = 0;
        p.sides = all_sides[c / 15];
        p.lambda = c / 5 % 3 == 1 ? 12 : 0;
        p.factor = c % 4 == 3 ? -3 : 1;
        fill_random(&p, .3, 1);
        /* a region that a weak face alone joins with a side has a large u, whose rounding counts */
        fill_faces(&p, c % 3 == 2 ? 1e4 : 1e6, p.lambda != 0 ? .3 : closed[c % 3]);
        for (size_t m = 0; m < p.points; ++m) {
            fluid += is_fluid(&p, m);
            p.f[m] = is_fluid(&p, m) ? p.f[m] : NAN;
        }
        if (fluid == 0) {
            continue;
        }
        plan = plan_of(&p, harness_with(PSG_F64, ways[c % 3]));
        psg_solve_args args = args_of(plan, &p);
        args.iterations = 20000;
        CHECK_STATUS(solve(plan, PSG_F64, &p, &args, c % 2 == 1), PSG_OK);
        CHECK(residual_of(&p) <= 1.01e-10, "%s, case %zu: the residual is %g", p.sides, c,
              residual_of(&p));
        means_of(&p, p.u, mean);
        for (size_t m = 0; m < p.points; ++m) {
            CHECK(fabs(mean[m]) <= 1e-13 || !is_fluid(&p, m), "%s, case %zu: the mean of u is %g",
                  p.sides, c, mean[m]);
        }
    }
}

/** f32, in every variant of the graph and cut. */
static void variants(void) {
    for (int v = 0; v < HARNESS_VARIANTS; ++v) {
        AT_END(destroy) medium p = make(9, 11, 13, 1, 2.5, .7);
        psg_options options = harness_options(v % 2 == 0 ? PSG_F64 : PSG_F32);
        harness_set_variant(&options, &harness_variants[v]);
        fill_random(&p, .3, 1);
        fill_faces(&p, 50, .1);
        harness_round(options.precision, p.points, p.f);
        for (int d = 0; d < 3; ++d) {
            harness_round(options.precision, p.points, p.faces[d]);
        }
        DESTROYED psg_plan *plan = plan_of(&p, options);
        const psg_solve_args args = args_of(plan, &p);
        CHECK_STATUS(solve(plan, options.precision, &p, &args, false), PSG_OK);
        CHECK(residual_of(&p) <= (v % 2 == 0 ? 1.01e-10 : 1e-3), "%s: the residual is %g",
              harness_variants[v].name, residual_of(&p));
    }
}

/** Both on one plan, in turns. A lower Dirichlet side has no number of its own. */
static void of_points(void) {
    static const char *const sides[] = {"PP", "NN", "ND", "PP,NN,ND", "ND,PP,NN"};
    for (size_t c = 0; c < 10; ++c) {
        AT_END(destroy) medium p = make(9, 6, 11, 1, 2.5, .7);
        p.sides = sides[c / 2];
        fill_random(&p, .3, 50);
        fill_faces(&p, 1, 0);
        for (size_t m = 0; m < p.points && c % 2 == 1; m += 4) {
            p.eps[m] = 0;
        }
        for (size_t f = 0; f < 3 * p.points; ++f) {
            const size_t m = f / 3, other = beyond(&p, m, (int)(2 * (f % 3) + 1));
            const double e = p.eps[m], e1 = other < p.points ? p.eps[other] : e;
            p.faces[f % 3][m] = e > 0 && e1 > 0 ? 2 * e * e1 / (e + e1) : 0;
        }
        DESTROYED psg_plan *plan = plan_of(&p, harness_options(PSG_F64));
        psg_solve_args args = args_of(plan, &p);
        FREED double *u = oracle_array(p.points);
        args.tolerance = 1e-13;
        medium points = p;
        points.faces[0] = NULL;
        for (int turn = 0; turn < 2; ++turn) {
            CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
            memcpy(u, p.u, p.points * sizeof *u);
            CHECK_STATUS(solve(plan, PSG_F64, &points, &args, false), PSG_OK);
            CHECK_CLOSE(u, p.u, 9, 6, 11, 1e-11, "%s: faces of points", p.sides);
        }
    }
}

/** Closed faces all around a block of points divide the fluid, though no point is solid. */
static void closed_box(void) {
    AT_END(destroy) medium p = make(8, 7, 6, 1, 1, 1);
    fill_random(&p, 0, 1);
    fill_faces(&p, 5, 0);
    for (size_t m = 0; m < p.points; ++m) {
        const size_t at[3] = {m % 8, m / 8 % 7, m / 56};
        bool inside = true;
        for (int d = 0; d < 3; ++d) {
            inside = inside && at[d] >= 2 && at[d] < 4;
        }
        p.f[m] = inside ? .75 : 0;
        for (int d = 0; d < 3; ++d) {
            bool beside = true;
            for (int o = 0; o < 3; ++o) {
                beside = beside && (o == d || (at[o] >= 2 && at[o] < 4));
            }
            p.faces[d][m] = beside && (at[d] == 1 || at[d] == 3) ? 0 : p.faces[d][m];
        }
    }
    DESTROYED psg_plan *plan = plan_of(&p, harness_options(PSG_F64));
    psg_solve_args args = args_of(plan, &p);
    args.mean = PSG_MEAN_ERROR;
    CHECK_SAYS(solve(plan, PSG_F64, &p, &args, false), PSG_ERR_MEAN,
               "f has the mean 0.75 in the fluid of 8 points with (i,j,k) = (2,2,2), one of 2 "
               "regions");
    args.lambda = p.lambda = 2;
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
    CHECK(residual_of(&p) <= 1.01e-10, "lambda: the residual is %g", residual_of(&p));
}

/* ---------------------------------------------------------------------------------- refusals */

static void refused(void) {
    AT_END(destroy) medium p = make(4, 3, 5, 1, 1, 1);
    p.sides = "PP,NN,NN";
    fill_random(&p, 0, 1);
    oracle_remove_mean(p.f, p.points);
    fill_faces(&p, 5, 0);
    DESTROYED psg_plan *plan = plan_of(&p, harness_options(PSG_F64));
    psg_solve_args args = args_of(plan, &p);
    static const double bad[] = {-2, NAN, INFINITY, 1e-80, 1e80};
    for (size_t c = 0; c < 15; ++c) {
        char words[64];
        const size_t m = 1 + 4 * (2 + 3 * 3);
        const double kept = p.faces[c % 3][m];
        p.faces[c % 3][m] = bad[c / 3];
        snprintf(words, sizeof words, "epsilon_faces[%zu] is %g at (i,j,k) = (1,2,3)", c % 3,
                 bad[c / 3]);
        CHECK_SAYS(solve(plan, PSG_F64, &p, &args, false), PSG_ERR_DATA, words);
        p.faces[c % 3][m] = kept;
    }
    for (size_t m = 0; m < p.points; ++m) { /* nothing passes these sides */
        p.faces[1][m] = m / 4 % 3 == 2 ? 1e70 : p.faces[1][m];
        p.faces[2][m] = m / 12 == 4 ? 0 : p.faces[2][m];
    }
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
    CHECK(residual_of(&p) <= 1.01e-10 && harness_statistics(plan).iterations < 30,
          "numbers on sides: the residual is %g", residual_of(&p));

    psg_array f = harness_view(p.f), u = harness_view(p.u), eps = harness_view(p.eps);
    psg_array faces[3];
    for (int d = 0; d < 3; ++d) {
        faces[d] = harness_view(p.faces[d]);
        args.epsilon_faces[d] = &faces[d];
    }
    args.epsilon = &eps;
    CHECK_SAYS(psg_solve_arrays(plan, 1, &f, &u, &args), PSG_ERR_ARG,
               "epsilon and epsilon_faces are both given");
    args.epsilon = NULL;
    for (int d = 0; d < 3; ++d) {
        char words[32];
        snprintf(words, sizeof words, "epsilon_faces[%d] is NULL", d);
        args.epsilon_faces[d] = NULL;
        CHECK_SAYS(psg_solve_arrays(plan, 1, &f, &u, &args), PSG_ERR_ARG, words);
        args.epsilon_faces[d] = &faces[d];
        faces[d].stride[1] = 3;
        snprintf(words, sizeof words, "stride[1] of epsilon_faces[%d]", d);
        faces[d].stride[0] = 1;
        CHECK_SAYS(psg_solve_arrays(plan, 1, &f, &u, &args), PSG_ERR_ARG, words);
        faces[d] = harness_view(p.u);
        snprintf(words, sizeof words, "epsilon_faces[%d] and u overlap", d);
        CHECK_SAYS(psg_solve_arrays(plan, 1, &f, &u, &args), PSG_ERR_ARG, words);
        faces[d] = harness_view(p.faces[d]);
    }
    faces[1] = faces[0]; /* it is only read */
    CHECK_STATUS(psg_solve_arrays(plan, 1, &f, &u, &args), PSG_OK);
    for (int d = 0; d < 3; ++d) {
        memset(p.faces[d], 0, p.points * sizeof *p.faces[d]);
    }
    CHECK_SAYS(solve(plan, PSG_F64, &p, &args, false), PSG_ERR_DATA, "epsilon is 0 everywhere");

    AT_END(destroy) medium point = make(1, 1, 1, 1, 1, 1);
    fill_faces(&point, 5, 0); /* its only neighbour is the point itself */
    DESTROYED psg_plan *other = plan_of(&point, harness_options(PSG_F64));
    args = args_of(other, &point);
    CHECK_SAYS(solve(other, PSG_F64, &point, &args, false), PSG_ERR_DATA,
               "epsilon is 0 everywhere between points, and between points and sides");
}

int main(void) {
    const psg_options options = harness_options(PSG_F64);
    DESTROYED psg_plan *anchor = harness_anchor(&options);
    residuals();
    variants();
    of_points();
    closed_box();
    refused();
    return check_result();
}
