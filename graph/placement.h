/** @file placement.h  How much of the spectrum fits on the GPUs, and what the exchange needs
 *  there. */
#ifndef PSG_GRAPH_PLACEMENT_H
#define PSG_GRAPH_PLACEMENT_H

#include "codelets/context.h"
#include "graph/psg.h"
#include "runtime/gpu.h"

/** What a plan has on its GPUs beside its data. */
typedef struct psg_gpu_place {
    /** bytes on a GPU for what tasks work on, which bounds segments, and sheets that StarPU brings;
     *  INFINITY: enough */
    double room;
    bool ahead; /**< f of arrays comes to the GPUs ahead of the tasks that read it */
    /** bytes that the plan leaves of the GPU that has least, when it has been made; 0: not known */
    double left;
    psg_segment_codelets codelets;
    /** [3 + bundles]: memory nodes of the data of `codelets`; NULL: those where they run */
    int *node;
    psg_gpu_user gpu_user;
} psg_gpu_place;

/** Does one GPU have all tasks? */
bool psg_placement_one_gpu(const psg_plan *plan);
/** Bytes that StarPU can have on the GPU of the plan's with the least, now and once it has evicted
 *  all that it holds there; SIZE_MAX: not known. */
size_t psg_placement_room_now(const psg_plan *plan);
size_t psg_placement_room_emptied(const psg_plan *plan);
/** Do the blocks of one more solve fit the GPUs that would have them?
 *  @param[in] ahead  all of f comes before the tasks that read it, so that there has to be room for
 *                     it, and for the u of the solve before, which may not be home yet */
bool psg_placement_fits(const psg_plan *plan, bool ahead);
/** The same, if `twice` rows of every plane have two buffers. */
bool psg_placement_fits_twice(const psg_plan *plan, bool ahead, size_t twice);
/** For psg_home_row.segment_room. What is left of the fullest GPU beside its part of the spectrum
 *  and of f, for segments of any size or, at first, for those that are no larger than they have to
 *  be; and what there is for copies of a spectrum that is in main memory. */
double psg_placement_beside(const psg_plan *plan);
double psg_placement_beside_large(const psg_plan *plan);
double psg_placement_of_copies(const psg_plan *plan);
/** Room on the GPU of all processes that has least; see psg_gpu_place. Collective. @return PSG_OK;
 * PSG_ERR_RUNTIME */
psg_status psg_placement_find_room(double *room, const psg_plan *plan);
/** Does a spectrum that is at home on the GPUs fit there? Planes are cut. @param[out] ahead
 * psg_gpu_place.ahead
 *  @return PSG_OK; PSG_ERR_MEMORY: it does not */
psg_status psg_placement_check(bool *ahead, const psg_plan *plan);
/** The codelets of segments. @return PSG_OK; PSG_ERR_MEMORY */
psg_status psg_placement_codelets(psg_gpu_place *placement, const psg_plan *plan);
/** Prepare the GPUs for tasks. @return PSG_OK; PSG_ERR_MEMORY, _RUNTIME */
psg_status psg_placement_gpus(psg_gpu_user *user, psg_engine *engine, const psg_plan *plan);
/** Copy the plan's tables of eigenvalues, which have changed, to its GPUs. @return PSG_OK;
 * PSG_ERR_RUNTIME */
psg_status psg_placement_renew(const psg_plan *plan);
/** Is there room on a GPU for `what` a task works on, or for its blocks? StarPU waits for room, and
 *  where there never is any, for ever. @param[in] finer  parts of which more make it less
 *  @return PSG_OK; PSG_ERR_MEMORY */
psg_status psg_placement_check_bytes(const psg_plan *plan, double needed, const char *what,
                                     const char *finer);
psg_status psg_placement_check_task(const psg_plan *plan);
/** Bytes that the plan leaves of the GPU that has least; 0: not known. */
double psg_placement_left(const psg_plan *plan);

#endif
