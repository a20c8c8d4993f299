/** @file psg_boxes.h  Each process gives f and takes u as any box of the grid, in place of planes.
 *
 *     psg_plan_create(&plan, &grid, &opt);                   opt.comm = &comm
 *     const size_t lo[3] = {0, y0, z0}, n[3] = {nx, ny, nz}; pencils along x, bricks, ...
 *     psg_plan_box(plan, lo, n);
 *     psg_solve(plan, f, u);                                 double f[nz][ny][nx], u
 */
#ifndef PSG_BOXES_H
#define PSG_BOXES_H

#include "psg.h"

#ifdef __cplusplus
extern "C" {
#endif

/** f, u and the gradient are this box of the grid on this process, for the solves from now on,
 *  until the call is made again. Every point of the grid is in the box of one process. A box may be
 *  empty (n[d] = 0 along one axis), and there may be more processes than planes.
 *
 *  A solve sends the points to the processes that have their planes, and u back, in messages beside
 *  its tasks: each point that is in another process' planes travels twice. u is that of a solve
 *  with planes, bit by bit. Arrays of boxes are in main memory, with strides as any array has.
 *  There are no values on sides, no epsilon, no modes and no flow. Slabs (psg_submit_slabs()) stay
 *  planes. psg_plan_local_box(plan, PSG_HOST, ..) returns the box. Collective.
 *  @param[in] lo  the first point along x, y and z
 *  @param[in] n   the points along x, y and z. lo and n NULL on all processes: planes again
 *  @return PSG_OK; PSG_ERR_ARG: the box leaves the grid, or two boxes overlap, or a point is in
 *          none: the words name the processes; PSG_ERR_STATE: a solve is in flight;
 *          PSG_ERR_UNSUPPORTED: MPI has too few tags, or this is a simulation. Then nothing was
 *          changed. PSG_ERR_MEMORY, _RUNTIME */
PSG_API psg_status psg_plan_box(psg_plan *plan, const size_t lo[3], const size_t n[3]);

#ifdef __cplusplus
}
#endif
#endif
