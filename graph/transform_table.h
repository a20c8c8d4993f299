/** @file transform_table.h  What the boundary conditions of an axis make of it: one row of a table
 * for each pair of them. */
#ifndef PSG_GRAPH_TRANSFORM_TABLE_H
#define PSG_GRAPH_TRANSFORM_TABLE_H

#include "cpu/symbol.h"
#include "cpu/transform.h"
#include "graph/psg.h"

/** The transform along an axis with these conditions and points. */
typedef struct psg_transform {
    psg_bc bc[2];               /**< at the lower and at the upper side */
    psg_points points;          /**< of a periodic axis any */
    psg_transform_kind kind[2]; /**< forward and inverse */
    psg_transform_kind faces;   /**< from modes times psg_symbol_slope() to the differences of
                                     neighbours, which lie between them; PERIODIC: there is none */
    psg_transform_kind table;   /**< of a free side, where x or y is free, forward and inverse */
    int more;                   /**< n points have n + more intervals in the length of the box */
    double first;               /**< point j is j + first intervals above the lower side */
    double shift;   /**< mode m has m + shift half waves; of a periodic axis psg_symbol_waves() */
    bool null;      /**< mode 0 has the eigenvalue 0 */
    bool stretched; /**< psg_axis_stretched(): psg_cpu_line in place of a transform */
} psg_transform;

/** Has it faces, or a Robin side, whose equation is that of faces? */
static inline bool psg_axis_stretched(const psg_axis *axis) {
    return axis->faces != NULL || axis->bc[0] == PSG_BC_ROBIN || axis->bc[1] == PSG_BC_ROBIN;
}

/** @return NULL: there is no transform for the axis' boundary conditions */
const psg_transform *psg_transform_of(const psg_axis *axis);

static inline bool psg_transform_periodic(const psg_transform *row) {
    return row->bc[0] == PSG_BC_PERIODIC;
}

static inline bool psg_transform_free(const psg_transform *row) {
    return row->kind[0] == PSG_TRANSFORM_FREE;
}

/** Has x or y a free side? A table is then the Green's function of all free axes. */
static inline bool psg_transforms_table(const psg_grid *grid) {
    return psg_transform_free(psg_transform_of(&grid->axis[0])) ||
           psg_transform_free(psg_transform_of(&grid->axis[1]));
}

/** The transform forward along axis d. */
static inline psg_transform_kind psg_transforms_kind(const psg_grid *grid, int d) {
    const psg_transform *row = psg_transform_of(&grid->axis[d]);
    return psg_transform_free(row) && psg_transforms_table(grid) ? row->table : row->kind[0];
}

/** Where `faces` has mode m: in place m + this. The lowest mode of cosines is constant and has no
 *  difference, and one half wave of sines more ends in cosines. */
static inline int psg_transform_faces_shift(const psg_transform *row, size_t n) {
    const int walls = (row->bc[0] == PSG_BC_DIRICHLET) + (row->bc[1] == PSG_BC_DIRICHLET);
    return n == 1 && walls == 0 ? 0 : walls - 1;
}

/** The first number that `faces` makes of the differences: one on a lower Dirichlet side is not
 *  wanted. */
static inline size_t psg_transform_faces_first(const psg_transform *row) {
    return row->bc[0] == PSG_BC_DIRICHLET ? 1 : 0;
}

/** Intervals of n points in the length of the box. */
static inline double psg_transform_intervals(const psg_transform *row, size_t n) {
    return (double)n + row->more;
}

/** The length along the axis of the cell of point k; on nodes, and of a periodic axis, the distance
 *  of points. That of faces grows with psg_axis.length. */
double psg_axis_width(const psg_axis *axis, size_t k);
/** The least of these. */
double psg_axis_least(const psg_axis *axis);
/** u on a Robin side with the value 0, over u at the point beside it, which is h/2 away: 1/(1 + k
 *  h/2). Of other sides 1: their k, psg_axis.robin, is 0. */
double psg_axis_robin(const psg_axis *axis, int side);

/** The factor that the transforms forward and back leave: the mode (0,0,0) over this is the mean of
 * f. */
double psg_transforms_norm(const psg_grid *grid);
/** Has the equation with lambda = 0 no solution for the mode (0,0,0)? */
bool psg_transforms_null(const psg_grid *grid);
bool psg_transforms_periodic(const psg_grid *grid);
/** Has an axis a free side? */
bool psg_transforms_free_side(const psg_grid *grid);

#endif
