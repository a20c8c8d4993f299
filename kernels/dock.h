/** @file dock.h  Rigid docking on a GPU, as cpu/dock.h has it: the same cells and the same poses. FFTs are in f32.
 *
 * Codes are those of psg_cuda_error_string(). What is launched stands on the stream of the psg_cuda_dock.
 */
#ifndef PSG_KERNELS_DOCK_H
#define PSG_KERNELS_DOCK_H

#include "base/dock.h"
#include "kernels/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/** FFTs of a grid of n^3 cells, a spectrum and what they work in, on one stream of one GPU. */
typedef struct psg_cuda_dock psg_cuda_dock;

/** For the current device. @param[out] dock  NULL after a failure @return 0, or a code */
int psg_cuda_dock_create(psg_cuda_dock **dock, size_t n, cudaStream_t stream);
/** NULL is fine. */
void psg_cuda_dock_destroy(psg_cuda_dock *dock);

/** The mobile molecule: 1 in cells less than 1.8 angstrom from an atom, else 0. @param[out] cells_d  [n][n][n] */
int psg_cuda_dock_mobile(psg_cuda_dock *dock, const base_dock_grid *grid,
                         const base_dock_turn *turn, const base_dock_atom *atom_d, size_t atoms,
                         float *cells_d);
/** Its charges, each spread to eight cells; the order of sums is another one each time. @param[out] charges_d  [n][n][n] */
int psg_cuda_dock_charges(psg_cuda_dock *dock, const base_dock_grid *grid,
                          const base_dock_turn *turn, const base_dock_atom *atom_d, size_t atoms,
                          float *charges_d);
/** The spectrum of the static molecule, and an empty list. @param[out] spectrum_d  complex [n][n][n/2 + 1] */
int psg_cuda_dock_static(psg_cuda_dock *dock, const base_dock_grid *grid,
                         const base_dock_atom *atom_d, size_t atoms, void *spectrum_d,
                         base_dock_pose *list_d, size_t count);
/** Directly after it: the potential of the static molecule, with the bits of a core's.
 *  @param[out] potential_d  [n][n][n] @param[out] spectrum_d  of the potential, complex [n][n][n/2 + 1] */
int psg_cuda_dock_potential(psg_cuda_dock *dock, const base_dock_grid *grid,
                            const base_dock_atom *atom_d, size_t atoms, float *potential_d,
                            void *spectrum_d);
/** cells -> the sum of S(x) cells(x - d) for each shift d, times n^3; in place. @param[in] fixed_d  the spectrum of S */
int psg_cuda_dock_correlate(psg_cuda_dock *dock, const void *fixed_d, float *cells_d);
/** The best poses of a rotation. @param[in] energies_d  its arrays are on the GPU @param[out] best_d  [BASE_DOCK_BEST] */
int psg_cuda_dock_best(psg_cuda_dock *dock, const base_dock_grid *grid, const float *sums_d,
                       const base_dock_energies *energies_d, int32_t rotation,
                       base_dock_pose *best_d);
/** Insert poses into a list of the best ones. */
int psg_cuda_dock_merge(psg_cuda_dock *dock, const base_dock_pose *poses_d, size_t poses,
                        base_dock_pose *list_d, size_t count);

#ifdef __cplusplus
}
#endif
#endif
