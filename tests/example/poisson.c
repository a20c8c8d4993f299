/* The smallest program: lap(u) = f for one sine, whose u is known; it ends with 0 if that is what came out. */
#include <math.h>
#include <psg.h>
#include <psg_machine.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    enum { NX = 32, NY = 24, NZ = 20 };
    const double two_pi = 6.28318530717958647692;
    double *f = malloc(sizeof *f * NX * NY * NZ), *u = malloc(sizeof *u * NX * NY * NZ), error = 0;
    for (int n = 0; n < NX * NY * NZ; ++n) {
        f[n] = sin(two_pi * (n % NX) / NX);
    }

    psg_grid grid;
    psg_grid_init(&grid, NX, NY, NZ, two_pi, two_pi, two_pi);
    psg_options options;
    psg_options_init(&options);
    psg_plan *plan = NULL;
    if (psg_plan_create(&plan, &grid, &options) != PSG_OK || psg_solve(plan, f, u) != PSG_OK) {
        fprintf(stderr, "%s\n", psg_last_error());
        return 1;
    }
    psg_plan_destroy(plan);

    for (int n = 0; n < NX * NY * NZ; ++n) {
        const double off = fabs(u[n] + f[n]); /* lap(sin x) = -sin x */
        error = off <= error || isnan(error) ? error : off;
    }
    printf("psg %s: error %.2g\n", psg_component_version(PSG_COMPONENT_PSG), error);
    free(f);
    free(u);
    return error < 1e-12 ? 0 : 1;
}
