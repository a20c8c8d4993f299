/** @file unbounded.h  Gaussian charges between free sides, whose potentials are closed forms. */
#ifndef PSG_APP_UNBOUNDED_H
#define PSG_APP_UNBOUNDED_H

#include "app/answer.h"

/** Of lap(u) - lambda u = factor f, where by the free axes of the grid
 *
 *    z        f = g(z) (1 + cos(2 pi x/lx) cos(4 pi y/ly))
 *    x, y     f = g(x) g(y) (1 + cos(2 pi z/lz))
 *    x, y, z  f = g(x) g(y) g(z)
 *
 *  g is a Gaussian of the integral 1, whose standard deviation is
 *  1/20 of the shortest free axis, in the middle of the box; of a slab at 0.45 of it. A wave is
 *  left out where its axes have too few points for it. The tolerance is 0 unless the symbol is
 *  spectral, and the deviation 2.4 spacings at least.
 *  @return NULL after a message; free with app_answer_free() */
app_answer *app_unbounded_make(const psg_grid *grid, psg_symbol symbol, double lambda,
                               double factor);

#endif
