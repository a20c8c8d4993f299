/* Several GPUs give the right u, with several solves in flight too, whichever way blocks go between
 * them; with exchange direct StarPU copies none from GPU to GPU. */
#include "graph/psg_machine.h"
#include "graph/psg_observe.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <stdlib.h>

/* Lengths along z with a kernel of their own, and without; one row, one plane; rows of which
 * kspace returns some on 2 GPUs, and on 8. */
static const oracle_grid grids[] = {
    {{33, 30, 32}, {1.0, 1.1, 0.9}}, {{16, 15, 37}, {1.0, 1.0, 2.0}},
    {{8, 64, 60}, {3.0, 1.0, 1.0}},  {{9, 1, 12}, {1.0, 1.0, 1.0}},
    {{10, 11, 1}, {1.0, 2.0, 1.0}},  {{6, 500, 21}, {1.0, 2.0, 1.0}},
};

/* 0: the default. */
static const struct cut {
    size_t segment_planes, sheets;
} cuts[] = {{0, 0}, {5, 7}, {1000, 1}, {3, 30}, {1, 2}};

static psg_statistics statistics_of(const psg_plan *plan) {
    const psg_statistics s = harness_statistics(plan);
    return s;
}

static void solve(psg_plan *plan, const oracle_grid *grid, psg_precision precision,
                  psg_exchange exchange, const struct cut *cut) {
    const size_t points = oracle_points(grid), *n = grid->n;
    double *f = oracle_array(3 * points), *want = f + points, *got = want + points;
    void *in = harness_array(precision, points), *out[2];
    oracle_random(points, points, f);
    harness_round(precision, points, f);
    oracle_solve(grid, ORACLE_SPECTRAL, 0, f, want);
    harness_store(precision, points, f, in);
    out[0] = harness_array(precision, points);
    out[1] = harness_array(precision, points);
    for (int round = 0; round < 2; ++round) {
        for (int m = 0; m < 2; ++m) {
            CHECK_STATUS(psg_submit(plan, in, out[m]), PSG_OK);
        }
        for (int m = 0; m < 2; ++m) {
            CHECK_STATUS(psg_wait(plan), PSG_OK);
        }
        for (int m = 0; m < 2; ++m) {
            harness_load(precision, points, out[m], got);
            CHECK_CLOSE(got, want, n[0], n[1], n[2], harness_tolerance(precision, 1e-12, 1e-4),
                        "%s, exchange %d, cut %zu x %zu, solve %d of round %d",
                        harness_precision_name(precision), (int)exchange, cut->segment_planes,
                        cut->sheets, m, round);
        }
    }
    free(f);
    free(in);
    free(out[0]);
    free(out[1]);
}

static void one_plan(const oracle_grid *grid, psg_precision precision, psg_exchange exchange,
                     const struct cut *cut) {
    psg_options options = harness_options(precision);
    const psg_grid g = harness_grid(grid);
    psg_plan *plan = NULL;
    options.gpus = -1;
    options.exchange = exchange;
    options.segment_planes = cut->segment_planes;
    options.sheets = cut->sheets;
    options.in_flight = 2;
    if (!CHECK_STATUS(psg_plan_create(&plan, &g, &options), PSG_OK)) {
        return;
    }
    const psg_statistics s = statistics_of(plan);
    const int returns = exchange == PSG_EXCHANGE_DIRECT && grid->n[1] >= 500 && cut->sheets == 0;
    CHECK(!returns || s.returned_rows > 0, "no rows of %zu are returned", grid->n[1]);
    CHECK(!returns || (s.fetched_rows > 0) == (s.workers == 2), "%zu rows fetched on %zu GPUs",
          s.fetched_rows, s.workers);
    solve(plan, grid, precision, exchange, cut);
    const uint64_t copied =
        statistics_of(plan).link[PSG_LINK_D2D].bytes - s.link[PSG_LINK_D2D].bytes;
    CHECK(exchange != PSG_EXCHANGE_DIRECT || copied == 0, "%llu bytes copied between GPUs",
          (unsigned long long)copied);
    psg_plan_destroy(plan);
}

/** Several GPUs that reach each other's memory? */
static int are_there(void) {
    psg_route routes[1024];
    size_t count = 0;
    psg_options options = harness_options(PSG_F64);
    int several = 0, peers = 1;
    options.gpus = -1;
    if (psg_machine_routes(&options, routes, sizeof routes / sizeof *routes, &count) != PSG_OK) {
        return 0;
    }
    for (size_t r = 0; r < count && r < sizeof routes / sizeof *routes; ++r) {
        if (routes[r].from >= 0 && routes[r].to >= 0) {
            several = 1;
            peers &= routes[r].peer;
        }
    }
    return several && peers;
}

int main(void) {
    if (!are_there()) {
        printf("skipped: no several GPUs that reach each other's memory\n");
        return CHECK_SKIP;
    }
    for (size_t g = 0; g < sizeof grids / sizeof *grids; ++g) {
        for (size_t c = 0; c < sizeof cuts / sizeof *cuts; ++c) {
            for (int precision = 0; precision < 2; ++precision) {
                one_plan(&grids[g], precision ? PSG_F32 : PSG_F64, PSG_EXCHANGE_DIRECT, &cuts[c]);
                one_plan(&grids[g], precision ? PSG_F32 : PSG_F64, PSG_EXCHANGE_MANAGED, &cuts[c]);
            }
        }
    }
    return check_result();
}
