/* Values on the sides over several processes: u is what one process alone gives, whatever the
 * exchange, the cuts and the variant. So is the gradient of u, though its last plane needs the next
 * process'. Each process has the values next to its own planes, and all say which sides have
 * some. */
#include "tests/check.h"
#include "tests/mpi/ranks.h"

#include <stdlib.h>
#include <string.h>

static const oracle_grid box = {{6, 7, 9}, {1.0, 1.1, 1.2}};
static MPI_Comm world;

/* In some runs the last process' planes are next to the first one's. */
static psg_grid grid_of(size_t run) {
    static const char *const sides[] = {"DN,DD,DN", "DNn,DDn,DNn", "DN,DD,PP", "DNn,DDn,PP"};
    psg_grid grid = harness_grid(&box);
    harness_sides(&grid, sides[run % 4]);
    return grid;
}

/** @param[in]  grid    no values where it is periodic
 *  @param[in]  planes  that this process has, from z0 on
 *  @param[in]  skip    a side without values; 6: none
 *  @param[out] g       the derivative of u along z */
static psg_status submit(psg_plan *plan, const psg_grid *grid, const double *f, double *u,
                         double *g, double *values[6], size_t z0, size_t planes, size_t skip) {
    const psg_array gradient = {.data = g, .device = PSG_HOST};
    const psg_array from = {.data = (void *)(uintptr_t)f, .device = PSG_HOST};
    const psg_array to = {.data = u, .device = PSG_HOST};
    psg_array side[6];
    psg_solve_args args = harness_args(plan);
    for (size_t m = 0; m < 6; ++m) {
        const size_t row = m < 2 ? box.n[1] : box.n[0];
        const size_t here =
            m < 4 ? planes > 0 : planes > 0 && (m == 4 ? z0 == 0 : z0 + planes == box.n[2]);
        side[m] = (psg_array){.data = here ? values[m] + (m < 4 ? z0 * row : 0) : NULL,
                              .device = PSG_HOST};
        const int none = m == skip || grid->axis[m / 2].bc[0] == PSG_BC_PERIODIC;
        args.side[m / 2][m % 2] = none ? NULL : &side[m];
    }
    args.gradient[2] = &gradient;
    return psg_submit_arrays(plan, 1, &from, &to, &args);
}

static void one_run(size_t run, const double *f, double *values[6], double *want, double *want_g) {
    const harness_variant *variant = &harness_variants[run % HARNESS_VARIANTS];
    const size_t points = oracle_points(&box);
    const psg_grid grid = grid_of(run);
    psg_options options = ranks_options(PSG_F64, NULL);
    psg_plan *plan = NULL;
    options.symbol = PSG_SYMBOL_FD2;
    if (ranks_rank(world) == 0 && CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
        CHECK_STATUS(submit(plan, &grid, f, want, want_g, values, 0, box.n[2], 6), PSG_OK);
        CHECK_STATUS(psg_wait(plan), PSG_OK);
    }
    psg_plan_destroy(plan);
    plan = NULL;
    options = ranks_options(PSG_F64, &world);
    harness_set_variant(&options, variant);
    options.symbol = PSG_SYMBOL_FD2;
    options.exchange = ranks_exchanges[run / 3 % RANKS_EXCHANGES];
    options.segment_planes = 1 + run % 3;
    ranks_at("%s, run %zu", variant->name, run);
    const int held = CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK);
    if (ranks_all(world, held)) {
        AT_END(share_free) share mine = share_make(world, PSG_F64, &box, 0);
        share gradient = share_make(world, PSG_F64, &box, 0); /* its u */
        FREED double *u = oracle_array(points);
        share_take(&mine, f);
        share_take(&gradient, f);
        const psg_status status =
            submit(plan, &grid, mine.f, mine.u, gradient.u, values, mine.z0, mine.planes, 6);
        if (CHECK_STATUS(status, PSG_OK)) {
            CHECK_STATUS(psg_wait(plan), PSG_OK);
        }
        CHECK(share_intact(&mine) && share_intact(&gradient), "f or what is beside u was written");
        share_gather(&mine, world, u);
        if (ranks_rank(world) == 0) {
            CHECK_CLOSE(u, want, box.n[0], box.n[1], box.n[2], 1e-13, "%s, run %zu", variant->name,
                        run);
        }
        share_gather(&gradient, world, u);
        if (ranks_rank(world) == 0) {
            CHECK_CLOSE(u, want_g, box.n[0], box.n[1], box.n[2], 1e-13, "gradient, %s, run %zu",
                        variant->name, run);
        }
        if (ranks_size(world) > 1) { /* the last process has no values on one side */
            const size_t skip = ranks_rank(world) == ranks_size(world) - 1 ? run % 4 : 6;
            CHECK_STATUS(
                submit(plan, &grid, mine.f, mine.u, gradient.u, values, mine.z0, mine.planes, skip),
                PSG_ERR_ARG);
            CHECK(strstr(psg_last_error(), "side[") != NULL, "'%s'", psg_last_error());
        }
        share_free(&gradient);
    }
    psg_plan_destroy(plan);
}

int main(int argc, char **argv) {
    ranks_start(&argc, &argv);
    world = MPI_COMM_WORLD;
    const size_t points = oracle_points(&box);
    double *f = oracle_array(points), *want = oracle_array(points), *values[6];
    double *want_g = oracle_array(points);
    oracle_random(2, points, f);
    for (size_t m = 0; m < 6; ++m) {
        values[m] = oracle_array(points / box.n[m / 2]);
        oracle_random(10 + m, points / box.n[m / 2], values[m]);
    }
    for (size_t run = 0; run < 12; ++run) {
        if (ranks_takes(run)) {
            one_run(run, f, values, want, want_g);
        }
    }
    for (size_t m = 0; m < 6; ++m) {
        free(values[m]);
    }
    free(f);
    free(want);
    free(want_g);
    return ranks_finish(check_result());
}
