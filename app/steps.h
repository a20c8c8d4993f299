/** @file steps.h  The time steps of a field: data sets of one group, in the order of their
 *  names. */
#ifndef PSG_APP_STEPS_H
#define PSG_APP_STEPS_H

#include <stddef.h>

/** A time step of a field: one data set of a group. */
typedef struct app_field_step {
    char name[256]; /**< in the group */
    double time;    /**< its attribute `time`, else its place among the steps, from 0 */
} app_field_step;

typedef struct app_field_steps {
    size_t count; /**< 0: the field is one data set, no group */
    app_field_step *list;
} app_field_steps;

/** How many data sets a field is: 1 where there are no steps. @param[in] steps  NULL: none */
size_t app_field_count(const app_field_steps *steps);

/** Order the steps by their names: numbers in them are compared as numbers, the rest letter by
 *  letter. */
void app_field_sort(app_field_steps *steps);

/** The name of a step's data set; where there are no steps that of the field.
 *  @param[in] name   of the steps' group, without a slash at its end, or of the field: up to 1023
 *  letters  @param[in] steps  NULL: none */
enum { APP_FIELD_PATH = 1280 };
void app_field_path(const char *name, const app_field_steps *steps, size_t step,
                    char path[APP_FIELD_PATH]);

#endif
