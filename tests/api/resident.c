/* A program without tasks of its own keeps f and u in the slabs: what was put in is solved as often as asked for,
 * and what comes out is what psg_solve() gives. */
#include "graph/psg_starpu.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <stdlib.h>
#include <string.h>

#define NX 10
#define NY 9
#define NZ 13
#define POINTS ((size_t)NX * NY * NZ)

static const oracle_grid box = {{NX, NY, NZ}, {1.0, 1.2, 0.9}};

static void round_trip(psg_precision precision, const harness_variant *variant) {
    double *f = oracle_array(3 * POINTS), *u = f + POINTS, *got = u + POINTS;
    FREED void *in = harness_array(precision, POINTS), *out = harness_array(precision, POINTS);
    const size_t bytes = POINTS * harness_element_bytes(precision);
    psg_options options = harness_options(precision);
    const psg_grid grid = harness_grid(&box);
    harness_set_variant(&options, variant);
    options.segment_planes = 4;
    DESTROYED psg_plan *plan = harness_plan(&grid, &options);
    CHECK_STATUS(psg_slabs_get(plan, out), PSG_ERR_STATE);
    for (unsigned seed = 1; seed <= 2; ++seed) {
        oracle_random(seed, POINTS, f);
        harness_round(precision, POINTS, f);
        oracle_solve(&box, ORACLE_SPECTRAL, 0, f, u);
        harness_store(precision, POINTS, f, in);
        CHECK_STATUS(psg_slabs_put(plan, in), PSG_OK);
        memset(in, 0xff, bytes); /* it was borrowed until then */
        for (int solve = 0; solve < 3; ++solve) {
            CHECK_STATUS(psg_submit_slabs(plan), PSG_OK);
            CHECK_STATUS(psg_wait(plan), PSG_OK);
            memset(out, 0xff, bytes);
            CHECK_STATUS(psg_slabs_get(plan, out), PSG_OK);
            harness_load(precision, POINTS, out, got);
            CHECK_CLOSE(got, u, NX, NY, NZ, harness_tolerance(precision, 1e-12, 1e-4),
                        "%s %s, f number %u, solve %d", harness_precision_name(precision),
                        variant->name, seed, solve);
        }
    }
    CHECK_STATUS(psg_slabs_put(plan, NULL), PSG_ERR_ARG);
    CHECK_STATUS(psg_slabs_get(plan, NULL), PSG_ERR_ARG);
    free(f);
}

int main(void) {
    CHECK_STATUS(psg_slabs_put(NULL, &box), PSG_ERR_ARG);
    CHECK_STATUS(psg_slabs_get(NULL, NULL), PSG_ERR_ARG);
    for (int v = 0; v < HARNESS_VARIANTS; ++v) {
        round_trip(PSG_F64, &harness_variants[v]);
        round_trip(PSG_F32, &harness_variants[v]);
    }
    return check_result();
}
