/* Free sides along x and y, whatever takes the tasks: a charge beside known numbers, u whatever the
 * cut and the executor, several right-hand sides, and solves in flight with another lambda each. */
#include "tests/check.h"
#include "tests/harness.h"

#include <string.h>

/* The Green's function of the lattice. */
static void charge(psg_precision precision) {
    enum { NX = 7, NY = 6, NZ = 5, POINTS = NX * NY * NZ, PLACE = (2 * NY + 2) * NX + 3 };
    static const struct {
        size_t from;
        double u;
    } known[] = {{0, -0.2527310098587},
                 {1, -0.0860643431920},
                 {1 + NX, -0.0551914336877},
                 {1 + NX + NX * NY, -0.0435783543977},
                 {2 * NX * NY, -0.0428893145424}};
    psg_grid grid = harness_box(NX, NY, NZ, NX, NY, NZ);
    const psg_options options = harness_with(precision, "symbol=fd2");
    double f[POINTS] = {[PLACE] = 1}, u[POINTS];
    harness_sides(&grid, "FF");
    DESTROYED psg_plan *plan = harness_plan(&grid, &options);
    CHECK_STATUS(harness_solve(plan, precision, POINTS, f, u), PSG_OK);
    for (size_t m = 0; m < sizeof known / sizeof *known; ++m) {
        const double got = u[PLACE + known[m].from];
        CHECK(!(fabs(got - known[m].u) > harness_tolerance(precision, 1e-12, 1e-6)),
              "%s, %zu points on: %.13f", harness_precision_name(precision), known[m].from, got);
    }
}

static void cuts(psg_precision precision, const char *sides, const size_t n[3]) {
    enum { COUNT = 3 };
    static const char *const ways[] = {"",
                                       "executor=tasks",
                                       "executor=tasks segment_planes=1 sheets=64",
                                       "segment_planes=3 sheets=5",
                                       "placement=free",
                                       "symbol=fd2 lambda=3",
                                       "exchange=managed",
                                       "graph=staged segment_planes=3 sheets=5",
                                       "graph=staged segment_planes=5 sheets=1"};
    const size_t points = n[0] * n[1] * n[2], bytes = harness_element_bytes(precision) * points;
    psg_grid grid = harness_box(n[0], n[1], n[2], 1, 1.1, 0.8);
    FREED double *f = oracle_array(points), *want = oracle_array(points), *u = oracle_array(points);
    FREED char *several = harness_array(precision, COUNT * points);
    harness_sides(&grid, sides);
    oracle_random(n[0], points, f);
    for (size_t w = 0; w < sizeof ways / sizeof *ways; ++w) {
        psg_options options = harness_with(precision, ways[w]);
        const double f64 = options.gpus == 0 ? 1e-14 : 1e-13, f32 = options.gpus == 0 ? 1e-6 : 1e-5;
        DESTROYED psg_plan *plan = harness_plan(&grid, &options);
        options = harness_with(precision, w == 5 ? ways[w] : "");
        options.gpus = 0;
        options.segment_planes = n[2];
        options.sheets = 1;
        DESTROYED psg_plan *whole = harness_plan(&grid, &options);
        CHECK_STATUS(harness_solve(whole, precision, points, f, want), PSG_OK);
        CHECK_STATUS(harness_solve(plan, precision, points, f, u), PSG_OK);
        CHECK_CLOSE(u, want, n[0], n[1], n[2], harness_tolerance(precision, f64, f32), "%s, %s, %s",
                    sides, harness_precision_name(precision), ways[w]);
        for (size_t m = 0; m < COUNT; ++m) {
            harness_store(precision, points, f, several + m * bytes);
        }
        CHECK_STATUS(psg_solve_many(plan, COUNT, several, several), PSG_OK);
        for (size_t m = 0; m < COUNT; ++m) {
            harness_load(precision, points, several + m * bytes, u);
            CHECK_CLOSE(u, want, n[0], n[1], n[2], harness_tolerance(precision, f64, f32),
                        "%s, %s, right-hand side %zu", sides, ways[w], m);
        }
    }
}

/* Tables of solves in flight stay, and those of others are made anew in their place. */
static void lambdas(void) {
    enum { N = 6, POINTS = N * N * N, FLIGHT = 3, SOLVES = 9 };
    static const double lambda[SOLVES] = {0, 2, 2, 5, 0, 7, 2, 5, 9};
    psg_grid grid = harness_box(N, N, N, 1, 1, 1);
    const psg_options options = harness_with(PSG_F64, "in_flight=3");
    double f[POINTS], u[SOLVES][POINTS], want[POINTS];
    harness_sides(&grid, "FF,PP,FF");
    oracle_random(1, POINTS, f);
    DESTROYED psg_plan *plan = harness_plan(&grid, &options);
    for (size_t m = 0; m < SOLVES + FLIGHT; ++m) {
        if (m >= FLIGHT) {
            CHECK_STATUS(psg_wait(plan), PSG_OK);
        }
        if (m < SOLVES) {
            psg_solve_args args = harness_args(plan);
            const psg_array from = harness_view(f), to = harness_view(u[m]);
            args.lambda = lambda[m];
            CHECK_STATUS(psg_submit_arrays(plan, 1, &from, &to, &args), PSG_OK);
        }
    }
    for (size_t m = 0; m < SOLVES; ++m) {
        psg_options own = options;
        own.lambda = lambda[m];
        DESTROYED psg_plan *other = harness_plan(&grid, &own);
        CHECK_STATUS(psg_solve(other, f, want), PSG_OK);
        CHECK_CLOSE(u[m], want, (size_t)N, (size_t)N, (size_t)N, 1e-14, "lambda %g", lambda[m]);
    }
}

int main(void) {
    enum { SIDES = 19, SIZES = 7 };
    static const char *const sides[SIDES] = {
        "FF",       "FF,PP,PP", "PP,FF,NN", "DD,FF,FF", "FF,NN,DN", "FF,FF,PP", "PP,FF,FF",
        "FF,PP,FF", "NN,FF,PP", "FF,FF,DN", "FF,DD,FF", "DF,PP,PP", "FF,PP,FN", "FF,FF,DF",
        "NF,DN,FD", "DF,FN,NF", "PP,FD,FF", "FF,NF,DN", "PP,DF,PP"};
    /* Planes of some have strips on GPUs, and some columns kernels of their own. */
    static const size_t sizes[SIZES][3] = {{6, 5, 9},    {7, 8, 4},    {1, 3, 5},  {16, 12, 10},
                                           {32, 32, 64}, {32, 64, 12}, {64, 32, 9}};
    const psg_options options = harness_options(PSG_F64);
    psg_plan *anchor = harness_anchor(&options);
    for (int precision = PSG_F64; precision <= PSG_F32; ++precision) {
        charge((psg_precision)precision);
        for (size_t c = 0; c < 77; ++c) {
            cuts((psg_precision)precision, sides[c % SIDES], sizes[c % SIZES]);
        }
    }
    lambdas();
    psg_plan_destroy(anchor);
    return check_result();
}
