/* Dirichlet, Neumann and free sides over several processes: u is what one process alone gives, whatever
 * the exchange, the cuts and the variant. */
#include "graph/psg_observe.h"
#include "tests/mpi/ranks.h"

static const oracle_grid grids[] = {{{7, 9, 11}, {1.0, 1.1, 1.2}}, {{8, 6, 4}, {1.0, 1.0, 1.0}}};
enum { GRIDS = sizeof grids / sizeof *grids };

/* Those with FD or NF beside a free x or y come last: GPUs do not have them. */
static const char *const sides[] = {"DD,NN,DN",  "NNn,NNn,NNn", "NDn,PP,DDn", "PP,DN,PP",
                                    "PP,PP,NDn", "PP,NN,FF",    "FF,DD,PP",   "FF",
                                    "NN,FF,FF",  "FD,PP,NF"};
enum { FREE = 5, CORES = 9 };
enum { SIDES = sizeof sides / sizeof *sides };

static void one_run(size_t run) {
    const size_t s = run / GRIDS % SIDES;
    AT_END(problem_free) problem x = problem_make(&grids[run % GRIDS], run / GRIDS / SIDES);
    psg_statistics statistics = {.mean = NAN};
    double mean = 0;
    harness_sides(&x.g, sides[s]);
    const size_t symbols = s < FREE ? PSG_SYMBOL_COUNT : PSG_SYMBOL_FD2 + 1;
    x.options.symbol = (psg_symbol)((s + run / GRIDS / SIDES) % symbols);
    x.options.segment_planes = 1 + run % 4;
    x.options.sheets = 1 + run % 5;
    if (s >= CORES && x.options.gpus > 0) {
        return;
    }
    CHECK_STATUS(problem_alone(&x, &mean), PSG_OK);
    problem_plan(&x);
    const share *mine = run % 2 ? &x.other : &x.part;
    share_take(&x.part, x.f);
    share_take(&x.other, x.f);
    CHECK_STATUS(psg_solve(x.plan, mine->f, mine->u), PSG_OK);
    problem_check(&x, mine, 1e-14, 1e-6, sides[s]);
    CHECK_STATUS(psg_plan_statistics(x.plan, &statistics), PSG_OK);
    CHECK_NEAR(statistics.mean, mean, harness_tolerance(x.options.precision, 1e-15, 1e-7),
               "mean, %s, %s", sides[s], x.words);
}

int main(int argc, char **argv) {
    ranks_start(&argc, &argv);
    problem anchor = problem_make(&grids[0], 0); /* so that StarPU starts once */
    problem_plan(&anchor);
    for (size_t run = 0; run < GRIDS * SIDES * PROBLEM_RUNS; ++run) {
        if (ranks_takes(run)) {
            one_run(run);
        }
    }
    problem_free(&anchor);
    return ranks_finish(check_result());
}
