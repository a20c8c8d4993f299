#include "app/grid_sides.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

app_line app_line_of(const psg_axis *axis) {
    static const int images[] = {[PSG_BC_DIRICHLET] = -1,
                                 [PSG_BC_NEUMANN] = 1,
                                 [PSG_BC_ROBIN] = 1,
                                 [PSG_BC_PERIODIC] = 0,
                                 [PSG_BC_FREE] = APP_IMAGE_FREE};
    app_line line = {.n = (long)axis->n, .step = NAN, .faces = axis->faces};
    psg_axis alike = *axis; /* whose cells have one length */
    double first = 0;
    alike.faces = NULL;
    (void)psg_axis_points(&alike, &first, &line.step);
    line.first = lround(2 * first / line.step);
    line.whole = 2 * lround(axis->length / line.step);
    line.image[0] = images[axis->bc[0]];
    line.image[1] = images[axis->bc[1]];
    memcpy(line.robin, axis->robin, sizeof line.robin);
    return line;
}

bool app_line_robin(const app_line *line) {
    return line->robin[0] > 0 || line->robin[1] > 0;
}

bool app_line_varies(const app_line *line) {
    return line->n > 1 || line->image[0] < 0 || line->image[1] < 0 || app_line_robin(line);
}

double app_line_weight(const app_line *line, size_t j) {
    const long place = line->first + 2 * (long)j;
    if (line->faces != NULL) {
        return (line->faces[j + 1] - line->faces[j]) / line->step;
    }
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
                     grid->axis[a].bc[side] != PSG_BC_FREE && grid->axis[a].robin[side] == 0;
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

app_grid_words app_points_words(const psg_grid *grid, const char *joint) {
    app_grid_words words = {.text = ""};
    for (int d = 0, length = 0; d < grid->axes; d++) {
        length += snprintf(words.text + length, sizeof words.text - (size_t)length, "%s%zu",
                           d > 0 ? joint : "", grid->axis[d].n);
    }
    return words;
}

app_grid_words app_box_words(const psg_grid *grid) {
    app_grid_words words = {.text = ""};
    for (int d = 0, length = 0; d < grid->axes; d++) {
        length += snprintf(words.text + length, sizeof words.text - (size_t)length, "%s%.10g",
                           d > 0 ? " x " : "", grid->axis[d].length);
    }
    return words;
}

size_t app_task_planes(const psg_grid *grid) {
    return grid->axis[grid->axes == 2 ? 1 : 2].n;
}

size_t app_task_rows(const psg_grid *grid) {
    return grid->axes == 2 ? 1 : grid->axis[1].n;
}

void app_sides_text(const psg_grid *grid, char sides[9], char points[6]) {
    for (size_t d = 0; d < (size_t)grid->axes; d++) {
        app_bc_text(&grid->axis[d], sides + 3 * d);
        points[2 * d] = app_points_text(&grid->axis[d])[0];
        sides[3 * d + 2] = points[2 * d + 1] = d + 1 < (size_t)grid->axes ? ',' : '\0';
    }
}

void app_print_lengths(const psg_grid *grid, const char *head) {
    for (int d = 0; d < 3; d++) {
        const psg_axis *axis = &grid->axis[d];
        size_t good = axis->n;
        if (axis->faces == NULL &&
            psg_good_length(axis->n, axis->bc, axis->points, &good) == PSG_OK && good != axis->n) {
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

static int check_axes(const char *option, bool given, int have, int axes) {
    return !given || have == 1 || have == axes
               ? APP_DONE
               : app_error(APP_USAGE, "--%s is of %d axes, and the grid has %d", option, have,
                           axes);
}

int app_grid_make(const app_grid_value *size, const app_box_value *box,
                  const app_sides_value *sides, const app_points_value *points, psg_grid *grid) {
    const size_t *n = size->n;
    int code = box != NULL ? check_axes("box", box->given, box->axes, size->axes) : APP_DONE;
    if (sides != NULL && !code) {
        code = check_axes("bc", sides->given, sides->axes, size->axes);
        code = code ? code : check_axes("points", points->given, points->axes, size->axes);
    }
    psg_grid_init(grid, n[0], n[1], n[2], 1, 1, 1);
    grid->axes = size->axes;
    if (!code && (n[1] > SIZE_MAX / 16 / n[0] || n[2] > SIZE_MAX / 16 / (n[0] * n[1]))) {
        code = app_error(APP_USAGE, "%s points are more than this machine can count",
                         app_points_words(grid, " x ").text);
    }
    for (int d = 0; d < size->axes; d++) {
        psg_axis *axis = &grid->axis[d];
        axis->length = box != NULL && box->given ? box->length[d] : 1;
        if (sides != NULL) {
            memcpy(axis->bc, sides->bc[d], sizeof axis->bc);
            axis->points = points->points[d];
        }
    }
    return code;
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
