/** @file grid_sides.h  The sides of a grid in whole numbers: where its points are, and what is
 *  beyond the sides. */
#ifndef PSG_APP_GRID_SIDES_H
#define PSG_APP_GRID_SIDES_H

#include "app/app.h"
#include "app/values.h"

#include <stdbool.h>

/** app_line.image of a free side, beyond which there is none. */
enum { APP_IMAGE_FREE = 2 };

/** An axis in halves of the distance of its points. */
typedef struct app_line {
    long n;
    long first;   /**< from the lower side to point 0 */
    long whole;   /**< from side to side */
    int image[2]; /**< sign of the mirror image beyond each side; 0: periodic; or APP_IMAGE_FREE */
    double step;  /**< distance of the points, unit of the box; where there are faces, the mean */
    const double *faces; /**< psg_axis.faces */
    double robin[2];     /**< psg_axis.robin; image has such a side as a Neumann side */
} app_line;

/** @param[in] axis  of a grid that a plan was made for */
app_line app_line_of(const psg_axis *axis);

/** Has it a Robin side? Its stencil has no mirror images then. */
bool app_line_robin(const app_line *line);

/** Can u vary along the axis? Not where its one point is its own neighbour: the derivative is 0
 *  there, however short the axis is, and rounding of its terms would be as large as these. */
bool app_line_varies(const app_line *line);

/** The weight of a point in sums over the box: 1/2 on a side; of cells between faces their length
 *  over `step`. */
double app_line_weight(const app_line *line, size_t j);
/** The sum of all weights. */
double app_line_weights(const app_line *line);

/** Is any axis not periodic? Are all sides periodic or Neumann, so that nothing holds a mean? */
bool app_has_sides(const psg_grid *grid);
bool app_has_free_side(const psg_grid *grid);
bool app_is_closed(const psg_grid *grid);

/** "PP" and the like; "cells", "nodes". */
void app_bc_text(const psg_axis *axis, char text[3]);
const char *app_points_text(const psg_axis *axis);

/** The points, and the lengths, of the axes that arrays of the grid have: "4 x 5". */
typedef struct app_grid_words {
    char text[96];
} app_grid_words;
app_grid_words app_points_words(const psg_grid *grid, const char *joint);
app_grid_words app_box_words(const psg_grid *grid);

/** Planes, and rows of each, that tasks share out: of two axes each row is a plane. */
size_t app_task_planes(const psg_grid *grid);
size_t app_task_rows(const psg_grid *grid);

/** As --bc and --points have them. */
void app_sides_text(const psg_grid *grid, char sides[9], char points[6]);

/** Say which axes have a length that is slow to transform, and which one is fast: a line for each,
 *  which begins with `head`. */
void app_print_lengths(const psg_grid *grid, const char *head);

/** Is each axis periodic, or free at both sides? */
bool app_sides_alike(const app_sides_value *sides);
/** Is a side given that is not periodic? Is one of them free? */
bool app_sides_any(const app_sides_value *sides);
bool app_sides_free(const app_sides_value *sides);
/** A grid of what was given: `box`, `sides` and `points` are for one axis, or as many as there are.
 *  @param[in] box, sides, points  NULL: of length 1, periodic
 *  @return APP_DONE; APP_USAGE after a message: they do not fit, or there are too many points */
int app_grid_make(const app_grid_value *size, const app_box_value *box,
                  const app_sides_value *sides, const app_points_value *points, psg_grid *grid);

/** Values by axis and side, of the precision: x [count][ny], y [count][nx] of the process' planes,
 *  z [ny][nx] where the process has the plane next to the side. NULL: 0, or none of this
 *  process'. */
typedef struct app_side_values {
    void *table[3][2];
    bool given[3][2]; /**< the same in all processes */
    psg_precision precision;
} app_side_values;

void app_side_values_free(app_side_values *values);

bool app_side_values_any(const app_side_values *values);
/** Number `index` of a table. */
double app_side_value(const app_side_values *values, int axis, int side, size_t index);

#endif
