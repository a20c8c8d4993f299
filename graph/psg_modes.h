/** @file psg_modes.h  f or u of a solve as modes, for programs that have them.
 *
 *     psg_array hat[2];
 *     psg_array_init(&hat[0], f_modes);  complex f_modes[nz][ny][nx/2 + 1]
 *     psg_array_init(&hat[1], u_modes);  the same shape
 *     psg_solve_args args;  psg_solve_args_init(&args, plan);
 *     args.f_modes = &hat[0];            f is NULL then
 *     args.u_modes = &hat[1];            beside u, or u is NULL
 *     psg_solve_arrays(plan, 1, NULL, NULL, &args);
 *
 * Transforms that have nothing to do are left out: with modes of f all forward ones, with modes of
 * u in place of u all backward ones, and with both there is none. Modes are in main memory or on
 * one of the plan's GPUs, wherever f and u are, and tasks copy what is elsewhere. On a GPU they are
 * aligned for a complex number.
 *
 * The modes are those of NumPy's and SciPy's transforms, unscaled forward. Where x is periodic they
 * are complex, [nz][ny][nx/2 + 1]: numpy.fft.rfftn(f) where all axes are. Mode m of a periodic axis
 * is exp(2 pi i m j/n), in the order 0, 1, .., then from below up to -1. An axis between walls has
 * the n modes of the real transform that its sides and points are for, as scipy.fft has it:
 *
 *  | sides, lower and upper | cells      | nodes      |
 *  |------------------------|------------|------------|
 *  | Dirichlet, Dirichlet   | dst type 2 | dst type 1 |
 *  | Neumann, Neumann       | dct type 2 | dct type 1 |
 *  | Dirichlet, Neumann     | dst type 4 | dst type 3 |
 *  | Neumann, Dirichlet     | dct type 4 | dct type 3 |
 *
 * Where x, y and z are all between walls the modes are real, [nz][ny][nx], and rows have an even
 * number of elements: one more than nx if nx is odd, which is 0.
 *
 * u is real. So the modes of f are taken to be those of real numbers: of the planes kx = 0 and, of
 * an even nx, kx = nx/2, which have each mode and its conjugate, the part that is not so makes no
 * difference to u, as with numpy.fft.irfftn(). It stays in the modes of u, which are those of f
 * one by one.
 */
#ifndef PSG_MODES_H
#define PSG_MODES_H

#include "psg.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The modes that this process has: of all along z and x, those rows ky that it works on, [n[2]]
 *  [n[1]][n[0]]. In one process they are all. Other arrays are cut along z.
 *  @param[out] lo          the first mode along x, y and z
 *  @param[out] n           how many they are
 *  @param[out] is_complex  1: complex numbers of the plan's precision; 0: real ones
 *  @return PSG_OK; PSG_ERR_ARG: a pointer is NULL; PSG_ERR_UNSUPPORTED: the plan's solves have no
 *          modes. They are for the fused graph, and for axes that are not free, of which x is
 *          periodic or none is */
PSG_API psg_status psg_plan_local_modes(const psg_plan *plan, size_t lo[3], size_t n[3],
                                        int *is_complex);

#ifdef __cplusplus
}
#endif
#endif
