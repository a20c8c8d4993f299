/** @file fluid.h  f of a solve with epsilon = 0 somewhere, for whoever looks at the residual. */
#ifndef PSG_APP_FLUID_H
#define PSG_APP_FLUID_H

#include "app/app.h"

/** f with 0 where epsilon is 0, and less its mean in each region of the fluid that no side and no
 *  lambda fixes. On one process.
 *  @param[in]  epsilon, f  [nz][ny][nx]
 *  @param[out] result      NULL: epsilon is 0 nowhere; else an array like f, to be freed
 *  @return APP_DONE, APP_FAILED */
int app_fluid_f(const psg_grid *grid, psg_precision precision, double lambda, const void *epsilon,
                const void *f, void **result);

#endif
