/** @file sides.h  What values on the sides add to f, on the way into its transform. f itself is
 * only read. */
#ifndef PSG_CODELETS_SIDES_H
#define PSG_CODELETS_SIDES_H

#include "codelets/context.h"

/** What the sides add to the planes z .. z + planes - 1 of right-hand side m: x and y from the
 *  first of these planes on, z where it is one of them. */
psg_cpu_sides psg_sides_at(const psg_context *context, const psg_sides *sides, size_t m, size_t z,
                           size_t planes);

/** Plane z of right-hand side m, for a core: f itself where the solve has no values, else a copy
 *  with them in this worker's scratch. @param[in,out] row_pitch  of the plane */
const void *psg_sides_plane(const psg_task_args *args, size_t m, size_t z, const void *f,
                            size_t *row_pitch);

#endif
