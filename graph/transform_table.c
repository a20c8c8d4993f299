/* The table of transforms: a row for each pair of sides and position of the points. */
#include "graph/transform_table.h"

#define ROW(low, high, the_points, forward, inverse, to_faces, the_more, the_first, the_shift,     \
            the_null)                                                                              \
    {                                                                                              \
        .bc = {PSG_BC_##low, PSG_BC_##high}, .points = PSG_POINTS_##the_points,                    \
        .kind = {PSG_TRANSFORM_##forward, PSG_TRANSFORM_##inverse},                                \
        .faces = PSG_TRANSFORM_##to_faces, .more = the_more, .first = the_first,                   \
        .shift = the_shift, .null = the_null                                                       \
    }

/* The equation along a stretched axis, or beside a Robin side, is solved as it is. */
#define STRETCHED_ROW(low, high, the_shift, the_null)                                              \
    {                                                                                              \
        .bc = {PSG_BC_##low, PSG_BC_##high}, .points = PSG_POINTS_CELLS,                           \
        .kind = {PSG_TRANSFORM_NONE, PSG_TRANSFORM_NONE}, .first = 0.5, .shift = the_shift,        \
        .null = the_null, .stretched = true                                                        \
    }

/* Beyond a free end nothing continues: the modes are those of twice the length. */
#define FREE_ROW(low, high, in_a_table)                                                            \
    {                                                                                              \
        .bc = {PSG_BC_##low, PSG_BC_##high}, .points = PSG_POINTS_CELLS,                           \
        .kind = {PSG_TRANSFORM_FREE, PSG_TRANSFORM_FREE}, .table = PSG_TRANSFORM_##in_a_table,     \
        .first = 0.5                                                                               \
    }

static const psg_transform transforms[] = {
    ROW(PERIODIC, PERIODIC, CELLS, PERIODIC, PERIODIC, PERIODIC, 0, 0, 0, true),
    ROW(NEUMANN, NEUMANN, CELLS, COS2, COS3, SIN1, 0, 0.5, 0, true),
    ROW(NEUMANN, DIRICHLET, CELLS, COS4, COS4, SIN2, 0, 0.5, 0.5, false),
    ROW(DIRICHLET, DIRICHLET, CELLS, SIN2, SIN3, COS1, 0, 0.5, 1, false),
    ROW(DIRICHLET, NEUMANN, CELLS, SIN4, SIN4, COS2, 0, 0.5, 0.5, false),
    ROW(NEUMANN, NEUMANN, NODES, COS1, COS1, SIN3, -1, 0, 0, true),
    ROW(NEUMANN, DIRICHLET, NODES, COS3, COS2, SIN4, 0, 0, 0.5, false),
    ROW(DIRICHLET, DIRICHLET, NODES, SIN1, SIN1, COS3, 1, 1, 1, false),
    ROW(DIRICHLET, NEUMANN, NODES, SIN3, SIN2, COS4, 0, 1, 0.5, false),
    FREE_ROW(FREE, FREE, FREE),
    FREE_ROW(DIRICHLET, FREE, FREE_SIN2),
    FREE_ROW(FREE, DIRICHLET, FREE_SIN2_END),
    FREE_ROW(NEUMANN, FREE, FREE_COS2),
    FREE_ROW(FREE, NEUMANN, FREE_COS2_END),
    STRETCHED_ROW(PERIODIC, PERIODIC, 0, true),
    STRETCHED_ROW(NEUMANN, NEUMANN, 0, true),
    STRETCHED_ROW(NEUMANN, DIRICHLET, 0.5, false),
    STRETCHED_ROW(DIRICHLET, DIRICHLET, 1, false),
    STRETCHED_ROW(DIRICHLET, NEUMANN, 0.5, false),
    STRETCHED_ROW(FREE, FREE, 0, true),
    STRETCHED_ROW(NEUMANN, FREE, 0, true),
    STRETCHED_ROW(FREE, NEUMANN, 0, true),
    STRETCHED_ROW(DIRICHLET, FREE, 0.5, false),
    STRETCHED_ROW(FREE, DIRICHLET, 0.5, false),
    STRETCHED_ROW(ROBIN, FREE, 0.5, false),
    STRETCHED_ROW(FREE, ROBIN, 0.5, false),
    STRETCHED_ROW(ROBIN, ROBIN, 0.5, false),
    STRETCHED_ROW(ROBIN, NEUMANN, 0.5, false),
    STRETCHED_ROW(NEUMANN, ROBIN, 0.5, false),
    STRETCHED_ROW(ROBIN, DIRICHLET, 0.5, false),
    STRETCHED_ROW(DIRICHLET, ROBIN, 0.5, false),
};

const psg_transform *psg_transform_of(const psg_axis *axis) {
    for (size_t m = 0; m < sizeof transforms / sizeof *transforms; m++) {
        const psg_transform *row = &transforms[m];
        if (row->bc[0] == axis->bc[0] && row->bc[1] == axis->bc[1] &&
            (row->points == axis->points || psg_transform_periodic(row)) &&
            row->stretched == psg_axis_stretched(axis)) {
            return row;
        }
    }
    return NULL;
}

double psg_axis_width(const psg_axis *axis, size_t k) {
    const double *faces = axis->faces;
    return faces == NULL ? axis->length / psg_transform_intervals(psg_transform_of(axis), axis->n)
                         : (faces[k + 1] - faces[k]) * (axis->length / (faces[axis->n] - faces[0]));
}

double psg_axis_robin(const psg_axis *axis, int side) {
    return 1 / (1 + axis->robin[side] * psg_axis_width(axis, side == 0 ? 0 : axis->n - 1) / 2);
}

double psg_axis_least(const psg_axis *axis) {
    double least = psg_axis_width(axis, 0);
    for (size_t k = 1; k < axis->n && axis->faces != NULL; k++) {
        least = fmin(least, psg_axis_width(axis, k));
    }
    return least;
}

double psg_transforms_norm(const psg_grid *grid) {
    double norm = 1;
    for (int d = 0; d < 3; d++) {
        const psg_transform_kind kind = psg_transforms_kind(grid, d);
        if (kind != PSG_TRANSFORM_NONE) {
            norm *= psg_transform_intervals(psg_transform_of(&grid->axis[d]), grid->axis[d].n) *
                    (kind == PSG_TRANSFORM_PERIODIC ? 1
                     : kind > PSG_TRANSFORM_FREE    ? 4
                                                    : 2);
        }
    }
    return norm;
}

bool psg_transforms_null(const psg_grid *grid) {
    bool all = true;
    for (int d = 0; d < 3; d++) {
        const psg_transform *row = psg_transform_of(&grid->axis[d]);
        all = all && row->null && row->bc[0] != PSG_BC_FREE && row->bc[1] != PSG_BC_FREE;
    }
    return all;
}

bool psg_transforms_periodic(const psg_grid *grid) {
    bool all = true;
    for (int d = 0; d < 3; d++) {
        all = all && psg_transform_periodic(psg_transform_of(&grid->axis[d]));
    }
    return all;
}

bool psg_transforms_free_side(const psg_grid *grid) {
    bool any = false;
    for (int d = 0; d < 3; d++) {
        any = any || psg_transform_free(psg_transform_of(&grid->axis[d]));
    }
    return any;
}
