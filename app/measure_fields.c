/* f, made once for all plans of a grid that follow one another. */
#include "app/measure_fields.h"
#include "app/app.h"
#include "app/processes.h"
#include "app/simulating.h"

static bool is_of(const app_measure_fields *fields, const psg_grid *grid, const psg_options *o) {
    bool same = fields->precision == o->precision && fields->symbol == o->symbol &&
                fields->lambda == o->lambda && fields->factor == o->factor;
    for (int axis = 0; axis < 3; axis++) {
        same = same && fields->grid.axis[axis].n == grid->axis[axis].n;
    }
    return same;
}

/* Some planes at a time. */
static void fill(const app_measure_fields *fields, void (*alive)(void *context), void *context) {
    enum { SLICE = 1 << 24 }; /* points: all cores have enough of it */
    const app_planes planes = fields->planes;
    const size_t of_plane = app_plane_points(&fields->grid, (app_planes){0, 1});
    const size_t most = of_plane < SLICE ? SLICE / of_plane : 1;
    const size_t plane_bytes = of_plane * app_element_bytes(fields->precision);
    for (size_t k = 0; k < planes.count; k += most) {
        const size_t left = planes.count - k;
        if (alive != NULL) {
            alive(context);
        }
        app_answer_fill(fields->modes, fields->precision,
                        (app_planes){planes.z0 + k, left < most ? left : most},
                        (char *)fields->f + k * plane_bytes, NULL);
    }
}

static void release(const app_measure_fields *fields) {
    app_simulation_free(fields->f, fields->bytes);
    app_answer_free(fields->modes);
}

const app_measure_fields *app_measure_fields_get(app_measure_store *store, const psg_grid *grid,
                                                 const psg_options *options,
                                                 void (*alive)(void *context), void *context) {
    for (size_t e = 0; e < store->count; e++) {
        if (is_of(&store->entry[e], grid, options)) {
            return &store->entry[e];
        }
    }
    if (store->count == APP_MEASURE_FIELDS_MOST) {
        return NULL;
    }
    app_measure_fields *fields = &store->entry[store->count];
    *fields = (app_measure_fields){.grid = *grid,
                                   .precision = options->precision,
                                   .symbol = options->symbol,
                                   .lambda = options->lambda,
                                   .factor = options->factor,
                                   .planes = app_own_planes(grid)};
    fields->bytes = app_plane_points(grid, fields->planes) * app_element_bytes(fields->precision);
    fields->f = app_simulation_allocate(fields->bytes);
    const bool simulated = app_simulation_machine() != NULL;
    if (!simulated) {
        fields->modes = app_modes_make(grid, fields->symbol, fields->lambda, fields->factor);
    }
    double missing = (fields->modes == NULL && !simulated) || fields->f == NULL;
    app_ranks_max(&missing, 1);
    if (missing > 0) {
        release(fields);
        return NULL;
    }
    if (fields->modes != NULL) {
        fill(fields, alive, context);
    }
    store->count++;
    return fields;
}

void app_measure_fields_drop(app_measure_store *store, const psg_grid *grid,
                             const psg_options *options) {
    size_t kept = 0;
    for (size_t e = 0; e < store->count; e++) {
        if (grid != NULL && options != NULL && is_of(&store->entry[e], grid, options)) {
            store->entry[kept++] = store->entry[e];
        } else {
            release(&store->entry[e]);
        }
    }
    store->count = kept;
}

void app_measure_fields_compare(const app_measure_fields *fields, const void *u,
                                app_answer_error *result) {
    app_answer_compare(fields->modes, fields->precision, fields->planes, u, result);
}
