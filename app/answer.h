/** @file answer.h  A right-hand side whose solution is known at every point. */
#ifndef PSG_APP_ANSWER_H
#define PSG_APP_ANSWER_H

#include "app/app.h"

#include <stdbool.h>

/** The first member of what a problem has. */
typedef struct app_answer {
    psg_grid grid; /**< turned, as what follows */
    /** Points first .. first+count-1 of row (j, k) of f or of u.
     *  @param[out] value  count numbers */
    void (*row)(const struct app_answer *answer, size_t j, size_t k, bool of_f, size_t first,
                size_t count, double *value);
    void (*free)(struct app_answer *answer);
    double tolerance[PSG_PRECISION_COUNT]; /**< of u; 0 where the grid is too coarse to judge */
} app_answer;

/** NULL is fine. */
void app_answer_free(app_answer *answer);

/** The right-hand side, and the solution itself, by all cores of the process.
 *  @param[out] f, u  [count][ny][nx] of the precision, the planes alone; either may be NULL */
void app_answer_fill(const app_answer *answer, psg_precision precision, app_planes planes, void *f,
                     void *u);

typedef struct app_answer_error {
    double error;     /**< max |u - exact| / max |exact|; NaN if u has one */
    double tolerance; /**< what rounding explains; 0 where the grid is too coarse to judge */
    size_t at[3];     /**< i, j, k of the largest error */
} app_answer_error;

/** Compare a solution with the exact one, by all cores of the process; collective.
 *  @param[in] u  as f in app_answer_fill() */
void app_answer_compare(const app_answer *answer, psg_precision precision, app_planes planes,
                        const void *u, app_answer_error *result);

#endif
