/* u is the factor times what it is without one, in every graph, precision and equation, and the
 * mean that is dropped is that of f. */
#include "graph/psg_observe.h"
#include "tests/mpi/ranks.h"

static const oracle_grid grid = {{9, 10, 12}, {1.0, 2.0, 0.5}};

/** Gravity and electrostatics in Gaussian and in SI units, and what a test needs to see a sign. */
static const double factors[] = {1, -1, 4 * 3.14159265358979323846 * 6.6743e-11,
                                 -4 * 3.14159265358979323846, -1 / 8.8541878128e-12};
enum { FACTORS = sizeof factors / sizeof *factors };

int main(int argc, char **argv) {
    ranks_start(&argc, &argv);
    problem anchor = problem_make(&grid, 0); /* so that StarPU starts once */
    problem_plan(&anchor);
    for (size_t n = 0; n < 2 * FACTORS * PROBLEM_RUNS; ++n) {
        AT_END(problem_free) problem x = problem_make(&grid, n / 2 / FACTORS);
        for (size_t m = 0; m < x.points; ++m) {
            x.f[m] += 0.25;
        }
        x.options.lambda = n % 2 ? 7.5 : 0;
        x.options.factor = factors[n / 2 % FACTORS];
        x.options.segment_planes = 5;
        x.options.sheets = 3;
        problem_plan(&x);
        CHECK_STATUS(problem_solve(&x, x.f), PSG_OK);
        problem_check(&x, &x.part, 1e-12, 1e-4, "u");
        const psg_statistics s = harness_statistics(x.plan);
        CHECK_NEAR(s.mean, n % 2 ? 0 : oracle_mean(x.f, x.points),
                   harness_tolerance(x.options.precision, 1e-13, 1e-5), "mean, %s", x.words);
    }
    problem_free(&anchor);
    return ranks_finish(check_result());
}
