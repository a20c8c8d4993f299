/** @file psg_project.h  The divergence is taken out of a flow in one call.
 *
 *     opt.symbol = PSG_SYMBOL_FD2;
 *     psg_plan_create(&plan, &grid, &opt);
 *     psg_array v[3];  psg_array_init(&v[0], vx);  ...       double vx[nz][ny][nx], vy, vz
 *     psg_project(plan, v, NULL, NULL);                      div v is 0
 */
#ifndef PSG_PROJECT_H
#define PSG_PROJECT_H

#include "psg.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Solve  lap(u) - lambda u = factor div(v), and take grad(u) / factor out of v; returns when v and
 *  u are there. With lambda = 0 the divergence of v is 0 then, for any factor: the time step of a
 *  flow is 1/factor, and u is its pressure over the density.
 *
 *  The flow is on a staggered grid: v[0] of point (i,j,k) flows through the upper face of its cell
 *  along x, v[1] along y, v[2] along z. div(v) is the sum of what flows out of a cell, over the
 *  spacings. The last point of an axis has the flow through the upper side. Through a lower Neumann
 *  side nothing flows; a flow w through it is psg_solve_args.value = -factor w. On an upper Neumann
 *  side v stays as it is, less value / factor. Upper Dirichlet sides let v through.
 *
 *  The divergence is made in f64. The gradient is that of the modes of u. What is left of a
 *  divergence then is about the last digit of v over the spacing, on any number of points. In f64
 *  GPUs make differences of u along z, and more is left. The whole gradient is of differences of u,
 *  as psg_solve_args says of `gradient`, in three cases: on GPUs where x or y is not periodic; on
 *  GPUs where z has 1 or more than 8192 points; on cores in f64 where x or y is not periodic and
 *  there is an array for u.
 *  The first call that needs modes allocates a second spectrum.
 *
 *  For three axes, the symbol fd2, points in cells, sides periodic, or Neumann below and Neumann,
 *  Dirichlet or Robin above, with the fused graph. Collective with psg_options.comm: each process
 *  has the planes of its part.
 *  @param[in]     plan  no solve of it is in flight
 *  @param[in,out] v     three arrays like f, unit U L / unit(factor); only read
 *                       where psg_solve_args.gradient has any array: grad(u) goes there
 *  @param[out]    u     an array like f, unit U; NULL: it is not wanted. Where GPUs make the
 *                       difference of u, and without memory for the second spectrum, it is needed
 *  @param[in]     args  NULL: as the plan was made. Not epsilon, nor PSG_MEAN_ERROR
 *  @return as psg_solve_arrays(). PSG_ERR_UNSUPPORTED: another symbol, other sides, the staged
 *          graph. PSG_ERR_DATA: v is undefined, unless it was only read */
PSG_API psg_status psg_project(psg_plan *plan, const psg_array v[3], const psg_array *u,
                               const psg_solve_args *args);

#ifdef __cplusplus
}
#endif
#endif
