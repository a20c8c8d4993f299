/* Every single Fourier mode of a grid, Nyquist and its neighbours too, comes back as itself over
 * its eigenvalue, in each precision, symbol and variant of the graph. */
#include "tests/check.h"
#include "tests/harness.h"

#include <stdlib.h>
#include <string.h>

static const oracle_grid grids[] = {
    {{8, 9, 10}, {1.0, 2.5, 0.7}}, {{7, 11, 13}, {3.0, 1.0, 2.0}}, {{1, 6, 5}, {2.0, 1.0, 1.5}},
    {{5, 1, 6}, {1.0, 3.0, 1.5}},  {{6, 5, 1}, {1.0, 1.2, 9.0}},   {{1, 1, 7}, {1.0, 1.0, 2.0}},
    {{9, 1, 1}, {4.0, 1.0, 1.0}},  {{1, 4, 1}, {1.0, 1.0, 1.0}},   {{2, 3, 4}, {1.0, 1.0, 1.0}},
    {{2, 2, 2}, {1.0, 2.0, 3.0}},  {{1, 1, 1}, {1.0, 1.0, 1.0}},   {{3, 2, 1}, {1.0, 2.0, 1.0}},
};

static int all_modes(const oracle_grid *grid, psg_plan *plan, const psg_options *options,
                     const char *variant) {
    size_t points = oracle_points(grid), index = 0, m[3], count = 0;
    FREED double *f = oracle_array(points), *u = oracle_array(points), *want = oracle_array(points);
    oracle_symbol symbol = options->symbol == PSG_SYMBOL_FD2 ? ORACLE_FD2 : ORACLE_SPECTRAL;
    int sine, held = 1;
    while (held && oracle_next_mode(grid, &index, m, &sine)) {
        double value = oracle_eigenvalue(grid, symbol, m);
        oracle_mode(grid, m, sine, f);
        for (size_t p = 0; p < points; ++p) {
            want[p] = value == 0 ? 0 : f[p] / value;
        }
        memset(u, 0xff, points * sizeof *u);
        held &= CHECK_STATUS(harness_solve(plan, options->precision, points, f, u), PSG_OK);
        held &= CHECK_CLOSE(u, want, grid->n[0], grid->n[1], grid->n[2],
                            harness_tolerance(options->precision, 1e-13, 1e-5),
                            "%s of mode (%zu,%zu,%zu), %s, symbol %d, %s", sine ? "sine" : "cosine",
                            m[0], m[1], m[2], harness_precision_name(options->precision),
                            options->symbol, variant);
        ++count;
    }
    CHECK(!held || count == points, "%zu modes of %zu points", count, points);
    return held;
}

int main(void) {
    const psg_options first = harness_options(PSG_F64);
    DESTROYED psg_plan *anchor = harness_anchor(&first);
    for (size_t g = 0; g < sizeof grids / sizeof *grids; ++g) {
        psg_grid grid = harness_grid(&grids[g]);
        for (int run = 0; run < 4 * HARNESS_VARIANTS; ++run) {
            const harness_variant *variant = &harness_variants[run / 4];
            psg_options options = harness_options(run % 2 ? PSG_F32 : PSG_F64);
            options.symbol = run / 2 % 2 ? PSG_SYMBOL_FD2 : PSG_SYMBOL_SPECTRAL;
            harness_set_variant(&options, variant);
            options.segment_planes = (grids[g].n[2] + 2) / 3;
            options.sheets = 3;
            DESTROYED psg_plan *plan = harness_plan(&grid, &options);
            all_modes(&grids[g], plan, &options, variant->name);
        }
    }
    return check_result();
}
