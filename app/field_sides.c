/* Values on the sides of the box: six data sets of an HDF5 file at most. */
#include "app/field_sides.h"
#include "app/hdf5.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[3][2] = {{"x0", "x1"}, {"y0", "y1"}, {"z0", "z1"}};
static const int others[3][2] = {{1, 2}, {0, 2}, {0, 1}}; /* fast and slow axis of a side */

/* What a process has of a side: `rows` rows of the data set from `first` on. */
typedef struct part {
    size_t first, rows, row;
} part;

static part part_of(const psg_grid *grid, app_planes planes, int axis, int side) {
    const size_t nz = grid->axis[2].n;
    const bool here =
        planes.count > 0 && (side == 0 ? planes.z0 == 0 : planes.z0 + planes.count == nz);
    return (part){.first = axis < 2 ? planes.z0 : 0,
                  .rows = axis < 2 ? planes.count
                          : here   ? grid->axis[1].n
                                   : 0,
                  .row = grid->axis[others[axis][0]].n};
}

static int allocate(app_side_values *values, const part *p, int axis, int side) {
    const size_t count = p->rows * p->row;
    if (count > 0) {
        values->table[axis][side] =
            app_allocate(count, app_element_bytes(values->precision), "the values on a side");
    }
    return count == 0 || values->table[axis][side] != NULL ? APP_DONE : APP_FAILED;
}

static int check_shape(const char *name, hid_t dataset, const psg_grid *grid, int axis) {
    hsize_t extent[H5S_MAX_RANK] = {0};
    const hid_t space = H5Dget_space(dataset);
    const int rank = H5Sget_simple_extent_dims(space, extent, NULL);
    const size_t rows = grid->axis[others[axis][1]].n, row = grid->axis[others[axis][0]].n;
    H5Sclose(space);
    if (rank == 2 && extent[0] == rows && extent[1] == row) {
        return APP_DONE;
    }
    char shape[128] = "one value";
    size_t length = 0;
    for (int d = 0; d < rank && length < sizeof shape; d++) {
        length += (size_t)snprintf(shape + length, sizeof shape - length, "%s%llu", d ? " x " : "",
                                   (unsigned long long)extent[d]);
    }
    return app_error(APP_USAGE, "%s: its shape is %s; of this grid it is [n%c][n%c], %zu x %zu",
                     name, shape, "xyz"[others[axis][1]], "xyz"[others[axis][0]], rows, row);
}

static int check_type(const char *name, hid_t dataset, psg_precision precision) {
    const hid_t type = H5Dget_type(dataset);
    const bool real = H5Tget_class(type) == H5T_FLOAT;
    const size_t bytes = H5Tget_size(type);
    H5Tclose(type);
    if (real && bytes == app_element_bytes(precision)) {
        return APP_DONE;
    }
    return real ? app_error(APP_USAGE, "%s: holds f%zu numbers, and the solve is in %s", name,
                            8 * bytes, app_precision_name(precision))
                : app_error(APP_USAGE, "%s: holds no real numbers", name);
}

/* Rows of an open data set. */
static int read_rows(const char *name, hid_t dataset, const part *p, psg_precision precision,
                     void *to) {
    const hsize_t start[2] = {p->first, 0}, count[2] = {p->rows, p->row};
    const hid_t type = precision == PSG_F32 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    if (p->rows == 0) {
        return APP_DONE;
    }
    const hid_t file = H5Dget_space(dataset);
    const hid_t memory = H5Screate_simple(2, count, NULL);
    herr_t result = H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, count, NULL);
    if (result >= 0) {
        result = H5Dread(dataset, type, memory, file, H5P_DEFAULT, to);
    }
    H5Sclose(memory);
    H5Sclose(file);
    return result < 0 ? app_error(APP_FAILED, "%s: cannot be read: %s", name,
                                  app_hdf5_read_words(dataset, (char[512]){""}, 512))
                      : APP_DONE;
}

static int read_side(const char *path, hid_t file, const psg_grid *grid, app_planes planes,
                     app_side_values *values, int axis, int side) {
    char name[PATH_MAX + 8];
    const part p = part_of(grid, planes, axis, side);
    snprintf(name, sizeof name, "%s:/%s", path, names[axis][side]);
    const hid_t object = H5Oopen(file, names[axis][side], H5P_DEFAULT);
    if (object < 0 || H5Iget_type(object) != H5I_DATASET) {
        if (object >= 0) {
            H5Oclose(object);
        }
        return app_error(APP_USAGE, "%s: not a data set", name);
    }
    values->given[axis][side] = true;
    int code =
        grid->axis[axis].bc[side] == PSG_BC_PERIODIC
            ? app_error(APP_USAGE, "%s: there are values on a side, and --bc makes %c periodic",
                        name, "xyz"[axis])
            : APP_DONE;
    code = code ? code : check_shape(name, object, grid, axis);
    code = code ? code : check_type(name, object, values->precision);
    code = code ? code : app_hdf5_check_whole(object, name);
    code = code ? code : allocate(values, &p, axis, side);
    code = code ? code : read_rows(name, object, &p, values->precision, values->table[axis][side]);
    H5Oclose(object);
    return code;
}

static herr_t find_other(hid_t group, const char *name, const H5L_info_t *info, void *found) {
    (void)group;
    (void)info;
    bool known = false;
    for (int m = 0; m < 6; m++) {
        known = known || strcmp(name, names[m / 2][m % 2]) == 0;
    }
    if (!known) {
        snprintf(found, 256, "%.255s", name);
    }
    return known ? 0 : 1;
}

int app_side_values_read(const char *path, const psg_grid *grid, psg_precision precision,
                         app_planes planes, app_side_values *values, char other[256]) {
    hid_t file = H5I_INVALID_HID;
    bool any = false;
    other[0] = '\0';
    *values = (app_side_values){.precision = precision};
    app_hdf5_start();
    int code = app_hdf5_open(path, &file);
    for (int m = 0; m < 6 && !code; m++) {
        if (H5Lexists(file, names[m / 2][m % 2], H5P_DEFAULT) > 0) {
            any = true;
            code = read_side(path, file, grid, planes, values, m / 2, m % 2);
        }
    }
    if (!code && !any) {
        code = app_error(APP_USAGE, "%s: has no values: they are in data sets x0 x1 y0 y1 z0 z1",
                         path);
    }
    if (!code) {
        (void)H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, NULL, find_other, other);
    }
    if (file >= 0) {
        H5Fclose(file);
    }
    return code;
}

int app_side_values_fill(app_side_values *values, const psg_grid *grid, psg_precision precision,
                         app_planes planes, int axis, int side, double value) {
    const part p = part_of(grid, planes, axis, side);
    values->precision = precision;
    values->given[axis][side] = true;
    const int code = allocate(values, &p, axis, side);
    for (size_t m = 0; m < p.rows * p.row && !code; m++) {
        app_put_row(values->table[axis][side], precision, m, 1, &value);
    }
    return code;
}
