/** @file fluid.h  f of a solve with epsilon = 0 somewhere, for whoever looks at the residual. */
#ifndef PSG_APP_FLUID_H
#define PSG_APP_FLUID_H

#include "app/flux.h"

/** f with 0 at solid points, and less its mean in each region of the fluid that no side and no
 *  lambda fixes. Collective.
 *  @param[in,out] f      [count][ny][nx], the planes alone
 *  @param[out]    solid  there may be solid points, and regions; else f is as it was
 *  @return APP_DONE; APP_FAILED after a message; the same in all processes */
int app_fluid_f(const app_flux *flux, double lambda, double *f, bool *solid);

#endif
