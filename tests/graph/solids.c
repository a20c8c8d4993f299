/* A solve with epsilon = 0 in solid bodies: the residual over the fluid is small, u and f have no
 * mean in a region that nothing fixes, f in a body is not read, a solid layer is a Neumann side,
 * and the count of iterations is that of the method. */
#include "tests/graph/epsilon_problem.h"

/* ------------------------------------------------------------------------------ solid bodies */

/** eps = 0 at 30 % of the points, so that the fluid is in many pieces, of which some are one point;
 * f has NaN at solid points. */
static void fill_solids(const medium *p, double contrast) {
    fill_random(p, .2, contrast);
    for (size_t m = 0; m < p->points; ++m) {
        if (rand() < RAND_MAX / 10 * 3) {
            p->eps[m] = 0;
            p->f[m] = NAN;
        }
    }
}

static void solids(void) {
    static const char *const all[] = {"PP", "NN",       "DD",       "DN",       "ND",
                                      "dd", "PP,NN,DD", "DN,PP,ND", "PP,PP,NN", "PP,PP,ND"};
    static const char *const ways[] = {"", "executor=tasks segment_planes=2 sheets=3",
                                       "graph=staged segment_planes=3"};
    for (size_t c = 0; c < sizeof all / sizeof *all * 6; ++c) {
        AT_END(destroy) medium p = make(9, 11, 13, 1, 2.5, .7);
        const psg_options options = harness_with(PSG_F64, ways[c % 3]);
        DESTROYED psg_plan *plan = NULL;
        p.sides = all[c / 6];
        p.lambda = c % 2 == 1 ? 12 : 0;
        fill_solids(&p, c % 6 < 2 ? 1e6 : 20);
        plan = plan_of(&p, options);
        psg_solve_args args = args_of(plan, &p);
        args.iterations = 4000; /* six decades from point to point take 300 to 2000 */
        FREED double *mean = oracle_array(p.points);
        CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
        CHECK(residual_of(&p) <= 1.01e-10, "%s, case %zu: the residual is %g", p.sides, c,
              residual_of(&p));
        means_of(&p, p.u, mean);
        for (size_t m = 0; m < p.points; ++m) {
            CHECK(fabs(mean[m]) <= 1e-13 || p.eps[m] == 0, "%s: the mean of u is %g", p.sides,
                  mean[m]);
        }
    }
}

/** A layer of solid points is a Neumann side. */
static void layer(void) {
    AT_END(destroy) medium p = make(8, 6, 9, 1, 1, 1.5);
    AT_END(destroy) medium thick = make(8, 6, 12, 1, 1, 2);
    p.sides = thick.sides = "PP,NN,NN";
    fill_random(&p, .5, 10);
    memcpy(thick.f, p.f, p.points * sizeof *p.f);
    memcpy(thick.eps, p.eps, p.points * sizeof *p.eps);
    medium *const both[2] = {&p, &thick};
    for (int m = 0; m < 2; ++m) {
        DESTROYED psg_plan *plan = plan_of(both[m], harness_options(PSG_F64));
        psg_solve_args args = args_of(plan, both[m]);
        args.tolerance = 1e-14;
        CHECK_STATUS(solve(plan, PSG_F64, both[m], &args, false), PSG_OK);
    }
    CHECK_CLOSE(thick.u, p.u, p.n[0], p.n[1], p.n[2], 1e-12, "a layer and a side");
}

/** Bodies with closed faces take a few steps, on every grid. */
static void bodies(void) {
    static const size_t most[3] = {12, 13, 13};
    for (int shape = 0; shape < 6; ++shape) {
        const size_t n = shape < 3 ? 32 : 48;
        AT_END(destroy) medium p = make(n, n, n, 1, 1, 1);
        p.sides = "PP,PP,NN";
        fill_random(&p, 0, 1);
        for (size_t m = 0; m < p.points; ++m) {
            const double x = ((double)(m % n) + .5) / (double)n;
            const double y = ((double)(m / n % n) + .5) / (double)n;
            const double z = ((double)(m / n / n) + .5) / (double)n;
            const bool sphere = pow(x - .5, 2) + pow(y - .5, 2) + pow(z - .5, 2) < .04;
            const bool hill = z < .15 + .1 * sin(2 * pi * x) * cos(2 * pi * y);
            const bool cube = (int)(4 * x) % 2 == 0 && (int)(4 * y) % 2 == 0 && z < .3;
            p.eps[m] = shape % 3 == 0 ? !sphere : shape % 3 == 1 ? !hill : !cube;
        }
        DESTROYED psg_plan *plan = plan_of(&p, harness_options(PSG_F64));
        psg_solve_args args = args_of(plan, &p);
        args.tolerance = 1e-8;
        CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
        const psg_statistics s = harness_statistics(plan);
        CHECK(s.iterations <= most[shape % 3], "body %d: %zu iterations", shape, s.iterations);
    }
}

