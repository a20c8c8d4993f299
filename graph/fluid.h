/** @file fluid.h  Solves with epsilon = 0 somewhere: the regions of the fluid are found once
 *  epsilon has been read, and the calling thread takes their means off f and u. */
#ifndef PSG_GRAPH_FLUID_H
#define PSG_GRAPH_FLUID_H

#include "base/regions.h"
#include "graph/pcg.h"

/** Data of segment s: handle[s step] */
typedef struct psg_fluid_data {
    const starpu_data_handle_t *handle;
    size_t step;
} psg_fluid_data;

/** The regions of the fluid in the planes of this process, of which some go on elsewhere. */
typedef struct psg_fluid {
    psg_run *run;
    const psg_plan *plan;
    base_regions *regions;
    bool faces; /**< they have epsilon */
    /** [regions->count]: of one that has a point beside another process its number among such
     *  regions of all processes, from 1 on. Parts of one region have the least of their numbers.
     *  0: the region ends here */
    double *name;
    size_t *shared; /**< [shared_count]: the regions that have names, in the order of their own */
    size_t shared_count;
    size_t names;      /**< of all processes */
    double first_name; /**< names of the processes before */
    double *room;      /**< [names] */
} psg_fluid;

/** Wait for eps, and label the regions of the fluid. As all here, collective.
 *  @param[in]  terms  whose lambda, if it is not 0, fixes u in every region
 *  @return for psg_fluid_destroy(); NULL: the run has failed, here or on another process */
psg_fluid *psg_fluid_find(psg_run *run, const psg_plan *plan, const base_pcg_terms *terms);
/** NULL is fine. */
void psg_fluid_destroy(psg_fluid *fluid);
/** f, f32 or f64 -> `to`, f64, 0 at solid points, less its mean in each region that nothing fixes:
 *  `result` tells of it. @return false: the run has failed, here or on another process */
bool psg_fluid_fill(psg_run *run, const psg_plan *plan, psg_fluid *fluid, psg_fluid_data f,
                    psg_fluid_data to, psg_pcg_result *result);
/** Wait for x: less its mean in each region that nothing fixes, and 0 at solid points.
 *  @return false: the run has failed, here or on another process */
bool psg_fluid_drop(psg_run *run, const psg_plan *plan, psg_fluid *fluid, psg_fluid_data x);
/** Is the mean of f in a region more than the plan allows, and PSG_MEAN_ERROR asked for?
 *  @param[in] sides  they have values @return PSG_OK; PSG_ERR_MEAN */
psg_status psg_fluid_judge(const psg_plan *plan, psg_mean mean, const psg_pcg_result *result,
                           bool sides);

#endif
