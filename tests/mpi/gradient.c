/* The gradient of u with the symbol spectral over several processes: the derivatives of the
 * trigonometric interpolant of u, whatever the exchange, the cuts, the variant and the choice of
 * components; and in flight each solve has its own. */
#include "graph/psg_observe.h"
#include "tests/check.h"
#include "tests/mpi/ranks.h"

#include <stdlib.h>

static const oracle_grid grids[] = {{{6, 7, 9}, {1.0, 1.1, 1.2}}, {{9, 10, 4}, {2.0, 1.0, 1.5}}};
enum { GRIDS = sizeof grids / sizeof *grids, AT_ONCE = 2 };
static MPI_Comm world;

/** A solve: this process' planes of f and u, and of each component, which are the u of shares. */
typedef struct part {
    share u, g[3];
    size_t wanted; /* bit d: the component along axis d */
} part;

static void part_make(part *p, psg_precision precision, const oracle_grid *grid, size_t wanted,
                      const double *f) {
    p->wanted = wanted;
    p->u = share_make(world, precision, grid, 0);
    share_take(&p->u, f);
    for (int d = 0; d < 3; ++d) {
        p->g[d] = share_make(world, precision, grid, 0);
        share_take(&p->g[d], f);
    }
}

static void part_free(part *p) {
    share_free(&p->u);
    for (int d = 0; d < 3; ++d) {
        share_free(&p->g[d]);
    }
}

static psg_status submit(psg_plan *plan, const part *p) {
    const psg_array from = {.data = p->u.f, .device = PSG_HOST};
    const psg_array to = {.data = p->u.u, .device = PSG_HOST};
    psg_array g[3];
    psg_solve_args args;
    CHECK_STATUS(psg_solve_args_init(&args, plan), PSG_OK);
    for (int d = 0; d < 3; ++d) {
        g[d] = (psg_array){.data = p->g[d].u, .device = PSG_HOST};
        args.gradient[d] = p->wanted >> d & 1 ? &g[d] : NULL;
    }
    return psg_submit_arrays(plan, 1, &from, &to, &args);
}

/** Tasks and messages are counted, and a message begins before it ends. */
static void check_told(psg_plan *plan, const part *p) {
    psg_statistics s;
    psg_event *events;
    size_t count = 0;
    CHECK_STATUS(psg_plan_statistics(plan, &s), PSG_OK);
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
    double *u = oracle_array(points), *want = oracle_array(points), *got = oracle_array(points);
    oracle_solve(grid, ORACLE_SPECTRAL, 0, f, u);
    CHECK(share_intact(&p->u), "f or what is beside u was written, %s", what);
    share_gather(&p->u, world, got);
    CHECK_CLOSE(got, u, n[0], n[1], n[2], 10 * tolerance, "u, %s", what);
    for (int d = 0; d < 3; ++d) {
        CHECK(share_intact(&p->g[d]), "what is beside component %d was written, %s", d, what);
        share_gather(&p->g[d], world, got);
        if (p->wanted >> d & 1) {
            oracle_derivative(grid, d, u, want);
            CHECK_CLOSE(got, want, n[0], n[1], n[2], 10 * tolerance, "component %d of %zu, %s", d,
                        p->wanted, what);
        }
    }
    free(u);
    free(want);
    free(got);
}

static void one_run(size_t run, psg_exchange exchange) {
    const harness_variant *variant = &harness_variants[run % HARNESS_VARIANTS];
    const oracle_grid *box = &grids[run / 3 % GRIDS];
    const psg_grid grid = harness_grid(box);
    psg_options options = ranks_options(run % 5 == 4 ? PSG_F32 : PSG_F64, &world);
    psg_plan *plan = NULL;
    char what[120];
    harness_set_variant(&options, variant);
    options.exchange = exchange;
    options.segment_planes = 1 + run % 3;
    options.sheets = 1 + run / 2 % 5;
    options.in_flight = 1 + run % 2;
    snprintf(what, sizeof what, "%s, %s, run %zu", variant->name, ranks_exchange_name(exchange),
             run);
    ranks_at("%s", what);
    const int held = CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK);
    double *f[AT_ONCE];
    part p[AT_ONCE];
    for (size_t turn = 0; turn < 2 && ranks_all(world, held); ++turn) {
        for (size_t m = 0; m < AT_ONCE; ++m) {
            f[m] = oracle_array(oracle_points(box));
            oracle_random(run + 10 * m + 100 * turn, oracle_points(box), f[m]);
            harness_round(options.precision, oracle_points(box), f[m]);
            part_make(&p[m], options.precision, box, (run + 3 * m + turn) % 8, f[m]);
        }
        for (size_t m = 0; m < AT_ONCE; ++m) {
            CHECK_STATUS(submit(plan, &p[m]), PSG_OK);
        }
        for (size_t m = 0; m < AT_ONCE; ++m) {
            CHECK_STATUS(psg_wait(plan), PSG_OK);
            check_told(plan, &p[m]);
            check(&p[m], box, f[m], what);
        }
        for (size_t m = 0; m < AT_ONCE; ++m) {
            part_free(&p[m]);
            free(f[m]);
        }
    }
    psg_plan_destroy(plan);
}

int main(int argc, char **argv) {
    ranks_start(&argc, &argv);
    world = MPI_COMM_WORLD;
    const psg_grid grid = harness_grid(&grids[0]);
    const psg_options options = ranks_options(PSG_F64, NULL);
    psg_plan *anchor = NULL;
    CHECK_STATUS(psg_plan_create(&anchor, &grid, &options), PSG_OK);
    for (size_t run = 0; run < (size_t)24 * RANKS_EXCHANGES; ++run) {
        if (ranks_takes(run)) {
            one_run(run / RANKS_EXCHANGES, ranks_exchanges[run % RANKS_EXCHANGES]);
        }
    }
    psg_plan_destroy(anchor);
    return ranks_finish(check_result());
}
