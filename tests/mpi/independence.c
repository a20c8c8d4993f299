/* u does not depend on the number of processes: whatever the exchange, the cuts, the variant and
 * the workers, it is what one process alone gives, and what the oracle says. */
#include "tests/mpi/ranks.h"

#include <stdlib.h>
#include <string.h>

static const oracle_grid grids[] = {
    {{12, 11, 13}, {1.0, 1.1, 2.0}}, {{8, 9, 10}, {1.0, 1.0, 1.0}},
    {{5, 7, 3}, {2.0, 1.0, 1.0}},    {{1, 6, 9}, {1.0, 1.0, 1.5}},
    {{16, 3, 5}, {1.0, 1.0, 1.0}},   {{6, 1, 1}, {1.0, 1.0, 1.0}},
    {{16, 16, 4}, {1.0, 1.0, 1.0}},  {{31, 29, 37}, {1.0, 1.1, 1.2}},
    {{64, 64, 64}, {1.0, 1.0, 1.0}},
};
#define GRIDS (sizeof grids / sizeof *grids)

static const struct {
    size_t segment_planes, sheets;
} cuts[] = {{0, 0}, {1, 1000}, {3, 3}, {1000, 1}, {2, 8}};
#define CUTS (sizeof cuts / sizeof *cuts)

/** Grid, variant, exchange and precision in all combinations; symbol, lambda and cuts as `run` has
 * it. */
static void one_run(size_t run, int cpus) {
    const size_t mixed = (run * 2654435761U + (cpus < 0 ? 77U : 0U)) >> 5, cut = mixed / 4 % CUTS;
    AT_END(problem_free) problem x = problem_make(&grids[run % GRIDS], run / GRIDS);
    double *alone = oracle_array(x.points), mean = 0;
    x.options.cpus = cpus;
    x.options.symbol = mixed % 2 ? PSG_SYMBOL_FD2 : PSG_SYMBOL_SPECTRAL;
    x.options.lambda = mixed / 2 % 2 ? 3.5 : 0;
    x.options.segment_planes = cuts[cut].segment_planes;
    x.options.sheets = cuts[cut].sheets;
    x.options.in_flight = 1 + (unsigned)(mixed % 3);
    CHECK_STATUS(problem_alone(&x, &mean), PSG_OK);
    memcpy(alone, x.want, x.points * sizeof *alone);
    problem_plan(&x);
    for (int repeat = 0; repeat < 2; ++repeat) {
        const int odd = ranks_rank(MPI_COMM_WORLD) % 2 && run / 4 % 2;
        const share *s = odd ? &x.other : &x.part;
        share_take(&x.part, x.f);
        share_take(&x.other, x.f);
        CHECK_STATUS(psg_solve(x.plan, s->f, s->u), PSG_OK);
        problem_check(&x, s, 1e-12, 1e-4, "oracle");
        CHECK_CLOSE(x.got, alone, x.grid.n[0], x.grid.n[1], x.grid.n[2],
                    harness_tolerance(x.options.precision, 1e-14, 1e-6),
                    "%s, %zu planes, %zu sheets, cpus %d, solve %d, one process", x.words,
                    x.options.segment_planes, x.options.sheets, cpus, repeat);
    }
    free(alone);
}

int main(int argc, char **argv) {
    static const int cpus[] = {1, -1};
    ranks_start(&argc, &argv);
    for (size_t c = 0; c < 2; ++c) {
        problem anchor = problem_make(&grids[0], 0); /* so that StarPU starts once */
        anchor.options.cpus = cpus[c];
        problem_plan(&anchor);
        for (size_t run = 0; run < GRIDS * PROBLEM_RUNS / (c + 1); ++run) {
            if (ranks_takes(run)) {
                one_run(run, cpus[c]);
            }
        }
        problem_free(&anchor);
    }
    return ranks_finish(check_result());
}
