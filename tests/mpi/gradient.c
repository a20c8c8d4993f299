/* The gradient of u over several processes: the derivatives of the
 * trigonometric interpolant of u, whatever the exchange, the cuts, the variant and the choice of
 * components; and in flight each solve has its own. Where axes are free it is what one process
 * makes alone, by other blocks, with the symbol fd2 too. */
#include "graph/psg_observe.h"
#include "tests/check.h"
#include "tests/mpi/ranks.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const oracle_grid grids[] = {{{6, 7, 9}, {1.0, 1.1, 1.2}}, {{9, 10, 4}, {2.0, 1.0, 1.5}}};
enum { GRIDS = sizeof grids / sizeof *grids, AT_ONCE = 2 };
static MPI_Comm world;

/** Tasks and messages are counted, and a message begins before it ends. */
static void check_told(psg_plan *plan, const part *p) {
    psg_event *events;
    size_t count = 0;
    const psg_statistics s = harness_statistics(plan);
    CHECK(s.stage[PSG_STAGE_EXCHANGE].seconds >= 0 &&
              s.stage[PSG_STAGE_EXCHANGE].seconds <= s.seconds,
          "messages are on their way for %g of %g seconds", s.stage[PSG_STAGE_EXCHANGE].seconds,
          s.seconds);
    /* On cores the tasks that make u in the fused graph make x and y, too; to and from GPUs u is
     * copied. */
    const int beside = s.stage[PSG_STAGE_INVERSE_XY].tasks > 0 && getenv("PSG_TEST_GPUS") == NULL;
    const int planes = p->u.planes > 0 && (beside ? p->wanted >> 2 & 1 : p->wanted > 0);
    CHECK((s.stage[PSG_STAGE_GRADIENT_XY].tasks > 0) == planes, "%d: %llu tasks of components",
          planes, (unsigned long long)s.stage[PSG_STAGE_GRADIENT_XY].tasks);
    CHECK_STATUS(psg_plan_events(plan, NULL, 0, &count), PSG_OK);
    events = calloc(count + 1, sizeof *events);
    if (CHECK(events != NULL, "no memory")) {
        CHECK_STATUS(psg_plan_events(plan, events, count, &count), PSG_OK);
        for (size_t m = 0; m < count; ++m) {
            if (!CHECK(events[m].start <= events[m].end,
                       "%s of segment %zu begins at %g, ends at %g",
                       psg_stage_name(events[m].stage), events[m].segment, events[m].start,
                       events[m].end)) {
                break;
            }
        }
    }
    free(events);
}

static void check(const part *p, const oracle_grid *grid, const double *f, const char *what) {
    const size_t points = oracle_points(grid), *n = grid->n;
    const double tolerance = harness_tolerance(p->u.precision, 1e-13, 1e-4);
    FREED double *u = oracle_array(points), *want = oracle_array(points),
                 *got = oracle_array(points);
    oracle_solve(grid, ORACLE_SPECTRAL, 0, f, u);
    CHECK(share_intact(&p->u), "f or what is beside u was written, %s", what);
    share_gather(&p->u, world, got);
    CHECK_CLOSE(got, u, n[0], n[1], n[2], 10 * tolerance, "u, %s", what);
    for (int d = 0; d < 3; ++d) {
        CHECK(share_intact(&p->g[d]), "what is beside component %d was written, %s", d, what);
        share_gather(&p->g[d], world, got);
        if (p->wanted >> d & 1) {
            oracle_derivative(grid, d, u, want);
            CHECK_CLOSE(got, want, n[0], n[1], n[2], 10 * tolerance, "component %d of %u, %s", d,
                        p->wanted, what);
        }
    }
}

static void one_run(size_t run) {
    problem x = problem_make(&grids[run / 3 % GRIDS], 2 * run + (run % 5 == 4));
    x.options.segment_planes = 1 + run % 3;
    x.options.sheets = 1 + run / 2 % 5;
    x.options.in_flight = 1 + run % 2;
    double *f[AT_ONCE];
    part p[AT_ONCE];
    for (size_t m = 0; m < AT_ONCE; ++m) {
        f[m] = oracle_array(x.points);
        p[m] = part_make(world, x.options.precision, &x.grid);
    }
    problem_plan(&x);
    for (size_t turn = 0; turn < 2; ++turn) {
        for (size_t m = 0; m < AT_ONCE; ++m) {
            oracle_random(run + 10 * m + 100 * turn, x.points, f[m]);
            harness_round(x.options.precision, x.points, f[m]);
            CHECK_STATUS(part_submit(&p[m], x.plan, f[m], (unsigned)(run + 3 * m + turn) % 8),
                         PSG_OK);
        }
        for (size_t m = 0; m < AT_ONCE; ++m) {
            CHECK_STATUS(psg_wait(x.plan), PSG_OK);
            check_told(x.plan, &p[m]);
            check(&p[m], &x.grid, f[m], x.words);
        }
    }
    for (size_t m = 0; m < AT_ONCE; ++m) {
        part_free(&p[m]);
        free(f[m]);
    }
    problem_free(&x);
}

