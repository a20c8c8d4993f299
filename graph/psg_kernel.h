/** @file psg_kernel.h  A kernel of the caller's in place of the symbol.
 *
 *     opt.kernel = PSG_KERNEL_USER;
 *     psg_plan_create(&plan, &grid, &opt);
 *     const size_t n[3] = {nx + 1, ny + 1, nz + 1};          all sides are free
 *     psg_plan_kernel(plan, PSG_KERNEL_FORM_SPACE, n, g);    double g[nz + 1][ny + 1][nx + 1]
 *     psg_solve(plan, f, u);
 *
 * The kernel is what stands for the inverse of -lap: 1/(4 pi r) at the points, or 1/k^2 of the
 * modes, makes u that of lap(u) = factor f.
 */
#ifndef PSG_KERNEL_H
#define PSG_KERNEL_H

#include "psg.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What the values of a kernel are. */
typedef enum psg_kernel_form {
    /** G at the points, in 1/L: value (i,j,k) is that of the distance (i hx, j hy, k hz), where h
     *  is the spacing of the points. u(p) = -factor hx hy hz times the sum of G(p - q) f(q) over
     *  the points q. On a periodic axis G is periodic, and f counts once: the sum over the images
     *  of the box is in G. A wall opposite to a free side has the image of f. Not for an axis
     *  between two walls, nor a periodic one with an odd number of points other than 1 */
    PSG_KERNEL_FORM_SPACE = 0,
    /** T at the modes, in L^2: mode (i,j,k) of u is -factor T(i,j,k) times that of f */
    PSG_KERNEL_FORM_MODES,
    /** the same for all modes that a Fourier transform of real numbers has, where all sides are
     *  periodic: T(-k) is T(k), but T need not be even along an axis, as for a constant tensor in
     *  div(A grad u), or in a cell whose edges are skew. nx/2 + 1 values along x, and along y and
     *  z ny and nz, in the order k = 0, 1, .., then from below up to -1, times 2 pi/l. At kx = 0,
     *  and at nx/2 of an even nx, T is the mean of T(k) and T(-k) */
    PSG_KERNEL_FORM_SPECTRUM,
    PSG_KERNEL_FORM_COUNT
} psg_kernel_form;

/** Give a plan with kernel = PSG_KERNEL_USER its kernel, for the solves from now on. It may be
 *  given again with other values. With several processes the call is collective, and each process
 *  has all of the values.
 *
 *  The kernel is real. But for PSG_KERNEL_FORM_SPECTRUM it is even along each axis, G(-x, y, z) =
 *  G(x, y, z) and so on, so that an octant says all of it. A kernel that is odd, as a derivative
 *  is, is none. Of n points, half a wave in length l being pi/l, an axis of an octant has
 *
 *  | axis                          | values  | of the modes, value m is that of |
 *  |-------------------------------|---------|----------------------------------|
 *  | periodic                      | n/2 + 1 | k = 2 pi m/l                     |
 *  | free at both sides            | n + 1   | k = pi m/l                       |
 *  | free at one side, but z alone | 2n + 1  | k = pi m/(2 l)                   |
 *  | Dirichlet and Neumann sides   | n       | mode m: pi m/l between Neumann,  |
 *  |                               |         | pi (m + 1)/l between Dirichlet   |
 *  |                               |         | sides, else pi (m + 1/2)/l       |
 *
 *  The highest value of a free axis in space meets no two points. It is finite all the same.
 *  Where all sides are periodic or Neumann and mode (0,0,0) of T is 0, psg_options.mean says what
 *  to do with a mean of f; else the mean is a mode as any other. There is no lambda beside a
 *  kernel: it is part of T.
 *
 *  @param[in] form    what the values are
 *  @param[in] n       the values along x, y and z
 *  @param[in] values  [n[2]][n[1]][n[0]], x fastest, finite, doubles in each precision; borrowed
 *                     until return. In space the process takes a copy of them meanwhile
 *  @return PSG_OK; PSG_ERR_ARG: the shape, the form or the range of the values is wrong, or they
 *          are not those of process 0; PSG_ERR_UNSUPPORTED: an axis has no values of this form;
 *          PSG_ERR_DATA: a value is NaN or Inf; PSG_ERR_STATE: the plan's kernel is another one, or
 *          a solve is in flight: nothing was done. PSG_ERR_MEMORY, _RUNTIME, and _ARG for the
 *          range: the plan has no kernel, and its solves are PSG_ERR_STATE until it has one */
PSG_API psg_status psg_plan_kernel(psg_plan *plan, psg_kernel_form form, const size_t n[3],
                                   const double *values);

#ifdef __cplusplus
}
#endif
#endif
