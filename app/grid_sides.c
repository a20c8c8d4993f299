#include "app/grid_sides.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

app_line app_line_of(const psg_axis *axis) {
    static const int images[] = {[PSG_BC_DIRICHLET] = -1,
                                 [PSG_BC_NEUMANN] = 1,
                                 [PSG_BC_PERIODIC] = 0,
                                 [PSG_BC_FREE] = APP_IMAGE_FREE};
    app_line line = {.n = (long)axis->n, .step = NAN};
    double first = 0;
    (void)psg_axis_points(axis, &first, &line.step);
    line.first = lround(2 * first / line.step);
    line.whole = 2 * lround(axis->length / line.step);
    line.image[0] = images[axis->bc[0]];
    line.image[1] = images[axis->bc[1]];
    return line;
}

bool app_line_varies(const app_line *line) {
    return line->n > 1 || line->image[0] < 0 || line->image[1] < 0;
}

double app_line_weight(const app_line *line, size_t j) {
    const long place = line->first + 2 * (long)j;
    return line->image[0] != 0 && (place == 0 || place == line->whole) ? 0.5 : 1;
}

double app_line_weights(const app_line *line) {
    double sum = 0;
    for (long j = 0; j < line->n; j++) {
        sum += app_line_weight(line, (size_t)j);
    }
    return sum;
}

bool app_has_sides(const psg_grid *grid) {
    bool any = false;
    for (int a = 0; a < 3; a++) {
        any = any || grid->axis[a].bc[0] != PSG_BC_PERIODIC;
    }
    return any;
}

bool app_has_free_side(const psg_grid *grid) {
    bool any = false;
    for (int m = 0; m < 6; m++) {
        any = any || grid->axis[m / 2].bc[m % 2] == PSG_BC_FREE;
    }
    return any;
}

bool app_is_closed(const psg_grid *grid) {
    bool closed = true;
    for (int a = 0; a < 3; a++) {
        for (int side = 0; side < 2; side++) {
            closed = closed && grid->axis[a].bc[side] != PSG_BC_DIRICHLET &&
                     grid->axis[a].bc[side] != PSG_BC_FREE;
        }
    }
    return closed;
}

void app_bc_text(const psg_axis *axis, char text[3]) {
    text[0] = app_bc_letters[axis->bc[0]];
    text[1] = app_bc_letters[axis->bc[1]];
    text[2] = '\0';
}

const char *app_points_text(const psg_axis *axis) {
    return axis->points == PSG_POINTS_NODES ? "nodes" : "cells";
}

void app_sides_text(const psg_grid *grid, char sides[9], char points[6]) {
    for (size_t axis = 0; axis < 3; axis++) {
        app_bc_text(&grid->axis[axis], sides + 3 * axis);
        points[2 * axis] = app_points_text(&grid->axis[axis])[0];
    }
    sides[2] = sides[5] = points[1] = points[3] = ',';
    points[5] = '\0';
}

void app_print_lengths(const psg_grid *grid, const char *head) {
    for (int d = 0; d < 3; d++) {
        const psg_axis *axis = &grid->axis[d];
        size_t good = axis->n;
        if (psg_good_length(axis->n, axis->bc, axis->points, &good) == PSG_OK && good != axis->n) {
            printf("%s%zu points along %c: %zu are faster to transform\n", head, axis->n, "xyz"[d],
                   good);
        }
    }
}

bool app_sides_any(const app_sides_value *sides) {
    bool any = false;
    for (int axis = 0; axis < 3; axis++) {
        any = any || sides->bc[axis][0] != PSG_BC_PERIODIC || sides->bc[axis][1] != PSG_BC_PERIODIC;
    }
    return any;
}

bool app_sides_alike(const app_sides_value *sides) {
    bool all = true;
    for (int axis = 0; axis < 3; axis++) {
        const psg_bc *bc = sides->bc[axis];
        all = all && bc[0] == bc[1] && (bc[0] == PSG_BC_PERIODIC || bc[0] == PSG_BC_FREE);
    }
    return all;
}

bool app_sides_free(const app_sides_value *sides) {
    bool any = false;
    for (int m = 0; m < 6; m++) {
        any = any || sides->bc[m / 2][m % 2] == PSG_BC_FREE;
    }
    return any;
}

void app_sides_put(const app_sides_value *sides, const app_points_value *points, psg_grid *grid) {
    for (int axis = 0; axis < 3; axis++) {
        memcpy(grid->axis[axis].bc, sides->bc[axis], sizeof grid->axis[axis].bc);
        grid->axis[axis].points = points->points[axis];
    }
}

void app_side_values_free(app_side_values *values) {
    for (int m = 0; m < 6; m++) {
        free(values->table[m / 2][m % 2]);
    }
}

bool app_side_values_any(const app_side_values *values) {
    bool any = false;
    for (int m = 0; m < 6; m++) {
        any = any || values->given[m / 2][m % 2];
    }
    return any;
}

double app_side_value(const app_side_values *values, int axis, int side, size_t index) {
    double value = 0;
    if (values->table[axis][side] != NULL) {
        app_get_row(values->table[axis][side], values->precision, index, 1, &value);
    }
    return value;
}