/** One fluid point in a body: u is 0 there, and the mean of f, which is f, is told. */
static void pocket(void) {
    AT_END(destroy) medium p = make(7, 6, 5, 1, 1, 1);
    DESTROYED psg_plan *plan = plan_of(&p, harness_options(PSG_F64));
    psg_solve_args args = args_of(plan, &p);
    fill_random(&p, 0, 5);
    for (size_t m = 0; m < p.points; ++m) {
        const size_t at[3] = {m % 7, m / 7 % 6, m / 42};
        const bool body = at[0] < 3 && at[1] < 3 && at[2] < 3;
        p.eps[m] = body && m != 1 + 7 * (1 + 6) ? 0 : p.eps[m];
    }
    p.f[1 + 7 * (1 + 6)] = .75;
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
    CHECK(residual_of(&p) <= 1.01e-10 && p.u[1 + 7 * (1 + 6)] == 0, "%g", residual_of(&p));
    args.mean = PSG_MEAN_ERROR;
    CHECK_SAYS(solve(plan, PSG_F64, &p, &args, false), PSG_ERR_MEAN,
               "f has the mean 0.75 in the fluid of 1 points with (i,j,k) = (1,1,1), one of 2 "
               "regions");
    args.mean = PSG_MEAN_DROP;
    for (size_t m = 0; m < p.points; ++m) {
        p.f[m] = m == 1 + 7 * (1 + 6) ? -3 : 1. / 3; /* a constant in each region */
    }
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
    CHECK(harness_statistics(plan).iterations == 0, "%zu iterations for a constant f",
          harness_statistics(plan).iterations);
    memset(p.eps, 0, p.points * sizeof *p.eps);
    CHECK_SAYS(solve(plan, PSG_F64, &p, &args, false), PSG_ERR_DATA,
               "epsilon is 0 everywhere between points, and between points and sides: there is no "
               "fluid");
}

/** The mean that a cavity loses is told, also where the sides of the box fix u around its body. */
static void cavity(void) {
    AT_END(destroy) medium p = make(7, 6, 5, 1, 1, 1);
    p.sides = "DD";
    DESTROYED psg_plan *plan = plan_of(&p, harness_options(PSG_F64));
    const psg_solve_args args = args_of(plan, &p);
    for (size_t m = 0; m < p.points; ++m) {
        const size_t at[3] = {m % 7, m / 7 % 6, m / 42};
        const bool body =
            at[0] > 1 && at[0] < 5 && at[1] > 1 && at[1] < 5 && at[2] > 0 && at[2] < 4;
        p.eps[m] = body && m != 3 + 7 * (3 + 6 * 2) ? 0 : 1;
        p.f[m] = 1;
    }
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
    const double fluid = (double)p.points - 26;
    CHECK_NEAR(harness_statistics(plan).mean, 1 / fluid, 1e-14,
               "the mean of a cavity of one point");
}

/** A large mean of f costs no iteration, and nothing flows between two halves of the box. */
static void halves(void) {
    AT_END(destroy) medium p = make(8, 7, 10, 1, 1, 1);
    DESTROYED psg_plan *plan = plan_of(&p, harness_options(PSG_F64));
    const psg_solve_args args = args_of(plan, &p);
    fill_random(&p, 0, 5);
    for (size_t m = 0; m < p.points; ++m) {
        const size_t k = m / 56;
        p.eps[m] = k == 0 || k == 5 ? 0 : p.eps[m];
        p.f[m] += k < 5 ? 1e12 : -1e9;
    }
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
    CHECK(residual_of(&p) <= 1e-4, "%g", residual_of(&p)); /* f has 4 digits less its mean */
}

/** The residual that is told is that of u, over 15 decades, too; what rounding does not allow has
 * words. */
static void limits(void) {
    AT_END(destroy) medium p = make(7, 6, 9, 1, 1, 1);
    p.sides = "DD,NN,PP";
    DESTROYED psg_plan *plan = plan_of(&p, harness_options(PSG_F64));
    psg_solve_args args = args_of(plan, &p);
    args.iterations = 20000;
    fill_random(&p, 0, 1e15);
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
    CHECK_NEAR(harness_statistics(plan).residual, residual_of(&p), 1e-12, "the residual");
    CHECK(residual_of(&p) <= 1.01e-10, "%g", residual_of(&p));
    fill_random(&p, 0, 5);
    args.tolerance = 1e-17;
    CHECK_SAYS(solve(plan, PSG_F64, &p, &args, false), PSG_ERR_DATA,
               "iterations rounding keeps the residual at ");
    CHECK(residual_of(&p) < 1e-14, "%g", residual_of(&p));
}

int main(void) {
    const psg_options options = harness_options(PSG_F64);
    DESTROYED psg_plan *anchor = harness_anchor(&options);
    solids();
    layer();
    bodies();
    pocket();
    cavity();
    halves();
    limits();
    return check_result();
}
