/** @file fields.h  The right-hand sides that `psg bench` solves, and their known answers. */
#ifndef PSG_APP_FIELDS_H
#define PSG_APP_FIELDS_H

#include "app/sweep.h"

/** f and u of one grid in one precision, of the problem `modes`. */
typedef struct app_fields {
    app_grid_value grid;
    int precision;
    void *f, *answer; /**< [nz][ny][nx]; answer NULL: this entry is empty */
    double largest;   /**< max |answer| */
} app_fields;

enum { APP_FIELDS_MOST = 64 };

/** All zero before the first use. */
typedef struct app_field_store {
    app_fields entry[APP_FIELDS_MOST];
    size_t count;
    double bytes;
} app_field_store;

/** Those of a configuration, made at the first time.
 *  @return NULL when out of memory, or of entries */
const app_fields *app_fields_get(app_field_store *store, const app_config *config);

/** Bytes that they take. */
double app_fields_bytes(const app_config *config);

/** Forget entries from number `first` on. */
void app_fields_drop(app_field_store *store, size_t first);

/** max |u - answer| / max |answer|; NaN if u has one. */
double app_fields_error(const app_fields *fields, const void *u);

/** What rounding explains of it. */
double app_fields_tolerance(const app_fields *fields);

#endif
