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
    struct psg_arrays *slabs;   /**< the preconditioner's f and u */
    psg_task_pcg_data *segment; /**< of all processes: of others what own tasks read */
    starpu_data_handle_t scalars, scratch;
    bool faces, values; /**< there was room for epsilon on faces, and for values on sides */
    starpu_data_handle_t report[PSG_PCG_REPORTS];
};

/** What a solve is about: handles by own segment from its first on, f32 or f64. */
typedef struct psg_pcg_given {
    const starpu_data_handle_t *f, *eps[3], *u; /**< eps at points, or on faces by axis */
} psg_pcg_given;

/** The segment below another one, or above it. @param[in] towards  -1 or 1
 *  @return SIZE_MAX: it is at an end of z */
size_t psg_pcg_beside(const psg_plan *plan, size_t s, int towards);

/** The segment of another process below the own ones, or above them. @return SIZE_MAX: none is */
size_t psg_pcg_across(const psg_plan *plan, int towards);
/** Submit that all processes get the sums of all segments, so that all add them up in the same
 *  order. @param[in] measures  of them that travel */
void psg_pcg_carry_sums(psg_run *run, const psg_plan *plan, size_t measures);
/** Submit that each process gets the high plane of the segment below its own ones, and the low one
 *  of that above. */
void psg_pcg_carry_planes(psg_run *run, const psg_plan *plan);
/** Collective. @return no process' run has failed */
bool psg_pcg_agree(psg_run *run, const psg_plan *plan);

/** Submit every task of a solve with epsilon, and look at its residuals. */
void psg_pcg_submit(psg_run *run, const psg_plan *plan, struct psg_pending *pending,
                    const psg_pcg_given *given);

#endif