static const char *const free_sides[] = {"PP,PP,FF", "FF", "FF,PP,FF", "FF,FF,PP", "FF,PP,PP"};
enum { FREE_SIDES = sizeof free_sides / sizeof *free_sides };

/** u and its gradient, of one process alone. */
static void alone(const problem *x, double *const want[4]) {
    psg_options options = ranks_options(x->options.precision, NULL);
    options.symbol = x->options.symbol;
    part p = part_make(MPI_COMM_SELF, x->options.precision, &x->grid);
    psg_plan *plan = NULL;
    CHECK_STATUS(psg_plan_create(&plan, &x->g, &options), PSG_OK);
    CHECK_STATUS(part_submit(&p, plan, x->f, 7), PSG_OK);
    CHECK_STATUS(psg_wait(plan), PSG_OK);
    for (int m = 0; m < 4; ++m) {
        share_gather(m == 0 ? &p.u : &p.g[m - 1], MPI_COMM_SELF, want[m]);
    }
    psg_plan_destroy(plan);
    part_free(&p);
}

/** In place GPUs have no f to read again, where z is free. Cores read it once.
 *  @param[in] want  the component along z */
static void in_place(problem *x, const double *want) {
    share *s = &x->other;
    const size_t *n = x->grid.n;
    psg_array f, z;
    psg_solve_args args = harness_args(x->plan);
    share_take(&x->part, x->f);
    share_take(s, x->f);
    psg_array_init(&f, x->part.f);
    psg_array_init(&z, s->u);
    args.gradient[2] = &z;
    const psg_status status = psg_solve_arrays(x->plan, 1, &f, &f, &args);
    if (x->options.gpus > 0) {
        CHECK(status == PSG_ERR_UNSUPPORTED &&
                  strstr(psg_last_error(), "give u memory of its own") != NULL,
              "%s", psg_last_error());
    } else if (CHECK_STATUS(status, PSG_OK)) {
        share_gather(s, world, x->got);
        CHECK_CLOSE(x->got, want, n[0], n[1], n[2],
                    harness_tolerance(x->options.precision, 1e-13, 1e-5), "in place, %s", x->words);
    }
}

static void free_run(size_t run) {
    problem x = problem_make(&grids[run % GRIDS], run / GRIDS / FREE_SIDES);
    const char *sides = free_sides[run / GRIDS % FREE_SIDES];
    const size_t *n = x.grid.n;
    double *want[4];
    harness_sides(&x.g, sides);
    const bool beyond = ranks_exchange_used(&x.options) == PSG_EXCHANGE_DIRECT &&
                        n[2] / (size_t)ranks_size(world) > 1; /* GPUs need two planes in the last */
    const bool fd2 =
        (x.options.gpus == 0 || beyond) && (run / GRIDS / FREE_SIDES + run / GRIDS) % 2 == 1;
    x.options.symbol = fd2 ? PSG_SYMBOL_FD2 : PSG_SYMBOL_SPECTRAL;
    x.options.segment_planes = fd2 && x.options.gpus > 0 ? 0 : 1 + run % 3;
    x.options.sheets = 1 + run / 2 % 5;
    for (int m = 0; m < 4; ++m) {
        want[m] = oracle_array(x.points);
    }
    alone(&x, want);
    problem_plan(&x);
    part p = part_make(world, x.options.precision, &x.grid);
    for (unsigned turn = 0; turn < 2; ++turn) {
        const unsigned wanted = turn == 0 ? 7 : (unsigned)run % 8;
        CHECK_STATUS(part_submit(&p, x.plan, x.f, wanted), PSG_OK);
        CHECK_STATUS(psg_wait(x.plan), PSG_OK);
        for (int m = 0; m < 4; ++m) {
            const share *s = m == 0 ? &p.u : &p.g[m - 1];
            CHECK(share_intact(s), "what is beside field %d was written, %s", m, x.words);
            share_gather(s, world, x.got);
            if (m == 0 || wanted >> (m - 1) & 1) {
                CHECK_CLOSE(x.got, want[m], n[0], n[1], n[2],
                            harness_tolerance(x.options.precision, 1e-13, 1e-5), "field %d, %s, %s",
                            m, sides, x.words);
            }
        }
    }
    if ((fd2 || strcmp(sides + strlen(sides) - 2, "FF") == 0) && ranks_size(world) > 1) {
        in_place(&x, want[3]);
    }
    for (int m = 0; m < 4; ++m) {
        free(want[m]);
    }
    part_free(&p);
    problem_free(&x);
}

int main(int argc, char **argv) {
    ranks_start(&argc, &argv);
    world = MPI_COMM_WORLD;
    const psg_options options = ranks_options(PSG_F64, NULL);
    psg_plan *anchor = harness_anchor(&options);
    for (size_t run = 0; run < (size_t)24 * RANKS_EXCHANGES; ++run) {
        if (ranks_takes(run)) {
            one_run(run);
        }
    }
    for (size_t run = 0; run < GRIDS * FREE_SIDES * PROBLEM_RUNS; ++run) {
        if (ranks_takes(run)) {
            free_run(run);
        }
    }
    psg_plan_destroy(anchor);
    return ranks_finish(check_result());
}
