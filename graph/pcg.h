/** @file pcg.h  Solves with variable coefficients: conjugate gradients with the solve of a plan as preconditioner. */
#ifndef PSG_GRAPH_PCG_H
#define PSG_GRAPH_PCG_H

#include "graph/solving.h"

/** Can the plan be a preconditioner? @return PSG_OK; PSG_ERR_UNSUPPORTED: its symbol, sides or processes; a simulation */
psg_status psg_pcg_check(const psg_plan *plan);
/** Fields for solves that follow one another. @return PSG_OK; PSG_ERR_MEMORY: *pcg is NULL */
psg_status psg_pcg_create(psg_pcg **pcg, const psg_plan *plan);
/** NULL is fine. */
void psg_pcg_destroy(psg_pcg *pcg, const psg_plan *plan);

/** What a solve is about: handles by own segment, f32 or f64. */
typedef struct psg_pcg_fields {
    const starpu_data_handle_t *f, *eps, *u;
} psg_pcg_fields;

/** The constants of a solve, but for the tolerance. @param[in] lambda, factor  as in psg_solve_args */
base_pcg_terms psg_pcg_terms(const psg_plan *plan, double lambda, double factor);

/** Submit every task of one solve, and return when the last steps are submitted; failures are latched in the run.
 *  @param[in,out] terms   of the run; its lambda becomes that of the preconditioner
 *  @param[in]     most    steps
 *  @param[out]    result  complete with the return */
void psg_pcg_submit(psg_run *run, const psg_plan *plan, const psg_lane *lane, psg_pcg *pcg,
                    const psg_pcg_fields *fields, psg_terms *terms, size_t most,
                    psg_pcg_result *result);

#endif
