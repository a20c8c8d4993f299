/* The right-hand sides of psg bench, by one process or several: each has the planes that are its own, and all know the
 * largest error of any of them. */
#include "app/fields.h"
#include "app/app.h"
#include "app/problems.h"
#include "app/ranks.h"
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void count_sign(void *context) {
    ++*(int *)context;
}

static void check_grid(size_t nx, size_t ny, size_t nz) {
    const app_config config = {.grid = {.given = 1, .n = {nx, ny, nz}}, .ranks = 1};
    app_field_store store = {.count = 0};
    psg_grid grid;
    app_config_grid(&config, &grid);
    const app_planes planes = app_own_planes(&grid);
    int signs = 0;
    const app_fields *fields = app_fields_get(&store, &config, count_sign, &signs);
    if (!CHECK(fields != NULL, "no fields")) {
        return;
    }
    CHECK(fields->points == nx * ny * planes.count, "%zu points", fields->points);
    double *u = calloc(fields->points + 1, sizeof *u);
    memcpy(u, fields->answer, fields->points * sizeof *u);
    CHECK_NEAR(app_fields_error(fields, u), 0, 0, "the answer itself");
    /* the first row of every plane, where the pieces in which they are made would be seen */
    app_modes *modes = app_modes_make(&grid, PSG_SYMBOL_SPECTRAL, 0);
    double *plane = calloc(2 * nx * ny, sizeof *plane);
    for (size_t k = 0; k < planes.count; k++) {
        app_modes_fill(modes, PSG_F64, (app_planes){planes.z0 + k, 1}, plane, plane + nx * ny);
        CHECK(memcmp(plane, (double *)fields->f + k * nx * ny, nx * sizeof *plane) == 0,
              "f of plane %zu", k);
        CHECK(memcmp(plane + nx * ny, u + k * nx * ny, nx * sizeof *plane) == 0, "u of plane %zu",
              k);
    }
    app_modes_free(modes);
    free(plane);
    double largest = 0;
    for (size_t i = 0; i < fields->points; i++) {
        largest = fmax(largest, fabs(u[i]));
    }
    app_ranks_max(&largest, 1);
    CHECK_NEAR(fields->largest, largest, 0, "the largest value of all");
    /* in the first and in the last plane of the grid, whoever has it */
    for (size_t k = 0; k<nz; k += nz> 1 ? nz - 1 : 1) {
        const int mine = k >= planes.z0 && k < planes.z0 + planes.count;
        double *point = mine ? &u[(k - planes.z0) * nx * ny + 1] : NULL;
        const double right = mine ? *point : 0;
        if (mine) {
            *point += 0.5 * fields->largest;
        }
        CHECK_NEAR(app_fields_error(fields, u), 0.5, 1e-12, "plane %zu is off", k);
        if (mine) {
            *point = NAN;
        }
        CHECK(isnan(app_fields_error(fields, u)), "plane %zu: a NaN is not seen", k);
        if (mine) {
            *point = right;
        }
    }
    CHECK((signs > 0) == (planes.count > 0), "%d signs of life", signs);
    signs = 0;
    CHECK(app_fields_get(&store, &config, count_sign, &signs) == fields && store.count == 1 &&
              !signs,
          "made again");
    app_fields_drop(&store, 0);
    free(u);
}

int main(int argc, char **argv) {
    if (app_ranks_start(argc, argv)) {
        return 1;
    }
    check_grid(6, 5, 7);
    check_grid(3, 4, 2);      /* of three processes one has nothing */
    check_grid(640, 640, 20); /* made in several pieces */
    return app_ranks_finish(check_result());
}
