/** @file fields.h  The right-hand sides that `psg bench` solves, whose answers are known. */
#ifndef PSG_APP_FIELDS_H
#define PSG_APP_FIELDS_H

#include "app/problems.h"
#include "app/sweep.h"

/** f of one grid in one precision, of the problem `modes`; the planes of this process. */
typedef struct app_fields {
    app_grid_value grid;
    int precision;
    app_planes planes;
    size_t bytes;     /**< of f */
    void *f;          /**< [count][ny][nx]; in a simulation nothing */
    app_modes *modes; /**< NULL in a simulation */
} app_fields;

enum { APP_FIELDS_MOST = 64 };

/** All zero before the first use. */
typedef struct app_field_store {
    app_fields entry[APP_FIELDS_MOST];
    size_t count;
} app_field_store;

/** Those of a configuration, made at the first time. Collective.
 *  @param[in] alive  called again and again while they are made, which may take longer than a solve; may be NULL
 *  @return NULL when a process is out of memory, or of entries; the same in all of them */
const app_fields *app_fields_get(app_field_store *store, const app_config *config,
                                 void (*alive)(void *context), void *context);

/** Bytes that they take in all processes together. */
double app_fields_bytes(const app_config *config);

/** Are the fields of one those of the other? */
int app_fields_same(const app_config *a, const app_config *b);

/** Forget those of other configurations than this one; NULL: all. */
void app_fields_drop(app_field_store *store, const app_config *but);

/** Compare a solution with the known answer; collective, and not in a simulation.
 *  @param[in] u  [count][ny][nx], the planes of this process */
void app_fields_compare(const app_fields *fields, const void *u, app_modes_error *result);

#endif
