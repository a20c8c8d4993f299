/** @file plane.h  One plane's spectrum, between a core's scratch and the blocks that it belongs
 * to. */
#ifndef PSG_CODELETS_PLANE_H
#define PSG_CODELETS_PLANE_H

#include "codelets/context.h"
#include "runtime/task.h"

/** Which way: out of the scratch, or into it. */
typedef enum psg_plane_way { PSG_PLANE_DEAL, PSG_PLANE_COLLECT } psg_plane_way;

/** Are the blocks views of the segment's planes, side by side? Then the first one begins where each
 * plane does. */
bool psg_plane_whole(const psg_context *context, void *blocks[]);

/** Copy a plane, complex [nyc][nxc], to or from its rows in the blocks.
 *  @param[in] blocks  StarPU buffers: the segment's blocks, one per bundle
 *  @param[in] plane   number of the plane in the segment */
void psg_plane_move(const psg_context *context, psg_plane_way way, void *blocks[], size_t plane,
                    void *spectrum);

/** Plane k of buffer m, reals. */
static inline void *psg_plane_of(const psg_context *c, void *buffers[], size_t m, size_t k) {
    return (char *)psg_task_pointer(buffers, m) +
           k * psg_task_pitch(buffers, m) * c->cpu->real_bytes;
}

/** Of a task forward_xy of a flow along x, y and z, which stand before the blocks: the flow along z
 *  of the plane below its segment's first one. Where that is another segment's, the segment stands
 *  behind the blocks, or where another process has it, the plane alone.
 *  @param[out] row_pitch  0 with NULL @return NULL: there is a side */
const void *psg_plane_below(const psg_task_args *args, void *buffers[], size_t *row_pitch);
/** Is plane k of buffer m, reals, finite? */
bool psg_plane_finite(const psg_context *context, void *buffers[], size_t m, size_t k);
/** If it is not, psg_findings.overflow says so. */
void psg_plane_check(const psg_task_args *args, void *buffers[], size_t m, size_t k);

#endif
