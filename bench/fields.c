/* f, made once for all plans of a grid that follow one another. */
#include "bench/fields.h"
#include "app/app.h"
#include "app/processes.h"
#include "app/simulating.h"

#include <string.h>

static psg_precision precision_of(const bench_config *config) {
    psg_options options;
    bench_config_options(config, &options);
    return options.precision;
}

double bench_fields_bytes(const bench_config *c) {
    return (double)c->grid.n[0] * (double)c->grid.n[1] * (double)c->grid.n[2] *
           (double)app_element_bytes(precision_of(c));
}

static bool is_of(const bench_fields *fields, const bench_config *config) {
    return fields->precision == precision_of(config) &&
           memcmp(fields->grid.n, config->grid.n, sizeof config->grid.n) == 0;
}

bool bench_fields_same(const bench_config *a, const bench_config *b) {
    const bench_fields fields = {.grid = a->grid, .precision = precision_of(a)};
    return is_of(&fields, b);
}

/* Some planes at a time. */
static void fill(const bench_fields *fields, void (*alive)(void *context), void *context) {
    enum { SLICE = 1 << 24 }; /* points: all cores have enough of it */
    const app_planes planes = fields->planes;
    const size_t of_plane = fields->grid.n[0] * fields->grid.n[1];
    const size_t most = of_plane < SLICE ? SLICE / of_plane : 1;
    const size_t plane_bytes = of_plane * app_element_bytes(fields->precision);
    for (size_t k = 0; k < planes.count; k += most) {
        const size_t left = planes.count - k;
        if (alive != NULL) {
            alive(context);
        }
        app_modes_fill(fields->modes, fields->precision,
                       (app_planes){planes.z0 + k, left < most ? left : most},
                       (char *)fields->f + k * plane_bytes, NULL);
    }
}

static void release(const bench_fields *fields) {
    app_simulation_free(fields->f, fields->bytes);
    app_modes_free(fields->modes);
}

const bench_fields *bench_fields_get(bench_field_store *store, const bench_config *config,
                                     void (*alive)(void *context), void *context) {
    for (size_t e = 0; e < store->count; e++) {
        if (is_of(&store->entry[e], config)) {
            return &store->entry[e];
        }
    }
    if (store->count == BENCH_FIELDS_MOST) {
        return NULL;
    }
    psg_grid grid;
    bench_config_grid(config, &grid);
    bench_fields *fields = &store->entry[store->count];
    *fields = (bench_fields){
        .grid = config->grid, .precision = precision_of(config), .planes = app_own_planes(&grid)};
    fields->bytes = app_plane_points(&grid, fields->planes) * app_element_bytes(fields->precision);
    fields->f = app_simulation_allocate(fields->bytes);
    if (app_simulation_machine() == NULL) {
        fields->modes = app_modes_make(&grid, PSG_SYMBOL_SPECTRAL, 0, 1);
    }
    double missing =
        (fields->modes == NULL && app_simulation_machine() == NULL) || fields->f == NULL;
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

void bench_fields_drop(bench_field_store *store, const bench_config *but) {
    size_t kept = 0;
    for (size_t e = 0; e < store->count; e++) {
        if (but != NULL && is_of(&store->entry[e], but)) {
            store->entry[kept++] = store->entry[e];
        } else {
            release(&store->entry[e]);
        }
    }
    store->count = kept;
}

void bench_fields_compare(const bench_fields *fields, const void *u, app_modes_error *result) {
    app_modes_compare(fields->modes, fields->precision, fields->planes, u, result);
}
