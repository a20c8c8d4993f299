/* Values on the sides of the box: six data sets of an HDF5 file at most. */
#include "app/field_sides.h"
#include "app/field_whole.h"
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
    const psg_grid turned = app_turned(grid);
    const int d = app_turn(grid, axis);
    const size_t nz = turned.axis[2].n;
    const bool here =
        planes.count > 0 && (side == 0 ? planes.z0 == 0 : planes.z0 + planes.count == nz);
    return (part){.first = d < 2 ? planes.z0 : 0,
                  .rows = d < 2  ? planes.count
                          : here ? turned.axis[1].n
                                 : 0,
                  .row = turned.axis[others[d][0]].n};
}

static int allocate(app_side_values *values, const part *p, int axis, int side) {
    const size_t count = p->rows * p->row;
    if (count > 0) {
        values->table[axis][side] =
            app_allocate(count, app_element_bytes(values->precision), "the values on a side");
    }
    return count == 0 || values->table[axis][side] != NULL ? APP_DONE : APP_FAILED;
}

/* @param[in] have  what the data set holds */
static int check_shape(const char *name, const app_hdf5_shape *have, const psg_grid *grid,
                       int axis) {
    const size_t rows = grid->axis[others[axis][1]].n, row = grid->axis[others[axis][0]].n;
    char text[128];
    app_hdf5_shape_text(have, text, sizeof text);
    if (grid->axes < 3) {
        return have->rank == 1 && have->extent[0] == row
                   ? APP_DONE
                   : app_error(APP_USAGE, "%s: its shape is %s; of this grid it is [n%c], %zu",
                               name, text, "xyz"[others[axis][0]], row);
    }
    if (have->rank == 2 && have->extent[0] == rows && have->extent[1] == row) {
        return APP_DONE;
    }
    return app_error(APP_USAGE, "%s: its shape is %s; of this grid it is [n%c][n%c], %zu x %zu",
                     name, text, "xyz"[others[axis][1]], "xyz"[others[axis][0]], rows, row);
}

static int check_type(const char *name, const app_hdf5_shape *have, psg_precision precision) {
    return have->class != H5T_FLOAT ? app_error(APP_USAGE, "%s: holds no real numbers", name)
           : have->bytes == app_element_bytes(precision)
               ? APP_DONE
               : app_error(APP_USAGE, "%s: holds f%zu numbers, and the solve is in %s", name,
                           8 * have->bytes, app_precision_name(precision));
}

/* Rows of an open data set. */
static int read_rows(const char *name, hid_t dataset, int rank, const part *p,
                     psg_precision precision, void *to) {
    const app_hdf5_block rows = {2, {p->first, 0}, {p->rows, p->row}};
    const app_hdf5_block row = {1, {p->first}, {p->rows * p->row}};
    const app_hdf5_block block = rank == 1 ? row : rows;
    char words[512];
    return p->rows > 0 && app_hdf5_read(dataset, &block, precision, to, words)
               ? app_error(APP_FAILED, "%s: cannot be read: %s", name, words)
               : APP_DONE;
}

static int read_side(const char *path, hid_t file, const psg_grid *grid, app_planes planes,
                     app_side_values *values, int axis, int side) {
    char name[PATH_MAX + 8];
    const part p = part_of(grid, planes, axis, side);
    snprintf(name, sizeof name, "%s:/%s", path, names[axis][side]);
    const hid_t dataset = H5Dopen2(file, names[axis][side], H5P_DEFAULT);
    if (dataset < 0) {
        return app_error(APP_USAGE, "%s: not a data set", name);
    }
    values->given[axis][side] = true;
    const app_hdf5_shape have = app_hdf5_shape_of(dataset);
    const psg_bc bc = grid->axis[axis].bc[side];
    const char *without = bc == PSG_BC_PERIODIC ? "periodic" : bc == PSG_BC_FREE ? "free" : NULL;
    int code = without != NULL
                   ? app_error(APP_USAGE, "%s: there are values on a side, and --bc makes %c %s",
                               name, "xyz"[axis], without)
                   : APP_DONE;
    code = code ? code : check_shape(name, &have, grid, axis);
    code = code ? code : check_type(name, &have, values->precision);
    code = code ? code : app_hdf5_check_whole(dataset, name);
    code = code ? code : allocate(values, &p, axis, side);
    code = code ? code
                : read_rows(name, dataset, have.rank, &p, values->precision,
                            values->table[axis][side]);
    H5Dclose(dataset);
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
