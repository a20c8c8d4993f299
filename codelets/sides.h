/** @file sides.h  What values on the sides add to f, on the way into its transform. f itself is only read. */
#ifndef PSG_CODELETS_SIDES_H
#define PSG_CODELETS_SIDES_H

#include "codelets/context.h"

/** What the sides add to plane k of segment s. */
psg_cpu_sides psg_sides_of_plane(const psg_run *run, size_t s, size_t k);

/** One plane of f, for a core: f itself where the solve has no values, else a copy with them in this worker's scratch.
 *  @param[in]     k          number of the plane in the segment
 *  @param[in,out] row_pitch  of the plane */
const void *psg_sides_plane(const psg_task_args *args, size_t k, const void *f, size_t *row_pitch);

#endif
