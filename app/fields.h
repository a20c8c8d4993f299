/** @file fields.h  The right-hand sides that `psg bench` solves, and their known answers. */
#ifndef PSG_APP_FIELDS_H
#define PSG_APP_FIELDS_H

#include "app/sweep.h"

/** f and u of one grid in one precision, of the problem `modes`; the planes of this process. */
typedef struct app_fields {
    app_grid_value grid;
    int precision;
    size_t points;    /**< of these planes */
    size_t bytes;     /**< of each array */
    void *f, *answer; /**< [count][ny][nx]; in a simulation nothing */
    double largest;   /**< max |answer| over all planes */
} app_fields;

enum { APP_FIELDS_MOST = 64 };

/** All zero before the first use. */
typedef struct app_field_store {
    app_fields entry[APP_FIELDS_MOST];
    size_t count;
} app_field_store;

/** Those of a configuration, made at the first time. Collective.
 *  @param[in] alive  called again and again while they are made, which takes longer than a solve; may be NULL
 *  @return NULL when a process is out of memory, or of entries; the same in all of them */
const app_fields *app_fields_get(app_field_store *store, const app_config *config,
                                 void (*alive)(void *context), void *context);

/** Bytes that they take in all processes together. */
double app_fields_bytes(const app_config *config);

/** Forget entries from number `first` on. */
void app_fields_drop(app_field_store *store, size_t first);

/** max |u - answer| / max |answer| over all planes; NaN if u has one. Collective.
 *  @param[in] u  [count][ny][nx], the planes of this process */
double app_fields_error(const app_fields *fields, const void *u);

/** What rounding explains of it. */
double app_fields_tolerance(const app_fields *fields);

#endif
