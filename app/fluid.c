#include "app/fluid.h"
#include "base/regions.h"

#include <stdlib.h>

static bool has_solid(const double *eps, size_t points) {
    bool has = false;
    for (size_t m = 0; m < points; m++) {
        has = has || eps[m] == 0;
    }
    return has;
}

static base_regions *find(const psg_grid *grid, double lambda, double **eps) {
    const psg_axis *axis = grid->axis;
    base_regions_box box = {.plane = {(const double *const *)eps}};
    for (int d = 0; d < 3; d++) {
        box.n[d] = axis[d].n;
        box.wraps[d] = axis[d].bc[0] == PSG_BC_PERIODIC;
        for (int side = 0; side < 2; side++) {
            box.fixes[d][side] = lambda != 0 || axis[d].bc[side] == PSG_BC_DIRICHLET;
        }
    }
    base_regions *found = base_regions_create(&box);
    for (size_t r = 0; found != NULL && r < found->count; r++) {
        found->region[r].fixed = found->region[r].fixed || lambda != 0;
    }
    return found;
}

static void set(void *to, psg_precision precision, const double *from, size_t points) {
    for (size_t m = 0; m < points; m++) {
        if (precision == PSG_F32) {
            ((float *)to)[m] = (float)from[m];
        } else {
            ((double *)to)[m] = from[m];
        }
    }
}

int app_fluid_f(const psg_grid *grid, psg_precision precision, double lambda, const void *epsilon,
                const void *f, void **result) {
    const size_t plane = grid->axis[0].n * grid->axis[1].n;
    const size_t nz = grid->axis[2].n;
    double *values = calloc(plane * nz, sizeof *values);
    double **planes = calloc(nz, sizeof *planes);
    base_regions *regions = NULL;
    bool good = values != NULL && planes != NULL;
    *result = NULL;
    for (size_t k = 0; k < nz && good; k++) {
        planes[k] = values + k * plane;
    }
    if (good) {
        app_get_row(epsilon, precision, 0, plane * nz, values);
    }
    if (good && has_solid(values, plane * nz)) {
        regions = find(grid, lambda, planes);
        *result = malloc(plane * nz * app_element_bytes(precision));
        good = regions != NULL && *result != NULL;
        if (good) {
            app_get_row(f, precision, 0, plane * nz, values);
            base_regions_drop(regions, planes, NULL);
            set(*result, precision, values, plane * nz);
        }
    }
    base_regions_destroy(regions);
    free(planes);
    free(values);
    return good ? APP_DONE : app_error(APP_FAILED, "no memory for the regions of the fluid");
}
