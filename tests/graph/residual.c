/* With the symbol fd2, the 7-point stencil applied to u gives f back: no reference solve is
 * needed. */
#include "tests/mpi/ranks.h"

static const oracle_grid grids[] = {
    {{12, 10, 14}, {1.0, 0.8, 1.3}}, {{45, 32, 27}, {2.0, 1.0, 1.0}},
    {{23, 19, 29}, {1.0, 1.0, 1.0}}, {{1, 16, 9}, {1.0, 1.0, 1.0}},
    {{17, 1, 8}, {1.0, 1.0, 1.0}},   {{64, 6, 2}, {1.0, 1.0, 1.0}},
    {{2, 3, 1}, {1.0, 1.0, 1.0}},
};

int main(int argc, char **argv) {
    ranks_start(&argc, &argv);
    problem anchor = problem_make(&grids[0], 0); /* so that StarPU starts once */
    problem_plan(&anchor);
    for (size_t n = 0; n < 2 * PROBLEM_RUNS * sizeof grids / sizeof *grids; ++n) {
        problem x = problem_make(&grids[n / 2 / PROBLEM_RUNS], n / 2 % PROBLEM_RUNS);
        oracle_remove_mean(x.f, x.points);
        harness_round(x.options.precision, x.points, x.f);
        x.options.symbol = PSG_SYMBOL_FD2;
        x.options.lambda = n % 2 ? 2.5 : 0;
        x.options.segment_planes = 4;
        x.options.sheets = 3;
        problem_plan(&x);
        CHECK_STATUS(problem_solve(&x, x.f), PSG_OK);
        share_gather(&x.part, MPI_COMM_WORLD, x.got);
        oracle_residual(&x.grid, x.options.lambda, x.got, x.f, x.want);
        for (size_t p = 0; p < x.points; ++p) {
            x.want[p] += x.f[p]; /* so that it stands beside f */
        }
        CHECK_CLOSE(x.want, x.f, x.grid.n[0], x.grid.n[1], x.grid.n[2],
                    harness_tolerance(x.options.precision, 1e-11, 2e-3),
                    "stencil of u beside f, %s", x.words);
        problem_free(&x);
    }
    problem_free(&anchor);
    return ranks_finish(check_result());
}
