/** @file dock.h  What the files of workload dock share. */
#ifndef PSG_GRAPH_WORKLOADS_DOCK_H
#define PSG_GRAPH_WORKLOADS_DOCK_H

#include "codelets/workloads/dock.h"

/** The test molecules: atoms on a shaken lattice in a ball that a wavy surface cuts in two. The parts fit each other where they
 *  were. The static part is positive on the side of x > 0, and the mobile one on the other side.
 *  @param[out] atom  of the static part, and of the mobile one; NULL: only count
 *  @param[out] count  of both */
void psg_dock_cut_ball(base_dock_atom *const atom[2], size_t count[2]);

/** @param[in] at  [atoms][stride], places first @param[out] mean  of the atoms @return the radius about it; NaN: an atom is nowhere */
double psg_dock_radius(const double *at, size_t stride, size_t atoms, double mean[3]);

/** Move the mean of the atoms to the origin. @return the radius about it */
double psg_dock_centre(base_dock_atom *atom, size_t atoms);

/** An energy by FFT in f32 is off by this at the most. @param[in] atom  of the static molecule, and of the mobile one */
double psg_dock_rounding(base_dock_atom *const atom[2], const size_t count[2], double spacing);

/** Compare the poses of the list with sums over cells and atoms. @param[in] field  the potential; NULL: no electrostatics
 *  @return how many have another score or energy, or an energy that is not negative; -1: no memory */
int psg_dock_differing(const psg_dock *d, const base_dock_pose *list, const float *field);

#endif
