/* f and its answer, made once for all plans of a grid: making them takes longer than solving. */
#include "app/fields.h"
#include "app/app.h"
#include "app/problems.h"
#include "app/ranks.h"
#include "app/simulation.h"

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

static double largest(const app_fields *fields) {
    double most = 0;
    for (size_t i = 0; i < fields->points; i++) {
        most = fmax(most, fields->precision == PSG_F32 ? fabsf(((float *)fields->answer)[i])
                                                       : fabs(((double *)fields->answer)[i]));
    }
    app_ranks_max(&most, 1);
    return most;
}

/* A few planes at a time. */
static void fill(const app_modes *modes, const app_fields *fields, app_planes planes,
                 void (*alive)(void *context), void *context) {
    enum { SLICE = 1 << 21 }; /* points */
    const size_t of_plane = fields->grid.n[0] * fields->grid.n[1];
    const size_t most = of_plane < SLICE ? SLICE / of_plane : 1;
    const size_t plane_bytes = of_plane * app_element_bytes(fields->precision);
    for (size_t k = 0; k < planes.count; k += most) {
        const size_t left = planes.count - k;
        if (alive) {
            alive(context);
        }
        app_modes_fill(
            modes, fields->precision, (app_planes){planes.z0 + k, left < most ? left : most},
            (char *)fields->f + k * plane_bytes, (char *)fields->answer + k * plane_bytes);
    }
}

static void release(const app_fields *fields) {
    app_simulation_free(fields->f, fields->bytes);
    app_simulation_free(fields->answer, fields->bytes);
}

const app_fields *app_fields_get(app_field_store *store, const app_config *config,
                                 void (*alive)(void *context), void *context) {
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
    const app_planes planes = app_own_planes(&grid);
    app_fields *fields = &store->entry[store->count];
    *fields = (app_fields){.grid = config->grid,
                           .precision = config->precision,
                           .points = app_plane_points(&grid, planes)};
    /* one more than there are: malloc() may refuse 0 */
    const size_t bytes = (fields->points + 1) * app_element_bytes(config->precision);
    fields->bytes = bytes;
    fields->f = app_simulation_allocate(bytes);
    fields->answer = app_simulation_allocate(bytes);
    app_modes *modes =
        app_simulation_machine() ? NULL : app_modes_make(&grid, PSG_SYMBOL_SPECTRAL, 0);
    double missing = (!modes && !app_simulation_machine()) || !fields->f || !fields->answer;
    app_ranks_max(&missing, 1);
    if (missing > 0) {
        release(fields);
    } else if (modes) {
        fill(modes, fields, planes, alive, context);
        fields->largest = largest(fields);
    }
    store->count += missing > 0 ? 0 : 1;
    app_modes_free(modes);
    return missing > 0 ? NULL : fields;
}

void app_fields_drop(app_field_store *store, size_t first) {
    while (store->count > first) {
        store->count--;
        release(&store->entry[store->count]);
    }
}

double app_fields_error(const app_fields *fields, const void *u) {
    double error = 0;
    for (size_t i = 0; i < fields->points && !isnan(error); i++) {
        const double here =
            fields->precision == PSG_F32
                ? fabs((double)((const float *)u)[i] - (double)((float *)fields->answer)[i])
                : fabs(((const double *)u)[i] - ((double *)fields->answer)[i]);
        if (!(here <= error)) {
            error = here;
        }
    }
    app_ranks_max(&error, 1);
    return fields->largest > 0 ? error / fields->largest : error;
}

double app_fields_tolerance(const app_fields *fields) {
    return fields->precision == PSG_F32 ? 1e-5 : 1e-13; /* as app_modes_compare() */
}
