/* u does not depend on how the work is cut and shared out: segments, sheets, workers, variant, layout
 * and solves in flight give what one worker, one segment and one sheet give. */
#include "tests/mpi/ranks.h"

#include <stdlib.h>

static const oracle_grid grids[] = {
    {{13, 11, 17}, {1.0, 1.0, 2.0}}, {{16, 12, 10}, {1.0, 1.0, 1.0}}, {{5, 1, 19}, {1.0, 1.0, 1.0}},
    {{4, 9, 1}, {1.0, 1.0, 1.0}},    {{1, 7, 8}, {1.0, 1.0, 1.0}},
};

static const size_t planes[] = {0, 1, 2, 3, 5, 8, 1000}, sheets[] = {0, 1, 2, 3, 7, 1000};
enum { PLANES = sizeof planes / sizeof *planes, SHEETS = sizeof sheets / sizeof *sheets };

/** A problem of this grid and precision on so many workers. */
static problem make(const oracle_grid *grid, size_t run, int cpus) {
    problem x = problem_make(grid, run);
    x.options.cpus = cpus;
    x.options.policy = "lws";
    return x;
}

/** @param[out] u  of one worker, one segment and one sheet @return is it right? */
static int reference(const oracle_grid *grid, size_t run, double *u) {
    AT_END(problem_free) problem x = make(grid, run, 1);
    x.options.segment_planes = grid->n[2];
    x.options.sheets = 1;
    x.options.in_flight = 1;
    problem_plan(&x);
    const int held = CHECK_STATUS(problem_solve(&x, x.f), PSG_OK) &&
                     problem_check(&x, &x.part, 1e-12, 1e-4, "the reference itself");
    share_gather(&x.part, MPI_COMM_WORLD, u);
    return held;
}

static void all_cuts(const oracle_grid *grid, size_t precision, int cpus, const double *want) {
    for (size_t run = 0; run < (size_t)PLANES * SHEETS * HARNESS_VARIANTS; ++run) {
        AT_END(problem_free) problem x = make(grid, 2 * (run % HARNESS_VARIANTS) + precision, cpus);
        x.options.segment_planes = planes[run / HARNESS_VARIANTS % PLANES];
        x.options.sheets = sheets[run / HARNESS_VARIANTS / PLANES];
        x.options.in_flight = 1 + (unsigned)(run % 4);
        problem_plan(&x);
        for (int repeat = 0; repeat < 2; ++repeat) {
            CHECK_STATUS(problem_solve(&x, x.f), PSG_OK);
            share_gather(&x.part, MPI_COMM_WORLD, x.got);
            CHECK_CLOSE(x.got, want, grid->n[0], grid->n[1], grid->n[2],
                        harness_tolerance(x.options.precision, 1e-14, 2e-6),
                        "%s, %d workers, %zu planes a segment, %zu sheets, %u in flight, solve "
                        "%d",
                        x.words, cpus, x.options.segment_planes, x.options.sheets,
                        x.options.in_flight, repeat);
        }
    }
}

int main(int argc, char **argv) {
    ranks_start(&argc, &argv);
    for (size_t run = 0; run < 2 * sizeof grids / sizeof *grids; ++run) {
        const oracle_grid *grid = &grids[run / 2];
        FREED double *want = oracle_array(oracle_points(grid));
        if (reference(grid, run % 2, want)) {
            const int on_gpus = harness_options(PSG_F64).gpus > 0; /* which take all tasks */
            for (int cpus = 1; cpus <= (on_gpus ? 1 : 3); ++cpus) {
                problem anchor = make(grid, 0, cpus); /* so that StarPU starts once */
                problem_plan(&anchor);
                all_cuts(grid, run % 2, cpus, want);
                problem_free(&anchor);
            }
        }
    }
    return ranks_finish(check_result());
}
