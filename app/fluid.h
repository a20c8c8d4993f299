/** @file fluid.h  f of a solve with epsilon = 0 somewhere, for whoever looks at the residual. */
#ifndef PSG_APP_FLUID_H
#define PSG_APP_FLUID_H

#include "app/app.h"

/** f with 0 where epsilon is 0, and less its mean in each region of the fluid that no side and no
 *  lambda fixes. Collective.
 *  @param[in]  grid        turned, see app_turned()
 *  @param[in]  epsilon, f  [count][ny][nx] of the precision, the planes alone
 *  @param[out] result      NULL: epsilon is 0 nowhere; else an array like f, to be freed
 *  @return APP_DONE; APP_FAILED after a message; the same in all processes */
int app_fluid_f(const psg_grid *grid, psg_precision precision, double lambda, app_planes planes,
                const void *epsilon, const void *f, void **result);

#endif
