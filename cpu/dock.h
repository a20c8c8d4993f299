/** @file dock.h  Rigid docking: how well one molecule fits another one, in all rotations and shifts on a grid.
 *
 * Katchalski-Katzir and others, PNAS 89 (1992) 2195.
 */
#ifndef PSG_CPU_DOCK_H
#define PSG_CPU_DOCK_H

#include "base/dock.h"
#include "cpu/ops.h"

typedef struct psg_cpu_dock_molecule {
    const base_dock_atom *atom;
    size_t atoms;
} psg_cpu_dock_molecule;

/** Rz(phi) Ry(theta) Rz(twist), in degrees. */
typedef struct psg_cpu_dock_rotation {
    unsigned twist, theta, phi;
} psg_cpu_dock_rotation;

/** Rotations that are about `step` degrees apart. @param[in] step  divides 180 @param[out] list  NULL: only count
 *  @return how many there are */
size_t psg_cpu_dock_rotations(unsigned step, psg_cpu_dock_rotation *list);
base_dock_turn psg_cpu_dock_turn(const psg_cpu_dock_rotation *rotation, bool back);

/** The mobile molecule: 1 in cells less than 1.8 angstrom from an atom, else 0. @param[out] cells  [n][n][n] */
void psg_cpu_dock_mobile(const base_dock_grid *grid, const psg_cpu_dock_molecule *molecule,
                         const psg_cpu_dock_rotation *rotation, float *cells);
/** The static one: the same, but -15 where no cell with 0, or outside the grid, is nearer than 1.3 angstrom. */
void psg_cpu_dock_static(const base_dock_grid *grid, const psg_cpu_dock_molecule *molecule,
                         float *cells);

/** The potential of the static molecule; 0 in its core. @param[in] cells  of psg_cpu_dock_static() @param[out] potential  [n][n][n] */
void psg_cpu_dock_potential(const base_dock_grid *grid, const psg_cpu_dock_molecule *molecule,
                            const float *cells, float *potential);
/** The charges of the mobile molecule, each spread to eight cells. @param[out] charges  [n][n][n] */
void psg_cpu_dock_charges(const base_dock_grid *grid, const psg_cpu_dock_molecule *molecule,
                          const psg_cpu_dock_rotation *rotation, float *charges);

/** cells -> spectrum, complex [n][n][n/2 + 1]. @param[in] fft  of the grid, in f32, periodic */
void psg_cpu_dock_transform(const psg_cpu_fft *fft, size_t n, const float *cells, void *spectrum,
                            void *scratch);
/** cells -> the sum of S(x) cells(x - d) for each shift d, times n^3; in place.
 *  @param[in]  fixed     the spectrum of S
 *  @param[out] spectrum  complex [n][n][n/2 + 1], aligned to 64
 *  @param[out] scratch   psg_cpu_ops.fft_scratch_bytes, aligned to 64 */
void psg_cpu_dock_correlate(const psg_cpu_fft *fft, size_t n, const void *fixed, float *cells,
                            void *spectrum, void *scratch);

/** No pose. */
void psg_cpu_dock_clear(base_dock_pose *list, size_t count);
/** The best poses of a rotation. @param[in] sums  as psg_cpu_dock_correlate() has them */
void psg_cpu_dock_best(const base_dock_grid *grid, const float *sums,
                       const base_dock_energies *energies, int32_t rotation,
                       base_dock_pose best[BASE_DOCK_BEST]);

#endif
