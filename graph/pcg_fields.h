/** @file pcg_fields.h  The data of solves with epsilon, as pcg.c's tasks use them. */
#ifndef PSG_GRAPH_PCG_FIELDS_H
#define PSG_GRAPH_PCG_FIELDS_H

#include "base/tuning.h"
#include "codelets/pcg.h"
#include "graph/pcg.h"

/** Reports that may be made and not looked at. */
enum { PSG_PCG_REPORTS = TUNING_PCG_AHEAD + 2 };

/** Handles of a segment. */
enum {
    PSG_PCG_DATA = sizeof(psg_task_pcg_data) / sizeof(starpu_data_handle_t),
    PSG_PCG_OWN_DATA = offsetof(psg_task_pcg_data, below) / sizeof(starpu_data_handle_t)
};

struct psg_pcg {
    struct psg_arrays *slabs; /**< the preconditioner's f and u */
    psg_task_pcg_data *segment;
    starpu_data_handle_t scalars, scratch;
    starpu_data_handle_t report[PSG_PCG_REPORTS];
};

/** What a solve is about: handles by own segment, f32 or f64. */
typedef struct psg_pcg_given {
    const starpu_data_handle_t *f, *eps, *u;
} psg_pcg_given;

/** Submit every task of a solve with epsilon, and look at its residuals. */
void psg_pcg_submit(psg_run *run, const psg_plan *plan, struct psg_pending *pending,
                    const psg_pcg_given *given);

#endif
