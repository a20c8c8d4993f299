/* The right-hand sides of psg measure, by one process or several: each has the planes that are its own, and all know the
 * largest error of any of them. */
#include "app/app.h"
#include "app/measure_fields.h"
#include "app/parallel.h"
#include "app/processes.h"
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void count_sign(void *context) {
    ++*(int *)context;
}

static void see(void *context, size_t first, size_t end) {
    unsigned char *seen = context;
    for (; first < end; first++) {
        seen[first]++;
    }
}

static void check_grid(size_t nx, size_t ny, size_t nz) {
    app_measure_store store = {.count = 0};
    psg_options options, other;
    psg_grid grid;
    psg_options_init(&options);
    psg_grid_init(&grid, nx, ny, nz, 1, 1, 1);
    const app_planes planes = app_own_planes(&grid);
    int signs = 0;
    const app_measure_fields *fields =
        app_measure_fields_get(&store, &grid, &options, count_sign, &signs);
    if (!CHECK(fields != NULL, "no fields")) {
        return;
    }
    CHECK(fields->bytes == nx * ny * planes.count * sizeof(double), "%zu bytes", fields->bytes);
    double *u = calloc(fields->bytes + sizeof *u, 1);
    double *plane = calloc(nx * ny, sizeof *plane);
    app_answer_error found;
    app_answer_fill(fields->modes, PSG_F64, planes, NULL, u);
    app_measure_fields_compare(fields, u, &found);
    CHECK(found.error == 0 && found.tolerance == 1e-13, "the answer itself is off by %g of %g",
          found.error, found.tolerance);
    /* the first row of every plane, where the pieces in which they are made would be seen */
    double largest = 0;
    for (size_t k = 0; k < planes.count; k++) {
        app_answer_fill(fields->modes, PSG_F64, (app_planes){planes.z0 + k, 1}, plane, NULL);
        CHECK(memcmp(plane, (double *)fields->f + k * nx * ny, nx * sizeof *plane) == 0,
              "f of plane %zu", k);
        for (size_t i = 0; i < nx * ny; i++) {
            largest = fmax(largest, fabs(u[k * nx * ny + i]));
        }
    }
    app_ranks_max(&largest, 1);
    /* in the first and in the last plane of the grid, whoever has it */
    for (size_t k = 0; k<nz; k += nz> 1 ? nz - 1 : 1) {
        const int mine = k >= planes.z0 && k < planes.z0 + planes.count;
        double *point = mine ? &u[(k - planes.z0) * nx * ny + (ny - 1) * nx + 1] : NULL;
        const double right = mine ? *point : 0;
        if (mine) {
            *point += 0.5 * largest;
        }
        app_measure_fields_compare(fields, u, &found);
        CHECK_NEAR(found.error, 0.5, 1e-12, "plane %zu is off", k);
        if (mine) {
            *point = NAN;
        }
        app_measure_fields_compare(fields, u, &found);
        CHECK(isnan(found.error), "plane %zu: a NaN is not seen", k);
        CHECK(found.at[0] == 1 && found.at[1] == ny - 1 && found.at[2] == k,
              "plane %zu: a NaN is seen at %zu, %zu, %zu", k, found.at[0], found.at[1],
              found.at[2]);
        if (mine) {
            *point = right;
        }
    }
    free(plane);
    free(u);
    CHECK((signs > 0) == (planes.count > 0), "%d signs of life", signs);
    signs = 0;
    CHECK(app_measure_fields_get(&store, &grid, &options, count_sign, &signs) == fields &&
              store.count == 1 && !signs,
          "made again");
    other = options;
    other.precision = PSG_F32;
    CHECK(app_measure_fields_get(&store, &grid, &other, NULL, NULL) != NULL && store.count == 2,
          "not made");
    app_measure_fields_drop(&store, &grid, &other);
    CHECK(store.count == 1 && store.entry[0].precision == PSG_F32, "the wrong one was dropped");
    app_measure_fields_drop(&store, NULL, NULL);
    CHECK(store.count == 0, "%zu are kept", store.count);
}

/* Work by all cores is done once, all of it and no more. */
static void check_runs(size_t count) {
    unsigned char *seen = calloc(count + 1, 1);
    app_parallel(count, see, seen);
    for (size_t i = 0; i < count; i++) {
        CHECK(seen[i] == 1, "%zu of %zu is done %d times", i, count, seen[i]);
    }
    CHECK(seen[count] == 0, "more than %zu is done", count);
    free(seen);
}

int main(int argc, char **argv) {
    if (app_ranks_start(argc, argv)) {
        return 1;
    }
    check_grid(6, 5, 7);
    check_grid(3, 4, 2);        /* of three processes one has nothing */
    check_grid(1280, 1280, 12); /* made in several pieces */
    check_runs(0);
    check_runs(1);
    check_runs(100003);
    return app_ranks_finish(check_result());
}
