/** @file measure_fields.h  The right-hand sides that `psg measure` solves, whose answers are
 * known. */
#ifndef PSG_APP_MEASURE_FIELDS_H
#define PSG_APP_MEASURE_FIELDS_H

#include "app/problems.h"

#include <stdbool.h>

/** f of one grid, precision and equation, of the problem `modes`; the planes of this process. */
typedef struct app_measure_fields {
    psg_grid grid;
    psg_precision precision;
    psg_symbol symbol;
    double lambda, factor;
    app_planes planes;
    size_t bytes;      /**< of f */
    void *f;           /**< [count][ny][nx]; in a simulation nothing */
    app_answer *modes; /**< NULL in a simulation */
} app_measure_fields;

enum { APP_MEASURE_FIELDS_MOST = 64 };

/** All zero before the first use. */
typedef struct app_measure_store {
    app_measure_fields entry[APP_MEASURE_FIELDS_MOST];
    size_t count;
} app_measure_store;

/** The entry of a grid and options, made at the first time. Collective.
 *  @param[in] alive  called again and again while it is made, which may take longer than a solve;
 *  may be NULL
 *  @return NULL when a process is out of memory, or of entries; the same in all of them */
const app_measure_fields *app_measure_fields_get(app_measure_store *store, const psg_grid *grid,
                                                 const psg_options *options,
                                                 void (*alive)(void *context), void *context);

/** Forget the entries of other grids and options. @param[in] grid  NULL: forget all */
void app_measure_fields_drop(app_measure_store *store, const psg_grid *grid,
                             const psg_options *options);

/** Compare a solution with the known answer; collective, and not in a simulation.
 *  @param[in] u  [count][ny][nx], the planes of this process */
void app_measure_fields_compare(const app_measure_fields *fields, const void *u,
                                app_answer_error *result);

#endif
