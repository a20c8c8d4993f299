/** @file pcg.h  Solves with variable coefficients: conjugate gradients with the solve of a plan as
 * preconditioner. */
#ifndef PSG_GRAPH_PCG_H
#define PSG_GRAPH_PCG_H

#include "graph/workspace.h"

#include <starpu.h>

struct psg_pending;

/** The fields of a solve with variable coefficients, see pcg.h. */
typedef struct psg_pcg psg_pcg;

/** How such a solve went. */
typedef struct psg_pcg_result {
    size_t steps;
    double residual; /**< |f - A u| / |f|, 2-norms, as the method has it */
    double sum;     /**< of f; not finite: f is not; with solid points the mean that was dropped, of
                          all fluid points, times the points of the grid */
    bool bad_eps;   /**< some eps is negative or not finite, or all are 0; u has nothing */
    double rim[2];  /**< the least and the largest eps beside free sides; 1 without */
    bool reached;   /**< the tolerance */
    bool bad_guess; /**< it is not finite, and u has it still */
    size_t regions; /**< of the fluid; 0: no point is solid */
    double region_mean; /**< of f, in the region where it is largest of those that nothing fixes */
    size_t region_points, region_first; /**< of that region: see base_region */
    double largest;                     /**< |f| */
} psg_pcg_result;

/** Is eps one number beside free sides, and above 0, so that it is that outside? */
static inline bool psg_pcg_has_outside(const psg_pcg_result *result) {
    return result->rim[0] == result->rim[1] && result->rim[0] > 0;
}

/** NULL is fine. */
void psg_pcg_destroy(psg_pcg *pcg, const psg_plan *plan);
/** Take epsilon, the tolerance and the most iterations into a pending solve with its terms, and
 *  make the plan's fields.
 *  @param[in] args  from psg_terms_read(), with terms that were checked
 *  @return PSG_OK, also without epsilon; PSG_ERR_ARG, _UNSUPPORTED, _MEMORY */
psg_status psg_pcg_take(struct psg_pending *pending, psg_plan *plan, const psg_solve_args *args);
/** Submit every task of such a solve between arrays. */
void psg_pcg_submit_arrays(psg_run *run, const psg_plan *plan, struct psg_pending *pending);
/** Once the run has ended, and f is known to be finite: was epsilon good, may f have its mean, and
 *  is the tolerance reached?
 *  @param[in] pending  without epsilon, or with arrays NULL: a program's data
 *  @return PSG_OK; PSG_ERR_DATA, _MEAN */
psg_status psg_pcg_judge(const psg_plan *plan, const struct psg_pending *pending);

#endif
