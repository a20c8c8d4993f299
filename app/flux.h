/** @file flux.h  div(epsilon grad u) of the symbol fd2, as a sum over six faces of each cell. */
#ifndef PSG_APP_FLUX_H
#define PSG_APP_FLUX_H

#include "app/grid_sides.h"

#include <stdbool.h>

/** epsilon of a solve: arrays [count][ny][nx] of the precision, of the planes of a process. */
typedef struct app_coefficient {
    /** At points: [0] alone. On faces: [d] is of the faces above the points along x, y and z, as
     *  psg_solve_args.epsilon_faces. NULL: there is none */
    void *values[3];
    bool faces;
} app_coefficient;

/** epsilon and u, and the planes of them that other processes have. */
typedef struct app_flux {
    const psg_grid *grid; /* turned, see app_turned() */
    app_line line[3];     /* by axis of that grid */
    psg_precision precision;
    app_planes planes;
    const void *epsilon[3]; /* by axis of that grid; at points [0] alone */
    bool faces;
    const void *u;
    double *beside[2]; /* epsilon, and then u, in the plane below the own ones and above */
} app_flux;

/** Get the planes beside the own ones. Collective.
 *  @param[in]  grid    turned; borrowed, as are epsilon's arrays and u
 *  @param[out] flux    to be ended, whatever is returned
 *  @return APP_DONE; APP_FAILED after a message; the same in all processes */
int app_flux_begin(app_flux *flux, const psg_grid *grid, psg_precision precision, app_planes planes,
                   const app_coefficient *epsilon, const void *u);
/** All zero is fine. */
void app_flux_end(app_flux *flux);

/** epsilon of a face of a point: the harmonic mean of two points' epsilon, or that of the face. On
 *  a Dirichlet side that of the point, or of the face above the point. 0: nothing passes.
 *  @param[in] at    i, j, k of a point of the own planes, k in the grid
 *  @param[in] side  0: the lower face along axis d, 1: the upper one */
double app_flux_face(const app_flux *flux, const size_t at[3], int d, int side);

/** Is a point solid where lambda is 0? */
bool app_flux_solid(const app_flux *flux, const size_t at[3]);

/** div(epsilon grad u) at a point of the own planes, with 0 on the sides. */
double app_flux_divergence(const app_flux *flux, const size_t at[3]);

/** What values on the sides add to that: the value times epsilon of the side. A Neumann side has
 *  epsilon of the point, or of the face that app_flux_face() has on a Dirichlet side. */
double app_flux_inflow(const app_flux *flux, const app_side_values *values, const size_t at[3]);

#endif
