/** @file verify.h  Is lap(u) - lambda u = factor (f - mean), or div(epsilon grad u) in place of
 *  lap(u)? Asked of the numbers, by other means than FFTs. */
#ifndef PSG_APP_VERIFY_H
#define PSG_APP_VERIFY_H

#include "app/fluctuation.h"
#include "app/flux.h"
#include "app/grid_sides.h"

#include <stdbool.h>

typedef struct app_verification {
    double residual;   /**< max |lap(u) - lambda u - factor (f - mean)| over the points looked at */
    double bound;      /**< what rounding explains of it, also in messages, and with epsilon the
                            tolerance */
    app_fluctuation f; /**< factor f, with what values on sides add to it */
    int digits;        /**< app_mean_digits(): the bound grows with what the mean costs */
    double mean_off;   /**< how far the mean of u is from what it has to be */
    double mean_bound;
    size_t points; /**< looked at; all of them, or a sample */
    size_t at[3];  /**< i, j, k of the largest residual */
    bool ok;       /**< all are within their bounds, and no NaN was met */
} app_verification;

/** lap(u) - lambda u = factor f. */
typedef struct app_equation {
    psg_symbol symbol;
    double lambda, factor;
    const app_side_values *values;  /**< on the sides, for fd2; NULL: 0 */
    const app_coefficient *epsilon; /**< for fd2; NULL: 1 */
    /** With epsilon: the bound of ||residual|| / ||f||, in the 2-norm. */
    double tolerance;
    double wire; /**< app_wire_rounding() */
} app_equation;

/** fd2: the 7-point stencil at all points. spectral: the second derivative of the trigonometric
 *  interpolant along the three lines through a point, at all points of a field of up to 2^18, else
 *  at 2^16 of them drawn by a fixed rule.
 *  Collective; the result is that of the whole field, in all processes.
 *  @param[in] f, u  [count][ny][nx] of the precision, the planes alone
 *  @return APP_DONE whether they agree or not; APP_FAILED after a message; the same in all
 *  processes */
int app_verify(const psg_grid *grid, psg_precision precision, const app_equation *equation,
               app_planes planes, const void *f, const void *u, app_verification *result);

#endif
