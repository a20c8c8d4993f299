/* A random right-hand side gives the same u as a naive discrete Fourier transform in long double,
 * on sizes odd, prime and 1, with lambda = 0 and lambda > 0, for both symbols. */
#include "tests/mpi/ranks.h"

static const oracle_grid grids[] = {
    {{9, 10, 11}, {1.0, 2.0, 0.5}},  {{16, 15, 14}, {1.0, 1.0, 1.0}}, {{7, 5, 3}, {2.0, 1.0, 3.0}},
    {{1, 13, 12}, {1.0, 1.0, 2.0}},  {{13, 1, 6}, {1.0, 1.0, 1.0}},   {{8, 17, 1}, {3.0, 1.0, 1.0}},
    {{1, 1, 31}, {1.0, 1.0, 1.0}},   {{1, 1, 1}, {1.0, 1.0, 1.0}},    {{2, 1, 2}, {1.0, 1.0, 1.0}},
    {{32, 27, 25}, {1.0, 1.1, 0.9}}, {{3, 2, 37}, {1.0, 1.0, 4.0}},
};

int main(int argc, char **argv) {
    static const double lambdas[] = {0, 1e-3, 40};
    ranks_start(&argc, &argv);
    problem anchor = problem_make(&grids[0], 0); /* so that StarPU starts once */
    problem_plan(&anchor);
    for (size_t n = 0; n < 6 * PROBLEM_RUNS * sizeof grids / sizeof *grids; ++n) {
        problem x = problem_make(&grids[n / 6 / PROBLEM_RUNS], n / 6 % PROBLEM_RUNS);
        x.options.symbol = n % 2 ? PSG_SYMBOL_FD2 : PSG_SYMBOL_SPECTRAL;
        x.options.lambda = lambdas[n / 2 % 3];
        x.options.segment_planes = 1 + x.grid.n[2] / 3;
        x.options.sheets = 1 + x.grid.n[1] / 4;
        problem_plan(&x);
        CHECK_STATUS(problem_solve(&x, x.f), PSG_OK);
        problem_check(&x, &x.part, 1e-12, 1e-4, n % 2 ? "fd2" : "spectral");
        problem_free(&x);
    }
    problem_free(&anchor);
    return ranks_finish(check_result());
}
