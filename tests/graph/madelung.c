/* One solve on 64^3 points with Gaussian ions gives the Madelung constant of NaCl, CsCl and ZnS. */
#include "tests/check.h"
#include "tests/harness.h"

#include <stdlib.h>

int main(void) {
    oracle_grid grid = oracle_grid_make(64, 64, 64, 1, 1, 1);
    size_t points = oracle_points(&grid);
    FREED double *f = oracle_array(points), *u = oracle_array(points);
    psg_grid g = harness_grid(&grid);
    for (int variant = 0; variant < HARNESS_VARIANTS; ++variant) {
        psg_options options = harness_options(PSG_F64);
        const oracle_crystal *crystal;
        harness_set_variant(&options, &harness_variants[variant]);
        DESTROYED psg_plan *plan = harness_plan(&g, &options);
        for (size_t c = 0; (crystal = oracle_crystal_at(c)) != NULL; ++c) {
            double sigma = crystal->distance / 12;
            oracle_crystal_charge(&grid, crystal, sigma, f);
            CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
            double got = oracle_madelung(&grid, crystal, sigma, f, u);
            printf("%s: %.15g, off by %.2g\n", crystal->name, got, got - crystal->madelung);
            CHECK_NEAR(got, crystal->madelung, 1e-10, "Madelung constant of %s, %s", crystal->name,
                       harness_variants[variant].name);
        }
    }
    return check_result();
}
