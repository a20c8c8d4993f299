/** @file cg.h  The tasks of workload cg, beside those of codelets/pcg.h. */
#ifndef PSG_CODELETS_WORKLOADS_CG_H
#define PSG_CODELETS_WORKLOADS_CG_H

#include "base/cg.h"
#include "codelets/context.h"

#include <starpu.h>

/** The owner of its engine. All of it is set before the first task is submitted. */
typedef struct psg_cg {
    /** First, as tasks of codelets/pcg.h see it alone. Its field is a vector: a plane is a leaf (base/cg.h), a segment a block. */
    psg_context context;
    psg_part part[BASE_CG_BLOCKS];
    size_t nonzeros[BASE_CG_BLOCKS]; /**< of the matrix, by block of rows */
} psg_cg;

/** Block b of A times p -> block b of q; p.q -> its sums.
 *  @param[in] matrix  base_cg_rows.start, column and value
 *  @param[in] p       by block, all of them */
void psg_task_cg_apply(psg_run *run, size_t b, size_t step, const starpu_data_handle_t matrix[3],
                       const starpu_data_handle_t *p, starpu_data_handle_t q,
                       starpu_data_handle_t sums);

extern const psg_kind psg_cg_apply_kind;

#endif
