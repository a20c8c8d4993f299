/* f and its answer, made once for all plans of a grid: making them takes longer than solving. */
#include "app/fields.h"
#include "app/app.h"
#include "app/problems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double app_fields_bytes(const app_config *c) {
    return 2.0 * (double)c->grid.n[0] * (double)c->grid.n[1] * (double)c->grid.n[2] *
           (double)app_element_bytes(c->precision);
}

static int is_of(const app_fields *fields, const app_config *config) {
    return fields->precision == config->precision &&
           memcmp(fields->grid.n, config->grid.n, sizeof config->grid.n) == 0;
}

static double largest(const app_fields *fields, size_t points) {
    double most = 0;
    for (size_t i = 0; i < points; i++) {
        most = fmax(most, fields->precision == PSG_F32 ? fabsf(((float *)fields->answer)[i])
                                                       : fabs(((double *)fields->answer)[i]));
    }
    return most;
}

const app_fields *app_fields_get(app_field_store *store, const app_config *config) {
    for (size_t e = 0; e < store->count; e++) {
        if (is_of(&store->entry[e], config)) {
            return &store->entry[e];
        }
    }
    if (store->count == APP_FIELDS_MOST) {
        return NULL;
    }
    psg_grid grid;
    app_config_grid(config, &grid);
    const size_t points = app_points(&grid), bytes = app_element_bytes(config->precision);
    app_fields *fields = &store->entry[store->count];
    *fields = (app_fields){.grid = config->grid, .precision = config->precision};
    app_modes *modes = app_modes_make(&grid, PSG_SYMBOL_SPECTRAL, 0);
    fields->f = malloc(points * bytes);
    fields->answer = malloc(points * bytes);
    if (!modes || !fields->f || !fields->answer) {
        app_modes_free(modes);
        free(fields->f);
        free(fields->answer);
        return NULL;
    }
    app_modes_fill(modes, config->precision, (app_planes){0, config->grid.n[2]}, fields->f);
    app_modes_answer(modes, config->precision, fields->answer);
    app_modes_free(modes);
    fields->largest = largest(fields, points);
    store->count++;
    store->bytes += app_fields_bytes(config);
    return fields;
}

void app_fields_drop(app_field_store *store, size_t first) {
    while (store->count > first) {
        app_fields *fields = &store->entry[--store->count];
        const app_config config = {.grid = fields->grid, .precision = fields->precision};
        store->bytes -= app_fields_bytes(&config);
        free(fields->f);
        free(fields->answer);
    }
}

double app_fields_error(const app_fields *fields, const void *u) {
    const size_t points = fields->grid.n[0] * fields->grid.n[1] * fields->grid.n[2];
    double error = 0;
    for (size_t i = 0; i < points && !isnan(error); i++) {
        const double here =
            fields->precision == PSG_F32
                ? fabs((double)((const float *)u)[i] - (double)((float *)fields->answer)[i])
                : fabs(((const double *)u)[i] - ((double *)fields->answer)[i]);
        if (!(here <= error)) {
            error = here;
        }
    }
    return fields->largest > 0 ? error / fields->largest : error;
}

double app_fields_tolerance(const app_fields *fields) {
    return fields->precision == PSG_F32 ? 1e-5 : 1e-13; /* as app_modes_compare() */
}
