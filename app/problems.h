/** @file problems.h  Built-in problems whose answers are known. */
#ifndef PSG_APP_PROBLEMS_H
#define PSG_APP_PROBLEMS_H

#include "app/answer.h"
#include "app/app.h"

/* -------------------------------------------------------------------------------------- modes */

/** A sum of Fourier modes, low ones and those at and next to the Nyquist mode of every axis, of
 *  lap(u) - lambda u = factor f. @return NULL after a message; free with app_answer_free() */
app_answer *app_modes_make(const psg_grid *grid, psg_symbol symbol, double lambda, double factor);

/* ----------------------------------------------------------------------------------- madelung */

/** APP_CAVITY: one charge in the middle of a cube with Dirichlet sides, whose mirror images are
 *  NaCl. */
typedef enum app_lattice { APP_NACL = 0, APP_CSCL, APP_ZNS, APP_CAVITY } app_lattice;

/** "NaCl" and the like, static. */
const char *app_lattice_name(app_lattice lattice);

/** f = -4 pi rho, where rho are the ions of one cubic cell as Gaussian charges +-1 of standard
 *  deviation d/12, d the distance of nearest neighbours, and all their periodic images. The box is
 *  a cube, the cell.
 *  @param[out] f  [count][ny][nx] of the precision, the planes alone
 *  @return APP_DONE; APP_FAILED after a message */
int app_madelung_fill(app_lattice lattice, const psg_grid *grid, psg_precision precision,
                      app_planes planes, void *f);

typedef struct app_madelung {
    double constant;  /**< from the energy of phi */
    double reference; /**< the literature's */
    double tolerance; /**< for their difference; 0 where the grid is too coarse to judge */
} app_madelung;

/** The Madelung constant, referred to d, out of the energy 1/2 integral rho phi; collective.
 *  @param[in] f    from app_madelung_fill()
 *  @param[in] phi  the solution of lap(phi) = f, of the same shape
 *  @return APP_DONE; APP_FAILED after a message; the same in all processes */
int app_madelung_constant(app_lattice lattice, const psg_grid *grid, psg_precision precision,
                          psg_symbol symbol, app_planes planes, const void *f, const void *phi,
                          app_madelung *result);

/* ---------------------------------------------------------------------------------------- lid */

typedef struct app_lid {
    double middle;    /**< u in the middle of the cube, or the mean of the points around it */
    double tolerance; /**< for its difference from 1/6; 0 where the axes have unlike points */
} app_lid;

/** A cube with u = 1 on one side and 0 on the others. Six of these, one for each side, make u = 1,
 *  so u in the middle is 1/6, of the stencil fd2 too. Collective. @param[in] u  [count][ny][nx] of
 *  the precision, the planes alone */
void app_lid_compare(const psg_grid *grid, psg_precision precision, app_planes planes,
                     const void *u, app_lid *result);

/* ------------------------------------------------------------------------------------ charges */

typedef struct app_charge {
    double place[3], charge; /**< along x, y and z in units of the axes' lengths */
} app_charge;

/** f is the density of Gaussian charges and their images, on axes that are periodic, or between
 *  Dirichlet sides with the charge in the middle.
 *  @param[in]  width  standard deviation in units of the axes' lengths, up to 0.084
 *  @param[out] f      [count][ny][nx] of the precision, the planes alone
 *  @return APP_DONE; APP_FAILED after a message */
int app_charges_fill(const app_charge *charges, size_t count, double width, const psg_grid *grid,
                     psg_precision precision, app_planes planes, void *f);

#endif
